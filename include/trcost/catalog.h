// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/data_folder.h"
#include "trcost/hardware.h"

namespace trcost {

/// Name of the prediction method and its error near a scenario, from the residuals of the published
/// rows nearest to it.
struct MethodQuality {
  std::string_view name;    ///< e.g. `analytic`
  double sigma = 0;         ///< standard deviation of ln(predicted/measured)
  double median_error = 0;  ///< median |predicted/measured - 1|
  int rows = 0;             ///< published rows behind it
  std::string_view family;  ///< the rows in words
  bool measured = false;    ///< the chip has rows of its own
  bool own = false;         ///< the rows are steps measured by the user (trcost calibrate)
  bool operator==(const MethodQuality&) const = default;
};

namespace catalog {
struct Model;
struct Encoder;
struct Efficiency;
struct Stack;
struct Engine;
struct RoundFramework;
struct ServingChip;
struct ServingSpread;
struct AssumedChoices;
struct RunBook;
}  // namespace catalog

/// Kinds of catalog entries, each a folder of `data/`.
enum class CatalogKind { accelerators, systems, stacks, engines, models, encoders, prices, runs };

/// All kinds with the name of their folder, in the order of help and listings.
struct CatalogKindInfo {
  CatalogKind kind;
  std::string_view name;
  std::string_view what;
};
const std::vector<CatalogKindInfo>& catalog_kinds();
/// The name of the kind's folder.
std::string_view catalog_kind_name(CatalogKind kind);
/// Names of all kinds in one line.
std::string catalog_kind_names(std::string_view between, std::string_view before_last);

/// The sourced data that estimates are made from: entries of the data folder, parsed on first use
/// and kept. Several threads may share a catalog. Every reader rejects unknown and duplicate keys,
/// non-finite and out-of-range values with an Error (data) that names file, JSON pointer, what is
/// allowed, and the nearest known name.
class Catalog : public DataFolder {
 public:
  /// With an empty `directory` the built-in data alone, else every file comes from there if it
  /// exists there.
  explicit Catalog(std::string directory = {});
  ~Catalog();

  /// Entries by name, or by the path of a user's own file (anything that ends in `.json`). Throws
  /// Error (usage) for an unknown name.
  const Accelerator& accelerator(std::string_view name_or_path) const;
  const System& system(std::string_view name_or_path) const;
  /// Also a Hugging Face `config.json`.
  const catalog::Model& model(std::string_view name_or_path) const;
  const catalog::Encoder& encoder(std::string_view name_or_path) const;
  /// Training software. `NAME@RELEASE` is the stack as of a release. Throws Error (usage) for a
  /// release that the stack's measurements do not cover.
  const catalog::Stack& stack(std::string_view name_or_path) const;
  /// Inference software.
  const catalog::Engine& engine(std::string_view name_or_path) const;

  /// Calibrated constants of an accelerator, by rule from its specification where none exist.
  const catalog::Efficiency& efficiency(const Accelerator& accelerator) const;
  /// Rates of a chip in a system while it serves.
  catalog::ServingChip serving_chip(const Accelerator& accelerator, const System& system) const;
  /// Spread of predicted serving rates.
  catalog::ServingSpread serving_spread() const;
  /// Overheads of a post-training framework (a word of the field rollout.framework), with those of
  /// the chip's architecture.
  catalog::RoundFramework round_framework(std::string_view name,
                                          const Accelerator& accelerator) const;
  /// Defaults of an estimate (catalog/assumed.h).
  const catalog::AssumedChoices& assumed() const;
  /// Published runs and measurements.
  const catalog::RunBook& runs() const;
  /// The architecture that a row of runs() names: of runs/models, else of the catalog.
  const catalog::Model& run_model(std::string_view name) const;
  /// Data that a higher layer reads: built by `load` on first use and kept. One value per loader.
  template <class T>
  const T& kept(std::shared_ptr<const T> (*load)(const Catalog&)) const;

  /// Names of all entries of a kind, sorted.
  std::vector<std::string> names(CatalogKind kind) const;
  /// The entry that a name means: its name, title or an alias, with or without the vendor in front,
  /// in any case. Empty if there is none.
  std::string entry_of(CatalogKind kind, std::string_view name) const;
  /// The entry's JSON text as it stands in the file, every value with its source.
  std::string show(CatalogKind kind, std::string_view name_or_path) const;

 private:
  using Loader = std::shared_ptr<const void> (*)(const Catalog&, void (*load)());
  const void* kept_value(void (*load)(), Loader call) const;

  struct Entries;
  std::unique_ptr<Entries> entries_;
};

template <class T>
const T& Catalog::kept(std::shared_ptr<const T> (*load)(const Catalog&)) const {
  const Loader call = [](const Catalog& catalog, void (*erased)()) -> std::shared_ptr<const void> {
    return reinterpret_cast<std::shared_ptr<const T> (*)(const Catalog&)>(erased)(catalog);
  };
  return *static_cast<const T*>(kept_value(reinterpret_cast<void (*)()>(load), call));
}

}  // namespace trcost

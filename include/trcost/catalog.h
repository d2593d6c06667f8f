// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/hardware.h"

namespace trcost {

struct Model;
struct Encoder;
struct PriceBook;
struct Efficiency;
struct Stack;
struct Engine;
struct RoundFramework;
struct ServingChip;
struct ServingSpread;
struct Regions;
struct RunBook;

/// Kinds of catalog entries, each a folder of `data/`.
enum class CatalogKind { accelerators, systems, stacks, engines, models, encoders, prices, runs };

/// All kinds with the name of their folder, in the order of help and listings.
struct CatalogKindInfo {
  CatalogKind kind;
  std::string_view name;
  std::string_view what;
};
const std::vector<CatalogKindInfo>& catalog_kinds();
/// The name of its folder.
std::string_view catalog_kind_name(CatalogKind kind);
/// All of them in one line.
std::string catalog_kind_names(std::string_view between, std::string_view before_last);

/// The sourced data that estimates are made from: built into the library, or read from a folder of
/// the same form. Files are parsed when first asked for and kept; several threads may share a
/// catalog. Every loader rejects unknown and duplicate keys,
/// non-finite and out-of-range values with an Error (kind data) that names file, JSON pointer, what
/// is allowed, and the nearest known name.
class Catalog {
 public:
  /// With an empty `directory` the data built into the library; else every file comes from there
  /// when it exists there, and from the built-in data when not.
  explicit Catalog(std::string directory = {});
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  /// A name, or the path of a user's own file (anything that ends in `.json`).
  const Accelerator& accelerator(std::string_view name_or_path) const;
  const System& system(std::string_view name_or_path) const;
  /// Also reads a Hugging Face `config.json`.
  const Model& model(std::string_view name_or_path) const;
  const Encoder& encoder(std::string_view name_or_path) const;

  /// `NAME@RELEASE` is the stack as of a release (catalog/efficiency.h); throws Error (usage) where
  /// the stack's measurements do not cover it.
  const Stack& stack(std::string_view name_or_path) const;
  /// Inference software.
  const Engine& engine(std::string_view name_or_path) const;
  /// What a chip in a system reaches while it serves.
  ServingSpread serving_spread() const;
  /// By the name of the field rollout.framework, with what the chip's architecture adds to learning.
  RoundFramework round_framework(std::string_view name, const Accelerator& accelerator) const;
  ServingChip serving_chip(const Accelerator& accelerator, const System& system) const;
  /// Calibrated constants of an accelerator; by rule from its specification where none exist.
  const Efficiency& efficiency(const Accelerator& accelerator) const;
  /// YYYY-MM-DD: the day of the price book, without reading its prices.
  std::string price_date() const;
  const PriceBook& prices() const;
  const Regions& regions() const;
  const RunBook& runs() const;

  /// Names of all entries of a kind, sorted.
  std::vector<std::string> names(CatalogKind kind) const;
  /// The entry that a name means: its name, title or an alias, with or without the vendor in front,
  /// in any case. Empty when there is none.
  std::string entry_of(CatalogKind kind, std::string_view name) const;
  /// The entry's JSON text as it stands in the file, every value with its source.
  std::string show(CatalogKind kind, std::string_view name_or_path) const;

  /// The text of one data file (`accelerators/h100-sxm.json`); throws Error when there is none.
  std::string_view file(std::string_view path) const;
  /// Whether there is such a file.
  bool has_file(std::string_view path) const;

 private:
  struct Cache;
  std::unique_ptr<Cache> cache_;
};

}  // namespace trcost

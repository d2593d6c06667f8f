// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trcost {

enum class Precision : std::uint8_t { bf16, fp16, fp8, mxfp8, nvfp4, tf32, fp32 };
inline constexpr int kPrecisionCount = 7;

/// `bf16`, `fp16`, ... as the command line and JSON spell it.
std::string_view precision_name(Precision precision);
/// The inverse; empty for an unknown name.
std::optional<Precision> parse_precision(std::string_view name);

/// How clouds spell a chip, folded: `h100`, and words that may follow and mean the same chip. Chips
/// that share a name differ by form (`pcie`) or memory.
struct CloudName {
  std::string name;
  std::vector<std::string> words;
  std::string form;                 ///< a word that tells it from others of its name
  std::optional<double> memory_gb;  ///< nominal, where others of its name have another
  std::string accelerator;          ///< the chip's own name, or that of a variant without a file
};

/// A chip as its specification sheet describes it. Dense peaks only.
struct Accelerator {
  std::string name;   ///< catalog name, e.g. `h100-sxm`
  std::string title;  ///< as people write it, e.g. `H100 SXM 80GB`
  std::string vendor;
  std::string architecture;          ///< e.g. `hopper`: groups chips in calibration and residuals
  std::vector<std::string> aliases;  ///< other spellings of the name, in any case
  std::vector<CloudName> cloud_names;
  std::string sibling;  ///< the chip whose constants it takes where it has none of its own
  std::string system;   ///< catalog name of its usual system
  std::array<std::optional<double>, kPrecisionCount> peak_flops;      ///< FLOP/s per format it has
  std::array<std::optional<double>, kPrecisionCount> measured_flops;  ///< best measured matmul rate
  std::array<bool, kPrecisionCount> recipe{};  ///< an established training recipe exists
  double memory_bytes = 0;                     ///< usable by the framework
  double memory_bandwidth = 0;                 ///< bytes/s
  std::optional<double> power_watts;           ///< board power limit
  std::string power_source;                    ///< of the board power, empty where there is none
  double mean_draw = 1;                        ///< of the system's power while training, on average
  double server_power_multiple = 1;            ///< of the board's, where no system's is known
  double server_price_multiple = 1;            ///< server's price / chip's price
  /// Only its maker's cloud rents it: its list price is the market's.
  bool sold_by_maker = false;
  std::optional<double> price_usd;  ///< purchase price of one
  std::string price_source;         ///< of the purchase price, empty where there is none
  std::string price_date;           ///< YYYY-MM or YYYY-MM-DD
  std::string file;                 ///< where it was read, for messages
};

/// One level of a system's network, innermost first.
struct NetworkTier {
  std::string name;      ///< e.g. `NVLink 4`, `InfiniBand NDR`
  double size = 0;       ///< accelerators within one domain of this tier
  double bandwidth = 0;  ///< bytes/s per accelerator and direction
  double latency_seconds = 0;
  bool in_network_reduction = false;  ///< switches reduce (NVLS, SHARP)
};

/// A node or rack with its network: where accelerators live.
struct System {
  std::string name;
  std::string title;
  std::vector<std::string> accelerators;  ///< catalog names of the chips that it carries
  double gpus_per_node = 8;               ///< accelerators sold and failing together
  double gpus_per_domain = 8;             ///< accelerators in the innermost domain (8, 72)
  double usable_per_domain = 8;           ///< how many of them planners use (NVL72: 64)
  std::vector<NetworkTier> tiers;         ///< innermost first; the last one spans the cluster
  /// Between an accelerator and its host's memory, bytes/s each way as specified.
  std::optional<double> host_bandwidth;
  std::optional<double> power_per_gpu_watts;  ///< whole system per accelerator
  std::string power_source;                   ///< empty where there is no power
  std::optional<double> price_usd;            ///< purchase price of the system
  std::optional<double> price_gpus;           ///< accelerators in that price
  std::string price_source;                   ///< empty where there is no price
  std::string price_date;                     ///< YYYY-MM or YYYY-MM-DD
  std::string file;
};

/// The name of the method and how good it is near a scenario, from the residuals of the published
/// rows nearest to it.
struct MethodQuality {
  std::string_view name;    ///< e.g. `analytic`
  double sigma = 0;         ///< standard deviation of ln(predicted/measured)
  double median_error = 0;  ///< median |predicted/measured - 1|
  int rows = 0;             ///< published rows behind it
  std::string_view family;  ///< which rows, in words
  bool measured = false;    ///< the chip has rows of its own
  bool own = false;         ///< the rows are steps that the user measured (trcost calibrate)
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
  const catalog::Model& model(std::string_view name_or_path) const;
  const catalog::Encoder& encoder(std::string_view name_or_path) const;

  /// `NAME@RELEASE` is the stack as of a release (catalog/hardware/efficiency.h); throws Error
  /// (usage) where the stack's measurements do not cover it.
  const catalog::Stack& stack(std::string_view name_or_path) const;
  /// Inference software.
  const catalog::Engine& engine(std::string_view name_or_path) const;
  /// What a chip in a system reaches while it serves.
  catalog::ServingSpread serving_spread() const;
  /// By the name of the field rollout.framework, with what the chip's architecture adds to
  /// learning.
  catalog::RoundFramework round_framework(std::string_view name,
                                          const Accelerator& accelerator) const;
  catalog::ServingChip serving_chip(const Accelerator& accelerator, const System& system) const;
  /// Calibrated constants of an accelerator; by rule from its specification where none exist.
  const catalog::Efficiency& efficiency(const Accelerator& accelerator) const;
  /// What an estimate takes where nobody names it (catalog/assumed.h).
  const catalog::AssumedChoices& assumed() const;
  const catalog::RunBook& runs() const;
  /// Data that a higher layer reads: built by `load` on first use and kept. One value per loader.
  template <class T>
  const T& kept(std::shared_ptr<const T> (*load)(const Catalog&)) const;

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
  /// True where no folder of the user's stands over the built-in data.
  bool is_built_in() const;

 private:
  using Loader = std::shared_ptr<const void> (*)(const Catalog&, void (*load)());
  const void* kept_value(void (*load)(), Loader call) const;

  struct Cache;
  std::unique_ptr<Cache> cache_;
};

template <class T>
const T& Catalog::kept(std::shared_ptr<const T> (*load)(const Catalog&)) const {
  const Loader call = [](const Catalog& catalog, void (*erased)()) -> std::shared_ptr<const void> {
    return reinterpret_cast<std::shared_ptr<const T> (*)(const Catalog&)>(erased)(catalog);
  };
  return *static_cast<const T*>(kept_value(reinterpret_cast<void (*)()>(load), call));
}

}  // namespace trcost

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trcost {

enum class Precision : std::uint8_t { bf16, fp16, fp8, mxfp8, nvfp4, tf32, fp32 };
inline constexpr int kPrecisionCount = 7;

/// `bf16`, `fp16`, ... as the command line and JSON spell it.
std::string_view precision_name(Precision precision);
/// The format of a name, empty for an unknown one.
std::optional<Precision> parse_precision(std::string_view name);

/// A cloud's spelling of a chip, folded: `h100`, and words that may follow and mean the same chip.
/// Chips that share a name differ by form (`pcie`) or memory.
struct CloudName {
  std::string name;
  std::vector<std::string> words;
  std::string form;                 ///< a word that separates it from others of its name
  std::optional<double> memory_gb;  ///< nominal, if others of its name have another
  std::string accelerator;          ///< the chip's own name, or that of a variant without a file
};

/// A chip as its specification sheet describes it. Dense peaks only.
struct Accelerator {
  std::string name;   ///< catalog name, e.g. `h100-sxm`
  std::string title;  ///< for people, e.g. `H100 SXM 80GB`
  std::string vendor;
  std::string architecture;          ///< e.g. `hopper`: groups chips in calibration and residuals
  std::vector<std::string> aliases;  ///< other spellings of the name, in any case
  std::vector<CloudName> cloud_names;
  std::string sibling;  ///< the chip whose constants it takes if it has none of its own
  std::string system;   ///< catalog name of its usual system
  std::array<std::optional<double>, kPrecisionCount> peak_flops;      ///< FLOP/s per format it has
  std::array<std::optional<double>, kPrecisionCount> measured_flops;  ///< best measured matmul rate
  std::array<bool, kPrecisionCount> recipe{};  ///< an established training recipe exists
  double memory_bytes = 0;                     ///< usable by the framework
  double memory_bandwidth = 0;                 ///< bytes/s
  std::optional<double> power_watts;           ///< board power limit
  std::string power_source;  ///< source of the board power, empty if there is none
  double mean_draw = 1;      ///< mean draw in training over the system's power
  double server_power_multiple =
      1;  ///< system's power / board's power, if no system's power is known
  double server_price_multiple = 1;  ///< server's price / chip's price
  /// True if only its maker's cloud rents it, so that its list price is the market price.
  bool sold_by_maker = false;
  std::optional<double> price_usd;  ///< purchase price of one
  std::string price_source;         ///< source of the purchase price, empty if there is none
  std::string price_date;           ///< YYYY-MM or YYYY-MM-DD
  std::string file;                 ///< the file that it was read from, for messages
};

/// One level of a system's network, innermost first.
struct NetworkTier {
  std::string name;      ///< e.g. `NVLink 4`, `InfiniBand NDR`
  double size = 0;       ///< accelerators within one domain of this tier
  double bandwidth = 0;  ///< bytes/s per accelerator and direction
  double latency_seconds = 0;
  bool in_network_reduction = false;  ///< switches reduce (NVLS, SHARP)
};

/// A node or rack with its network.
struct System {
  std::string name;
  std::string title;
  std::vector<std::string> accelerators;  ///< catalog names of the chips that it carries
  double gpus_per_node = 8;               ///< accelerators sold and failing together
  double gpus_per_domain = 8;             ///< accelerators in the innermost domain (8, 72)
  double usable_per_domain = 8;           ///< accelerators of a domain that plans use (NVL72: 64)
  std::vector<NetworkTier> tiers;         ///< innermost first; the last one spans the cluster
  /// Specified bytes/s each way between an accelerator and its host's memory.
  std::optional<double> host_bandwidth;
  std::optional<double> power_per_gpu_watts;  ///< whole system per accelerator
  std::string power_source;                   ///< empty where there is no power
  std::optional<double> price_usd;            ///< purchase price of the system
  std::optional<double> price_gpus;           ///< accelerators in that price
  std::string price_source;                   ///< empty where there is no price
  std::string price_date;                     ///< YYYY-MM or YYYY-MM-DD
  std::string file;
};

}  // namespace trcost

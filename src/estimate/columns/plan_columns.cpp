// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/plan_columns.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "catalog/layout/layout.h"
#include "trcost/numbers.h"

namespace trcost::estimation {

namespace {

using namespace column;
using column::json;
using column::text;

template <auto Member>
constexpr auto degree = [](const PlacedLayout& placed) -> double {
  return static_cast<double>(placed.layout->*Member);
};

template <auto Member>
constexpr auto part = [](const MemoryUse& use) -> double { return use.*Member; };

template <auto Member>
constexpr auto word =
    [](const Assumption& assumption) -> std::string_view { return assumption.*Member; };

constexpr auto whole_column(std::string_view path, auto get, std::string_view help) {
  return column::number(path, "", NumberKind::integer, get, help);
}

constexpr auto bytes(std::string_view path, Better better, auto get, std::string_view help,
                     Rank rank = Rank::rest) {
  return column::number(path, "bytes", NumberKind::bytes, better, get, help, rank);
}

// Text that is known to be empty, where it is.
Value words(std::string_view text) {
  Value value;
  value.kind = Value::Kind::text;
  value.text = text;
  return value;
}

// A value that is nothing but a number is one.
Value assumed_value(std::string_view text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = !text.empty() && status == std::errc() && end == text.data() + text.size() &&
                      std::isfinite(value);
  return number ? Value(value) : Value(text);
}

// A degree of 0 is that of a dimension which the model does not have. People read the degrees
// together, under the first.
template <std::size_t kIndex>
constexpr Column<PlacedLayout> dimension() {
  const auto column = whole_column(
      kDimensions[kIndex].name,
      [](const PlacedLayout& placed) -> std::optional<double> {
        const int degree = placed.layout->*kDimensions[kIndex].in;
        return degree > 0 ? std::optional<double>(degree) : std::nullopt;
      },
      kDimensions[kIndex].help);
  if constexpr (kIndex > 0) return column;
  return shown(
      {.line = {beside::kCluster + 3, kSplitTitle}, .unknown = "by stage"},
      [](const PlacedLayout& placed) { return split_words(*placed.layout); }, column);
}

template <std::size_t... kIndex>
void add_dimensions(Columns<PlacedLayout>& out, std::index_sequence<kIndex...>) {
  out.add({dimension<kIndex>()...});
}

// `77/81 GB`.
std::string memory_words(const MemoryUse& use) {
  constexpr double kGigabyte = 1e9;
  constexpr double kTwoDigits = 10;
  constexpr double kTerabyte = 1e12;
  if (use.total >= kTerabyte) {
    return fmt::format("{}/{:.0f} GB", format_number(use.total, NumberKind::bytes),
                       use.capacity / kGigabyte);
  }
  const double used = use.total / kGigabyte;
  return fmt::format("{:.{}f}/{:.0f} GB", used, used < kTwoDigits ? 1 : 0,
                     use.capacity / kGigabyte);
}

std::string fit_words(const MemoryUse& use) {
  return !use.fits ? "NO" : use.tight ? "tight" : "yes";
}

constexpr Column<PlacedLayout> kPlaced[] = {
    column::number("micro_batch", "sequences", NumberKind::number, degree<&Layout::micro_batch>,
                   "per device and forward pass"),
    column::number("global_batch", "sequences", NumberKind::number, degree<&Layout::global_batch>,
                   "per optimizer step"),
    text(
        "sharding",
        [](const PlacedLayout& placed) { return sharding_name(placed.layout->sharding); },
        "what the data-parallel ranks share out"),
    text(
        "recompute",
        [](const PlacedLayout& placed) { return recompute_name(placed.layout->recompute); },
        "activation recomputation"),
    column::number(
        "recompute_layers", "layers", NumberKind::integer,
        [](const PlacedLayout& placed) -> double {
          const Layout& layout = *placed.layout;
          return layout.recompute == Recompute::full ? layers_of_stage(layout, placed.layers)
                                                     : layout.recompute_layers;
        },
        "of a stage, that are recomputed in full"),
    text(
        "context_kind",
        [](const PlacedLayout& placed) {
          const Layout& layout = *placed.layout;
          return layout.cp > 1 ? context_kind_name(layout.context_kind) : std::string_view();
        },
        "how ranks that share a sequence exchange"),
    boolean("sequence_parallel", degree<&Layout::sequence_parallel>,
            "norms and residuals split along the sequence"),
    column::number(
        "idle_gpus", "accelerators", NumberKind::integer,
        [](const PlacedLayout& placed) { return placed.gpus - placed.layout->gpus(); },
        "that the layout leaves idle; they are paid for"),
};

}  // namespace

const Columns<PlacedLayout>& layout_columns() {
  static const Columns<PlacedLayout> table = [] {
    Columns<PlacedLayout> out;
    add_dimensions(out, std::make_index_sequence<std::size(kDimensions)>());
    out.add(kPlaced);
    return out;
  }();
  return table;
}

const Columns<MemoryUse>& memory_use_columns() {
  static const Columns<MemoryUse> table = {
      bytes("weights_bytes", Better::lower, part<&MemoryUse::weights>,
            "weights on the fullest device"),
      bytes("gradients_bytes", Better::lower, part<&MemoryUse::gradients>, "gradients"),
      bytes("optimizer_bytes", Better::lower, part<&MemoryUse::optimizer>,
            "optimizer states, master weights"),
      bytes("activations_bytes", Better::lower, part<&MemoryUse::activations>,
            "activations kept for backward"),
      bytes("logits_bytes", Better::lower, part<&MemoryUse::logits>, "logits and their gradient"),
      bytes("overhead_bytes", Better::lower, part<&MemoryUse::overhead>,
            "context, buffers, fragmentation"),
      bytes("resident_bytes", Better::lower, part<&MemoryUse::resident>,
            "other models of the method: reference, reward, critic, teacher"),
      bytes("host_bytes", Better::lower, part<&MemoryUse::host>,
            "in the host's memory for this device, at most: with train.offload, and of what learns "
            "while engines generate; not in the total"),
      bytes(
          "engine_bytes", Better::lower,
          [](const MemoryUse& m) {
            return m.generating ? std::optional(m.engine->weights) : std::nullopt;
          },
          "weights and reserve of an engine, where the fullest moment is one that generates"),
      bytes(
          "kv_cache_bytes", Better::lower,
          [](const MemoryUse& m) {
            return m.engine ? std::optional(m.engine->cache) : std::nullopt;
          },
          "of the responses in flight while engines generate: part of total_bytes where "
          "engine_bytes is a number, else of another moment than the fullest, and no part of it"),
      shown(
          {.line = {beside::kCluster + 4, "memory per GPU"}},
          [](const MemoryUse& m) { return memory_words(m); },
          bytes("total_bytes", Better::lower, part<&MemoryUse::total>,
                "on the fullest device at its fullest moment: weights, gradients, optimizer, "
                "activations, logits, overhead, resident; or engine_bytes and kv_cache_bytes where "
                "engine_bytes is a number",
                Rank::main)),
      bytes("capacity_bytes", Better::higher, part<&MemoryUse::capacity>,
            "of one device, as far as a plan may fill it"),
      shown(
          {.line = {beside::kCluster + 5}, .brief = {5}},
          [](const MemoryUse& m) { return fit_words(m); },
          boolean("fits", part<&MemoryUse::fits>, "whether the total is within the capacity",
                  Rank::first)),
      boolean("tight", part<&MemoryUse::tight>,
              "whether it fits, but leaves less free than hardware.memory_margin"),
  };
  return table;
}

const Columns<Assumption>& assumption_columns() {
  static const Columns<Assumption> table = {
      text("path", word<&Assumption::path>, "field that the question left open", Rank::key),
      of_kind(
          ColumnKind::mixed, "value",
          [](const Assumption& assumption) { return assumed_value(assumption.value); },
          "as it may be given"),
      of_kind(
          ColumnKind::text, "unit",
          [](const Assumption& assumption) { return words(assumption.unit); },
          "of the value; empty for plain numbers and words"),
      text("why", word<&Assumption::why>, "how it comes about"),
      text("source", word<&Assumption::source>, "where it was read"),
  };
  return table;
}

const Columns<Estimator::Failure>& failure_columns() {
  using Failure = Estimator::Failure;
  static const Columns<Failure> table = {
      text(
          "accelerator", [](const Failure& f) -> auto& { return f.accelerator; },
          "platform without an answer", Rank::key),
      text(
          "message", [](const Failure& f) -> auto& { return f.message; }, "why it has none"),
      text(
          "hint", [](const Failure& f) -> auto& { return f.hint; }, "what to do about it")};
  return table;
}

namespace {

Columns<Quantiles> quantiles_in(std::string_view unit, NumberKind kind) {
  using Q = const Quantiles&;
  return {number(
              "p10", unit, kind, Better::lower, [](Q q) { return q.p10; },
              "one chance in ten to be below"),
          number(
              "p50", unit, kind, Better::lower, [](Q q) { return q.p50; }, "median"),
          number(
              "p90", unit, kind, Better::lower, [](Q q) { return q.p90; },
              "one chance in ten to be above")};
}

}  // namespace

template <>
const Columns<Quantiles>& quantile_columns<QuantilesOf::gpu_hours>() {
  static const Columns<Quantiles> table = quantiles_in("GPU-hours", NumberKind::count);
  return table;
}

template <>
const Columns<Quantiles>& quantile_columns<QuantilesOf::seconds>() {
  static const Columns<Quantiles> table = quantiles_in("s", NumberKind::duration);
  return table;
}

template <>
const Columns<Quantiles>& quantile_columns<QuantilesOf::usd>() {
  static const Columns<Quantiles> table = quantiles_in("USD", NumberKind::money);
  return table;
}

}  // namespace trcost::estimation

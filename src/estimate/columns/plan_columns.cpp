// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/plan_columns.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "catalog/layout/layout.h"
#include "performance/memory/memory.h"
#include "trcost/numbers.h"

namespace trcost::estimation {

namespace {

using namespace column;

// Text that is known even if it is empty.
Value known_text(std::string_view text) {
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
  constexpr auto column = integer(
      kDimensions[kIndex].name,
      [](const PlacedLayout& placed) -> std::optional<double> {
        const int degree = placed.layout->*kDimensions[kIndex].in;
        return degree > 0 ? std::optional<double>(degree) : std::nullopt;
      },
      kDimensions[kIndex].help);
  if constexpr (kIndex > 0) return column;
  return column.shown({.line = {beside::kCluster + 3, kSplitTitle}, .unknown = "by stage"},
                      [](const PlacedLayout& placed) { return split_words(*placed.layout); });
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
  const std::string_view word = fit_word(use);
  return word == "no" ? "NO" : std::string(word);
}

double recomputed_layers(const PlacedLayout& placed) {
  const Layout& layout = *placed.layout;
  return layout.recompute == Recompute::full ? layers_of_stage(layout, placed.layers)
                                             : layout.recompute_layers;
}

std::string_view context_kind_word(const PlacedLayout& placed) {
  const Layout& layout = *placed.layout;
  return layout.cp > 1 ? context_kind_name(layout.context_kind) : std::string_view();
}

double idle_gpus(const PlacedLayout& placed) {
  return placed.gpus - placed.layout->gpus();
}

}  // namespace

const Columns<PlacedLayout>& layout_columns() {
  using P = PlacedLayout;
  using L = Layout;
  static constexpr Column<PlacedLayout> kColumns[] = {
      number("micro_batch", "sequences", NumberKind::number, member<&P::layout, &L::micro_batch>,
             "per device and forward pass"),
      number("global_batch", "sequences", NumberKind::number, member<&P::layout, &L::global_batch>,
             "per optimizer step"),
      string("sharding", member<&P::layout, &L::sharding, sharding_name>,
             "what the data-parallel ranks share out"),
      string("recompute", member<&P::layout, &L::recompute, recompute_name>,
             "activation recomputation"),
      number("recompute_layers", "layers", NumberKind::integer, member<recomputed_layers>,
             "of a stage, that are recomputed in full"),
      string("context_kind", member<context_kind_word>, "how ranks that share a sequence exchange"),
      boolean("sequence_parallel", member<&P::layout, &L::sequence_parallel>,
              "norms and residuals split along the sequence"),
      accelerators("idle_gpus", member<idle_gpus>,
                   "that the layout leaves idle; they are paid for"),
  };
  static const Columns<PlacedLayout> table = [] {
    Columns<PlacedLayout> out;
    add_dimensions(out, std::make_index_sequence<std::size(kDimensions)>());
    out.add(kColumns);
    return out;
  }();
  return table;
}

const Columns<MemoryUse>& memory_use_columns() {
  using U = MemoryUse;
  static const Columns<MemoryUse> table = {
      bytes("weights_bytes", member<&U::weights>, "weights on the fullest device").lower(),
      bytes("gradients_bytes", member<&U::gradients>, "gradients").lower(),
      bytes("optimizer_bytes", member<&U::optimizer>, "optimizer states, master weights").lower(),
      bytes("activations_bytes", member<&U::activations>, "activations kept for backward").lower(),
      bytes("logits_bytes", member<&U::logits>, "logits and their gradient").lower(),
      bytes("overhead_bytes", member<&U::overhead>, "context, buffers, fragmentation").lower(),
      bytes("resident_bytes", member<&U::resident>,
            "other models of the method: reference, reward, critic, teacher")
          .lower(),
      bytes("host_bytes", member<&U::host>,
            "in the host's memory for this device, at most: with train.offload, and of what learns "
            "while engines generate; not in the total")
          .lower(),
      bytes(
          "engine_bytes",
          [](const U& m) { return m.generating ? std::optional(m.engine->weights) : std::nullopt; },
          "weights and reserve of an engine, where the fullest moment is one that generates")
          .lower(),
      bytes("kv_cache_bytes", member<&U::engine, &EngineMemory::cache>,
            "of the responses in flight while engines generate: part of total_bytes where "
            "engine_bytes is a number, else of another moment than the fullest, and no part of it")
          .lower(),
      bytes("total_bytes", member<&U::total>,
            "on the fullest device at its fullest moment: weights, gradients, optimizer, "
            "activations, logits, overhead, resident; or engine_bytes and kv_cache_bytes where "
            "engine_bytes is a number",
            Rank::main)
          .lower()
          .shown({.line = {beside::kCluster + 4, "memory per GPU"}}, member<memory_words>),
      bytes("capacity_bytes", member<&U::capacity>, "of one device, as far as a plan may fill it")
          .higher(),
      boolean("fits", member<&U::fits>, "whether the total is within the capacity", Rank::first)
          .shown({.line = {beside::kCluster + 5}, .brief = {beside::kMayGo + 5}},
                 member<fit_words>),
      share(
          "fits_probability", [](const U& m) { return fits_probability(m); },
          "chance that the peak stays within the capacity, by the spread of published peaks")
          .higher(),
      bytes(
          "range.p10", [](const U& m) { return peak_quantile(m, -kNormalP90); },
          "of the total, by the spread of published peaks")
          .lower(),
      bytes("range.p50", member<&U::total>, "its median").lower(),
      bytes(
          "range.p90", [](const U& m) { return peak_quantile(m, kNormalP90); }, "of the total")
          .lower(),
      boolean("tight", member<&U::tight>,
              "whether it fits, but leaves less free than hardware.memory_margin"),
  };
  return table;
}

const Columns<Assumption>& assumption_columns() {
  using A = Assumption;
  static const Columns<Assumption> table = {
      string("path", member<&A::path>, "field that was not set", Rank::key),
      of_kind(ColumnKind::mixed, "value", member<&A::value, assumed_value>, "as it may be given"),
      of_kind(ColumnKind::text, "unit", member<&A::unit, known_text>,
              "of the value; empty for plain numbers and words"),
      string("why", member<&A::why>, "how it comes about"),
      string("source", member<&A::source>, "where it was read"),
  };
  return table;
}

const Columns<Estimator::Failure>& failure_columns() {
  using Failure = Estimator::Failure;
  using F = Failure;
  static const Columns<Failure> table = {
      string("accelerator", member<&F::accelerator>, "platform without an answer", Rank::key),
      string("message", member<&F::message>, "why it has none"),
      string("hint", member<&F::hint>, "what to do about it")};
  return table;
}

namespace {

Columns<Quantiles> quantiles_in(std::string_view unit, NumberKind kind) {
  return {
      number("p10", unit, kind, member<&Quantiles::p10>, "one chance in ten to be below").lower(),
      number("p50", unit, kind, member<&Quantiles::p50>, "median").lower(),
      number("p90", unit, kind, member<&Quantiles::p90>, "one chance in ten to be above").lower()};
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

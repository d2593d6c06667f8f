// SPDX-License-Identifier: Apache-2.0
#include "study/tokens/token_report.h"

namespace trcost::study {

namespace {

using namespace column;
using column::json;
using column::text;

constexpr auto token_column(std::string_view path, auto get, std::string_view help,
                            Rank rank = Rank::main, std::string_view title = {}) {
  return number(path, "tokens", NumberKind::integer, get, help, rank, title);
}

const Columns<TokenDistribution>& distribution_columns() {
  using D = const TokenDistribution&;
  static const Columns<TokenDistribution> table = {
      token_column(
          "min", [](D d) { return d.min; }, "of the smallest input"),
      token_column(
          "median", [](D d) { return d.median; }, "half of the inputs have at most"),
      token_column(
          "p90", [](D d) { return d.p90; }, "nine of ten inputs have at most"),
      token_column(
          "max", [](D d) { return d.max; }, "of the largest input"),
      number(
          "mean", "tokens", NumberKind::number, [](D d) { return d.mean; }, "per input")};
  return table;
}

const Columns<SkippedInput>& skipped_columns() {
  static const Columns<SkippedInput> table = {
      text(
          "input", [](const SkippedInput& s) -> auto& { return s.input; }, "as named", Rank::key),
      text(
          "reason", [](const SkippedInput& s) -> auto& { return s.reason; },
          "why it has no count")};
  return table;
}

// Sums have a meaning where the items are inputs, not families side by side.
template <auto Member>
constexpr auto total = [](const TokenReport& report) -> std::optional<std::int64_t> {
  if (report.comparison) return std::nullopt;
  return report.totals.*Member;
};

template <auto Member>
constexpr auto spread = [](const TokenReport& report) -> const std::optional<TokenDistribution>& {
  static const std::optional<TokenDistribution> kNone;
  return report.sets ? report.totals.*Member : kNone;
};

template <auto Member>
constexpr auto count = [](const TokenItem& item) { return item.tokens.*Member; };

}  // namespace

const Columns<TokenItem>& token_item_columns() {
  static const Columns<TokenItem> table = {
      text(
          "input", [](const TokenItem& i) -> auto& { return i.input; }, "as asked", Rank::key),
      text(
          "family", [](const TokenItem& i) -> auto& { return i.family; }, "whose rule it is",
          Rank::key),
      number(
          "count", "", NumberKind::integer, [](const TokenItem& i) { return i.count; },
          "inputs like this one"),
      token_column("tokens.vision_encoder", count<&TokenCount::vision_encoder>,
                   "that the encoder computes, padding included", Rank::first, "encoder tokens"),
      token_column("tokens.vision", count<&TokenCount::vision>,
                   "that the language model sees, without text separators", Rank::first, "tokens"),
      number("tiles", "", NumberKind::integer, count<&TokenCount::tiles>,
             "pieces that are encoded apart", Rank::main),
      number("frames", "", NumberKind::integer, count<&TokenCount::frames>, "taken from a video",
             Rank::main),
      of_kind(
          ColumnKind::size, "resized",
          [](const TokenItem& i) {
            const auto& size = i.tokens.resized;
            if (!size) return Value();
            return Value::size(static_cast<double>(size->width), static_cast<double>(size->height));
          },
          "pixels that go in after resizing and padding", Rank::main),
      token_column("encoder_sequence", count<&TokenCount::encoder_sequence>,
                   "that attend to each other in the encoder", Rank::rest),
      text("rule", count<&TokenCount::rule>, "how it is counted"),
      text("source", count<&TokenCount::source>, "where the rule was read"),
  };
  return table;
}

const Columns<TokenReport>& token_columns() {
  static const Columns<TokenReport> table = [] {
    Columns<TokenReport> t;
    t.add(versions<TokenReport>());
    t.add({list<token_item_columns>(
               "items", [](const TokenReport& r) -> auto& { return r.items; }, "one per input"),
           after_rows(token_column("total.vision_encoder", total<&TokenSums::vision_encoder>,
                                   "of all inputs, in the encoder")),
           after_rows(token_column("total.vision", total<&TokenSums::vision>,
                                   "of all inputs, in the language model")),
           after_rows(number("inputs", "", NumberKind::integer, total<&TokenSums::inputs>,
                             "counted, each as often as it stands there"))});
    t.lift<spread<&TokenSums::encoder_distribution>, distribution_columns>(
        "distribution.vision_encoder", true);
    t.lift<spread<&TokenSums::vision_distribution>, distribution_columns>("distribution.vision",
                                                                          true);
    t.make_optional("distribution");
    t.make_after_rows("distribution.");
    t.add({list<skipped_columns>(
        "skipped", [](const TokenReport& r) -> auto& { return r.skipped; }, "without a count")});
    return t;
  }();
  return table;
}

}  // namespace trcost::study

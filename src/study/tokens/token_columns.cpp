// SPDX-License-Identifier: Apache-2.0
#include "study/tokens/token_report.h"

namespace trcost::study {

namespace {

using namespace column;

constexpr auto whole_tokens(std::string_view path, auto get, std::string_view help,
                            Rank rank = Rank::main, std::string_view title = {}) {
  return number(path, "tokens", NumberKind::integer, get, help, rank, title);
}

const Columns<TokenDistribution>& distribution_columns() {
  using D = TokenDistribution;
  static const Columns<TokenDistribution> table = {
      whole_tokens("min", member<&D::min>, "of the smallest input"),
      whole_tokens("median", member<&D::median>, "half of the inputs have at most"),
      whole_tokens("p90", member<&D::p90>, "nine of ten inputs have at most"),
      whole_tokens("max", member<&D::max>, "of the largest input"),
      number("mean", "tokens", NumberKind::number, member<&D::mean>, "per input")};
  return table;
}

const Columns<SkippedInput>& skipped_columns() {
  using I = SkippedInput;
  static const Columns<SkippedInput> table = {
      string("input", member<&I::input>, "as named", Rank::key),
      string("reason", member<&I::reason>, "why it has no count")};
  return table;
}

// The sums of a report on inputs. Families side by side have none.
const TokenSums* totals(const TokenReport& report) {
  return report.comparison ? nullptr : &report.totals;
}

template <auto Member>
const TokenDistribution* distribution(const TokenReport& report) {
  const auto& found = report.totals.*Member;
  return report.sets && found ? &*found : nullptr;
}

Value resized(const TokenCount& tokens) {
  const auto& size = tokens.resized;
  if (!size) return {};
  return Value::size(static_cast<double>(size->width), static_cast<double>(size->height));
}

}  // namespace

const Columns<TokenItem>& token_item_columns() {
  using I = TokenItem;
  using C = TokenCount;
  static const Columns<TokenItem> table = {
      string("input", member<&I::input>, "as asked", Rank::key),
      string("family", member<&I::family>, "whose rule it is", Rank::key),
      integer("count", member<&I::count>, "inputs like this one"),
      whole_tokens("tokens.vision_encoder", member<&I::tokens, &C::vision_encoder>,
                   "that the encoder computes, padding included", Rank::first, "encoder tokens"),
      whole_tokens("tokens.vision", member<&I::tokens, &C::vision>,
                   "that the language model sees, without text separators", Rank::first, "tokens"),
      whole_tokens("tokens.text", member<&I::tokens, &C::text>,
                   "text between the frames of a video: timestamps and their marks", Rank::main,
                   "text"),
      integer("tiles", member<&I::tokens, &C::tiles>, "pieces that are encoded apart", Rank::main),
      integer("frames", member<&I::tokens, &C::frames>, "taken from a video", Rank::main),
      of_kind(ColumnKind::size, "resized", member<&I::tokens, resized>,
              "pixels that go in after resizing and padding", Rank::main),
      whole_tokens("encoder_sequence", member<&I::tokens, &C::encoder_sequence>,
                   "that attend to each other in the encoder", Rank::rest),
      string("rule", member<&I::tokens, &C::rule>, "how it is counted"),
      string("source", member<&I::tokens, &C::source>, "where the rule was read"),
  };
  return table;
}

const Columns<TokenReport>& token_columns() {
  using R = TokenReport;
  using S = TokenSums;
  static const Columns<TokenReport> table = [] {
    Columns<TokenReport> t = {
        versions<R>(),
        list<token_item_columns>("items", member<&R::items>, "one per input"),
        whole_tokens("total.vision_encoder", member<totals, &S::vision_encoder>,
                     "of all inputs, in the encoder")
            .after_last_row(),
        whole_tokens("total.vision", member<totals, &S::vision>,
                     "of all inputs, in the language model")
            .after_last_row(),
        integer("inputs", member<totals, &S::inputs>, "counted, each as often as it stands there")
            .after_last_row(),
        optional_part<distribution_columns, distribution<&S::encoder_distribution>>(
            "distribution.vision_encoder")
            .after_last_row(),
        optional_part<distribution_columns, distribution<&S::vision_distribution>>(
            "distribution.vision")
            .after_last_row(),
        list<skipped_columns>("skipped", member<&R::skipped>, "without a count")};
    t.make_optional("distribution");
    return t;
  }();
  return table;
}

}  // namespace trcost::study

// SPDX-License-Identifier: Apache-2.0
#include "study/sweep/axis_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "quantity/layers.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

// Listed values of an axis; longer linear ranges are computed as they are needed.
constexpr std::size_t kMostListed = 1'000'000;
constexpr double kMostValues = 1e15;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
constexpr std::size_t kQuotedLength = 80;

std::string_view trim_axis(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  while (!text.empty() && kSpace.find(text.front()) != kSpace.npos) text.remove_prefix(1);
  while (!text.empty() && kSpace.find(text.back()) != kSpace.npos) text.remove_suffix(1);
  return text;
}

// The smallest power of ten that makes both numbers whole, or 0.
double decimal_scale(double a, double b) {
  constexpr double kLargestScale = 1e9;
  constexpr double kRounding = 1e-12;
  for (double scale = 1; scale <= kLargestScale; scale *= 10) {
    const auto whole = [&](double value) {
      const double scaled = value * scale;
      return std::abs(scaled) < kExactIntegers &&
             std::abs(scaled - std::round(scaled)) <= kRounding * std::abs(scaled);
    };
    if (whole(a) && whole(b)) return scale;
  }
  return 0;
}

// A field by its path, or by its flag with or without the dashes.
const FieldInfo& varied_field(std::string_view word) {
  std::vector<std::string> flags;
  for (const FieldInfo& info : fields()) {
    if (word == info.flag || word == info.flag.substr(2)) return info;
    flags.emplace_back(info.flag.substr(2));
  }
  const bool path = word.find('.') != std::string_view::npos;
  const std::string hint = path ? std::string() : did_you_mean(word, flags);
  if (hint.empty()) return require_field(word);
  throw Error(ErrorKind::usage,
              fmt::format("unknown scenario field \"{}\"", word.substr(0, kQuotedLength)), hint,
              "--vary");
}

// Without the noise of repeated multiplication: the nearest decimal of 14 digits, or the whole
// number where it is all but one.
double clean(double value) {
  constexpr double kRounding = 1e-9;
  const double whole = std::round(value);
  if (std::abs(value - whole) <= kRounding * value) return whole;
  const std::string text = fmt::format("{:.13e}", value);
  double out = value;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace

}  // namespace trcost::study

namespace trcost {

SweepAxis SweepAxis::parse(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw Error(
        ErrorKind::usage, fmt::format("\"{}\" names no values", text.substr(0, kQuotedLength)),
        "write PATH=VALUES, like hardware.gpus=8..512:x2 or train.precision=bf16,fp8", "--vary");
  }
  const FieldInfo& field = varied_field(trim_axis(text.substr(0, equals)));
  return SweepAxisParser(field, text).parse(trim_axis(text.substr(equals + 1)));
}

}  // namespace trcost

namespace trcost::study {

SweepAxisParser::SweepAxisParser(const FieldInfo& field, std::string_view argument)
    : location_(fmt::format("--vary {}{}", argument.substr(0, kQuotedLength),
                            argument.size() > kQuotedLength ? "..." : "")) {
  axis_.field_ = &field;
}

void SweepAxisParser::refuse(std::string message, std::string hint) const {
  throw Error(ErrorKind::usage, std::move(message), std::move(hint), location_);
}

SweepAxis SweepAxisParser::parse(std::string_view values) {
  if (values.empty()) refuse("the axis is empty", "name at least one value after =");
  if (values.starts_with('@')) {
    add_file(std::string(values.substr(1)));
  } else {
    add_list(values);
  }
  check();
  return std::move(axis_);
}

void SweepAxisParser::add_list(std::string_view items) {
  while (true) {
    const std::size_t comma = std::min(items.find(','), items.size());
    const std::string_view item = trim_axis(items.substr(0, comma));
    if (item.empty()) refuse("there is an empty value in the list", "write a,b,c");
    add_item(item);
    if (comma == items.size()) return;
    items.remove_prefix(comma + 1);
  }
}

void SweepAxisParser::add_file(const std::string& path) {
  const std::string text = read_text_file(path);
  std::string_view rest = text;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  std::size_t number = 0;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trim_axis(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    location_ = fmt::format("{}:{}", path, number);
    add_item(line);
  }
  location_ = path;
  if (axis_.size() == 0) refuse("the file holds no values", "write one value per line");
}

void SweepAxisParser::add_item(std::string_view item) {
  if (!axis_.numeric()) {
    add_word(item);
    return;
  }
  const std::size_t dots = item.find("..");
  if (dots != std::string_view::npos) {
    add_range(item, dots);
    return;
  }
  try {
    add_number(parse_number(item, number_kind(axis_.field_->kind)));
  } catch (const Error& error) {
    if (!error.location.empty()) throw;
    refuse(error.message, error.hint);
  }
}

void SweepAxisParser::add_word(std::string_view word) {
  const FieldInfo& field = *axis_.field_;
  if (field.kind == FieldKind::list && word.find(',') != std::string_view::npos) {
    refuse(fmt::format("\"{}\" is more than one name", word), "write one name per line");
  }
  scratch_.set(field, word, location_);
  axis_.words_.emplace_back(scratch_.text(field.field));
  if (axis_.words_.size() > kMostListed) {
    refuse(fmt::format("more than {} values", kMostListed), "split the sweep");
  }
}

void SweepAxisParser::add_range(std::string_view item, std::size_t dots) {
  const std::size_t colon = item.find(':', dots);
  if (colon == std::string_view::npos) {
    refuse(fmt::format("\"{}\" has no step", item),
           fmt::format("write {0}:STEP for equal steps, or {0}:x2 to double", item));
  }
  const std::string_view step = trim_axis(item.substr(colon + 1));
  const bool geometric = step.starts_with('x') || step.starts_with('*');
  const NumberKind kind = number_kind(axis_.field_->kind);
  double first = 0;
  double last = 0;
  double by = 0;
  try {
    first = parse_number(item.substr(0, dots), kind);
    last = parse_number(item.substr(dots + 2, colon - dots - 2), kind);
    by = geometric ? parse_number(step.substr(1), NumberKind::number) : parse_number(step, kind);
  } catch (const Error& error) {
    refuse(error.message, error.hint);
  }
  if (first > last) {
    const bool shrinks = geometric && by > 0 && by < 1;
    refuse("the range runs downwards, so it is empty",
           fmt::format("swap its ends: {}..{}:{}", item.substr(dots + 2, colon - dots - 2),
                       item.substr(0, dots),
                       shrinks ? "x" + format_exact(clean(1 / by)) : std::string(step)));
  }
  if (geometric) {
    add_geometric(first, last, by);
  } else {
    add_linear(first, last, by);
  }
}

void SweepAxisParser::add_linear(double first, double last, double step) {
  if (!(step > 0)) refuse("a step of 0 never ends", "give a step above 0");
  if (axis_.field_->kind == FieldKind::integer) {
    for (const double value : {first, last, first + step}) refuse_part("step", value);
  }
  for (const double end : {first, last}) scratch_.set_number(*axis_.field_, end, location_);
  SweepAxis::Linear linear;
  linear.scale = decimal_scale(first, step);
  const double scale = linear.scale > 0 ? linear.scale : 1;
  linear.start = linear.scale > 0 ? std::round(first * scale) : first;
  linear.step = linear.scale > 0 ? std::round(step * scale) : step;
  linear.last = last;
  // `last` is meant to be included although it is not quite what the steps add up to.
  constexpr double kRounding = 1e-9;
  const double steps = std::floor((last * scale - linear.start) / linear.step + kRounding);
  if (steps >= kMostValues) {
    refuse(fmt::format("the range has {:.3g} values", steps), "give a larger step");
  }
  linear.count = static_cast<std::uint64_t>(steps) + 1;
  SweepAxis range;
  range.field_ = axis_.field_;
  range.linear_ = linear;
  if (linear.count > kMostListed) {
    if (axis_.size() > 0) refuse_long();
    axis_ = std::move(range);
    return;
  }
  for (std::uint64_t at = 0; at < linear.count; ++at) add_number(range.number(at));
}

void SweepAxisParser::refuse_long() const {
  refuse(fmt::format("a range of more than {} values cannot be part of a list", kMostListed),
         "give it alone, or a larger step");
}

void SweepAxisParser::add_geometric(double first, double last, double factor) {
  if (!(factor > 1)) {
    refuse(fmt::format("a factor of {} never ends", format_exact(factor)),
           "give a factor above 1, like x2 or x10");
  }
  if (!(first > 0)) refuse("a geometric range cannot start at 0", "start it above 0");
  constexpr double kRounding = 1e-9;
  const double end = last * (1 + kRounding);
  for (double value = first; value <= end; value *= factor) {
    const double next = std::min(last, clean(value));
    if (axis_.field_->kind == FieldKind::integer) refuse_part("factor", next);
    add_number(next);
  }
}

void SweepAxisParser::refuse_part(std::string_view what, double value) const {
  if (value == std::round(value)) return;
  refuse(fmt::format("the {} gives {}, and {} has to be a whole number", what, format_exact(value),
                     axis_.field_->path),
         fmt::format("give a whole {}, or list the values", what));
}

void SweepAxisParser::add_number(double value) {
  if (axis_.linear_) refuse_long();
  scratch_.set_number(*axis_.field_, value, location_);
  axis_.numbers_.push_back(value);
  if (axis_.numbers_.size() > kMostListed) {
    refuse(fmt::format("more than {} values", kMostListed), "give a larger step or factor");
  }
}

void SweepAxisParser::check() const {
  const auto refuse_repeat = [&](std::string_view value) {
    refuse(fmt::format("{} stands twice on the axis", value), "name each value once");
  };
  std::vector<double> numbers = axis_.numbers_;
  std::ranges::sort(numbers);
  const auto number = std::ranges::adjacent_find(numbers);
  if (number != numbers.end()) refuse_repeat(format_exact(*number));
  std::vector<std::string_view> words(axis_.words_.begin(), axis_.words_.end());
  std::ranges::sort(words);
  const auto word = std::ranges::adjacent_find(words);
  if (word != words.end()) refuse_repeat(*word);
}

}  // namespace trcost::study

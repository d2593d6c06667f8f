// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "quantity/layers.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "study/sweep/axis.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

// Values of an axis that are listed. Longer linear ranges are computed as they are needed.
constexpr std::size_t kMostListed = 1'000'000;
constexpr double kMostValues = 1e15;
constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
constexpr std::size_t kQuotedLength = 80;

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
  if (const FieldInfo* info = find_flag(word)) return *info;
  std::vector<std::string> flags;
  for (const FieldInfo& info : fields()) flags.emplace_back(info.flag.substr(2));
  const bool path = word.find('.') != std::string_view::npos;
  const std::string hint = path ? std::string() : did_you_mean(word, flags);
  if (hint.empty()) return require_field(word);
  throw Error(ErrorKind::usage,
              fmt::format("unknown scenario field \"{}\"", word.substr(0, kQuotedLength)), hint,
              "--vary");
}

// The nearest decimal of 14 digits, or a whole number within 1e-9, which removes the rounding
// errors of repeated multiplication.
double round_to_decimal(double value) {
  constexpr double kRounding = 1e-9;
  const double whole = std::round(value);
  if (std::abs(value - whole) <= kRounding * value) return whole;
  const std::string text = fmt::format("{:.13e}", value);
  double out = value;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

// Reads the values of one axis.
class SweepAxisParser {
 public:
  SweepAxisParser(const FieldInfo& field, std::string_view argument)
      : field_(field),
        location_(fmt::format("--vary {}{}", argument.substr(0, kQuotedLength),
                              argument.size() > kQuotedLength ? "..." : "")) {}

  // Reads the text after `PATH=`.
  SweepAxis parse(std::string_view values) {
    if (values.empty()) refuse("the axis is empty", "name at least one value after =");
    if (values.starts_with('@')) {
      add_file(std::string(values.substr(1)));
    } else {
      add_list(values);
    }
    refuse_repeats();
    if (range_) return {field_, *range_};
    return is_numeric(field_.kind) ? SweepAxis(field_, std::move(numbers_))
                                   : SweepAxis(field_, std::move(words_));
  }

 private:
  [[noreturn]] void refuse(std::string message, std::string hint) const {
    throw Error(ErrorKind::usage, std::move(message), std::move(hint), location_);
  }

  void add_list(std::string_view items) {
    while (true) {
      const std::size_t comma = std::min(items.find(','), items.size());
      const std::string_view item = trim(items.substr(0, comma));
      if (item.empty()) refuse("there is an empty value in the list", "write a,b,c");
      add_item(item);
      if (comma == items.size()) return;
      items.remove_prefix(comma + 1);
    }
  }

  void add_file(const std::string& path) {
    const std::string text = read_text_file(path);
    std::string_view rest = text;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    std::size_t number = 0;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = trim(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++number;
      if (line.empty() || line.starts_with('#')) continue;
      location_ = fmt::format("{}:{}", path, number);
      add_item(line);
    }
    location_ = path;
    if (empty()) refuse("the file holds no values", "write one value per line");
  }

  void add_item(std::string_view item) {
    if (!is_numeric(field_.kind)) {
      add_word(item);
      return;
    }
    const std::size_t dots = item.find("..");
    if (dots != std::string_view::npos) {
      add_range(item, dots);
      return;
    }
    try {
      add_number(parse_number(item, number_kind(field_.kind)));
    } catch (const Error& error) {
      if (!error.location.empty()) throw;
      refuse(error.message, error.hint);
    }
  }

  void add_word(std::string_view word) {
    if (field_.kind == FieldKind::list && word.find(',') != std::string_view::npos) {
      refuse(fmt::format("\"{}\" is more than one name", word), "write one name per line");
    }
    scratch_.set(field_, word, location_);
    words_.emplace_back(scratch_.text(field_.field));
    if (words_.size() > kMostListed) {
      refuse(fmt::format("more than {} values", kMostListed), "split the sweep");
    }
  }

  void add_range(std::string_view item, std::size_t dots) {
    const std::size_t colon = item.find(':', dots);
    if (colon == std::string_view::npos) {
      refuse(fmt::format("\"{}\" has no step", item),
             fmt::format("write {0}:STEP for equal steps, or {0}:x2 to double", item));
    }
    const std::string_view step = trim(item.substr(colon + 1));
    const bool geometric = step.starts_with('x') || step.starts_with('*');
    const NumberKind kind = number_kind(field_.kind);
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
      refuse(
          "the range runs downwards, so it is empty",
          fmt::format("swap its ends: {}..{}:{}", item.substr(dots + 2, colon - dots - 2),
                      item.substr(0, dots),
                      shrinks ? "x" + format_exact(round_to_decimal(1 / by)) : std::string(step)));
    }
    if (geometric) {
      add_geometric(first, last, by);
    } else {
      add_linear(first, last, by);
    }
  }

  void add_linear(double first, double last, double step) {
    if (!(step > 0)) refuse("a step of 0 never ends", "use a step above 0");
    if (field_.kind == FieldKind::integer) {
      for (const double value : {first, last, first + step}) require_whole("step", value);
    }
    for (const double end : {first, last}) scratch_.set_number(field_, end, location_);
    SweepAxis::Range range;
    range.scale = decimal_scale(first, step);
    const double scale = range.scale > 0 ? range.scale : 1;
    range.start = range.scale > 0 ? std::round(first * scale) : first;
    range.step = range.scale > 0 ? std::round(step * scale) : step;
    range.last = last;
    // `last` is meant to be included although it is not quite what the steps add up to.
    constexpr double kRounding = 1e-9;
    const double steps = std::floor((last * scale - range.start) / range.step + kRounding);
    if (steps >= kMostValues) {
      refuse(fmt::format("the range has {:.3g} values", steps), "use a larger step");
    }
    range.count = static_cast<std::uint64_t>(steps) + 1;
    if (range.count > kMostListed) {
      if (!empty()) refuse_long();
      range_ = range;
      return;
    }
    const SweepAxis values(field_, range);
    for (std::uint64_t at = 0; at < range.count; ++at) add_number(values.number(at));
  }

  void refuse_long() const {
    refuse(fmt::format("a range of more than {} values cannot be part of a list", kMostListed),
           "set it alone, or a larger step");
  }

  void add_geometric(double first, double last, double factor) {
    if (!(factor > 1)) {
      refuse(fmt::format("a factor of {} never ends", format_exact(factor)),
             "use a factor above 1, like x2 or x10");
    }
    if (!(first > 0)) refuse("a geometric range cannot start at 0", "start it above 0");
    constexpr double kRounding = 1e-9;
    const double end = last * (1 + kRounding);
    for (double value = first; value <= end; value *= factor) {
      const double next = std::min(last, round_to_decimal(value));
      if (field_.kind == FieldKind::integer) require_whole("factor", next);
      add_number(next);
    }
  }

  void require_whole(std::string_view what, double value) const {
    if (value == std::round(value)) return;
    refuse(fmt::format("the {} gives {}, and {} has to be a whole number", what,
                       format_exact(value), field_.path),
           fmt::format("use a whole {}, or list the values", what));
  }

  void add_number(double value) {
    if (range_) refuse_long();
    scratch_.set_number(field_, value, location_);
    numbers_.push_back(value);
    if (numbers_.size() > kMostListed) {
      refuse(fmt::format("more than {} values", kMostListed), "use a larger step or factor");
    }
  }

  void refuse_repeats() const {
    const auto refuse_repeat = [&](std::string_view value) {
      refuse(fmt::format("{} stands twice on the axis", value), "name each value once");
    };
    std::vector<double> numbers = numbers_;
    std::ranges::sort(numbers);
    const auto number = std::ranges::adjacent_find(numbers);
    if (number != numbers.end()) refuse_repeat(format_exact(*number));
    std::vector<std::string_view> words(words_.begin(), words_.end());
    std::ranges::sort(words);
    const auto word = std::ranges::adjacent_find(words);
    if (word != words.end()) refuse_repeat(*word);
  }

  [[nodiscard]] bool empty() const { return numbers_.empty() && words_.empty() && !range_; }

  const FieldInfo& field_;
  std::vector<double> numbers_;
  std::vector<std::string> words_;
  std::optional<SweepAxis::Range> range_;
  std::string location_;  // as typed, for messages
  Scenario scratch_;      // checks values
};

}  // namespace

SweepAxis SweepAxis::parse(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw Error(
        ErrorKind::usage, fmt::format("\"{}\" names no values", text.substr(0, kQuotedLength)),
        "write PATH=VALUES, like hardware.gpus=8..512:x2 or train.precision=bf16,fp8", "--vary");
  }
  const std::string_view name = trim(text.substr(0, equals));
  const std::string_view values = trim(text.substr(equals + 1));
  const bool count = !values.empty() && values.find_first_not_of("0123456789,.:x") == values.npos;
  if (count && name == kAcceleratorAlias.substr(2)) {
    throw Error(ErrorKind::usage, "gpu takes names of accelerators, not numbers",
                "did you mean \"gpus\"?", "--vary");
  }
  return SweepAxisParser(varied_field(name), text).parse(values);
}

}  // namespace trcost::study

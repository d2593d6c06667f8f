// SPDX-License-Identifier: Apache-2.0
#include "quantity/suggest.h"

#include <algorithm>

namespace trcost::quantity {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

namespace {

// Names are typed with blanks and underscores for hyphens.
std::string hyphenated(std::string_view text) {
  std::string out = lower_case(text);
  std::ranges::replace_if(
      out, [](char c) { return c == '_' || c == ' '; }, '-');
  return out;
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::vector<std::string_view> split_text(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void append_item(std::string& list, std::string_view item, std::string_view separator) {
  if (!list.empty()) list += separator;
  list += item;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return lower_case(c); });
  return out;
}

bool is_number_with_unit(std::string_view text, std::string_view units) {
  const std::size_t unit = text.find_first_not_of("0123456789.");
  return unit > 0 && unit + 1 == text.size() && units.find(text[unit]) != units.npos;
}

std::string nearest_name(std::string_view typed, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestTyped = 100;  // longer text is no mistyped name
  if (typed.empty() || typed.size() > kLongestTyped) return {};
  const std::string wanted = hyphenated(typed);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& name : known) {
    std::size_t distance = edit_distance(wanted, hyphenated(name));
    // `h100` for `h100-sxm`: the start of a name is nearer than its distance says.
    if (wanted.size() >= 3 && name.starts_with(wanted))
      distance = std::min<std::size_t>(distance, 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  const std::string name = nearest_name(typed, known);
  return name.empty() ? std::string() : "did you mean \"" + name + "\"?";
}

namespace {

// The folded form of a character, 0 for none.
char folded(char c) {
  const char low = lower_case(c);
  return (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9') ? low : '\0';
}

// The next folded character from `at` on, 0 at the end. Moves `at` behind it.
char next_folded(std::string_view text, std::size_t& at) {
  while (at < text.size()) {
    if (const char c = folded(text[at++]); c != '\0') return c;
  }
  return '\0';
}

}  // namespace

std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (const char kept = folded(c); kept != '\0') out += kept;
  }
  return out;
}

bool same_folded(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (true) {
    const char x = next_folded(a, i);
    if (x != next_folded(b, j)) return false;
    if (x == '\0') return true;
  }
}

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Number of folded characters before each mark between two digits, for decimal points alone or for
/// all marks.
std::vector<std::size_t> marks_in_numbers(std::string_view text, bool points_alone) {
  std::vector<std::size_t> out;
  std::size_t before = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (folded(text[i]) != '\0') {
      ++before;
    } else if (i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]) &&
               (!points_alone || text[i] == '.')) {
      out.push_back(before);
    }
  }
  return out;
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  const auto has_points_of = [](std::string_view one, std::string_view other) {
    return std::ranges::includes(marks_in_numbers(one, false), marks_in_numbers(other, true));
  };
  return same_folded(a, b) && has_points_of(a, b) && has_points_of(b, a);
}

}  // namespace trcost::quantity

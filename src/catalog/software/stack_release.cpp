// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "catalog/hardware/efficiency.h"

namespace trcost::catalog {

namespace {

constexpr double kMonths = 12;

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The middle of the month.
std::optional<double> month(std::string_view year, std::string_view of_year, int century) {
  const std::optional<int> y = whole(year);
  const std::optional<int> m = whole(of_year);
  if (!y || !m || *m < 1 || *m > kMonths) return std::nullopt;
  return century + *y + (*m - 0.5) / kMonths;
}

}  // namespace

std::optional<double> release_month(std::string_view release) {
  if (release.size() == 7 && release[4] == '-') {
    return month(release.substr(0, 4), release.substr(5), 0);
  }
  if (release.size() >= 5 && release[2] == '.' && (release.size() == 5 || release[5] == '.')) {
    return month(release.substr(0, 2), release.substr(3, 2), 2000);
  }
  return std::nullopt;
}

std::string month_words(double year) {
  const double whole = std::floor(year);
  return fmt::format("{:.0f}-{:02.0f}", whole, std::floor((year - whole) * kMonths) + 1);
}

std::optional<double> stated_year(const StackReleases& releases, std::string_view release) {
  if (releases.reference <= 0) return std::nullopt;
  std::optional<double> year = release_month(release);
  for (const auto& [name, released] : releases.names) {
    if (name == release) year = released;
  }
  if (!year || *year < releases.oldest) return std::nullopt;
  return year;
}

std::optional<double> release_year(const StackReleases& releases, std::string_view release) {
  const std::optional<double> year = stated_year(releases, release);
  return year ? std::optional(std::min(*year, releases.newest)) : std::nullopt;
}

}  // namespace trcost::catalog

// SPDX-License-Identifier: Apache-2.0
#include "study/calibrate/progress_bar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "study/calibrate/log_formats.h"

namespace trcost::study {

namespace {

constexpr std::size_t kMostBars = 256;
constexpr std::size_t kMostPoints = std::size_t{1} << 18;
constexpr double kClearSeconds = 10;  // least length of a part, since the clock has whole seconds
constexpr int kMostParts = 10;

// Takes a whole number from the front.
std::optional<double> read_leading_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return static_cast<double>(value);
}

bool skip_char(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

// `mm:ss`, `h:mm:ss` or `d:hh:mm:ss`.
std::optional<double> read_leading_clock(std::string_view& text) {
  std::optional<double> seconds = read_leading_number(text);
  bool parts = false;
  while (seconds && skip_char(text, ':')) {
    const std::optional<double> next = read_leading_number(text);
    if (!next || *next >= 60) return std::nullopt;
    seconds = *seconds * 60 + *next;
    parts = true;
  }
  return parts ? seconds : std::nullopt;
}

// Seconds per item of `  2.31s/it` or ` 1.49it/s` after the comma, or 0.
double printed_rate(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value) || value < 1e-9) return 0;
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with("s/it")) return value;
  return unit.starts_with("it/s") ? 1 / value : 0;
}

// Bars of training steps with a label: Lightning, llama-recipes, torchtune, OpenRLHF, verl's SFT.
bool counts_training(std::string_view label) {
  constexpr std::string_view kStarts[] = {"Epoch",      "Training Epoch", "Train epoch",
                                          "Train step", "Training",       "Episode"};
  const auto starts = [&](std::string_view start) { return label.starts_with(start); };
  return std::ranges::any_of(kStarts, starts);
}

}  // namespace

void ProgressBars::read(std::string_view line) {
  const std::size_t percent = line.find("%|");
  const std::size_t bar = percent == std::string_view::npos ? percent : line.rfind("| ");
  if (bar == std::string_view::npos || bar <= percent) return;
  std::string_view label =
      line.substr(0, line.find_last_not_of("0123456789", percent - (percent > 0)) + 1);
  label.remove_prefix(std::min(label.find_first_not_of(" \t"), label.size()));
  label = label.substr(0, label.find_last_not_of(" \t:") + 1);
  if (label.find("|Loss") != label.npos) label = {};  // torchtune
  if (!label.empty() && !counts_training(label)) return;
  const bool lightning = label.starts_with("Epoch ") && label.find(':') == label.npos;
  if (!lightning) {
    // Without the numbers that change from step to step: `Training Epoch` of
    // `Training Epoch: 2/3, step 49/50 completed (loss: 1.03)`.
    label = label.substr(0, label.find_first_of("0123456789"));
    label = label.substr(0, label.find_last_not_of(" :[(|") + 1);
  }
  std::string_view rest = line.substr(bar + 2);
  const std::optional<double> count = read_leading_number(rest);
  if (!count || !skip_char(rest, '/')) return;
  const std::optional<double> total = read_leading_number(rest);
  if (!total || !skip_char(rest, ' ') || !skip_char(rest, '[')) return;
  const std::optional<double> seconds = read_leading_clock(rest);
  if (!seconds) return;
  const std::size_t comma = rest.find(',');
  // A bar that does not end in a bracket is cut off.
  const bool whole = rest.find(']') != std::string_view::npos;
  const double each =
      whole && comma != std::string_view::npos ? printed_rate(rest.substr(comma + 1)) : 0;
  auto known = std::ranges::find_if(
      bars_, [&](const Bar& b) { return b.label == label && b.total == *total; });
  if (known == bars_.end()) {
    if (bars_.size() == kMostBars) return;
    known = bars_.insert(bars_.end(), {std::string(label), *total, {}});
  }
  // Lightning's `global_step`, which the bar counts itself unless batches are added up.
  const auto step = labelled_number(rest, "global_step", true);
  known->global_steps = step && *step > 1 && std::abs(*step - *count) <= 1;
  std::vector<Point>& points = known->points;
  if (points.size() == kMostPoints) return;
  if (!points.empty() && *count <= points.back().count) {
    if (*count == points.back().count) return;
    points.clear();  // another run of the same bar
  }
  points.push_back({*count, *seconds, each});
}

const ProgressBars::Bar* ProgressBars::longest() const {
  const Bar* best = nullptr;
  for (const Bar& bar : bars_) {
    if (bar.points.back().count < 1) continue;
    if (best == nullptr || bar.points.back().seconds > best->points.back().seconds) best = &bar;
  }
  return best;
}

bool ProgressBars::counts_epochs() const {
  const Bar* bar = longest();
  return bar != nullptr && bar->label.starts_with("Epoch") && !bar->global_steps;
}

BarSpeed ProgressBars::speed() const {
  BarSpeed out;
  const Bar* bar = longest();
  if (bar == nullptr) return out;
  const std::vector<Point>& points = bar->points;
  out.steps = static_cast<int>(std::min(points.back().count, 1e9));
  const double warm = 0.1 * points.back().count;
  const auto first =
      std::ranges::find_if(points, [&](const Point& p) { return p.count >= warm && p.count >= 1; });
  std::vector<double> parts;
  const double part =
      std::max(kClearSeconds, (points.back().seconds - first->seconds) / kMostParts);
  for (auto from = first, to = first; to != points.end(); ++to) {
    if (to->seconds - from->seconds < part) continue;
    parts.push_back((to->seconds - from->seconds) / (to->count - from->count));
    from = to;
  }
  if (parts.empty()) {
    for (const Point& point : points) {
      if (point.each > 0 && point.count >= warm) parts.push_back(point.each);
    }
  }
  if (parts.empty()) return out;
  std::ranges::sort(parts);
  out.seconds = parts[parts.size() / 2];
  out.scatter = (parts.back() - parts.front()) / 2 / out.seconds;
  return out;
}

}  // namespace trcost::study

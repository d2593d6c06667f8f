// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "study/solve/solve_probe.h"

namespace trcost::study {

namespace {

struct Bracket {
  Probe inside;   ///< meets the target
  Probe outside;  ///< does not
};

// Where a line through the ends of a bracket meets the target. An end that stays for a second time
// counts half, so that both ends move (the Illinois rule, Dowell and Jarratt, BIT 11, 1971).
class Interpolation {
 public:
  explicit Interpolation(double target) : target_(target) {}

  // Empty where an end has no answer, or where the line has helped little: at a jump.
  [[nodiscard]] std::optional<double> next(const Bracket& bracket) const {
    if (failures_ >= kMostFailures || !bracket.inside.achieved || !bracket.outside.achieved) {
      return std::nullopt;
    }
    const double inside = inside_weight_ * (*bracket.inside.achieved - target_);
    const double outside = outside_weight_ * (*bracket.outside.achieved - target_);
    if (inside == outside) return std::nullopt;
    const double x =
        bracket.inside.x - inside * (bracket.outside.x - bracket.inside.x) / (outside - inside);
    return std::isfinite(x) ? std::optional(x) : std::nullopt;
  }

  // `moved_inside`: the end that the last point replaced. `shrunk`: width after over before.
  void learn(bool moved_inside, double shrunk) {
    const bool again = moved_inside == moved_inside_ && any_;
    inside_weight_ = again && !moved_inside ? inside_weight_ / 2 : 1;
    outside_weight_ = again && moved_inside ? outside_weight_ / 2 : 1;
    failures_ += again && shrunk > 0.5 ? 1 : 0;
    moved_inside_ = moved_inside;
    any_ = true;
  }

 private:
  static constexpr int kMostFailures = 6;
  double target_;
  double inside_weight_ = 1, outside_weight_ = 1;
  bool moved_inside_ = false, any_ = false;
  int failures_ = 0;  ///< points that left more than half of the bracket
};

// Narrows a bracket to adjacent whole numbers, or to the share `finest` of its end. Where nothing
// beyond can be planned, a percent is enough to tell how far it goes.
void narrow(Prober& prober, Bracket& bracket, bool whole, double finest) {
  constexpr int kMostSteps = 200;
  constexpr double kEdge = 0.01;
  Interpolation line(prober.target());
  for (int i = 0; i < kMostSteps; ++i) {
    const double low = std::min(bracket.inside.x, bracket.outside.x);
    const double high = std::max(bracket.inside.x, bracket.outside.x);
    double middle = low + (high - low) / 2;
    if (whole) middle = std::floor(middle);
    if (middle <= low || middle >= high || (!whole && high - low <= finest * high)) return;
    if (!bracket.outside.achieved && high - low <= kEdge * high) return;
    if (const std::optional<double> x = line.next(bracket)) {
      const double end = whole ? 1 : finest / 2 * high;
      middle = std::clamp(whole ? std::floor(*x) : *x, low + end, high - end);
    }
    Probe probe = prober.at(middle);
    const bool inside = probe.meets;
    line.learn(inside, (inside ? std::abs(bracket.outside.x - middle)
                               : std::abs(bracket.inside.x - middle)) /
                           (high - low));
    (inside ? bracket.inside : bracket.outside) = std::move(probe);
  }
}

// Searches beyond the bracket, because defaults that follow the unknown in steps, such as the batch
// size, can bring the target within reach again a little further on.
bool search_beyond(Prober& prober, Bracket& bracket, double limit, bool whole) {
  constexpr std::array<double, 10> kFactors = {1.001, 1.005, 1.02, 1.05, 1.1, 1.2, 1.4, 1.7, 2, 3};
  // No such step moves an answer by this factor.
  constexpr double kTooFar = 1.2;
  const bool up = bracket.outside.x > bracket.inside.x;
  std::optional<Bracket> next;
  for (const double factor : kFactors) {
    double x = up ? bracket.inside.x * factor : bracket.inside.x / factor;
    if (whole) x = up ? std::ceil(x) : std::floor(x);
    if (up ? x > limit : x < limit) break;
    Probe probe = prober.at(x);
    const bool hopeless = !probe.meets && probe.achieved &&
                          (*probe.achieved > kTooFar * prober.target() ||
                           *probe.achieved * kTooFar < prober.target());
    if (probe.meets) {
      next = Bracket{std::move(probe), {}};
    } else if (next && next->outside.x == 0) {
      next->outside = std::move(probe);
    }
    if (hopeless) break;
  }
  if (!next || next->outside.x == 0) return false;
  bracket = std::move(*next);
  return true;
}

// The grid, of which each value is tried when it is first asked for.
class ProbedGrid {
 public:
  ProbedGrid(Prober& prober, const std::vector<double>& values)
      : prober_(prober), values_(values), probes_(values.size()) {}

  const Probe& operator[](std::size_t i) {
    if (!probes_[i]) probes_[i] = prober_.at(values_[i]);
    return *probes_[i];
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  std::vector<Probe> all() {
    std::vector<Probe> out;
    for (std::size_t i = 0; i < size(); ++i) out.push_back((*this)[i]);
    return out;
  }

 private:
  Prober& prober_;
  const std::vector<double>& values_;
  std::vector<std::optional<Probe>> probes_;
};

// Indices of adjacent grid points of which one meets the target: the last such pair if more of the
// unknown stops to meet it (rising), the first if more begins to (falling).
struct Edge {
  std::size_t inside;
  std::size_t outside;
};
std::optional<Edge> find_edge(ProbedGrid& probes) {
  const std::size_t last = probes.size() - 1;
  const bool rising = !probes[last].meets || probes[0].meets;
  if (rising) {
    for (std::size_t i = last; i-- > 0;) {
      if (probes[i].meets && !probes[i + 1].meets) return Edge{i, i + 1};
    }
    return std::nullopt;
  }
  for (std::size_t i = 1; i <= last; ++i) {
    if (probes[i].meets && !probes[i - 1].meets) return Edge{i, i - 1};
  }
  return std::nullopt;
}

// Whether all values with an answer have the same one.
bool is_constant(std::span<const Probe> probes) {
  constexpr double kSame = 1e-9;
  std::optional<double> first;
  int answers = 0;
  for (const Probe& probe : probes) {
    if (!probe.achieved) continue;
    ++answers;
    if (!first) first = probe.achieved;
    if (std::abs(*probe.achieved - *first) > kSame * std::abs(*first)) return false;
  }
  return answers > 1;
}

// Result of a grid without an edge.
Found not_solved(Prober& prober, std::span<const Probe> probes) {
  if (!prober.nearest()) prober.rethrow();
  const bool always = probes.front().meets;
  Found found;
  found.constant = is_constant(probes);
  found.probe = *prober.nearest();
  found.problem = always ? "every allowed value meets the target without reaching it"
                         : "no allowed value reaches the target";
  return found;
}

}  // namespace

Found solve_by_bracket(Prober& prober, const std::vector<double>& grid, bool whole, double finest,
                       Beyond beyond) {
  ProbedGrid probes(prober, grid);
  const std::optional<Edge> edge = find_edge(probes);
  if (!edge) return not_solved(prober, probes.all());
  Bracket bracket{probes[edge->inside], probes[edge->outside]};
  const double limit = grid[edge->inside < edge->outside ? grid.size() - 1 : 0];
  constexpr int kMostSteps = 6;
  for (int i = 0; i < kMostSteps; ++i) {
    narrow(prober, bracket, whole, finest);
    if (beyond == Beyond::known || !search_beyond(prober, bracket, limit, whole)) break;
  }
  narrow(prober, bracket, whole, finest);
  Found found;
  found.probe = bracket.inside;
  // If the far side has no answer, the target did not stop the search.
  found.solved = bracket.outside.achieved.has_value();
  if (!found.solved) {
    const std::vector<Probe> all = probes.all();
    const bool up = bracket.outside.x > bracket.inside.x;
    const bool nothing = std::ranges::none_of(all, [&](const Probe& probe) {
      return probe.achieved && (up ? probe.x > bracket.outside.x : probe.x < bracket.outside.x);
    });
    found.constant = is_constant(all);
    found.problem = nothing
                        ? "no larger value can be planned, and this one does not reach the target"
                        : "the next value cannot be planned, and no earlier one reaches the target";
  } else if (whole) {
    found.beyond = bracket.outside;
  }
  return found;
}

}  // namespace trcost::study

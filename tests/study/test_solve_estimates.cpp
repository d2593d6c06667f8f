// SPDX-License-Identifier: Apache-2.0
// A solver's work is bounded whatever it is asked.
#include <cmath>
#include <random>

#include "catalog_fixture.h"
#include "catch.h"
#include "estimate/columns/estimate_columns.h"
#include "quantity/quantity.h"
#include "repeats.h"
#include "trcost/error.h"
#include "trcost/solve.h"

using namespace trcost;

namespace {

class Dice {
 public:
  explicit Dice(unsigned seed) : generator_(seed) {}
  double share() { return static_cast<double>(generator_()) / 4294967296.0; }
  bool one_in(int n) { return generator_() % static_cast<unsigned>(n) == 0; }
  /// Evenly over the logarithm.
  double between(double low, double high) { return low * std::pow(high / low, share()); }

 private:
  std::mt19937 generator_;
};

/// Any question that the command line accepts, sensible or not.
SolveRequest question(Dice& dice) {
  SolveRequest out;
  Scenario& s = out.base;
  s.set_number(Field::model_params, std::floor(dice.between(1e7, 3e11)));
  if (dice.one_in(2)) s.set_number(Field::data_tokens, std::floor(dice.between(1e6, 1e15)));
  if (dice.one_in(3)) s.set_number(Field::cost_price_per_gpu_hour, dice.between(0.01, 1e4));
  if (dice.one_in(3)) s.set_number(Field::data_seq_length, std::floor(dice.between(128, 1e6)));
  const bool sized = dice.one_in(2);
  if (sized) s.set_number(Field::hardware_gpus, std::floor(dice.between(1, 1e5)));
  const bool time = dice.one_in(3);
  out.target = time ? solve_target("wall_clock_seconds", dice.between(60, 3e8))
                    : solve_target("cost.total", dice.between(1, 1e12));
  const Field unknowns[] = {Field::data_tokens, Field::model_params, Field::hardware_gpus,
                            Field::data_seq_length, Field::cost_price_per_gpu_hour};
  out.unknown = &field_info(unknowns[static_cast<int>(5 * dice.share())]);
  return out;
}

}  // namespace

TEST_CASE("a solve makes no more estimates than stated", "[solve][property]") {
  Dice dice(20261122);
  const int rounds = repeats(25);
  int answered = 0;
  for (int i = 0; i < rounds; ++i) {
    const SolveRequest request = question(dice);
    const char* chip = dice.one_in(2) ? "h100-sxm" : "gb200-nvl72";
    INFO(i << ": " << request.unknown->path << " for " << request.target.column->path << " "
           << request.target.value << " on " << chip);
    try {
      const Solution found = Solver(test_catalog()).solve(request, chip);
      CHECK(found.estimates > 0);
      CHECK(found.estimates <= kMostEstimates);
      ++answered;
    } catch (const Error& error) {
      CHECK(error.kind != ErrorKind::data);
    }
  }
  CHECK(answered > rounds / 5);
}

// SPDX-License-Identifier: Apache-2.0
#include "trcost/estimate.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "catalog/assumed.h"
#include "estimate/answer/answer.h"
#include "estimate/answer/job.h"
#include "estimate/cluster/memory_hint.h"
#include "estimate/question/question_builder.h"
#include "planner/plan.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "quantity/statistics.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost {

struct Estimator::State {
  State(const Catalog& catalog_, EstimateOptions options_)
      : catalog(catalog_), options(std::move(options_)), questions(catalog_) {}

  const Catalog& catalog;
  EstimateOptions options;
  std::vector<Failure> failures;
  QuestionBuilder questions;

  /// One round of a job into `out`, and what its range is drawn from to `ranges` where one is
  /// wanted. `pace` where its speed was measured.
  void round(const Scenario& asked, std::string_view accelerator, const Pace* pace,
             std::vector<RangeInputs>& ranges, Estimate& out);
  /// The cluster, layout and time. An Error of too little memory names settings that fit.
  PlannedRun plan(const Scenario& asked, std::string_view accelerator, const Question& question,
                  Notes& notes) const;
  /// Draws the range of an answer.
  void draw(std::vector<RangeInputs> ranges, Estimate& out) const;
};

void Estimator::State::round(const Scenario& asked, std::string_view accelerator, const Pace* pace,
                             std::vector<RangeInputs>& ranges, Estimate& out) {
  Notes notes(options.assumptions), last(options.assumptions);
  const Question question = questions.build(asked, accelerator, notes, last);
  PlannedRun run = plan(asked, accelerator, question, notes);
  if (pace != nullptr) set_pace(*pace, run);
  notes.append(std::move(last));
  answer(question, run, options, notes, out);
  if (!options.range) return;
  const Trial trial = [&](const FieldInfo& field, double value) {
    Scenario other = asked;
    other.set_number(Field::hardware_gpus, out.gpus);
    other.set_number(field, value, field.flag);
    Estimate found;
    EstimateOptions least;
    least.assumptions = least.range = false;
    Estimator(catalog, least).run_one(other, accelerator, found);
    return found;
  };
  ranges.push_back(range_inputs(question, run, out, trial));
}

PlannedRun Estimator::State::plan(const Scenario& asked, std::string_view accelerator,
                                  const Question& question, Notes& notes) const {
  try {
    return plan_run(question, notes);
  } catch (const planner::TooLarge& error) {
    if (!options.assumptions) throw;
    constexpr double kMostForHints = planner::kMostLayoutsOfEstimate / 4;
    const double before = planner::layouts_considered();
    const std::string remedies = memory_remedies(asked, [&](const Scenario& other) {
      if (planner::layouts_considered() - before > kMostForHints) {
        return std::optional<MemoryUse>();
      }
      try {
        Estimate found;
        Estimator(catalog, {.assumptions = false, .derivations = false, .range = false})
            .run_one(other, accelerator, found);
        if (found.memory.fits) return std::optional(found.memory);
        return std::optional<MemoryUse>();
      } catch (const Error&) {
        return std::optional<MemoryUse>();
      }
    });
    std::string hint = error.hint;
    if (!remedies.empty()) {
      const std::optional<double> gpus = asked.number(Field::hardware_gpus);
      hint += fmt::format(". On {}, {}",
                          gpus ? fmt::format("{} GPU{}", format_exact(*gpus), *gpus == 1 ? "" : "s")
                               : std::string("the same number of GPUs"),
                          remedies);
    }
    for (std::string warning : notes.warnings) {
      warning[0] = quantity::upper_case(warning[0]);
      hint += ". " + warning;
    }
    throw Error(error.kind, error.message, hint);
  }
}

void Estimator::State::draw(std::vector<RangeInputs> ranges, Estimate& out) const {
  if (ranges.empty()) return;
  out.range = compute_range(std::move(ranges));
  if (!options.derivations) return;
  for (Derivation& step : derive_range(out.range)) out.derivations.push_back(std::move(step));
}

// Names of the stages, numbered from the second of one name: `sft`, `sft (2)`. Rows of the bill and
// phases are told apart by them.
std::vector<std::string> distinct_names(const std::vector<Scenario::Stage>& stages) {
  std::unordered_set<std::string> taken;
  for (const Scenario::Stage& stage : stages) taken.insert(stage.name);
  std::unordered_map<std::string, std::size_t> numbers;
  std::vector<std::string> names;
  for (const Scenario::Stage& stage : stages) {
    std::size_t& number = numbers[stage.name];
    std::string name = stage.name;
    for (++number; number > 1; ++number) {
      name = fmt::format("{} ({})", stage.name, number);
      if (taken.insert(name).second) break;
    }
    names.push_back(std::move(name));
  }
  return names;
}

// Stages by their values, so that those that differ in their names only are answered once.
class KnownStages {
 public:
  // The earlier stage with the values of stage `i`, which is added if there is none.
  std::optional<std::size_t> find_or_add(const std::vector<Scenario::Stage>& stages,
                                         std::size_t i) {
    std::vector<std::size_t>& alike = by_digest_[stages[i].overrides.digest(all_fields())];
    for (const std::size_t each : alike) {
      if (stages[each].overrides.same_values(stages[i].overrides)) return each;
    }
    alike.push_back(i);
    return std::nullopt;
  }

 private:
  static const std::vector<Field>& all_fields() {
    static const std::vector<Field> list = [] {
      std::vector<Field> out;
      for (const FieldInfo& info : fields()) out.push_back(info.field);
      return out;
    }();
    return list;
  }

  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_digest_;
};

std::vector<std::string> platforms_of(const Scenario& scenario, const Catalog& catalog) {
  std::vector<std::string> names = scenario.names(Field::hardware_accelerator);
  return names.empty() ? catalog.assumed().accelerators : names;
}

Estimator::Estimator(const Catalog& catalog, EstimateOptions options)
    : state_(new State(catalog, options)) {}

Estimator::~Estimator() = default;

const std::vector<Estimator::Failure>& Estimator::failures() const {
  return state_->failures;
}

void Estimator::run_one(const Scenario& scenario, std::string_view accelerator, Estimate& out) {
  std::vector<RangeInputs> ranges;
  if (scenario.stages.empty()) {
    state_->round(scenario, accelerator, nullptr, ranges, out);
  } else {
    std::vector<RoundAnswer> rounds;
    rounds.reserve(scenario.stages.size());
    const std::vector<std::string> names = distinct_names(scenario.stages);
    KnownStages known;
    for (std::size_t i = 0; i < scenario.stages.size(); ++i) {
      const Scenario::Stage& stage = scenario.stages[i];
      rounds.push_back({names[i], {}});
      if (const auto same = known.find_or_add(scenario.stages, i)) {
        rounds.back().estimate = rounds[*same].estimate;
        if (!ranges.empty()) ranges.push_back(RangeInputs(ranges[*same]));
        continue;
      }
      state_->round(stage_scenario(scenario, stage), accelerator, nullptr, ranges,
                    rounds.back().estimate);
    }
    out = combine_rounds(std::move(rounds));
  }
  state_->draw(std::move(ranges), out);
}

void Estimator::run_paced(const Scenario& scenario, std::string_view accelerator, const Pace& pace,
                          Estimate& out) {
  std::vector<RangeInputs> ranges;
  state_->round(scenario, accelerator, &pace, ranges, out);
  state_->draw(std::move(ranges), out);
}

std::vector<Estimate> Estimator::run(const Scenario& scenario) {
  state_->failures.clear();
  const std::vector<std::string> names = platforms_of(scenario, state_->catalog);
  std::vector<Estimate> out;
  std::optional<Error> last;
  for (const std::string& name : names) {
    try {
      Estimate estimate;
      run_one(scenario, name, estimate);
      out.push_back(std::move(estimate));
    } catch (const Error& error) {
      if (names.size() == 1 || error.kind != ErrorKind::no_answer) throw;
      state_->failures.push_back({name, error.what(), error.hint});
      last = error;
    }
  }
  if (out.empty() && last) {
    throw Error(last->kind,
                fmt::format("none of the {} platforms has an answer. {}: {}", names.size(),
                            names.back(), last->what()),
                last->hint);
  }
  return out;
}

std::optional<double> total_at(const Estimate& estimate, double share) {
  constexpr double kMedian = 0.5;
  const std::optional<double>& total = estimate.cost.total;
  const std::optional<Quantiles>& range = estimate.range.total_usd;
  if (share == kMedian || !total || !range) return total;
  const double z = inverse_normal(share);
  const double end = share > kMedian ? range->p90 : range->p10;
  return *total * portable_exp(portable_log(end / range->p50) * std::abs(z) / kNormalP90);
}

std::vector<Estimate> estimate(const Scenario& scenario, const Catalog& catalog,
                               EstimateOptions options) {
  return Estimator(catalog, options).run(scenario);
}

}  // namespace trcost

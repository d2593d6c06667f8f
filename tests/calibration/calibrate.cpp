// SPDX-License-Identifier: Apache-2.0
// Predicts all measured rows again and again under constants that a fitting program sends on
// standard input (refit.py). One command per line:
//   efficiency NAME CONSTANT VALUE   e.g. efficiency h100-sxm matmul.bf16 0.58
//   stack NAME CONSTANT VALUE        e.g. stack megatron elementwise 1.1
//   plan                             chooses again what rows leave open; prints the layouts
//   run                              prints one predicted tokens/s/GPU per row, 0 where none
//   tuning row|default              rows as tuned as they say, or as who does not know
//   terms ID                         prints the seconds of a row by term
//   slopes                           prints of each row with its source left out ln(predicted /
//   measured
//                                    seconds) and how it follows the factors of trcost calibrate
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "catalog/data/sourced_values.h"
#include "performance/training/step_model.h"
#include "study/calibrate/calibrate.h"
#include "study/validate/validate.h"
#include "trcost/catalog.h"
#include "trcost/error.h"

namespace {

using namespace trcost;

struct Entry {
  const ThroughputRow* row = nullptr;
  Workload workload;
  Platform platform;
  Layout layout;
  bool usable = false;
  bool fits = false;
  double rate = 0;
  std::string problem;
};

class Bench {
 public:
  explicit Bench(const std::string& directory) : catalog_(directory) {
    for (const ThroughputRow& row : catalog_.runs().throughput) {
      Entry entry;
      entry.row = &row;
      try {
        entry.workload = row_workload(catalog_, row);
        entry.platform = row_platform(catalog_, row);
        entry.platform.efficiency =
            &own(efficiencies_, *entry.platform.efficiency, entry.platform.accelerator->name);
        const Stack& stack = *entry.platform.stack;
        entry.platform.stack =
            &own(stacks_[stack.name], stack, std::to_string(stack.release_years));
        entry.usable = true;
      } catch (const Error& error) {
        entry.problem = error.message;
      }
      entries_.push_back(std::move(entry));
    }
  }

  void plan_all() {
    for (Entry& entry : entries_) {
      if (entry.problem.empty()) plan_one(entry);
      evaluate(entry);
      print_layout(entry);
    }
  }

  /// Only rows whose constants moved since the last time are evaluated again.
  void run() {
    for (Entry& entry : entries_) {
      if (changed_.contains(entry.platform.efficiency) || changed_.contains(entry.platform.stack)) {
        evaluate(entry);
      }
      std::printf("%.9g\n", entry.rate);
    }
    changed_.clear();
  }

  void terms(const std::string& id) const {
    for (const Entry& entry : entries_) {
      if (entry.row->id != id || !entry.usable) continue;
      const StepTime time = StepModel(entry.workload, entry.platform).step(entry.layout);
      for (int i = 0; i < kStepTermCount; ++i) {
        std::printf("%s=%.6g ", std::string(step_term_name(static_cast<StepTerm>(i))).c_str(),
                    time.terms[static_cast<std::size_t>(i)]);
      }
      std::printf("seconds=%.6g\n", time.seconds);
    }
  }

  void slopes() const {
    constexpr double kStep = 1e-3;
    for (const Entry& entry : entries_) {
      if (!entry.row->left_out || !entry.usable) continue;
      const MeasuredStep step = published_step(catalog_, *entry.row);
      const double here = log_seconds(step, {});
      std::printf("%s %.9g", entry.row->id.c_str(), here - std::log(step.seconds));
      for (std::size_t i = 0; i < kStackFactors; ++i) {
        std::array<double, kStackFactors> there{};
        there[i] = kStep;
        std::printf(" %.9g", (log_seconds(step, there) - here) / kStep);
      }
      std::printf("\n");
    }
  }

  /// All rows are due again.
  void set_default_tuning(bool value) {
    default_tuning_ = value;
    for (const Entry& entry : entries_) changed_.insert(entry.platform.stack);
  }

  void set_efficiency(const std::string& name, const std::string& constant, double value) {
    Efficiency& efficiency = *efficiencies_.at(name);
    if (constant.starts_with("matmul.")) {
      const auto precision = parse_precision(constant.substr(7));
      assign(efficiency.matmul.at(static_cast<std::size_t>(precision.value())), value, &efficiency);
      return;
    }
    for (const Constant<Efficiency>& info : efficiency_constants()) {
      if (info.name == constant) {
        assign(efficiency.*info.member, value, &efficiency);
        return;
      }
    }
    throw Error(ErrorKind::usage, "unknown efficiency constant " + constant);
  }

  void set_stack(const std::string& name, const std::string& constant, double value) {
    for (const Constant<Stack>& info : stack_constants()) {
      if (info.name != constant) continue;
      for (auto& [release, stack] : stacks_.at(name)) {
        assign((*stack).*info.member, value, stack.get());
      }
      return;
    }
    throw Error(ErrorKind::usage, "unknown stack constant " + constant);
  }

 private:
  void assign(double& constant, double value, const void* owner) {
    if (constant == value) return;
    constant = value;
    changed_.insert(owner);
  }

  void evaluate(Entry& entry) const {
    entry.rate = 0;
    if (!entry.usable) return;
    set_row_tuning(entry.platform, *entry.row, default_tuning_);
    const StepModel model(entry.workload, entry.platform);
    entry.rate = entry.layout.global_batch * entry.row->seq_length /
                 (model.step(entry.layout).seconds * entry.layout.gpus());
  }

  template <class T>
  static T& own(std::map<std::string, std::unique_ptr<T>>& known, const T& value,
                const std::string& name) {
    std::unique_ptr<T>& slot = known[name];
    if (!slot) slot = std::make_unique<T>(value);
    return *slot;
  }

  void plan_one(Entry& entry) const {
    entry.usable = false;
    set_row_tuning(entry.platform, *entry.row, default_tuning_);
    try {
      const StepModel model(entry.workload, entry.platform);
      const Plan chosen = plan(model, row_request(*entry.row, entry.workload));
      entry.layout = chosen.layout;
      entry.fits = chosen.memory.fits;
      entry.usable = true;
    } catch (const Error& error) {
      std::fprintf(stderr, "%s: %s\n", entry.row->id.c_str(), error.message.c_str());
    }
  }

  static void print_layout(const Entry& entry) {
    const Layout& l = entry.layout;
    std::printf("%s %d tp%d pp%d vp%d cp%d ep%d dp%d mb%g gb%g %s %s r%d %s %s\n",
                entry.row->id.c_str(), entry.usable, l.tp, l.pp, l.vp, l.cp, l.ep, l.dp,
                l.micro_batch, l.global_batch, std::string(sharding_name(l.sharding)).c_str(),
                std::string(recompute_name(l.recompute)).c_str(), l.recompute_layers,
                entry.fits ? "fits" : "too-large", entry.problem.c_str());
  }

  Catalog catalog_;
  std::map<std::string, std::unique_ptr<Efficiency>> efficiencies_;
  std::map<std::string, std::map<std::string, std::unique_ptr<Stack>>> stacks_;  // by name, release
  std::vector<Entry> entries_;
  std::set<const void*> changed_;
  bool default_tuning_ = false;
};

void serve(Bench& bench) {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    std::string command, name, constant;
    double value = 0;
    words >> command;
    if (command == "plan") {
      bench.plan_all();
    } else if (command == "run") {
      bench.run();
    } else if (command == "tuning") {
      words >> name;
      bench.set_default_tuning(name == "default");
      continue;
    } else if (command == "slopes") {
      bench.slopes();
    } else if (command == "terms") {
      words >> name;
      bench.terms(name);
    } else if (words >> name >> constant >> value) {
      if (command == "efficiency") bench.set_efficiency(name, constant, value);
      if (command == "stack") bench.set_stack(name, constant, value);
      continue;
    }
    std::printf(".\n");
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** arguments) {
  try {
    Bench bench(count > 1 ? arguments[1] : "");
    serve(bench);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", error.location.c_str(), error.message.c_str());
    return 1;
  }
  return 0;
}

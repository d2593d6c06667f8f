// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "report/workbook/budgets.h"

namespace trcost::report {

namespace {

using BudgetInput = Calculation::Given;
using PlatformRows = Calculation::Place;
using BudgetProduct = Calculation::Product;
using Sum = Calculation::Sum;

constexpr double kSame = 1e-9;  // relative

class StudyBudget {
 public:
  explicit StudyBudget(const ExperimentReport& report) : report_(report) {}

  Calculation make() {
    out_.name = "Budget";
    out_.notes = {
        "Marked cells are inputs: change one, and all that follows on this sheet changes.",
        "The other sheets stay as the answer was made."};
    for (const PlatformExperiments& each : report_.platforms) {
      out_.columns.push_back(each.accelerator);
    }
    add_attempts();
    add_hours();
    add_prices();
    add_amounts();
    return std::move(out_);
  }

 private:
  // The experiments are the same on every platform.
  [[nodiscard]] const std::vector<ExperimentResult>& experiments(std::size_t c = 0) const {
    return report_.platforms[c].experiments;
  }
  [[nodiscard]] const std::string& name(std::size_t i) const {
    return experiments()[i].experiment->name;
  }
  template <class Rule>
  std::size_t line(std::string label, std::string unit, NumberKind kind, const Rule& rule) {
    const std::size_t at = out_.add(std::move(label), std::move(unit), kind);
    for (std::size_t c = 0; c < out_.columns.size(); ++c) out_.set({at, c}, rule(c));
    return at;
  }
  static Sum sum_of(const std::vector<std::size_t>& lines, std::size_t c) {
    Sum sum;
    for (const std::size_t each : lines) sum.parts.push_back({each, c});
    return sum;
  }

  void add_attempts() {
    out_.add_heading("Attempts, those that fail included");
    for (std::size_t i = 0; i < experiments().size(); ++i) {
      attempts_.push_back(
          line(name(i), "attempts", NumberKind::number, [&](std::size_t c) -> Calculation::Rule {
            if (c > 0) return BudgetProduct{1, {{{out_.lines.size() - 1, 0}}}};
            return BudgetInput{experiments()[i].experiment->attempts(), true};
          }));
    }
    out_.add_heading("GPU-hours of an attempt");
    for (std::size_t i = 0; i < experiments().size(); ++i) {
      each_.push_back(line(name(i), "h", NumberKind::number, [&](std::size_t c) {
        const ExperimentResult& result = experiments(c)[i];
        return BudgetInput{result.gpu_hours / result.experiment->attempts(), true};
      }));
    }
    unfilled_share_ =
        line("unfilled of rented nodes, per GPU-hour", "h", NumberKind::number, [&](std::size_t c) {
          const PlatformExperiments& of = report_.platforms[c];
          return BudgetInput{of.idle_gpu_hours / of.gpu_hours, true};
        });
  }

  void add_hours() {
    out_.add_heading("GPU-hours");
    for (std::size_t i = 0; i < experiments().size(); ++i) {
      hours_.push_back(line(name(i), "h", NumberKind::count, [&](std::size_t c) {
        return BudgetProduct{1, {{{attempts_[i], c}}, {{each_[i], c}}}};
      }));
    }
    used_ =
        line("in use", "h", NumberKind::count, [&](std::size_t c) { return sum_of(hours_, c); });
    unfilled_ = line("unfilled", "h", NumberKind::count, [&](std::size_t c) {
      return BudgetProduct{1, {{{used_, c}}, {{unfilled_share_, c}}}};
    });
  }

  // What the runs cost beside their GPU-hours, such as storage.
  [[nodiscard]] std::optional<double> beside(std::size_t c) const {
    double out = 0;
    for (const ExperimentResult& each : experiments(c)) {
      if (!each.used_usd || !report_.platforms[c].price_per_gpu_hour) return {};
      out += *each.used_usd - each.gpu_hours * *report_.platforms[c].price_per_gpu_hour;
    }
    return std::fabs(out) > kSame * *report_.platforms[c].usd ? std::optional(out) : std::nullopt;
  }

  void add_prices() {
    out_.add_heading("Prices");
    price_ = line("a GPU-hour", "USD per GPU-hour", NumberKind::money, [&](std::size_t c) {
      return BudgetInput{report_.platforms[c].price_per_gpu_hour, true};
    });
    beside_ = line("beside the GPUs", "USD per GPU-hour", NumberKind::money,
                   [&](std::size_t c) -> Calculation::Rule {
                     const std::optional<double> usd = beside(c);
                     if (!usd) return {};
                     return BudgetInput{*usd / report_.platforms[c].gpu_hours, true};
                   });
    for (const PlatformExperiments& each : report_.platforms) {
      for (const LineItem& item : each.experiments.front().run.cost.items) {
        if (!item.included || item.source.empty()) continue;
        out_.sources.push_back({each.accelerator + ": " + item_name(item), item.source});
      }
    }
  }

  void add_amounts() {
    out_.add_heading("Amounts");
    std::vector<std::size_t> amounts;
    const auto add = [&](std::string label, std::size_t quantity, std::size_t price) {
      amounts.push_back(
          line(std::move(label), "USD", NumberKind::money, [&](std::size_t c) -> Calculation::Rule {
            if (!out_.has({price, c})) return {};
            return BudgetProduct{1, {{{quantity, c}}, {{price, c}}}};
          }));
    };
    for (std::size_t i = 0; i < experiments().size(); ++i) add(name(i), hours_[i], price_);
    add("beside the GPUs", used_, beside_);
    add("unfilled", unfilled_, price_);
    const std::size_t total = line("Total", "USD", NumberKind::money, [&](std::size_t c) {
      Sum sum;
      for (const std::size_t amount : amounts) {
        if (out_.has({amount, c})) sum.parts.push_back({amount, c});
      }
      return sum;
    });
    out_.lines[total].strong = true;
    for (std::size_t c = 0; c < out_.columns.size(); ++c) {
      check_figure(out_, {total, c}, report_.platforms[c].usd);
    }
    out_.charts = {{Calculation::Chart::Kind::stacked, "Total by experiment, USD", amounts}};
  }

  const ExperimentReport& report_;
  Calculation out_;
  std::vector<std::size_t> attempts_, each_, hours_;
  std::size_t unfilled_share_ = 0, used_ = 0, unfilled_ = 0, price_ = 0, beside_ = 0;
};

}  // namespace

Calculation experiments_budget(const ExperimentReport& report) {
  return StudyBudget(report).make();
}

}  // namespace trcost::report

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "report/about/documents.h"
#include "report/about/solve/solve.h"
#include "report/page/wording.h"
#include "study/solve/rent.h"
#include "trcost/error.h"
#include "trcost/report.h"
#include "workload/method.h"

namespace trcost::cli {
namespace {

struct SolveArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  std::string unknown;
  std::string budget;
  std::string flops;
  std::string target;
  std::string break_even;
  std::string duration;
  std::optional<std::string> confidence;
  bool compute_optimal = false;
};

double target_number(std::string_view text, NumberKind kind, std::string_view flag) {
  return positive_flag_number(text, kind, flag, "a target is a positive number");
}

// `COLUMN=VALUE`.
SolveTarget parse_target(const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign + 1 == text.size()) {
    throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a target", text.substr(0, 60)),
                "write COLUMN=VALUE, like performance.tokens_per_second_per_gpu=5000", "--target");
  }
  SolveTarget target = solve_target(text.substr(0, sign), 1);
  const NumberKind kind =
      target.column->display == NumberKind::integer ? NumberKind::count : target.column->display;
  target.value = target_number(text.substr(sign + 1), kind, "--target");
  return target;
}

class Solving {
 public:
  Solving(const SolveArguments& arguments, Session& session)
      : arguments_(arguments),
        session_(session),
        format_(arguments.output.choose()),
        scenario_(arguments.scenario.read(session)) {}

  int run() {
    if (is_rent()) {
      choose_rent();
    } else {
      choose_target();
      choose_unknown();
    }
    Output output(arguments_.output.path);
    SolveReport report;
    report.target = request_.target;
    solve_platforms(report);
    report.price_data_date = price_date(session_.catalog());
    report.scenario = scenario_to_json(scenario_);
    report.break_even = !arguments_.break_even.empty();
    report.target_words = target_words_;
    report.unknown_words = request_.unknown == nullptr
                               ? "model.params and data.tokens, compute-optimal,"
                               : std::string(request_.unknown->path);
    Document document = solve_document(report);
    document.command = session_.command;
    output.write(render(document, format_, style_of(arguments_.output, format_, session_)));
    output.commit();
    return tell(report);
  }

 private:
  [[noreturn]] static void refuse(std::string message, std::string hint) {
    throw Error(ErrorKind::usage, std::move(message), std::move(hint));
  }

  [[nodiscard]] bool given(Field field) const { return scenario_.has(field); }
  [[nodiscard]] bool model_given() const {
    return given(Field::model_params) || given(Field::model_name);
  }
  // Rounds of a method that generates its own data, instead of tokens.
  [[nodiscard]] bool has_rounds() const {
    return given(Field::train_method) &&
           method_row(method_named(scenario_.text(Field::train_method))).generates;
  }
  [[nodiscard]] bool data_given() const {
    if (has_rounds()) return given(Field::rollout_steps);
    return given(Field::data_tokens) || given(Field::data_samples) ||
           given(Field::data_tokens_per_param);
  }

  // A budget beside a time: of cluster, time, price and dollars one is sought.
  bool is_rent() {
    if (!arguments_.flops.empty() || !arguments_.target.empty() || !arguments_.break_even.empty() ||
        arguments_.compute_optimal) {
      return false;
    }
    if (arguments_.budget.empty()) {
      if (arguments_.unknown != kTimeSought) return false;
      refuse("the time of a cluster is what a budget pays for", "add --budget USD and --gpus N");
    }
    rent_.unknown = rent_unknown(scenario_, arguments_.unknown, !arguments_.duration.empty());
    return rent_.unknown != nullptr;
  }

  void choose_rent() {
    rent_.base = scenario_;
    rent_.budget = target_number(arguments_.budget, NumberKind::money, "--budget");
    const bool sized = given(Field::hardware_deadline);
    if (!arguments_.duration.empty()) {
      if (sized) refuse("--duration and --deadline are two times", "keep one of them");
      rent_.seconds = target_number(arguments_.duration, NumberKind::duration, "--duration");
    } else if (sized) {
      rent_.seconds = scenario_.number(Field::hardware_deadline);
    }
    check_rent(rent_);
    request_.unknown = rent_.unknown;
    request_.target = {&rent_column(), rent_.budget, false};
    target_words_ =
        "rent (GPU-hours x price) is at most " + brief_words(rent_.budget, NumberKind::money);
    if (rent_.seconds) {
      target_words_ += " for " + format_number(*rent_.seconds, NumberKind::duration);
    }
  }

  void choose_target() {
    const std::string* texts[] = {&arguments_.budget, &arguments_.flops, &arguments_.target,
                                  &arguments_.break_even, &arguments_.duration};
    int count = 0;
    for (const std::string* text : texts) count += text->empty() ? 0 : 1;
    if (count > 1) {
      refuse("more than one target",
             "set one of --budget, --flops, --target, --break-even, --duration. A budget and a "
             "duration go with --for gpus, price or duration");
    }
    if (!arguments_.budget.empty()) {
      request_.target = solve_target(
          ColumnRole::total, target_number(arguments_.budget, NumberKind::money, "--budget"));
    } else if (!arguments_.flops.empty()) {
      request_.target = solve_target(ColumnRole::model_flops,
                                     target_number(arguments_.flops, NumberKind::count, "--flops"));
    } else if (!arguments_.target.empty()) {
      request_.target = parse_target(arguments_.target);
    } else if (!arguments_.duration.empty()) {
      const double seconds = target_number(arguments_.duration, NumberKind::duration, "--duration");
      request_.target = solve_target(ColumnRole::wall_clock, seconds);
      cluster_ = arguments_.unknown.empty();
      if (cluster_ && !given(Field::hardware_gpus)) {
        refuse("--duration needs --gpus",
               "trcost solve --gpus 20000 --duration 4mo --mfu 0.4 --accelerator h100-sxm");
      }
    } else if (!arguments_.break_even.empty()) {
      request_.target = solve_target(ColumnRole::total, 0);
    } else if (const auto deadline = scenario_.number(Field::hardware_deadline)) {
      request_.target = solve_target(ColumnRole::wall_clock, *deadline);
    } else {
      refuse("no target",
             "set --budget USD, --deadline TIME, --flops N, --target COLUMN=VALUE, "
             "--break-even A,B or --gpus N --duration TIME");
    }
    set_confidence();
    target_words_ = target_words(request_.target);
  }

  void set_confidence() {
    if (!arguments_.confidence) return;
    if (request_.target.column->role != ColumnRole::total || !arguments_.break_even.empty()) {
      refuse("--confidence is the chance that a budget is kept", "add --budget USD");
    }
    const double share =
        target_number(*arguments_.confidence, NumberKind::fraction, "--confidence");
    if (share >= 1) {
      throw Error(ErrorKind::usage, "no plan is certain", "write a fraction below 1, such as 0.9",
                  "--confidence");
    }
    request_.target.confidence = share;
  }

  void choose_unknown() {
    if (arguments_.compute_optimal) {
      if (!arguments_.unknown.empty()) refuse("--compute-optimal and --for exclude each other", "");
      if (model_given() || data_given()) {
        refuse("--compute-optimal finds parameters and tokens, and one of them is given",
               "leave --params, --model, --tokens and --samples out, or use --for");
      }
      return;
    }
    // A deadline asks for the cluster, with the usual tokens if none are set.
    const bool open_cluster = request_.target.deadline() && !given(Field::hardware_gpus);
    if (!arguments_.unknown.empty()) {
      request_.unknown = &solve_field(arguments_.unknown);
    } else if (!arguments_.break_even.empty()) {
      request_.unknown = &field_info(Field::cost_price_per_gpu_hour);
    } else if (!model_given()) {
      if (has_rounds()) {
        refuse("the model is missing",
               "set --model or --params: rounds have no compute-optimal size");
      }
      // Both are open: the scaling law pairs them.
      if (data_given()) request_.unknown = &field_info(Field::model_params);
    } else if (!data_given() && !open_cluster) {
      request_.unknown = &field_info(has_rounds() ? Field::rollout_steps : Field::data_tokens);
    } else if (open_cluster) {
      request_.unknown = &field_info(Field::hardware_gpus);
    } else {
      refuse("nothing is unknown: the model and its tokens are set",
             fmt::format("leave one out, or name the field to solve for, like --for gpus{}",
                         arguments_.budget.empty()
                             ? std::string()
                             : ". To test a budget: trcost estimate --fail-above " +
                                   arguments_.budget.substr(0, 60)));
    }
    refuse_two_targets();
    const bool sized = open_cluster && (request_.unknown == nullptr ||
                                        request_.unknown->field != Field::hardware_gpus);
    if (sized) {
      refuse("a deadline without a cluster is always met: the cluster grows with the work",
             "add --gpus N, or solve with --for gpus");
    }
  }

  void refuse_two_targets() {
    if (request_.unknown == nullptr) return;
    const bool gpus = request_.unknown->field == Field::hardware_gpus;
    if (gpus && given(Field::hardware_deadline) && !request_.target.deadline()) {
      refuse("--deadline beside another target: the cluster that is sought meets one of them",
             "leave one out. `trcost sweep --vary hardware.gpus=A..B:1 --where` keeps what meets "
             "both");
    }
    if (!arguments_.break_even.empty() && request_.unknown->kind == FieldKind::integer) {
      refuse(fmt::format("{} goes in steps, at which two platforms hardly cost the same",
                         request_.unknown->path),
             "break even by --for price, mfu or tokens");
    }
  }

  void solve_platforms(SolveReport& report) {
    std::vector<std::string> names = platforms_of(scenario_, session_.catalog());
    if (!arguments_.break_even.empty()) names = {balance_platforms()};
    request_.base = scenario_;
    // Each on a thread of its own, or in turn where the system gives none; told in their order.
    std::vector<std::future<Answer>> answers;
    for (const std::string& name : names) {
      answers.push_back(std::async([this, &name] { return solve_platform(name); }));
    }
    std::optional<Error> last;
    for (std::size_t i = 0; i < names.size(); ++i) {
      try {
        add(answers[i].get(), report);
      } catch (const Error& error) {
        if (names.size() == 1 || error.kind != ErrorKind::no_answer) throw;
        session_.warn(failure_line({names[i], error.message, error.hint}));
        last = error;
      }
    }
    if (report.solutions.empty() && last) throw Error(*last);
    report.target = request_.target;
  }

  struct Answer {
    Solution solution;
    std::optional<ClusterRun> cluster;
  };

  [[nodiscard]] Answer solve_platform(const std::string& name) const {
    if (rent_.unknown != nullptr) {
      RentAnswer rent = solve_rent(rent_, name, session_.catalog());
      return {std::move(rent.solution), std::move(rent.cluster)};
    }
    SolveRequest request = request_;
    if (const auto deadline = deadline_for_budget(request, session_.catalog(), name)) {
      request.base.set_number(Field::hardware_deadline, *deadline);
    }
    Answer answer{Solver(session_.catalog()).solve(request, name), std::nullopt};
    if (cluster_) {
      answer.cluster = cluster_run(*answer.solution.estimate, request_.target.value);
    }
    return answer;
  }

  void add(Answer answer, SolveReport& report) {
    const Solution& solution = answer.solution;
    if (solution.estimates > 0) {
      session_.trace(fmt::format("{}: {} estimates made on the way, {} kept in `searched`",
                                 solution.accelerator, solution.estimates,
                                 solution.searched.size()));
    }
    if (answer.cluster) report.clusters.push_back(std::move(*answer.cluster));
    report.solutions.push_back(std::move(answer.solution));
  }

  // `A,B`: what B costs becomes the target of A, whose name is returned.
  std::string balance_platforms() {
    Scenario pair;
    pair.set_text(Field::hardware_accelerator, arguments_.break_even);
    std::vector<std::string> names = pair.names(Field::hardware_accelerator);
    for (std::string& name : names) {
      const std::string entry = session_.catalog().entry_of(CatalogKind::accelerators, name);
      if (!entry.empty()) name = entry;
    }
    if (names.size() != 2 || names[0] == names[1]) {
      throw Error(ErrorKind::usage, "two different platforms are needed",
                  "write --break-even gb200-nvl72,h100-sxm", "--break-even");
    }
    Estimator estimator(session_.catalog());
    Estimate other;
    estimator.run_one(scenario_, names[1], other);
    if (!other.cost.total) {
      throw Error(ErrorKind::no_answer, fmt::format("no price of {} is known", names[1]),
                  "set --price, which then is that of " + names[1]);
    }
    request_.target.value = *other.cost.total;
    target_words_ = fmt::format("{} costs as much as {}: {}", names[0], names[1],
                                short_money(*other.cost.total));
    return names[0];
  }

  // One message for the platforms that have no solution; the nearest ones stand in the answer.
  int tell(const SolveReport& report) {
    std::vector<const Solution*> unsolved;
    for (const Solution& solution : report.solutions) {
      if (!solution.solved) unsolved.push_back(&solution);
    }
    if (unsolved.empty()) return kExitOk;
    std::string names;
    std::vector<std::string> problems;
    for (const Solution* solution : unsolved) {
      names += (names.empty() ? "" : ", ") + solution->accelerator;
      if (std::ranges::find(problems, solution->problem) == problems.end()) {
        problems.push_back(solution->problem);
      }
    }
    session_.error(fmt::format("{}: no solution: {}", names, fmt::join(problems, "; ")),
                   (unsolved.size() == 1 ? "the nearest is " + nearest(*unsolved.front())
                                         : "the nearest of each stands in the answer") +
                       next_step(*unsolved.front()));
    return kExitFailure;
  }

  // The unknown alone does not reach the target: another target does, or another unknown.
  [[nodiscard]] std::string next_step(const Solution& solution) const {
    std::string out = "; ";
    if (solution.achieved && arguments_.break_even.empty()) {
      const bool above = *solution.achieved > request_.target.value;
      out += fmt::format("{} the target to what is reached, or ", above ? "raise" : "lower");
    }
    const bool tokens =
        solution.values.empty() || solution.values.front().first->field != Field::data_tokens;
    return out + fmt::format("seek another unknown, like --for {}", tokens ? "tokens" : "params");
  }

  [[nodiscard]] std::string nearest(const Solution& solution) const {
    std::string out;
    for (const auto& [info, value] : solution.values) {
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", info->path, format_exact(value));
    }
    if (!solution.achieved) return out;
    return out + fmt::format(" with {} = {}", request_.target.column->path,
                             format_number(*solution.achieved, request_.target.column->display));
  }

  const SolveArguments& arguments_;
  Session& session_;
  Format format_;
  Scenario scenario_;
  SolveRequest request_;
  RentQuestion rent_;
  std::string target_words_;
  bool cluster_ = false;
};

}  // namespace

Action define_solve(Flags& flags, Session& session) {
  auto arguments = std::make_shared<SolveArguments>();
  flags.group("Question");
  flags.add("--for", arguments->unknown, "FIELD",
            "the unknown: a numeric field by path or flag, such as tokens, params, gpus, price or "
            "mfu, or duration (default: the field that is not set)");
  flags.add("--budget", arguments->budget, "USD", "target: total cost at most this");
  flags.add("--confidence", arguments->confidence, "F",
            "with --budget: chance that the run stays within it (default: 0.5)");
  flags.add("--flops", arguments->flops, "N", "target: at most this many model FLOPs");
  flags.add("--target", arguments->target, "COLUMN=VALUE",
            "target: a column of --format csv, at most VALUE if less is better, at least VALUE if "
            "more is");
  flags.add("--break-even", arguments->break_even, "A,B",
            "the price (or --for mfu) of A at which A and B cost the same");
  flags.add("--duration", arguments->duration, "TIME",
            "time of a rented cluster: with --gpus, what it trains and costs, with --budget, how "
            "many accelerators it pays for");
  flags.add("--compute-optimal", arguments->compute_optimal,
            "parameters and tokens both unknown, paired by the scaling law");
  arguments->scenario.add(flags, session);
  add_details_option(flags, arguments->output);
  add_output_options(flags, arguments->output);
  return [arguments, &session] { return Solving(*arguments, session).run(); };
}

}  // namespace trcost::cli

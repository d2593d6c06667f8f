// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "quantity/currency.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "trcost/report.h"

namespace trcost::cli {
namespace {

// A limit of the total, for CI.
struct Gate {
  double usd = 0;
  double confidence = 0.5;
};

struct EstimateArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  bool explain = false;
  bool strict = false;
  bool brief = false;
  std::string fail_above;
  std::string confidence;
};

std::optional<Gate> read_gate(const EstimateArguments& typed) {
  Gate gate;
  if (!typed.confidence.empty()) {
    gate.confidence = flag_number(typed.confidence, NumberKind::fraction, "--confidence");
    if (!(gate.confidence >= 0.5 && gate.confidence < 1)) {
      throw Error(ErrorKind::usage, "a confidence is from 0.5 to below 1", "write 0.9 or 90%",
                  "--confidence");
    }
  }
  if (typed.fail_above.empty()) {
    if (typed.confidence.empty()) return std::nullopt;
    throw Error(ErrorKind::usage, "a confidence needs a limit", "add --fail-above USD, such as 50k",
                "--confidence");
  }
  gate.usd = positive_flag_number(typed.fail_above, NumberKind::money, "--fail-above",
                                  "write it like 50k or 1.5M");
  return gate;
}

// What the limit says of one platform, and whether it is kept.
std::pair<std::string, bool> judge(const Gate& gate, const Estimate& e) {
  const std::optional<double> usd = total_at(e, gate.confidence);
  if (!usd) return {fmt::format("{}: the total is not known", e.accelerator), false};
  const bool median = gate.confidence == 0.5;
  const bool kept = *usd <= gate.usd;
  const std::string cost = median ? fmt::format("the median cost is {}", dollars_words(*usd))
                                  : fmt::format("{:.0f}% of such runs cost less than {}",
                                                100 * gate.confidence, dollars_words(*usd));
  std::string more;
  if (e.cost.obligation && e.cost.obligation->usd > gate.usd) {
    more = fmt::format(". This is its share of a contract of {}",
                       dollars_words(e.cost.obligation->usd));
  }
  if (median) {
    more += ". About half of such runs cost more. --confidence 0.9 tests for nine in ten";
  }
  return {fmt::format("{}: {}, {} the limit of {} (--fail-above){}", e.accelerator, cost,
                      kept ? "within" : "above", dollars_words(gate.usd), more),
          kept};
}

// Judges every platform that was named, else the one of the first sentence.
bool keeps_limit(const Gate& gate, const Scenario& scenario, const Report& report,
                 Session& session) {
  std::vector<const Estimate*> judged;
  if (scenario.has(Field::hardware_accelerator)) {
    for (const Estimate& e : report.estimates) judged.push_back(&e);
  } else if (!report.estimates.empty()) {
    judged.push_back(&report.estimates[cheapest_index(report.estimates)]);
  }
  bool kept = !judged.empty();
  for (const Estimate* each : judged) {
    const auto [words, holds] = judge(gate, *each);
    holds ? session.note(words) : session.error(words);
    kept = kept && holds;
  }
  if (!scenario.has(Field::hardware_accelerator)) return kept;
  for (const Estimator::Failure& failure : report.failures) {
    session.error(failure_line(failure));
    kept = false;
  }
  return kept;
}

int run_estimate(const EstimateArguments& arguments, Session& session) {
  if (arguments.output.details && arguments.brief) {
    throw Error(ErrorKind::usage, "--details and --brief exclude each other", "keep one of them");
  }
  const Format format = arguments.output.choose();
  if (arguments.brief && !format_info(format).traits.terminal) {
    throw Error(
        ErrorKind::usage,
        fmt::format("--brief is a form of text, and {} has everything", format_info(format).name),
        "leave out --brief, or write --format table");
  }
  const std::optional<Gate> gate = read_gate(arguments);
  std::vector<std::string> guesses;
  const Scenario scenario = arguments.scenario.read(session, guesses);
  Output output(arguments.output.path);
  EstimateOptions options;
  if (session.options.verbose) {
    options.trace = [&session](std::string_view line) { session.trace(line); };
  }
  options.derivations = arguments.explain;
  Estimator estimator(session.catalog(), options);
  const FormatInfo& info = format_info(format);
  std::vector<Estimate> estimates;
  std::optional<Error> no_answer;
  try {
    estimates = estimator.run(scenario);
  } catch (const Error& error) {
    // Rows of platforms without an answer have the error, also if no platform has one.
    if (info.form != Form::lines || error.kind != ErrorKind::no_answer) throw;
    no_answer = error;
  }
  for (Estimate& each : estimates) {
    each.warnings.insert(each.warnings.begin(), guesses.begin(), guesses.end());
  }
  std::vector<Estimator::Failure> failures = estimator.failures();
  if (no_answer && failures.empty()) {
    failures.push_back(
        {platforms_of(scenario, session.catalog()).front(), no_answer->message, no_answer->hint});
  }

  Report report;
  report.scenario = &scenario;
  report.estimates = estimates;
  report.failures = failures;
  report.detail = arguments.output.details || arguments.explain ? Detail::full
                  : arguments.brief                             ? Detail::brief
                                                                : Detail::screen;
  std::vector<TokenAlternative> alternatives;
  if (info.form != Form::lines && !estimates.empty()) {
    const Estimate& cheapest = estimates[cheapest_index(estimates)];
    report.example = token_example(scenario, session.catalog(), cheapest);
    report.published = published_hours(session.catalog(), cheapest);
    report.unseen = unseen_error(session.catalog(), cheapest);
    // A screen of text names the model without its price.
    if (!info.traits.terminal || report.detail == Detail::full) {
      alternatives = token_alternatives(scenario, session.catalog(), cheapest);
    }
  }
  report.alternatives = alternatives;
  std::vector<ClusterPoint> clusters;
  if (info.traits.figures || (info.form == Form::document && arguments.output.details)) {
    clusters = cluster_curve(scenario, session.catalog(), estimates);
  }
  report.clusters = clusters;
  report.price_data_date = price_date(session.catalog());
  report.command = session.command;
  report.settings = session.settings;
  const Style style = style_of(arguments.output, format, session);
  output.write(render(report, format, style));
  if (arguments.explain && info.traits.terminal) {
    output.write("\n" + render_explain(report, style));
  }
  output.commit();
  if (no_answer) throw Error(*no_answer);
  // The screen of text shows its warnings itself.
  if (!info.traits.terminal || report.detail == Detail::brief) {
    for (const std::string& warning : warning_lines(report)) session.warn(warning);
  }
  const bool kept = !gate || keeps_limit(*gate, scenario, report, session);
  if (!arguments.strict) return kept ? kExitOk : kExitCheckFailed;
  bool whole = kept && failures.empty();
  for (const Estimate& estimate : estimates) {
    for (const std::string& reason : strict_reasons(estimate)) {
      session.error(reason);
      whole = false;
    }
  }
  return whole ? kExitOk : kExitCheckFailed;
}

}  // namespace

Action define_estimate(Flags& flags, Session& session) {
  auto arguments = std::make_shared<EstimateArguments>();
  arguments->scenario.add(flags, session);
  add_output_options(flags, arguments->output);
  flags.group("Output");
  flags.add("--explain", arguments->explain, "every formula with its numbers and sources");
  flags.add("--strict", arguments->strict,
            "exit 3 when a number is not known, a price imputed, of another class or older than a "
            "year, a platform without an answer, memory that does not fit, or a layout beyond its "
            "stack");
  flags.add("--fail-above", arguments->fail_above, "USD",
            "exit 3 if the total is above: of every platform that --accelerator names, else of the "
            "cheapest");
  flags.add("--confidence", arguments->confidence, "F",
            "chance that --fail-above holds (default 0.5)");
  add_details_option(flags, arguments->output);
  flags.add("--brief", arguments->brief, "a line of text per platform");
  return [arguments, &session] { return run_estimate(*arguments, session); };
}

}  // namespace trcost::cli

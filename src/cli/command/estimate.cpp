// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "trcost/error.h"
#include "trcost/estimate.h"
#include "trcost/report.h"

namespace trcost::cli {
namespace {

struct EstimateArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  bool explain = false;
  bool strict = false;
  bool details = false;
  bool brief = false;
};

int run_estimate(const EstimateArguments& arguments, Session& session) {
  if (arguments.details && arguments.brief) {
    throw Error(ErrorKind::usage, "--details and --brief exclude each other", "give one of them");
  }
  const Format format = arguments.output.choose();
  if (arguments.brief && !format_info(format).traits.terminal) {
    throw Error(
        ErrorKind::usage,
        fmt::format("--brief is a form of text, and {} has everything", format_info(format).name),
        "leave out --brief, or write --format table");
  }
  const Scenario scenario = arguments.scenario.read(session);
  Output output(arguments.output.path);
  EstimateOptions options;
  if (session.options.verbose) {
    options.trace = [&session](std::string_view line) { session.trace(line); };
  }
  options.derivations = arguments.explain;
  Estimator estimator(session.catalog(), options);
  const std::vector<Estimate> estimates = estimator.run(scenario);

  Report report;
  report.scenario = &scenario;
  report.estimates = estimates;
  report.failures = estimator.failures();
  const FormatInfo& info = format_info(format);
  std::vector<TokenAlternative> alternatives;
  if (info.form != Form::lines && !estimates.empty()) {
    alternatives =
        token_alternatives(scenario, session.catalog(), estimates[cheapest_index(estimates)]);
  }
  report.alternatives = alternatives;
  std::vector<ClusterPoint> clusters;
  if (info.traits.figures || (info.form == Form::document && arguments.details)) {
    clusters = cluster_curve(scenario, session.catalog(), estimates);
  }
  report.clusters = clusters;
  report.price_data_date = price_date(session.catalog());
  report.command = session.command;
  report.settings = session.settings;
  report.detail = arguments.details || arguments.explain ? Detail::full
                  : arguments.brief                      ? Detail::brief
                                                         : Detail::screen;
  const Style style = style_of(arguments.output, format, session);
  output.write(render(report, format, style));
  if (arguments.explain && info.traits.terminal) {
    output.write("\n" + render_explain(report, style));
  }
  output.commit();
  // The screen of text shows its warnings itself.
  if (!info.traits.terminal || report.detail == Detail::brief) {
    for (const std::string& warning : warning_lines(report)) session.warn(warning);
  }
  if (!arguments.strict) return kExitOk;
  bool whole = estimator.failures().empty();
  for (const Estimate& estimate : estimates) {
    for (const std::string& reason : strict_reasons(estimate)) {
      session.warn(reason);
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
  flags.add("--details", arguments->details, "all of the answer, beyond one screen of text");
  flags.add("--brief", arguments->brief, "a line of text per platform");
  return [arguments, &session] { return run_estimate(*arguments, session); };
}

}  // namespace trcost::cli

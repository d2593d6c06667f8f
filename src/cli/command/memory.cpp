// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "estimate/cluster/memory_fit.h"
#include "report/about/documents.h"

namespace trcost::cli {
namespace {

struct MemoryArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  bool strict = false;
};

// Under --strict a cluster that was asked for has to hold the training.
bool all_fit(const MemoryReport& report) {
  for (const MemoryFit& fit : report.fits) {
    if (!fit.problem.empty() || !fit.main().use.fits) return false;
  }
  return true;
}

int run_memory(const MemoryArguments& arguments, Session& session) {
  const Format format = arguments.output.choose();
  const Scenario scenario = arguments.scenario.read(session);
  Output output(arguments.output.path);
  const MemoryReport report = memory_report(scenario, session.catalog());
  Document document = memory_document(report);
  document.command = session.command;
  output.write(render(document, format, style_of(arguments.output, format, session)));
  output.commit();
  for (const std::string& warning : report.warnings) session.warn(warning);
  return arguments.strict && !all_fit(report) ? kExitCheckFailed : kExitOk;
}

}  // namespace

Action define_memory(Flags& flags, Session& session) {
  auto arguments = std::make_shared<MemoryArguments>();
  arguments->scenario.accept_no_amount();
  arguments->scenario.add(flags, session);
  add_output_options(flags, arguments->output);
  flags.group("Output");
  flags.add("--strict", arguments->strict,
            "exit 3 when it does not fit on an accelerator that was looked at");
  return [arguments, &session] { return run_memory(*arguments, session); };
}

}  // namespace trcost::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "quantity/portable_math.h"
#include "quantity/quantity.h"
#include "report/about/documents.h"
#include "study/transfer/transfer.h"
#include "trcost/error.h"
#include "trcost/report.h"

namespace trcost::cli {
namespace {

struct TransferArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  std::string from;
  std::string from_gpus;
  std::string measured;
  std::string tokens_per_second;
  std::string to;
  std::string to_gpus;
};

double measured_number(std::string_view text, NumberKind kind, std::string_view flag) {
  return positive_flag_number(text, kind, flag, "write what was measured");
}

// A number, or P10..P90 of a lognormal as for any field; `sigma` is that of the latter.
std::optional<double> measured(std::string_view text, NumberKind kind, std::string_view flag,
                               double& sigma) {
  if (text.empty()) return std::nullopt;
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return measured_number(text, kind, flag);
  const double low = measured_number(text.substr(0, dots), kind, flag);
  const double high = measured_number(text.substr(dots + 2), kind, flag);
  if (low >= high) {
    throw Error(ErrorKind::usage, fmt::format("the range \"{}\" does not rise", text.substr(0, 60)),
                "write P10..P90, or one value", std::string(flag));
  }
  sigma = portable_log(high / low) / (2 * kNormalP90);
  return std::sqrt(low * high);
}

std::optional<double> gpus(const std::string& text, std::string_view flag) {
  if (text.empty()) return std::nullopt;
  Scenario scratch;
  scratch.set(field_info(Field::hardware_gpus), text, flag);
  return scratch.number(Field::hardware_gpus);
}

// Counts typed with a name, as in `8xa100`, become the numbers of accelerators.
void use_counts(const TransferArguments& arguments, const Catalog& catalog,
                TransferRequest& request) {
  catalog::CountedAccelerator from = read_accelerator(arguments.from, catalog);
  const std::optional<double> from_gpus = gpus(arguments.from_gpus, "--from-gpus");
  if (from_gpus && from.count > 0 && from.count != *from_gpus) {
    throw Error(
        ErrorKind::usage,
        fmt::format("\"{}\" has {} GPUs, but --from-gpus is {}", arguments.from.substr(0, 60),
                    format_exact(from.count), format_exact(*from_gpus)),
        "set the number once", "--from");
  }
  if (from.count == 0) from.count = request.from_gpus;
  if (!from_gpus && from.count == 0) {
    throw Error(ErrorKind::usage, "the number of measured accelerators is missing",
                fmt::format("write --from 8x{}, or set --from-gpus", arguments.from.substr(0, 60)));
  }
  request.from = std::move(from.name);
  request.from_gpus = from_gpus.value_or(from.count);
  for (TransferTarget& target : request.targets) {
    catalog::CountedAccelerator to = read_accelerator(target.accelerator, catalog);
    if (to.count > 0 && !target.gpus) target.gpus = to.count;
    target.accelerator = std::move(to.name);
  }
}

TransferRequest transfer_request_of(const TransferArguments& arguments, Session& session) {
  TransferRequest request;
  request.base = arguments.scenario.read(session);
  const auto refuse = [](std::string message, std::string hint) {
    throw Error(ErrorKind::usage, std::move(message), std::move(hint));
  };
  request.from_gpus = 0;
  // A recipe's accelerators are those of the measured run.
  if (!arguments.scenario.recipes().empty()) {
    request.from_gpus = request.base.number_or(Field::hardware_gpus, 0);
    request.base.clear(Field::hardware_gpus);
  }
  if (request.base.has(Field::hardware_accelerator) || request.base.has(Field::hardware_gpus)) {
    refuse("--accelerator and --gpus do not apply to transfer",
           "write --from 8xh100-sxm and --to 8xh200");
  }
  if (arguments.from.empty()) {
    refuse("the measured platform is missing", "set --from, for example --from 8xa100-sxm-80gb");
  }
  double& sigma = request.measured_sigma;
  request.seconds = measured(arguments.measured, NumberKind::duration, "--measured", sigma);
  request.tokens_per_second = measured(arguments.tokens_per_second, NumberKind::count,
                                       "--measured-tokens-per-second", sigma);
  if (!arguments.to.empty()) request.targets = parse_transfer_targets(arguments.to);
  use_counts(arguments, session.catalog(), request);
  if (const auto to_gpus = gpus(arguments.to_gpus, "--to-gpus")) {
    for (TransferTarget& target : request.targets) {
      if (!target.gpus) target.gpus = to_gpus;
    }
  }
  return request;
}

int run_transfer(const TransferArguments& arguments, Session& session) {
  const Format format = arguments.output.choose();
  TransferReport report;
  report.request = transfer_request_of(arguments, session);
  Output output(arguments.output.path);
  report.result = transfer(report.request, session.catalog());
  report.scenario = scenario_to_json(report.request.base);
  report.price_data_date = price_date(session.catalog());
  const TransferResult& result = report.result;
  Document document = transfer_document(report);
  document.command = session.command;
  output.write(render(document, format, style_of(arguments.output, format, session)));
  output.commit();
  if (format == Format::table) return kExitOk;  // the text has the warnings
  for (const Estimator::Failure& failure : result.failures) session.warn(failure_line(failure));
  for (const std::string& each : result.warnings) session.warn(each);
  return kExitOk;
}

}  // namespace

Action define_transfer(Flags& flags, Session& session) {
  auto arguments = std::make_shared<TransferArguments>();
  flags.group("Measurement");
  flags.add("--from", arguments->from, "[N]xNAME",
            "accelerator that was measured, with its number: 8xa100-sxm-80gb");
  flags.add("--from-gpus", arguments->from_gpus, "N",
            "number of measured accelerators, if --from has none");
  flags.add("--measured", arguments->measured, "TIME",
            "time that the whole run took, or P10..P90 of it");
  flags.add("--measured-tokens-per-second", arguments->tokens_per_second, "N",
            "steady throughput of all measured accelerators together, instead of --measured");
  flags.add("--to", arguments->to, "[N]xNAME,..",
            "accelerators to run on, each with its own number if it differs: 8xh200,4xgb200-nvl72");
  flags.add("--to-gpus", arguments->to_gpus, "N",
            "number of each that has none (default: as measured)");
  arguments->scenario.add(flags, session);
  add_details_option(flags, arguments->output);
  add_output_options(flags, arguments->output);
  return [arguments, &session] { return run_transfer(*arguments, session); };
}

}  // namespace trcost::cli

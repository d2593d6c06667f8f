// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/documents.h"
#include "study/calibrate/calibrate.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

struct CalibrateArguments {
  ScenarioOptions scenario;
  OutputOptions report;
  std::vector<std::string> measured, logs;
  bool explain = false;
  std::string file;
};

void read_log(const std::string& path, const Scenario& asked, const Catalog& catalog,
              Measurements& out) {
  if (path == "-") {
    note_stdin();
    read_measured_log(catalog, std::cin, "stdin", asked, out);
    return;
  }
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    throw Error(ErrorKind::data, "this is a directory, not a log", "name a file within it", path);
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Error(ErrorKind::data, "there is no such log, or it cannot be opened",
                "check the path and its permissions", path);
  }
  note_input(path);
  read_measured_log(catalog, in, path, asked, out);
}

// Which of the facts asked for no step shares.
void warn_of_other_chip(const Scenario& asked, const CalibrationResult& result, Session& session) {
  if (result.accelerators.empty()) return;
  for (const std::string& name : asked.names(Field::hardware_accelerator)) {
    const std::string& chip = session.catalog().accelerator(name).name;
    if (std::ranges::find(result.accelerators, chip) != result.accelerators.end()) continue;
    session.warn(
        fmt::format("no step ran on {}: the file speaks of {}, and on {} with a wider range", chip,
                    fmt::join(result.accelerators, ", "), chip));
  }
}

// `my.html` would be JSON under a name that opens in something else.
void check_name(const std::string& file) {
  if (file.empty() || file == "-") return;
  if (format_from_extension(file).value_or(Format::json) == Format::json) return;
  throw Error(ErrorKind::usage, "what calibrate writes is a stack, a JSON file",
              "name it .json. --format is of the report on stdout, which > puts into a file",
              "-o " + file);
}

int run_calibrate(const CalibrateArguments& arguments, Session& session) {
  const Format format = arguments.report.choose();
  const Scenario asked = arguments.scenario.read(session);
  const Catalog& catalog = session.catalog();
  Measurements measured;
  for (const std::string& path : arguments.measured) {
    read_measured_rows(catalog, read_input(path), path == "-" ? "stdin" : path, asked, measured);
  }
  for (const std::string& path : arguments.logs) read_log(path, asked, catalog, measured);
  std::optional<Output> file;
  if (!arguments.file.empty()) file.emplace(arguments.file);
  check_name(arguments.file);
  const CalibrationResult result = calibrate(catalog, std::move(measured), arguments.explain);
  if (arguments.file != "-") {
    Document document = calibration_document(result);
    document.command = session.command;
    Output("-").write(render(document, format, style_of(arguments.report, format, session)));
  }
  if (file && result.stack_json.empty()) {
    throw Error(ErrorKind::data, fmt::format("{}", fmt::join(result.warnings, ". ")),
                "no file is written: check the facts of the run, or remove -o");
  }
  if (file) {
    file->write(result.stack_json);
    file->commit();
  }
  for (const std::string& warning : result.warnings) session.warn(warning);
  warn_of_other_chip(asked, result, session);
  if (!file && !result.stack_json.empty())
    session.note("no file was written: add -o my-stack.json, then use --stack my-stack.json");
  return kExitOk;
}

}  // namespace

Action define_calibrate(Flags& flags, Session& session) {
  auto arguments = std::make_shared<CalibrateArguments>();
  flags.group("Measurement");
  flags.add(
      "--measured", arguments->measured, "FILE.csv",
      "steps of your own, a row each, with the columns of data/runs/throughput.csv. Flags fill "
      "what a row leaves out");
  flags.add(
      "--log", arguments->logs, "FILE",
      "log of a training program: Megatron-LM, torchtitan, Hugging Face Trainer, DeepSpeed, NeMo, "
      "MaxText and others, or JSON lines. Flags set what it does not say");
  flags.add("--explain", arguments->explain,
            "print measured beside predicted, the part that explains the difference best, and what "
            "to try");
  add_format_option(flags, arguments->report);
  flags.add("-o,--output", arguments->file, "FILE.json",
            "the stack file to write, - for stdout alone");
  arguments->scenario.accept_no_amount();
  arguments->scenario.add(flags, session);
  return [arguments, &session] { return run_calibrate(*arguments, session); };
}

}  // namespace trcost::cli

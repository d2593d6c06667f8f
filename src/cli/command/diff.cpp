// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/documents.h"
#include "study/diff/diff.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

struct DiffArguments {
  std::vector<std::string> files;
  std::string fail_above;
  bool all = false;
  OutputOptions output;
};

// Dollars carry a sign or a unit, or are more than a percentage in words could be.
std::optional<DiffLimit> threshold(const std::string& text) {
  if (text.empty()) return std::nullopt;
  constexpr double kLeastPlainUsd = 100;
  // Any percentage, also above 100.
  const bool percent = text.ends_with('%');
  const bool dollars = text.find_first_not_of("0123456789.e+-") != std::string::npos && !percent;
  double value = 0;
  try {
    value = parse_number(percent ? text.substr(0, text.size() - 1) : text,
                         dollars ? NumberKind::money : NumberKind::number);
  } catch (const Error& error) {
    throw Error(error.kind, error.message, "write a share like 10%, or dollars like 1000 or $50",
                "--fail-above");
  }
  if (dollars || (!percent && value > kLeastPlainUsd)) return DiffLimit{0, value};
  if (percent) return DiffLimit{value / 100, std::nullopt};
  if (value > 1) {
    throw Error(ErrorKind::usage,
                fmt::format("{} could be a percentage or an amount of dollars", text),
                fmt::format("write {0}% or ${0}", text), "--fail-above");
  }
  return DiffLimit{value, std::nullopt};
}

int run_diff(const DiffArguments& arguments, Session& session) {
  const Format format = arguments.output.choose();
  if (arguments.files.size() != 2) {
    throw Error(ErrorKind::usage,
                fmt::format("two saved results are needed, {} given", arguments.files.size()),
                "trcost diff before.json after.json");
  }
  const std::string& a = arguments.files[0];
  const std::string& b = arguments.files[1];
  if (a == "-" && b == "-") {
    throw Error(ErrorKind::usage, "stdin cannot be both results", "name a file for one of them");
  }
  DiffReport report;
  report.fail_above = threshold(arguments.fail_above);
  report.a = a == "-" ? "stdin" : a;
  report.b = b == "-" ? "stdin" : b;
  report.everything = arguments.all;
  report.result = diff_results(read_input(a), report.a, read_input(b), report.b);
  Output output(arguments.output.path);
  Document document = diff_document(report);
  document.command = session.command;
  output.write(render(document, format, style_of(arguments.output, format, session)));
  output.commit();
  if (!report.fail_above) return kExitOk;
  const std::vector<std::string> failed = totals_above(report.result, *report.fail_above);
  for (const std::string& text : failed) {
    session.error(text, &text != &failed.back()
                            ? ""
                            : fmt::format("--fail-above {} wants every platform in both results, "
                                          "and no total higher by more",
                                          arguments.fail_above));
  }
  return failed.empty() ? kExitOk : kExitCheckFailed;
}

}  // namespace

Action define_diff(Flags& flags, Session& session) {
  auto arguments = std::make_shared<DiffArguments>();
  flags.group("Input");
  flags.add("FILES", arguments->files, "A.json B.json",
            "two results of one command, saved with --format json");
  flags.group("Output");
  flags.add("--fail-above", arguments->fail_above, "USD|SHARE",
            "exit 3 if the total of a platform rises by more than these dollars (1000, $50) or "
            "this share (10%), or cannot be compared");
  flags.add("--all", arguments->all, "every figure that differs, not only the main ones");
  add_output_options(flags, arguments->output);
  return [arguments, &session] { return run_diff(*arguments, session); };
}

}  // namespace trcost::cli

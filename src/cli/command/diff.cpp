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

std::optional<double> threshold(const std::string& text) {
  if (text.empty()) return std::nullopt;
  // Any percentage, also above 100.
  const bool percent = text.ends_with('%');
  double value = 0;
  try {
    value = parse_number(percent ? text.substr(0, text.size() - 1) : text, NumberKind::number);
  } catch (const Error& error) {
    throw Error(error.kind, error.message, "write a share like 10% or 0.1", "--fail-above");
  }
  if (percent) return value / 100;
  if (value > 1) {
    throw Error(ErrorKind::usage, fmt::format("{} would be {} %", text, format_exact(100 * value)),
                fmt::format("write {0}% or {1}%", text, format_exact(100 * value)), "--fail-above");
  }
  return value;
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
            "two results of `trcost estimate --format json`");
  flags.group("Output");
  flags.add("--fail-above", arguments->fail_above, "SHARE",
            "exit 3 when a platform's total rises by more than this share, or cannot be "
            "compared");
  flags.add("--all", arguments->all, "every figure that differs, not only the main ones");
  add_output_options(flags, arguments->output);
  return [arguments, &session] { return run_diff(*arguments, session); };
}

}  // namespace trcost::cli

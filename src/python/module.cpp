// SPDX-License-Identifier: Apache-2.0
// Python view of the program: its table of commands, and a way to run one. Names, help and
// defaults come from that table and from the scenario's; `__init__.py` makes functions of them.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/run.h"
#include "cli/session/session.h"
#include "text/files.h"
#include "trcost/error.h"
#include "trcost/scenario.h"
#include "trcost/version.h"

namespace {

namespace py = pybind11;
using namespace trcost;

std::string_view kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "usage";
    case ErrorKind::data:
      return "data";
    case ErrorKind::no_answer:
      return "no answer";
  }
  return {};
}

struct Failure {
  std::string kind, message, hint, location;
};

struct Run {
  int code = 0;
  std::string text;  ///< of stdout
  std::vector<std::pair<std::string, std::string>> messages;
  std::optional<Failure> failure;
};

// One at a time: signals and the files that a run has read are the process's.
Run run(const std::vector<std::string>& arguments) {
  const py::gil_scoped_release others_go_on;
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  Run out;
  cli::Session session;
  session.options.color = "never";
  session.listener = [&](std::string_view kind, std::string_view message) {
    out.messages.emplace_back(kind, message);
  };
  forget_inputs();
  const cli::CapturedOutput captured(out.text);
  try {
    out.code = cli::run_arguments(arguments, session);
  } catch (const Error& error) {
    out.failure = {std::string(kind_name(error.kind)), error.message, error.hint, error.location};
  }
  return out;
}

py::dict described(const cli::Flag& flag) {
  py::dict out;
  out["name"] = flag.name;
  out["value"] = flag.value;
  out["help"] = flag.help;
  out["group"] = flag.group;
  out["repeats"] = flag.repeats;
  return out;
}

py::list commands() {
  py::list out;
  for (const cli::Command& command : cli::commands()) {
    cli::Session session;
    cli::Flags flags;
    (void)command.define(flags, session);
    py::list rows;
    for (const cli::Flag& flag : flags.rows()) rows.append(described(flag));
    py::dict row;
    row["name"] = command.name;
    row["summary"] = command.summary;
    row["examples"] = command.examples;
    row["flags"] = rows;
    out.append(row);
  }
  return out;
}

// `--params` of `model.params`.
py::dict field_flags() {
  py::dict out;
  for (const FieldInfo& info : fields()) out[py::str(info.path)] = info.flag;
  return out;
}

}  // namespace

PYBIND11_MODULE(_trcost, module) {
  py::class_<Failure>(module, "Failure")
      .def_readonly("kind", &Failure::kind)
      .def_readonly("message", &Failure::message)
      .def_readonly("hint", &Failure::hint)
      .def_readonly("location", &Failure::location);
  py::class_<Run>(module, "Run")
      .def_readonly("code", &Run::code)
      .def_readonly("text", &Run::text)
      .def_readonly("messages", &Run::messages)
      .def_readonly("failure", &Run::failure);
  module.attr("version") = trcost_version();
  module.def("run", &run);
  module.def("commands", &commands);
  module.def("field_flags", &field_flags);
}

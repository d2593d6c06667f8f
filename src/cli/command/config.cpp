// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/flags/settings.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/documents.h"
#include "report/page/page.h"
#include "report/table/table.h"
#include "scenario/fields.h"
#include "scenario/scenario_json.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

struct ConfigArguments {
  std::string what;
  bool all = false;
  ScenarioOptions scenario;
  OutputOptions output;
};

// The path with `~` for the home folder.
std::string below_home(const std::string& path) {
  const std::string home = environment("HOME");
  if (home.empty() || !path.starts_with(home + "/")) return path;
  return "~" + path.substr(home.size());
}

std::string file_words(const Session& session) {
  const std::string path = config_path(session);
  if (!path.empty()) return below_home(path);
  if (session.options.no_config) return "none (--no-config)";
  return fmt::format("none. {} would be read", below_home(usual_config_path()));
}

// Value of an unset field: its literal default, or the rule that decides.
Cell default_value(const FieldInfo& info) {
  if (info.fallback.empty()) return info.rule;
  if (info.kind == FieldKind::flag) return Cell::boolean(info.fallback == "on");
  if (!is_numeric(info.kind)) return info.fallback;
  return Cell::number(parse_number(info.fallback, number_kind(info.kind)),
                      std::string(info.fallback));
}

// Value of a set field: a number or a text, and JSON for a distribution.
Cell set_value(const Scenario& scenario, const FieldInfo& info) {
  const std::string json = value_json(scenario, info);
  if (scenario.distribution(info.field) != nullptr) return Cell::json(json);
  if (info.kind == FieldKind::flag) return Cell::boolean(scenario.flag(info.field));
  if (!is_numeric(info.kind)) return scenario.text(info.field);
  return Cell::number(*scenario.number(info.field), json);
}

Table values_table(const Layered& layered, bool all) {
  Table table({{.title = "field", .key = "path"},
               {.title = "value", .key = "value", .overflow = Overflow::wrap},
               {.title = "from", .key = "from"}});
  for (const FieldInfo& info : fields()) {
    const Layer* origin = layered.origin[static_cast<std::size_t>(info.field)];
    if (origin == nullptr && !all) continue;
    const Cell value = origin == nullptr ? default_value(info) : set_value(layered.scenario, info);
    table.add_row({std::string(info.path), value, origin_words(origin, info)});
  }
  return table;
}

int show_config(const ConfigArguments& arguments, Session& session) {
  const Format format = arguments.output.choose();
  const std::vector<Layer> layers = arguments.scenario.layers(session);
  const Layered layered = combined(layers);
  // People ask what was moved, machines get every field.
  const bool people = format_info(format).form == Form::page;
  Table values = values_table(layered, arguments.all || !people);
  const bool empty = values.rows().empty();
  Document document = table_document(std::move(values), "settings", "Settings");
  document.page = [page = std::move(document.page), file = file_words(session),
                   all = arguments.all || !people, empty] {
    Page out = page();
    out.bare = false;
    out.pieces.insert(out.pieces.begin(), Facts{{{"Config file", file}}});
    if (!all && empty) {
      out.add(Paragraph{"Nothing is set. `trcost help fields` lists the variables and keys."});
    } else if (!all) {
      out.add(
          Paragraph{"Every other field has its default: --all, or `trcost help fields`", Ink::dim});
    }
    return out;
  };
  document.command = session.command;
  Output output(arguments.output.path);
  output.write(render(document, format, style_of(arguments.output, format, session)));
  output.commit();
  return kExitOk;
}

int run_config(const ConfigArguments& arguments, Session& session) {
  if (arguments.what.empty() || arguments.what == "show") return show_config(arguments, session);
  if (arguments.what != "path") {
    throw Error(ErrorKind::usage, fmt::format("config does not know \"{}\"", arguments.what),
                "allowed: show, path");
  }
  if (!format_info(arguments.output.choose()).traits.terminal) {
    throw Error(ErrorKind::usage, "config path is one line of text", "leave --format out");
  }
  Output output(arguments.output.path);
  output.write(usual_config_path() + "\n");
  output.commit();
  return kExitOk;
}

}  // namespace

Action define_config(Flags& flags, Session& session) {
  auto arguments = std::make_shared<ConfigArguments>();
  flags.group("Arguments");
  flags.add("WHAT", arguments->what, "",
            "show (default): each value and its origin. path: the place of the file");
  arguments->scenario.add(flags, session);
  add_output_options(flags, arguments->output);
  flags.group("Output");
  flags.add("--all", arguments->all, "fields that have their defaults too");
  return [arguments, &session] { return run_config(*arguments, session); };
}

}  // namespace trcost::cli

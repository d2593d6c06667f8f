// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/scenario_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/flags/flags.h"
#include "cli/flags/settings.h"
#include "cli/session/session.h"
#include "text/files.h"
#include "trcost/catalog.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

std::string value_words(const FieldInfo& info) {
  switch (info.kind) {
    case FieldKind::choice:
      return std::string(info.choices);
    case FieldKind::flag:
      return "on|off";
    case FieldKind::text:
      return "NAME";
    case FieldKind::list:
      return info.choices.empty() ? std::string("NAME[,NAME]") : std::string(info.choices);
    case FieldKind::size:
      return "WxH";
    case FieldKind::money:
      return "USD";
    case FieldKind::duration:
      return "TIME";
    case FieldKind::bytes:
      return "BYTES";
    case FieldKind::fraction:
      return "F";
    default:
      return "N";
  }
}

std::string group_of(const FieldInfo& info) {
  std::string group(info.path.substr(0, info.path.find('.')));
  group[0] = static_cast<char>(group[0] - 'a' + 'A');
  return group;
}

std::string help_of(const FieldInfo& info) {
  const std::string fallback(info.fallback.empty() ? info.rule : info.fallback);
  return fmt::format("{} (default: {})", info.help, fallback);
}

// Aliases become the names of their entries, so that answers, columns and saved scenarios all say
// one name; an accelerator that is named twice stands once.
void use_entry_names(Scenario& scenario, const Catalog& catalog) {
  std::vector<std::string> out;
  bool aliased = false;
  for (std::string& name : scenario.names(Field::hardware_accelerator)) {
    const bool known =
        name.ends_with(".json") || catalog.has_file("accelerators/" + name + ".json");
    std::string entry = known ? std::string() : catalog.entry_of(CatalogKind::accelerators, name);
    aliased = aliased || !entry.empty();
    if (!entry.empty()) name = std::move(entry);
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  }
  if (aliased) {
    scenario.set_text(Field::hardware_accelerator, fmt::format("{}", fmt::join(out, ",")));
  }
}

}  // namespace

std::string read_input(const std::string& path) {
  return path == "-" ? read_stdin() : read_text_file(path);
}

void ScenarioOptions::add(Flags& flags, const Session& session, bool (*wanted)(const FieldInfo&)) {
  flags.group("Model");
  flags.add("--scenario", file_, "FILE", "scenario as JSON, - for stdin; flags override it");
  for (const FieldInfo& info : fields()) {
    if (!session.defines(info.flag) || (wanted != nullptr && !wanted(info))) continue;
    auto& typed = typed_.emplace_back(std::make_unique<Typed>(Typed{&info, {}}));
    flags.group(group_of(info));
    flags.add(std::string(info.flag), typed->text, value_words(info), help_of(info),
              info.kind == FieldKind::flag);
  }
}

std::vector<Field> ScenarioOptions::typed() const {
  std::vector<Field> out;
  for (const auto& each : typed_) {
    if (each->text) out.push_back(each->info->field);
  }
  return out;
}

void ScenarioOptions::set_file(const std::string& path) {
  if (!file_.empty()) {
    throw Error(ErrorKind::usage, "two scenario files",
                "give the file once, with or without --scenario");
  }
  file_ = path;
}

std::vector<Layer> ScenarioOptions::layers(Session& session, const Prepare& prepare) const {
  std::vector<Layer> out = own_layers(session);
  if (!file_.empty()) {
    const std::string origin = file_ == "-" ? "stdin" : file_;
    std::string text = read_input(file_);
    if (prepare) text = prepare(std::move(text), origin);
    out.push_back({Layer::Kind::file, origin, scenario_from_json(text, origin)});
  }
  Layer flags{Layer::Kind::flags, "", {}};
  for (const auto& typed : typed_) {
    if (!typed->text) continue;
    const bool bare_flag = typed->info->kind == FieldKind::flag && typed->text->empty();
    flags.values.set(*typed->info, bare_flag ? "on" : *typed->text, typed->info->flag);
  }
  out.push_back(std::move(flags));
  return out;
}

Scenario ScenarioOptions::read(Session& session, const Prepare& prepare) const {
  const std::vector<Layer> all = layers(session, prepare);
  Layered layered = combined(all);
  note_settings(layered, session);
  use_entry_names(layered.scenario, session.catalog());
  return std::move(layered.scenario);
}

}  // namespace trcost::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/flags/scenario_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/flags/flags.h"
#include "cli/flags/settings.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "quantity/suggest.h"
#include "text/files.h"
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
      if (info.field == Field::cost_prices) return "NAME:USD[,NAME:USD]";
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
      return info.field == Field::cost_experiments ? "FACTOR" : "N";
  }
}

std::string group_of(const FieldInfo& info) {
  std::string group(info.path.substr(0, info.path.find('.')));
  group[0] = quantity::upper_case(group[0]);
  return group;
}

std::string help_of(const FieldInfo& info) {
  const std::string fallback(info.fallback.empty() ? info.rule : info.fallback);
  return fmt::format("{} (default: {})", info.help, fallback);
}

// The GPUs of `8xh100` become --gpus. A machine only names the accelerator if the cluster's size is
// set otherwise.
void use_count(Scenario& scenario, const catalog::CountedAccelerator& found, std::string_view typed,
               std::optional<double>& count) {
  if (!found.cloud.empty() &&
      (scenario.has(Field::hardware_gpus) || scenario.has(Field::hardware_deadline)) && !count) {
    return;
  }
  const double gpus = count.value_or(scenario.number_or(Field::hardware_gpus, found.count));
  if (gpus != found.count) {
    throw Error(ErrorKind::usage,
                fmt::format("\"{}\" has {} GPUs, but {} are set", typed.substr(0, 60),
                            format_exact(found.count), format_exact(gpus)),
                fmt::format("set the number once: --gpus N, without a count in \"{}\"",
                            typed.substr(0, 60)),
                "--accelerator");
  }
  count = gpus;
}

// Whoever names a cloud's machine wants its price, if the cloud quotes one.
void use_cloud(Scenario& scenario, const Catalog& catalog, const std::string& cloud,
               const std::vector<std::string>& accelerators) {
  constexpr Field kPriced[] = {Field::cost_provider, Field::cost_price_class,
                               Field::cost_price_per_gpu_hour, Field::cost_prices,
                               Field::cost_pricing};
  const bool priced = std::ranges::any_of(kPriced, [&](Field each) { return scenario.has(each); });
  if (cloud.empty() || priced) return;
  const prices::PriceBook& book = prices::price_book(catalog);
  const bool quoted = std::ranges::all_of(accelerators, [&](const std::string& accelerator) {
    return prices::quotes(book, cloud, accelerator);
  });
  if (quoted) scenario.set_text(Field::cost_provider, prices::provider_name(book, cloud));
}

// Aliases become the names of their entries, so that answers, columns and saved scenarios all say
// one name; an accelerator that is named twice stands once.
void use_entry_names(Scenario& scenario, const Catalog& catalog) {
  std::vector<std::string> out;
  bool changed = false;
  std::optional<double> count;
  std::set<std::string> clouds;  // an empty one for what is no machine
  for (const std::string& typed : scenario.names(Field::hardware_accelerator)) {
    catalog::CountedAccelerator found = read_accelerator(typed, catalog);
    if (found.count > 0) use_count(scenario, found, typed, count);
    clouds.insert(found.cloud);
    changed = changed || found.name != typed;
    if (std::ranges::find(out, found.name) == out.end()) out.push_back(std::move(found.name));
  }
  if (changed) {
    scenario.set_text(Field::hardware_accelerator, fmt::format("{}", fmt::join(out, ",")));
  }
  if (count) scenario.set_number(Field::hardware_gpus, *count);
  if (clouds.size() == 1) use_cloud(scenario, catalog, *clouds.begin(), out);
}

// Names of the accelerators that have a price of their own become those of their entries. Without
// --accelerator they are the platforms. Throws Error (usage) for a price of another accelerator.
void use_priced_names(Scenario& scenario, const Catalog& catalog) {
  if (!scenario.has(Field::cost_prices)) return;
  std::vector<std::string> priced, text;
  for (const NamedPrice& price : parse_named_prices(scenario.text(Field::cost_prices))) {
    priced.push_back(catalog.accelerator(read_accelerator(price.name, catalog).name).name);
    text.push_back(fmt::format("{}:{}", priced.back(), format_exact(price.usd)));
  }
  scenario.set_text(Field::cost_prices, fmt::format("{}", fmt::join(text, ",")));
  if (!scenario.has(Field::hardware_accelerator)) {
    scenario.set_text(Field::hardware_accelerator, fmt::format("{}", fmt::join(priced, ",")));
  }
  const std::vector<std::string> platforms = scenario.names(Field::hardware_accelerator);
  for (const std::string& name : priced) {
    const bool asked = std::ranges::any_of(platforms, [&](const std::string& platform) {
      return catalog.accelerator(platform).name == name;
    });
    if (asked) continue;
    throw Error(ErrorKind::usage, fmt::format("it names {}, which --accelerator does not", name),
                fmt::format("write --accelerator {},{}, or leave that price out",
                            fmt::join(platforms, ","), name),
                "--price");
  }
}

// `--gpus h100` and `--gpus 8xh100` name an accelerator.
void refuse_accelerator_as_count(std::string_view typed, const Catalog& catalog) {
  if (typed.find_first_of("abcdefghijlnopqrstuvwxyzABCDEFGHIJLNOPQRSTUVWXYZ") == typed.npos) return;
  const std::string name(typed.substr(0, 60));
  const catalog::CountedAccelerator found = read_accelerator(name, catalog);
  if (!catalog.has_file("accelerators/" + found.name + ".json")) return;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a whole number", name),
              found.count > 0
                  ? fmt::format("write --accelerator {}, or --gpus {} --accelerator {}", name,
                                format_exact(found.count), found.name)
                  : fmt::format("write --accelerator {}, and the number in --gpus", found.name),
              "--gpus");
}

// A duration without a unit is seconds, which few people mean, except for those of seconds.
void note_bare_seconds(const FieldInfo& info, std::string_view typed, Session& session) {
  constexpr Field kOfSeconds[] = {Field::data_seconds, Field::rollout_verifier,
                                  Field::efficiency_restart, Field::efficiency_checkpoint_stall,
                                  Field::cost_checkpoint_interval};
  if (info.kind != FieldKind::duration) return;
  if (std::ranges::find(kOfSeconds, info.field) != std::end(kOfSeconds)) return;
  if (typed.find_first_not_of("0123456789.") != typed.npos) return;
  constexpr std::size_t kMostDigits = 3;  // of a deadline meant in days
  if (info.field == Field::hardware_deadline && typed.size() <= kMostDigits) {
    throw Error(ErrorKind::usage, fmt::format("{} has no unit", typed),
                fmt::format("write {}d for days or {}h for hours", typed, typed),
                std::string(info.flag));
  }
  session.warn(fmt::format("{} {} is read as {} seconds: write {}d for days or {}h for hours",
                           info.flag, typed, typed, typed, typed));
}

// Flags, with the values of a sweep's axes over them.
Layer with_axes(const Layer& flags, const Scenario& axes) {
  return {Layer::Kind::flags, "", combined({flags, {Layer::Kind::flags, "", axes}}).scenario};
}

Scenario scenario_of(const std::vector<Layer>& all, Session& session) {
  Layered layered = combined(all);
  note_settings(layered, session);
  use_entry_names(layered.scenario, session.catalog());
  use_priced_names(layered.scenario, session.catalog());
  return std::move(layered.scenario);
}

// A warning of an amount that the recipe lacks: the cost is proportional to it. Empty for another
// field.
std::string guess_words(const recipe::RecipeGap& gap) {
  static constexpr std::pair<Field, std::string_view> kAmounts[] = {
      {Field::data_samples, "samples"},
      {Field::data_tokens, "tokens"},
      {Field::rollout_steps, "rounds"}};
  for (const auto& [field, noun] : kAmounts) {
    const FieldInfo& info = field_info(field);
    if (info.path != gap.path) continue;
    return fmt::format("the number of {} is a guess: {}. Set {}", noun, gap.why, info.flag);
  }
  return {};
}

}  // namespace

catalog::CountedAccelerator read_accelerator(const std::string& typed, const Catalog& catalog) {
  const auto entry_of = [&](const std::string& name) {
    return catalog.has_file("accelerators/" + name + ".json")
               ? name
               : catalog.entry_of(CatalogKind::accelerators, name);
  };
  if (typed.ends_with(".json")) return {typed};
  if (std::string entry = entry_of(typed); !entry.empty()) return {std::move(entry)};
  if (auto machine = catalog::find_machine(catalog, typed)) return *std::move(machine);
  if (auto counted = catalog::split_count(typed)) {
    if (std::string entry = entry_of(counted->name); !entry.empty()) {
      counted->name = std::move(entry);
      return *std::move(counted);
    }
  }
  return {typed};
}

std::string read_input(const std::string& path) {
  return path == "-" ? read_stdin() : read_text_file(path);
}

void ScenarioOptions::add(Flags& flags, const Session& session, bool (*wanted)(const FieldInfo&)) {
  flags.group("Model");
  flags.add("--scenario", file_, "FILE", "scenario as JSON, - for stdin. Flags override it");
  flags.add("--recipe", recipes_, "FILE",
            "configuration or launch script of another tool (trcost recipe). Flags override it");
  for (const FieldInfo& info : fields()) {
    const bool chip = info.field == Field::hardware_accelerator;
    const bool named = session.defines(info.flag) || (chip && session.defines(kAcceleratorAlias));
    if (!named || (wanted != nullptr && !wanted(info))) continue;
    auto& typed = typed_.emplace_back(std::make_unique<Typed>(Typed{&info, {}}));
    flags.group(group_of(info));
    flags.add(chip ? fmt::format("{},{}", info.flag, kAcceleratorAlias) : std::string(info.flag),
              typed->text, value_words(info), help_of(info), info.kind == FieldKind::flag);
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
                "name the file once, with or without --scenario");
  }
  file_ = path;
}

std::vector<Layer> ScenarioOptions::untyped_layers(Session& session, const Prepare& prepare) const {
  std::vector<Layer> out = own_layers(session);
  if (file_.empty()) return out;
  const std::string origin = file_ == "-" ? "stdin" : file_;
  std::string text = read_input(file_);
  if (prepare) text = prepare(std::move(text), origin);
  out.push_back({Layer::Kind::file, origin, scenario_from_json(text, origin)});
  return out;
}

Layer ScenarioOptions::typed_layer(Session& session) const {
  Layer flags{Layer::Kind::flags, "", {}};
  for (const auto& typed : typed_) {
    if (!typed->text) continue;
    if (typed->info->field == Field::hardware_gpus) {
      refuse_accelerator_as_count(*typed->text, session.catalog());
    }
    note_bare_seconds(*typed->info, *typed->text, session);
    const bool bare_flag = typed->info->kind == FieldKind::flag && typed->text->empty();
    flags.values.set(*typed->info, bare_flag ? "on" : *typed->text, typed->info->flag);
  }
  if (!recipes_.empty()) use_entry_names(flags.values, session.catalog());
  return flags;
}

std::vector<Layer> ScenarioOptions::layers(Session& session, const Prepare& prepare,
                                           recipe::RecipeReading* reading,
                                           const Scenario& axes) const {
  std::vector<Layer> out = untyped_layers(session, prepare);
  Layer flags = typed_layer(session);
  if (!recipes_.empty()) {
    recipe::RecipeReading found = read_recipes(*recipe::open_recipe(recipes_, session.catalog()),
                                               session.catalog(), out, with_axes(flags, axes));
    for (const recipe::RecipeGap& gap : found.missing) row_gaps_->first[gap.path] = gap.why;
    out.push_back({Layer::Kind::recipe, recipes_.front(), found.scenario});
    if (reading == nullptr) {
      for (const std::string& each : note_recipe(found, session)) session.warn(each);
    } else {
      *reading = std::move(found);
    }
  }
  out.push_back(std::move(flags));
  return out;
}

Scenario ScenarioOptions::read_row(Session& session, const Scenario& axes, Derive& derive) const {
  const std::vector<Layer> all = layers(session, {}, nullptr, axes);
  if (!recipes_.empty()) {
    // The layers end with those of the recipe and the flags.
    derive = [this, &catalog = session.catalog(), flags = all.back(),
              opened = recipe::open_recipe(recipes_, session.catalog()),
              beneath = std::vector<Layer>(all.begin(), all.end() - 2)](const Scenario& values) {
      std::vector<Layer> row = beneath;
      const Layer typed = with_axes(flags, values);
      recipe::RecipeReading found = read_recipes(*opened, catalog, beneath, typed);
      check_amount(found);
      {
        const std::lock_guard hold(row_gaps_->lock);
        for (const recipe::RecipeGap& gap : found.missing) {
          if (!row_gaps_->first.contains(gap.path)) row_gaps_->later.emplace(gap.path, gap.why);
        }
      }
      row.push_back({Layer::Kind::recipe, "", std::move(found.scenario)});
      row.push_back(typed);
      Scenario out = combined(row).scenario;
      use_entry_names(out, catalog);
      use_priced_names(out, catalog);
      return out;
    };
  }
  return scenario_of(all, session);
}

recipe::RecipeReading ScenarioOptions::read_recipes(const recipe::OpenedRecipe& opened,
                                                    const Catalog& catalog,
                                                    const std::vector<Layer>& beneath,
                                                    const Layer& flags) {
  std::vector<Layer> own = beneath;
  own.push_back(flags);
  Scenario given = combined(own).scenario;
  use_entry_names(given, catalog);
  recipe::RecipeReading found = recipe::read_recipe(opened, given, catalog);
  bool again = false;
  for (const FieldInfo& info : fields()) {
    const Field field = info.field;
    const bool beaten = given.has(field) && !flags.values.has(field) && found.scenario.has(field) &&
                        !given.equal(found.scenario, std::span(&field, 1));
    if (!beaten) continue;
    given.clear(field);
    again = true;
  }
  return again ? recipe::read_recipe(opened, given, catalog) : found;
}

void ScenarioOptions::check_amount(const recipe::RecipeReading& found) const {
  if (!amount_needed_ || found.uncounted_steps.empty()) return;
  throw Error(ErrorKind::usage, found.uncounted_steps,
              "set --gpus or --global-batch, or the data with --tokens or --samples",
              recipes_.front());
}

void ScenarioOptions::note_rows(Session& session) const {
  for (const auto& [path, why] : row_gaps_->later) {
    if (const std::string text = guess_words({path, why}); !text.empty()) session.warn(text);
  }
}

std::vector<std::string> ScenarioOptions::note_recipe(const recipe::RecipeReading& found,
                                                      Session& session) const {
  check_amount(found);
  const auto count = [&](std::string_view status) {
    return std::ranges::count(found.keys, status, &recipe::RecipeKey::status);
  };
  session.note(fmt::format(
      "{}: {} keys used, {} without effect on the cost, {} to check. `trcost recipe {}` lists them",
      found.framework, count("used"), count("harmless"), count("reported"),
      fmt::join(recipes_, " ")));
  std::vector<std::string> out;
  for (const recipe::RecipeGap& gap : found.missing) {
    if (std::string text = guess_words(gap); amount_needed_ && !text.empty()) {
      out.push_back(std::move(text));
    }
  }
  return out;
}

Scenario ScenarioOptions::read(Session& session, std::vector<std::string>& warnings) const {
  recipe::RecipeReading found;
  Scenario out = scenario_of(layers(session, {}, &found), session);
  if (!recipes_.empty()) warnings = note_recipe(found, session);
  return out;
}

Scenario ScenarioOptions::read(Session& session, const Prepare& prepare) const {
  return scenario_of(layers(session, prepare), session);
}

}  // namespace trcost::cli

// SPDX-License-Identifier: Apache-2.0
#include "trcost/catalog.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>

#include "catalog/assumed.h"
#include "catalog/data/data_file.h"
#include "catalog/entry_names.h"
#include "catalog/hardware/efficiency.h"
#include "catalog/hardware/hardware.h"
#include "catalog/models/hugging_face/hugging_face.h"
#include "catalog/models/models.h"
#include "catalog/overlay.h"
#include "catalog/runs/runs.h"
#include "catalog/software/engine.h"
#include "catalog/software/stacks.h"
#include "catalog/software/tools.h"
#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost::catalog {
namespace {

bool is_path(std::string_view name) {
  return name.ends_with(".json");
}

// True for a pipe, which a shell gives for <(command) and which has no extension to go by.
bool is_pipe(std::string_view name) {
  if (name.find('/') == std::string_view::npos) return false;
  std::error_code status;
  return std::filesystem::is_fifo(std::string(name), status);
}

const CatalogKindInfo& kind_info(CatalogKind kind) {
  return *std::ranges::find(catalog_kinds(), kind, &CatalogKindInfo::kind);
}

[[noreturn]] void fail_unknown(const Catalog& catalog, CatalogKind kind, std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    std::error_code status;
    const bool directory = std::filesystem::is_directory(std::string(name), status);
    const std::string guess =
        directory ? std::string()
                  : suggested_entry(catalog, kind, name.substr(name.rfind('/') + 1));
    throw Error(
        ErrorKind::data,
        directory && kind == CatalogKind::models ? "this is a folder without a config.json"
        : directory                              ? "this is a directory, not a file"
                    : "no catalog entry, and no file that ends in .json",
        fmt::format("{}{}Hugging Face names are not downloaded: use a catalog entry, or the "
                    "path of a config.json",
                    guess, guess.empty() ? "" : " "),
        std::string(name.substr(0, 200)));
  }
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool by_memory = kind == CatalogKind::accelerators && !name.empty() &&
                         is_digit(name.front()) && quantity::lower_case(name).ends_with("gb");
  if (by_memory) {
    throw Error(
        ErrorKind::usage,
        fmt::format("\"{}\" is an amount of memory, not a GPU", name.substr(0, 100)),
        "write its name, such as rtx-4090. `trcost list accelerators` has the memory of each");
  }
  const std::string guess = suggested_entry(catalog, kind, name);
  const std::string_view kinds = kind_info(kind).name;
  const std::string_view one = kinds.substr(0, kinds.size() - 1);
  throw Error(ErrorKind::usage, fmt::format("unknown {} \"{}\"", one, name.substr(0, 100)),
              fmt::format("{}{}`trcost list {}` shows all names. For your own file, use its path, "
                          "which ends in .json",
                          guess, guess.empty() ? "" : " ", kinds));
}

struct EntryFile {
  std::string_view text;
  std::string path;    // within the data folder, or the user's own
  std::string origin;  // the file's name in messages
};

// Python writes Infinity and NaN, which JSON lacks. Outside of texts they become null.
std::string without_infinities(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\' && i + 1 < text.size()) {
      out += c;
      out += text[++i];
      continue;
    }
    if (c == '"') quoted = !quoted;
    const std::string_view rest = text.substr(i);
    std::size_t length = 0;
    for (const std::string_view word : {"-Infinity", "Infinity", "NaN"}) {
      if (!quoted && length == 0 && rest.starts_with(word)) length = word.size();
    }
    if (length > 0) {
      out += "null";
      i += length - 1;
    } else {
      out += c;
    }
  }
  return out;
}

// The file of a model folder that describes it: config.json, else the file of an adapter, whose
// message says what is wanted. Empty if `name` is no folder or has neither.
std::string config_of_folder(std::string_view name) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path folder{std::string(name)};
  if (!fs::is_directory(folder, failed)) return {};
  for (const char* file :
       {"config.json", "adapter_config.json", "params.json", "model.safetensors.index.json"}) {
    const fs::path path = folder / file;
    if (fs::is_regular_file(path, failed)) return path.string();
  }
  return {};
}

// The file of a catalog name, or a user's own file. A measured row is replayed by the name of its
// model, which may be one of runs/models.
EntryFile locate(const Catalog& catalog, CatalogKind kind, std::string_view name) {
  // The text of a model file in place of a name, as a recipe gives a shape.
  if (name.starts_with('{')) return {name, "model", "model"};
  const auto own = [&](const std::string& file) {
    return EntryFile{catalog.own_file(file), file, file};
  };
  // A folder of that name in the working directory yields to the catalog.
  const bool names_folder = name.find('/') != std::string_view::npos;
  const std::string config = kind == CatalogKind::models ? config_of_folder(name) : std::string();
  if (names_folder && !config.empty()) return own(config);
  if (is_path(name) || is_pipe(name)) return own(std::string(name));
  const std::string path = fmt::format("{}/{}.json", kind_info(kind).name, name);
  if (!names_folder && catalog.has_file(path)) {
    return {catalog.file(path), path, catalog.origin(path)};
  }
  if (!config.empty()) return own(config);
  if (const std::string entry = entry_named(catalog, kind, name); !entry.empty()) {
    return locate(catalog, kind, entry);
  }
  const std::string of_rows = fmt::format("runs/models/{}.json", name);
  if (kind == CatalogKind::models && catalog.has_file(of_rows)) {
    return {catalog.file(of_rows), of_rows, catalog.origin(of_rows)};
  }
  fail_unknown(catalog, kind, name);
}

}  // namespace

}  // namespace trcost::catalog

namespace trcost {

const std::vector<CatalogKindInfo>& catalog_kinds() {
  static const std::vector<CatalogKindInfo> kinds = {
      {CatalogKind::accelerators, "accelerators", "chips: dense peaks, memory, power"},
      {CatalogKind::systems, "systems", "nodes and racks: network tiers, power, price"},
      {CatalogKind::stacks, "stacks", "training software"},
      {CatalogKind::engines, "engines", "inference software"},
      {CatalogKind::models, "models", "architectures"},
      {CatalogKind::encoders, "encoders", "vision and audio encoders"},
      {CatalogKind::prices, "prices", "what an accelerator-hour costs, by provider and date"},
      {CatalogKind::runs, "runs", "published training runs and benchmarks"},
  };
  return kinds;
}

std::string_view catalog_kind_name(CatalogKind kind) {
  return kind_info(kind).name;
}

std::string catalog_kind_names(std::string_view between, std::string_view before_last) {
  std::string out;
  for (const CatalogKindInfo& kind : catalog_kinds()) {
    if (!out.empty()) out += &kind == &catalog_kinds().back() ? before_last : between;
    out += kind.name;
  }
  return out;
}

struct Catalog::Entries {
  template <class T>
  using ByName = std::map<std::string, std::shared_ptr<const T>, std::less<>>;

  ByName<Accelerator> accelerators;
  ByName<System> systems;
  ByName<Model> models;
  ByName<Encoder> encoders;
  ByName<Stack> stacks;
  ByName<Engine> engines;
  ByName<Efficiency> efficiencies;  // by the accelerator's file
  std::optional<std::vector<ResidualFamily>> residuals;
  std::shared_ptr<const AssumedChoices> assumed;
  std::shared_ptr<const RunBook> runs;
  std::map<void (*)(), std::shared_ptr<const void>> kept;  // by loader
  std::recursive_mutex mutex;                              // readers look up further entries

  // The value of a name, made on first use.
  template <class T, class Make>
  const T& value(ByName<T>& known, std::string_view name, const Make& make) {
    const std::lock_guard lock(mutex);
    const auto found = known.find(name);
    if (found != known.end()) return *found->second;
    std::shared_ptr<const T> made = make();
    return *known.emplace(std::string(name), std::move(made)).first->second;
  }
  // The entry of a name or path, made of its document on first use.
  template <class T, class Parse>
  const T& entry(ByName<T>& known, const Catalog& catalog, CatalogKind kind, std::string_view name,
                 const Parse& parse) {
    return value(known, name, [&] {
      const EntryFile file = locate(catalog, kind, name);
      const bool own_model = kind == CatalogKind::models && is_path(file.path) &&
                             !file.path.starts_with(catalog_kind_name(kind));
      const std::string plain = own_model ? without_infinities(file.text) : std::string();
      return parse(parse_data_file(own_model ? plain : file.text, file.path, file.origin));
    });
  }
};

Catalog::Catalog(std::string directory)
    : DataFolder(std::move(directory)), entries_(std::make_unique<Entries>()) {
  if (is_built_in()) return;
  check_entry_names(*this);
  check_own_entries(*this);
}

Catalog::~Catalog() = default;

const Accelerator& Catalog::accelerator(std::string_view name) const {
  return entries_->entry(entries_->accelerators, *this, CatalogKind::accelerators, name,
                         [this](const JsonValue& document) {
                           auto out = std::make_shared<const Accelerator>(
                               parse_accelerator(document, assumed_accelerator(*this)));
                           check_architecture(*out);
                           return out;
                         });
}

const System& Catalog::system(std::string_view name) const {
  return entries_->entry(entries_->systems, *this, CatalogKind::systems, name,
                         [](const JsonValue& document) {
                           return std::make_shared<const System>(parse_system(document));
                         });
}

const Model& Catalog::model(std::string_view name) const {
  const auto find_encoder = [this](std::string_view of) -> const Encoder& { return encoder(of); };
  return entries_->entry(
      entries_->models, *this, CatalogKind::models, name, [&](const JsonValue& document) {
        return std::make_shared<const Model>(read_model(document, *this, find_encoder));
      });
}

const Encoder& Catalog::encoder(std::string_view name) const {
  return entries_->entry(entries_->encoders, *this, CatalogKind::encoders, name,
                         [](const JsonValue& document) {
                           return std::make_shared<const Encoder>(parse_encoder(document));
                         });
}

const Stack& Catalog::stack(std::string_view name) const {
  const std::size_t at = is_path(name) ? std::string_view::npos : name.find('@');
  if (at != std::string_view::npos) {
    return entries_->value(entries_->stacks, name, [&] {
      return stack_at_release(stack(name.substr(0, at)), name.substr(at + 1));
    });
  }
  if (!has_file(fmt::format("stacks/{}.json", name))) {
    if (const Tool* tool = find_tool(*this, name)) return stack(tool->stack);
  }
  return entries_->entry(entries_->stacks, *this, CatalogKind::stacks, name,
                         [this](const JsonValue& file) { return load_stack(file, *this); });
}

const Engine& Catalog::engine(std::string_view name) const {
  const std::size_t at = is_path(name) ? std::string_view::npos : name.find('@');
  if (at != std::string_view::npos) {
    return entries_->value(entries_->engines, name, [&] {
      return engine_at_release(engine(name.substr(0, at)), name.substr(at + 1));
    });
  }
  return entries_->entry(entries_->engines, *this, CatalogKind::engines, name, load_engine);
}

const Efficiency& Catalog::efficiency(const Accelerator& accelerator) const {
  const std::lock_guard lock(entries_->mutex);
  std::shared_ptr<const Efficiency>& slot = entries_->efficiencies[accelerator.file];
  if (slot) return *slot;
  if (!entries_->residuals) entries_->residuals = load_residuals(*this);
  slot = load_efficiency(
      accelerator, *this, *entries_->residuals,
      [this](std::string_view name) -> const Accelerator& { return this->accelerator(name); });
  return *slot;
}

ServingChip Catalog::serving_chip(const Accelerator& accelerator, const System& system) const {
  return load_serving_chip(accelerator, system, *this);
}

ServingSpread Catalog::serving_spread() const {
  return load_serving_spread(*this);
}

RoundFramework Catalog::round_framework(std::string_view name,
                                        const Accelerator& accelerator) const {
  return load_round_framework(name, accelerator, *this);
}

const AssumedChoices& Catalog::assumed() const {
  const std::lock_guard lock(entries_->mutex);
  if (!entries_->assumed) entries_->assumed = load_assumed_choices(*this);
  return *entries_->assumed;
}

const RunBook& Catalog::runs() const {
  const std::lock_guard lock(entries_->mutex);
  if (!entries_->runs) {
    entries_->runs =
        load_runs(*this, [this](std::string_view name) -> const Encoder& { return encoder(name); });
  }
  return *entries_->runs;
}

const Model& Catalog::run_model(std::string_view name) const {
  const auto found = runs().models.find(name);
  return found != runs().models.end() ? found->second : model(name);
}

const void* Catalog::kept_value(void (*load)(), Loader call) const {
  const std::lock_guard lock(entries_->mutex);
  std::shared_ptr<const void>& slot = entries_->kept[load];
  if (!slot) slot = call(*this, load);
  return slot.get();
}

std::vector<std::string> Catalog::names(CatalogKind kind) const {
  if (kind != CatalogKind::runs) return entries(kind_info(kind).name);
  std::vector<std::string> names;  // rows of tables, not files
  for (const ThroughputRow& row : runs().throughput) names.push_back(row.id);
  for (const PublishedRun& run : runs().runs) names.push_back(run.id);
  std::sort(names.begin(), names.end());
  return names;
}

std::string Catalog::entry_of(CatalogKind kind, std::string_view name) const {
  return entry_named(*this, kind, name);
}

std::string Catalog::show(CatalogKind kind, std::string_view name) const {
  switch (kind) {  // a malformed entry is refused
    case CatalogKind::accelerators:
      accelerator(name);
      break;
    case CatalogKind::systems:
      system(name);
      break;
    case CatalogKind::stacks:
      stack(name);
      break;
    case CatalogKind::engines:
      engine(name);
      break;
    case CatalogKind::models:
      model(name);
      break;
    case CatalogKind::encoders:
      encoder(name);
      break;
    case CatalogKind::prices:
      break;
    case CatalogKind::runs: {
      std::string text = run_text(*this, name);
      if (text.empty()) fail_unknown(*this, kind, name);
      return text;
    }
  }
  return std::string(locate(*this, kind, name).text);
}

}  // namespace trcost

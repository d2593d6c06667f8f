// SPDX-License-Identifier: Apache-2.0
#include "trcost/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>

#include "catalog/assumed.h"
#include "catalog/data_file.h"
#include "catalog/entry_names.h"
#include "catalog/hardware/efficiency.h"
#include "catalog/loaders.h"
#include "catalog/models/model.h"
#include "catalog/runs/runs.h"
#include "catalog/software/engine.h"
#include "json/embedded.h"
#include "quantity/layers.h"
#include "text/unicode.h"
#include "trcost/error.h"

namespace trcost::catalog {

namespace {

bool is_directory(const std::string& path) {
  std::error_code status;
  return std::filesystem::is_directory(path, status);
}

bool is_path(std::string_view name) {
  return name.ends_with(".json");
}

// What a shell gives for <(command): a pipe, which has no extension to go by.
bool is_pipe(std::string_view name) {
  if (name.find('/') == std::string_view::npos) return false;
  std::error_code status;
  return std::filesystem::is_fifo(std::string(name), status);
}

const CatalogKindInfo& info(CatalogKind kind) {
  return *std::find_if(catalog_kinds().begin(), catalog_kinds().end(),
                       [&](const CatalogKindInfo& row) { return row.kind == kind; });
}

std::string_view embedded_text(std::string_view path) {
  const EmbeddedFile* file = find_embedded_file(path);
  return file == nullptr
             ? std::string_view()
             : std::string_view(file->begin, static_cast<std::size_t>(file->end - file->begin));
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
  return info(kind).name;
}

std::string catalog_kind_names(std::string_view between, std::string_view before_last) {
  std::string out;
  for (const CatalogKindInfo& kind : catalog_kinds()) {
    if (!out.empty()) out += &kind == &catalog_kinds().back() ? before_last : between;
    out += kind.name;
  }
  return out;
}

struct Catalog::Cache {
  std::string directory;
  std::map<std::string, std::string, std::less<>> files;  // text of files outside of the library
  std::map<std::string, std::shared_ptr<const Accelerator>, std::less<>> accelerators;
  std::map<std::string, std::shared_ptr<const System>, std::less<>> systems;
  std::map<std::string, std::shared_ptr<const Model>, std::less<>> models;
  std::map<std::string, std::shared_ptr<const Encoder>, std::less<>> encoders;
  std::map<std::string, std::shared_ptr<const Stack>, std::less<>> stacks;
  std::map<std::string, std::shared_ptr<const Engine>, std::less<>> engines;
  std::map<std::string, std::shared_ptr<const Efficiency>, std::less<>> efficiencies;
  std::optional<std::vector<ResidualFamily>> residuals;
  std::shared_ptr<const AssumedChoices> assumed;
  std::shared_ptr<const RunBook> runs;
  std::map<void (*)(), std::shared_ptr<const void>> kept;  // by loader
  std::recursive_mutex mutex;                              ///< loaders ask for further entries

  // The entry of a name or path, made of its document on first use.
  template <class T, class Parse>
  const T& entry(std::map<std::string, std::shared_ptr<const T>, std::less<>>& known,
                 const Catalog& catalog, CatalogKind kind, std::string_view name,
                 const Parse& parse) {
    const std::lock_guard lock(mutex);
    const auto found = known.find(name);
    if (found != known.end()) return *found->second;
    const Source source = locate(catalog, kind, name);
    std::shared_ptr<const T> value =
        parse(parse_data_file(source.text, source.path, source.origin));
    return *known.emplace(std::string(name), std::move(value)).first->second;
  }

  struct Source {
    std::string_view text;
    std::string path;    // within the data folder, or the user's own
    std::string origin;  // the file's name in messages
  };

  // Runs are rows of tables, not files.
  static std::vector<std::string> run_names(const RunBook& book) {
    std::vector<std::string> names;
    for (const ThroughputRow& row : book.throughput) names.push_back(row.id);
    for (const PublishedRun& run : book.runs) names.push_back(run.id);
    std::sort(names.begin(), names.end());
    return names;
  }

  // The file of the data directory that stands in for a built-in one.
  [[nodiscard]] std::optional<std::string> overriding_file(std::string_view path) const {
    if (directory.empty()) return std::nullopt;
    std::string here = directory + "/" + std::string(path);
    std::error_code status;
    if (!std::filesystem::is_regular_file(here, status)) return std::nullopt;
    return here;
  }

  std::string_view text_of(const std::string& path) {
    const std::lock_guard lock(mutex);
    auto found = files.find(path);
    if (found == files.end()) found = files.emplace(path, read_text_file(path)).first;
    return found->second;
  }

  // Text of the file of a catalog name, or of a user's own file. A measured row is replayed by the
  // name of its model, also where only such rows have it.
  Source locate(const Catalog& catalog, CatalogKind kind, std::string_view name) {
    if (is_path(name) || is_pipe(name)) {
      return {text_of(std::string(name)), std::string(name), std::string(name)};
    }
    const std::string path = fmt::format("{}/{}.json", info(kind).name, name);
    if (name.find('/') == std::string_view::npos && catalog.has_file(path)) {
      return {catalog.file(path), path, overriding_file(path).value_or(path)};
    }
    if (const std::string entry = entry_named(catalog, kind, name); !entry.empty()) {
      return locate(catalog, kind, entry);
    }
    const std::string of_rows = fmt::format("runs/models/{}.json", name);
    if (kind == CatalogKind::models && catalog.has_file(of_rows)) {
      return {catalog.file(of_rows), of_rows, overriding_file(of_rows).value_or(of_rows)};
    }
    fail_unknown(catalog, kind, name);
  }

  [[noreturn]] static void fail_unknown(const Catalog& catalog, CatalogKind kind,
                                        std::string_view name) {
    if (name.find('/') != std::string_view::npos) {
      const bool directory = is_directory(std::string(name));
      std::string guess = directory
                              ? std::string()
                              : suggested_entry(catalog, kind, name.substr(name.rfind('/') + 1));
      if (guess.ends_with(';')) guess.pop_back();
      throw Error(
          ErrorKind::data,
          directory ? "this is a directory, not a file" : "a file of your own has to end in .json",
          guess.empty()
              ? std::string()
              : "repositories are not fetched: name a catalog entry, or the file; " + guess,
          std::string(name.substr(0, 200)));
    }
    const std::string guess = suggested_entry(catalog, kind, name);
    const std::string_view kinds = info(kind).name;
    const std::string_view one = kinds.substr(0, kinds.size() - 1);
    throw Error(ErrorKind::usage, fmt::format("unknown {} \"{}\"", one, name.substr(0, 100)),
                fmt::format("{}{}`trcost list {}` shows all names; a path that ends in .json is a "
                            "file of your own",
                            guess, guess.empty() ? "" : " ", kinds));
  }
};

Catalog::Catalog(std::string directory) : cache_(std::make_unique<Cache>()) {
  if (!directory.empty() && !is_directory(directory)) {
    throw Error(ErrorKind::data, "there is no such data directory",
                "name a folder of the form of data/, or leave it out for the built-in data",
                directory);
  }
  cache_->directory = std::move(directory);
}

Catalog::~Catalog() = default;

const Accelerator& Catalog::accelerator(std::string_view name) const {
  return cache_->entry(cache_->accelerators, *this, CatalogKind::accelerators, name,
                       [this](const JsonValue& document) {
                         return std::make_shared<const Accelerator>(
                             parse_accelerator(document, assumed_accelerator(*this)));
                       });
}

const System& Catalog::system(std::string_view name) const {
  return cache_->entry(cache_->systems, *this, CatalogKind::systems, name,
                       [](const JsonValue& document) {
                         return std::make_shared<const System>(parse_system(document));
                       });
}

const Model& Catalog::model(std::string_view name) const {
  return cache_->entry(cache_->models, *this, CatalogKind::models, name,
                       [this](const JsonValue& document) {
                         return std::make_shared<const Model>(parse_model(document, *this));
                       });
}

const Encoder& Catalog::encoder(std::string_view name) const {
  return cache_->entry(cache_->encoders, *this, CatalogKind::encoders, name,
                       [](const JsonValue& document) {
                         return std::make_shared<const Encoder>(parse_encoder(document));
                       });
}

const Stack& Catalog::stack(std::string_view name) const {
  const std::size_t at = is_path(name) ? std::string_view::npos : name.find('@');
  if (at == std::string_view::npos) {
    return cache_->entry(cache_->stacks, *this, CatalogKind::stacks, name,
                         [this](const JsonValue& file) { return load_stack(file, *this); });
  }
  const std::lock_guard lock(cache_->mutex);
  const auto found = cache_->stacks.find(name);
  if (found != cache_->stacks.end()) return *found->second;
  auto aged = stack_at_release(stack(name.substr(0, at)), name.substr(at + 1));
  return *cache_->stacks.emplace(std::string(name), std::move(aged)).first->second;
}

const Engine& Catalog::engine(std::string_view name) const {
  return cache_->entry(cache_->engines, *this, CatalogKind::engines, name, load_engine);
}

ServingSpread Catalog::serving_spread() const {
  return load_serving_spread(*this);
}

RoundFramework Catalog::round_framework(std::string_view name,
                                        const Accelerator& accelerator) const {
  return load_round_framework(name, accelerator, *this);
}

ServingChip Catalog::serving_chip(const Accelerator& accelerator, const System& system) const {
  return load_serving_chip(accelerator, system, *this);
}

const Efficiency& Catalog::efficiency(const Accelerator& accelerator) const {
  const std::lock_guard lock(cache_->mutex);
  std::shared_ptr<const Efficiency>& slot = cache_->efficiencies[accelerator.file];
  if (slot) return *slot;
  if (!cache_->residuals) cache_->residuals = load_residuals(*this);
  slot = load_efficiency(accelerator, *this, *cache_->residuals);
  return *slot;
}

const AssumedChoices& Catalog::assumed() const {
  const std::lock_guard lock(cache_->mutex);
  if (!cache_->assumed) cache_->assumed = load_assumed_choices(*this);
  return *cache_->assumed;
}

const void* Catalog::kept_value(void (*load)(), Loader call) const {
  const std::lock_guard lock(cache_->mutex);
  std::shared_ptr<const void>& slot = cache_->kept[load];
  if (!slot) slot = call(*this, load);
  return slot.get();
}

bool Catalog::is_built_in() const {
  return cache_->directory.empty();
}

const RunBook& Catalog::runs() const {
  const std::lock_guard lock(cache_->mutex);
  if (!cache_->runs) cache_->runs = load_runs(*this);
  return *cache_->runs;
}

std::vector<std::string> Catalog::names(CatalogKind kind) const {
  if (kind == CatalogKind::runs) return cache_->run_names(runs());
  const std::string folder = std::string(info(kind).name) + "/";
  std::vector<std::string> names;
  const auto add = [&](std::string_view file) {
    if (is_path(file) && file.find('/') == std::string_view::npos) {
      names.emplace_back(file.substr(0, file.size() - std::string_view(".json").size()));
    }
  };
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.path.starts_with(folder)) add(file.path.substr(folder.size()));
  }
  if (!cache_->directory.empty()) {
    std::error_code status;
    for (const auto& file :
         std::filesystem::directory_iterator(cache_->directory + "/" + folder, status)) {
      add(file.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string Catalog::entry_of(CatalogKind kind, std::string_view name) const {
  return entry_named(*this, kind, name);
}

std::string Catalog::show(CatalogKind kind, std::string_view name) const {
  if (kind == CatalogKind::runs) {
    std::string text = run_text(*this, name);
    if (text.empty()) cache_->fail_unknown(*this, kind, name);
    return text;
  }
  switch (kind) {
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
    default:
      break;
  }
  return std::string(cache_->locate(*this, kind, name).text);
}

bool Catalog::has_file(std::string_view path) const {
  return cache_->overriding_file(path) || embedded_text(path).data() != nullptr;
}

std::string_view Catalog::file(std::string_view path) const {
  const std::lock_guard lock(cache_->mutex);
  if (const auto here = cache_->overriding_file(path)) return cache_->text_of(*here);
  const std::string_view text = embedded_text(path);
  if (text.data() == nullptr) {
    throw Error(ErrorKind::data, "there is no such data file", {}, std::string(path));
  }
  return text;
}

}  // namespace trcost

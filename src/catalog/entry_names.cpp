// SPDX-License-Identifier: Apache-2.0
#include "catalog/entry_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "catalog/data/data_file.h"
#include "catalog/data/unread.h"
#include "catalog/software/tools.h"
#include "quantity/suggest.h"

namespace trcost::catalog {

namespace {

// Other spellings of an entry's name.
struct Spellings {
  std::vector<std::string> names;  // its title and aliases
  std::string vendor;
};

Spellings read_spellings(const Catalog& catalog, CatalogKind kind, const std::string& entry) {
  Spellings out;
  if (kind == CatalogKind::runs) return out;  // rows of tables, not files
  const std::string path = fmt::format("{}/{}.json", catalog_kind_name(kind), entry);
  ObjectReader file = read_data_file(catalog, path).object();
  out.names = file.texts_or_empty("aliases");
  if (std::string title = file.text_or("title", ""); !title.empty()) {
    out.names.push_back(std::move(title));
  }
  out.vendor = folded(file.text_or("vendor", ""));
  return out;
}

bool is_spelled(const Spellings& spellings, std::string_view entry, std::string_view wanted) {
  const auto is = [&](const std::string& name) { return same_name(name, wanted); };
  return same_name(entry, wanted) || std::ranges::any_of(spellings.names, is);
}

// Endings of released weights that have the shape of the model: tuning, formats, containers.
constexpr std::string_view kEndings[] = {
    "-instruct", "-chat", "-base", "-hf",   "-it",   "-pt",      "-thinking",   "-preview",
    "-bf16",     "-fp16", "-fp8",  "-int4", "-int8", "-nvfp4",   "-mxfp4",      "-awq",
    "-gptq",     "-gguf", "-4bit", "-8bit", "-bnb",  "-unsloth", "-dequantized"};

// True for `-2507`, `-0324` and `-v0.1`. Behind a name without a number it is the generation, as in
// `deepseek-v3`.
bool is_release(std::string_view name, std::string_view ending) {
  constexpr std::size_t kDate = 4;
  constexpr std::string_view kDigits = "0123456789";
  ending.remove_prefix(1);
  if (ending.size() == kDate && ending.find_first_not_of(kDigits) == ending.npos) return true;
  const bool numbered = name.find_first_of(kDigits) != name.npos;
  return numbered && ending.size() > 1 && ending.front() == 'v' &&
         ending.find_first_not_of("0123456789.", 1) == ending.npos;
}

std::string list_entries(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  if (names.size() <= kMost) return fmt::format("there is {}.", fmt::join(names, ", "));
  return fmt::format("there is {} and {} more.",
                     fmt::join(names.begin(), names.begin() + kMost, ", "), names.size() - kMost);
}

// The first number of a name: `2.5` of `qwen2.5-vl-7b`.
std::string_view first_number(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t first = std::min(name.find_first_of(kDigits), name.size());
  std::string_view number = name.substr(first);
  number = number.substr(0, number.find_first_not_of("0123456789."));
  while (number.ends_with('.')) number.remove_suffix(1);
  return number;
}

// True if two names begin with the same word but for a slip: `lama` and `llama`, not `olmo`. Words
// of one or two letters have no slips: an L20 is no H20.
bool same_word(std::string_view typed, std::string_view name) {
  constexpr std::size_t kShort = 2;
  const auto word = [](std::string_view text) {
    return std::string(text.substr(0, text.find_first_of("0123456789-")));
  };
  const std::string wanted = word(typed);
  if (wanted.size() <= kShort) return wanted == word(name);
  return nearest_name(wanted, {word(name)}) == word(name);
}

// A model of another line or generation is another model, however near its name. A chip's number
// may have a digit more or less: `h10` and `gb3000`.
std::vector<std::string> same_line(std::string_view typed, std::vector<std::string> names,
                                   bool whole_number) {
  const std::string_view wanted = first_number(typed);
  std::erase_if(names, [&](const std::string& name) {
    const std::string_view number = first_number(name);
    const bool start = number.starts_with(wanted) || wanted.starts_with(number);
    return (whole_number ? number != wanted : !start) || !same_word(typed, name);
  });
  return names;
}

// The entry with the nearest name or alias, empty for none.
std::string nearest_entry(const Catalog& catalog, CatalogKind kind, std::string_view typed,
                          const std::vector<std::string>& entries) {
  std::vector<std::string> spelled = entries, owners = entries;
  for (const std::string& entry : entries) {
    for (std::string& name : read_spellings(catalog, kind, entry).names) {
      spelled.push_back(std::move(name));
      owners.push_back(entry);
    }
  }
  const std::string nearest = nearest_name(typed, spelled);
  if (nearest.empty()) return {};
  const auto at = std::find(spelled.begin(), spelled.end(), nearest) - spelled.begin();
  return owners[static_cast<std::size_t>(at)];
}

}  // namespace

std::string plain_model_name(std::string_view name) {
  constexpr std::string_view kCacheFolder = "models--", kOwner = "meta-";
  name = name.substr(name.find_last_of('/') == name.npos ? 0 : name.find_last_of('/') + 1);
  std::string plain = lower_case(trim(name));
  if (plain.starts_with(kCacheFolder)) plain.erase(0, plain.rfind("--") + 2);
  if (plain.starts_with(kOwner)) plain.erase(0, kOwner.size());
  while (true) {
    const auto ending = std::ranges::find_if(
        kEndings, [&](std::string_view each) { return plain.ends_with(each); });
    const std::size_t dash = plain.rfind('-');
    if (ending != std::end(kEndings)) {
      plain.resize(plain.size() - ending->size());
    } else if (dash != std::string::npos && dash > 0 &&
               is_release(std::string_view(plain).substr(0, dash),
                          std::string_view(plain).substr(dash))) {
      plain.resize(dash);
    } else {
      return plain;
    }
  }
}

namespace {

std::string exact_entry(const Catalog& catalog, CatalogKind kind, std::string_view name) {
  const std::string wanted = folded(name);
  if (wanted.empty()) return {};
  for (const std::string& entry : catalog.names(kind)) {
    const Spellings spellings = read_spellings(catalog, kind, entry);
    if (is_spelled(spellings, entry, name)) return entry;
    const std::string& vendor = spellings.vendor;
    if (vendor.empty() || wanted.size() == vendor.size() || !wanted.starts_with(vendor)) continue;
    std::string_view rest = name;  // behind the vendor
    for (std::size_t count = vendor.size(); count > 0; rest.remove_prefix(1)) {
      count -= folded(rest.substr(0, 1)).size();
    }
    if (is_spelled(spellings, entry, rest)) return entry;
  }
  return {};
}

}  // namespace

std::string entry_named(const Catalog& catalog, CatalogKind kind, std::string_view name) {
  std::string entry = exact_entry(catalog, kind, name);
  if (!entry.empty() || kind != CatalogKind::models) return entry;
  const std::string plain = plain_model_name(name);
  return plain == name ? entry : exact_entry(catalog, kind, plain);
}

namespace {

// A name with its size cut out, such as `qwen3-vl-#` and 9 of `qwen3-vl-9b`.
struct SizedName {
  std::string stem;
  double billions = 0;
};

std::optional<SizedName> sized_name(std::string_view name) {
  const std::size_t end = name.rfind('b');
  if (end == name.npos || end == 0) return std::nullopt;
  std::size_t start = end;
  while (start > 0 && std::string_view("0123456789.").find(name[start - 1]) != name.npos) --start;
  if (start == end || (start > 0 && name[start - 1] != '-')) return std::nullopt;
  SizedName out{fmt::format("{}#{}", name.substr(0, start), name.substr(end + 1))};
  std::from_chars(name.data() + start, name.data() + end, out.billions);
  return out.billions > 0 ? std::optional(std::move(out)) : std::nullopt;
}

// The model of the same line whose size is within a half of the wanted one, or nothing.
std::string nearest_size(std::string_view wanted, const std::vector<std::string>& known) {
  constexpr double kFarthest = 1.5;
  const std::optional<SizedName> asked = sized_name(wanted);
  std::string nearest;
  double least = kFarthest;
  for (const std::string& name : known) {
    const std::optional<SizedName> other = sized_name(name);
    if (!asked || !other || other->stem != asked->stem) continue;
    const double ratio =
        std::max(asked->billions, other->billions) / std::min(asked->billions, other->billions);
    if (ratio > least) continue;
    least = ratio;
    nearest = name;
  }
  return nearest;
}

// The longest known name within the words of another: `llama-3.1-8b` in `hermes-3-llama-3.1-8b`.
std::string base_in(const std::string& wanted, const std::vector<std::string>& known) {
  constexpr std::size_t kLeast = 5;
  std::string longest;
  for (const std::string& name : known) {
    const bool inside = (wanted + "-").find("-" + name + "-") != std::string::npos;
    if (inside && name.size() >= std::max(kLeast, longest.size())) longest = name;
  }
  return longest;
}

// The model whose name or alias the typed name starts with: that of `llama3-8b` for
// `llama3-8b-instrct`.
std::string entry_at_start(const Catalog& catalog, std::string_view wanted) {
  for (std::size_t dash = wanted.rfind('-'); dash != wanted.npos; dash = wanted.rfind('-')) {
    wanted = wanted.substr(0, dash);
    if (std::string entry = catalog.entry_of(CatalogKind::models, wanted); !entry.empty()) {
      return entry;
    }
  }
  return {};
}

}  // namespace

std::string suggested_entry(const Catalog& catalog, CatalogKind kind, std::string_view typed) {
  constexpr std::size_t kLeastStart = 2, kLeastPart = 3;
  const std::string wanted =
      kind == CatalogKind::models ? plain_model_name(typed) : lower_case(typed);
  if (kind == CatalogKind::models) {
    if (is_number_with_unit(wanted, "b"))
      return fmt::format("for a number of parameters: --params {}.", wanted);
    if (const std::optional<UnreadModel> known = unread_model(catalog, typed)) {
      return known->nearest.empty()
                 ? known->why + "."
                 : fmt::format("{}. The nearest model is {}.", known->why, known->nearest);
    }
  }
  if (kind == CatalogKind::stacks) {
    for (const std::string_view engine : {"vllm", "sglang", "tensorrt-llm", "trt-llm"}) {
      if (!same_folded(engine, typed)) continue;
      return "inference software is an engine: trcost serve --engine.";
    }
  }
  if (kind == CatalogKind::accelerators && !wanted.empty() &&
      wanted.find_first_not_of("0123456789") == wanted.npos) {
    return fmt::format("for a number of GPUs: --gpus {}.", wanted);
  }
  const std::vector<std::string> known = catalog.names(kind);
  if (const std::string base = kind == CatalogKind::models ? base_in(wanted, known) : "";
      !base.empty()) {
    return fmt::format("if it is a fine-tune of {0}, it costs as much: --model {0}.", base);
  }
  const auto family = [](std::string_view name) { return name.substr(0, name.find('-')); };
  std::vector<std::string> longer, related;
  std::string longest_start;  // `qwen2.5-vl-7b` for `qwen2.5-vl-7b-instruct`
  for (const std::string& name : known) {
    if (wanted.starts_with(name + "-") && name.size() > longest_start.size()) longest_start = name;
    const bool point = wanted.find('.') != std::string::npos;  // opt-1.3b is no opt-13b
    if (wanted.size() >= kLeastStart &&
        (name.starts_with(wanted) || (!point && folded(name).starts_with(folded(wanted))))) {
      longer.push_back(name);
    }
    const bool part = wanted.size() >= kLeastPart && name.find(wanted) != std::string::npos;
    if (part || (family(wanted).size() >= kLeastPart && family(name) == family(wanted))) {
      related.push_back(name);
    }
  }
  if (longer.size() > 1) return list_entries(longer);
  if (longer.size() == 1) return fmt::format("did you mean \"{}\"?", longer.front());
  const bool models = kind == CatalogKind::models;
  if (const std::string sized = models ? nearest_size(wanted, known) : std::string();
      !sized.empty()) {
    return fmt::format("did you mean \"{}\"?", sized);
  }
  if (!longest_start.empty()) return fmt::format("did you mean \"{}\"?", longest_start);
  const bool chips = kind == CatalogKind::accelerators;
  std::string nearest = nearest_entry(catalog, kind, typed,
                                      models || chips ? same_line(wanted, known, models) : known);
  if (nearest.empty() && kind == CatalogKind::stacks) {
    std::vector<std::string> tools;
    for (const Tool& tool : training_tools(catalog)) tools.push_back(tool.names.front());
    nearest = nearest_name(lower_case(typed), tools);
  }
  if (models && nearest.empty()) nearest = entry_at_start(catalog, wanted);
  if (!nearest.empty()) return fmt::format("did you mean \"{}\"?", nearest);
  return related.empty() ? std::string() : list_entries(related);
}

}  // namespace trcost::catalog

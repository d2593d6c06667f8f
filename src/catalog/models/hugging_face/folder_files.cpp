// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/hugging_face/folder_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "catalog/data/data_file.h"
#include "quantity/choice.h"
#include "text/unicode.h"
#include "trcost/numbers.h"

namespace trcost::catalog {
namespace {

/// A file that is known by one of its keys.
struct OtherFile {
  std::string_view keys[3];  ///< any of them; the rest empty
  std::string_view what, hint;
};
constexpr std::string_view kGiveConfig = "set --model to the config.json of the same folder";
constexpr OtherFile kOthers[] = {
    {{"zero_optimization", "train_micro_batch_size_per_gpu", "zero_allow_untested_optimizer"},
     "a DeepSpeed configuration, which has no model",
     "read it with `trcost recipe FILE`, or pass it to --recipe"},
    {{"log_history"},
     "the state of a Trainer, which has no model",
     "pass it to `trcost calibrate --log`"},
    {{"added_tokens_decoder", "chat_template", "tokenizer_file"},
     "the configuration of a tokenizer",
     kGiveConfig},
    {{"added_tokens", "normalizer", "pre_tokenizer"}, "a tokenizer", kGiveConfig},
    {{"image_processor_type", "image_mean", "feature_extractor_type"},
     "the configuration of an image or audio processor",
     kGiveConfig},
    {{"processor_class"}, "the configuration of a processor", kGiveConfig},
    {{"producer", "quant_algo"}, "a description of quantized weights", kGiveConfig},
    {{"damp_percent", "desc_act", "zero_point"}, "a description of quantized weights", kGiveConfig},
    {{"max_new_tokens", "do_sample", "_from_model_config"},
     "the settings of text generation",
     kGiveConfig},
    {{"_diffusers_version"},
     "the index of a diffusion pipeline, which is not read",
     "set --params to the size of its denoiser"},
    {{"n_layers"},
     "a params.json of the original weights",
     "set --model to the config.json of the same model in the transformers format"},
    {{"bos_token", "eos_token", "unk_token"}, "a list of special tokens", kGiveConfig},
};

void refuse_adapter(ObjectReader& r) {
  std::string base = printable(r.text_or("base_model_name_or_path", "its base model"));
  if (base.starts_with("./") || base.starts_with('/')) base.erase(0, base.rfind('/') + 1);
  const std::string type = r.text_or("peft_type", "LORA");
  const bool quantized = r.has("loftq_config") && !r.required_object("loftq_config").keys().empty();
  if (type != "LORA") {
    r.value().fail(fmt::format("this is a {} adapter of {}, not a model", printable(type), base),
                   fmt::format("set --model {}", base));
  }
  std::string rank;
  if (const auto value = r.optional_value("r"); value && value->is_number()) {
    rank = fmt::format("{}", value->whole(1, 1e6));
  }
  r.value().fail(fmt::format("this is a LoRA adapter{} of {}, not a model",
                             rank.empty() ? std::string() : " of rank " + rank, base),
                 fmt::format("set --model {} --train {}{}", base, quantized ? "qlora" : "lora",
                             rank.empty() ? std::string() : " --lora-rank " + rank));
}

void refuse_index(ObjectReader& r) {
  std::string size;
  if (std::optional<ObjectReader> meta = r.optional_object("metadata")) {
    if (const auto total = meta->optional_value("total_size"); total && total->is_number()) {
      const double bytes = total->number(0, 1e18);
      size = fmt::format(" of {} bytes, which are {} parameters in 16 bit",
                         format_number(bytes, NumberKind::count),
                         format_number(bytes / 2, NumberKind::count));
    }
  }
  r.value().fail(fmt::format("this is an index of weights{}", size),
                 fmt::format("{}, or set --params", kGiveConfig));
}

/// True if `name` is the pattern, in which * stands for any text.
bool matches(std::string_view pattern, std::string_view name) {
  while (!pattern.empty() && pattern.front() != '*') {
    if (name.empty() || name.front() != pattern.front()) return false;
    pattern.remove_prefix(1);
    name.remove_prefix(1);
  }
  if (pattern.empty()) return name.empty();
  pattern.remove_prefix(1);
  if (pattern.empty()) return true;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (matches(pattern, name.substr(i))) return true;
  }
  return false;
}

/// True for a value that asks for nothing, such as a step of 1 between layers with experts.
bool is_off(std::string_view key, const JsonValue& value) {
  if (key.ends_with("_freq") && value.is_number() && value.number(-1e308, 1e308) == 1) return true;
  if (value.is_null()) return true;
  if (value.is_boolean()) return !value.boolean();
  if (value.is_number()) return value.number(-1e308, 1e308) == 0;
  if (value.is_array()) return value.array().empty();
  return value.is_object() && value.object().keys().empty();
}

struct Unread {
  const std::vector<std::string>& harmless;
  const std::vector<std::string>& read;  // sorted
  std::vector<std::string>& out;

  bool was_read(const std::string& path) const {
    return std::binary_search(read.begin(), read.end(), path);
  }
  bool was_entered(const std::string& path) const {
    const auto at = std::lower_bound(read.begin(), read.end(), path + ".");
    return at != read.end() && at->starts_with(path + ".");
  }
  void add(ObjectReader object, const std::string& prefix) const {
    for (const std::string& key : object.keys()) {
      const std::string path = prefix + key;
      const std::optional<JsonValue> value = object.optional_value(key);
      if (!value) continue;
      const bool known =
          is_off(key, *value) || std::ranges::any_of(harmless, [&](const std::string& pattern) {
            return matches(pattern, key);
          });
      if (known) continue;
      if (value->is_object() && was_entered(path)) {
        add(value->object(), path + ".");
      } else if (!was_read(path)) {
        out.push_back(printable(path.substr(0, 60)));
      }
    }
  }
};

}  // namespace

void refuse_other_file(const JsonValue& document) {
  ObjectReader r = document.object();
  if (r.has("peft_type") || r.has("base_model_name_or_path")) refuse_adapter(r);
  if (r.has("weight_map")) refuse_index(r);
  for (const OtherFile& other : kOthers) {
    for (const std::string_view key : other.keys) {
      if (key.empty() || !r.has(key)) continue;
      document.fail(fmt::format("this is {}", other.what), std::string(other.hint));
    }
  }
}

std::vector<std::string> unread_keys(const JsonValue& document, std::vector<std::string> read,
                                     const DataFolder& data) {
  ObjectReader file = read_data_file(data, "config_keys.json").object();
  const std::vector<std::string> harmless = file.texts_or_empty("harmless");
  std::ranges::sort(read);
  std::vector<std::string> out;
  Unread{harmless, read, out}.add(document.object(), {});
  return out;
}

}  // namespace trcost::catalog

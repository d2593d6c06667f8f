// SPDX-License-Identifier: Apache-2.0
#include "recipe/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "catalog/models/model.h"
#include "quantity/suggest.h"
#include "recipe/model_names.h"
#include "scenario/fields.h"
#include "trcost/numbers.h"

namespace trcost::recipe {
namespace {

// Sizes of a recipe. Nothing for a size that no key gives.
struct Shape {
  std::optional<double> layers, hidden, heads, kv_heads, ffn, experts, vocab;
};

Shape read_shape(const Workings& work) {
  Shape out{work.number("shape.layers"), work.number("shape.hidden"),
            work.number("shape.heads"),  work.number("shape.kv_heads"),
            work.number("shape.ffn"),    work.number("shape.experts"),
            work.number("shape.vocab")};
  if (const auto both = work.number("shape.both_ffn")) out.ffn = *both / 2;
  if (const auto both = work.number("shape.both_expansion"); both && out.hidden && !out.ffn) {
    out.ffn = *both * *out.hidden / 2;
  }
  if (const auto expansion = work.number("shape.expansion"); expansion && out.hidden && !out.ffn) {
    out.ffn = *expansion * *out.hidden;
  }
  return out;
}

// Width of an expert, that of the other layers if no key gives it.
std::optional<double> expert_width_of(const Workings& work, const Shape& shape) {
  if (const auto given = work.number("shape.expert_ffn")) return given;
  const std::optional<double> usual = work.number("expert_ffn");  // the framework's default
  return usual ? usual : shape.ffn;
}

double shared_width_of(const Workings& work) {
  const auto usual = work.has("shares_expert") ? work.number("shared_ffn") : std::nullopt;
  return work.number("shape.shared_ffn").value_or(usual.value_or(0));
}

// Megatron pads the vocabulary to a multiple of 128 times the tensor-parallel degree.
double padded(const Workings& work, double vocab) {
  if (!work.is_group("megatron")) return vocab;
  const double multiple = std::max(1.0, work.number("shape.vocab_multiple").value_or(128)) *
                          work.degree(Field::layout_tp);
  return std::ceil(vocab / multiple) * multiple;
}

constexpr double kPadding = 0.02;  // of a vocabulary, to a multiple

// Letters of the parts of a name that the hints have. A single digit may be any number.
int letters_in(std::string_view name, const std::string& hints) {
  int out = 0;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('-'), name.size());
    const std::string part = folded(name.substr(0, end));
    if (part.size() > 1 && hints.find(part) != hints.npos) out += static_cast<int>(part.size());
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return out;
}

// Letters that a name and a hint begin with: `llama3` of Llama 3.1 in `llama3_70b.yaml`.
int start_in(std::string_view name, const std::string& hints) {
  std::string start = folded(name);
  constexpr std::size_t kLeast = 3;
  while (start.size() >= kLeast && hints.find(start) == hints.npos) start.pop_back();
  return start.size() < kLeast ? 0 : static_cast<int>(start.size());
}

std::string hints_of(const Workings& work) {
  return folded(work.text("files") + work.text("name_hint"));
}

// Megatron's width where no key gives one: 4 h, or 8/3 h to a multiple of 64 if gated.
double usual_width(double hidden, bool gated) {
  constexpr double kMultiple = 64;
  return gated ? std::floor(hidden * 4 * 2 / 3 / kMultiple) * kMultiple : 4 * hidden;
}

// Whether an entry has the shape, with the defaults of the framework for what no key says.
bool has_shape(const Model& whole, const Workings& work, const Shape& shape,
               std::optional<double> vocab) {
  const LanguageModel& model = whole.language;
  const auto is = [](std::optional<double> wanted, double has) {
    return !wanted || *wanted == has;
  };
  const auto says = [&](const char* name, bool has) {
    return !work.has(name) || work.is(name, "1") == has;
  };
  const bool gated = model.mlp == Mlp::gated;
  std::optional<double> width = shape.experts ? expert_width_of(work, shape) : shape.ffn;
  const bool megatron = work.is_group("megatron");
  if (!width && megatron) width = usual_width(*shape.hidden, work.is("shape.gated", "1"));
  // Heads that share no keys may be more or fewer at the same cost.
  const std::optional<double> kv_heads = shape.kv_heads ? shape.kv_heads : shape.heads;
  const bool all_heads = !shape.kv_heads || shape.kv_heads == shape.heads;
  return model.layers == *shape.layers && model.hidden == *shape.hidden &&
         (is(kv_heads, model.kv_heads) || (all_heads && model.kv_heads == model.heads)) &&
         is(width, model.moe ? model.moe->expert_ffn : model.ffn) && says("shape.gated", gated) &&
         says("shape.untied", !model.tied_embeddings) &&
         (!vocab || std::abs(model.vocab - *vocab) < kPadding * *vocab) &&
         is(shape.experts, model.moe ? model.moe->experts : 0) &&
         shape.experts.has_value() == model.moe.has_value() && !whole.vision &&
         (!megatron || model.mla.has_value() == work.has("shape.mla"));
}

// The vocabulary of the keys, else that of a catalog model whose tokenizer is named.
std::optional<double> vocabulary_of(const Workings& work, const Shape& shape) {
  if (const auto rows = work.number("shape.embedding")) return rows;
  if (shape.vocab) return shape.vocab;
  const std::string entry = catalog_entry(work.text("name_hint"), work.catalog());
  if (entry.empty()) return work.number("shape.usual_vocab");
  return work.catalog().model(entry).language.vocab;
}

// `[0]*3+[1]*58`: layers without experts before the first that has them. Nothing for other texts.
std::optional<double> dense_layers_of(const std::string& typed) {
  if (typed.empty() || typed == "1") return 0;
  constexpr std::string_view kDense = "([0]*";
  const std::size_t start = typed.starts_with('(') ? 0 : 1;
  if (!typed.starts_with(kDense.substr(start))) return std::nullopt;
  const std::string_view rest = std::string_view(typed).substr(kDense.size() - start);
  const std::size_t end = rest.find_first_not_of("0123456789");
  const bool plain = end != rest.npos && rest.substr(end).starts_with("+[1]*");
  return plain ? number_of(rest.substr(0, end)) : std::nullopt;
}

// Megatron-DeepSpeed routes to one expert, in every second layer (megatron/arguments.py, --topk and
// --expert-interval).
std::string experts_of(const Workings& work, const Shape& shape, double dense) {
  const bool deepspeed = work.is("efficiency.stack", "megatron-deepspeed");
  const double every =
      std::max(1.0, work.number("shape.expert_interval").value_or(deepspeed ? 2 : 1));
  dense = std::max(dense, *shape.layers - std::floor(*shape.layers / every));
  return fmt::format(
      R"(,"moe":{{"experts":{},"experts_per_token":{},"expert_ffn":{},"shared_ffn":{},)"
      R"("dense_layers":{}}})",
      format_exact(*shape.experts),
      format_exact(work.number("shape.topk").value_or(deepspeed ? 1 : 2)),
      format_exact(*expert_width_of(work, shape)), format_exact(shared_width_of(work)),
      format_exact(dense));
}

// Defaults of megatron/core/transformer/transformer_config.py, MLATransformerConfig.
std::string latent_attention_of(const Workings& work) {
  const auto of = [&](const char* name, double otherwise) {
    return format_exact(work.number(name).value_or(otherwise));
  };
  return fmt::format(R"(,"mla":{{"q_lora_rank":{},"kv_lora_rank":{},"qk_nope_head_dim":{},)"
                     R"("qk_rope_head_dim":{},"v_head_dim":{}}})",
                     of("shape.q_lora_rank", 512), of("shape.kv_lora_rank", 512),
                     of("shape.qk_nope_head_dim", 128), of("shape.qk_rope_head_dim", 64),
                     of("shape.v_head_dim", 128));
}

}  // namespace

std::string entry_of_shape(const Workings& work) {
  const Shape shape = read_shape(work);
  if (!shape.layers || !shape.hidden || work.has("shape.unread")) return {};
  const std::string hints = hints_of(work);
  const std::optional<double> vocab = vocabulary_of(work, shape);
  std::string best;
  int most = -1, fitting = 0;
  bool named = false;
  for (const std::string& name : work.catalog().names(CatalogKind::models)) {
    const Model& model = work.catalog().model(name);
    if (!has_shape(model, work, shape, vocab)) continue;
    const int letters = letters_in(name, hints);
    const bool biases = work.is("shape.no_bias", "1") == (model.language.biases == Biases::none);
    const bool heads = !shape.heads || *shape.heads == model.language.heads;
    if (!heads && (!biases || letters == 0)) continue;
    ++fitting;
    // Models without windows come first, since a key would name a window.
    const int score = 8 * (letters + start_in(name, hints)) + (biases ? 4 : 0) + (heads ? 2 : 0) +
                      (model.language.window_count == 1 ? 1 : 0);
    if (score <= most) continue;
    best = name;
    most = score;
    named = letters > 0;
  }
  // Models of one shape differ in their vocabularies.
  return vocab || named || fitting == 1 ? best : std::string();
}

std::string model_file_of_shape(const Workings& work) {
  Shape shape = read_shape(work);
  const std::optional<double> vocab = vocabulary_of(work, shape);
  const double rows = work.has("shape.embedding") ? *vocab : padded(work, vocab.value_or(0));
  const bool whole = shape.layers && shape.hidden && shape.heads && vocab && *shape.heads > 0 &&
                     !work.has("shape.unread");
  if (!whole) return {};
  const bool gated = work.is("shape.gated", "1");
  if (!shape.ffn) shape.ffn = usual_width(*shape.hidden, gated);
  const std::optional<double> dense = dense_layers_of(work.text("shape.moe_layers"));
  if (shape.experts && !dense) return {};
  const bool biases = !work.is("shape.no_bias", "1");
  const bool learned = work.is("shape.learned", "1");
  const double positions =
      work.number("shape.positions").value_or(work.number("data.seq_length").value_or(0));
  std::string out = fmt::format(
      R"({{"schema_version":"1.0","name":"the recipe's model","source":"the recipe",)"
      R"("language":{{"layers":{},"hidden":{},"heads":{},"kv_heads":{},"ffn":{},"mlp":"{}",)"
      R"("vocab":{},"tied_embeddings":{},"norm":"{}","biases":"{}")",
      format_exact(*shape.layers), format_exact(*shape.hidden), format_exact(*shape.heads),
      format_exact(shape.kv_heads.value_or(*shape.heads)), format_exact(*shape.ffn),
      gated ? "gated" : "plain", format_exact(rows), !work.is("shape.untied", "1"),
      work.is("shape.norm", "rms") ? "rms" : "layer",
      biases                           ? "all"
      : work.is("shape.qkv_bias", "1") ? "qkv"
                                       : "none");
  if (const auto width = work.number("shape.head_dim")) {
    out += fmt::format(R"(,"head_dim":{})", format_exact(*width));
  }
  if (learned) out += fmt::format(R"(,"learned_positions":{})", format_exact(positions));
  if (shape.experts) out += experts_of(work, shape, *dense);
  if (work.has("shape.mla")) out += latent_attention_of(work);
  return out + "}}";
}

void report_other_sizes(Workings& work) {
  const Shape shape = read_shape(work);
  const std::string hints = hints_of(work);
  std::string nearest;
  int most = 0;
  for (const std::string& name : work.catalog().names(CatalogKind::models)) {
    const LanguageModel& model = work.catalog().model(name).language;
    const bool same = shape.layers == model.layers && shape.hidden == model.hidden;
    const int letters = same ? letters_in(name, hints) : 0;
    if (letters <= most) continue;
    nearest = name;
    most = letters;
  }
  if (nearest.empty()) return;
  const LanguageModel& model = work.catalog().model(nearest).language;
  const std::pair<const char*, double> sizes[] = {
      {"shape.heads", model.heads}, {"shape.kv_heads", model.kv_heads}, {"shape.ffn", model.ffn}};
  for (const auto& [name, size] : sizes) {
    const std::optional<double> own = work.number(name);
    if (!own || *own == size) continue;
    work.report(name, fmt::format("{} has {}: the recipe's own sizes are used", nearest,
                                  format_exact(size)));
  }
}

}  // namespace trcost::recipe

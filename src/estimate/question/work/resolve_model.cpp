// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/work/resolve_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "catalog/assumed.h"
#include "catalog/entry_names.h"
#include "catalog/models/model.h"
#include "catalog/runs/runs.h"
#include "estimate/question/work/field_names.h"
#include "estimate/question/work/resolved_work.h"
#include "quantity/suggest.h"
#include "trcost/error.h"
#include "workload/blocks/block.h"
#include "workload/blocks/vision.h"
#include "workload/default_model.h"
#include "workload/workload.h"

namespace trcost::estimation {
namespace {

constexpr double kDefaultVocab = 128256;  // Llama 3 tokenizer, arXiv:2407.21783

bool asks_for_vision(const Scenario& scenario) {
  if (const auto modality = modality_of(scenario)) return modality == Modality::vision;
  return scenario.has(Field::model_vision_encoder) || scenario.has(Field::model_connector) ||
         scenario.has(Field::data_images_per_sample) || scenario.has(Field::data_image_size) ||
         scenario.has(Field::data_video) || scenario.flag(Field::data_audio);
}

// The encoder of the catalog nearest to `size` parameters. Among equals a default encoder wins,
// then the first by name.
const Encoder& encoder_of_size(const Catalog& catalog, double size, Notes& notes) {
  constexpr double kNear = 1.25;   // sizes are rounded: 2B for 1.84B
  constexpr double kEqual = 1.05;  // 303M and 304M are both called 300M, 413M is called 400M
  const Encoder* best = nullptr;
  double least = 0;
  for (const std::string& name : catalog.names(CatalogKind::encoders)) {
    const Encoder& each = catalog.encoder(name);
    if (each.patch <= 0) continue;  // audio
    const double ratio = encoder_parameters(each) / size;
    const double distance = std::max(ratio, 1 / ratio);
    const bool usual = catalog.assumed().has_encoder(name);
    const bool nearer = best == nullptr || distance * (usual ? 1 : kEqual) < least;
    if (!nearer) continue;
    best = &each;
    least = distance * (usual ? 1 : kEqual);
  }
  const std::string asked = format_number(size, NumberKind::count);
  if (best == nullptr || least > kNear * kEqual) {
    throw Error(
        ErrorKind::usage,
        fmt::format("no vision encoder of the catalog is near {} parameters. The nearest, "
                    "{}, has {}",
                    asked, best->name, format_number(encoder_parameters(*best), NumberKind::count)),
        "name one of `trcost list encoders`, or a file of your own", "--vision-encoder");
  }
  notes.add(Field::model_vision_encoder, best->name,
            fmt::format("the catalog's encoder nearest to {} parameters, {}", asked,
                        format_number(encoder_parameters(*best), NumberKind::count)),
            best->title);
  return *best;
}

// By name, path or size.
const Encoder& named_encoder(const Scenario& scenario, const Catalog& catalog, Notes& notes) {
  const std::string_view word = scenario.text(Field::model_vision_encoder);
  if (!says_size(word)) return catalog.encoder(word);
  double size = 0;
  try {
    size = parse_number(word, NumberKind::count);
  } catch (const Error& error) {
    throw Error(error.kind, error.message, error.hint, "--vision-encoder");
  }
  return encoder_of_size(catalog, size, notes);
}

const Encoder& chosen_encoder(const Scenario& scenario, const Catalog& catalog, double params,
                              Notes& notes) {
  if (scenario.has(Field::model_vision_encoder)) return named_encoder(scenario, catalog, notes);
  const AssumedChoices& assumed = catalog.assumed();
  const EntryChoice& choice =
      scenario.flag(Field::data_audio) ? assumed.audio_encoder : assumed.vision_encoder(params);
  notes.add(Field::model_vision_encoder, choice.name, choice.why, choice.source);
  return catalog.encoder(choice.name);
}

ConnectorKind chosen_connector(const Scenario& scenario, const Encoder& encoder, Notes& notes) {
  if (scenario.has(Field::model_connector)) {
    return value_of(kConnectors, scenario.text(Field::model_connector));
  }
  const ConnectorKind kind = encoder.connector;
  if (kind == ConnectorKind::mlp) {
    notes.fallback(Field::model_connector, "mlp");
  } else {
    notes.add(Field::model_connector, word_of(kConnectors, kind),
              "what " + encoder.name + " was released with", encoder.title);
  }
  return kind;
}

Model from_parameters(const Scenario& scenario, const Catalog& catalog, double params,
                      Notes& notes) {
  const bool vision = asks_for_vision(scenario);
  if (!scenario.has(Field::model_modality)) {
    notes.fallback(Field::model_modality, vision ? "vl" : "text");
  }
  const double vocab = scenario.number_or(Field::model_vocab, kDefaultVocab);
  if (!scenario.has(Field::model_vocab)) notes.fallback(Field::model_vocab, vocab);
  Model model;
  if (vision) {
    const Encoder& encoder = chosen_encoder(scenario, catalog, params, notes);
    model =
        vision_language_model(params, encoder, chosen_connector(scenario, encoder, notes), vocab);
  } else {
    model.language = shape_from_parameters(params, vocab);
  }
  model.name = fmt::format("{}{}", format_number(params, NumberKind::count), vision ? " vl" : "");
  model.title = model.name;
  model.from_size = true;
  model.source = "shape from the parameter count";
  if (notes.wanted()) {
    const LanguageModel& shape = model.language;
    notes.add(
        {"model.shape",
         fmt::format("{} layers, hidden {}, {} heads ({} kv), ffn {}, vocab {}", shape.layers,
                     shape.hidden, shape.heads, shape.kv_heads, shape.ffn, shape.vocab),
         "",
         fmt::format("no architecture given: hidden/layers near 128, head dim 128, SwiGLU. {}",
                     shape.tied_embeddings
                         ? "Below 3B one table is embedding and head, and all of it computes"
                         : "From 3B on the embedding is a table of its own, which computes "
                           "nothing, so a model of 3.0B costs less than one of 2.99B"),
         "shapes of Llama 3 8B, 70B, 405B and GPT-3 175B, and one table: Llama 3.2 1B, Qwen2.5"});
  }
  return model;
}

// The largest size in a name, such as 550e9 in `Nemotron-3-Ultra-550B-A55B`, 0 if there is none.
double size_in_name(std::string_view name) {
  double largest = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool start = i == 0 || name[i - 1] == '-' || name[i - 1] == '_' || name[i - 1] == '/';
    const bool decimals = i > 1 && name[i - 1] == '_' && name[i - 2] >= '0' && name[i - 2] <= '9';
    if (!start || decimals || name[i] < '0' || name[i] > '9') continue;
    const std::size_t end = std::min(name.find_first_not_of("0123456789.", i), name.size());
    const bool billions = end < name.size() && (name[end] == 'B' || name[end] == 'b') &&
                          (end + 1 == name.size() || name.find_first_of("-_/.", end) == end + 1);
    if (!billions) continue;
    largest = std::max(largest, parse_number(name.substr(i, end - i + 1), NumberKind::count));
  }
  return largest;
}

// A file whose name says another size than its shape has was probably read wrongly.
void warn_of_other_size(const Model& model, std::string_view asked, Notes& notes) {
  constexpr double kNear = 1.25;
  if ((!model.from_config && !asked.ends_with(".json")) || !notes.wanted()) return;
  const double said = size_in_name(asked);
  const ParameterCounts counts = count_parameters(model);
  const double has = counts.total;
  // Llama 4's names say the active parameters, some of a vision-language model those of its
  // decoder.
  for (const double of : {counts.total, counts.active, counts.language}) {
    if (said <= 0 || std::max(said / of, of / said) <= kNear) return;
  }
  notes.warn(fmt::format(
      "the name of {} says {} parameters, but its shape has {}: check the file, or set --params",
      asked.substr(asked.find_last_of('/') == asked.npos ? 0 : asked.find_last_of('/') + 1),
      format_number(said, NumberKind::count), format_number(has, NumberKind::count)));
}

// Warns of shape keys that a configuration leaves to the default of its class.
void warn_of_default_shape(const Model& model, Notes& notes) {
  constexpr std::string_view kShape[] = {
      // sizes of all layers
      "num_hidden_layers", "n_layer", "n_layers", "hidden_size", "n_embd", "d_model",
      "num_attention_heads", "n_head", "n_heads", "num_key_value_heads", "head_dim",
      "attention_head_dim", "intermediate_size", "intermediate_size_mlp", "vocab_size",
      // experts
      "num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts",
      "num_experts_per_tok", "moe_k", "moe_topk", "moe_intermediate_size", "n_shared_experts",
      "num_shared_expert", "moe_num_shared_experts", "shared_expert_intermediate_size",
      "moe_shared_expert_intermediate_size", "first_k_dense_replace", "moe_layer_start_index",
      "interleave_moe_layer_step",
      // latent, linear and sparse attention, state spaces
      "q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim",
      "linear_num_key_heads", "linear_key_head_dim", "linear_num_value_heads",
      "linear_value_head_dim", "index_n_heads", "index_head_dim", "mamba_num_heads",
      "mamba_head_dim", "ssm_state_size", "n_groups"};
  if (!notes.wanted()) return;
  const std::string heads = format_exact(model.language.heads);
  std::string missing;
  for (const TakenDefault& each : model.defaults) {
    const std::string_view key = std::string_view(each.key).substr(each.key.rfind('.') + 1);
    if (std::ranges::find(kShape, key) == std::end(kShape)) continue;
    if (key == "num_key_value_heads" && each.value == heads) {
      notes.warn(
          fmt::format("the configuration of {} leaves out {}. As transformers, trcost takes "
                      "as many as num_attention_heads, {}",
                      model.name, each.key, heads));
      continue;
    }
    missing += fmt::format("{}{} ({})", missing.empty() ? "" : ", ", each.key, each.value);
  }
  if (missing.empty()) return;
  notes.warn(
      fmt::format("the configuration of {} leaves out {}. The defaults of its class are used",
                  model.name, missing));
}

Model from_catalog(const Scenario& scenario, const Catalog& catalog, Notes& notes) {
  Model model = catalog.model(scenario.text(Field::model_name));
  if (scenario.has(Field::model_vocab)) {
    throw Error(ErrorKind::usage, "--vocab belongs to a model made from --params",
                "leave it out, or edit the model file");
  }
  const std::string_view asked = scenario.text(Field::model_name);
  const bool named = !model.from_config && !asked.ends_with(".json") && !asked.starts_with('{');
  if (named && catalog::plain_model_name(asked) != lower_case(asked)) {
    notes.add(Field::model_name, model.name,
              fmt::format("the shape of {}. Nothing is downloaded", asked), model.source);
  }
  warn_of_other_size(model, asked, notes);
  for (const AliasNote& each : model.alias_notes) {
    if (same_folded(each.alias, catalog::plain_model_name(asked))) notes.warn(each.note);
  }
  warn_of_default_shape(model, notes);
  for (const std::string& each : model.warnings) notes.warn(each);
  for (const TakenDefault& each : model.defaults) {
    notes.add({"model.config." + each.key, each.value, "",
               "left out of the file: default of the configuration class",
               "huggingface/transformers src/transformers/models/*/configuration_*.py"});
  }
  const bool other_vision =
      scenario.has(Field::model_vision_encoder) || scenario.has(Field::model_connector);
  if (modality_of(scenario) == Modality::text) {
    if (model.vision) model.training_tokens = {};
    model.vision.reset();
  } else if (other_vision && is_contrastive(model)) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is a pair of towers with their own projections", model.name),
                "leave out --vision-encoder and --connector, or name another --model");
  } else if (asks_for_vision(scenario) && !model.vision) {
    const double params = count_parameters(model.language).total;
    const Encoder& encoder = chosen_encoder(scenario, catalog, params, notes);
    attach_vision(model, encoder, chosen_connector(scenario, encoder, notes));
    model.training_tokens = {};  // of the language model alone
  } else if (model.vision && other_vision) {
    const Encoder encoder = scenario.has(Field::model_vision_encoder)
                                ? named_encoder(scenario, catalog, notes)
                                : model.vision->encoder;
    attach_vision(model, encoder,
                  scenario.has(Field::model_connector)
                      ? value_of(kConnectors, scenario.text(Field::model_connector))
                      : model.vision->connector.kind);
  }
  return model;
}

}  // namespace

std::optional<Modality> modality_of(const Scenario& scenario) {
  if (!scenario.has(Field::model_modality)) return std::nullopt;
  return value_of(kModalities, scenario.text(Field::model_modality));
}

bool is_vision_language(const Scenario& scenario, const Catalog& catalog) {
  const std::optional<Modality> modality = modality_of(scenario);
  if (modality == Modality::text) return false;
  if (scenario.has(Field::model_name)) {
    const Model& model = catalog.model(scenario.text(Field::model_name));
    if (is_contrastive(model)) return false;
    if (model.vision) return true;
  }
  return scenario.has(Field::model_vision_encoder) || modality == Modality::vision;
}

Model resolve_model(const Scenario& scenario, const Catalog& catalog, Notes& notes) {
  const std::optional<double> params = scenario.number(Field::model_params);
  const bool named = scenario.has(Field::model_name);
  if (params && named) {
    throw Error(ErrorKind::usage, "--params and --model exclude each other", "keep one of them");
  }
  if (modality_of(scenario) == Modality::text &&
      (scenario.has(Field::model_vision_encoder) || scenario.has(Field::model_connector))) {
    throw Error(ErrorKind::usage, "--modality text has no vision encoder and no connector",
                "leave them out, or set --modality vl");
  }
  if (params) return from_parameters(scenario, catalog, *params, notes);
  if (named) return from_catalog(scenario, catalog, notes);
  throw Error(ErrorKind::usage, "the model is missing",
              "set --params, like --params 10e9, or --model (see `trcost list models`)");
}

ModelSummary describe_model(const ResolvedWork& work) {
  ModelSummary out;
  const LanguageModel& language = work.model.language;
  out.name = work.model.name;
  out.from_size = work.model.from_size;
  out.params_total = work.params.total;
  out.params_active = work.params.active;
  out.params_vision = work.params.encoder;
  out.params_projector = work.params.connector;
  out.params_trainable = work.trainable.total;
  out.layers = language.layers;
  out.dealt_layers = layer_count(language);
  out.hidden = language.hidden;
  out.heads = language.heads;
  out.kv_heads = language.kv_heads;
  out.ffn = language.moe && language.ffn == 0 ? language.moe->expert_ffn : language.ffn;
  out.vocab = language.vocab;
  return out;
}

}  // namespace trcost::estimation

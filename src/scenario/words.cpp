// SPDX-License-Identifier: Apache-2.0
#include "scenario/words.h"

#include <algorithm>
#include <span>

#include "quantity/suggest.h"

namespace trcost::scenario {

namespace {

// A word typed for a choice field, and its meaning.
struct Word {
  Field field;
  std::string_view word;
  std::string_view meaning;
};

// Unambiguous synonyms of a choice.
constexpr Word kSynonyms[] = {
    {Field::model_modality, "vision-language", "vl"},
    {Field::model_modality, "vision", "vl"},
    {Field::model_modality, "vlm", "vl"},
    {Field::model_modality, "image", "vl"},
    {Field::model_modality, "images", "vl"},
    {Field::model_modality, "image-text", "vl"},
    {Field::model_modality, "text-image", "vl"},
    {Field::model_modality, "multimodal", "vl"},
    {Field::model_modality, "multi-modal", "vl"},
    {Field::model_modality, "mllm", "vl"},
    {Field::model_modality, "language", "text"},
    {Field::model_modality, "text-only", "text"},
    {Field::model_modality, "llm", "text"},
    {Field::train_precision, "bfloat16", "bf16"},
    {Field::train_precision, "float16", "fp16"},
    {Field::train_precision, "half", "fp16"},
    {Field::train_precision, "float8", "fp8"},
    {Field::train_precision, "float32", "fp32"},
    {Field::train_recipe, "full-finetune", "full"},
    {Field::train_recipe, "full-fine-tuning", "full"},
    {Field::train_recipe, "frozen-encoder", "frozen-vision"},
    {Field::train_recipe, "connector", "projector"},
    {Field::train_recipe, "adapters", "adapter"},
    {Field::train_lora_targets, "q_proj", "q"},
    {Field::train_lora_targets, "k_proj", "k"},
    {Field::train_lora_targets, "v_proj", "v"},
    {Field::train_lora_targets, "o_proj", "o"},
    {Field::train_lora_targets, "gate_proj", "gate"},
    {Field::train_lora_targets, "up_proj", "up"},
    {Field::train_lora_targets, "down_proj", "down"},
    {Field::train_lora_targets, "all", "all-linear"},
    {Field::train_lora_targets, "all-linear-layers", "all-linear"},
    {Field::train_lora_targets, "query", "q"},
    {Field::train_lora_targets, "key", "k"},
    {Field::train_lora_targets, "value", "v"},
    {Field::train_lora_targets, "wq", "q"},
    {Field::train_lora_targets, "wk", "k"},
    {Field::train_lora_targets, "wv", "v"},
    {Field::train_lora_targets, "wo", "o"},
    {Field::train_lora_targets, "output_proj", "o"},
    {Field::train_lora_targets, "out_proj", "o"},
    {Field::train_lora_targets, "linear_proj", "o"},
    {Field::train_lora_targets, "attention.dense", "o"},
    {Field::train_lora_targets, "self_attention.dense", "o"},
    {Field::train_lora_targets, "c_attn", "qkv"},
    {Field::train_lora_targets, "query_key_value", "qkv"},
    {Field::train_lora_targets, "w_pack", "qkv"},
    {Field::train_lora_targets, "wqkv", "qkv"},
    {Field::train_lora_targets, "qkv_proj", "qkv"},
    {Field::train_lora_targets, "linear_qkv", "qkv"},
    {Field::train_lora_targets, "attn.qkv", "qkv"},
    {Field::train_lora_targets, "w1", "gate"},
    {Field::train_lora_targets, "w3", "up"},
    {Field::train_lora_targets, "w2", "down"},
    {Field::train_lora_targets, "feed_forward.w1", "gate"},
    {Field::train_lora_targets, "feed_forward.w2", "down"},
    {Field::train_lora_targets, "feed_forward.w3", "up"},
    {Field::train_lora_targets, "gate_up_proj", "gate_up"},
    {Field::train_lora_targets, "linear_fc1", "gate_up"},
    {Field::train_lora_targets, "fc1", "gate_up"},
    {Field::train_lora_targets, "c_fc", "gate_up"},
    {Field::train_lora_targets, "dense_h_to_4h", "gate_up"},
    {Field::train_lora_targets, "linear_fc2", "down"},
    {Field::train_lora_targets, "fc2", "down"},
    {Field::train_lora_targets, "dense_4h_to_h", "down"},
    {Field::train_lora_targets, "mlp.c_proj", "down"},
    {Field::train_attention, "flash-attention", "flash"},
    {Field::train_attention, "fused", "flash"},
    {Field::train_attention, "flash-3", "fastest"},
    {Field::train_attention, "cudnn", "fastest"},
    {Field::train_attention, "eager", "standard"},
    {Field::data_packing, "packing", "packed"},
    {Field::data_packing, "padding", "padded"},
    {Field::data_packing, "unpadded", "padding-free"},
    {Field::data_packing, "varlen", "padding-free"},
    {Field::layout_sharding, "ddp", "none"},
    {Field::layout_sharding, "zero-1", "optimizer"},
    {Field::layout_sharding, "zero-2", "gradients"},
    {Field::layout_sharding, "zero-3", "parameters"},
    {Field::layout_sharding, "fsdp", "parameters"},
    {Field::layout_sharding, "hsdp", "hybrid"},
    {Field::efficiency_overlap, "all", "on"},
    {Field::efficiency_overlap, "none", "off"},
    {Field::efficiency_overlap, "data", "dp"},
    {Field::efficiency_overlap, "tensor", "tp"},
    {Field::efficiency_overlap, "pipeline", "pp"},
    {Field::efficiency_overlap, "expert", "ep"},
    {Field::efficiency_overlap, "context", "cp"},
    {Field::cost_pricing, "owned", "own"},
    {Field::cost_pricing, "preemptible", "spot"},
    {Field::cost_pricing, "reserved-1-year", "reserved-1y"},
    {Field::cost_pricing, "reserved-3-years", "reserved-3y"},
};

// Advice for words that are no choice, or stand for several.
constexpr Word kAdvice[] = {
    {Field::train_precision, "fp4", "4-bit training is nvfp4"},
    {Field::train_precision, "mxfp4", "4-bit training is nvfp4"},
    {Field::train_precision, "int4", "4-bit training is nvfp4; a 4-bit base is --train qlora"},
    {Field::train_precision, "nf4", "a 4-bit base is --train qlora"},
    {Field::train_precision, "int8", "8-bit training is fp8 or mxfp8"},
    {Field::model_modality, "video", "clips are --modality vl with --video WxH --seconds S"},
    {Field::model_modality, "audio", "clips are --modality vl with --audio --seconds S"},
    {Field::train_recipe, "sft", "supervised fine-tuning is full or lora, with --samples"},
    {Field::train_recipe, "finetune", "full trains all weights, lora adapters; set --samples"},
    {Field::train_recipe, "fine-tuning", "full trains all weights, lora adapters; set --samples"},
    {Field::train_recipe, "peft", "lora or qlora"},
    {Field::train_recipe, "pretrain", "full, with --tokens"},
    {Field::cost_pricing, "reserved", "reserved-1y or reserved-3y"},
    {Field::train_method, "cpt", "continued pre-training is --model NAME --tokens N"},
    {Field::train_method, "continued-pretraining",
     "continued pre-training is --model NAME --tokens N"},
    {Field::train_method, "rlhf", "ppo (with a reward model) or grpo"},
    {Field::train_method, "rl", "grpo, or ppo (with a reward model)"},
    {Field::train_method, "rlvr", "grpo"},
    {Field::train_method, "lora", "adapters are --train lora, with --samples"},
    {Field::train_method, "qlora", "adapters on a 4-bit base are --train qlora, with --samples"},
    {Field::train_method, "finetune", "sft, with --samples; --train lora trains adapters"},
};

// Empty for a word that is not in the table.
std::string_view meaning_in(std::span<const Word> words, Field field, std::string_view typed) {
  const auto found = std::ranges::find_if(
      words, [&](const Word& row) { return row.field == field && same_folded(row.word, typed); });
  return found == words.end() ? std::string_view() : found->meaning;
}

}  // namespace

std::string choice_of_word(const FieldInfo& info, std::string_view typed) {
  if (folded(typed).empty()) return {};
  for (std::string& choice : field_choices(info)) {
    if (same_folded(choice, typed)) return std::move(choice);
  }
  return std::string(meaning_in(kSynonyms, info.field, typed));
}

std::string_view advice_on_word(Field field, std::string_view typed) {
  return meaning_in(kAdvice, field, typed);
}

}  // namespace trcost::scenario

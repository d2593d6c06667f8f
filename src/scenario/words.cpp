// SPDX-License-Identifier: Apache-2.0
#include "scenario/words.h"

#include <algorithm>
#include <span>

#include "quantity/suggest.h"

namespace trcost::scenario {

namespace {

// Words typed for a choice field, and their meaning.
struct Word {
  Field field;
  std::string_view words;
  std::string_view meaning;
};

// Unambiguous synonyms of a choice.
constexpr Word kSynonyms[] = {
    {Field::model_modality,
     "vision-language vision vlm image images image-text text-image multimodal multi-modal mllm",
     "vl"},
    {Field::model_modality, "language text-only llm", "text"},
    {Field::train_precision, "bfloat16", "bf16"},
    {Field::train_precision, "float16 half", "fp16"},
    {Field::train_precision, "float8", "fp8"},
    {Field::train_precision, "float32", "fp32"},
    {Field::train_recipe, "full-finetune full-fine-tuning", "full"},
    {Field::train_recipe, "frozen-encoder", "frozen-vision"},
    {Field::train_recipe, "connector", "projector"},
    {Field::train_recipe, "adapters", "adapter"},
    {Field::train_lora_targets, "q_proj query wq", "q"},
    {Field::train_lora_targets, "k_proj key wk", "k"},
    {Field::train_lora_targets, "v_proj value wv", "v"},
    {Field::train_lora_targets,
     "o_proj wo output_proj out_proj linear_proj attention.dense self_attention.dense", "o"},
    {Field::train_lora_targets, "gate_proj w1 feed_forward.w1", "gate"},
    {Field::train_lora_targets, "up_proj w3 feed_forward.w3", "up"},
    {Field::train_lora_targets,
     "down_proj w2 feed_forward.w2 linear_fc2 fc2 dense_4h_to_h mlp.c_proj", "down"},
    {Field::train_lora_targets, "all all-linear-layers", "all-linear"},
    {Field::train_lora_targets, "c_attn query_key_value w_pack wqkv qkv_proj linear_qkv attn.qkv",
     "qkv"},
    {Field::train_lora_targets, "gate_up_proj linear_fc1 fc1 c_fc dense_h_to_4h", "gate_up"},
    {Field::train_attention, "flash-attention fused", "flash"},
    {Field::train_attention, "flash-3 cudnn", "fastest"},
    {Field::train_attention, "eager", "standard"},
    {Field::data_packing, "packing", "packed"},
    {Field::data_packing, "padding", "padded"},
    {Field::data_packing, "unpadded varlen", "padding-free"},
    {Field::layout_sharding, "ddp", "none"},
    {Field::layout_sharding, "zero-1", "optimizer"},
    {Field::layout_sharding, "zero-2", "gradients"},
    {Field::layout_sharding, "zero-3 fsdp", "parameters"},
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
    {Field::train_precision, "fp4 mxfp4", "4-bit training is nvfp4"},
    {Field::train_precision, "int4", "4-bit training is nvfp4, and a 4-bit base is --train qlora"},
    {Field::train_precision, "nf4", "a 4-bit base is --train qlora"},
    {Field::train_precision, "int8", "8-bit training is fp8 or mxfp8"},
    {Field::model_modality, "video", "clips are --modality vl with --video WxH --seconds S"},
    {Field::model_modality, "audio", "clips are --modality vl with --audio --seconds S"},
    {Field::train_recipe, "sft", "supervised fine-tuning is full or lora, with --samples"},
    {Field::train_recipe, "finetune fine-tuning",
     "full trains all weights, lora trains adapters. Set --samples"},
    {Field::train_recipe, "peft", "lora or qlora"},
    {Field::train_recipe, "pretrain", "full, with --tokens"},
    {Field::cost_pricing, "reserved", "reserved-1y or reserved-3y"},
    {Field::train_recipe, "dpo", "preference tuning is --method dpo"},
    {Field::train_recipe, "kto", "preference tuning is --method kto"},
    {Field::train_recipe, "orpo simpo", "preference tuning is --method dpo --reference off"},
    {Field::train_recipe, "grpo ppo", "reinforcement learning is --method grpo or ppo"},
    {Field::train_recipe, "cpt continued continued-pretraining",
     "continued pre-training is --model NAME --tokens N"},
    {Field::train_method, "orpo simpo", "its passes are those of dpo with --reference off"},
    {Field::train_method, "ipo", "its passes are those of dpo"},
    {Field::train_method, "cpt continued continued-pretraining",
     "continued pre-training is --model NAME --tokens N, without --method"},
    {Field::train_method, "rlhf", "ppo (with a reward model) or grpo"},
    {Field::train_method, "rl", "grpo, or ppo (with a reward model)"},
    {Field::train_method, "rlvr", "grpo"},
    {Field::train_method, "lora", "adapters are --train lora, with --samples"},
    {Field::train_method, "qlora", "adapters on a 4-bit base are --train qlora, with --samples"},
    {Field::train_method, "finetune", "sft, with --samples. --train lora trains adapters"},
};

// Empty for a word that is not in the table.
std::string_view meaning_in(std::span<const Word> words, Field field, std::string_view typed) {
  const auto found = std::ranges::find_if(words, [&](const Word& row) {
    return row.field == field &&
           std::ranges::any_of(split_text(row.words, " "),
                               [&](std::string_view word) { return same_folded(word, typed); });
  });
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

// SPDX-License-Identifier: Apache-2.0
// The words of the catalog's types, each once: files, fields and answers read them here.
#pragma once

#include <cstddef>
#include <optional>

#include "catalog/hardware/efficiency.h"
#include "catalog/models/model.h"
#include "catalog/runs/runs.h"
#include "catalog/software/engine.h"
#include "quantity/choice.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"
#include "trcost/layout.h"

namespace trcost::catalog {

inline constexpr Choice<Sharding> kShardings[] = {{"none", Sharding::none},
                                                  {"optimizer", Sharding::optimizer},
                                                  {"gradients", Sharding::gradients},
                                                  {"parameters", Sharding::parameters},
                                                  {"hybrid", Sharding::hybrid}};

inline constexpr Choice<Recompute> kRecomputes[] = {
    {"none", Recompute::none}, {"selective", Recompute::selective}, {"full", Recompute::full}};

inline constexpr Choice<MemoryCounter> kMemoryCounters[] = {{"allocated", MemoryCounter::allocated},
                                                            {"reserved", MemoryCounter::reserved},
                                                            {"board", MemoryCounter::board}};

inline constexpr Choice<RowTask> kTasks[] = {{"pretrain", RowTask::pretrain},
                                             {"sft", RowTask::sft},
                                             {"lora", RowTask::lora},
                                             {"qlora", RowTask::qlora},
                                             {"lora+emb", RowTask::lora_embeddings}};

inline constexpr Choice<MeasuredUnit> kMeasuredUnits[] = {
    {"gpu_hours", MeasuredUnit::gpu_hours},
    {"round_seconds", MeasuredUnit::round_seconds},
    {"seconds_per_step", MeasuredUnit::step_seconds},
    {"mfu", MeasuredUnit::mfu},
    {"samples_per_second_per_gpu", MeasuredUnit::samples},
    {"tokens_per_second_per_gpu", MeasuredUnit::tokens},
    {"padded_tokens_per_second_per_gpu", MeasuredUnit::padded_tokens}};

/// Those that a field offers come first.
inline constexpr Choice<Modality> kModalities[] = {{"text", Modality::text},
                                                   {"vl", Modality::vision},
                                                   {"vl (early fusion)", Modality::early_fusion},
                                                   {"clip", Modality::contrastive}};
inline constexpr std::size_t kOfferedModalities = 2;

inline constexpr Choice<ModelFamily> kModelFamilies[] = {{"any", ModelFamily::any},
                                                         {"dense", ModelFamily::dense},
                                                         {"moe", ModelFamily::moe},
                                                         {"vision", ModelFamily::vision},
                                                         {"contrastive", ModelFamily::contrastive}};
inline constexpr Choice<TaskFamily> kTaskFamilies[] = {{"any", TaskFamily::any},
                                                       {"pretrain", TaskFamily::pretrain},
                                                       {"finetune", TaskFamily::finetune}};
inline constexpr Choice<LayoutFamily> kLayoutFamilies[] = {
    {"any", LayoutFamily::any}, {"known", LayoutFamily::known}, {"planned", LayoutFamily::planned}};

inline constexpr Choice<ContextKind> kContextKinds[] = {{"ring", ContextKind::ring},
                                                        {"ulysses", ContextKind::ulysses}};

inline constexpr Choice<Tuning> kTunings[] = {
    {"showcase", Tuning::showcase}, {"usual", Tuning::usual}, {"first-run", Tuning::first_run}};

inline constexpr Choice<Attention> kAttentions[] = {{"flash", Attention::flash},
                                                    {"flash-1", Attention::flash1},
                                                    {"flash-2", Attention::flash2},
                                                    {"fastest", Attention::fastest},
                                                    {"standard", Attention::standard}};

/// Those that a stack may run where a question says no more than that they are fused.
inline constexpr Choice<Attention> kFusedAttentions[] = {{"flash-1", Attention::flash1},
                                                         {"flash-2", Attention::flash2},
                                                         {"fastest", Attention::fastest}};

inline constexpr Choice<Mlp> kMlps[] = {{"gated", Mlp::gated}, {"plain", Mlp::plain}};
inline constexpr Choice<Norm> kNorms[] = {{"rms", Norm::rms}, {"layer", Norm::layer}};
inline constexpr Choice<Biases> kBiases[] = {
    {"none", Biases::none}, {"qkv", Biases::qkv}, {"all", Biases::all}};

/// Formats of a chip; empty for the fastest that models have been trained in.
inline constexpr Choice<std::optional<Precision>> kPrecisions[] = {
    {"bf16", Precision::bf16},   {"fp16", Precision::fp16},   {"fp8", Precision::fp8},
    {"mxfp8", Precision::mxfp8}, {"nvfp4", Precision::nvfp4}, {"tf32", Precision::tf32},
    {"fp32", Precision::fp32},   {"best", std::nullopt}};

/// Formats of served weights; empty for the fastest that the chip computes in. Those that a flag
/// offers come first, then other names of the same.
inline constexpr Choice<std::optional<WeightFormat>> kServedFormats[] = {
    {"bf16", WeightFormat::bf16},   {"fp8", WeightFormat::fp8},   {"nvfp4", WeightFormat::nvfp4},
    {"mxfp4", WeightFormat::mxfp4}, {"int4", WeightFormat::int4}, {"best", std::nullopt},
    {"fp16", WeightFormat::bf16},   {"mxfp8", WeightFormat::fp8}, {"fp4", WeightFormat::nvfp4}};
inline constexpr std::size_t kOfferedFormats = kWeightFormats + 1;

/// Whether a format of the cache takes a byte a number; likewise.
inline constexpr Choice<bool> kCacheFormats[] = {
    {"bf16", false}, {"fp8", true}, {"fp16", false}, {"int8", true}};
inline constexpr std::size_t kOfferedCacheFormats = 2;

/// Those that a field offers come first.
inline constexpr Choice<ConnectorKind> kConnectors[] = {
    {"linear", ConnectorKind::linear},
    {"mlp", ConnectorKind::mlp},
    {"pixel-shuffle", ConnectorKind::pixel_shuffle},
    {"perceiver", ConnectorKind::perceiver},
    {"qformer", ConnectorKind::qformer},
    {"cross-attention", ConnectorKind::cross_attention},
    {"attention-pool", ConnectorKind::attention_pool}};
inline constexpr std::size_t kOfferedConnectors = 6;

}  // namespace trcost::catalog

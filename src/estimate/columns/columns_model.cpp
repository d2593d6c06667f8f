// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/columns.h"

namespace trcost::estimation {

namespace {

using namespace column_rows;

// Of the model, where the whole training is of one.
template <double ModelSummary::*Member>
constexpr auto of_model =
    [](E e) -> Number { return e.one_model ? Number(e.model.*Member) : std::nullopt; };

constexpr EstimateColumn kPlatform[] = {
    as(ColumnRole::platform,
       text(
           "accelerator", [](E e) -> std::string_view { return e.accelerator; },
           "catalog name of the accelerator", Rank::key)),
    as(ColumnRole::system, text(
                               "system", [](E e) -> std::string_view { return e.system; },
                               "node or rack it lives in", Rank::main)),
    as(ColumnRole::gpus,
       shown({.line = {beside::kCluster + 1}, .brief = {4}},
             figure(
                 "gpus", "accelerators", NumberKind::integer, Better::lower,
                 [](E e) -> Number { return e.gpus; }, "cluster size", Rank::first, "GPUs"))),
    as(ColumnRole::precision,
       shown({.line = {beside::kCluster + 2}, .rank = Rank::main, .unknown = "by stage"},
             text(
                 "precision",
                 [](E e) {
                   return e.one_precision ? precision_name(e.precision) : std::string_view();
                 },
                 "format of the matmuls", Rank::main))),
    boolean(
        "complete", [](E e) -> Number { return e.complete; }, "whether every figure is known",
        Rank::main),
};

constexpr EstimateColumn kModel[] = {
    as(ColumnRole::params,
       figure("model.params_total", "parameters", NumberKind::count, Better::neither,
              of_model<&ModelSummary::params_total>, "all parameters", Rank::main)),
    figure("model.params_active", "parameters", NumberKind::count, Better::neither,
           of_model<&ModelSummary::params_active>, "parameters that a token uses"),
    figure("model.params_vision", "parameters", NumberKind::count, Better::neither,
           of_model<&ModelSummary::params_vision>, "of the vision encoder"),
    figure("model.params_projector", "parameters", NumberKind::count, Better::neither,
           of_model<&ModelSummary::params_projector>, "of the projector"),
    figure(
        "model.params_trainable", "parameters", NumberKind::count, Better::neither,
        [](E e) -> Number { return e.model.params_trainable; }, "parameters that learn"),
    figure("model.layers", "", NumberKind::integer, Better::neither,
           of_model<&ModelSummary::layers>, "decoder layers"),
    figure("model.hidden", "", NumberKind::integer, Better::neither,
           of_model<&ModelSummary::hidden>, "width of the residual stream"),
    figure("model.heads", "", NumberKind::integer, Better::neither, of_model<&ModelSummary::heads>,
           "query heads"),
    figure("model.kv_heads", "", NumberKind::integer, Better::neither,
           of_model<&ModelSummary::kv_heads>, "key and value heads"),
    figure("model.ffn", "", NumberKind::integer, Better::neither, of_model<&ModelSummary::ffn>,
           "width of the feed-forward layer"),
    figure("model.vocab", "", NumberKind::integer, Better::neither, of_model<&ModelSummary::vocab>,
           "entries of the vocabulary"),
    text(
        "model.name", [](E e) -> std::string_view { return e.model.name; }, "the model as asked"),
};

constexpr EstimateColumn kWork[] = {
    figure(
        "tokens.total", "tokens", NumberKind::count, Better::neither,
        [](E e) -> Number { return e.tokens.total; }, "that the language model processes",
        Rank::main),
    figure(
        "tokens.text", "tokens", NumberKind::count, Better::neither,
        [](E e) -> Number { return e.tokens.text; }, "text tokens"),
    figure(
        "tokens.vision", "tokens", NumberKind::count, Better::neither,
        [](E e) -> Number { return e.tokens.vision; }, "vision tokens in the language model"),
    figure(
        "tokens.vision_encoder", "tokens", NumberKind::count, Better::neither,
        [](E e) -> Number { return e.tokens.vision_encoder; }, "patches in the encoder"),
    as(ColumnRole::model_flops, figure(
                                    "flops.model", "FLOP", NumberKind::number, Better::neither,
                                    [](E e) -> Number { return e.flops.model; },
                                    "model FLOPs of the whole training", Rank::main)),
    figure(
        "flops.hardware", "FLOP", NumberKind::number, Better::neither,
        [](E e) -> Number { return e.flops.hardware; }, "with recomputation"),
    figure(
        "flops.per_token", "FLOP/token", NumberKind::number, Better::neither,
        [](E e) -> Number { return e.flops.per_token; }, "model FLOPs of one token"),
    figure(
        "flops.by_module.language", "FLOP", NumberKind::number, Better::neither,
        [](E e) -> Number { return e.flops.language; }, "of the language model"),
    figure(
        "flops.by_module.vision", "FLOP", NumberKind::number, Better::neither,
        [](E e) -> Number { return e.flops.vision; }, "of the vision encoder"),
    figure(
        "flops.by_module.projector", "FLOP", NumberKind::number, Better::neither,
        [](E e) -> Number { return e.flops.projector; }, "of the projector"),
    figure(
        "flops.rule_6nd", "FLOP", NumberKind::number, Better::neither,
        [](E e) -> Number { return e.flops.rule_6nd; }, "6 x parameters x tokens"),
};

}  // namespace

void add_model_columns(Columns<Estimate>& out) {
  out.add(kPlatform);
  out.add(kModel);
  out.add(kWork);
}

}  // namespace trcost::estimation

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/models/model.h"
#include "catalog/models/models.h"
#include "catalog/software/stacks.h"
#include "quantity/choice.h"
#include "quantity/layers.h"
#include "trcost/data_folder.h"
#include "trcost/hardware.h"
#include "trcost/layout.h"

namespace trcost::catalog {

/// Training task of a measured row.
enum class RowTask : std::uint8_t { pretrain, sft, lora, qlora, lora_embeddings };
inline constexpr Choice<RowTask> kTasks[] = {{"pretrain", RowTask::pretrain},
                                             {"sft", RowTask::sft},
                                             {"lora", RowTask::lora},
                                             {"qlora", RowTask::qlora},
                                             {"lora+emb", RowTask::lora_embeddings}};

/// Data of a published run.
enum class Modality : std::uint8_t {
  text,
  vision,
  early_fusion,  ///< images as tokens like any other
  contrastive,   ///< pairs of an image and a text
};
/// Modalities that a field offers come first.
inline constexpr Choice<Modality> kModalities[] = {{"text", Modality::text},
                                                   {"vl", Modality::vision},
                                                   {"vl (early fusion)", Modality::early_fusion},
                                                   {"clip", Modality::contrastive}};
inline constexpr std::size_t kOfferedModalities = 2;

/// Measured figure of a run. Rates are per second and GPU.
enum class MeasuredUnit : std::uint8_t {
  gpu_hours,
  round_seconds,
  step_seconds,
  mfu,
  samples,
  tokens,
  padded_tokens,
  bytes,  ///< of memory
};
inline constexpr Choice<MeasuredUnit> kMeasuredUnits[] = {
    {"gpu_hours", MeasuredUnit::gpu_hours},
    {"round_seconds", MeasuredUnit::round_seconds},
    {"seconds_per_step", MeasuredUnit::step_seconds},
    {"mfu", MeasuredUnit::mfu},
    {"samples_per_second_per_gpu", MeasuredUnit::samples},
    {"tokens_per_second_per_gpu", MeasuredUnit::tokens},
    {"padded_tokens_per_second_per_gpu", MeasuredUnit::padded_tokens}};

/// One published measurement of steady-state training throughput (data/runs/throughput.csv).
/// Unpublished figures are empty.
struct ThroughputRow : Degrees {
  std::string id;
  std::string source;
  std::string model;  ///< a catalog model, or one of RunBook::models
  RowTask task = RowTask::pretrain;
  std::string accelerator;  ///< catalog name
  std::string system;       ///< catalog name if it is not the accelerator's usual one
  double gpus = 0;
  std::optional<Sharding> sharding;
  std::optional<double> micro_batch;
  std::optional<double> global_batch;
  double seq_length = 0;
  Precision precision = Precision::bf16;
  std::optional<Recompute> recompute;
  Attention attention = Attention::flash;
  std::optional<Kernels> kernels;  ///< where the source tells them
  std::string optimizer;           ///< word of --optimizer, empty for adamw
  std::string stack;               ///< catalog name, empty where not published
  std::string version;             ///< release or year, as published
  double tokens_per_second_per_gpu = 0;
  std::optional<double> step_seconds;
  std::string quality;  ///< A complete and from the primary source, B something assumed, C not
                        ///< for a fit: what can go wrong
  std::optional<Tuning> tuning;  ///< judged by the author of the run and the source
  bool overlaps = true;          ///< false if the source says that no exchange runs behind compute
  std::string group;             ///< one experiment seen several times
  bool layout_known = false;
  /// Tokens per second and GPU predicted by constants fitted without its source, for a run of
  /// unknown tuning, and the spread of the prediction's range (data/efficiency/left_out.csv).
  std::optional<double> left_out;
  double left_out_sigma = 0;
  std::string note;
  double weight = 1;  ///< 1 / size of the group
};

/// Defaults for empty cells of a user's rows, by column.
using OwnDefaults = std::vector<std::pair<std::string_view, std::string>>;
/// Reads a user's rows with the columns of data/runs/throughput.csv. Missing columns count as
/// empty. Columns of other names go to `unknown`. Throws Error (data) with line and column.
std::vector<ThroughputRow> own_rows(const DataFolder& data, std::string_view csv,
                                    std::string_view origin, const OwnDefaults& defaults,
                                    std::vector<std::string>& unknown);

/// One whole published run: what it processed and what it cost (data/runs/runs.csv).
struct PublishedRun {
  std::string id, name;
  std::string stage;  ///< as published
  /// True for text models from random weights (early fusion learns images as text).
  bool text_pretraining = false;
  std::optional<double> params_total, params_active;
  std::optional<double> tokens, seq_length;
  std::string accelerator;  ///< as published
  std::optional<double> gpus;
  std::optional<Precision> precision;  ///< empty where none or several are published
  std::optional<double> gpu_hours, implied_gpu_hours, wall_days, flops;
  std::string what_is_included, source, quality;
  bool verified = false;
};

/// A published run, rate or peak with the scenario that replays it: vision-language
/// (data/runs/vision.csv), post-training (data/serving/posttraining.csv) or memory.
struct ReplayableRun {
  std::string id, source, title;
  MeasuredUnit unit = MeasuredUnit::gpu_hours;
  std::optional<double> measured;
  /// A configuration and figure at the source, B one thing assumed, C several.
  std::string quality;
  bool fit = false;     ///< a row that constants may be fitted to
  std::string why_not;  ///< why they may not
  std::string assumed, reference;
  /// `path=value` pairs that replay it, stages after a `|` each; empty where none can.
  std::string scenario;
};

/// A published peak of memory in bytes (data/runs/memory.csv).
struct MemoryFigure : ReplayableRun {
  MemoryCounter counter = MemoryCounter::allocated;
};

/// Everything that was measured elsewhere and that calibrates or judges the estimates.
struct RunBook {
  std::vector<ThroughputRow> throughput;
  std::vector<PublishedRun> runs;
  std::vector<ReplayableRun> vision_runs;
  std::vector<ReplayableRun> posttraining_runs;
  std::vector<MemoryFigure> memory;
  /// Architectures that only these rows name (data/runs/models).
  std::map<std::string, Model, std::less<>> models;
};

/// Reads all tables of runs. Throws Error (data) for a malformed one.
std::shared_ptr<const RunBook> load_runs(const DataFolder& data, const EncoderLookup& find_encoder);

/// One row of the tables of runs as a JSON object, empty cells null. An empty text if no row has
/// the id.
std::string run_text(const DataFolder& data, std::string_view id);

/// A published model that was pre-trained on about the tokens of a budget.
struct BudgetModel {
  std::string name;
  bool vision = false;
  bool mixture = false;  ///< of experts
  double params = 0;     ///< of the whole model
  double tokens = 0;
  std::string source;
};

/// A number of tokens, with models that were pre-trained on about as many.
struct TokenBudget {
  double tokens = 0;
  std::vector<BudgetModel> models;
};

/// Reads data/runs/token_budgets.json, in the file's order. Throws Error (data) for a malformed
/// file.
std::vector<TokenBudget> load_token_budgets(const DataFolder& data);

/// The error on sources that no constant had seen, of one kind of measurement.
struct UnseenErrorRow {
  std::string kind;  ///< throughput, vision or rounds
  double sources = 0;
  double median_error = 0;  ///< of |predicted / measured - 1|
  double tenth_factor = 1;  ///< exceeded by one source in ten
};

/// Reads data/runs/unseen_errors.json. Throws Error (data) for a malformed file.
std::vector<UnseenErrorRow> load_unseen_errors(const DataFolder& data);

}  // namespace trcost::catalog

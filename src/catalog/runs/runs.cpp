// SPDX-License-Identifier: Apache-2.0
#include "catalog/runs/runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "catalog/data/data_file.h"
#include "quantity/suggest.h"
#include "text/csv.h"

namespace trcost::catalog {

namespace {

constexpr const char* kThroughputFile = "runs/throughput.csv";

// The degree in a cell, empty for an empty cell or a missing column.
std::optional<int> degree(const CsvTable& table, std::size_t row, std::string_view column) {
  if (!table.has(column)) return std::nullopt;
  const std::optional<double> value = table.number(row, column);
  if (!value) return std::nullopt;
  const int whole = static_cast<int>(*value);
  if (*value < 1 || *value > 1e6 || whole != *value) {
    table.fail(row, column, "a degree is a whole number from 1 on");
  }
  return whole;
}

constexpr Choice<bool> kYesOrNo[] = {{"yes", true}, {"no", false}};

bool is_yes(const CsvTable& table, std::size_t row, std::string_view column) {
  return one_of(table, row, column, kYesOrNo).value_or(false);
}

// Tokens per second and GPU, from their own cell or from the seconds of a step.
double row_speed(const CsvTable& table, std::size_t i, const ThroughputRow& row) {
  constexpr std::string_view kSpeed = "tokens_per_second_per_gpu";
  const std::optional<double> speed = table.number(i, kSpeed);
  if (speed && *speed > 0) return *speed;
  if (speed) table.fail(i, kSpeed, "a speed is above 0");
  if (!row.step_seconds) {
    table.fail(i, kSpeed, "a number is missing, and step_seconds too", "write one of the two");
  }
  if (*row.step_seconds <= 0) table.fail(i, "step_seconds", "a step takes more than 0 seconds");
  if (!row.global_batch)
    table.fail(i, "global_batch", "step_seconds says a speed only with a batch");
  return *row.global_batch * row.seq_length / (*row.step_seconds * row.gpus);
}

double at_least_one(const CsvTable& table, std::size_t i, std::string_view column) {
  const double value = table.required_number(i, column);
  if (value < 1) table.fail(i, column, "this is a number from 1 on");
  return value;
}

std::optional<double> batch_of(const CsvTable& table, std::size_t i, std::string_view column) {
  const std::optional<double> value = table.number(i, column);
  if (value && *value <= 0) table.fail(i, column, "a batch is above 0");
  return value;
}

ThroughputRow throughput_row(const CsvTable& table, std::size_t i) {
  ThroughputRow row;
  row.id = table.text(i, "id");
  row.source = table.text(i, "source");
  row.model = table.text(i, "model");
  row.task = one_of(table, i, "task", kTasks).value_or(RowTask::pretrain);
  row.accelerator = table.text(i, "accelerator");
  row.gpus = at_least_one(table, i, "gpus");
  for (const Dimension& each : kDimensions) row.*each.given = degree(table, i, each.name);
  row.sharding = one_of(table, i, "sharding", kShardings);
  row.micro_batch = batch_of(table, i, "micro_batch");
  row.global_batch = batch_of(table, i, "global_batch");
  row.seq_length = at_least_one(table, i, "seq_length");
  const std::optional<Precision> precision = parse_precision(table.text(i, "precision"));
  if (!precision) table.fail(i, "precision", "unknown precision");
  row.precision = *precision;
  row.recompute = one_of(table, i, "recompute", kRecomputes);
  row.attention = one_of(table, i, "attention", kAttentions).value_or(Attention::flash);
  row.kernels = one_of(table, i, "kernels", kKernelSets);
  row.optimizer = table.text(i, "optimizer");
  row.stack = table.text(i, "stack");
  row.version = table.text(i, "version");
  row.step_seconds = table.number(i, "step_seconds");
  row.tokens_per_second_per_gpu = row_speed(table, i, row);
  row.quality = table.text(i, "quality");
  row.group = table.text(i, "group");
  row.tuning = one_of(table, i, "tuning", kTunings);
  const std::string_view overlap = table.text(i, "overlap");
  if (!overlap.empty() && overlap != "none") {
    table.fail(i, "overlap", "this is none, where no exchange ran behind compute, or empty");
  }
  row.overlaps = overlap.empty();
  row.layout_known = is_yes(table, i, "layout_known");
  row.system = table.text(i, "system");
  row.note = table.text(i, "hardware_note");
  return row;
}

std::vector<ThroughputRow> throughput_rows(const DataFolder& data) {
  const CsvTable table(data.file(kThroughputFile), kThroughputFile);
  std::vector<ThroughputRow> rows = read_rows(table, throughput_row);
  std::map<std::string, double> sizes;
  for (const ThroughputRow& row : rows) sizes[row.group] += 1;
  for (ThroughputRow& row : rows) row.weight = 1 / sizes[row.group];
  constexpr std::string_view kLeftOutFile = "efficiency/left_out.csv";
  if (!data.has_file(kLeftOutFile)) return rows;
  std::map<std::string_view, ThroughputRow*> by_id;
  for (ThroughputRow& row : rows) by_id[row.id] = &row;
  const CsvTable left_out(data.file(kLeftOutFile), kLeftOutFile);
  for (std::size_t i = 0; i < left_out.rows(); ++i) {
    const auto found = by_id.find(left_out.text(i, "id"));
    if (found == by_id.end()) continue;  // a row that was taken away since
    found->second->left_out = left_out.required_number(i, "predicted");
    found->second->left_out_sigma = left_out.required_number(i, "sigma");
  }
  return rows;
}

// Whether the figure was read at its source. A note may follow in brackets.
constexpr Choice<bool> kVerified[] = {{"yes", true}, {"memory", false}};

bool is_verified(const CsvTable& t, std::size_t i) {
  const std::string& cell = t.text(i, "verified");
  const auto verified = find_value(kVerified, std::string_view(cell).substr(0, cell.find(" (")));
  if (!verified) t.fail(i, "verified", "allowed: yes, memory, and a note in brackets");
  return *verified;
}

PublishedRun published_run(const CsvTable& t, std::size_t i) {
  PublishedRun run;
  run.id = t.text(i, "run_id");
  run.name = t.text(i, "name");
  run.stage = t.text(i, "stage");
  const Modality modality = required_one_of(t, i, "modality", kModalities);
  const bool from_random_weights = run.stage == "pretrain" || run.stage == "pretrain(+post)";
  run.text_pretraining =
      from_random_weights && (modality == Modality::text || modality == Modality::early_fusion);
  const auto billions = [&](std::string_view column) {
    std::optional<double> value = t.number(i, column);
    if (value) *value *= 1e9;
    return value;
  };
  run.params_total = billions("params_total_B");
  run.params_active = billions("params_active_B");
  run.tokens = billions("tokens_B");
  run.seq_length = t.number(i, "seq_len");
  run.accelerator = t.text(i, "accelerator");
  run.gpus = t.number(i, "gpu_count");
  run.precision = parse_precision(lower_case(t.text(i, "precision")));
  run.gpu_hours = t.number(i, "gpu_hours");
  run.implied_gpu_hours = t.number(i, "implied_gpu_hours");
  run.wall_days = t.number(i, "wall_days");
  run.flops = t.number(i, "train_flops");
  run.what_is_included = t.text(i, "what_is_included");
  run.source = t.text(i, "source");
  run.quality = t.text(i, "quality");
  run.verified = is_verified(t, i);
  return run;
}

ReplayableRun replayable_run(const CsvTable& t, std::size_t i) {
  ReplayableRun run;
  run.id = t.text(i, "id");
  run.source = t.text(i, "source");
  run.title = t.text(i, "title");
  run.measured = t.number(i, "measured");
  run.quality = t.text(i, "quality");
  run.fit = is_yes(t, i, "fit");
  run.why_not = t.text(i, "why_not");
  run.assumed = t.text(i, "assumed");
  run.reference = t.text(i, "reference");
  run.scenario = t.text(i, "scenario");
  return run;
}

ReplayableRun timed_run(const CsvTable& t, std::size_t i) {
  ReplayableRun run = replayable_run(t, i);
  run.unit = required_one_of(t, i, "unit", kMeasuredUnits);
  return run;
}

MemoryFigure memory_figure(const CsvTable& t, std::size_t i) {
  constexpr Choice<double> kBytes[] = {{"GiB", 0x1p30}, {"GB", 1e9}, {"MiB", 0x1p20}, {"MB", 1e6}};
  MemoryFigure out{replayable_run(t, i)};
  out.unit = MeasuredUnit::bytes;
  out.measured = t.required_number(i, "measured") * required_one_of(t, i, "unit", kBytes);
  out.counter = required_one_of(t, i, "counter", kMemoryCounters);
  return out;
}

template <class T>
std::vector<T> read_table(const DataFolder& data, std::string_view path,
                          T (*read)(const CsvTable&, std::size_t)) {
  return read_rows(CsvTable(data.file(path), path), read);
}

// A cell as JSON: null, a number, or a text.
nlohmann::ordered_json cell_value(const std::string& text) {
  if (text.empty()) return nullptr;
  if (const auto value = number_in<double>(text)) return *value;
  return text;
}

TokenBudget read_budget(const JsonValue& value) {
  ObjectReader row = value.object();
  TokenBudget out;
  out.tokens = row.required_number("tokens", 1e9, 1e15);
  const JsonValue models = row.required_value("models");
  for (const JsonValue& each : models.array()) {
    ObjectReader model = each.object();
    out.models.push_back(
        {.name = model.required_text("name"),
         .vision = model.required_choice("modality", kModalities) == Modality::vision,
         .mixture = model.boolean_or("mixture", false),
         .params = model.required_number("params", 1e6, 1e14),
         .tokens = model.required_number("tokens", 1e9, 1e15),
         .source = model.required_text("source")});
    model.finish();
  }
  if (out.models.empty()) models.fail("a budget is of one model at least");
  row.finish();
  return out;
}

UnseenErrorRow read_unseen_error(const JsonValue& value) {
  ObjectReader row = value.object();
  UnseenErrorRow out;
  out.kind = row.required_text("kind");
  out.sources = row.required_number("sources", 1, 1e6);
  out.median_error = row.required_number("median_error", 0, 1e3);
  out.tenth_factor = row.required_number("tenth_factor", 1, 1e3);
  row.accept("source");
  row.finish();
  return out;
}

}  // namespace

std::vector<ThroughputRow> own_rows(const DataFolder& data, std::string_view csv,
                                    std::string_view origin, const OwnDefaults& defaults,
                                    std::vector<std::string>& unknown) {
  constexpr std::string_view kFill = "write it into the row, or set its flag, which fills all rows";
  const CsvTable published(data.file(kThroughputFile), kThroughputFile);
  CsvTable table(csv, origin);
  table.hint_missing(std::string(kFill));
  for (const std::string& column : table.columns()) {
    if (!published.has(column)) unknown.push_back(column);
  }
  for (const auto& [column, cell] : defaults) table.fill(column, cell);
  for (const std::string& column : published.columns()) table.fill(column, "");
  std::vector<ThroughputRow> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (table.text(i, "model").empty())
      table.fail(i, "model", "a model is missing", std::string(kFill));
    if (table.text(i, "accelerator").empty()) {
      table.fail(i, "accelerator", "a chip is missing", std::string(kFill));
    }
    rows.push_back(throughput_row(table, i));
    if (rows.back().id.empty()) rows.back().id = fmt::format("line {}", table.line(i));
  }
  return rows;
}

std::shared_ptr<const RunBook> load_runs(const DataFolder& data,
                                         const EncoderLookup& find_encoder) {
  auto book = std::make_shared<RunBook>();
  book->throughput = throughput_rows(data);
  book->runs = read_table(data, "runs/runs.csv", published_run);
  book->vision_runs = read_table(data, "runs/vision.csv", timed_run);
  book->posttraining_runs = read_table(data, "serving/posttraining.csv", timed_run);
  book->memory = read_table(data, "runs/memory.csv", memory_figure);
  for (const EmbeddedFile& file : embedded_files()) {
    if (!file.path.starts_with("runs/models/")) continue;
    Model model = parse_model(read_data_file(data, file.path), find_encoder);
    const std::string name = model.name;
    book->models.emplace(name, std::move(model));
  }
  return book;
}

std::string run_text(const DataFolder& data, std::string_view id) {
  for (const auto& [path, key] :
       {std::pair{kThroughputFile, "id"}, std::pair{"runs/runs.csv", "run_id"}}) {
    const CsvTable table(data.file(path), path);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.text(row, key) != id) continue;
      nlohmann::ordered_json object;
      for (const std::string& column : table.columns()) {
        object[column] = cell_value(table.text(row, column));
      }
      return object.dump(2) + "\n";
    }
  }
  return {};
}

std::vector<TokenBudget> load_token_budgets(const DataFolder& data) {
  ObjectReader file = read_data_file(data, "runs/token_budgets.json").object();
  for (const std::string_view key : {"schema_version", "note", "retrieved"}) file.accept(key);
  std::vector<TokenBudget> out;
  for (const JsonValue& each : file.required_value("budgets").array()) {
    out.push_back(read_budget(each));
  }
  file.finish();
  return out;
}

std::vector<UnseenErrorRow> load_unseen_errors(const DataFolder& data) {
  ObjectReader file = read_data_file(data, "runs/unseen_errors.json").object();
  for (const std::string_view key : {"schema_version", "note", "retrieved"}) file.accept(key);
  std::vector<UnseenErrorRow> out;
  for (const JsonValue& each : file.required_value("kinds").array()) {
    out.push_back(read_unseen_error(each));
  }
  file.finish();
  return out;
}

}  // namespace trcost::catalog

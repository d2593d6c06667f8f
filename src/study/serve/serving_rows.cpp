// SPDX-License-Identifier: Apache-2.0
#include "study/serve/serving_rows.h"

#include "text/csv.h"

namespace trcost::study {

namespace {

constexpr const char* kFile = "serving/measurements.csv";

ServingMode read_mode(const CsvTable& table, std::size_t i) {
  const std::string& word = table.text(i, "mode");
  if (word == "online") return ServingMode::online;
  if (word == "offline") return ServingMode::offline;
  if (word == "static") return ServingMode::static_batch;
  table.fail(i, "mode", "one of online, offline, static");
}

WeightFormat read_format(const CsvTable& table, std::size_t i) {
  const auto format = parse_weight_format(table.text(i, "precision"));
  if (!format) table.fail(i, "precision", "unknown weight format");
  return *format;
}

ServingMeasurement measurement(const CsvTable& t, std::size_t i) {
  ServingMeasurement m;
  m.id = t.text(i, "id");
  m.source = t.text(i, "source");
  m.engine = t.text(i, "engine");
  m.model = t.text(i, "model");
  m.accelerator = t.text(i, "accelerator");
  const auto degree = [&](std::string_view column) {
    return static_cast<int>(t.required_number(i, column));
  };
  m.layout = {degree("gpus"), degree("tp"), degree("ep"), degree("dp")};
  m.format = read_format(t, i);
  if (!t.text(i, "kv_precision").empty()) m.eight_bit_cache = t.text(i, "kv_precision") == "fp8";
  m.mode = read_mode(t, i);
  m.by_user = t.has("run_by") && t.text(i, "run_by") == "user";
  m.input_tokens = t.required_number(i, "input_tokens");
  m.output_tokens = t.required_number(i, "output_tokens");
  m.concurrency = m.mode == ServingMode::static_batch ? t.required_number(i, "concurrency")
                                                      : t.number(i, "concurrency");
  m.ttft_seconds = t.number(i, "ttft_seconds");
  m.tpot_seconds = t.number(i, "tpot_seconds");
  m.output_per_gpu = t.required_number(i, "output_tokens_per_second_per_gpu");
  return m;
}

}  // namespace

std::vector<ServingMeasurement> serving_measurements(const Catalog& catalog) {
  return read_rows(CsvTable(catalog.file(kFile), kFile), measurement);
}

}  // namespace trcost::study

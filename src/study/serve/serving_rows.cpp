// SPDX-License-Identifier: Apache-2.0
#include "study/serve/serving_rows.h"

#include "text/csv.h"

namespace trcost::study {

namespace {

constexpr const char* kFile = "serving/measurements.csv";

constexpr Choice<ServingMode> kModes[] = {{"online", ServingMode::online},
                                          {"offline", ServingMode::offline},
                                          {"static", ServingMode::static_batch}};

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
  const auto format = parse_weight_format(t.text(i, "precision"));
  if (!format) t.fail(i, "precision", "unknown weight format");
  m.format = *format;
  if (!t.text(i, "kv_precision").empty()) m.eight_bit_cache = t.text(i, "kv_precision") == "fp8";
  m.mode = required_one_of(t, i, "mode", kModes);
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

// SPDX-License-Identifier: Apache-2.0
// Measurements of sources that no constant had seen, with the predictions of that day.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "study/validate/validate.h"
#include "trcost/catalog.h"

namespace trcost::study {

/// A measurement and the prediction that was stored before its source was added
/// (data/runs/predicted_first.csv). Stored predictions are final.
struct FirstPrediction {
  std::string kind;  ///< throughput, memory, vision, rounds or serving
  std::string id, source, quality, unit, date, version, reference;
  double measured = 0;
  std::optional<double> predicted, p10, p90;
  double error = 0;            ///< predicted / measured - 1
  std::optional<bool> inside;  ///< within P10 to P90, where a range was stored
  double weight = 0;           ///< 1 / rows of the source of this kind
  std::string problem;         ///< why there is no prediction, else empty
};

/// Errors of a kind, of all sources or of one. Each source has one vote.
struct FirstSummary {
  std::string kind, source;  ///< an empty source stands for all
  int rows = 0, sources = 0;
  double median = 0, p90 = 0, bias = 0;  ///< of |error|, and the median of error
  std::optional<double> inside;          ///< share within P10 to P90, of rows with a range
  std::string date;                      ///< of the latest prediction
};

struct FirstPredictions {
  std::vector<FirstPrediction> rows;
  std::vector<FirstSummary> summaries;  ///< by kind, then by kind and source
};

/// All stored predictions of sources that contain `source`.
FirstPredictions first_predictions(const Catalog& catalog, const std::string& source = {});

/// The summary of a kind, or null.
const FirstSummary* find_summary(const FirstPredictions& all, const std::string& kind);

}  // namespace trcost::study

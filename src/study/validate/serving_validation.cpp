// SPDX-License-Identifier: Apache-2.0
#include "study/validate/serving_validation.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "catalog/layout/layout.h"
#include "study/serve/serving_rows.h"
#include "trcost/serving_point.h"

namespace trcost::study {

namespace {

bool matches(const ServingMeasurement& m, const ValidationFilter& f) {
  const auto within = [](const std::string& text, const std::string& part) {
    return part.empty() || text.find(part) != std::string::npos;
  };
  return (f.accelerator.empty() || m.accelerator == f.accelerator) &&
         (f.stack.empty() || m.engine == f.stack) && within(m.source, f.source) &&
         within(m.model, f.model);
}

// The configuration of a measurement, which has one vote for all its loads.
std::string vote_group(const ServingMeasurement& m) {
  return fmt::format("{}|{}|{}|{}|{}", m.model, m.accelerator, weight_format_name(m.format),
                     m.layout.gpus, m.engine);
}

std::optional<double> predicted_rate(const Catalog& catalog, const ServingMeasurement& m) {
  const Engine engine = engine_as_run(catalog.engine(m.engine), m.by_user ? "usual" : "showcase");
  const Accelerator& chip = catalog.accelerator(m.accelerator);
  const bool eight =
      m.eight_bit_cache.value_or(engine.eight_bit_cache && m.format != WeightFormat::bf16);
  const ServingModel model(served_model(catalog.model(m.model)),
                           catalog.serving_chip(chip, catalog.system(chip.system)), engine,
                           m.format, eight ? 1 : 2, m.layout);
  if (m.mode == ServingMode::static_batch) {
    const double batch = m.concurrency.value();
    const DecodeStep step = model.decode(batch, m.input_tokens + m.output_tokens / 2);
    const double prompts = batch * m.input_tokens * model.prefill_seconds_per_token(m.input_tokens);
    return batch * m.output_tokens / (prompts + step.host + m.output_tokens * step.total()) /
           m.layout.gpus;
  }
  const ServingPoint p = model.at({m.input_tokens, m.output_tokens, m.concurrency});
  if (!p.fits) return std::nullopt;
  if (m.mode == ServingMode::online) return p.output_per_gpu;
  // All prompts of a queue wait from the start, and its last batches are not full.
  const double prompt = m.input_tokens * model.prefill_seconds_per_token(m.input_tokens);
  const double request = prompt + p.queue_seconds + m.output_tokens * p.tpot_seconds;
  return p.sequences * m.output_tokens / request / (1 + 0.5 * engine.ramp) / m.layout.gpus;
}

// Share of the pairs of rows on different chips, equal in everything else, that the prediction
// orders as the measurement does. Pairs that differ by less than a tenth are ignored.
double ordered_rightly(const std::vector<ServingReplay>& rows) {
  using Key = std::tuple<std::string, std::string, int, double, double, std::optional<double>>;
  std::map<Key, std::vector<const ServingReplay*>> alike;
  for (const ServingReplay& r : rows) {
    alike[{r.model, r.engine, static_cast<int>(r.queued), r.input_tokens, r.output_tokens,
           r.concurrency}]
        .push_back(&r);
  }
  double right = 0, pairs = 0;
  for (const auto& [key, of] : alike) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const bool faster = of[i]->measured > of[j]->measured;
        if (!of[i]->predicted || !of[j]->predicted || of[i]->accelerator == of[j]->accelerator ||
            std::abs(of[i]->measured / of[j]->measured - 1) < 0.1) {
          continue;
        }
        pairs += 1;
        right += (*of[i]->predicted > *of[j]->predicted) == faster ? 1 : 0;
      }
    }
  }
  return pairs > 0 ? right / pairs : 1;
}

// Adds the error of a row with a prediction.
void add_error(const ServingReplay& r, std::vector<RowError>& errors) {
  if (r.error) errors.push_back({*r.error, r.weight, r.group});
}

std::vector<ValidationSummary> serving_summaries(const std::vector<ServingReplay>& rows) {
  constexpr std::pair<std::string_view, std::string ServingReplay::*> kDimensions[] = {
      {"model", &ServingReplay::model},
      {"accelerator", &ServingReplay::accelerator},
      {"engine", &ServingReplay::engine}};
  std::vector<ValidationSummary> out;
  for (const auto& [dimension, of] : kDimensions) {
    std::map<std::string_view, std::vector<RowError>> parts;
    for (const ServingReplay& r : rows) add_error(r, parts[r.*of]);
    for (const auto& [value, errors] : parts) {
      if (errors.empty()) continue;
      out.push_back(summarise(errors, std::string(dimension), std::string(value)));
    }
  }
  return out;
}

}  // namespace

ServingValidation validate_serving(const Catalog& catalog, const ValidationFilter& filter) {
  ServingValidation out;
  std::vector<RowError> errors;
  const std::vector<ServingMeasurement> measured = serving_measurements(catalog);
  std::map<std::string, double> sizes;
  for (const ServingMeasurement& m : measured) sizes[vote_group(m)] += 1;
  for (const ServingMeasurement& m : measured) {
    if (!matches(m, filter)) continue;
    ServingReplay r;
    r.id = m.id;
    r.model = m.model;
    r.accelerator = m.accelerator;
    r.engine = m.engine;
    r.precision = weight_format_name(m.format);
    r.source = m.source;
    r.layout = m.layout;
    r.input_tokens = m.input_tokens;
    r.output_tokens = m.output_tokens;
    r.concurrency = m.concurrency;
    r.queued = m.mode == ServingMode::offline;
    r.measured = m.output_per_gpu;
    r.predicted = predicted_rate(catalog, m);
    if (r.predicted) r.error = *r.predicted / r.measured - 1;
    r.group = vote_group(m);
    r.weight = 1 / sizes[r.group];
    out.rows.push_back(std::move(r));
  }
  for (const ServingReplay& r : out.rows) add_error(r, errors);
  if (errors.empty()) return out;
  out.all = summarise(errors, "all", "all");
  out.summaries = serving_summaries(out.rows);
  out.ordered_rightly = ordered_rightly(out.rows);
  return out;
}

}  // namespace trcost::study

// SPDX-License-Identifier: Apache-2.0
#include "study/serve/serving_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catalog/models/weight_formats.h"
#include "performance/serving/serving_model.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::study {

WeightFormat choose_format(const ServingQuestion& q, const Model& model, const ServingChip& chip) {
  if (q.precision.empty()) {
    if (const auto released = parse_weight_format(model.released_format)) return *released;
    return chip.fp8 ? WeightFormat::fp8 : WeightFormat::bf16;
  }
  if (const auto offered = find_value(kServedFormats, q.precision)) {
    const WeightFormat eight_bit = chip.fp8 ? WeightFormat::fp8 : WeightFormat::bf16;
    return offered->value_or(chip.fp4 ? WeightFormat::nvfp4 : eight_bit);
  }
  throw Error(ErrorKind::usage, fmt::format("unknown format \"{}\"", q.precision.substr(0, 40)),
              fmt::format("one of {}", fmt::join(words_in(kServedFormats, kOfferedFormats), ", ")),
              "--precision");
}

bool choose_cache(const ServingQuestion& q, const Engine& engine, WeightFormat format) {
  if (q.cache_precision.empty()) return engine.eight_bit_cache && format != WeightFormat::bf16;
  if (const auto eight_bit = find_value(kCacheFormats, q.cache_precision)) return *eight_bit;
  throw Error(
      ErrorKind::usage,
      fmt::format("unknown format of the cache \"{}\"", q.cache_precision.substr(0, 40)),
      fmt::format("one of {}", fmt::join(words_in(kCacheFormats, kOfferedCacheFormats), ", ")),
      "--kv-precision");
}

void note_format(const ServingQuestion& q, const ServingRow& row, const ServingChip& chip,
                 Notes& notes) {
  if (!parse_weight_format(q.precision)) return;  // chosen for the chip
  const double bytes = weight_format(row.format).other_bytes;
  const bool four_bit = bytes < 1, eight_bit = bytes == 1;
  if ((!four_bit || chip.fp4) && (!eight_bit || chip.fp8)) return;
  notes.warn(
      fmt::format("{} does not compute in {}: weights are stored in it and multiplied in bf16",
                  row.accelerator, weight_format_name(row.format)));
}

void check_question(const ServingQuestion& q, const ServedModel& model) {
  check_context(model, q.load.input_tokens, q.load.output_tokens,
                "--input-tokens, --output-tokens");
  if (q.load.concurrency && q.tokens_per_second_per_user) {
    throw Error(ErrorKind::usage,
                "--concurrency and --tokens-per-second-per-user exclude each other",
                "set one of them: the other follows");
  }
  check_speculation(q.load.drafted, q.load.acceptance);
}

void check_degrees(const ServingSearch& search, const ServedModel& model) {
  const int gpus = search.gpus.value_or(0);
  if (search.tp && gpus > 0 && gpus % *search.tp != 0) {
    throw Error(ErrorKind::usage, fmt::format("{} does not divide {} GPUs", *search.tp, gpus),
                "use a divisor, or leave --tp to the search", "--tp");
  }
  if (search.tp && search.dp && gpus > 0 && *search.tp * *search.dp != gpus) {
    throw Error(ErrorKind::usage,
                fmt::format("--tp {} x --dp {} are not {} GPUs", *search.tp, *search.dp, gpus),
                "leave one of them out", "--dp");
  }
  if (search.tp) check_tensor_parallel(model, *search.tp, "--tp");
  if (search.ep && *search.ep > 1 && model.experts <= 0) {
    throw Error(ErrorKind::usage, "experts are spread, and this model has none", "leave it out",
                "--ep");
  }
  for (const int n : {gpus, search.tp.value_or(0) * search.dp.value_or(0)}) {
    if (!search.ep || n == 0) continue;
    if (n % *search.ep != 0 || (*search.ep * search.tp.value_or(n)) % n != 0) {
      throw Error(ErrorKind::usage,
                  fmt::format("{} does not spread the experts over {} GPUs", *search.ep, n),
                  "set --ep as many as there are GPUs, or leave it out", "--ep");
    }
  }
}

void refuse_to_fit(const ServedModel& model, const ServingRow& row, const ServingSearch& search,
                   std::optional<int> smallest) {
  const bool divides = std::ranges::any_of(replica_sizes(search), [&](int gpus) {
    return !serving_layouts(model, search, gpus).empty();
  });
  if (!divides) {
    throw Error(
        ErrorKind::no_answer,
        fmt::format("no layout of a replica divides {} attention heads and {} key-value heads "
                    "as asked",
                    model.heads, model.kv_heads),
        "leave --gpus, --tp and --dp to the search, or set --tp and --dp that multiply to --gpus");
  }
  throw Error(
      ErrorKind::no_answer,
      fmt::format("{} of {} weights and the cache of one request of {} tokens do not fit {} {}",
                  format_number(weight_bytes(model, row.format), NumberKind::bytes),
                  weight_format_name(row.format),
                  format_exact(search.load.input_tokens + search.load.output_tokens),
                  search.gpus.value_or(replica_sizes(search).back()), row.accelerator),
      smallest ? fmt::format("the smallest number that fits is {}: --gpus {}", *smallest, *smallest)
               : "use other degrees, shorter requests, or a smaller --precision");
}

void refuse_load(const ServingQuestion& q, const ServingChoice& choice, const ServingRow& row,
                 const Engine& engine) {
  if (q.tokens_per_second_per_user) {
    // Rounded down, so that the limit is never the refused value.
    constexpr double kTenths = 10;
    throw Error(ErrorKind::no_answer,
                fmt::format("{} gives one user at most {:.1f} tokens/s, not {}", row.accelerator,
                            std::floor(kTenths / choice.point.tpot_seconds) / kTenths,
                            format_exact(*q.tokens_per_second_per_user)),
                "ask for less, for a smaller --precision, or for more --gpus",
                "--tokens-per-second-per-user");
  }
  const double most = std::floor(choice.point.most_sequences);
  const bool scheduled = most >= std::floor(engine.most_sequences * choice.layout.dp);
  const std::string asked = format_exact(q.load.concurrency.value_or(most));
  const std::string what =
      scheduled ? fmt::format("{} requests are more than {} takes at a time: {} {} take {}", asked,
                              engine.title, choice.layout.gpus, row.accelerator, format_exact(most))
                : fmt::format("{} requests of {} tokens do not fit the cache: {} {} hold {}", asked,
                              format_exact(q.load.input_tokens + q.load.output_tokens),
                              choice.layout.gpus, row.accelerator, format_exact(most));
  throw Error(ErrorKind::no_answer, what,
              fmt::format("set --concurrency {} or less{}", format_exact(most),
                          q.scenario.has(Field::hardware_gpus)
                              ? ", or more --gpus"
                              : "; that is the largest replica that is searched, --gpus asks for "
                                "another"),
              "--concurrency");
}

}  // namespace trcost::study

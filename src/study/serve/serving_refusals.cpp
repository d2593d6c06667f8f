// SPDX-License-Identifier: Apache-2.0
#include "study/serve/serving_refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "performance/serving/serving_model.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::study {

namespace {

// Whether some layout divides the heads under the degrees of the question.
bool any_layout(const ServedModel& model, const ServingSearch& search) {
  return std::ranges::any_of(replica_sizes(search), [&](int gpus) {
    return !serving_layouts(model, search, gpus).empty();
  });
}

}  // namespace

void refuse_question(const ServingQuestion& q, const ServedModel& model) {
  check_context(model, q.load.input_tokens, q.load.output_tokens,
                "--input-tokens, --output-tokens");
  if (q.load.concurrency && q.tokens_per_second_per_user) {
    throw Error(ErrorKind::usage,
                "--concurrency and --tokens-per-second-per-user exclude each other",
                "give one of them: the other follows");
  }
  check_speculation(q.load.drafted, q.load.acceptance);
}

void refuse_layout(const ServingSearch& search, const ServedModel& model) {
  const int gpus = search.gpus.value_or(0);
  if (search.tp && gpus > 0 && gpus % *search.tp != 0) {
    throw Error(ErrorKind::usage, fmt::format("{} does not divide {} GPUs", *search.tp, gpus),
                "give a divisor, or leave --tp to the search", "--tp");
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
                  "give --ep as many as there are GPUs, or leave it out", "--ep");
    }
  }
}

void refuse_to_fit(const ServedModel& model, const ServingRow& row, const ServingSearch& search,
                   std::optional<int> smallest) {
  if (!any_layout(model, search)) {
    throw Error(
        ErrorKind::no_answer,
        fmt::format("no layout of a replica divides {} attention heads and {} key-value heads "
                    "as asked",
                    model.heads, model.kv_heads),
        "leave --gpus, --tp and --dp to the search, or give --tp and --dp that multiply to --gpus");
  }
  throw Error(
      ErrorKind::no_answer,
      fmt::format("{} of {} weights and the cache of one request of {} tokens do not fit {} {}",
                  format_number(weight_bytes(model, row.format), NumberKind::bytes),
                  weight_format_name(row.format),
                  format_exact(search.load.input_tokens + search.load.output_tokens),
                  search.gpus.value_or(replica_sizes(search).back()), row.accelerator),
      smallest ? fmt::format("{} hold it: --gpus {}; or shorter requests, or a smaller --precision",
                             *smallest, *smallest)
               : "give other degrees, shorter requests, or a smaller --precision");
}

namespace {

constexpr double kTenths = 10;  // rounded down, so that the limit is never the refused value

[[noreturn]] void refuse_speed(double asked, const ServingChoice& choice, const ServingRow& row) {
  throw Error(
      ErrorKind::no_answer,
      fmt::format("{} gives one user at most {:.1f} tokens/s, not {}", row.accelerator,
                  std::floor(kTenths / choice.point.tpot_seconds) / kTenths, format_exact(asked)),
      "ask for less, for a smaller --precision, or for more --gpus",
      "--tokens-per-second-per-user");
}

}  // namespace

void refuse_load(const ServingQuestion& q, const ServingChoice& choice, const ServingRow& row,
                 const Engine& engine) {
  if (q.tokens_per_second_per_user) refuse_speed(*q.tokens_per_second_per_user, choice, row);
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
              fmt::format("give --concurrency {} or less{}", format_exact(most),
                          q.scenario.has(Field::hardware_gpus)
                              ? ", or more --gpus"
                              : "; that is the largest replica that is searched, --gpus asks for "
                                "another"),
              "--concurrency");
}

}  // namespace trcost::study

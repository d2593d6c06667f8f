// SPDX-License-Identifier: Apache-2.0
#include "study/serving_refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "performance/serving_checks.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost {
namespace {

// Whether any layout at all divides what was asked for.
bool any_layout(const ServedModel& model, const ServingSearch& search) {
  return std::ranges::any_of(replica_sizes(search), [&](int gpus) {
    return !serving_layouts(model, search, gpus).empty();
  });
}

}  // namespace

void refuse_question(const ServingQuestion& q, const ServedModel& model) {
  check_context(model, q.load.input_tokens, q.load.output_tokens,
                "--input-tokens, --output-tokens");
  if (q.load.concurrency > 0 && q.tokens_per_second_per_user) {
    throw Error(ErrorKind::usage,
                "--concurrency and --tokens-per-second-per-user exclude each other",
                "give one of them: the other follows");
  }
  check_speculation(q.load.drafted, q.load.acceptance);
}

void refuse_layout(const ServingSearch& search, const ServedModel& model) {
  const int gpus = search.gpus.value_or(0);
  if (search.tp && gpus > 0 && gpus % *search.tp != 0) {
    throw Error(ErrorKind::usage, fmt::format("--tp {} does not divide {} GPUs", *search.tp, gpus),
                "give a divisor, or leave --tp to the search", "--tp");
  }
  if (search.tp && search.dp && gpus > 0 && *search.tp * *search.dp != gpus) {
    throw Error(ErrorKind::usage,
                fmt::format("--tp {} x --dp {} are not {} GPUs", *search.tp, *search.dp, gpus),
                "leave one of them out", "--dp");
  }
  if (search.tp) check_tensor_parallel(model, *search.tp, "--tp");
  if (search.ep && *search.ep > 1 && model.experts <= 0) {
    throw Error(ErrorKind::usage, "--ep spreads experts, and this model has none", "leave it out",
                "--ep");
  }
  for (const int n : {gpus, search.tp.value_or(0) * search.dp.value_or(0)}) {
    if (!search.ep || n == 0) continue;
    if (n % *search.ep != 0 || (*search.ep * search.tp.value_or(n)) % n != 0) {
      throw Error(ErrorKind::usage,
                  fmt::format("--ep {} does not spread the experts over {} GPUs", *search.ep, n),
                  "give --ep as many as there are GPUs, or leave it out", "--ep");
    }
  }
}

void refuse_to_fit(const ServedModel& model, const ServingRow& row,
                              const ServingChip& chip, const ServingSearch& search) {
  if (!any_layout(model, search)) {
    throw Error(
        ErrorKind::no_answer,
        fmt::format("no layout of a replica divides {} attention heads and {} key-value heads "
                    "as asked",
                    model.heads, model.kv_heads),
        "leave --gpus, --tp and --dp to the search, or give --tp and --dp that multiply to --gpus");
  }
  const double bytes = weight_bytes(model, row.format);
  const double least = std::ceil(bytes / (chip.memory_bytes * 0.9));
  throw Error(
      ErrorKind::no_answer,
      fmt::format("{} of {} weights and the cache of one request do not fit {} {}",
                  format_number(bytes, NumberKind::bytes), weight_format(row.format).name,
                  search.gpus.value_or(search.most_gpus), row.accelerator),
      fmt::format("it takes more than {} of them, shorter requests, or a smaller --precision",
                  std::max(least, search.gpus.value_or(0) + 0.0)));
}

void refuse_load(const ServingQuestion& q, const ServingChoice& choice, const ServingRow& row) {
  if (q.tokens_per_second_per_user) {
    throw Error(
        ErrorKind::no_answer,
        fmt::format("{} gives one user at most {:.0f} tokens/s, not {:.0f}", row.accelerator,
                    1 / choice.point.tpot_seconds, *q.tokens_per_second_per_user),
        "ask for less, for a smaller --precision, or for more --gpus");
  }
  throw Error(
      ErrorKind::no_answer,
      fmt::format("{} requests of {} tokens do not fit the cache: {} {} hold {:.0f}",
                  q.load.concurrency, q.load.input_tokens + q.load.output_tokens,
                  choice.layout.gpus, row.accelerator, std::floor(choice.point.most_sequences)),
      fmt::format("give --concurrency {:.0f} or less, or more --gpus",
                  std::floor(choice.point.most_sequences)),
      "--concurrency");
}

}  // namespace trcost

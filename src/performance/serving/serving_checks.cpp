// SPDX-License-Identifier: Apache-2.0
#include "performance/serving/serving_checks.h"

#include <fmt/format.h>

#include <cmath>

#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::performance {

void check_context(const ServedModel& model, double prompt, double answer, std::string_view flag) {
  if (!model.context || prompt + answer <= *model.context) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} tokens of prompt and {} of answer are more than the model's context "
                          "of {}",
                          format_number(prompt, NumberKind::count),
                          format_number(answer, NumberKind::count),
                          format_number(*model.context, NumberKind::count)),
              "shorten the request", std::string(flag));
}

void check_speculation(double drafted, double acceptance) {
  if (acceptance > 0 && drafted <= 0) {
    throw Error(ErrorKind::usage, "it is of drafted tokens, and none are drafted",
                "give --draft-tokens, e.g. 1 for DeepSeek's own", "--acceptance");
  }
  if (drafted > 0 && acceptance <= 0) {
    throw Error(ErrorKind::usage, "drafted tokens need the share that is accepted",
                "give --acceptance, e.g. 0.8: it is a property of the data and is never assumed",
                "--draft-tokens");
  }
}

void check_tensor_parallel(const ServedModel& model, int tp, std::string_view flag) {
  if (std::fmod(model.heads, tp) != 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} does not divide the {} attention heads", tp, model.heads),
                "engines refuse it: give a divisor of the heads", std::string(flag));
  }
  if (std::fmod(model.kv_heads, tp) != 0 && std::fmod(tp, model.kv_heads) != 0) {
    throw Error(ErrorKind::usage,
                fmt::format("{} neither divides the {} key-value heads nor is a multiple of them",
                            tp, model.kv_heads),
                "engines refuse it: give a divisor or a multiple", std::string(flag));
  }
}

}  // namespace trcost::performance

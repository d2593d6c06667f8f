// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "catalog/models/model.h"
#include "trcost/tokens.h"

namespace trcost {

TokenEncoder token_encoder(const VisionModel& vision) {
  const auto whole = [](double value) { return static_cast<std::int64_t>(std::llround(value)); };
  const Encoder& e = vision.encoder;
  return {.patch = whole(e.patch),
          .image = whole(e.image),
          .longest = whole(e.longest),
          .merge = whole(std::sqrt(vision.connector.merge)),
          .class_tokens = e.class_token ? 1 : 0};
}

}  // namespace trcost

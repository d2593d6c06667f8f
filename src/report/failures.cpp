// SPDX-License-Identifier: Apache-2.0
#include "report/failures.h"

#include "text/json_writer.h"

namespace trcost {

void write_failures(JsonWriter& writer, std::span<const Estimator::Failure> failures) {
  writer.begin_array("failures");
  for (const Estimator::Failure& failure : failures) {
    writer.begin_object();
    writer.member("accelerator", failure.accelerator);
    writer.member("message", failure.message);
    writer.text_or_null("hint", failure.hint);
    writer.end_object();
  }
  writer.end_array();
}

}  // namespace trcost

// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/cost/useful_time.h"

#include <fmt/format.h>

#include <utility>

namespace trcost::estimation {

UsefulTime useful_time(const UsefulTerms& terms, double gpus, double busy_seconds) {
  UsefulTime out;
  out.production_overhead = terms.production_overhead;
  out.failures = terms.failures;
  out.failures.gpus = gpus;
  out.failures.busy_seconds = busy_seconds;
  out.goodput_given = terms.goodput.has_value();
  if (!out.goodput_given) out.goodput = plan_goodput(out.failures);
  out.goodput_share = terms.goodput.value_or(out.goodput.goodput);
  return out;
}

void note_useful_time(const UsefulTerms& terms, const UsefulTime& useful, Notes& notes) {
  if (!notes.wanted()) return;
  if (!terms.overhead_given) {
    if (useful.production_overhead != kOverhead && terms.tuning_given) {
      notes.add(Field::efficiency_production_overhead, useful.production_overhead,
                fmt::format("a run from scratch: {} of a team that tunes, {} of most, {} of a "
                            "first one",
                            kTunedOverhead, kUsualOverhead, kFirstOverhead),
                "published steady rates against published hours: BLOOM, GPT-NeoX, OPT, Olmo 3, "
                "Llama 3.1 405B");
    } else {
      notes.fallback(Field::efficiency_production_overhead, useful.production_overhead);
    }
  }
  if (useful.goodput_given) return;
  for (GoodputNote& note : goodput_notes(useful.failures, useful.goodput)) {
    notes.add({std::move(note.path), format_number(note.value, NumberKind::number, 4),
               std::move(note.unit), std::move(note.why), std::move(note.source)});
  }
}

}  // namespace trcost::estimation

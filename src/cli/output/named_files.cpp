// SPDX-License-Identifier: Apache-2.0
#include "cli/output/named_files.h"

#include "text/files.h"

namespace trcost::cli {

void note_named_files(const Scenario& scenario) {
  for (const FieldInfo& info : fields()) {
    const bool names =
        info.kind == FieldKind::text || (info.kind == FieldKind::list && info.choices.empty());
    if (!names || !scenario.has(info.field)) continue;
    for (const std::string& name : scenario.names(info.field)) note_input(name);
  }
  for (const Scenario::Stage& stage : scenario.stages) note_named_files(stage.overrides);
}

void note_named_files(const SweepAxis& axis) {
  if (axis.numeric()) return;
  for (std::uint64_t i = 0; i < axis.size(); ++i) note_input(axis.word(i));
}

}  // namespace trcost::cli

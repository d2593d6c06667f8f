// SPDX-License-Identifier: Apache-2.0
#include "estimate/columns/memory_columns.h"

#include <type_traits>

#include "estimate/columns/plan_columns.h"

namespace trcost::estimation {

namespace {

using namespace column;
using column::json;
using column::text;
using Fit = const MemoryFit&;
using Answer = const MemoryReport&;

bool known(Fit fit) {
  return fit.problem.empty();
}

// A case of an accelerator, with the layers of the model, which its layout splits.
const Columns<MemoryCase>& case_columns() {
  static const Columns<MemoryCase> table = [] {
    Columns<MemoryCase> t = {number(
                                 "gpus", "accelerators", NumberKind::integer,
                                 [](const MemoryCase& c) { return c.gpus; }, "cluster size"),
                             boolean(
                                 "fits", [](const MemoryCase& c) { return c.use.fits; },
                                 "whether the total is within the capacity")};
    t.lift<[](const MemoryCase& c) {
      return std::optional<PlacedLayout>({&c.layout, c.gpus, c.layers});
    },
           layout_columns>("layout");
    t.lift<[](const MemoryCase& c) { return &c.use; }, memory_use_columns>("memory");
    return t;
  }();
  return table;
}

const MemoryCase* main_of(Fit fit) {
  return known(fit) ? &fit.main() : nullptr;
}
const MemoryCase* one_of(Fit fit) {
  return known(fit) ? &fit.one : nullptr;
}

template <auto Member>
constexpr auto case_of = [](Fit fit) -> const std::optional<MemoryCase>& { return fit.*Member; };

const Columns<MemoryFit>& fit_columns() {
  static const Columns<MemoryFit> table = [] {
    Columns<MemoryFit> t = {
        text(
            "accelerator", [](Fit f) -> auto& { return f.accelerator; }, "catalog name", Rank::key),
        text(
            "precision",
            [](Fit f) { return known(f) ? precision_name(f.precision) : std::string_view(); },
            "format of the matmuls"),
        number(
            "capacity_bytes", "bytes", NumberKind::bytes,
            [](Fit f) { return known(f) ? std::optional(f.capacity_bytes) : std::nullopt; },
            "of one device, as far as a plan may fill it"),
        number(
            "gpus", "accelerators", NumberKind::integer,
            [](Fit f) {
              const MemoryCase* main = main_of(f);
              return main != nullptr ? std::optional(main->gpus) : std::nullopt;
            },
            "of the case that the row is about: as asked for, else the fewest that hold it")};
    t.lift<[](Fit f) {
      const MemoryCase* main = main_of(f);
      return main != nullptr ? &main->use : nullptr;
    },
           memory_use_columns>("memory", true);
    t.lift<one_of, case_columns>("one", true);
    t.lift<case_of<&MemoryFit::node>, case_columns>("node", true);
    t.lift<case_of<&MemoryFit::smallest>, case_columns>("smallest", true);
    t.lift<case_of<&MemoryFit::given>, case_columns>("given", true);
    t.add({text(
               "title", [](Fit f) -> auto& { return f.title; }, "name of the accelerator"),
           text(
               "system", [](Fit f) -> auto& { return f.system; }, "node or rack it lives in"),
           number(
               "device_bytes", "bytes", NumberKind::bytes, [](Fit f) { return f.device_bytes; },
               "memory of one device that the framework sees"),
           text(
               "problem", [](Fit f) -> auto& { return f.problem; }, "why there is no answer")});
    return t;
  }();
  return table;
}

// The parts of a device that holds everything: how much it is left to compare with.
const Columns<MemoryUse>& parts_columns() {
  static const Columns<MemoryUse> table = [] {
    Columns<MemoryUse> t;
    for (const Column<MemoryUse>& column : memory_use_columns()) {
      const bool bytes = column.display == NumberKind::bytes;
      if (bytes && column.better == Better::lower) t.add({column});
    }
    return t;
  }();
  return table;
}

template <Recompute How>
constexpr auto whole_memory =
    [](Answer report) { return &report.whole[static_cast<std::size_t>(How)]; };

}  // namespace

const Columns<MemoryReport>& memory_columns() {
  static const Columns<MemoryReport> table = [] {
    const auto count = [](std::string_view path, auto get, std::string_view help) {
      return number(path, "parameters", NumberKind::count, get, help);
    };
    Columns<MemoryReport> t;
    t.add(versions<MemoryReport>());
    t.add(
        {json(
             "scenario", [](Answer r) -> auto& { return r.scenario; },
             "what was asked, replayable with --scenario"),
         text(
             "model.name", [](Answer r) -> auto& { return r.model.name; }, "what is trained"),
         count(
             "model.params_total", [](Answer r) { return r.model.params_total; }, "all parameters"),
         count(
             "model.params_trainable", [](Answer r) { return r.model.params_trainable; },
             "parameters that learn"),
         count(
             "model.params_vision", [](Answer r) { return r.model.params_vision; },
             "of the vision encoder"),
         text(
             "recipe", [](Answer r) -> auto& { return r.recipe; }, "what of it learns"),
         text(
             "stack", [](Answer r) -> auto& { return r.stack; }, "software"),
         number(
             "seq_length", "tokens", NumberKind::integer, [](Answer r) { return r.seq_length; },
             "tokens of a sequence")});
    t.lift<whole_memory<Recompute::none>, parts_columns>("one_device.none");
    t.lift<whole_memory<Recompute::selective>, parts_columns>("one_device.selective");
    t.lift<whole_memory<Recompute::full>, parts_columns>("one_device.full");
    t.add({list<fit_columns>(
        "items", [](Answer r) -> auto& { return r.fits; }, "one per accelerator")});
    t.add(open_points<std::remove_cvref_t<Answer>>());
    return t;
  }();
  return table;
}

}  // namespace trcost::estimation

// SPDX-License-Identifier: Apache-2.0
#include "recipe/layout.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "catalog/models/model.h"
#include "scenario/fields.h"
#include "trcost/numbers.h"

namespace trcost::recipe {
namespace {

// Sharding of PyTorch's FSDP by the sizes of its groups.
void find_sharding(Workings& work) {
  const double shards = work.number("shards").value_or(0);
  const double replicas = work.number("replicas").value_or(1);
  const bool open = !work.has("layout.sharding") || work.assumed("layout.sharding") != nullptr;
  if (work.has("fsdp") && open) {
    work.assume("layout.sharding", "parameters", "FSDP shards parameters by default");
  }
  if (work.is_group("trainer") && shards > 0) {
    work.set("layout.sharding", replicas > 1 ? "hybrid" : "parameters");
    const bool apart = work.table().name == "axolotl";
    work.set("layout.dp", shards * replicas * (apart ? work.degree(Field::layout_ep) : 1));
    if (replicas > 1) work.report("shards", "a shard group is a node or a rack");
  }
  if (work.is_group("titan") && !work.has("layout.sharding")) {
    const bool split = shards != 1;
    work.assume("layout.sharding",
                split && replicas > 1 ? "hybrid"
                : split               ? "parameters"
                                      : "none",
                "by the degrees of data parallelism");
  }
  if (work.has("megatron_fsdp")) {
    const std::string shards_of = work.text("megatron_fsdp_shards");
    work.set("layout.sharding", shards_of.empty() ? "parameters" : shards_of);
  }
  if (work.has("nemo_fsdp") && work.is("layout.sharding", "parameters")) {
    work.set("layout.sharding", work.text("nemo_fsdp"));
  }
  const bool pipeline =
      work.is("efficiency.stack", "megatron-deepspeed") && !work.has("no_pipeline");
  if (pipeline && work.is("train.precision", "bf16") && work.is("layout.sharding", "none")) {
    work.assume("layout.sharding", "optimizer",
                "DeepSpeed's optimizer for bf16 in pipelines shards its state at ZeRO 0 too");
  }
  if ((work.is_group("tune") || work.is_group("lit")) && !work.has("layout.sharding")) {
    const auto gpus = work.number(Field::hardware_gpus);
    const bool one = (gpus && *gpus == 1) || work.has("single_device");
    const bool nodes = work.is_group("lit") && work.is("train.method", "pretrain");
    work.assume("layout.sharding",
                one                     ? "none"
                : nodes || replicas > 1 ? "hybrid"
                                        : "parameters",
                "the distributed recipes shard fully");
  }
}

void find_pipeline(Workings& work) {
  const double pp = work.degree(Field::layout_pp);
  const std::optional<double> layers = work.number("shape.layers");
  if (const auto each = work.number("layers_per_stage"); each && layers && *each > 0) {
    work.set("layout.vp", std::max(1.0, *layers / (pp * *each)));
  }
  if (pp == 1 && work.has("layout.vp")) work.erase("layout.vp");
  const bool parallel = work.degree(Field::layout_tp) > 1;
  if (parallel && !work.has("layout.sequence_parallel")) {
    work.assume("layout.sequence_parallel", "off");
  }
  if (!parallel) work.erase("layout.sequence_parallel");
  if (work.has("recompute_block") && work.is("layout.recompute", "full") &&
      work.number("recompute_layers")) {
    work.erase("layout.recompute");
    work.set("layout.recompute_layers", work.text("recompute_layers"));
  }
  const bool experts = work.has("shape.experts") || work.number("layout.ep").value_or(1) > 1;
  if (!experts || work.has("layout.etp") || work.has("open_etp")) return;
  if (work.has("default_etp")) return work.assume("layout.etp", work.text("default_etp"));
  work.assume("layout.etp", format_exact(work.degree(Field::layout_tp)),
              "as the tensor-parallel degree");
}

// Values of a backend, such as `megatron_tp`, by the fields that they set if it is chosen.
constexpr std::pair<std::string_view, std::string_view> kOfBackends[] = {
    {"_tp", "layout.tp"},
    {"_pp", "layout.pp"},
    {"_vp", "layout.vp"},
    {"_cp", "layout.cp"},
    {"_ep", "layout.ep"},
    {"_etp", "layout.etp"},
    {"_sp", "layout.sequence_parallel"},
    {"_recompute", "layout.recompute"},
    {"_sharding", "layout.sharding"}};

void take_backend(Workings& work, const std::string& backend) {
  for (const auto& [suffix, path] : kOfBackends) {
    const std::string name = backend + std::string(suffix);
    if (work.has(name)) work.set(path, work.text(name));
  }
}

// Megatron within LLaMA-Factory recomputes nothing unless a key says so. Its keys do nothing
// without it.
void find_factory_layout(Workings& work) {
  if (work.has("megatron")) {
    if (work.assumed("layout.recompute") != nullptr) work.assume("layout.recompute", "none");
    return take_backend(work, "megatron");
  }
  for (const auto& [suffix, path] : kOfBackends) {
    work.report("megatron" + std::string(suffix), "does nothing without USE_MCA=1");
  }
}

// Of two sections of NeMo RL the enabled one counts.
void choose_section(Workings& work) {
  const bool megatron = work.is("megatron", "1");
  if (!megatron && !work.is("dtensor", "1")) {
    return work.ask(Field::layout_tp, "the file that this one changes has the degrees");
  }
  take_backend(work, megatron ? "megatron" : "dtensor");
  if (!megatron) work.assume("layout.pp", "1", "the DTensor backend has no pipeline");
  work.assume("layout.sharding", megatron ? "optimizer" : "parameters",
              "by the backend that is enabled");
}

void find_verl_layout(Workings& work) {
  if (!work.has("verl_megatron")) return work.assume("layout.pp", "1", "FSDP has no pipeline");
  for (const std::string_view path : {"layout.tp", "layout.pp"}) {
    if (!work.has(path)) work.assume(path, "1");
  }
  if (work.assumed("layout.recompute") != nullptr) work.assume("layout.recompute", "none");
  if (!work.has("layout.sequence_parallel")) work.assume("layout.sequence_parallel", "on");
}

// Every n-th layer recomputes.
void find_layers_to_recompute(Workings& work) {
  const bool titan = work.is_group("titan");
  if (titan && !work.is("layout.recompute", "selective")) return;
  std::optional<double> each = work.number("recompute_every");
  if (titan) each = work.number("selective_every");
  if (titan && !each && !work.has("selective_op")) each = 2;  // the framework's default
  if (titan && work.has("selective_op") && work.is("efficiency.stack", "fsdp")) {
    work.report("selective_op", "without compiled code the stack recomputes the core of attention");
  }
  if (!each || *each < 1) return;
  const std::string entry =
      work.catalog().entry_of(CatalogKind::models, work.text(Field::model_name));
  if (entry.empty()) {
    work.erase("layout.recompute");
    return work.ask("layout.recompute_layers", "every n-th layer recomputes: set --model");
  }
  const double layers = work.catalog().model(entry).language.layers;
  work.erase("layout.recompute");
  work.set("layout.recompute_layers",
           std::max(1.0, std::floor(layers / (*each * work.degree(Field::layout_pp)))));
}

void find_titan_layout(Workings& work) {
  if (work.degree(Field::layout_tp) > 1) work.set("layout.sequence_parallel", "on");
  const double pp = work.degree(Field::layout_pp);
  if (pp > 1 && work.has("interleaved")) {
    work.set("layout.vp", work.number("interleaved").value_or(2));
  }
  const std::string entry =
      work.catalog().entry_of(CatalogKind::models, work.text(Field::model_name));
  const auto each = work.number("titan_layers_per_stage");
  if (pp > 1 && each && *each > 0 && !entry.empty()) {
    const double layers = work.catalog().model(entry).language.layers;
    work.set("layout.vp", std::max(1.0, std::ceil(layers / (pp * *each))));
  }
  if (!work.has("precision8")) return;
  work.report("filter8", "layers that keep 16 bits are not modelled");
  work.report("gather8", "gathered weights keep 16 bits");
  work.report("scale8", "gathered weights keep 16 bits");
}

}  // namespace

void find_layout(Workings& work) {
  const bool rounds = work.is_group("verl") || work.is_group("openrlhf");
  if (work.is_group("verl")) find_verl_layout(work);
  if (work.is_group("nemo-rl")) choose_section(work);
  if (work.table().name == "llama-factory") find_factory_layout(work);
  if (work.is_group("trainer") || rounds) {
    for (const std::string_view path : {"layout.tp", "layout.cp"}) {
      if (!work.has(path)) work.assume(path, "1");
    }
  }
  find_sharding(work);
  if (work.is_group("titan")) find_titan_layout(work);
  const bool degrees =
      work.is_group("nemo-rl") || work.has("verl_megatron") || work.has("megatron");
  if (work.is_group("megatron") || degrees) find_pipeline(work);
  find_layers_to_recompute(work);
  if (work.degree(Field::layout_pp) > 1) {
    work.report("afab", "all forward passes before all backward passes: 1F1B is counted");
  }
  if (work.is_group("lit") && !work.has("layout.recompute")) {
    const bool one = work.number(Field::hardware_gpus).value_or(0) == 1;
    const bool none = one || work.is("train.method", "pretrain");
    work.assume("layout.recompute", none ? "none" : "full",
                "fine-tuning on several GPUs recomputes every block, the rest none");
  }
}

}  // namespace trcost::recipe

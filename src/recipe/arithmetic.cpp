// SPDX-License-Identifier: Apache-2.0
#include "recipe/arithmetic.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "catalog/models/model.h"
#include "quantity/suggest.h"
#include "recipe/cluster.h"
#include "recipe/layout.h"
#include "recipe/model_names.h"
#include "recipe/rounds.h"
#include "recipe/targets.h"
#include "recipe/training.h"
#include "scenario/fields.h"
#include "trcost/numbers.h"

namespace trcost::recipe {
namespace {

// The stage of ZeRO in the name of a file: `zero3_bf16.json`, `ds_z2_config`, `stage3.conf`. -1 for
// none.
int zero_stage_in(std::string name) {
  name = lower_case(name.substr(name.rfind('/') + 1));
  for (const std::string_view word : {"zero", "stage", "z"}) {
    for (std::size_t at = 0; (at = name.find(word, at)) != name.npos; ++at) {
      const std::size_t digit = name.find_first_not_of("_-", at + word.size());
      if (digit == name.npos || name[digit] < '0' || name[digit] > '3') continue;
      return name[digit] - '0';
    }
  }
  return -1;
}

// Sharding and offload by the name of a file of DeepSpeed that is not at hand.
void name_sharding(Workings& work) {
  const std::string name = lower_case(work.text("deepspeed_name"));
  const int stage = zero_stage_in(name);
  if (stage < 0 || work.has("deepspeed_read") || work.has("named_sharding")) return;
  constexpr const char* kStages[] = {"none", "optimizer", "gradients", "parameters"};
  work.set("named_sharding", kStages[stage]);
  const bool offload = name.find("offload") != name.npos && name.find("no_offload") == name.npos;
  if (offload) work.set("named_offload", stage == 3 ? "parameters" : "optimizer");
}

// Values of DeepSpeed's and Accelerate's files and names, where the recipe leaves them open.
void fill_from_parts(Workings& work) {
  constexpr std::pair<std::string_view, std::string_view> kParts[] = {
      {"ds_micro", "train.micro_batch"},
      {"ds_accumulation", "accumulation"},
      {"ds_global", "train.global_batch"},
      {"ds_optimizer", "train.optimizer"}};
  for (const auto& [from, to] : kParts) {
    const bool unset = !work.has(to) || work.assumed(to) != nullptr;
    if (work.has(from) && work.text(from) != "auto" && unset) work.set(to, work.text(from));
  }
  name_sharding(work);
  const bool open = !work.has("layout.sharding") || work.assumed("layout.sharding") != nullptr;
  // A file of DeepSpeed that is not there is known by its name.
  if (open && work.has("named_sharding")) {
    work.assume("layout.sharding", work.text("named_sharding"),
                "by the name of a file that is not beside the recipe");
    if (work.has("named_offload")) {
      const bool activations = work.is("train.offload", "activations");
      if (activations)
        work.report("train.offload", "activations on the host beside the weights are not modelled");
      work.set("train.offload", work.text("named_offload"));
    }
    for (const char* name : {"named_sharding", "deepspeed_name"}) {
      work.report(name, "taken by its name: the file is not beside the recipe");
    }
  } else if (open && work.has("deepspeed_file") && !work.has("deepspeed_read")) {
    work.erase("layout.sharding");
    work.report("deepspeed_file", "no configuration of DeepSpeed is read: pass its file too");
    work.ask(Field::layout_sharding, "the DeepSpeed configuration is not in the files");
  } else if (open && work.has("accelerate_deepspeed") && !work.has("deepspeed_file") &&
             !work.has("accelerate_absent")) {
    work.assume("layout.sharding", "gradients", "Accelerate's DeepSpeed runs ZeRO 2 by default");
  } else if (work.has("accelerate_absent") && work.assumed("layout.sharding") != nullptr) {
    work.erase("layout.sharding");
    work.ask(Field::layout_sharding, "the file of Accelerate is not beside the recipe");
  }
}

// Weights that are loaded in 16 bits keep no copy in 32, unless DeepSpeed or FSDP makes one.
void find_optimizer(Workings& work) {
  const bool nanotron = work.has("states_16bit") && work.is("train.precision", "bf16");
  if (nanotron && work.is("train.optimizer", "adamw")) {
    return work.assume("train.optimizer", "adamw-bf16",
                       "nanotron keeps weights in 32 bits only where gradients add up in them");
  }
  if (!work.is("train.recipe", "full") || !work.is("train.optimizer", "adamw")) return;
  const bool sharded = !work.is("layout.sharding", "none") || work.has("deepspeed_file");
  if (!work.is("loads_16bit", "1") || sharded || work.is("train.precision", "fp32")) return;
  work.assume("train.optimizer", "adamw-bf16",
              "weights are loaded in 16 bits, and without DeepSpeed or FSDP no copy in 32 bits is "
              "kept");
}

// The trainer computes in 32 bits unless a key says otherwise, or the weights are in 16 bits.
void find_precision(Workings& work) {
  if (work.has("precision8")) work.set("train.precision", work.text("precision8"));
  if (!work.has("precision8") && work.is_group("megatron")) work.erase("train.gather_precision");
  if (work.has("train.precision") || work.is_unknown("train.precision")) return;
  if (work.has("weights_precision")) {
    work.set("train.precision", work.text("weights_precision"));
    if (!work.is("weights_precision", "fp32")) work.set("loads_16bit", "1");
  } else if (work.has("tf32")) {
    work.set("train.precision", "tf32");
  } else if (work.has("default_precision")) {
    work.assume("train.precision", work.text("default_precision"));
  }
}

bool has_adapters(const Workings& work) {
  return work.is("train.recipe", "lora") || work.is("train.recipe", "qlora");
}

// Adapters over a base of 4 bits, and LitGPT, whose command says what the file leaves open.
void find_recipe(Workings& work) {
  // NeMo has a width for each kind of adapter.
  if (work.has("lora_dim") && work.is("train.recipe", "adapter")) {
    work.set("train.lora_rank", work.text("adapter_dim"));
  } else if (work.has("lora_dim") && has_adapters(work)) {
    work.set("train.lora_rank", work.text("lora_dim"));
  }
  if (work.is("base4", "1") && work.is("train.recipe", "lora")) work.set("train.recipe", "qlora");
  // torchtune's configurations of low memory are those of one device
  // (torchtune/_recipe_registry.py).
  const std::string files = work.text("files");
  const bool one = work.is_group("tune") && (files.find("single_device") != files.npos ||
                                             files.find("low_memory") != files.npos);
  if (one && !work.has("single_device")) {
    work.set("single_device", "1");
    if (!work.has("gpus")) work.set("gpus", "1");
  }
  // TRL's preferences have a beta, and no generations.
  const bool beta = work.has("beta") && work.assumed("beta") == nullptr;
  if (work.table().name == "trl" && beta && work.assumed("train.method") != nullptr) {
    work.assume("train.method", "dpo", "a beta and no generations: DPO unless a script says more");
  }
  // A folder of TRL's recipes tells the kind of preferences: ORPO has no reference.
  const bool orpo = work.text("folders").find("orpo") != std::string::npos;
  if (orpo && work.is("train.method", "dpo") && work.assumed("train.method") != nullptr) {
    work.assume("rollout.reference", "off", "by the name of the folder: ORPO has no reference");
  }
  if (!work.is_group("lit")) return;
  if (!work.has("train.method")) {
    work.assume("train.method", "pretrain", "no checkpoint is trained further");
  }
  if (!work.has("train.recipe")) work.assume("train.recipe", "full", "no adapters are named");
  if (!work.has("limit") && work.has("block_size")) work.set("limit", work.text("block_size"));
}

// LLaVA's backbone is the language model, InternVL's the vision tower. Adapters of a language model
// leave it frozen.
void find_backbone(Workings& work) {
  if (work.has("freeze_backbone") && work.has("internvl")) {
    work.set("freeze_vision", work.text("freeze_backbone"));
  } else if (work.is("freeze_backbone", "1")) {
    work.set("train.language", "frozen");
  }
  if (work.has("llm_lora")) work.erase("train.language");
  const bool vision = work.has("frozen_vision"), language = work.has("frozen_language");
  if (vision && work.is("train.recipe", "full")) {
    work.set("train.recipe", language ? "projector" : "frozen-vision");
  } else if (language && !has_adapters(work)) {
    work.set("train.language", "frozen");
  }
}

// Adapters of the encoder are those of the language model.
void find_encoder_adapters(Workings& work) {
  if (work.has("encoder_adapters") && has_adapters(work)) {
    work.set("train.encoder", work.text("train.recipe"));
  }
}

bool trains_vision(const Workings& work) {
  return work.has("freeze_vision") || work.has("freeze_connector");
}

// Images above a limit of their pixels are scaled down to it.
void bound_images(Workings& work) {
  constexpr double kUsualSide = 1024;  // default of data.image_size for an encoder of any size
  const double side = std::floor(std::sqrt(work.number("image_pixels").value_or(0)));
  if (side < 1 || side >= kUsualSide || work.has("data.image_size")) return;
  work.assume("data.image_size", fmt::format("{0}x{0}", format_exact(side)),
              fmt::format("{} bounds it", fmt::join(work.keys_of("image_pixels"), ", ")));
}

// Which parts of a vision-language model learn.
void find_vision(Workings& work) {
  // The other length of a vision-language model in Megatron is that of its tower.
  if (work.has("vlm") && work.has("decoder_length")) {
    work.set("data.seq_length", work.text("decoder_length"));
  }
  const std::string name = work.text(Field::model_name);
  if (name.empty() || name.ends_with(".json")) return;
  const std::string entry = work.catalog().entry_of(CatalogKind::models, name);
  const bool vision = !entry.empty() && work.catalog().model(entry).vision.has_value();
  work.report("image_pixels", "larger images are scaled down to it: --image-size sets their size");
  if (!vision) return;
  work.set("vision_language", "1");
  if (const auto workers = work.number("loader_workers")) {
    work.set("data.loader_workers", std::max(1.0, *workers));
  }
  if (const auto side = work.number("image_side")) {
    work.set("data.image_size", fmt::format("{0}x{0}", format_exact(*side)));
  }
  work.ask(Field::data_images_per_sample, "images per sample depend on the data");
  work.ask(Field::data_image_share, "the share of samples with images depends on the data");
  work.ask(Field::data_image_size, "the size of the images depends on the data");
  bound_images(work);
  if (!work.is_group("trainer") && !trains_vision(work)) return;
  if (work.is("train.recipe", "full") && !work.is("freeze_vision", "0") && trains_vision(work)) {
    work.set("train.recipe", "frozen-vision");
    if (!work.is("freeze_connector", "0")) work.set("train.connector", "frozen");
  }
  if (work.is("train.recipe", "full") && work.is("freeze_connector", "1")) {
    work.set("train.connector", "frozen");
  }
  const bool lora = has_adapters(work);
  if (work.has("llm_lora") && work.is("freeze_connector", "0")) work.set("train.connector", "full");
  const bool own_tower = work.has("llm_lora") && work.is("freeze_vision", "0");
  if (own_tower && !work.has("train.encoder")) work.set("train.encoder", "full");
  if (lora && work.has("vision_tower")) {
    work.set("train.encoder", "frozen");
    work.set("train.connector", "full");
  } else if (lora && !work.is("freeze_connector", "0") && !work.has("train.connector")) {
    work.assume("train.connector", "frozen", "only adapters learn");
  }
}

bool is_rounds(const Workings& work) {
  return work.is("train.method", "ppo") || work.is("train.method", "grpo") ||
         work.is("train.method", "distill");
}

// Without its configuration a launch line leaves the layout open.
void open_launcher_fields(Workings& work) {
  const bool absent = work.has("absent_config") && !work.has("tune_config") &&
                      (!work.has("model") || work.has("absent_settings"));
  if (!work.has("launcher_config") && !absent) return;
  if (work.has("shape.layers")) return;
  const std::string file = work.text(absent ? "absent_config" : "launcher_config");
  for (const Field field :
       {Field::layout_tp, Field::layout_pp, Field::layout_cp, Field::layout_recompute,
        Field::layout_sharding, Field::train_precision, Field::train_optimizer,
        Field::train_offload, Field::rollout_samples_per_prompt, Field::train_recipe,
        Field::train_method, Field::train_micro_batch, Field::data_epochs}) {
    const std::string_view path = field_info(field).path;
    if (work.assumed(path) == nullptr || work.table().fixed.contains(path)) continue;
    if (path == "rollout.samples_per_prompt" && !is_rounds(work)) continue;
    const bool run = path.starts_with("train.m") || path == "train.recipe" || path == "data.epochs";
    if (run && !absent) continue;  // a launcher's configuration is that of its machines
    const bool degree = path == "layout.tp" || path == "layout.pp" || path == "layout.cp";
    if (degree && !work.is_group("megatron")) continue;  // others have few, and say so by keys
    work.erase(path);
    work.ask(field, fmt::format("{} is not beside the recipe", file));
  }
}

}  // namespace

void compute_fields(Workings& work) {
  open_launcher_fields(work);
  if (work.has("async")) work.set("rollout.placement", "async");
  fill_from_parts(work);
  find_precision(work);
  find_model(work);
  find_recipe(work);
  find_gpus(work);
  find_cloud(work);
  find_layout(work);
  find_optimizer(work);
  find_backbone(work);
  find_encoder_adapters(work);
  find_vision(work);
  work.ask(Field::train_method, "no file tells the method of training");
  if (work.is_group("script")) {
    work.ask(Field::data_samples, "no file tells the amount of data");
  } else if (is_rounds(work)) {
    find_rounds(work);
  } else {
    find_training(work);
  }
  work.ask(Field::hardware_accelerator, "no file names the accelerator");
  if (has_adapters(work)) return find_targets(work);
  if (!work.is("train.recipe", "adapter")) work.erase("train.lora_rank");
  work.erase("train.lora_targets");
  work.erase("train.base_precision");
}

}  // namespace trcost::recipe

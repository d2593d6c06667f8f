// SPDX-License-Identifier: Apache-2.0
#include "recipe/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "catalog/entry_names.h"
#include "catalog/hardware/machines.h"
#include "catalog/models/model.h"
#include "quantity/suggest.h"
#include "recipe/model_names.h"
#include "scenario/fields.h"
#include "trcost/numbers.h"

namespace trcost::recipe {
namespace {

class Arithmetic {
 public:
  Arithmetic(std::string_view group, const Scenario& given, const Catalog& catalog, Variables& vars,
             std::vector<RecipeGap>& missing)
      : group_(group), given_(given), catalog_(catalog), vars_(vars), missing_(missing) {}

  void run() {
    fill_from_parts();
    if (has("precision8")) set("train.precision", text("precision8"));
    find_model();
    find_gpus();
    find_vision();
    find_layout();
    if (is_rounds()) {
      find_rounds();
    } else {
      find_batch();
      find_amount();
    }
    ask(Field::hardware_accelerator, "no file names the accelerator");
    if (!has("model.name") && !given_.has(Field::model_name) && !given_.has(Field::model_params)) {
      missing_.push_back(
          {"model.name", model_why_.empty() ? "no file names a catalog model" : model_why_});
    }
  }

 private:
  [[nodiscard]] bool has(std::string_view name) const {
    const auto at = vars_.find(name);
    return at != vars_.end() && !at->second.empty();
  }
  [[nodiscard]] std::string text(std::string_view name) const {
    const auto at = vars_.find(name);
    return at == vars_.end() ? std::string() : at->second;
  }
  [[nodiscard]] std::optional<double> number(std::string_view name) const {
    return number_of(text(name));
  }
  // Of the user's flags, else of the recipe.
  [[nodiscard]] std::optional<double> field(Field of) const {
    if (const auto value = given_.number(of)) return value;
    return number(field_info(of).path);
  }
  void set(std::string_view name, double value) { vars_[std::string(name)] = format_exact(value); }
  void set(std::string_view name, std::string value) {
    vars_[std::string(name)] = std::move(value);
  }
  void ask(Field of, std::string why) {
    const std::string path(field_info(of).path);
    if (!has(path) && !given_.has(of)) missing_.push_back({path, std::move(why)});
  }
  [[nodiscard]] double degree(Field of) const { return std::max(1.0, field(of).value_or(1)); }

  // Values of DeepSpeed's and Accelerate's files, where the recipe leaves them open.
  void fill_from_parts() {
    constexpr std::pair<std::string_view, std::string_view> kParts[] = {
        {"ds_micro", "train.micro_batch"},
        {"ds_accumulation", "accumulation"},
        {"ds_global", "train.global_batch"},
        {"file_gpus", "gpus"}};
    for (const auto& [from, to] : kParts) {
      if (number(from) && (!has(to) || (from == "file_gpus" && !has("gpus")))) {
        set(to, text(from));
      }
    }
    // `--deepspeed zero3` of ms-swift.
    const std::string zero = lower_case(text("deepspeed"));
    constexpr std::pair<std::string_view, std::string_view> kStages[] = {
        {"zero0", "none"}, {"zero1", "optimizer"}, {"zero2", "gradients"}, {"zero3", "parameters"}};
    for (const auto& [name, sharding] : kStages) {
      if (!zero.starts_with(name)) continue;
      set("layout.sharding", std::string(sharding));
      if (!zero.ends_with("offload")) continue;
      set("train.offload", std::string("optimizer"));
      if (name == "zero3") set("zero_offload", std::string("1"));
    }
  }

  void find_model() {
    const ModelMatch found = match_model(vars_, catalog_);
    model_why_ = found.why;
    if (!found.name.empty()) set("model.name", found.name);
    if (!found.recipe.empty()) set("train.recipe", found.recipe);
  }

  void find_gpus() {
    if (has("hardware.gpus")) return;
    const double nodes = number("nodes").value_or(1);
    std::optional<double> gpus = number("gpus");
    if (!gpus && number("gpus_per_node")) gpus = nodes * *number("gpus_per_node");
    if (!gpus && number("lit_devices")) gpus = nodes * *number("lit_devices");
    if (!gpus && has("slurm_gpus")) {
      const std::string typed = text("slurm_gpus");  // `gpu:h100:8`, `h100:8`, `8`
      const std::size_t colon = typed.rfind(':');
      if (const auto each = number_of(typed.substr(colon == typed.npos ? 0 : colon + 1))) {
        gpus = nodes * *each;
        note_accelerator(typed.substr(0, colon == typed.npos ? 0 : colon));
      }
    }
    if (!gpus && number("gpus_per_task")) {
      gpus = *number("gpus_per_task") *
             number("tasks").value_or(nodes * number("tasks_per_node").value_or(1));
    }
    if (!gpus && has("slurm_all")) gpus = number("slurm_all");
    if (!gpus && has("sky_accelerators")) {
      const std::string typed = text("sky_accelerators");
      const std::size_t colon = typed.rfind(':');
      gpus = nodes * (colon == typed.npos ? 1 : number_of(typed.substr(colon + 1)).value_or(1));
      note_accelerator(typed.substr(0, colon));
    } else if (has("sky_accelerators")) {
      note_accelerator(text("sky_accelerators").substr(0, text("sky_accelerators").rfind(':')));
    }
    if (!gpus && has("cards")) {
      gpus = 1.0 + static_cast<double>(std::ranges::count(text("cards"), ','));
    }
    if (!gpus && has("layout.dp")) {
      gpus = degree(Field::layout_dp) * degree(Field::layout_tp) * degree(Field::layout_pp) *
             degree(Field::layout_cp);
    }
    const double shards = number("shards").value_or(-1);
    if (!gpus && shards > 0 && group_ == "trainer") {
      gpus = shards * number("replicas").value_or(1) * degree(Field::layout_tp) *
             degree(Field::layout_cp);
    }
    if (!gpus) gpus = groups_of_openrlhf();
    const double least = degree(Field::layout_tp) * degree(Field::layout_pp) *
                         degree(Field::layout_cp) *
                         (group_ == "megatron" ? degree(Field::layout_ep) : 1);
    if (gpus && *gpus < least) {
      set("few_gpus", std::string("1"));
      gpus.reset();
    }
    if (gpus && *gpus >= 1) set("hardware.gpus", *gpus);
    ask(Field::hardware_gpus, "the number of GPUs is set by the launcher");
  }

  // SkyPilot's and Slurm's names: A100 is the card of 40 GB there.
  void note_accelerator(std::string typed) {
    if (has("hardware.accelerator")) return;
    typed = lower_case(typed);
    if (typed.starts_with("gpu:")) typed.erase(0, 4);
    if (typed == "a100") typed = "a100-sxm-40gb";
    const std::string entry = catalog_.entry_of(CatalogKind::accelerators, typed);
    if (!entry.empty()) set("hardware.accelerator", entry);
  }

  // Groups of GPUs of OpenRLHF: those that share cards count once, engines have their own unless
  // all are colocated.
  std::optional<double> groups_of_openrlhf() {
    if (!number("actor_gpus")) return std::nullopt;
    const auto group = [&](const char* nodes, const char* gpus) {
      return number(nodes).value_or(1) * number(gpus).value_or(0);
    };
    const double actor = group("actor_nodes", "actor_gpus");
    if (text("rollout.placement") == "colocated") return actor;
    const double critic = group("critic_nodes", "critic_gpus");
    const double reference = has("colocate_actor_ref") ? 0 : group("ref_nodes", "ref_gpus");
    const double reward = has("colocate_critic_reward") ? 0 : group("reward_nodes", "reward_gpus");
    const double engines =
        number("engines").value_or(0) * number("rollout.generation_tp").value_or(1);
    if (engines > 0) set("rollout.generation_gpus", engines);
    return actor + critic + reference + reward + engines;
  }

  // Which parts of a vision-language model are trained.
  void find_vision() {
    const std::string name = text("model.name");
    const bool vision = !name.empty() && catalog_.model(name).vision.has_value();
    if (vision && number("loader_workers")) set("data.loader_workers", text("loader_workers"));
    if (!vision || group_ != "trainer") return;
    if (text("train.recipe") == "full" && text("freeze_vision") != "0" && has_freeze()) {
      set("train.recipe", std::string("frozen-vision"));
      if (text("freeze_connector") != "0") set("train.connector", std::string("frozen"));
    }
    if (text("train.recipe") == "lora" && has("vision_tower")) {
      set("train.encoder", std::string("frozen"));
      set("train.connector", std::string("full"));
    }
    ask(Field::data_images_per_sample, "images per sample depend on the data");
    ask(Field::data_image_share, "the share of samples with images depends on the data");
    ask(Field::data_image_size, "the size of the images depends on the data");
  }
  [[nodiscard]] bool has_freeze() const { return has("freeze_vision") || has("freeze_connector"); }

  void find_layout() {
    if (group_ == "trainer" || group_ == "verl" || group_ == "openrlhf") {
      for (const std::string_view path : {"layout.tp", "layout.cp"}) {
        if (!has(path)) set(path, 1);
      }
    }
    const double shards = number("shards").value_or(0);
    const double replicas = number("replicas").value_or(0);
    if (group_ == "trainer" && shards > 0) {
      set("layout.sharding", std::string(replicas > 1 ? "hybrid" : "parameters"));
      set("layout.dp", shards * std::max(1.0, replicas));
    }
    if (group_ == "titan" && !has("layout.sharding")) {
      const bool shard = shards != 1;
      set("layout.sharding", std::string(shard && replicas > 1 ? "hybrid"
                                         : shard               ? "parameters"
                                                               : "none"));
      if (degree(Field::layout_tp) > 1) set("layout.sequence_parallel", std::string("on"));
    }
    if (group_ == "tune" && !has("layout.sharding")) {
      const auto gpus = field(Field::hardware_gpus);
      set("layout.sharding", std::string(gpus && *gpus == 1 ? "none" : "parameters"));
    }
    if (group_ == "lit" && !has("layout.sharding")) {
      const auto gpus = field(Field::hardware_gpus);
      const bool pretraining = text("train.method") != "sft" && !has("lora_keys");
      set("layout.sharding", std::string(gpus && *gpus == 1 ? "none"
                                         : pretraining      ? "hybrid"
                                                            : "parameters"));
      set("train.method", std::string(has("lora_keys") || has("data.epochs") ? "sft" : "pretrain"));
      if (!has("train.recipe")) set("train.recipe", std::string("full"));
    }
    if (group_ == "megatron") find_pipeline();
  }

  void find_pipeline() {
    const double pp = degree(Field::layout_pp);
    const std::optional<double> layers = number("shape.layers");
    if (const auto each = number("layers_per_stage"); each && layers && *each > 0) {
      set("layout.vp", std::max(1.0, *layers / (pp * *each)));
    }
    if (const auto vp = number("nemo_vp")) set("layout.vp", *vp);
    if (pp == 1 && has("layout.vp")) vars_.erase("layout.vp");
    const bool parallel = degree(Field::layout_tp) > 1;
    if (parallel && !has("layout.sequence_parallel")) {
      set("layout.sequence_parallel", std::string("off"));
    }
    if (!parallel) vars_.erase("layout.sequence_parallel");
    if (has("recompute_block") && number("recompute_layers")) {
      vars_.erase("layout.recompute");
      set("layout.recompute_layers", text("recompute_layers"));
    }
    const bool experts = has("shape.experts") || has("layout.ep");
    if (experts && !has("layout.etp") && degree(Field::layout_tp) > 1) {
      set("layout.etp", degree(Field::layout_tp));
    } else if (experts && !has("layout.etp")) {
      set("layout.etp", 1);
    }
  }

  [[nodiscard]] bool is_rounds() const {
    const std::string method = text("train.method");
    return method == "ppo" || method == "grpo" || method == "distill";
  }

  // Data-parallel ranks, if the number of GPUs is known.
  [[nodiscard]] std::optional<double> ranks() const {
    std::optional<double> gpus = field(Field::hardware_gpus);
    if (!gpus) return std::nullopt;
    const double generating = number("rollout.generation_gpus").value_or(0);
    return (*gpus - generating) /
           (degree(Field::layout_tp) * degree(Field::layout_pp) * degree(Field::layout_cp));
  }

  // A pair of answers is two sequences.
  [[nodiscard]] double per_sample() const {
    const std::string method = text("train.method");
    return method == "dpo" || method == "reward" ? 2 : 1;
  }

  void find_batch() {
    const double pairs = per_sample();
    const std::optional<double> micro = number("train.micro_batch");
    if (micro == 1.0) set("one_per_batch", std::string("1"));
    if (text("train.method") == "dpo" && !has("rollout.reference")) {
      set("rollout.reference", std::string("on"));
    }
    const std::optional<double> dp = ranks();
    if (const auto titan = number("titan_global"); titan && *titan > 0) {
      set("train.global_batch", *titan);
    } else if (!has("train.global_batch") && micro && dp) {
      double accumulation = number("accumulation").value_or(1);
      const double least = number("least_batch").value_or(0);
      if (!has("accumulation") && least > 0) {
        accumulation = std::max(1.0, std::ceil(least / (*micro * *dp)));
      }
      set("train.global_batch", *micro * accumulation * *dp * pairs);
    }
    if (group_ == "steps" && number("device_micro")) set("train.micro_batch", text("device_micro"));
    if (micro && pairs > 1) set("train.micro_batch", *micro * pairs);
  }

  void find_amount() {
    const bool packed = text("packed") == "1" || text("data.packing") == "packed" ||
                        (text("train.method") == "pretrain");
    if (!has("data.packing")) set("data.packing", std::string(packed ? "packed" : "padded"));
    if (!has("data.seq_length") && has("limit")) set("data.seq_length", text("limit"));
    const std::optional<double> batch = field(Field::train_global_batch);
    const std::optional<double> length = number("data.seq_length");
    if (const auto steps = number("iterations"); steps && batch && length) {
      set("data.tokens", *steps * *batch * *length);
    }
    if (const auto sequences = number("sequences"); sequences && length) {
      set("data.tokens", *sequences * *length);
    }
    find_duration(batch, length);
    const std::optional<double> steps = number("max_steps");
    if (steps && *steps > 0 && batch) {
      if (packed && length) {
        set("data.tokens", *steps * *batch * *length);
      } else {
        set("data.samples", *steps * *batch / per_sample());
      }
      vars_.erase("data.epochs");
      if (!packed) set("data.epochs", 1);
    }
    if (const std::string dataset = text("swift_dataset"); dataset.find('#') != dataset.npos) {
      const auto count = number_of(dataset.substr(dataset.find('#') + 1));
      if (count && !has("data.tokens")) set("data.samples", *count);
    }
    if (has("data.tokens") && text("train.method") == "pretrain") {
      if (number("data.epochs").value_or(1) != 1 || group_ != "steps") vars_.erase("data.epochs");
    }
    const bool amount = has("data.tokens") || given_.has(Field::data_tokens) ||
                        has("data.samples") || given_.has(Field::data_samples);
    if (!amount && text("train.method") == "pretrain") {
      missing_.push_back({"data.tokens", "the tokens of the data are not in the recipe"});
    } else if (!amount) {
      missing_.push_back({"data.samples", "the size of the data set is not in the recipe"});
    }
    if (!packed) {
      ask(Field::data_text_tokens_per_sample,
          "a limit is in the recipe, the mean length of a sample is not");
    }
  }

  // Composer's `143100ba`, `300e9T`, `1ep`.
  void find_duration(std::optional<double> batch, std::optional<double> length) {
    std::string duration = lower_case(text("duration"));
    if (duration.empty()) return;
    const std::size_t unit = duration.find_last_of("0123456789_.");
    const std::string suffix = unit == duration.npos ? "" : duration.substr(unit + 1);
    const auto value = number_of(duration.substr(0, unit == duration.npos ? 0 : unit + 1));
    if (!value) return;
    if (suffix == "ep" || (suffix.empty() && *value < 1000)) {
      set("data.epochs", *value);
      set("epochs_duration", 1);
    } else if (suffix == "t" || suffix == "tok") {
      set("data.tokens", *value);
    } else if (suffix == "sp" && length) {
      set("data.tokens", *value * *length);
    } else if (batch && length) {
      set("data.tokens", *value * *batch * *length);
    }
  }

  void find_rounds() {
    vars_.erase("data.seq_length");
    vars_.erase("data.packing");
    const std::optional<double> dp = ranks();
    const double answers = number("rollout.samples_per_prompt").value_or(1);
    if (group_ == "trainer") {
      const double accumulation = number("accumulation").value_or(1);
      split_server(answers);
      const std::optional<double> learners = ranks();
      if (const auto micro = number("train.micro_batch"); micro && learners) {
        const double batch = *micro * accumulation * *learners;
        set("train.global_batch", batch);
        set("rollout.prompts", std::max(1.0, std::floor(batch / answers)));
      }
      if (const auto steps = number("max_steps"); steps && *steps > 0) set("rollout.steps", *steps);
      // ms-swift's `dataset#500` is the number of prompts.
      const std::string dataset = text("swift_dataset");
      const auto prompts = dataset.find('#') == dataset.npos
                               ? std::nullopt
                               : number_of(dataset.substr(dataset.find('#') + 1));
      if (prompts && !has("rollout.steps") && number("rollout.prompts")) {
        const double passes = number("data.epochs").value_or(1);
        set("rollout.steps", std::max(1.0, *prompts * passes / *number("rollout.prompts")));
      }
      if (const auto beta = number("beta")) {
        set("rollout.reference", std::string(*beta > 0 ? "on" : "off"));
      }
      if (!has("rollout.engine")) set("rollout.engine", std::string("vllm"));
      if (!has("rollout.generation_tp")) set("rollout.generation_tp", 1);
      vars_.erase("data.epochs");
      vars_.erase("efficiency.stack");
    }
    if (group_ == "verl") {
      if (const auto prompts = number("mini_prompts"))
        set("train.global_batch", *prompts * answers);
      const bool reference = text("use_kl") == "1";
      set("rollout.reference", std::string(reference ? "on" : "off"));
      if (text("train.method") != "ppo") vars_.erase("rollout.critic_model");
      if (!has("reward")) vars_.erase("rollout.reward_model");
      if (text("train.recipe") == "lora") set("train.lora_rank", text("verl_rank"));
    }
    if (group_ == "openrlhf" && has("dynamic")) vars_.erase("train.micro_batch");
    for (const std::string_view model : {"rollout.reward_model", "rollout.critic_model"}) {
      if (!has(model)) continue;
      const std::string entry = catalog_.entry_of(CatalogKind::models, text(model));
      if (entry.empty())
        vars_.erase(std::string(model));
      else
        set(model, entry);
    }
    static_cast<void>(dp);
    ask(Field::rollout_steps, "rounds follow from the size of the prompt set");
    ask(Field::rollout_prompt_tokens, "the mean length of a prompt is not in the recipe");
    ask(Field::rollout_response_tokens, "the mean length of a response is not in the recipe");
  }

  // TRL's server mode has the engine on GPUs beside the processes that learn.
  void split_server(double) {
    if (text("rollout.placement") != "split" || has("rollout.generation_gpus")) return;
    const double engine = std::max(1.0, number("rollout.generation_tp").value_or(1));
    if (const auto gpus = number("hardware.gpus")) {
      set("rollout.generation_gpus", engine);
      set("hardware.gpus", *gpus + engine);
    }
  }

  std::string_view group_;
  const Scenario& given_;
  const Catalog& catalog_;
  Variables& vars_;
  std::vector<RecipeGap>& missing_;
  std::string model_why_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> report_later(std::string_view group,
                                                              const Variables& variables) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto is = [&](std::string_view name, std::string_view value) {
    const auto at = variables.find(name);
    return at != variables.end() && at->second == value;
  };
  const bool rounds = !variables.contains("data.packing");
  if (rounds || is("data.packing", "padded") || is("data.packing", "grouped")) {
    out.emplace_back("limit", "a limit, not a mean length: set --text-tokens-per-sample");
  }
  if (group == "trainer" && is("data.packing", "padded") && is("one_per_batch", "1")) {
    out.emplace_back("train.micro_batch",
                     "a micro-batch of one sample has no padding: set --packing padding-free");
  }
  if (is("few_gpus", "1")) {
    out.emplace_back("nodes", "the GPUs of the launcher are fewer than the layout needs");
  }
  if (variables.contains("shards") && group == "trainer") {
    out.emplace_back("shards", "a shard group is a node or a rack");
  }
  if (variables.contains("epochs_duration")) {
    out.emplace_back("duration", "passes over files whose size is not in the recipe");
  }
  if (is("train.method", "dpo") && is("train.recipe", "lora")) {
    out.emplace_back("train.recipe",
                     "the reference model is the base without its adapters, of the same size");
  }
  if (rounds) out.emplace_back("data.epochs", "rounds follow from the size of the prompt set");
  if (variables.contains("shape.layers") && !variables.contains("model.name")) {
    for (const auto& [name, value] : variables) {
      if (name.starts_with("shape.")) {
        out.emplace_back(name, "no catalog model has this shape: give a model file with --model");
      }
    }
  }
  if (is("zero_offload", "1")) {
    out.emplace_back("deepspeed",
                     "offload of parameters is not modelled, only that of the optimizer");
  }
  return out;
}

std::string plain_number(std::string_view text) {
  std::string out(trim(text));
  const bool digits = !out.empty() && out.front() >= '0' && out.front() <= '9';
  if (digits) std::erase(out, '_');
  return out;
}

std::optional<double> number_of(std::string_view text) {
  const std::string plain = plain_number(text);
  double value = 0;
  const auto [end, status] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (status != std::errc() || end != plain.data() + plain.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

void compute_fields(std::string_view group, const Scenario& given, const Catalog& catalog,
                    Variables& variables, std::vector<RecipeGap>& missing) {
  Arithmetic(group, given, catalog, variables, missing).run();
}

}  // namespace trcost::recipe

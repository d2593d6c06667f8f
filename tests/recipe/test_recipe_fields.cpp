// SPDX-License-Identifier: Apache-2.0
// Fields of small recipes, one rule of a framework each.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "catalog_fixture.h"
#include "catch.h"
#include "recipe/read_recipe.h"
#include "scenario/fields.h"
#include "trcost/error.h"

using namespace trcost;
using namespace trcost::recipe;
namespace fs = std::filesystem;

namespace {

/// A folder with files, the first of which is the recipe.
class Folder {
 public:
  Folder() { fs::create_directories(path_); }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  Folder& add(const std::string& name, std::string_view text) {
    if (first_.empty()) first_ = (path_ / name).string();
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return *this;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }
  [[nodiscard]] RecipeReading read(double gpus = 0) const {
    Scenario given;
    if (gpus > 0) given.set_number(Field::hardware_gpus, gpus);
    return read(given);
  }
  [[nodiscard]] RecipeReading read(const Scenario& given) const {
    return read_recipe(*open_recipe({first_}, test_catalog()), given, test_catalog());
  }

 private:
  fs::path path_ = fs::temp_directory_path() / "trcost-recipe-fields";
  std::string first_;
};

RecipeReading reading_of(const std::string& name, std::string_view text, double gpus = 0) {
  return Folder().add(name, text).read(gpus);
}

std::string field_text(const RecipeReading& reading, Field field) {
  return std::string(reading.scenario.text(field));
}

double field_number(const RecipeReading& reading, Field field) {
  return reading.scenario.number(field).value_or(-1);
}

bool asks(const RecipeReading& reading, std::string_view path) {
  for (const RecipeGap& gap : reading.missing) {
    if (gap.path == path) return true;
  }
  return false;
}

/// Statuses and reasons of a key, joined.
std::string status_of(const RecipeReading& reading, std::string_view key) {
  std::string out;
  for (const RecipeKey& each : reading.keys) {
    if (each.key == key) out += (out.empty() ? "" : "; ") + each.status + " " + each.why;
  }
  return out;
}

/// Flags of a GPT of 24 layers.
std::string megatron(const std::string& more) {
  return "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
         "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 1 --global-batch-size 64 "
         "--train-iters 100 --bf16 " +
         more + "\n";
}

}  // namespace

TEST_CASE("Megatron-DeepSpeed shards the state of bf16 at ZeRO 0", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.sh", megatron("--deepspeed --deepspeed_config ds.$SLURM_JOB_ID.json --zero-stage 0 "
                       "--position-embedding-type alibi --pad-vocab-size-to 250880"));
  CHECK(field_text(reading, Field::efficiency_stack) == "megatron-deepspeed");
  CHECK(field_text(reading, Field::layout_sharding) == "optimizer");
  CHECK(field_text(reading, Field::model_name).find("\"vocab\":250880") != std::string::npos);
  CHECK(field_text(reading, Field::model_name).find("learned") == std::string::npos);
  CHECK_FALSE(asks(reading, "efficiency.stack"));
  CHECK(field_text(reading_of("t.sh", megatron("")), Field::efficiency_stack) == "megatron");
}

TEST_CASE("a shape is no catalog model of other feed-forwards", "[recipe]") {
  // SmolLM2 1.7B has this depth and width with gated feed-forwards.
  const RecipeReading reading = reading_of("t.sh", megatron("--vocab-size 49152"));
  CHECK(field_text(reading, Field::model_name).find("\"plain\"") != std::string::npos);
  CHECK(asks(reading_of("t.sh", megatron("")), "model.name"));
}

TEST_CASE("an encoder and a decoder are no GPT", "[recipe]") {
  const RecipeReading reading =
      reading_of("t.sh",
                 "python pretrain_t5.py --num-layers 12 --hidden-size 768 --num-attention-heads 12 "
                 "--micro-batch-size 1 --vocab-size 30522\n");
  CHECK(asks(reading, "model.name"));
}

TEST_CASE("NeMo's fp8 needs its switch", "[recipe]") {
  const std::string text_of_file =
      "trainer: {devices: 8, num_nodes: 1, precision: bf16, max_steps: 10}\n"
      "model:\n  tensor_model_parallel_size: 1\n  micro_batch_size: 1\n  global_batch_size: 8\n"
      "  fp8_hybrid: true\n  fp8_params: true\n  fp8: ";
  const RecipeReading off = reading_of("t.yaml", text_of_file + "false\n");
  CHECK(field_text(off, Field::train_precision) == "bf16");
  CHECK_FALSE(off.scenario.has(Field::train_gather_precision));
  CHECK(field_text(reading_of("t.yaml", text_of_file + "true\n"), Field::train_precision) == "fp8");
}

TEST_CASE("a reference takes the value that counts, not a parent's", "[recipe]") {
  const RecipeReading reading =
      Folder()
          .add("t.yaml",
               "defaults: base.yaml\npolicy:\n  model_name: Qwen/Qwen3-8B\n  total: 4096\n"
               "grpo:\n  async_grpo: {enabled: true}\n")
          .add("base.yaml",
               "grpo:\n  num_prompts_per_step: 32\npolicy:\n  total: 512\n  generation:\n"
               "    max_new_tokens: ${mul:${policy.total}, 2}\n"
               "    colocated:\n      enabled: false\n      resources: {num_nodes: 1}\n"
               "cluster: {num_nodes: 2, gpus_per_node: 8}\n")
          .read();
  CHECK(field_number(reading, Field::rollout_response_limit) == 8192);
  CHECK(field_text(reading, Field::rollout_placement) == "async");
  CHECK(field_number(reading, Field::rollout_generation_gpus) == 8);
  CHECK(field_number(reading, Field::hardware_gpus) == 16);
}

TEST_CASE("fully asynchronous rounds of verl have engines of their own", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.sh",
      "python -m verl.experimental.fully_async_policy.fully_async_main data.train_batch_size=0 "
      "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B actor_rollout_ref.hybrid_engine=False "
      "actor_rollout_ref.actor.ppo_mini_batch_size=16 async_training.require_batches=2 "
      "async_training.trigger_parameter_sync_step=4 rollout.total_rollout_steps=12800 "
      "trainer.nnodes=1 trainer.n_gpus_per_node=4 rollout.nnodes=2 rollout.n_gpus_per_node=4\n");
  CHECK(field_text(reading, Field::rollout_placement) == "async");
  CHECK(field_number(reading, Field::rollout_generation_gpus) == 8);
  CHECK(field_number(reading, Field::hardware_gpus) == 12);
  CHECK(field_number(reading, Field::rollout_prompts) == 128);
  CHECK(field_number(reading, Field::rollout_steps) == 100);
}

TEST_CASE("Megatron's keys of LLaMA-Factory count only with it", "[recipe]") {
  const std::string file =
      "model_name_or_path: Qwen/Qwen3-30B-A3B\nstage: sft\nfinetuning_type: full\n"
      "template: qwen3\ncutoff_len: 4096\nper_device_train_batch_size: 1\n"
      "gradient_accumulation_steps: 8\nbf16: true\ntensor_model_parallel_size: 1\n"
      "pipeline_model_parallel_size: 4\nexpert_model_parallel_size: 2\n"
      "use_distributed_optimizer: true\nrecompute_granularity: full\n";
  const RecipeReading with = reading_of("t.yaml", file + "use_mca: true\n", 16);
  CHECK(field_text(with, Field::efficiency_stack) == "megatron");
  CHECK(field_number(with, Field::layout_pp) == 4);
  CHECK(field_number(with, Field::train_global_batch) == 32);
  CHECK(field_text(with, Field::layout_sharding) == "optimizer");
  const RecipeReading without = reading_of("t.yaml", file, 16);
  CHECK(field_number(without, Field::layout_pp) == 1);
  CHECK(field_number(without, Field::train_global_batch) == 128);
  CHECK(field_text(without, Field::layout_sharding) == "none");
}

TEST_CASE("ms-swift spreads a model over cards unless it starts several processes", "[recipe]") {
  const std::string command =
      "swift sft --model Qwen/Qwen2.5-7B-Instruct --tuner_type lora "
      "--per_device_train_batch_size 1 --gradient_accumulation_steps 16\n";
  const RecipeReading one = reading_of("t.sh", "CUDA_VISIBLE_DEVICES=0,1 " + command);
  CHECK(field_number(one, Field::hardware_gpus) == 2);
  CHECK(field_number(one, Field::train_global_batch) == 16);
  const RecipeReading two =
      reading_of("t.sh", "CUDA_VISIBLE_DEVICES=0,1,2,3 NPROC_PER_NODE=2 " + command);
  CHECK(field_number(two, Field::hardware_gpus) == 4);
  CHECK(field_number(two, Field::train_global_batch) == 32);
}

TEST_CASE("OpenRLHF's asynchronous engines stand beside models that share GPUs", "[recipe]") {
  const RecipeReading reading =
      reading_of("t.sh",
                 "python -m openrlhf.cli.train_ppo_ray --train.async_enable --train.colocate_all "
                 "--actor.num_nodes 1 --actor.num_gpus_per_node 4 --ref.num_nodes 1 "
                 "--ref.num_gpus_per_node 4 --vllm.num_engines 2 --vllm.tensor_parallel_size 2 "
                 "--actor.model_name_or_path Qwen/Qwen3-4B\n");
  CHECK(field_text(reading, Field::rollout_placement) == "async");
  CHECK(field_number(reading, Field::hardware_gpus) == 8);
}

TEST_CASE("a generation of a model is no release of it", "[recipe]") {
  for (const char* name : {"deepseek-ai/DeepSeek-V3", "deepseek-ai/DeepSeek-V3-Base",
                           "deepseek-ai/DeepSeek-V3-0324", "/models/DeepSeek-V3-BF16"}) {
    const RecipeReading reading =
        reading_of("t.sh", "swift sft --model " + std::string(name) + " --tuner_type lora\n");
    CHECK(field_text(reading, Field::model_name) == "deepseek-v3");
  }
}

TEST_CASE("the critic of NeMo RL's PPO is a model of its own", "[recipe]") {
  const RecipeReading reading =
      reading_of("t.yaml",
                 "ppo: {num_prompts_per_step: 16, num_generations_per_prompt: 4, ppo_epochs: 2}\n"
                 "policy: {model_name: Qwen/Qwen3-8B}\nvalue: {model_name: Qwen/Qwen3-4B}\n");
  CHECK(field_text(reading, Field::train_method) == "ppo");
  CHECK(field_text(reading, Field::rollout_critic_model) == "qwen3-4b");
  CHECK(field_number(reading, Field::rollout_epochs) == 2);
}

TEST_CASE("ORPO and CPO have no reference model", "[recipe]") {
  const std::string flags = " --model_name_or_path Qwen/Qwen3-4B --dataset_name d --beta 0.1\n";
  CHECK(field_text(reading_of("t.sh", "python orpo.py" + flags), Field::rollout_reference) ==
        "off");
  CHECK(field_text(reading_of("t.sh", "python dpo.py" + flags), Field::rollout_reference) == "on");
}

TEST_CASE("the name of a model tells the format of a frozen base", "[recipe]") {
  const auto reading = [](const std::string& model) {
    return reading_of("t.sh", "swift sft --tuner_type lora --model Qwen/" + model + "\n");
  };
  CHECK(field_text(reading("Qwen2.5-7B-Instruct-GPTQ-Int4"), Field::train_recipe) == "qlora");
  CHECK(field_text(reading("Qwen2.5-7B-Instruct-AWQ"), Field::train_recipe) == "qlora");
  const RecipeReading eight = reading("Qwen2.5-7B-Instruct-GPTQ-Int8");
  CHECK(field_text(eight, Field::train_recipe) == "lora");
  CHECK(field_text(eight, Field::train_base_precision) == "int8");
}

TEST_CASE("overrides that pass a filter of blanks count", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.sh",
      "O=\"train.micro_batch_size=2 \\\n  model.tensor_model_parallel_size=4\"\n"
      "C=\"run_recipe.py --recipe llama31_8b_sft_config\"\n"
      "C=\"$C $(echo \"$O\" | tr '\\n' ' ' | sed 's/  \\+/ /g')\"\nbash -c \"python $C\"\n");
  CHECK(field_number(reading, Field::train_micro_batch) == 2);
  CHECK(field_number(reading, Field::layout_tp) == 4);
  CHECK(field_text(reading, Field::train_method) == "sft");
}

TEST_CASE("a configuration of Accelerate that is absent leaves the sharding open", "[recipe]") {
  const std::string run =
      "accelerate launch --config_file f.yaml train.py --model_name_or_path Qwen/Qwen3-4B "
      "--per_device_train_batch_size 1\n";
  CHECK(asks(reading_of("t.sh", run), "layout.sharding"));
  const RecipeReading found =
      Folder()
          .add("t.sh", run)
          .add("f.yaml",
               "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\n"
               "num_processes: 2\n")
          .read();
  CHECK(field_text(found, Field::layout_sharding) == "none");
}

TEST_CASE("a configuration that torchtune ships names its model", "[recipe]") {
  const RecipeReading reading =
      reading_of("t.sh",
                 "tune run --nproc_per_node 8 lora_finetune_distributed --config llama3_1/8B_lora "
                 "batch_size=4\n");
  CHECK(field_text(reading, Field::model_name) == "llama-3.1-8b");
  CHECK(field_text(reading, Field::train_recipe) == "lora");
  CHECK(asks(reading, "layout.recompute"));
}

TEST_CASE("parts of a vision-language model freeze by InternVL's and Qwen-VL's names", "[recipe]") {
  const RecipeReading lora =
      reading_of("t.sh",
                 "torchrun internvl/train/internvl_chat_finetune.py --model_name_or_path "
                 "OpenGVLab/InternVL2_5-8B --use_llm_lora 16 --freeze_llm True --freeze_mlp True "
                 "--freeze_backbone True --grad_checkpoint True --per_device_train_batch_size 1\n");
  CHECK(field_text(lora, Field::train_recipe) == "lora");
  CHECK(field_number(lora, Field::train_lora_rank) == 16);
  CHECK(field_text(lora, Field::layout_recompute) == "full");
  CHECK_FALSE(lora.scenario.has(Field::train_language));
  const RecipeReading full = reading_of(
      "t.sh",
      "torchrun train_qwen.py --model_name_or_path Qwen/Qwen2.5-VL-7B-Instruct --tune_mm_vision "
      "False --tune_mm_mlp True --tune_mm_llm True --data_flatten True "
      "--per_device_train_batch_size 4\n");
  CHECK(field_text(full, Field::train_recipe) == "frozen-vision");
  CHECK_FALSE(full.scenario.has(Field::train_connector));
  CHECK(field_text(full, Field::data_packing) == "padding-free");
}

TEST_CASE("a pattern of modules names its choices", "[recipe]") {
  const RecipeReading reading =
      reading_of("t.yaml",
                 "base_model: Qwen/Qwen3-4B\ndatasets: [{path: d}]\nadapter: lora\nlora_r: 8\n"
                 "lora_target_modules: 'layers.[0-9]+.(mlp|self_attn).(up|down|gate|q)_proj'\n");
  CHECK(field_text(reading, Field::train_lora_targets) == "q,gate,up,down");
}

TEST_CASE("torchtitan's flavors have the shapes of released models", "[recipe]") {
  const auto model = [](const std::string& name, const std::string& flavor) {
    return field_text(reading_of("t.toml", "[model]\nname = \"" + name + "\"\nflavor = \"" +
                                               flavor + "\"\n[training]\nsteps = 10\n"),
                      Field::model_name);
  };
  CHECK(model("deepseek_v3", "16B") == "deepseek-v2-lite");
  CHECK(model("llama4", "17bx16e_irope") == "llama-4-scout");
  CHECK(model("llama3", "8B_flex") == "llama-3.1-8b");
}

TEST_CASE("references of NeMo's launcher find the keys of their own file", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.yaml",
      "trainer: {devices: 8, num_nodes: 1, precision: bf16, max_steps: 10}\n"
      "model:\n  tensor_model_parallel_size: 1\n  micro_batch_size: 1\n  global_batch_size: 8\n"
      "  data: {train_ds: {global_batch_size: \"${peft.model.global_batch_size}\"}}\n"
      "  encoder_seq_length: ${divide_floor:${training.model.global_batch_size}, 3}\n");
  CHECK(field_number(reading, Field::train_global_batch) == 8);
  CHECK(field_number(reading, Field::data_seq_length) == 2);
}

TEST_CASE("recipes of a framework that is not read are refused by its name", "[recipe]") {
  const auto refusal = [](const std::string& name, std::string_view file) -> std::string {
    try {
      reading_of(name, file);
    } catch (const Error& error) {
      return error.message;
    }
    return {};
  };
  CHECK(refusal("t.yml",
                "pipe_parallel_size: 1\nmodel_parallel_size: 2\nnum_layers: 12\n"
                "zero_optimization: {stage: 1}\n")
            .find("GPT-NeoX") != std::string::npos);
  CHECK(refusal("t.sh", "python train.py --num-rollout 3 --rollout-batch-size 8 " + megatron(""))
            .find("slime") != std::string::npos);
}

TEST_CASE("a launcher stands before the program behind its dashes", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.sh",
      "python queue.py --gpus 8 --num_nodes 2 -- accelerate launch --num_processes 16 train.py "
      "--model_name_or_path Qwen/Qwen3-4B --per_device_train_batch_size 1\n");
  CHECK(field_number(reading, Field::hardware_gpus) == 16);
}

TEST_CASE("a script that writes its program to a file runs it", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.sh",
      "W=$(cat <<- EOM\n  cd /opt ;\n  numactl --membind=\\$((LOCAL_RANK/2)) nice -10 \\\n"
      "  python custom_setup_experiment.py --gpu h100 --model_recipe_name llama31_8b \\\n"
      "    --num_gpus 16 --compute_dtype fp8_mx --tensor_model_parallel_size 2\n\nEOM\n)\n"
      "echo \"$W\" > worker.sh\ntorchrun --nnodes=2 --no-python bash worker.sh\n");
  CHECK(reading.framework == "megatron-bridge");
  CHECK(field_text(reading, Field::model_name) == "llama-3.1-8b");
  CHECK(field_text(reading, Field::train_precision) == "mxfp8");
  CHECK(field_number(reading, Field::hardware_gpus) == 16);
  CHECK(field_number(reading, Field::layout_tp) == 2);
  CHECK(field_text(reading, Field::hardware_accelerator).find("h100") == 0);
}

TEST_CASE("overrides of NeMo's launcher change the configuration that it names", "[recipe]") {
  Folder folder;
  folder.add("t.sh",
             "python3 main.py training=llama/tiny training.trainer.num_nodes=4 "
             "training.model.global_batch_size=64\n");
  CHECK(asks(folder.read(), "layout.tp"));
  folder.add("llama/tiny.yaml",
             "trainer: {devices: 8, num_nodes: 1, precision: bf16, max_steps: 10}\n"
             "model: {tensor_model_parallel_size: 2, micro_batch_size: 1, global_batch_size: 8, "
             "encoder_seq_length: 128, num_layers: 2, hidden_size: 64, num_attention_heads: 2}\n");
  const RecipeReading reading = folder.read();
  CHECK(field_number(reading, Field::layout_tp) == 2);
  CHECK(field_number(reading, Field::train_global_batch) == 64);
  CHECK(field_number(reading, Field::hardware_gpus) == 32);
}

TEST_CASE("a command without a flag that sets a field is refused", "[recipe]") {
  CHECK_THROWS_AS(reading_of("t.sh", "python pretrain_gpt.py $OPTIONS\n"), Error);
}

TEST_CASE("a generation or an owner's prefix does not hide a catalog model", "[recipe]") {
  const auto model = [](const std::string& name) {
    return field_text(reading_of("t.sh", "swift sft --tuner_type lora --model " + name + "\n"),
                      Field::model_name);
  };
  CHECK(model("deepseek-ai/DeepSeek-V3.1") == "deepseek-v3");
  CHECK(model("nvidia/NVIDIA-Nemotron-Nano-9B-v2") == "nemotron-nano-9b-v2");
  CHECK(model("OpenGVLab/InternVL3_5-8B-Pretrained") == "internvl3.5-8b");
  CHECK(model("mistralai/Mistral-7B-Instruct-v0.3") == "mistral-7b");
}

namespace {

constexpr std::string_view kAxolotl =
    "base_model: meta-llama/Llama-3.1-8B\ndatasets:\n  - path: x\nmicro_batch_size: 1\n"
    "gradient_accumulation_steps: 8\n";

}  // namespace

TEST_CASE("fields of the user win, and batches follow from them", "[recipe]") {
  Scenario given;
  given.set_number(Field::hardware_gpus, 8);
  given.set_number(Field::train_micro_batch, 3);
  given.set_number(Field::data_samples, 52002);
  Folder folder;
  folder.add("c.yaml", std::string(kAxolotl) + "num_epochs: 1\n");
  const RecipeReading reading = folder.read(given);
  // micro-batch x accumulation x GPUs
  CHECK(field_number(reading, Field::train_global_batch) == 3 * 8 * 8);
  CHECK(status_of(reading, "micro_batch_size") == "reported --micro-batch counts instead");
  CHECK(status_of(reading, "num_epochs") == "used ");
  CHECK_FALSE(asks(reading, "hardware.gpus"));
  CHECK_FALSE(asks(reading, "data.samples"));
}

TEST_CASE("of a key or a flag that stands twice the last value counts and the first is reported",
          "[recipe]") {
  const std::string twice = "stands twice: the last value counts";
  const RecipeReading yaml =
      reading_of("c.yaml", std::string(kAxolotl) + "num_epochs: 1\nnum_epochs: 3\n");
  CHECK(field_number(yaml, Field::data_epochs) == 3);
  CHECK(status_of(yaml, "num_epochs") == "reported " + twice + "; used ");
  const RecipeReading script = reading_of(
      "t.sh", megatron("--micro-batch-size 4 --tensor-model-parallel-size 2 --micro-batch-size 2"));
  CHECK(field_number(script, Field::train_micro_batch) == 2);
  CHECK(status_of(script, "--micro-batch-size") == "reported " + twice + "; used ");
  // An override of the command line wins over the file.
  Folder folder;
  folder.add("t.sh", "axolotl train c.yaml --num_epochs 5 --base_model Qwen/Qwen2.5-7B\n");
  folder.add("c.yaml", std::string(kAxolotl) + "num_epochs: 1\n");
  const RecipeReading both = folder.read();
  CHECK(field_number(both, Field::data_epochs) == 5);
  CHECK(status_of(both, "num_epochs") == "reported " + twice);
  // Words behind one flag stay a list.
  const RecipeReading list = reading_of(
      "t.sh", "swift sft --model Qwen/Qwen2.5-7B --dataset a#100 b#200 --tuner_type lora\n");
  CHECK(field_number(list, Field::data_samples) == 300);
}

TEST_CASE("steps without a batch are no amount of data", "[recipe]") {
  const std::string titan =
      "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\n"
      "seq_len = 8192\nsteps = 1000\n[parallelism]\ntensor_parallel_degree = 1\n";
  const RecipeReading bare = reading_of("c.toml", titan);
  CHECK(bare.uncounted_steps == "steps need --gpus to become tokens");
  CHECK(status_of(bare, "training.steps") == "reported steps need --gpus to become tokens");
  CHECK(field_number(bare, Field::data_tokens) == -1);
  const RecipeReading counted = reading_of("c.toml", titan, 16);
  CHECK(counted.uncounted_steps.empty());
  CHECK(field_number(counted, Field::data_tokens) == 1000.0 * 16 * 8192);
  // Tokens of the user replace the steps.
  Scenario given;
  given.set_number(Field::data_tokens, 1e9);
  Folder folder;
  folder.add("c.toml", titan);
  CHECK(folder.read(given).uncounted_steps.empty());
}

TEST_CASE("flags of branches and of commands within a value are accounted for", "[recipe]") {
  const RecipeReading reading =
      reading_of("t.sh",
                 "IP=$(srun --nodes=1 --ntasks=1 hostname --ip-address)\nEXTRA=()\n"
                 "if [ -n \"${WANDB_API_KEY}\" ]; then EXTRA+=(--wandb-project ${P:-\"x\"}); fi\n"
                 "if [ -n \"${FP8}\" ]; then EXTRA+=(--fp8-format hybrid); fi\n" +
                     megatron("--master_addr $IP ${EXTRA[@]}"));
  for (const char* key : {"--nodes", "--ntasks", "--ip-address", "--wandb-project"}) {
    INFO(key);
    CHECK_FALSE(status_of(reading, key).empty());
  }
  CHECK_FALSE(status_of(reading, "--fp8-format").empty());
  CHECK(field_text(reading, Field::train_precision) == "bf16");
  CHECK(field_number(reading, Field::hardware_gpus) == 8);
}

TEST_CASE("pods of two roles that run one script run it once", "[recipe]") {
  const std::string pod =
      "      template:\n        spec:\n          containers:\n          - name: pytorch\n"
      "            command: [\"bash\", \"-c\"]\n            args:\n            - |\n"
      "              composer --world_size 16 train.py c.yaml\n"
      "            resources: {limits: {nvidia.com/gpu: 8}}\n";
  Folder folder;
  folder.add("job.yaml",
             "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nspec:\n  pytorchReplicaSpecs:\n"
             "    Master:\n      replicas: 1\n" +
                 pod + "    Worker:\n      replicas: 1\n" + pod);
  folder.add("c.yaml",
             "model: {name: mpt_causal_lm, d_model: 512, n_layers: 4, n_heads: 8}\n"
             "max_duration: 10ba\nglobal_train_batch_size: 64\nmax_seq_len: 128\n"
             "train_loader: {name: text}\n");
  const RecipeReading reading = folder.read();
  CHECK(status_of(reading, "--world_size") == "reported ranks of all machines: as replicas x GPUs");
  CHECK(field_number(reading, Field::hardware_gpus) == 16);
}

TEST_CASE("a DeepSpeed file that says nothing leaves the sharding open", "[recipe]") {
  const auto read = [](const std::string& named, std::string_view text) {
    Folder folder;
    folder.add("c.yaml", std::string(kAxolotl) + "deepspeed: " + named + "\n");
    if (!text.empty()) folder.add(named, text);
    return folder.read();
  };
  for (const auto& reading : {read("other.json", R"({"a": 1})"), read("name-alone", "")}) {
    CHECK(status_of(reading, "deepspeed") ==
          "reported no configuration of DeepSpeed is read: pass its file too");
    CHECK(asks(reading, "layout.sharding"));
    CHECK_FALSE(reading.scenario.has(Field::layout_sharding));
  }
  const RecipeReading good = read("ds.json", R"({"zero_optimization": {"stage": 2}})");
  CHECK(status_of(good, "deepspeed") == "used ");
  CHECK(field_text(good, Field::layout_sharding) == "gradients");
}

TEST_CASE("SkyPilot's infra names the cloud and its region", "[recipe]") {
  const auto read = [](const std::string& resources) {
    return reading_of("task.yaml", "resources:\n" + resources +
                                       "  accelerators: RTXPRO6000S:8\nrun: |\n  " + megatron(""));
  };
  const RecipeReading aws = read("  infra: aws/us-east-1/us-east-1a\n");
  CHECK(field_text(aws, Field::cost_provider) == "AWS");
  CHECK(field_text(aws, Field::cost_region) == "us-east-1");
  CHECK(field_text(aws, Field::hardware_accelerator) == "rtx-pro-6000");
  const RecipeReading older = read("  cloud: gcp\n  region: us-central1\n");
  CHECK(field_text(older, Field::cost_provider) == "GCP");
  CHECK(field_text(older, Field::cost_region) == "us-central1");
  const RecipeReading other = read("  infra: nimbus/mars\n");
  CHECK_FALSE(other.scenario.has(Field::cost_provider));
  CHECK(status_of(other, "resources.infra").starts_with("reported "));
  CHECK(status_of(read("  infra: k8s/mine\n"), "resources.infra").starts_with("reported "));
}

TEST_CASE("OpenRLHF's critic starts from the reward model", "[recipe]") {
  const auto critic = [](const std::string& reward) {
    return field_text(
        reading_of("t.sh",
                   "python3 -m openrlhf.cli.train_ppo_ray --pretrain meta-llama/Llama-3.1-8B " +
                       reward + " --advantage_estimator gae --actor_num_gpus_per_node 8\n"),
        Field::rollout_critic_model);
  };
  CHECK(critic("--reward_pretrain Qwen/Qwen2.5-7B") == "qwen2.5-7b");
  CHECK(critic("--remote_rm_url http://reward:5000") == "");
}

TEST_CASE("groups of experts are further ranks in axolotl", "[recipe]") {
  // Its expert_parallel plugin: ep x cp x dp_shard == world_size.
  const RecipeReading reading = reading_of(
      "t.yaml",
      "base_model: Qwen/Qwen3-30B-A3B\ndatasets: [{path: a/b}]\nexpert_parallel_size: 2\n"
      "dp_shard_size: 2\nmicro_batch_size: 1\nsequence_len: 2048\nsample_packing: true\n"
      "max_steps: 50\n");
  CHECK(field_number(reading, Field::hardware_gpus) == 4);
  CHECK(field_number(reading, Field::train_global_batch) == 4);
  CHECK(field_number(reading, Field::data_tokens) == 50 * 4 * 2048);
}

TEST_CASE("what only a branch of a script sets is asked for", "[recipe]") {
  const std::string branches =
      "if [ $1 = bf16 ]; then P=--bf16; else P=--fp16; fi\n"
      "if [ $2 = true ]; then O=--use-distributed-optimizer; fi\n";
  const RecipeReading reading =
      reading_of("t.sh", branches +
                             "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 "
                             "--hidden-size 2048 --num-attention-heads 16 --vocab-size 32000 "
                             "--seq-length 2048 --micro-batch-size 1 --global-batch-size 64 "
                             "--train-iters 100 $P $O\n");
  CHECK(asks(reading, "train.precision"));
  CHECK(asks(reading, "layout.sharding"));
  CHECK_FALSE(reading.scenario.has(Field::train_precision));
  CHECK_FALSE(reading.scenario.has(Field::layout_sharding));
  CHECK_FALSE(asks(reading, "layout.recompute"));
}

TEST_CASE("parts of a vision-language model learn as their keys say", "[recipe]") {
  const auto parts = [](const RecipeReading& reading) {
    return field_text(reading, Field::train_language) + "/" +
           field_text(reading, Field::train_encoder) + "/" +
           field_text(reading, Field::train_connector);
  };
  const std::string swift = "swift sft --model Qwen/Qwen2.5-VL-7B-Instruct --dataset a#100 ";
  CHECK(parts(reading_of("t.sh", swift + "--tuner_type lora_llm\n")) == "/full/full");
  CHECK(parts(reading_of("t.sh", swift + "--tuner_type lora\n")) == "//frozen");
  CHECK(parts(reading_of("t.sh", swift + "--tuner_type lora --freeze_aligner false\n")) == "//");
  const std::string qwen =
      "deepspeed src/train/train_sft.py --lora_enable True --model_id Qwen/Qwen2.5-VL-3B-Instruct "
      "--per_device_train_batch_size 4 --freeze_llm True --freeze_merger False ";
  CHECK(parts(reading_of("t.sh", qwen + "--freeze_vision_tower False\n")) == "/full/full");
  CHECK(parts(reading_of("t.sh", qwen + "--freeze_vision_tower True\n")) == "//full");
  const RecipeReading tune = reading_of(
      "t.yaml",
      "model:\n  _component_: torchtune.models.llama3_2_vision.lora_llama3_2_vision_11b\n"
      "  decoder_trainable: frozen\n  encoder_trainable: lora\nbatch_size: 2\nepochs: 1\n");
  CHECK(parts(tune) == "frozen/lora/");
  CHECK(asks(tune, "data.images_per_sample"));
}

TEST_CASE("experts of ms-swift's Megatron are whole, and its towers stay frozen", "[recipe]") {
  const std::string swift = "NPROC_PER_NODE=8 megatron sft --dataset a#100 ";
  const RecipeReading experts =
      reading_of("t.sh", swift +
                             "--model Qwen/Qwen3-30B-A3B --tensor_model_parallel_size 4 "
                             "--pipeline_model_parallel_size 2 --expert_model_parallel_size 4\n");
  CHECK(field_number(experts, Field::layout_etp) == 1);
  CHECK(field_number(experts, Field::hardware_gpus) == 8);
  const RecipeReading vision =
      reading_of("t.sh", swift + "--model Qwen/Qwen2.5-VL-7B-Instruct --tuner_type full\n");
  CHECK(field_text(vision, Field::train_recipe) == "frozen-vision");
  CHECK(field_text(vision, Field::train_connector) == "frozen");
}

TEST_CASE("a batch that only the machine has stays open", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.sh",
      "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 24 --hidden-size 2048 "
      "--num-attention-heads 16 --vocab-size 32000 --seq-length 2048 --micro-batch-size 2 "
      "--global-batch-size $GB --train-iters 100\n");
  CHECK(asks(reading, "train.global_batch"));
  CHECK_FALSE(reading.scenario.has(Field::train_global_batch));
  CHECK_FALSE(reading.scenario.has(Field::data_tokens));
}

// Defaults of megatron/arguments.py at f4157be: --topk 1, --expert-interval 2.
TEST_CASE("Megatron-DeepSpeed ends at the first of its limits and has its own experts",
          "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.sh",
      "deepspeed --num_gpus 8 pretrain_gpt.py --deepspeed --num-layers 24 --hidden-size 2048 "
      "--num-attention-heads 16 --vocab-size 50257 --seq-length 2048 --micro-batch-size 1 "
      "--global-batch-size 512 --train-tokens 300000000000 --train-iters 858306 --num-experts 128 "
      "--moe-expert-parallel-size 8 --ds-sequence-parallel-size 4 --use-flash-attn-v2\n");
  CHECK(field_number(reading, Field::data_tokens) == 300e9);
  CHECK(field_number(reading, Field::layout_ep) == 8);
  CHECK(field_number(reading, Field::layout_cp) == 4);
  CHECK(field_text(reading, Field::layout_context_kind) == "ulysses");
  CHECK(field_text(reading, Field::train_attention) == "flash");
  const std::string model = field_text(reading, Field::model_name);
  CHECK(model.find("\"experts_per_token\":1,") != model.npos);
  CHECK(model.find("\"dense_layers\":12") != model.npos);
}

TEST_CASE("limits of a data set and of its images bound their defaults", "[recipe]") {
  const std::string text =
      "model_name_or_path: Qwen/Qwen2.5-VL-7B-Instruct\nimage_max_pixels: 262144\nstage: sft\n"
      "do_train: true\nfinetuning_type: lora\ndataset: mllm_demo,identity,alpaca_en_demo\n"
      "template: qwen2_vl\ncutoff_len: 2048\nper_device_train_batch_size: 1\nmax_samples: ";
  const RecipeReading few = reading_of("lf.yaml", text + "1000\n");
  CHECK(few.framework == "llama-factory");
  // LLaMA-Factory takes max_samples of each data set, and 262,144 pixels are 512 x 512.
  CHECK(field_number(few, Field::data_samples) == 3 * 1000);
  CHECK(field_text(few, Field::data_image_size) == "512x512");
  CHECK(asks(few, "data.samples"));
  CHECK(status_of(few, "max_samples").starts_with("reported "));
  // A limit above the usual number bounds nothing.
  CHECK(field_number(reading_of("lf.yaml", text + "10000000\n"), Field::data_samples) == -1);
}

TEST_CASE("a file that is passed from elsewhere is no longer asked for", "[recipe]") {
  const std::string recipe =
      "base_model: NousResearch/Meta-Llama-3.1-8B\ndatasets:\n  - path: tatsu-lab/alpaca\n"
      "adapter: lora\nmicro_batch_size: 2\ndeepspeed: deepspeed_configs/zero2.json\n";
  CHECK(status_of(reading_of("axolotl.yaml", recipe), "deepspeed").starts_with("reported "));
  // Read from a folder that the recipe does not name.
  Folder folder;
  folder.add("axolotl.yaml", recipe)
      .add("other/stage.json", R"({"zero_optimization":{"stage":2}})");
  const auto opened =
      open_recipe({folder.path("axolotl.yaml"), folder.path("other/stage.json")}, test_catalog());
  const RecipeReading both = read_recipe(*opened, {}, test_catalog());
  CHECK(status_of(both, "deepspeed").starts_with("used "));
  CHECK(field_text(both, Field::layout_sharding) == "gradients");
}

TEST_CASE("names of DeepSpeed's files give the stage", "[recipe]") {
  const auto sharding = [](const std::string& file) {
    return field_text(reading_of("t.sh",
                                 "torchrun --nproc_per_node 8 train.py "
                                 "--per_device_train_batch_size 1 --model_name_or_path "
                                 "Qwen/Qwen3-8B --deepspeed " +
                                     file + "\n"),
                      Field::layout_sharding);
  };
  CHECK(sharding("scripts/zero3_bf16.json") == "parameters");
  CHECK(sharding("configs/ds_z2_config.json") == "gradients");
  CHECK(sharding("configs/stage1_accelerate.conf") == "optimizer");
  CHECK(sharding("$ROOT/zero2.json") == "gradients");
  CHECK(sharding("configs/deepspeed.json").empty());
  const RecipeReading launched =
      reading_of("t.sh",
                 "accelerate launch --num_processes 8 --use_deepspeed train.py "
                 "--per_device_train_batch_size 1 --model_name_or_path Qwen/Qwen3-8B\n");
  CHECK(field_text(launched, Field::layout_sharding) == "gradients");
}

TEST_CASE("scripts set defaults and numbers in several ways", "[recipe]") {
  const std::string flags =
      "torchrun --nproc_per_node 8 train.py --model_name_or_path $MODEL "
      "--per_device_train_batch_size $MICRO --gradient_accumulation_steps $STEPS "
      "--learning_rate <RATE> --num_train_epochs 2\n";
  const auto batch = [&](const std::string& before) {
    const RecipeReading reading = reading_of("t.sh", before + flags);
    CHECK(field_text(reading, Field::model_name) == "qwen3-8b");
    CHECK(field_number(reading, Field::data_epochs) == 2);
    return field_number(reading, Field::train_global_batch);
  };
  CHECK(batch(": \"${MODEL:=Qwen/Qwen3-8B}\"\n: ${MICRO:=2}\nlet STEPS=MICRO*2\n") == 64);
  CHECK(batch("MODEL=Qwen/Qwen3-8B\nMICRO=2\n((STEPS = MICRO * 2))\n") == 64);
  CHECK(batch("MODEL=Qwen/Qwen3-8B\nMICRO=$1\nif [ \"$MICRO\" == \"\" ]; then MICRO=1; fi\n"
              "STEPS=1\nwhile [[ \"$1\" != \"\" ]]; do MICRO=$2; done\n") == 8);
}

TEST_CASE("a script that only sets variables is known by its flags", "[recipe]") {
  const RecipeReading reading =
      reading_of("args.sh",
                 "MODEL_ARGS=(\n --num-layers 24\n --hidden-size 2048\n --num-attention-heads 16\n"
                 " --seq-length 2048\n --vocab-size 32000\n --micro-batch-size $MBS\n)\n");
  CHECK(reading.framework == "megatron-lm");
  CHECK(field_number(reading, Field::data_seq_length) == 2048);
  CHECK(asks(reading, "train.micro_batch"));
}

TEST_CASE("a job around an unknown script tells its machines alone", "[recipe]") {
  const RecipeReading slurm =
      reading_of("t.sbatch",
                 "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n"
                 "python own.py --width 8\n");
  CHECK(slurm.framework == "script");
  CHECK(field_number(slurm, Field::hardware_gpus) == 16);
  CHECK(asks(slurm, "model.name"));
  CHECK_THROWS_AS(reading_of("t.sh", "#!/bin/bash\npython own.py --width 8\n"), Error);
}

TEST_CASE("configurations of Unsloth and open-instruct", "[recipe]") {
  const RecipeReading unsloth =
      reading_of("t.yaml",
                 "model: unsloth/Qwen3-8B\ntraining:\n  training_type: lora\n"
                 "  max_seq_length: 1024\n  batch_size: 4\n  load_in_4bit: false\n"
                 "lora:\n  lora_r: 32\n",
                 1);
  CHECK(unsloth.framework == "unsloth");
  CHECK(field_text(unsloth, Field::train_recipe) == "lora");
  CHECK(field_number(unsloth, Field::train_lora_rank) == 32);
  CHECK(field_number(unsloth, Field::train_global_batch) == 16);
  const RecipeReading instruct = reading_of(
      "t.sh",
      "python mason.py --num_nodes 8 --gpus 8 -- accelerate launch --num_processes 8 "
      "--use_deepspeed --deepspeed_config_file configs/stage3_accelerate.conf "
      "open_instruct/finetune.py --model_name_or_path Qwen/Qwen2.5-7B "
      "--per_device_train_batch_size 1 --gradient_accumulation_steps 2 --max_seq_length 8192\n");
  CHECK(instruct.framework == "open-instruct");
  CHECK(field_number(instruct, Field::hardware_gpus) == 64);
  CHECK(field_number(instruct, Field::train_global_batch) == 128);
  CHECK(field_text(instruct, Field::layout_sharding) == "parameters");
  CHECK(field_text(instruct, Field::layout_recompute) == "none");
}

TEST_CASE("experts that need more GPUs than there are leave their split open", "[recipe]") {
  const std::string verl =
      "python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer "
      "actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B trainer.nnodes=4 trainer.n_gpus_per_node=8 "
      "actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4 "
      "actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=4 "
      "actor_rollout_ref.actor.megatron.dtype=float16 ";
  const std::string ep = "actor_rollout_ref.actor.megatron.expert_model_parallel_size=";
  const RecipeReading open = reading_of("t.sh", verl + ep + "8\n");
  CHECK(field_number(open, Field::hardware_gpus) == 32);
  CHECK(asks(open, "layout.etp"));
  CHECK(field_text(open, Field::train_precision) == "fp16");
  CHECK(field_number(reading_of("t.sh", verl + ep + "2\n"), Field::layout_etp) == 4);
}

TEST_CASE("servers of several nodes add up", "[recipe]") {
  const std::string server =
      "swift rollout --model Qwen/Qwen2.5-7B-Instruct --vllm_tensor_parallel_size 2 "
      "--vllm_data_parallel_size 2\n";
  const RecipeReading reading = reading_of(
      "t.sh", server + server +
                  "NNODES=2 NPROC_PER_NODE=4 swift rlhf --rlhf_type grpo --model "
                  "Qwen/Qwen2.5-7B-Instruct --vllm_mode server --vllm_server_host <a> <b> "
                  "--dataset a#1000 --num_generations 4\n");
  CHECK(field_number(reading, Field::rollout_generation_gpus) == 8);
  CHECK(field_number(reading, Field::hardware_gpus) == 16);
}

TEST_CASE("PPO of TRL's trainers learns four times from a round", "[recipe]") {
  const std::string ppo =
      "NPROC_PER_NODE=8 swift rlhf --rlhf_type ppo --model Qwen/Qwen3-8B --reward_model a/b "
      "--per_device_train_batch_size 1 ";
  CHECK(field_number(reading_of("t.sh", ppo + "\n"), Field::rollout_epochs) == 4);
  CHECK(field_number(reading_of("t.sh", ppo + "--num_ppo_epochs 2\n"), Field::rollout_epochs) == 2);
}

TEST_CASE("packing ahead of time is packing in Megatron-Bridge", "[recipe]") {
  const RecipeReading reading =
      reading_of("t.sh",
                 "python run_recipe.py --recipe llama32_1b_peft_config train.train_iters=50 "
                 "train.global_batch_size=16 train.micro_batch_size=1 dataset.seq_length=2048 "
                 "dataset.enable_offline_packing=true "
                 "dataset.offline_packing_specs.packed_sequence_size=2048\n");
  CHECK(field_text(reading, Field::data_packing) == "packed");
  CHECK(field_number(reading, Field::data_tokens) == 50 * 16 * 2048);
}

TEST_CASE("a launcher's flags count for a script of one's own", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.sh",
      "deepspeed --num_gpus=2 train.py --deepspeed_config absent.json --model_name_or_path "
      "Qwen/Qwen3-8B --num_train_epochs 2\n");
  CHECK(reading.framework == "deepspeed");
  CHECK(field_number(reading, Field::hardware_gpus) == 2);
  CHECK(field_text(reading, Field::model_name) == "qwen3-8b");
  CHECK(asks(reading, "train.method"));
  CHECK_FALSE(reading.scenario.has(Field::train_micro_batch));
}

TEST_CASE("a launch line whose configuration is absent leaves the layout open", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.sh", "composer -n 8 train/train.py yamls/pretrain/mpt-1b.yaml max_duration=100ba\n");
  CHECK(field_number(reading, Field::hardware_gpus) == 8);
  CHECK_FALSE(reading.scenario.has(Field::layout_sharding));
  CHECK(asks(reading, "layout.sharding"));
}

TEST_CASE("Megatron within ms-swift packs no padding into a batch", "[recipe]") {
  const std::string flags = "NPROC_PER_NODE=2 megatron sft --model Qwen/Qwen3-8B --dataset a#100 ";
  const auto packing = [&](const std::string& more) {
    return field_text(reading_of("t.sh", flags + more + "\n"), Field::data_packing);
  };
  CHECK(packing("") == "padding-free");
  CHECK(packing("--padding_free false") == "padded");
  CHECK(packing("--packing true --max_length 4096") == "packed");
}

TEST_CASE("nanotron without gradients in 32 bits has states in 16", "[recipe]") {
  const auto optimizer = [](const std::string& fp32) {
    return field_text(
        reading_of("t.yaml",
                   "model: {dtype: bfloat16, model_config: {hidden_size: 1024, vocab_size: 49152,\n"
                   "  intermediate_size: 4096, num_hidden_layers: 14, num_attention_heads: 8}}\n"
                   "optimizer: {zero_stage: 0, accumulate_grad_in_fp32: " +
                       fp32 +
                       "}\n"
                       "parallelism: {dp: 4, pp: 1, tp: 2}\n"
                       "tokens: {micro_batch_size: 32, sequence_length: 1024, train_steps: 440}\n"),
        Field::train_optimizer);
  };
  CHECK(optimizer("false") == "adamw-bf16");
  CHECK(optimizer("true") == "adamw");
}

TEST_CASE("a folder of ORPO has no reference", "[recipe]") {
  const std::string text =
      "model_name_or_path: Qwen/Qwen3-8B\nbeta: 0.05\nmax_prompt_length: 512\n"
      "per_device_train_batch_size: 1\n";
  Folder folder;
  folder.add("orpo/config_full.yaml", text);
  CHECK(field_text(folder.read(), Field::rollout_reference) == "off");
  CHECK(field_text(reading_of("t.yaml", text), Field::rollout_reference) == "on");
}

TEST_CASE("Megatron's fine-tuning scripts are no pre-training", "[recipe]") {
  const std::string flags =
      megatron("--vocab-size 32000").substr(megatron("").find("--num-layers"));
  CHECK(field_text(reading_of("t.sh", "torchrun --nproc_per_node 8 finetune_t0.py " + flags),
                   Field::train_method) == "sft");
}

TEST_CASE("references between NeMo's neighbours hold where they are used", "[recipe]") {
  const RecipeReading reading = reading_of(
      "t.yaml",
      "run: {batch: '${.each}', each: 4}\n"
      "trainer: {devices: 8, num_nodes: 1, precision: bf16, max_steps: 10}\n"
      "model: {micro_batch_size: '${run.batch}', global_batch_size: 32, encoder_seq_length: 4096, "
      "tensor_model_parallel_size: 1}\n");
  CHECK(field_number(reading, Field::train_micro_batch) == 4);
}

TEST_CASE("a job of SkyPilot finds the files of its working folder", "[recipe]") {
  Folder folder;
  folder.add("sky.yaml",
             "resources: {accelerators: 'L4:1'}\nworkdir: mistral\nrun: |\n  docker run --gpus all "
             "-v ~/sky_workdir:/sky_workdir winglian/axolotl accelerate launch -m "
             "axolotl.cli.train /sky_workdir/qlora.yaml\n");
  folder.add("mistral/qlora.yaml",
             "base_model: mistralai/Mistral-7B-v0.1\ndatasets: [{path: a/b}]\nadapter: qlora\n"
             "micro_batch_size: 2\n");
  const RecipeReading reading = folder.read();
  CHECK(reading.framework == "axolotl");
  CHECK(field_text(reading, Field::hardware_accelerator) == "l4");
  CHECK(field_number(reading, Field::train_global_batch) == 2);
}

TEST_CASE("Python is refused with the file of its framework to give instead", "[recipe]") {
  const auto hint_of = [](std::string_view text) {
    try {
      reading_of("t.py", text);
    } catch (const Error& error) {
      return error.message + ": " + error.hint;
    }
    return std::string("read");
  };
  const std::pair<const char*, const char*> kinds[] = {
      {"from nemo.collections import llm\nimport nemo_run as run\n", "NeMo 2"},
      {"from olmo_core.train import TrainerConfig\n", "OLMo-core"},
      {"from torchtitan.config import Configurable\n", "TOML"},
      {"from unsloth import FastLanguageModel\nfrom trl import SFTTrainer\n",
       "adapter_config.json"},
      {"from megatron.bridge.recipes import llama\n", "run_recipe.py"},
      {"from transformers import TrainingArguments\n", "Hugging Face Trainer"},
      {"from torchtune import training\n", "tune cp"}};
  for (const auto& [text, words] : kinds) CHECK(hint_of(text).find(words) != std::string::npos);
  CHECK(hint_of("print(1)\n").find("launch script") != std::string::npos);
}

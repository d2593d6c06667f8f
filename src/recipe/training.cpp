// SPDX-License-Identifier: Apache-2.0
#include "recipe/training.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "catalog/assumed.h"
#include "quantity/suggest.h"
#include "scenario/fields.h"
#include "trcost/numbers.h"

namespace trcost::recipe {
namespace {

// A pair of answers is two sequences.
double sequences_per_sample(const Workings& work) {
  return work.is("train.method", "dpo") || work.is("train.method", "reward") ? 2 : 1;
}

// Micro-batches that are added up before a step, if a key or a rule of the framework says so.
std::optional<double> accumulation_of(const Workings& work, double micro, double ranks) {
  if (work.is_unknown("accumulation")) return std::nullopt;
  if (const auto given = work.number("accumulation")) return given;
  const std::optional<double> device = work.number("device_batch");
  if (device && *device > 0) return std::max(1.0, *device / micro);
  if (const auto least = work.number("least_batch")) {
    return std::max(1.0, std::ceil(*least / (micro * ranks)));
  }
  return 1;
}

// Samples of a micro-batch: the user's, which are sequences, else the recipe's.
std::optional<double> micro_batch_of(const Workings& work) {
  const std::optional<double> given = work.given().number(Field::train_micro_batch);
  return given ? *given / sequences_per_sample(work) : work.number("train.micro_batch");
}

// Batches in samples become sequences.
void find_batch(Workings& work) {
  const double pairs = sequences_per_sample(work);
  const std::optional<double> ranks = learning_ranks(work);
  if (work.is_group("titan") && work.degree(Field::layout_pp) > 1) {
    work.set("device_batch", work.text("train.micro_batch"));
    work.set("train.micro_batch", work.number("pipeline_micro").value_or(1));
  }
  const std::optional<double> micro = micro_batch_of(work);
  const auto whole = work.number("whole_batch");
  const std::optional<double> given =
      whole && *whole > 0 ? whole : work.number("train.global_batch");
  if (given) {
    work.set("train.global_batch", *given * pairs);
  } else if (work.is_unknown("train.global_batch") || work.is_unknown("whole_batch")) {
    work.ask(Field::train_global_batch, "the batch is not in the files");
  } else if (micro && ranks) {
    const auto accumulation = accumulation_of(work, *micro, *ranks);
    if (accumulation) work.set("train.global_batch", *micro * *accumulation * *ranks * pairs);
  } else if (const auto device = work.number("device_batch"); device && ranks) {
    work.set("train.global_batch", *device * *ranks * pairs);
  } else if (work.number("accumulation").value_or(1) > 1) {
    work.report("accumulation", "the batch is this times micro-batch and GPUs: set --gpus");
  }
  if (micro && *micro * pairs == 1 && !work.is("data.packing", "packed")) {
    work.report("train.micro_batch", "a micro-batch of one sample has no padding");
  }
  if (const auto own = work.number("train.micro_batch"); own && pairs > 1) {
    work.set("train.micro_batch", *own * pairs);
  }
  const bool compares = work.is("train.method", "dpo") || work.is("train.method", "kto");
  if (compares && !work.has("rollout.reference")) {
    work.assume("rollout.reference", "on", "the loss compares with the starting model");
  }
  if (work.is("train.method", "dpo") && work.is("train.recipe", "lora")) {
    work.report("train.recipe",
                "the reference model is the base without its adapters, of the same size");
  }
}

struct Data {
  bool packed = false;
  std::optional<double> batch, length;
};

// Composer's `143100ba`, `300e9T`, `1ep`: a bare number is epochs for llm-foundry and steps for
// OLMo.
void read_duration(Workings& work, const Data& data) {
  const std::string duration = lower_case(work.text("duration"));
  if (duration.empty()) return;
  const std::size_t last = duration.find_last_of("0123456789.");
  const std::string unit = last == duration.npos ? "" : duration.substr(last + 1);
  const auto value =
      number_of(std::string_view(duration).substr(0, last == duration.npos ? 0 : last + 1));
  if (!value) return;
  const bool steps = unit == "ba" || unit == "iter" || (unit.empty() && !work.has("bare_epochs"));
  if (unit == "ep" || (unit.empty() && !steps)) {
    work.set("data.epochs", *value);
    if (work.is("train.method", "pretrain")) {
      work.report("duration", "passes over files whose size is not in the recipe");
    }
  } else if (unit == "t" || unit == "tok") {
    work.set("data.tokens", *value);
  } else if (unit == "sp" && data.length) {
    work.set("data.tokens", *value * *data.length);
  } else if (steps) {
    work.set("steps", *value);
  }
}

// The first of several ends counts.
void limit_tokens(Workings& work, double tokens) {
  const auto other = work.number("data.tokens");
  work.set("data.tokens", other ? std::min(*other, tokens) : tokens);
}

// Amount by steps of the optimizer.
void read_steps(Workings& work, const Data& data) {
  const auto limited = work.number("stop_at");
  std::optional<double> steps = work.number("steps");
  if (limited && *limited > 0) steps = steps ? std::min(*steps, *limited) : *limited;
  if (!steps || *steps <= 0 || !data.batch) return;
  if (data.packed && data.length) {
    limit_tokens(work, *steps * *data.batch * *data.length);
    work.erase("data.epochs");
  } else if (!data.packed) {
    work.set("data.samples", *steps * *data.batch / sequences_per_sample(work));
    work.set("data.epochs", 1);
  }
}

// Megatron's START STEP SAMPLES: the samples over which the batch grows.
void read_batch_ramp(Workings& work, const Data& data) {
  if (!work.has("batch_ramp") || !data.length) return;
  const std::string ramp = work.text("batch_ramp");
  const std::size_t last = ramp.find_last_of(", ");
  const auto samples = number_of(ramp.substr(last == ramp.npos ? 0 : last + 1));
  if (last == ramp.npos || !samples) {
    work.report("batch_ramp", "a batch that grows by a schedule is not modelled: the full size");
    return;
  }
  work.set("train.batch_ramp", *samples * *data.length);
}

// Steps become tokens or samples by the batch, which most frameworks give for each device.
void report_uncounted_steps(Workings& work) {
  const bool batch = work.number(Field::train_global_batch).has_value();
  const Field open = batch                                ? Field::data_seq_length
                     : !work.number(Field::hardware_gpus) ? Field::hardware_gpus
                                                          : Field::train_global_batch;
  const std::string why = fmt::format("steps need {} to become tokens", field_info(open).flag);
  for (const std::string_view key : {"steps", "stop_at", "duration"}) work.report(key, why);
  work.leave_steps_uncounted(why);
  work.ask(open, why);
  if (!batch) work.ask(Field::train_global_batch, "the batch follows from the number of GPUs");
}

// A limit of the samples bounds their usual number, and a part of a data set has an unknown one.
// Returns why the number is a guess.
std::string bound_samples(Workings& work) {
  const std::string part = work.text("data_part"), sets = work.text("limited_sets");
  if (part.find('[') != part.npos) {
    return fmt::format("the recipe takes a part of its data ({}) and does not tell the size", part);
  }
  const double each = work.number("samples_limit").value_or(0);
  const double lists = 1 + static_cast<double>(std::ranges::count(sets, ','));
  const catalog::AssumedChoices& usual = work.catalog().assumed();
  const bool images = work.has("vision_language");
  const double guess = (images ? usual.image_instructions : usual.instructions).count;
  if (each < 1 || each * lists >= guess) return "the size of the data set is not in the recipe";
  const std::string why =
      fmt::format("the recipe takes at most {} samples{} ({})", grouped(each, 0),
                  lists > 1 ? fmt::format(" of each of {} data sets", lists) : std::string(),
                  fmt::join(work.keys_of("samples_limit"), ", "));
  work.assume("data.samples", format_exact(each * lists), why);
  return why;
}

void ask_for_amount(Workings& work, bool packed) {
  const bool steps = work.number("steps").value_or(-1) > 0;
  work.report("samples_limit", "a bound of the data set: set --samples");
  if (work.text("data_part").find('[') != std::string::npos) {
    work.report("data_part", "a part of the data set: set --samples");
  }
  const bool known =
      work.has("data.tokens") || work.has("data.samples") || work.given().has(Field::data_tokens) ||
      work.given().has(Field::data_tokens_per_param) || work.given().has(Field::data_samples);
  if (!known && steps) {
    report_uncounted_steps(work);
  } else if (!known && work.is("train.method", "pretrain")) {
    work.ask(Field::data_tokens, "the tokens of the data are not in the recipe");
  } else if (!known) {
    work.ask(field_info(Field::data_samples).path, bound_samples(work));
  }
  if (!packed) {
    work.ask(Field::data_text_tokens_per_sample,
             "a limit is in the recipe, the mean length of a sample is not");
  }
}

}  // namespace

std::optional<double> learning_ranks(const Workings& work) {
  if (const auto processes = work.number("processes")) return processes;
  const std::optional<double> gpus = work.number(Field::hardware_gpus);
  if (!gpus) return std::nullopt;
  const double generating = work.is("rollout.placement", "colocated")
                                ? 0
                                : work.number("rollout.generation_gpus").value_or(0);
  const double ranks =
      (*gpus - generating) / (work.degree(Field::layout_tp) * work.degree(Field::layout_pp) *
                              work.degree(Field::layout_cp));
  return ranks >= 1 ? std::optional(ranks) : std::nullopt;
}

std::optional<double> samples_of_names(const Workings& work) {
  const std::string names = work.text("swift_dataset");
  double all = 0;
  for (const std::string_view name : split_text(names, ",")) {
    const std::size_t mark = name.rfind('#');
    const auto count = mark == name.npos ? std::nullopt : number_of(name.substr(mark + 1));
    if (!count) return std::nullopt;
    all += *count;
  }
  return all > 0 ? std::optional(all) : std::nullopt;
}

void find_training(Workings& work) {
  const bool pretraining = work.is("train.method", "pretrain");
  if (work.is_group("openrlhf") && work.has("rollout.epochs")) {
    work.set("data.epochs", work.text("rollout.epochs"));
  }
  const bool compares = work.is("train.method", "dpo") || work.is("train.method", "kto");
  for (const auto& [name, value] : Variables(work.values())) {
    const bool keep = compares && name == "rollout.reference";
    if (name.starts_with("rollout.") && !keep) work.erase(name);
  }
  if (work.has("openrlhf_packing")) work.set("data.packing", "padding-free");
  Data data;
  data.packed = work.is("packed", "1") || work.is("data.packing", "packed") ||
                (pretraining && !work.is("packed", "0") && !work.has("data.packing"));
  if (data.packed) work.set("data.packing", "packed");
  if (!work.has("data.packing")) work.assume("data.packing", "padded", "samples are not packed");
  if (work.is("packed", "1") && work.has("packed_length")) {
    work.set("limit", work.text("packed_length"));
  }
  if (!work.has("data.seq_length") && work.number("limit")) {
    work.set("data.seq_length", work.text("limit"));
    if (work.assumed("limit") != nullptr) work.assume("data.seq_length", work.text("limit"));
  }
  if (!data.packed && work.has("limit") && !pretraining) {
    work.set("data.sample_limit", work.text("limit"));
  }
  find_batch(work);
  data.batch = work.number(Field::train_global_batch);
  data.length = work.number(Field::data_seq_length);
  read_duration(work, data);
  if (const auto sequences = work.number("sequences"); sequences && data.length) {
    limit_tokens(work, *sequences * *data.length);
  }
  read_steps(work, data);
  if (const auto samples = samples_of_names(work); samples && !work.has("data.tokens")) {
    if (!work.has("data.samples")) work.set("data.samples", *samples);
  }
  if (work.has("data.tokens") && work.assumed("data.epochs") != nullptr) work.erase("data.epochs");
  if (!data.packed) {
    work.report("limit", "a limit, not a mean length: set --text-tokens-per-sample");
    work.report("pad_to_length",
                "every sample is as long as the limit: set it with --text-tokens-per-sample");
  }
  read_batch_ramp(work, data);
  ask_for_amount(work, data.packed);
}

}  // namespace trcost::recipe

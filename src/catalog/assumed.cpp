// SPDX-License-Identifier: Apache-2.0
#include "catalog/assumed.h"

#include <fmt/core.h>

#include <algorithm>

#include "catalog/data/data_file.h"

namespace trcost::catalog {

namespace {

constexpr double kLeastShare = 0.01;

// The methods of training, true for those that write their own data.
constexpr Choice<bool> kGenerates[] = {
#define TRCOST_METHOD(id, word, sequences, generates) {word, generates},
#include "catalog/software/methods.def"
#undef TRCOST_METHOD
};

template <class Choice>
void read_reason(ObjectReader& row, const Sources& sources, Choice& out) {
  out.name = row.required_text("name");
  out.why = row.required_text("why");
  out.source = sources.text(row.required_value("source"));
}

StackChoice read_stack(const JsonValue& value, const Sources& sources) {
  ObjectReader row = value.object();
  StackChoice out;
  read_reason(row, sources, out);
  out.above_params = row.required_number("above_params", 1, 1e18);
  out.tuning = row.choice_or("tuning", out.tuning, kTunings);
  out.architectures = row.texts_or_empty("architectures");
  row.finish();
  return out;
}

SpeedChoice read_speed(const JsonValue& value, const Sources& sources) {
  ObjectReader row = value.object();
  SpeedChoice out;
  out.tokens_per_second = row.required_number("tokens_per_second_per_user", 1e-3, 1e6);
  out.why = row.required_text("why");
  out.source = sources.text(row.required_value("source"));
  row.finish();
  return out;
}

EntryChoice read_entry(const JsonValue& value, const Sources& sources) {
  ObjectReader row = value.object();
  EntryChoice out;
  read_reason(row, sources, out);
  out.follows_size = row.boolean_or("follows_size", false);
  out.below_params = row.optional_number("below_params", 1, 1e18);
  row.finish();
  return out;
}

SampleChoice read_samples(const JsonValue& value, const Sources& sources) {
  constexpr double kMost = 1e12;
  ObjectReader row = value.object();
  SampleChoice out;
  out.count = row.required_number("count", 1, kMost);
  out.count_why = row.required_text("count_why");
  out.count_source = sources.text(row.required_value("count_source"));
  out.text_tokens = row.optional_number("text_tokens", 1, kMost);
  if (out.text_tokens) {
    out.why = row.required_text("why");
    out.source = sources.text(row.required_value("source"));
  }
  row.finish();
  return out;
}

RoundChoice read_round(const JsonValue& value, const Sources& sources) {
  constexpr double kMost = 1e7;
  ObjectReader row = value.object();
  RoundChoice out;
  const JsonValue method = row.required_value("method");
  if (!method.choice(kGenerates)) method.fail("a method that generates nothing has no rounds");
  out.method = method.text();
  out.prompts = row.required_whole("prompts", 1, kMost);
  out.samples_per_prompt = row.required_whole("samples_per_prompt", 1, kMost);
  out.source = sources.text(row.required_value("source"));
  out.response_tokens = row.required_number("response_tokens", 1, kMost);
  out.response_why = row.required_text("response_why");
  row.finish();
  return out;
}

UsefulShares read_useful(ObjectReader of, const Sources& sources) {
  UsefulShares out;
  const auto share = [&](std::string_view key) {
    return sources.required(of, key, kLeastShare, 1);
  };
  out.packed = share("packed");
  out.grouped = share("grouped");
  out.padded = share("padded");
  out.grouped_text = share("grouped_text");
  out.padded_text = share("padded_text");
  of.finish();
  return out;
}

}  // namespace

const RoundChoice& AssumedChoices::round(std::string_view method) const {
  return *std::ranges::find(rounds, method, &RoundChoice::method);
}

const EntryChoice& AssumedChoices::vision_encoder(double params) const {
  return *std::ranges::find_if(vision_encoders, [&](const EntryChoice& each) {
    return !each.below_params || params < *each.below_params;
  });
}

bool StackChoice::runs_on(std::string_view architecture) const {
  return std::ranges::find(architectures, architecture) != architectures.end();
}

const EntryChoice& AssumedChoices::native_encoder(double params) const {
  return *std::ranges::find_if(vision_encoders, [&](const EntryChoice& each) {
    return each.follows_size && (!each.below_params || params < *each.below_params);
  });
}

bool AssumedChoices::has_encoder(std::string_view name) const {
  return std::ranges::find(vision_encoders, name, &EntryChoice::name) != vision_encoders.end();
}

std::shared_ptr<const AssumedChoices> load_assumed_choices(const DataFolder& data) {
  constexpr double kMostTimes = 100;
  constexpr double kMostSequences = 1e7;
  ObjectReader file = read_data_file(data, "assumed/scenario.json").object();
  file.accept("schema_version");
  file.accept("retrieved");
  const Sources sources(file);
  auto out = std::make_shared<AssumedChoices>();
  ObjectReader accelerators = file.required_object("accelerators");
  out->accelerators = accelerators.texts_or_empty("names");
  sources.text(accelerators.required_value("source"));
  accelerators.finish();
  if (out->accelerators.empty()) accelerators.value().fail("\"names\" has to name one at least");
  const JsonValue encoders = file.required_value("vision_encoders");
  for (const JsonValue& each : encoders.array()) {
    out->vision_encoders.push_back(read_entry(each, sources));
  }
  if (out->vision_encoders.empty() || out->vision_encoders.back().below_params ||
      !out->vision_encoders.back().follows_size) {
    encoders.fail("the last has to follow the image's size and be for models of any size");
  }
  out->audio_encoder = read_entry(file.required_value("audio_encoder"), sources);
  out->tuning_stack = read_entry(file.required_value("tuning_stack"), sources);
  out->adapter_stack = read_entry(file.required_value("adapter_stack"), sources);
  out->contrastive_stack = read_entry(file.required_value("contrastive_stack"), sources);
  out->mixture_stack = read_stack(file.required_value("mixture_stack"), sources);
  out->claim_reference = read_entry(file.required_value("claim_reference"), sources);
  out->served_speed = read_speed(file.required_value("served_speed"), sources);
  ObjectReader samples = file.required_object("samples");
  out->instructions = read_samples(samples.required_value("instructions"), sources);
  out->preferences = read_samples(samples.required_value("preferences"), sources);
  out->image_instructions = read_samples(samples.required_value("image_instructions"), sources);
  out->captions = read_samples(samples.required_value("captions"), sources);
  samples.finish();
  for (const SampleChoice* of_text : {&out->instructions, &out->preferences}) {
    if (!of_text->text_tokens) samples.value().fail("samples of text need \"text_tokens\"");
  }
  const JsonValue rounds = file.required_value("rounds");
  for (const JsonValue& each : rounds.array()) out->rounds.push_back(read_round(each, sources));
  for (const auto& [method, generates] : kGenerates) {
    if (generates && std::ranges::count(out->rounds, method, &RoundChoice::method) == 0) {
      rounds.fail(fmt::format("no row says what a round of {} is like", method), "add one");
    }
  }
  out->response_limit = sources.required(file, "response_limit_over_mean", 1, kMostTimes);
  out->update_sequences = sources.required(file, "update_sequences", 1, kMostSequences);
  out->image_imbalance = sources.required(file, "image_imbalance", 1, kMostTimes);
  out->colocated_engine_share = sources.required(file, "colocated_engine_share", kLeastShare, 1);
  out->useful = read_useful(file.required_object("useful_shares"), sources);
  file.finish();
  return out;
}

}  // namespace trcost::catalog

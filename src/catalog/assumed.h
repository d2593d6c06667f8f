// SPDX-License-Identifier: Apache-2.0
// Defaults of an estimate: data/assumed/scenario.json.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/data/sourced_values.h"
#include "catalog/software/stacks.h"
#include "quantity/layers.h"
#include "trcost/data_folder.h"

namespace trcost::catalog {

/// A default entry of the catalog with the reason for it.
struct EntryChoice {
  std::string name;
  std::string why;
  std::string source;
  bool follows_size = false;           ///< for an encoder: takes images of any size
  std::optional<double> below_params;  ///< for models of fewer parameters, empty for any size
};

/// Default software of runs above a size, with its tuning, on chips that it was measured on.
struct StackChoice {
  std::string name;
  std::string why;
  std::string source;
  double above_params = 0;
  Tuning tuning = Tuning::usual;
  std::vector<std::string> architectures;

  [[nodiscard]] bool runs_on(std::string_view architecture) const;
};

/// Default samples of a fine-tuning run.
struct SampleChoice {
  double count = 0;
  std::string count_why, count_source;
  std::optional<double> text_tokens;  ///< text tokens per sample, empty if images decide it
  std::string why, source;
};

/// Default round of a method that generates.
struct RoundChoice {
  std::string method;  ///< a word of train.method
  double prompts = 0, samples_per_prompt = 0;
  std::string source;
  double response_tokens = 0;
  std::string response_why;
};

/// Useful share of the computed tokens, by packing of the samples.
struct UsefulShares {
  CatalogNumber packed, grouped, padded;
  CatalogNumber grouped_text, padded_text;  ///< for the text of samples with images
};

/// Default of the smallest speed per user of a service.
struct SpeedChoice {
  double tokens_per_second = 0;
  std::string why, source;
};

struct AssumedChoices {
  std::vector<std::string> accelerators;
  std::vector<EntryChoice> vision_encoders;  ///< by the size of the model, the last one for any
  EntryChoice audio_encoder;
  EntryChoice tuning_stack;                ///< for adapted vision-language models
  EntryChoice adapter_stack;               ///< for adapters of text models
  EntryChoice contrastive_stack;           ///< for contrastive training
  StackChoice mixture_stack;               ///< for large mixtures of experts from scratch
  EntryChoice claim_reference;             ///< the accelerator that a claimed factor compares with
  SpeedChoice served_speed;                ///< for a service of unknown load
  SampleChoice instructions, preferences;  ///< text samples, one sequence of a pair
  SampleChoice image_instructions, captions;  ///< captions if only the projector learns
  std::vector<RoundChoice> rounds;            ///< one for each method that generates
  CatalogNumber response_limit;               ///< limit / mean response
  CatalogNumber update_sequences;  ///< largest number of sequences of one optimizer step in a round
  /// Share of the memory for an engine on accelerators that also learn.
  CatalogNumber colocated_engine_share;
  UsefulShares useful;
  CatalogNumber image_imbalance;  ///< slowest rank's work / mean, for sequences with images

  /// The encoder of released models of about this size (language, encoder and projector together).
  [[nodiscard]] const EntryChoice& vision_encoder(double params) const;
  /// The encoder of that size that takes images of any size.
  [[nodiscard]] const EntryChoice& native_encoder(double params) const;
  /// The default round of a method that generates, by its word.
  [[nodiscard]] const RoundChoice& round(std::string_view method) const;
  /// True if vision_encoder() returns it for some size.
  [[nodiscard]] bool has_encoder(std::string_view name) const;
};

std::shared_ptr<const AssumedChoices> load_assumed_choices(const DataFolder& data);

}  // namespace trcost::catalog

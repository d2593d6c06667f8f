// SPDX-License-Identifier: Apache-2.0
// What an estimate takes where nobody names it: data/assumed/scenario.json.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/hardware/efficiency.h"
#include "catalog/provenance.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

/// An entry of the catalog with the reason for it.
struct EntryChoice {
  std::string name;
  std::string why;
  std::string source;
  bool follows_size = false;           ///< of an encoder: takes images in as they are
  std::optional<double> below_params;  ///< for models of fewer parameters; empty: of any size
};

/// Software of runs above a size, with how well it is tuned, on chips that it has been measured on.
struct StackChoice {
  std::string name;
  std::string why;
  std::string source;
  double above_params = 0;
  Tuning tuning = Tuning::usual;
  std::vector<std::string> architectures;

  [[nodiscard]] bool runs_on(std::string_view architecture) const;
};

/// Samples of a training that nobody says the data of.
struct SampleChoice {
  double count = 0;
  std::string count_why, count_source;
  std::optional<double> text_tokens;  ///< of each; empty where images decide it
  std::string why, source;
};

/// What a round of a method that generates is like.
struct RoundChoice {
  std::string method;  ///< a word of train.method, of one that generates
  double prompts = 0, samples_per_prompt = 0;
  std::string source;
  double response_tokens = 0;
  std::string response_why;
};

/// Of the tokens that are computed, those that teach, by how samples share a sequence.
struct UsefulShares {
  CatalogNumber packed, grouped, padded;
  CatalogNumber grouped_text, padded_text;  ///< of the text beside images
};

/// The least that each user of a service gets.
struct SpeedChoice {
  double tokens_per_second = 0;
  std::string why, source;
};

struct AssumedChoices {
  std::vector<std::string> accelerators;
  std::vector<EntryChoice> vision_encoders;  ///< by the size of the model, the last for any
  EntryChoice audio_encoder;
  EntryChoice tuning_stack;                   ///< of vision-language models that are adapted
  EntryChoice contrastive_stack;              ///< of contrastive training
  StackChoice mixture_stack;                  ///< of large mixtures of experts from scratch
  EntryChoice claim_reference;                ///< the accelerator that a claimed factor is over
  SpeedChoice served_speed;                   ///< of a service whose load nobody gives
  SampleChoice instructions, preferences;     ///< of text; one sequence of a pair
  SampleChoice image_instructions, captions;  ///< the latter where only the projector learns
  std::vector<RoundChoice> rounds;            ///< one of each method that generates
  CatalogNumber response_limit;               ///< times the mean response
  CatalogNumber update_sequences;             ///< of one optimizer step in a round, at most
  /// Of the memory that an engine has on accelerators that learn in turn.
  CatalogNumber colocated_engine_share;
  UsefulShares useful;
  CatalogNumber image_imbalance;  ///< slowest rank's work over the mean, in sequences with images

  /// What released models of about this size (language, encoder and projector together) use.
  [[nodiscard]] const EntryChoice& vision_encoder(double params) const;
  /// As vision_encoder(), but one that follows the image's size whatever the model's.
  [[nodiscard]] const EntryChoice& native_encoder(double params) const;
  /// By the word of a method that generates.
  [[nodiscard]] const RoundChoice& round(std::string_view method) const;
  /// Whether vision_encoder() chooses it for some size.
  [[nodiscard]] bool has_encoder(std::string_view name) const;
};

}  // namespace trcost::catalog

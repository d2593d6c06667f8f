// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/data/resolve_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "catalog/assumed.h"
#include "scenario/choices.h"
#include "trcost/error.h"
#include "workload/method.h"

namespace trcost::estimation {
namespace {

// Resolves the useful share of all tokens, where the share `with_images` of the sequences holds all
// images, and notes it if padding takes some. Corpora are cut to fill sequences, so only samples
// are padded. A micro-batch of one sample has nothing to pad.
double useful_share(Packing packing, bool from_samples, const Sample& sample, double with_images,
                    bool alone, const UsefulShares& useful, Notes& notes) {
  if (packing == Packing::padding_free) return 1;
  if (alone && packing != Packing::packed) {
    notes.add({"data.useful_share", "1", "", "a micro-batch of one sample has no padding",
               "--micro-batch"});
    return 1;
  }
  const CatalogNumber& samples = packing == Packing::packed    ? useful.packed
                                 : packing == Packing::grouped ? useful.grouped
                                                               : useful.padded;
  const CatalogNumber& beside_images =
      packing == Packing::grouped ? useful.grouped_text : useful.padded_text;
  const double text_alone = from_samples ? samples.value : 1;
  const bool mixed = packing != Packing::packed && sample.vision > 0;
  double share = samples.value;
  if (packing == Packing::packed) {
    share = 1 / ((1 - with_images) / text_alone + with_images / useful.packed.value);
  } else if (mixed) {
    const double text =
        sample.text * ((1 - with_images) / text_alone + with_images / beside_images.value);
    share = sample.tokens() / (text + sample.vision);
  }
  if (share < 1 && notes.wanted()) {
    notes.add(
        {"data.useful_share", format_number(share, NumberKind::number, 3), "",
         fmt::format("of the tokens that are computed, those that teach, where samples are {}",
                     word_of(kPackings, packing)),
         mixed ? beside_images.source : samples.source});
  }
  return share;
}

// The longest sequence if --seq-length is not set.
struct Context {
  double tokens = 0;
  std::string whose;
  bool known = false;
};
Context longest_context(const Model& model) {
  // Llama 3.1 and most models since (arXiv:2407.21783, section 3.4.2).
  constexpr double kLongestUsual = 131072;
  const double positions = model.language.learned_positions;
  const std::optional<double> own = positions > 0 ? positions : model.language.context;
  if (own) return {*own, "the context of " + model.name, true};
  return {kLongestUsual, "the longest usual context", false};
}

std::string image_words(double images, const ResolvedWork& out) {
  return fmt::format("{} {}{} of {} tokens", format_exact(images), medium_word(out.medium),
                     images > 1 ? "s" : "", format_exact(out.workload.vision_tokens_per_image));
}

// The flags that reduce the tokens of a medium.
std::string_view smaller_media_flags(Medium medium) {
  if (medium == Medium::image) return "--image-size";
  return medium == Medium::video ? "--seconds, --fps or --video" : "--seconds";
}

// A sample that is not packed has its sequence for itself.
void refuse_cut_samples(const Sample& sample, Medium medium, bool packed, double image_tokens,
                        double sequence) {
  if (packed || image_tokens + sample.text <= sequence) return;
  const std::string of_images =
      image_tokens > 0 ? fmt::format(" ({} of {}s, {} of text)", format_exact(image_tokens),
                                     medium_word(medium), format_exact(sample.text))
                       : std::string();
  throw Error(
      ErrorKind::usage,
      fmt::format("a sample of {} tokens{} does not fit into --seq-length {}",
                  format_exact(image_tokens + sample.text), of_images, format_exact(sequence)),
      "raise --seq-length, lower --text-tokens-per-sample, or set --packing packed, which "
      "cuts texts");
}

// Images cannot be cut, so those of a sample have to fit into one sequence, and with its text if
// samples are not packed.
void refuse_long_samples(const Scenario& scenario, const Sample& sample, bool packed,
                         const ResolvedWork& out) {
  const Workload& work = out.workload;
  const bool images_count = work.vision() && in_sequence(work);
  const double images =
      images_count ? std::max(1.0, scenario.number_or(Field::data_images_per_sample, 1)) : 0;
  const double needed = images > 0 ? images * work.vision_tokens_per_image : 0;
  if (const auto given = scenario.number(Field::data_seq_length)) {
    if (needed <= *given) return refuse_cut_samples(sample, out.medium, packed, needed, *given);
    throw Error(ErrorKind::usage,
                fmt::format("{} {} not fit into --seq-length {}", image_words(images, out),
                            images == 1 ? "does" : "do", format_exact(*given)),
                fmt::format("raise --seq-length, or lower {}", smaller_media_flags(out.medium)));
  }
  const Context context = longest_context(out.model);
  const bool text_counts = !packed && (images > 0 || context.known);
  const double text = text_counts ? sample.text : 0;
  if (needed + text <= context.tokens) return;
  const std::string what = images > 0 ? image_words(images, out) : std::string();
  const std::string and_text =
      text > 0 ? fmt::format("{}{} text tokens", images > 0 ? " and " : "", format_exact(text))
               : std::string();
  throw Error(ErrorKind::usage,
              fmt::format("a sample of {}{} does not fit into {}, {} tokens", what, and_text,
                          context.whose, format_exact(context.tokens)),
              images > 0 ? fmt::format("lower {}{}. --seq-length says that the context is longer",
                                       out.medium == Medium::image ? "--images-per-sample or " : "",
                                       smaller_media_flags(out.medium))
              : scenario.has(Field::rollout_response_tokens)
                  ? "lower --prompt-tokens or --response-tokens"
                  : "lower --text-tokens-per-sample, or set --packing packed, which cuts texts. "
                    "--seq-length says that the context is longer");
}

// Packed sequences, which batches and steps count, are not samples.
void warn_about_packed_samples(const Scenario& scenario, const Sample& sample, double sequence,
                               Notes& notes) {
  if (!scenario.has(Field::data_packing) || !notes.wanted() || sample.tokens() <= 0) return;
  const double samples = sequence / sample.tokens();
  notes.warn(
      fmt::format("--packing packed fills sequences of {} tokens with {} samples each, and {} "
                  "counts sequences: "
                  "--seq-length sets their length",
                  format_exact(sequence), format_number(samples, NumberKind::number, 3),
                  scenario.has(Field::train_global_batch) ? "--global-batch" : "the global batch"));
}

// Sequences that the model itself was trained on, where a run trains it as a whole on as many
// tokens.
double own_sequence(const Scenario& scenario, bool from_samples, const ResolvedWork& out) {
  const TrainingTokens& own = out.model.training_tokens;
  const bool pretrains = out.workload.language_training == Training::full && !from_samples &&
                         method_named(scenario.text(Field::train_method)) == Method::pretrain;
  const double tokens = scenario.number(Field::data_tokens).value_or(own.count);
  return pretrains && tokens >= own.count ? own.sequence : 0;
}

// Tokens of a sequence without --seq-length. `own`: own_sequence().
double usual_sequence(const Sample& sample, bool packed, double own, const ResolvedWork& out) {
  if (!packed) return std::max(1.0, std::round(sample.tokens()));
  const Context context = longest_context(out.model);
  double sequence = std::min(own > 0 ? own : kDefaultSequence, context.tokens);
  if (out.workload.vision() && in_sequence(out.workload)) {
    // A packed sequence holds at least one whole sample with its images.
    constexpr double kGrid = 1024;
    const double whole =
        sample.text + out.workload.vision_tokens_per_image * std::max(1.0, sample.images);
    const double rounded = std::ceil(whole / kGrid) * kGrid;
    sequence = std::max(sequence, std::min(rounded, context.tokens));
  }
  return sequence;
}

// Tokens that attention sees of a sequence: the mean document's, which samples are by default.
double document_length(const Scenario& scenario, const Sample& sample, bool from_samples,
                       bool packed, double sequence, Notes& notes) {
  const std::optional<double> given = scenario.number(Field::data_document_tokens);
  if (given && !packed) {
    notes.warn("--document-tokens has no effect: each sample fills a sequence of its own");
  }
  if (!packed) return sequence;
  const double document = given.value_or(from_samples ? sample.tokens() : sequence);
  return std::min(sequence, std::max(1.0, document));
}

// A user who asks for long sequences mostly has long samples.
void warn_about_assumed_samples(const Sample& sample, double sequence, Notes& notes) {
  constexpr double kSeveral = 2;
  if (sequence < kSeveral * sample.tokens()) return;
  notes.warn(fmt::format(
      "samples are assumed to have {} tokens, so that {:.0f} of them fill a sequence of {}. Set "
      "--text-tokens-per-sample if yours are longer",
      format_exact(std::round(sample.tokens())), std::floor(sequence / sample.tokens()),
      grouped(sequence, 0)));
}

}  // namespace

bool in_sequence(const Workload& work) {
  return !work.connector || work.connector->kind != ConnectorKind::cross_attention;
}

void resolve_sequence(const Scenario& scenario, const Catalog& catalog, const Sample& sample,
                      bool from_samples, ResolvedWork& out, Notes& notes) {
  Workload& work = out.workload;
  const bool vision = work.vision() && sample.images > 0;  // a share of 0 leaves text alone
  // Samples of the default length fill a given sequence, unless it is as long as they are.
  const bool filled = from_samples && !scenario.has(Field::data_text_tokens_per_sample) &&
                      scenario.number_or(Field::data_seq_length, std::round(sample.tokens())) !=
                          std::round(sample.tokens());
  std::string_view packing = from_samples && !filled ? "grouped" : "packed";
  if (scenario.has(Field::data_packing)) packing = scenario.text(Field::data_packing);
  const Packing how = value_of(kPackings, packing);
  // A round counts responses, each a sequence, whatever fills the batches that learn from them.
  const bool packed = how == Packing::packed && !scenario.has(Field::rollout_response_tokens);
  refuse_long_samples(scenario, sample, packed, out);
  const double own = own_sequence(scenario, from_samples, out);
  double sequence = usual_sequence(sample, packed, own, out);
  if (const auto given = scenario.number(Field::data_seq_length)) {
    if (!packed && *given > sequence) {
      notes.warn(fmt::format(
          "samples have {} tokens and are not packed, so that the sequence length of {} "
          "is not reached. Set --packing packed to fill it",
          grouped(sequence, 0), grouped(*given, 0)));
    }
    sequence = packed ? *given : std::min(*given, sequence);
    if (filled && packed) warn_about_assumed_samples(sample, sequence, notes);
  } else {
    if (packed && from_samples) warn_about_packed_samples(scenario, sample, sequence, notes);
    const bool as_published = packed && sequence == own;
    notes.add(Field::data_seq_length, sequence,
              as_published ? "as the model was trained"
              : packed     ? "packed sequences of the usual length"
                           : "one sample per sequence",
              as_published ? out.model.training_tokens.source : "trcost default");
  }
  if (!scenario.has(Field::data_packing) && filled) {
    notes.add(Field::data_packing, "packed", "samples fill the sequence asked for", "--seq-length");
  } else if (!scenario.has(Field::data_packing) && (from_samples || vision)) {
    notes.fallback(Field::data_packing, packing);
  }
  out.seq_length = sequence;
  work.seq_length = sequence;
  work.attention_length = document_length(scenario, sample, from_samples, packed, sequence, notes);
  if (vision) {
    work.images_per_sequence =
        sample.tokens() > 0 ? sample.images * sequence / sample.tokens() : sample.images;
  }
  // Sequences with an image: each image has one for itself as long as there are enough.
  const double with_images = std::min(1.0, work.images_per_sequence);
  const AssumedChoices& assumed = catalog.assumed();
  work.padding_efficiency =
      useful_share(how, from_samples, sample, with_images,
                   scenario.number(Field::train_micro_batch) == 1, assumed.useful, notes);
  work.imbalance = scenario.number_or(Field::train_imbalance,
                                      1 + with_images * (assumed.image_imbalance.value - 1));
  if (vision && !scenario.has(Field::train_imbalance)) {
    notes.add(Field::train_imbalance, work.imbalance,
              "images differ in size and number from rank to rank", assumed.image_imbalance.source);
  }
}

}  // namespace trcost::estimation

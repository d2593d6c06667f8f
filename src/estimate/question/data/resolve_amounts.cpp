// SPDX-License-Identifier: Apache-2.0
#include "estimate/question/data/resolve_amounts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate/question/data/resolve_sequence.h"
#include "planner/batch.h"
#include "quantity/portable_math.h"
#include "trcost/error.h"
#include "trcost/tokens.h"
#include "workload/method.h"
#include "workload/workload.h"

namespace trcost::estimation {
namespace {

// Share of the compute-optimal tokens below which a run is an adaptation. There, by the law itself,
// a model of less than half the parameters reaches the same loss with a tenth less compute, so a
// run from scratch would take the smaller model.
constexpr double kAdaptation = 0.25;

}  // namespace

double ratio_to_optimal(const ResolvedWork& work, const Amounts& amounts) {
  return amounts.tokens.total / optimal_tokens(work.params.active);
}

bool is_adaptation(const ResolvedWork& work, const Amounts& amounts) {
  return ratio_to_optimal(work, amounts) < kAdaptation;
}

void note_data_scale(const ResolvedWork& work, const Amounts& amounts, Notes& notes) {
  if (!notes.wanted() || !amounts.tokens_given || work.workload.contrastive_batch > 0) return;
  const double optimal = optimal_tokens(work.params.active);
  const double ratio = ratio_to_optimal(work, amounts);
  if (!is_adaptation(work, amounts)) return;
  const std::string numbers = fmt::format(
      "{} tokens are {} of the {} that are compute-optimal for {} parameters",
      format_number(amounts.tokens.total, NumberKind::count),
      format_number(ratio, NumberKind::fraction, 2), format_number(optimal, NumberKind::count),
      format_number(work.params.active, NumberKind::count));
  const bool whole = work.workload.language_training == Training::full;
  notes.add({"data.scale",
             fmt::format("adaptation, {} of compute-optimal",
                         format_number(ratio, NumberKind::fraction, 2)),
             "",
             numbers + (whole ? ": the weights are taken to be trained already"
                              : "; the language model is trained already"),
             "Hoffmann et al. refit by Epoch AI (arXiv:2404.10102)"});
  // The makers of GPT-3 trained it on few tokens, and its own number needs no warning.
  const bool own = amounts.tokens.total >= work.model.training_tokens.count &&
                   work.model.training_tokens.count > 0;
  if (!whole || amounts.samples || own) return;
  notes.warn(numbers + ", which adapt trained weights, but are too few to train from scratch");
}

namespace {

// Samples with images need image tokens: priced as text, a model would silently be several times
// too cheap. All amounts pass here except those of contrastive training, whose towers do not share
// a sequence.
void refuse_unseen_images(const ResolvedWork& work) {
  if (work.sample_images <= 0 || work.workload.vision_tokens_per_image > 0) return;
  throw Error(ErrorKind::data,
              fmt::format("how many tokens an image becomes in {} is not known: {} has no input "
                          "size and no token rule",
                          work.model.name, work.model.vision->encoder.name),
              "set --vision-tokens-per-image N, or \"token_family\" in the model's file "
              "(`trcost tokens --families`). --images-per-sample 0 is text alone");
}

// Tokens of one pass without --samples: a budget, a ratio, or the scaling law.
double tokens_once(const Scenario& scenario, const ResolvedWork& work, Amounts& out, Notes& notes) {
  if (const auto budget = scenario.number(Field::data_tokens)) {
    out.tokens_given = true;
    return *budget;
  }
  if (const auto ratio = scenario.number(Field::data_tokens_per_param)) {
    out.tokens_given = true;
    const double once = std::max(1.0, std::round(*ratio * work.rule_params));
    if (notes.wanted()) {
      notes.add(Field::data_tokens, once,
                fmt::format("{} for each of {} parameters", format_exact(*ratio),
                            format_number(work.rule_params, NumberKind::count)),
                "--tokens-per-param");
    }
    return once;
  }
  const TrainingTokens& released = work.model.training_tokens;
  if (released.count > 0 && work.workload.language_training == Training::full) {
    out.tokens_given = true;
    out.tokens.published = true;
    notes.add(Field::data_tokens, released.count, "tokens that this model was trained on",
              released.source);
    return released.count;
  }
  const double once = std::round(optimal_tokens(work.params.active));
  out.tokens.compute_optimal = true;
  if (notes.wanted()) {
    notes.add(Field::data_tokens, once,
              fmt::format("compute-optimal for {} parameters",
                          format_number(work.params.active, NumberKind::count)),
              "Hoffmann et al. refit by Epoch AI (arXiv:2404.10102), L = E + A/N^a + B/D^b");
  }
  return once;
}

void resolve_totals(const Scenario& scenario, const ResolvedWork& work, Amounts& out,
                    Notes& notes) {
  refuse_exclusive(scenario);
  out.epochs = scenario.number_or_default(Field::data_epochs);
  TokenTotals& tokens = out.tokens;
  double samples = 0;
  if (const auto given = scenario.number(Field::data_samples)) {
    samples = *given * out.epochs;
    out.samples = samples;
    tokens.total = samples * work.sample_tokens;
    out.tokens_given = true;
  } else {
    tokens.total = tokens_once(scenario, work, out, notes) * out.epochs;
    out.tokens.published &= out.epochs == 1;
    samples = work.sample_tokens > 0 ? tokens.total / work.sample_tokens : 0;
  }
  out.images = samples * work.sample_images;
  tokens.vision = out.images * work.workload.vision_tokens_per_image;
  tokens.vision_encoder = out.images * work.workload.encoder_tokens_per_image;
  tokens.text = in_sequence(work.workload) ? tokens.total - tokens.vision : tokens.total;
}

// A run adapts trained weights where its tokens are few, whatever is frozen: billions of pairs that
// teach an adapter beside a frozen language model are pre-training (Llama 3.2 Vision), and a whole
// language model may be pre-trained on samples, as PaliGemma on a billion of pairs
// (arXiv:2407.07726).
bool is_fine_tuning(const ResolvedWork& work, const Amounts& amounts) {
  const bool partial = work.workload.language_training != Training::full;
  return (partial || amounts.samples) && is_adaptation(work, amounts);
}

// B = B0 sqrt(S / S0) to the nearest power of two, at least B0: released recipes take larger steps
// of more samples. S0 and B0 are LLaVA-1.5's (arXiv:2310.03744), 256 of 558e3 pairs and 128 of
// 665e3 instructions; elsewhere the rule gives InternVL 2.5's 512 of 16.3e6 instructions
// (arXiv:2412.05271), half of Qwen-VL's 30,720 of 1.4e9 pairs (arXiv:2308.12966) and twice the
// 16,384 of 6e9 pairs of Llama 3's image adapter (arXiv:2407.21783, section 7).
double fine_tuning_batch(bool projector, double sequences) {
  struct Recipe {
    double batch, sequences;
  };
  constexpr Recipe kProjector = {256, 558e3};
  constexpr Recipe kInstructions = {128, 665e3};
  const Recipe usual = projector ? kProjector : kInstructions;
  const double grown = usual.batch * std::sqrt(sequences / usual.sequences);
  return std::max(usual.batch, std::ldexp(1.0, static_cast<int>(std::round(portable_log2(grown)))));
}

void note_usual_batch(double batch, bool fewer, bool fine_tuning, Notes& notes) {
  if (fewer) {
    notes.add(Field::train_global_batch, batch, "the data has no more sequences", "trcost default");
  } else if (fine_tuning) {
    notes.add(Field::train_global_batch, batch,
              "usual batch of fine-tuning recipes, growing as the root of the samples",
              "LLaVA-1.5 (arXiv:2310.03744): 256 for the projector, 128 for instructions; "
              "InternVL 2.5 (arXiv:2412.05271): 512 of 16M");
  } else {
    notes.add(Field::train_global_batch, batch, "published batch sizes by training tokens",
              "Llama 2 (arXiv:2307.09288): 4 Mi tokens at 2e12, growing as in Llama 3.1 405B "
              "(arXiv:2407.21783)");
  }
}

void resolve_batch(const Scenario& scenario, const ResolvedWork& work, Amounts& out, Notes& notes) {
  const bool fine_tuning = is_fine_tuning(work, out);
  const double sequences = std::max(1.0, std::ceil(out.tokens.total / work.seq_length));
  const bool frozen = work.workload.language_training == Training::frozen;
  out.pretraining_batch = compute_usual_batch(out.tokens.total, work.seq_length);
  out.critical_batch = critical_batch_tokens(out.tokens.total) / work.seq_length;
  const double rule = fine_tuning ? fine_tuning_batch(frozen, sequences / out.epochs)
                                  : out.pretraining_batch.sequences;
  const double usual = std::min(rule, sequences);
  out.usual_batch_grows = !fine_tuning && sequences >= rule;
  out.batch_ramp = std::min(out.tokens.total, scenario.number_or(Field::train_batch_ramp, 0));
  out.global_batch_given = scenario.has(Field::train_global_batch);
  out.global_batch = scenario.number_or(Field::train_global_batch, usual);
  // The batch of a round is what a round is: no rule of pre-training says what is usual.
  if (!method_row(method_named(scenario.text(Field::train_method))).generates) {
    out.usual_batch = usual;
  }
  if (!out.global_batch_given) note_usual_batch(usual, sequences < rule, fine_tuning, notes);
}

// Passes, then pairs of image and text over all of them.
double resolve_pair_count(const Scenario& scenario, double text_tokens, Amounts& out,
                          Notes& notes) {
  out.epochs = scenario.number_or_default(Field::data_epochs);
  out.tokens_given = true;
  if (scenario.has(Field::data_tokens_per_param)) {
    throw Error(ErrorKind::usage, "--tokens-per-param needs a language model that predicts tokens",
                "contrastive training is asked by --samples, pairs of image and text");
  }
  if (const auto given = scenario.number(Field::data_samples)) return *given * out.epochs;
  if (const auto budget = scenario.number(Field::data_tokens)) {
    return *budget * out.epochs / text_tokens;
  }
  const ContrastiveDefaults usual;
  out.tokens_given = false;
  if (!scenario.has(Field::data_epochs)) {
    out.epochs = usual.epochs;
    notes.add(Field::data_epochs, usual.epochs, "passes of the first CLIP over its pairs",
              std::string(usual.source));
  }
  notes.add(Field::data_samples, usual.pairs, "pairs of image and text of the first CLIP",
            std::string(usual.source));
  return usual.pairs * out.epochs;
}

Amounts resolve_pair_amounts(const Scenario& scenario, const ResolvedWork& work, Notes& notes) {
  Amounts out;
  out.global_batch = work.workload.contrastive_batch;
  out.global_batch_given = scenario.has(Field::train_global_batch);
  const double pairs = resolve_pair_count(scenario, work.seq_length, out, notes);
  out.samples = out.images = pairs;
  out.tokens.total = out.tokens.text = pairs * work.seq_length;
  out.tokens.vision_encoder = pairs * work.workload.encoder_tokens_per_image;
  return out;
}

}  // namespace

Amounts resolve_amounts(const Scenario& scenario, const ResolvedWork& work, Notes& notes) {
  if (work.workload.contrastive_batch > 0) return resolve_pair_amounts(scenario, work, notes);
  refuse_unseen_images(work);
  Amounts out;
  resolve_totals(scenario, work, out, notes);
  resolve_batch(scenario, work, out, notes);
  return out;
}

}  // namespace trcost::estimation

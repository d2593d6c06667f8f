// SPDX-License-Identifier: Apache-2.0
#include "trcost/tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "catalog/models/model.h"
#include "quantity/portable_math.h"
#include "quantity/suggest.h"
#include "trcost/error.h"
#include "workload/tokens/rules.h"

namespace trcost::workload {
namespace {

using tokens::Family;

constexpr std::int64_t kMostTiles = 64;
constexpr std::int64_t kLargestPatch = 1024;
constexpr double kMostSeconds = 1e6;
constexpr double kMostFps = 1000;

// The order of the contract; the audio families come last.
const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> out;
    for (const auto group :
         {tokens::vit_families(), tokens::llava_families(), tokens::qwen_vl_families(),
          tokens::glm_families(), tokens::native_families(), tokens::internvl_families(),
          tokens::crop_families(), tokens::idefics_families(), tokens::mllama_families(),
          tokens::gemma_families(), tokens::gpt4v_families(), tokens::audio_families()}) {
      out.insert(out.end(), group.begin(), group.end());
    }
    return out;
  }();
  return all;
}

// Names of the families that `has` accepts, joined with commas.
template <typename Has>
std::string family_names(Has has) {
  std::string out;
  for (const Family& family : families()) {
    if (!has(family.info)) continue;
    if (!out.empty()) out += ", ";
    out += family.info.name;
  }
  return out;
}

const Family& find_family(std::string_view name) {
  const auto& all = families();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Family& f) { return f.info.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> known;
  for (const Family& family : all) known.emplace_back(family.info.name);
  throw Error(ErrorKind::usage,
              fmt::format("unknown token family \"{}\"; known: {}", name,
                          family_names([](const TokenFamily&) { return true; })),
              did_you_mean(name, known), "--family");
}

void check_image(ImageSize size) {
  const bool empty = size.width < 1 || size.height < 1;
  if (!empty && size.width <= kMostImagePixels && size.height <= kMostImagePixels &&
      size.width * size.height <= kMostImagePixels) {
    return;
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("image {}x{} has {} pixels", size.width, size.height, empty ? "no" : "too many"),
      fmt::format(
          "each side is at least 1 and the area at most {} pixels, where Pillow refuses a file",
          kMostImagePixels));
}

/// One row per option: its flag, its field, its greatest value (the least is 1).
struct OptionRow {
  std::string_view flag;
  std::optional<std::int64_t> TokenOptions::*field;
  std::int64_t most;
};
constexpr std::array<OptionRow, 4> kOptionRows = {{
    {"--min-pixels", &TokenOptions::min_pixels, kMostImagePixels},
    {"--max-pixels", &TokenOptions::max_pixels, kMostImagePixels},
    {"--max-tiles", &TokenOptions::max_tiles, kMostTiles},
    {"--patch", &TokenOptions::patch, kLargestPatch},
}};
constexpr std::string_view kDetailFlag = "--detail";
constexpr std::string_view kPipelineFlag = "--video-pipeline";

std::string list_options(const TokenFamily& family) {
  std::string out;
  const auto add = [&](std::string_view flag) {
    if (!out.empty()) out += ", ";
    out += flag;
  };
  for (const OptionRow& row : kOptionRows) {
    if (family.defaults.*row.field) add(row.flag);
  }
  if (family.defaults.detail) add(kDetailFlag);
  if (family.defaults.video_pipeline) add(kPipelineFlag);
  return out.empty() ? "this rule has no options" : "its options: " + out;
}

[[noreturn]] void refuse_option(const TokenFamily& family, std::string_view flag) {
  throw Error(ErrorKind::usage, fmt::format("the rule of {} has no {}", family.name, flag),
              list_options(family), std::string(flag));
}

/// The released encoder with the settings of `given`. A rule for one encoder alone refuses an
/// encoder with other patches, since it would count patches that are not there.
TokenEncoder merge_encoder(const Family& family, const TokenEncoder& given) {
  TokenEncoder out = family.info.defaults.encoder;
  if (!family.follows_encoder) {
    if (given.patch > 0 && out.patch > 0 && given.patch != out.patch) {
      throw Error(
          ErrorKind::data,
          fmt::format("the token rule of {} is for patches of {} pixels, and this encoder has {}",
                      family.info.name, out.patch, given.patch),
          "name another \"token_family\" in the file (`trcost tokens --families`), or set "
          "--vision-tokens-per-image");
    }
    return out;
  }
  const auto put = [](std::int64_t& value, std::int64_t wanted) {
    if (wanted > 0) value = wanted;
  };
  put(out.patch, given.patch);
  put(out.image, given.image);
  put(out.longest, given.longest);
  put(out.merge, given.merge);
  if (given.class_tokens) out.class_tokens = given.class_tokens;
  return out;
}

/// The family's defaults with the options of `given`. Refuses options that the rule does not have.
TokenOptions merge_options(const Family& rule, const TokenOptions& given) {
  const TokenFamily& family = rule.info;
  TokenOptions out = family.defaults;
  out.encoder = merge_encoder(rule, given.encoder);
  for (const OptionRow& row : kOptionRows) {
    const auto& value = given.*row.field;
    if (!value) continue;
    if (!(family.defaults.*row.field)) refuse_option(family, row.flag);
    if (*value < 1 || *value > row.most) {
      throw Error(ErrorKind::usage, fmt::format("{} {} is out of range", row.flag, *value),
                  fmt::format("1 to {}", row.most), std::string(row.flag));
    }
    out.*row.field = value;
  }
  if (given.detail) {
    if (!family.defaults.detail) refuse_option(family, kDetailFlag);
    out.detail = given.detail;
  }
  if (given.video_pipeline) {
    if (!family.defaults.video_pipeline) refuse_option(family, kPipelineFlag);
    out.video_pipeline = given.video_pipeline;
  }
  if (given.patch) out.encoder.patch = *given.patch;
  return out;
}

void check_pixel_limits(const TokenOptions& options) {
  if (!options.min_pixels || !options.max_pixels || *options.min_pixels <= *options.max_pixels) {
    return;
  }
  throw Error(ErrorKind::usage,
              fmt::format("the least pixels ({}) exceed the most ({})", *options.min_pixels,
                          *options.max_pixels),
              "set --min-pixels and --max-pixels together, the first not above the second");
}

void check_range(double value, double most, std::string_view flag) {
  if (value > 0 && value <= most) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} must be above 0 and at most {}", flag, format_exact(most)), {},
              std::string(flag));
}

[[noreturn]] void refuse_kind(const Family& family, std::string_view kind, bool TokenFamily::*has) {
  throw Error(
      ErrorKind::usage, fmt::format("the family {} has no rule for {}", family.info.name, kind),
      "families that do: " + family_names([&](const TokenFamily& each) { return each.*has; }),
      "--family");
}

TokenCount with_source(TokenCount count, std::string_view rule, const TokenFamily& family) {
  if (count.rule.empty()) count.rule = rule;
  count.source = family.source;
  return count;
}

}  // namespace

}  // namespace trcost::workload

namespace trcost {

std::span<const TokenFamily> token_families() {
  static const std::vector<TokenFamily> rows = [] {
    std::vector<TokenFamily> out;
    for (const Family& family : families()) out.push_back(family.info);
    return out;
  }();
  return rows;
}

const TokenFamily& token_family(std::string_view name) {
  return find_family(name).info;
}

TokenCount count_image_tokens(std::string_view name, ImageSize size, const TokenOptions& options) {
  const Family& family = find_family(name);
  if (!family.image) {
    refuse_kind(family, "images", &TokenFamily::image);
  }
  check_image(size);
  const TokenOptions effective = merge_options(family, options);
  check_pixel_limits(effective);
  return with_source(family.image(size, effective), family.info.rule, family.info);
}

TokenCount count_video_tokens(std::string_view name, ImageSize size, double seconds, double fps,
                              const TokenOptions& options) {
  const Family& family = find_family(name);
  if (!family.video) {
    refuse_kind(family, "video", &TokenFamily::video);
  }
  check_image(size);
  check_range(seconds, kMostSeconds, "--seconds");
  check_range(fps, kMostFps, "--fps");
  TokenOptions given = options;
  const TokenOptions effective = merge_options(family, options);
  given.encoder = effective.encoder;
  given.video_pipeline = effective.video_pipeline;
  check_pixel_limits(options);
  return with_source(family.video({size, seconds, fps}, given), family.info.video_rule,
                     family.info);
}

TokenCount count_audio_tokens(std::string_view name, double seconds, const TokenOptions& options) {
  const Family& family = find_family(name);
  if (!family.audio) {
    refuse_kind(family, "audio", &TokenFamily::audio);
  }
  check_range(seconds, kMostSeconds, "--seconds");
  merge_options(family, options);
  const TokenFamily& info = family.info;
  return with_source(family.audio(seconds), info.audio_rule.empty() ? info.rule : info.audio_rule,
                     info);
}

TokenEncoder token_encoder(const VisionModel& vision) {
  const auto whole = [](double value) { return static_cast<std::int64_t>(std::llround(value)); };
  const Encoder& e = vision.encoder;
  return {.patch = whole(e.patch),
          .image = whole(e.image),
          .longest = whole(e.longest),
          .merge = whole(std::sqrt(vision.connector.merge)),
          .class_tokens = e.class_token ? 1 : 0};
}

// N* = G (C/6)^(beta/(alpha+beta)), D* = C / (6 N*), G = (alpha A / (beta B))^(1/(alpha+beta)).
// Source: Hoffmann et al., arXiv 2203.15556, equation 4.
ComputeOptimal compute_optimal(double flop, const ScalingLaw& law) {
  const double sum = law.alpha + law.beta;
  const double g = portable_pow(law.alpha * law.A / (law.beta * law.B), 1 / sum);
  ComputeOptimal best;
  best.params = g * portable_pow(flop / 6, law.beta / sum);
  best.tokens = flop / (6 * best.params);
  return best;
}

// That relation solved for tokens: C/6 = (N/G)^((alpha+beta)/beta), D = C / (6 N).
double optimal_tokens(double params, const ScalingLaw& law) {
  const double sum = law.alpha + law.beta;
  const double g = portable_pow(law.alpha * law.A / (law.beta * law.B), 1 / sum);
  return portable_pow(params / g, sum / law.beta) / params;
}

}  // namespace trcost

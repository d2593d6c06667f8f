// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "quantity/suggest.h"
#include "trcost/error.h"
#include "workload/tokens/rules.h"

namespace trcost::workload {

namespace {

using tokens::Family;

constexpr std::int64_t most_tiles = 64;
constexpr std::int64_t largest_patch = 1024;
constexpr double most_seconds = 1e6;
constexpr double most_fps = 1000;

// The order of the contract; the audio families come last.
const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> out;
    for (const auto group :
         {tokens::vit_families(), tokens::llava_families(), tokens::qwen_vl_families(),
          tokens::native_families(), tokens::internvl_families(), tokens::idefics_families(),
          tokens::mllama_families(), tokens::gemma_families(), tokens::gpt4v_families(),
          tokens::audio_families()}) {
      out.insert(out.end(), group.begin(), group.end());
    }
    return out;
  }();
  return all;
}

// Names of the families that `has` accepts, joined with commas.
template <typename Has>
std::string names_of(Has has) {
  std::string out;
  for (const Family& family : families()) {
    if (!has(family.info)) continue;
    if (!out.empty()) out += ", ";
    out += family.info.name;
  }
  return out;
}

const Family& find(std::string_view name) {
  const auto& all = families();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Family& f) { return f.info.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> known;
  for (const Family& family : all) known.emplace_back(family.info.name);
  throw Error(ErrorKind::usage,
              "unknown token family \"" + std::string(name) +
                  "\"; known: " + names_of([](const TokenFamily&) { return true; }),
              did_you_mean(name, known), "--family");
}

void check_image(ImageSize size) {
  const bool empty = size.width < 1 || size.height < 1;
  if (!empty && size.width <= max_image_pixels && size.height <= max_image_pixels &&
      size.width * size.height <= max_image_pixels) {
    return;
  }
  throw Error(ErrorKind::usage,
              "image " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                  (empty ? " has no pixels" : " has too many pixels"),
              "each side is at least 1 and the area at most " + std::to_string(max_image_pixels) +
                  " pixels, where Pillow refuses a file");
}

/// One row per option: its flag, its field, its greatest value (the least is 1).
struct OptionRow {
  std::string_view flag;
  std::optional<std::int64_t> TokenOptions::*field;
  std::int64_t most;
};
constexpr std::array<OptionRow, 4> option_rows = {{
    {"--min-pixels", &TokenOptions::min_pixels, max_image_pixels},
    {"--max-pixels", &TokenOptions::max_pixels, max_image_pixels},
    {"--max-tiles", &TokenOptions::max_tiles, most_tiles},
    {"--patch", &TokenOptions::patch, largest_patch},
}};
constexpr std::string_view detail_flag = "--detail";

std::string options_of(const TokenFamily& family) {
  std::string out;
  const auto add = [&](std::string_view flag) {
    if (!out.empty()) out += ", ";
    out += flag;
  };
  for (const OptionRow& row : option_rows) {
    if (family.defaults.*row.field) add(row.flag);
  }
  if (family.defaults.detail) add(detail_flag);
  return out.empty() ? "this rule has no options" : "its options: " + out;
}

[[noreturn]] void refuse_option(const TokenFamily& family, std::string_view flag) {
  throw Error(ErrorKind::usage,
              "the rule of " + std::string(family.name) + " has no " + std::string(flag),
              options_of(family), std::string(flag));
}

/// The encoder asked about over the released one. A rule that follows no other encoder refuses one
/// with other patches, since its count would be of patches that are not there.
TokenEncoder merged_encoder(const Family& family, const TokenEncoder& given) {
  TokenEncoder out = family.info.defaults.encoder;
  if (!family.follows_encoder) {
    if (given.patch > 0 && out.patch > 0 && given.patch != out.patch) {
      throw Error(ErrorKind::data,
                  "the token rule of " + std::string(family.info.name) + " is for patches of " +
                      std::to_string(out.patch) + " pixels, and this encoder has " +
                      std::to_string(given.patch),
                  "name another \"token_family\" in the file (`trcost tokens --families`), or give "
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

/// The options given over the family's defaults; refuses those that the rule does not have.
TokenOptions merged(const Family& of, const TokenOptions& given) {
  const TokenFamily& family = of.info;
  TokenOptions out = family.defaults;
  out.encoder = merged_encoder(of, given.encoder);
  for (const OptionRow& row : option_rows) {
    const auto& value = given.*row.field;
    if (!value) continue;
    if (!(family.defaults.*row.field)) refuse_option(family, row.flag);
    if (*value < 1 || *value > row.most) {
      throw Error(ErrorKind::usage,
                  std::string(row.flag) + " " + std::to_string(*value) + " is out of range",
                  "1 to " + std::to_string(row.most), std::string(row.flag));
    }
    out.*row.field = value;
  }
  if (given.detail) {
    if (!family.defaults.detail) refuse_option(family, detail_flag);
    out.detail = given.detail;
  }
  if (given.patch) out.encoder.patch = *given.patch;
  return out;
}

void check_pixel_limits(const TokenOptions& options) {
  if (!options.min_pixels || !options.max_pixels || *options.min_pixels <= *options.max_pixels) {
    return;
  }
  throw Error(ErrorKind::usage,
              "the least pixels (" + std::to_string(*options.min_pixels) + ") exceed the most (" +
                  std::to_string(*options.max_pixels) + ")",
              "give --min-pixels and --max-pixels together, the first not above the second");
}

void check_range(double value, double most, std::string_view flag) {
  if (value > 0 && value <= most) return;
  throw Error(ErrorKind::usage,
              std::string(flag) + " must be above 0 and at most " + format_exact(most), {},
              std::string(flag));
}

[[noreturn]] void refuse_kind(const Family& family, std::string_view kind,
                              const std::string& those_that_do) {
  throw Error(
      ErrorKind::usage,
      "the family " + std::string(family.info.name) + " has no rule for " + std::string(kind),
      "families that do: " + those_that_do, "--family");
}

TokenCount labelled(TokenCount count, std::string_view rule, const TokenFamily& family) {
  count.rule = rule;
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
  return find(name).info;
}

TokenCount count_image_tokens(std::string_view name, ImageSize size, const TokenOptions& options) {
  const Family& family = find(name);
  if (!family.image) {
    refuse_kind(family, "images", names_of([](const TokenFamily& f) { return f.image; }));
  }
  check_image(size);
  const TokenOptions effective = merged(family, options);
  check_pixel_limits(effective);
  return labelled(family.image(size, effective), family.info.rule, family.info);
}

TokenCount count_video_tokens(std::string_view name, ImageSize size, double seconds, double fps,
                              const TokenOptions& options) {
  const Family& family = find(name);
  if (!family.video) {
    refuse_kind(family, "video", names_of([](const TokenFamily& f) { return f.video; }));
  }
  check_image(size);
  check_range(seconds, most_seconds, "--seconds");
  check_range(fps, most_fps, "--fps");
  TokenOptions given = options;
  given.encoder = merged(family, options).encoder;
  check_pixel_limits(options);
  return labelled(family.video({size, seconds, fps}, given), family.info.video_rule, family.info);
}

TokenCount count_audio_tokens(std::string_view name, double seconds, const TokenOptions& options) {
  const Family& family = find(name);
  if (!family.audio) {
    refuse_kind(family, "audio", names_of([](const TokenFamily& f) { return f.audio; }));
  }
  check_range(seconds, most_seconds, "--seconds");
  merged(family, options);
  return labelled(family.audio(seconds), family.info.rule, family.info);
}

}  // namespace trcost

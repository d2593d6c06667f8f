// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/models/model.h"
#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/documents.h"
#include "report/format/row_stream.h"
#include "study/tokens/token_report.h"
#include "trcost/error.h"
#include "trcost/numbers.h"

namespace trcost::cli {
namespace {

// Typed options before parsing.
struct TokensOptions {
  std::string family, model;
  std::vector<std::string> images, videos, image_sets;
  std::string seconds, fps;
  std::string min_pixels, max_pixels, max_tiles, patch, detail, video_pipeline;
  bool audio = false;
  bool families = false;
  bool summary = false;
  OutputOptions output;
};

std::vector<ImageSize> sizes(const std::string& flag, const std::vector<std::string>& texts) {
  std::vector<ImageSize> out;
  for (const std::string& text : texts) {
    out.push_back(with_flag(flag, [&] { return parse_pixel_size(text); }));
  }
  return out;
}

std::optional<double> tokens_number(const std::string& flag, const std::string& text,
                                    NumberKind kind) {
  if (text.empty()) return std::nullopt;
  return flag_number(text, kind, flag);
}

std::optional<std::int64_t> whole(const std::string& flag, const std::string& text) {
  constexpr double largest = 1e15;
  const auto value = tokens_number(flag, text, NumberKind::integer);
  if (!value) return std::nullopt;
  if (*value > largest) {
    throw Error(ErrorKind::usage, fmt::format("{} is too large", text), {}, flag);
  }
  return static_cast<std::int64_t>(*value);
}

std::optional<ImageDetail> detail(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "low") return ImageDetail::low;
  if (text == "high") return ImageDetail::high;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" is not a level of detail", text), "low or high",
              "--detail");
}

std::optional<VideoPipeline> video_pipeline(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "processor") return VideoPipeline::processor;
  if (text == "vl-utils") return VideoPipeline::vl_utils;
  throw Error(ErrorKind::usage, fmt::format("\"{}\" reads no videos", text),
              "processor or vl-utils", "--video-pipeline");
}

// The rule of a model, for its own encoder.
void count_for_model(const std::string& name, Session& session, TokenRequest& request) {
  const Model& model = session.catalog().model(name);
  if (!model.token_family.empty()) {
    request.family = model.token_family;
    if (model.vision) request.options.encoder = token_encoder(*model.vision);
    return;
  }
  throw Error(ErrorKind::usage,
              model.vision ? fmt::format("no token rule is known for {}", model.name)
                           : fmt::format("{} takes text only", model.name),
              "use a rule with --family: `trcost tokens --families` lists them", "--model");
}

TokenRequest token_request_of(const TokensOptions& typed, Session& session) {
  if (!typed.family.empty() && !typed.model.empty()) {
    throw Error(ErrorKind::usage, "--family and --model exclude each other", "keep one of them");
  }
  TokenRequest request;
  request.family = typed.family;
  if (!typed.model.empty()) count_for_model(typed.model, session, request);
  request.images = sizes("--image", typed.images);
  request.videos = sizes("--video", typed.videos);
  request.audio = typed.audio;
  request.seconds = tokens_number("--seconds", typed.seconds, NumberKind::duration);
  request.fps = tokens_number("--fps", typed.fps, NumberKind::number);
  request.image_sets = typed.image_sets;
  request.options.min_pixels = whole("--min-pixels", typed.min_pixels);
  request.options.max_pixels = whole("--max-pixels", typed.max_pixels);
  request.options.max_tiles = whole("--max-tiles", typed.max_tiles);
  request.options.patch = whole("--patch", typed.patch);
  request.options.detail = detail(typed.detail);
  request.options.video_pipeline = video_pipeline(typed.video_pipeline);
  return request;
}

// Bad image files and rows are named one by one, and all of them in the JSON document; the good
// ones have been counted and shown by then.
int report_skipped(const TokenReport& report, Session& session) {
  constexpr std::size_t kMostNamed = 100;
  const std::size_t count = report.skipped.size();
  for (std::size_t i = 0; i < std::min(count, kMostNamed); ++i) {
    session.warn(fmt::format("{}: {}", report.skipped[i].input, report.skipped[i].reason));
  }
  if (count > kMostNamed) {
    session.warn(fmt::format("and {} more, which --format json names", count - kMostNamed));
  }
  if (report.other_files > 0) {
    session.trace(fmt::format("{} files are no images by their names", report.other_files));
  }
  if (count == 0 || report.comparison) return kExitOk;
  session.error(fmt::format("{} of {} image files or rows could not be counted", count,
                            count + static_cast<std::size_t>(report.counted)),
                "the totals are of the others. Mend or remove the inputs named above");
  return kExitFailure;
}

// Whether the items are written while they come. A page has the total and the spread alone, as a
// document with --summary does.
bool has_items(Format format, const TokensOptions& typed) {
  const Form form = format_info(format).form;
  return form != Form::page && !(form == Form::document && typed.summary);
}

int run_tokens(const TokensOptions& typed, Session& session) {
  const Format format = typed.output.choose();
  Output output(typed.output.path);
  const auto write = [&](Document document) {
    document.command = session.command;
    output.write(render(document, format, style_of(typed.output, format, session)));
    output.commit();
  };
  if (typed.families) {
    write(token_families_document());
    return kExitOk;
  }
  TokenRequest request = token_request_of(typed, session);
  const bool items = has_items(format, typed);
  request.keep_set_items = items;
  if (!items || !can_stream(format)) {
    TokenReport report = count_tokens(request);
    if (!items && format_info(format).form == Form::document) report.items.clear();
    write(tokens_document(report));
    return report_skipped(report, session);
  }
  RowStream stream = token_stream(format, [&](std::string_view text) { output.write(text); });
  request.on_item = [&](const TokenItem& item) { stream.add(token_record(item)); };
  const TokenReport report = count_tokens(request);
  stream.finish(token_record(report));
  output.commit();
  return report_skipped(report, session);
}

void add_inputs(Flags& flags, TokensOptions& typed) {
  flags.group("Input");
  flags.add("--family", typed.family, "NAME", "token rule. Without one, all families are compared");
  flags.add("--model", typed.model, "NAME|FILE",
            "a catalog model or config.json, whose family is known");
  flags.add("--image", typed.images, "WxH", "an image in pixels. Several give a row each");
  flags.add("--video", typed.videos, "WxH", "frames of a video in pixels, with --seconds");
  flags.add("--audio", typed.audio, "an audio clip, with --seconds");
  flags.add("--seconds", typed.seconds, "T", "length of the video or audio clip");
  flags.add("--fps", typed.fps, "N",
            "frames taken per second of video (default: as the release, mostly 2)");
  flags.add("--images", typed.image_sets, "FILE|DIR",
            "a CSV file with columns width,height[,count], an image file, or a folder of them");
}

void add_rule_options(Flags& flags, TokensOptions& typed) {
  flags.group("Options of some rules");
  const auto add = [&](const char* flag, std::string& text, const char* help, const char* type) {
    flags.add(flag, text, type, help);
  };
  add("--min-pixels", typed.min_pixels, "least pixels after resizing (Qwen)", "N");
  add("--max-pixels", typed.max_pixels, "most pixels after resizing (Qwen, PaliGemma)", "N");
  add("--max-tiles", typed.max_tiles,
      "most tiles, without the overview (InternVL 12, Mllama 4, Idefics2 4, Gemma 3 1, ...)", "N");
  add("--patch", typed.patch, "pixels of a patch (generic ViT; 16 for SmolVLM 256M and 500M)", "N");
  add("--detail", typed.detail, "level of detail (GPT-4V)", "low|high");
  add("--video-pipeline", typed.video_pipeline,
      "software that reads a video (Qwen): the released processor (default of Qwen3-VL) or "
      "qwen-vl-utils (default of Qwen2-VL and Qwen2.5-VL)",
      "processor|vl-utils");
}

}  // namespace

Action define_tokens(Flags& flags, Session& session) {
  auto typed = std::make_shared<TokensOptions>();
  add_inputs(flags, *typed);
  add_rule_options(flags, *typed);
  flags.group("Output");
  flags.add("--families", typed->families, "list the families with their rules and sources");
  flags.add("--summary", typed->summary, "leave the single inputs out of the JSON document");
  add_output_options(flags, typed->output);
  return [typed, &session] { return run_tokens(*typed, session); };
}

}  // namespace trcost::cli

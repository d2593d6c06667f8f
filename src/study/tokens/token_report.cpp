// SPDX-License-Identifier: Apache-2.0
#include "study/tokens/token_report.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "text/unicode.h"
#include "trcost/error.h"
#include "workload/images/image_files.h"
#include "workload/images/image_sizes.h"

namespace trcost::study {

namespace {

std::string dimensions_text(ImageSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

double clip_seconds(const TokenRequest& request) {
  if (request.seconds) return *request.seconds;
  throw Error(ErrorKind::usage, "video and audio need their length", "for example --seconds 30",
              "--seconds");
}

void check(const TokenRequest& request) {
  if (request.images.empty() && request.videos.empty() && !request.audio &&
      request.image_sets.empty()) {
    throw Error(ErrorKind::usage, "nothing to count",
                "set --image 1920x1080, --video 1280x720 --seconds 60, --audio --seconds 30, or "
                "--images with a CSV file of sizes or a folder");
  }
  if (request.seconds && request.videos.empty() && !request.audio) {
    throw Error(ErrorKind::usage, "--seconds is for video and audio", "add --video WxH or --audio",
                "--seconds");
  }
  if (request.fps && request.videos.empty()) {
    throw Error(ErrorKind::usage, "--fps is for video", "add --video WxH", "--fps");
  }
  if (!request.family.empty()) {
    token_family(request.family);
    return;
  }
  if (!request.image_sets.empty()) {
    throw Error(ErrorKind::usage, "a set of images is counted for one family",
                "add --family NAME or --model NAME", "--images");
  }
  const TokenOptions& options = request.options;
  if (options.min_pixels || options.max_pixels || options.max_tiles || options.patch ||
      options.detail || options.video_pipeline) {
    throw Error(ErrorKind::usage, "options belong to one family's rule",
                "add --family NAME or --model NAME");
  }
}

/// Collects items for the family of the request, or for all with a rule for the kind of input.
class Collector {
 public:
  explicit Collector(const TokenRequest& request) : request_(request) {
    report_.comparison = request.family.empty();
    report_.sets = !request.image_sets.empty();
  }

  /// `takes` says whether a family has a rule for this input, `count` counts it.
  template <typename Takes, typename Count>
  void add(const std::string& input, Takes takes, Count count) {
    if (!report_.comparison) {
      keep(input, request_.family, 1, count(std::string_view(request_.family)));
      return;
    }
    for (const TokenFamily& family : token_families()) {
      if (!takes(family)) continue;
      try {
        keep(input, std::string(family.name), 1, count(family.name));
      } catch (const Error& error) {
        report_.skipped.push_back({std::string(family.name) + " " + input, error.message});
      }
    }
  }

  void add_set(const std::string& path) {
    count_image_tokens(request_.family, {1024, 1024},
                       request_.options);  // a bad option throws here
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed)) {
      add_folder(path);
    } else if (is_image_name(path)) {
      add_set_item(path, 1, [&] { return read_image_size(path); });
    } else {
      add_table(path);
    }
  }

  TokenReport finish() && {
    if (report_.counted == 0 && report_.skipped.empty()) {
      throw Error(ErrorKind::no_answer, "no family takes this input", "name one with --family");
    }
    if (report_.counted == 0) {
      throw Error(ErrorKind::data,
                  "none of the " + std::to_string(report_.skipped.size()) +
                      " inputs could be counted. The first " + report_.skipped.front().reason,
                  {}, report_.skipped.front().input);
    }
    report_.totals = tally_.totals();
    return std::move(report_);
  }

 private:
  void keep(const std::string& input, const std::string& family, std::int64_t count,
            const TokenCount& tokens) {
    if (!report_.comparison) tally_.add(tokens, count);
    ++report_.counted;
    TokenItem item{input, family, count, tokens};
    if (request_.on_item) {
      request_.on_item(item);
    } else {
      report_.items.push_back(std::move(item));
    }
  }

  void add_folder(const std::string& folder) {
    const FolderListing listing = list_image_folder(folder);
    report_.other_files += listing.others;
    if (listing.images.empty() && listing.unread.empty()) {
      throw Error(ErrorKind::data, "the folder holds no image files",
                  "JPEG, PNG, GIF, BMP and WebP files are read, also in subfolders", folder);
    }
    for (const auto& [path, why] : listing.unread) {
      report_.skipped.push_back({printable(path), "the folder cannot be read: " + why});
    }
    for (const std::string& path : listing.images) {
      add_set_item(printable(path), 1, [&] { return read_image_size(path); });
    }
  }

  void add_table(const std::string& path) {
    const auto place = [&](std::int64_t line) { return path + ":" + std::to_string(line); };
    const auto good = [&](const SizesRow& row) {
      add_set_item(place(row.line), row.count, [&] { return row.size; });
    };
    read_image_sizes(path, good, [&](const BadRow& row) {
      report_.skipped.push_back({place(row.line), row.reason});
    });
  }

  /// Counts an item of a set. Unreadable and refused ones are skipped with their reason.
  template <typename Size>
  void add_set_item(const std::string& input, std::int64_t count, Size size) {
    try {
      const TokenCount tokens = count_image_tokens(request_.family, size(), request_.options);
      if (request_.keep_set_items || !set_item_kept_) {
        keep(input, request_.family, count, tokens);
      } else {
        tally_.add(tokens, count);
        ++report_.counted;
      }
      set_item_kept_ = true;
    } catch (const Error& error) {
      report_.skipped.push_back({input, error.message});
    }
  }

  const TokenRequest& request_;
  TokenReport report_;
  TokenTally tally_;
  bool set_item_kept_ = false;
};

}  // namespace

TokenReport count_tokens(const TokenRequest& request) {
  check(request);
  Collector collector(request);
  const TokenOptions& options = request.options;
  for (const ImageSize size : request.images) {
    collector.add(
        dimensions_text(size), [](const TokenFamily& family) { return family.image; },
        [&](std::string_view family) { return count_image_tokens(family, size, options); });
  }
  for (const ImageSize size : request.videos) {
    const double seconds = clip_seconds(request);
    const auto fps = [&](std::string_view family) {
      return request.fps.value_or(token_family(family).fps);
    };
    const double shown =
        request.fps.value_or(request.family.empty() ? TokenFamily{}.fps : fps(request.family));
    collector.add(
        dimensions_text(size) + " " + format_exact(seconds) + " s " + format_exact(shown) + " fps",
        [](const TokenFamily& family) { return family.video; },
        [&](std::string_view family) {
          return count_video_tokens(family, size, seconds, fps(family), options);
        });
  }
  if (request.audio) {
    const double seconds = clip_seconds(request);
    collector.add(
        format_exact(seconds) + " s", [](const TokenFamily& family) { return family.audio; },
        [&](std::string_view family) { return count_audio_tokens(family, seconds, options); });
  }
  for (const std::string& path : request.image_sets) collector.add_set(path);
  return std::move(collector).finish();
}

}  // namespace trcost::study

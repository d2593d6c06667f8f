// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "quantity/layers.h"
#include "text/column.h"
#include "trcost/tokens.h"
#include "workload/tokens/token_totals.h"

/// The answer of `trcost tokens`: many inputs, one family or all of them side by side.
namespace trcost::study {

struct TokenItem {
  std::string input;  ///< `1920x1080`, `1280x720 60 s 2 fps`, a path, `sizes.csv:7`
  std::string family;
  std::int64_t count = 1;  ///< inputs like this one
  TokenCount tokens;
};

/// Inputs to count. Without a family, every family that has a rule for the input counts it.
struct TokenRequest {
  std::string family = {};
  std::vector<ImageSize> images = {};
  std::vector<ImageSize> videos = {};  ///< frame sizes of clips of `seconds` at `fps`
  bool audio = false;                  ///< one audio clip of `seconds`
  std::optional<double> seconds = {};
  std::optional<double> fps = {};            ///< frames taken per second, 2 by default
  std::vector<std::string> image_sets = {};  ///< CSV files of sizes, images, folders of them
  TokenOptions options = {};
  bool keep_set_items = true;  ///< else only the first of the image sets' items is kept
  /// Receives every item as it is counted instead of TokenReport::items, which bounds memory for
  /// sets of millions.
  std::function<void(const TokenItem&)> on_item = {};
};

struct SkippedInput {
  std::string input;
  std::string reason;
};

struct TokenReport {
  bool comparison = false;  ///< items are families side by side, so that a total has no meaning
  bool sets = false;        ///< items come from image sets, of which totals and spread are shown
  std::vector<TokenItem> items;
  std::int64_t counted = 0;           ///< items counted, kept or not
  std::vector<SkippedInput> skipped;  ///< bad files and rows, or families that refuse the input
  std::size_t other_files = 0;        ///< files in folders whose names are not those of images
  TokenSums totals;                   ///< of the items, each times its count
};

/// Counts every input in the order of the request. Skipped with a reason are files of a folder that
/// are not images, bad rows of a table, images of either that the family's rule refuses, and in a
/// comparison families that refuse the input. Throws Error for no input, missing seconds, an
/// unknown family, a table without its columns, options without a family, and nothing left to
/// count.
TokenReport count_tokens(const TokenRequest& request);

const Columns<TokenItem>& token_item_columns();
const Columns<TokenReport>& token_columns();
inline constexpr Subject<TokenReport> kTokens = {"tokens", token_columns, "items"};

}  // namespace trcost::study

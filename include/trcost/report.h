// SPDX-License-Identifier: Apache-2.0
// Reports of estimates, and the formats that they are written in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trcost/estimate.h"
#include "trcost/scenario.h"
#include "trcost/solve.h"

namespace trcost {

/// Output format, one per row of formats.def.
enum class Format : std::uint8_t {
#define TRCOST_FORMAT(id, ...) id,
#include "trcost/formats.def"
#undef TRCOST_FORMAT
};

/// Part of an answer that a format contains.
enum class Form : std::uint8_t {
  page,      ///< a page for people
  document,  ///< everything, with nested lists
  lines,     ///< a line per row, so that parts can be concatenated
  workbook,  ///< a page and sheets of rows
};

struct FormatTraits {
  bool terminal = false;  ///< adapts to width and colours of the terminal
  bool figures = false;   ///< draws curves, which take time to compute
};

/// One row of formats.def.
struct FormatInfo {
  Format format;
  std::string_view name;        ///< as written after --format
  std::string_view extensions;  ///< file extensions without the dot, separated by |
  Form form;
  std::string_view what;  ///< one line of help
  FormatTraits traits;

  /// Returns the usual extension of its files.
  [[nodiscard]] std::string_view extension() const {
    return extensions.substr(0, extensions.find('|'));
  }
};

std::span<const FormatInfo> formats();
const FormatInfo& format_info(Format format);
/// Returns the names of the formats of one form: `jsonl or csv`.
std::string format_names(Form form);
/// Returns the format of a file name's extension, or nothing if that is unknown.
std::optional<Format> format_from_extension(std::string_view file_name);

/// Look of text for people.
struct Style {
  bool color = false;  ///< escape codes of ECMA-48
  int width = 80;      ///< columns of a line, exceeded only by words and columns that cannot be cut
  bool unicode = true;   ///< block characters and ellipses, else ASCII
  bool details = false;  ///< with the pieces below a heading of details
};

/// Length of an answer in text: a line per platform, a screen, everything.
enum class Detail : std::uint8_t { brief, screen, full };

/// A value from the user's settings rather than the command line or a scenario file.
struct Setting {
  std::string path;   ///< of the field
  std::string value;  ///< as JSON
  std::string from;   ///< file or environment variable
};

/// Content of a report. Renderers compute nothing but words.
struct Report {
  const Scenario* scenario = nullptr;            ///< resolved, replayable with --scenario
  std::span<const Estimate> estimates;           ///< one per platform with an answer
  std::span<const Estimator::Failure> failures;  ///< platforms without an answer
  /// A published model that saw clearly more tokens. Empty if tokens were specified.
  std::optional<TokenExample> example;
  /// GPU-hours that the makers of the model published. Empty if the run is another one.
  std::optional<PublishedHours> published;
  /// The error on new sources, for the cheapest platform.
  std::optional<UnseenError> unseen;
  /// Costs with the tokens of published models. Empty if tokens were specified, and for a screen.
  std::span<const TokenAlternative> alternatives;
  std::string price_data_date;  ///< YYYY-MM-DD of the price book, may be empty
  std::string command;          ///< command line, for documents that are handed on
  /// Other sizes of the clusters. Empty unless requested.
  std::span<const ClusterPoint> clusters;
  std::span<const Setting> settings;  ///< those that affect the answer
  Detail detail = Detail::screen;     ///< of text. Other formats have everything
};

/// Returns versions, scenario and estimates as JSON.
std::string render_json(const Report& report);
/// Returns the formulas with numbers and sources, the assumptions, and the prices as text.
std::string render_explain(const Report& report, const Style& style);
/// Returns a report in any format. Throws Error (usage) for a workbook in a build without
/// libxlsxwriter.
std::string render(const Report& report, Format format, const Style& style = {});

/// Returns a platform without an answer in one line.
std::string failure_line(const Estimator::Failure& failure);
/// Returns estimate_warnings() and a failure_line() per platform without an answer.
std::vector<std::string> warning_lines(const Report& report);
/// Returns all warnings, each once and with its platforms unless all have it, and the missing
/// prices.
std::vector<std::string> estimate_warnings(const Report& report);
/// Returns the reasons why `--strict` rejects an estimate, each with the flag that avoids it.
std::vector<std::string> strict_reasons(const Estimate& estimate);

/// Returns the index of the cheapest estimate that fits in memory among those with the best
/// evidence of their price, by GPU-hours if no total is known. 0 if there are no estimates.
std::size_t cheapest_index(std::span<const Estimate> estimates);

}  // namespace trcost

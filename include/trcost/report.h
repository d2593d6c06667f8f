// SPDX-License-Identifier: Apache-2.0
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

/// The ways to show a result, one per row of formats.def.
enum class Format : std::uint8_t {
#define TRCOST_FORMAT(id, ...) id,
#include "trcost/formats.def"
#undef TRCOST_FORMAT
};

/// What of a subject a format holds.
enum class Form : std::uint8_t {
  page,      ///< what people read of it
  document,  ///< all of it: lists within lists
  lines,     ///< a line for each of its rows, and no more: parts after one another are the whole
  workbook,  ///< a page, and sheets of rows
};

struct FormatTraits {
  bool terminal = false;  ///< as wide and as coloured as the terminal is
  bool figures = false;   ///< draws curves, and so is worth their time
};

/// One row of formats.def.
struct FormatInfo {
  Format format;
  std::string_view name;        ///< as written after --format
  std::string_view extensions;  ///< of files that get this format, without the dot, separated by |
  Form form;
  std::string_view what;  ///< one line of help
  FormatTraits traits;

  /// The usual ending of its files.
  [[nodiscard]] std::string_view extension() const {
    return extensions.substr(0, extensions.find('|'));
  }
};

std::span<const FormatInfo> formats();
const FormatInfo& format_info(Format format);
/// The names of one form, for help and messages: `jsonl or csv`.
std::string format_names(Form form);
/// The format of a file name's extension, or nothing where it has none that is known.
std::optional<Format> format_from_extension(std::string_view file_name);

/// How text for people may look; decided by the command line.
struct Style {
  bool color = false;   ///< escape codes of ECMA-48
  int width = 100;      ///< columns; no line is longer where that can be helped
  bool unicode = true;  ///< block characters and ellipses, else ASCII
};

/// How much of an answer text shows: a line per platform, a screen, all.
enum class Detail : std::uint8_t { brief, screen, full };

/// A value that neither the command line nor a scenario file gave, but a user's own settings.
struct Setting {
  std::string path;   ///< of the field
  std::string value;  ///< as JSON
  std::string from;   ///< a file, or a variable of the environment
};

/// Everything that a renderer shows; the renderer computes nothing but words.
struct Report {
  const Scenario* scenario = nullptr;            ///< as resolved: replayable with --scenario
  std::span<const Estimate> estimates;           ///< one per platform that has an answer
  std::span<const Estimator::Failure> failures;  ///< platforms without one
  /// The same with the tokens of published models; empty where tokens were given.
  std::span<const TokenAlternative> alternatives;
  std::string price_data_date;  ///< YYYY-MM-DD of the price book, may be empty
  std::string command;          ///< as it was typed, for files that are handed on
  /// Other sizes of the clusters; empty where nobody asked.
  std::span<const ClusterPoint> clusters;
  std::span<const Setting> settings;  ///< that moved the answer
  Detail detail = Detail::screen;     ///< of text; documents that are handed on have everything
};

/// The document of the contract: versions, scenario, estimates.
std::string render_json(const Report& report);
/// Formula by formula with numbers and sources, then assumptions, then prices.
std::string render_explain(const Report& report, const Style& style);
/// Any format. Error (usage) for a workbook where the build lacks libxlsxwriter.
std::string render(const Report& report, Format format, const Style& style = {});

/// A platform without an answer, in one line.
std::string failure_line(const Estimator::Failure& failure);
/// All warnings, each once, with the platform named where not all have it; totals without a price;
/// and the platforms without an answer. For stderr, and for documents that are handed on.
std::vector<std::string> warning_lines(const Report& report);
/// The same without the platforms that have no answer.
std::vector<std::string> estimate_warnings(const Report& report);
/// What `--strict` does not let pass in an estimate, each with the flag that avoids it.
std::vector<std::string> strict_reasons(const Estimate& estimate);

/// The index of the estimate to look at first: of those that fit in memory the one with the lowest
/// known total, or the fewest GPU-hours where no total is known. 0 where there is none.
std::size_t cheapest_index(std::span<const Estimate> estimates);

}  // namespace trcost

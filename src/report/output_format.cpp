// SPDX-License-Identifier: Apache-2.0
#include "trcost/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "quantity/suggest.h"
#include "trcost/error.h"

namespace trcost {

const std::vector<FormatInfo>& formats() {
  static const std::vector<FormatInfo> table = {
      {Format::table, "table", "txt", "text for people, at most 100 columns wide", false},
      {Format::json, "json", "json", "one versioned document, numbers in base units", false},
      {Format::jsonl, "jsonl", "jsonl", "one flat JSON object per row and line", false},
      {Format::csv, "csv", "csv", "one row per estimate (RFC 4180)", false},
      {Format::md, "md", "md", "Markdown tables", false},
      {Format::html, "html", "html", "one self-contained page to read or print", false},
      {Format::xlsx, "xlsx", "xlsx", "a workbook for spreadsheets", true},
  };
  return table;
}

const FormatInfo& format_info(Format format) {
  return formats()[static_cast<std::size_t>(format)];
}

std::string format_names() {
  std::string names;
  for (const FormatInfo& info : formats()) {
    names += (names.empty() ? "" : ", ") + std::string(info.name);
  }
  return names;
}

Format format_from_name(std::string_view name) {
  std::vector<std::string> known;
  for (const FormatInfo& info : formats()) {
    if (info.name == name) return info.format;
    known.emplace_back(info.name);
  }
  throw Error(
      ErrorKind::usage,
      fmt::format("\"{}\" is not a format; formats are {}", name.substr(0, 60), format_names()),
      did_you_mean(name, known), "--format");
}

std::optional<Format> format_from_extension(std::string_view file_name) {
  const std::size_t slash = file_name.find_last_of('/');
  if (slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
  const std::size_t dot = file_name.find_last_of('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string extension = lower_case(file_name.substr(dot + 1));
  for (const FormatInfo& info : formats()) {
    if (info.extension == extension) return info.format;
  }
  if (extension == "htm") return Format::html;
  if (extension == "ndjson") return Format::jsonl;
  if (extension == "markdown") return Format::md;
  return std::nullopt;
}

}  // namespace trcost

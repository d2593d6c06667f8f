// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trcost {

/// The ways to show a result.
enum class Format : std::uint8_t { table, json, jsonl, csv, md, html, xlsx };

/// One row of the list that help, errors, completions and the choice by file extension are read
/// from.
struct FormatInfo {
  Format format;
  std::string_view name;       ///< as written after --format
  std::string_view extension;  ///< of a file that gets this format, without the dot
  std::string_view what;       ///< one line of help
  bool binary;                 ///< not for a terminal
};

const std::vector<FormatInfo>& formats();
const FormatInfo& format_info(Format format);
/// `table, json, jsonl, ...`, for help and messages.
std::string format_names();
/// The format of this name; throws Error (usage) with a did-you-mean for an unknown one.
Format format_from_name(std::string_view name);
/// The format of a file name's extension, or nothing where it has none that is known.
std::optional<Format> format_from_extension(std::string_view file_name);

/// How text for people may look; decided by the command line.
struct Style {
  bool color = false;   ///< escape codes of ECMA-48
  int width = 100;      ///< columns; no line is longer where that can be helped
  bool unicode = true;  ///< block characters and ellipses, else ASCII
};

}  // namespace trcost

// SPDX-License-Identifier: Apache-2.0
#include "report/format/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "quantity/suggest.h"
#include "trcost/report.h"

namespace trcost::report {
namespace {

constexpr FormatInfo kFormats[] = {
#define TRCOST_FORMAT(id, extensions, form, what, ...) \
  {Format::id, #id, extensions, Form::form, what, FormatTraits{__VA_ARGS__}},
#include "trcost/formats.def"
#undef TRCOST_FORMAT
};

constexpr const FormatWriter* kWriters[] = {
#define TRCOST_FORMAT(id, ...) &id##_format,
#include "trcost/formats.def"
#undef TRCOST_FORMAT
};

// Tells whether `word` is in a list separated by |.
bool is_among(std::string_view word, std::string_view list) {
  while (true) {
    const std::size_t bar = list.find('|');
    if (list.substr(0, bar) == word) return true;
    if (bar == std::string_view::npos) return false;
    list.remove_prefix(bar + 1);
  }
}

}  // namespace

const FormatWriter& format_writer(Format format) {
  return *kWriters[static_cast<std::size_t>(format)];
}

std::string render(const Document& document, Format format, const Style& style) {
  return format_writer(format).document(document, style);
}

}  // namespace trcost::report

namespace trcost {

std::span<const FormatInfo> formats() {
  return kFormats;
}

const FormatInfo& format_info(Format format) {
  return kFormats[static_cast<std::size_t>(format)];
}

std::string format_names(Form form) {
  std::vector<std::string_view> names;
  for (const FormatInfo& info : kFormats) {
    if (info.form == form) names.push_back(info.name);
  }
  if (names.size() == 1) return std::string(names.front());
  const std::string_view last = names.back();
  names.pop_back();
  return fmt::format("{} or {}", fmt::join(names, ", "), last);
}

std::optional<Format> format_from_extension(std::string_view file_name) {
  const std::size_t slash = file_name.find_last_of('/');
  if (slash != std::string_view::npos) file_name.remove_prefix(slash + 1);
  const std::size_t dot = file_name.find_last_of('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string extension = lower_case(file_name.substr(dot + 1));
  for (const FormatInfo& info : kFormats) {
    if (is_among(extension, info.extensions)) return info.format;
  }
  return std::nullopt;
}

}  // namespace trcost

// SPDX-License-Identifier: Apache-2.0
#include "report/page/text_page.h"

#include <algorithm>
#include <cmath>

#include "text/unicode.h"

namespace trcost::report {
namespace {

constexpr std::string_view kEighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                         "\u258c", "\u258b", "\u258a", "\u2589"};

}  // namespace

std::string text_bar(double share, int width, bool unicode) {
  const double clamped = std::clamp(share, 0.0, 1.0) * width;
  std::string out;
  if (!unicode) {
    out.append(static_cast<std::size_t>(std::lround(clamped)), '#');
    return out;
  }
  constexpr int kParts = 8;
  const auto eighths = static_cast<int>(std::lround(clamped * kParts));
  for (int i = 0; i < eighths / kParts; ++i) out += "\u2588";
  out += kEighths[eighths % kParts];
  return out;
}

std::string range_bar(double p10, double p50, double p90, double most, int width, bool unicode) {
  const auto column = [&](double value) {
    if (!(most > 0)) return 0;
    return std::clamp(static_cast<int>(std::lround(value / most * (width - 1))), 0, width - 1);
  };
  const int low = column(p10);
  const int middle = column(p50);
  const int high = column(p90);
  std::string out;
  for (int i = 0; i <= high; ++i) {
    if (i < low) {
      out += ' ';
    } else if (i == middle) {
      out += unicode ? "\u25cf" : "o";
    } else if (i == low) {
      out += unicode ? "\u251c" : "|";
    } else if (i == high) {
      out += unicode ? "\u2524" : "|";
    } else {
      out += unicode ? "\u2500" : "-";
    }
  }
  return out;
}

void TextPage::heading(std::string_view title, std::string_view note) {
  if (!out_.empty()) out_ += '\n';
  out_ += paint(title, Ink::heading, style_);
  if (!note.empty()) {
    const int room = style_.width - display_width(title) - kIndent;
    out_ += "  " + paint(cut_to_width(note, room, style_.unicode), Ink::dim, style_);
  }
  out_ += '\n';
}

void TextPage::line(std::string_view text, Ink ink) {
  out_.append(kIndent, ' ');
  out_ += paint(text, ink, style_);
  out_ += '\n';
}

void TextPage::paragraph(std::string_view text, int hang, Ink ink) {
  const std::string clean = printable_line(text);
  // The first line has no hanging indent and may be longer.
  const std::vector<std::string> first = wrap_to_width(clean, inner_width());
  line(first.front(), ink);
  if (first.size() == 1) return;
  std::string_view rest = std::string_view(clean).substr(first.front().size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  for (const std::string& part : wrap_to_width(rest, inner_width() - hang)) {
    line(std::string(static_cast<std::size_t>(hang), ' ') + part, ink);
  }
}

void TextPage::facts(std::span<const Fact> facts) {
  int widest = 0;
  for (const Fact& fact : facts) widest = std::max(widest, display_width(fact.label));
  const int room = std::max(inner_width() - widest - kIndent, 20);
  for (const Fact& fact : facts) {
    bool first = true;
    for (const std::string& part : wrap_to_width(printable_line(fact.text), room)) {
      const std::string label = first ? paint(fact.label, Ink::bold, style_) : std::string();
      line(pad_right(label, widest + kIndent) + part);
      first = false;
    }
  }
}

void TextPage::table(const Table& table) {
  Style inner = style_;
  inner.width = inner_width();
  const std::string text = text_table(table, inner);
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end > 0) out_.append(kIndent, ' ');
    out_ += rest.substr(0, end);
    out_ += '\n';
    rest.remove_prefix(end + 1);
  }
}

void TextPage::bar(std::string_view label, int label_width, double share, std::string_view value,
                   int value_width) {
  constexpr int kWidestBar = 50;
  const int room = std::min(inner_width() - label_width - value_width - 2 * kIndent, kWidestBar);
  const std::string drawn = text_bar(share, std::max(room, 1), style_.unicode);
  std::string text = pad_right(cut_to_width(label, label_width, style_.unicode), label_width);
  text += "  " + pad_left(value, value_width) + "  " + paint(drawn, Ink::accent, style_);
  while (text.ends_with(' ')) text.pop_back();
  line(text);
}

}  // namespace trcost::report

// SPDX-License-Identifier: Apache-2.0
#include "report/format/what_if.h"

#include <fmt/core.h>

#include <algorithm>

#include "json/json_writer.h"
#include "quantity/currency.h"
#include "trcost/numbers.h"

namespace trcost::report {
namespace {

class CellWriter {
 public:
  CellWriter(const Calculation& calculation, std::string& out)
      : calculation_(calculation), out_(out) {}

  void operator()(std::monostate) const { out_ += "null"; }
  void operator()(const Calculation::Given& given) const {
    out_ += given.value ? format_exact(*given.value) : "null";
  }
  void operator()(const Calculation::Product& product) const {
    out_ += "[\"*\"," + format_exact(product.scale);
    for (const auto& factor : product.factors) name(factor.at, factor.divides);
    out_ += ']';
  }
  void operator()(const Calculation::Sum& sum) const {
    out_ += "[\"+\"";
    for (const Calculation::Place& part : sum.parts) name(part, false);
    for (const Calculation::Place& part : sum.less) name(part, true);
    out_ += ']';
  }
  // A page computes products and sums alone.
  void operator()(const Calculation::Formula&) const { out_ += "null"; }

 private:
  void name(const Calculation::Place& at, bool negative) const {
    out_ += fmt::format(",{}{}", negative ? "-" : "",
                        at.line * calculation_.columns.size() + at.column + 1);
  }

  const Calculation& calculation_;
  std::string& out_;
};

}  // namespace

std::string what_if_data(const Calculation& calculation, std::size_t first) {
  std::string json = fmt::format("{{\"first\":{},\"columns\":[", first);
  for (const std::string& column : calculation.columns) {
    json += (json.back() == '[' ? "" : ",") + json_string(column);
  }
  json += fmt::format("],\"sign\":{},\"rate\":{},\"lines\":[", json_string(shown_currency().sign),
                      format_exact(shown_currency().per_usd));
  std::string cells;
  for (std::size_t l = 0; l < calculation.lines.size(); ++l) {
    const Calculation::Line& line = calculation.lines[l];
    if (!line.key.empty()) {
      json += fmt::format("{}[{},{},{}]", json.back() == '[' ? "" : ",", json_string(line.key),
                          json_string(line.label), l);
    }
    for (std::size_t c = 0; c < calculation.columns.size(); ++c) {
      if (!cells.empty()) cells += ',';
      if (c < line.cells.size()) {
        std::visit(CellWriter(calculation, cells), line.cells[c]);
      } else {
        cells += "null";
      }
    }
  }
  json += "],\"cells\":[" + cells + "]}";
  std::string out = "<script type=\"application/json\" id=\"what-if\">";
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";  // would end the element
    } else {
      out += c;
    }
  }
  return out + "</script>\n";
}

}  // namespace trcost::report

// SPDX-License-Identifier: Apache-2.0
// Saved results of any command, as rows that can be matched.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "quantity/layers.h"
#include "study/diff/diff.h"

namespace trcost::study {

/// A kind of result: its list of rows, the texts that name a row, and the figure that stands for a
/// row.
struct SavedKind {
  std::string_view list;     ///< `estimates`
  std::string_view marker;   ///< a further key of the document, or empty
  std::string_view keys[2];  ///< paths in a row, which may be empty
  std::string_view total;    ///< path in a row, or empty
  std::string_view unit;     ///< of the total
  std::string_view subject;  ///< `Training cost`
  bool axes = false;         ///< scenario fields of a row name it, too
};

/// Value of a JSON value, unknown for null.
DiffValue diff_value(const nlohmann::json* json);
/// The value at a path with dots, which may be one name, or null.
const nlohmann::json* value_at(const nlohmann::json& json, std::string_view path);

/// A document whose shape is that of a result.
class SavedResult {
 public:
  /// Throws Error (data) for text that is no result, of a later schema, or with a total below 0.
  SavedResult(std::string_view text, std::string_view origin);
  ~SavedResult();
  SavedResult(const SavedResult&) = delete;
  SavedResult& operator=(const SavedResult&) = delete;

  struct Row {
    std::string name;  ///< `h100-sxm`, `h100-sxm own`, `h100-sxm, hardware.gpus 64`
    const nlohmann::json* json = nullptr;
  };
  [[nodiscard]] const SavedKind& kind() const { return *kind_; }
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  /// Scenario fields that were set, by path, and the versions of program and prices.
  [[nodiscard]] const std::map<std::string, DiffValue>& inputs() const { return inputs_; }
  /// The default that the result was made with, or an unknown value.
  [[nodiscard]] DiffValue default_of(const std::string& path) const;

 private:
  void read_rows(std::string_view origin);
  std::unique_ptr<nlohmann::json> json_;
  const SavedKind* kind_ = nullptr;
  std::vector<Row> rows_;
  std::map<std::string, DiffValue> inputs_;
};

}  // namespace trcost::study

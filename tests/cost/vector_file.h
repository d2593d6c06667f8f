// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

// The entry of tests/vectors.json with this name.
inline nlohmann::json test_vector(const std::string& name) {
  static const nlohmann::json all = [] {
    std::ifstream file(TRCOST_SOURCE_DIR "/tests/vectors.json");
    return nlohmann::json::parse(file);
  }();
  for (const auto& row : all) {
    if (row.at("name") == name) return row;
  }
  throw std::runtime_error("no such vector: " + name);
}

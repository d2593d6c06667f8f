// SPDX-License-Identifier: Apache-2.0
#include "recipe/files/facts.h"

#include <fmt/core.h>

#include <algorithm>

#include "trcost/error.h"

namespace trcost::recipe {

void FactList::check_size(std::string_view text) const {
  if (text.size() <= kMostBytes) return;
  throw Error(ErrorKind::data, fmt::format("larger than {} MB", kMostBytes >> 20),
              "pass only the configuration", file_);
}

void FactList::add(std::string key, std::string value, int line, Given given) {
  bytes_ += key.size() + value.size();
  if (facts_.size() >= kMostFacts || bytes_ > kMostFactBytes) {
    throw Error(
        ErrorKind::data,
        fmt::format("more than {} values or {} MB of them", kMostFacts, kMostFactBytes >> 20),
        "pass only the configuration", fmt::format("{}:{}", file_, line));
  }
  facts_.push_back({std::move(key), std::move(value), file_, line, given});
}

std::string plain_key(std::string key) {
  if (!key.starts_with("--")) return key;
  key.erase(0, 2);
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string_view value_of(const Facts& facts, std::string_view key) {
  const auto at = std::ranges::find(facts, key, &Fact::key);
  return at == facts.end() ? std::string_view() : std::string_view(at->value);
}

bool has_key(const Facts& facts, std::string_view key) {
  return std::ranges::find(facts, key, &Fact::key) != facts.end();
}

}  // namespace trcost::recipe

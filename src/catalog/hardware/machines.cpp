// SPDX-License-Identifier: Apache-2.0
#include "catalog/hardware/machines.h"

#include "catalog/data/data_file.h"
#include "json/strict_json.h"
#include "quantity/suggest.h"

namespace trcost::catalog {
namespace {

constexpr double kMostPerMachine = 1024;

std::optional<double> whole_count(std::string_view digits) {
  constexpr std::size_t kMostDigits = 7;
  const auto value = digits.size() <= kMostDigits ? number_in<int>(digits) : std::nullopt;
  return value && *value >= 1 ? std::optional<double>(*value) : std::nullopt;
}

// The number that stands for {} in a machine's name.
std::optional<double> count_in_name(std::string_view pattern, std::string_view name) {
  const std::size_t at = pattern.find("{}");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = pattern.substr(0, at), after = pattern.substr(at + 2);
  if (name.size() <= before.size() + after.size()) return std::nullopt;
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  return whole_count(name.substr(before.size(), name.size() - before.size() - after.size()));
}

}  // namespace

std::optional<CountedAccelerator> find_machine(const DataFolder& data, std::string_view name) {
  constexpr std::string_view kSageMaker = "ml.";  // before the name of the same machine of EC2
  std::string wanted = lower_case(trim(name));
  if (wanted.starts_with(kSageMaker)) wanted.erase(0, kSageMaker.size());
  ObjectReader file = read_data_file(data, "machines.json").object();
  for (const JsonValue& cloud : file.array_or_empty("clouds")) {
    ObjectReader of_cloud = cloud.object();
    const std::string seller = of_cloud.required_text("cloud");
    for (const JsonValue& value : of_cloud.array_or_empty("machines")) {
      ObjectReader machine = value.object();
      const std::string pattern = lower_case(machine.required_text("name"));
      std::optional<double> count = machine.optional_number("gpus", 1, kMostPerMachine);
      if (count ? pattern != wanted : !(count = count_in_name(pattern, wanted))) continue;
      return CountedAccelerator{machine.required_text("accelerator"), *count, seller};
    }
  }
  return std::nullopt;
}

std::optional<CountedAccelerator> split_count(std::string_view text) {
  text = trim(text);
  const auto counted = [](std::string_view digits, std::string_view name) {
    const std::optional<double> count = whole_count(trim(digits));
    name = trim(name);
    if (!count || name.empty()) return std::optional<CountedAccelerator>();
    return std::optional(CountedAccelerator{std::string(name), *count});
  };
  const std::size_t digits = text.find_first_not_of("0123456789");
  if (digits != std::string_view::npos && digits > 0) {
    const std::string_view rest = trim(text.substr(digits));
    if (rest.starts_with('x') || rest.starts_with('X') || rest.starts_with('*')) {
      return counted(text.substr(0, digits), rest.substr(1));
    }
  }
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    return counted(text.substr(colon + 1), text.substr(0, colon));
  }
  const std::size_t x = text.find_last_of("xX");
  if (x == std::string_view::npos) return std::nullopt;
  return counted(text.substr(x + 1), text.substr(0, x));
}

}  // namespace trcost::catalog

// SPDX-License-Identifier: Apache-2.0
// Builds resolved questions from scenarios.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "estimate/question/question.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// Cache of values by the fields that they are made from. An entry is used only if all fields are
/// equal, so that results do not depend on earlier questions.
template <class Value>
class RecentValues {
 public:
  explicit RecentValues(std::span<const Field> fields) : fields_(fields) {}

  /// The value for these fields of the scenario, a name and a flag, made by `make` if it is not
  /// cached.
  template <class Make>
  const std::shared_ptr<const Value>& find(const Scenario& scenario, std::string_view name,
                                           bool extra, const Make& make) {
    std::uint64_t digest = scenario.digest(fields_) * 2 + (extra ? 1 : 0);
    for (const char c : name) digest = (digest ^ static_cast<unsigned char>(c)) * kPrime;
    std::unique_ptr<Entry>& slot = slots_[(digest >> kShift) % kSlots];
    const bool there = slot && slot->extra == extra && slot->name == name &&
                       slot->scenario.equal(scenario, fields_);
    if (!there) {
      slot.reset();  // an exception of `make` leaves no entry
      slot = std::make_unique<Entry>(Entry{scenario, std::string(name), extra, make()});
    }
    return slot->value;
  }

 private:
  struct Entry {
    Scenario scenario;
    std::string name;
    bool extra;
    std::shared_ptr<const Value> value;
  };
  static constexpr std::size_t kSlots = 256;
  static constexpr unsigned kShift = 24;
  static constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
  std::span<const Field> fields_;
  std::array<std::unique_ptr<Entry>, kSlots> slots_;
};

/// Builds a resolved Question from a Scenario and caches the slow parts of questions without notes.
class QuestionBuilder {
 public:
  explicit QuestionBuilder(const Catalog& catalog);
  /// Builds the question of one platform. `first` collects the notes on work and platform, `last`
  /// those that follow the notes on the cluster: scale of the data, and rates. Both are wanted or
  /// neither. Throws as resolve_task() and resolve_rates() do.
  Question build(const Scenario& asked, std::string_view accelerator, Notes& first, Notes& last);

 private:
  Task kept_task(const Scenario& scenario, std::string_view accelerator);
  std::shared_ptr<const Rates> kept_rates(const Scenario& scenario, const Platform& platform);
  std::shared_ptr<const PriceQuote> price(const Scenario& scenario, const Accelerator& accelerator,
                                          const std::shared_ptr<const Rates>& rates);

  const Catalog& catalog_;
  Scenario adapted_;
  std::shared_ptr<PriceQuote> given_;  ///< of the last question whose price was given
  RecentValues<Prepared> recent_prepared_;
  RecentValues<Rates> recent_rates_;
};

}  // namespace trcost::estimation

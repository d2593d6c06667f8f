// SPDX-License-Identifier: Apache-2.0
// What makes questions of scenarios.
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

/// Values that were made lately, found by the fields that they are made from. An entry is used only
/// where all of them are equal, so that what is found does not depend on what was asked before.
template <class Value>
class RecentValues {
 public:
  explicit RecentValues(std::span<const Field> fields) : fields_(fields) {}

  /// The value for these fields of the scenario and a name beside them, made by `make` where it is
  /// not there yet.
  template <class Make>
  const std::shared_ptr<const Value>& find(const Scenario& scenario, std::string_view name,
                                           bool extra, const Make& make) {
    std::uint64_t digest = scenario.digest(fields_) * 2 + (extra ? 1 : 0);
    for (const char c : name) digest = (digest ^ static_cast<unsigned char>(c)) * kPrime;
    std::unique_ptr<Entry>& slot = slots_[(digest >> kShift) % kSlots];
    const bool there = slot && slot->extra == extra && slot->name == name &&
                       slot->scenario.equal(scenario, fields_);
    if (!there) {
      slot.reset();  // what `make` throws leaves no entry
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

/// Makes questions, and keeps what is expensive to prepare for those that follow: what has no notes
/// is found again by the fields that move it.
class QuestionBuilder {
 public:
  explicit QuestionBuilder(const Catalog& catalog);
  /// `first` takes what is said of the work and its platform, `last` what stands behind the notes
  /// on the cluster: the scale of the data and the rates. Both wanted or neither. Throws as
  /// resolve_task() and resolve_rates() do.
  Question build(const Scenario& asked, std::string_view accelerator, Notes& first, Notes& last);

 private:
  Task kept_task(const Scenario& scenario, std::string_view accelerator);
  std::shared_ptr<const Rates> kept_rates(const Scenario& scenario, const Platform& platform);
  std::shared_ptr<const PriceQuote> price(const Scenario& scenario,
                                          const std::shared_ptr<const Rates>& rates);

  const Catalog& catalog_;
  Scenario adapted_;
  std::shared_ptr<PriceQuote> given_;  ///< of the last question whose price was given
  RecentValues<Prepared> recent_prepared_;
  RecentValues<Rates> recent_rates_;
};

}  // namespace trcost::estimation

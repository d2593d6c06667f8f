// SPDX-License-Identifier: Apache-2.0
// The first link of the chain: what is asked on one platform, with every default resolved.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "estimate/money.h"
#include "estimate/prepared.h"

namespace trcost {

/// A training on one platform: only what makes it reads the catalog.
struct Question {
  std::string_view accelerator;
  const Scenario* asked = nullptr;     ///< as the user wrote it: a range is of that
  const Scenario* scenario = nullptr;  ///< with what its method or the usual software adds
  const Prepared* prepared = nullptr;
  const Rates* rates = nullptr;
  UsefulTerms useful;
  BillTerms bill;
  std::string_view price_data_date;
};

/// Values that were made lately, found by the fields that they are made from. An entry is used only
/// where all of them are equal, so that what is found does not depend on what was asked before.
template <class Value>
class RecentValues {
 public:
  explicit RecentValues(std::span<const Field> fields) : fields_(fields) {}

  /// The value for these fields of the scenario and a name beside them, made by `make` where it is
  /// not there yet.
  template <class Make>
  Value& find(const Scenario& scenario, std::string_view name, bool extra, const Make& make) {
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
    Value value;
  };
  static constexpr std::size_t kSlots = 256;
  static constexpr unsigned kShift = 24;
  static constexpr std::uint64_t kPrime = 0x100000001b3;  // FNV-1a
  std::span<const Field> fields_;
  std::array<std::unique_ptr<Entry>, kSlots> slots_;
};

/// Makes questions, and keeps what is expensive to prepare for those that follow: what has no notes
/// is found again by the fields that move it.
class Questions {
 public:
  explicit Questions(const Catalog& catalog);
  /// `work` takes what is said of the work, `money` what is said of the rates; both wanted or
  /// neither. The question is valid until the next one. Throws as prepare() and resolve_rates() do.
  Question ask(const Scenario& asked, std::string_view accelerator, Notes& work, Notes& money);

 private:
  const Prepared& prepared(const Scenario& scenario, std::string_view accelerator);
  const Rates& rates(const Scenario& scenario, const Platform& platform);

  const Catalog& catalog_;
  Scenario adapted_;
  std::optional<Prepared> own_prepared_;  ///< of a question that is not kept
  std::optional<Rates> own_rates_;
  RecentValues<Prepared> recent_prepared_;
  RecentValues<Rates> recent_rates_;
};

}  // namespace trcost

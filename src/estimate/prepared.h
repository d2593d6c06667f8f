// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "estimate/money.h"
#include "estimate/platform.h"
#include "estimate/resolve.h"
#include "estimate/round.h"
#include "planner/recent_plans.h"
#include "trcost/estimate.h"

namespace trcost {

/// Everything of an estimate that depends on neither cluster size, layout nor prices.
struct Prepared {
  Prepared(ResolvedWork work_, const Platform& platform);
  ResolvedWork work;
  StepModel model;
  MethodQuality quality;
  std::string method;                      ///< how good the method is, in words
  std::shared_ptr<const RoundWork> round;  ///< of a training method with several phases
  std::unique_ptr<RecentPlans> plans = std::make_unique<RecentPlans>();  ///< of `model`
};

/// What a method of post-training says for the rest of the question, or the software that a
/// question of images usually means where it names none, into `adapted`; false where nothing
/// changes.
bool usual_recipe(const Scenario& asked, const Catalog& catalog, Notes& notes, Scenario& adapted);

/// Prepares a scenario on a platform. Throws as resolve_work() and resolve_platform() do.
Prepared prepare(const Scenario& scenario, const Catalog& catalog, std::string_view accelerator,
                 Notes& notes);

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

/// Preparations of the scenarios asked for lately, without notes.
class Preparations {
 public:
  explicit Preparations(const Catalog& catalog);
  /// Valid until the next call.
  const Prepared& prepared(const Scenario& scenario, std::string_view accelerator);
  const Rates& rates(const Scenario& scenario, const Platform& platform);

 private:
  const Catalog& catalog_;
  RecentValues<Prepared> prepared_;
  RecentValues<Rates> rates_;
};

}  // namespace trcost

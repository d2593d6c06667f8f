// SPDX-License-Identifier: Apache-2.0
// Phases of training methods: the models that pass over a sequence, and those that learn.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "quantity/layers.h"

namespace trcost::workload {

enum class Method : std::uint8_t {
#define TRCOST_METHOD(id, ...) id,
#include "catalog/software/methods.def"
#undef TRCOST_METHOD
};

/// Kinds of work of accelerators, and waiting.
enum class Work : std::uint8_t { train, forward, generate, wait };
std::string_view work_name(Work work);

/// The model that does it.
enum class Role : std::uint8_t { policy, reference, reward, critic, teacher };
inline constexpr int kRoles = 5;

/// One pass over the sequences of a round.
struct Phase {
  std::string_view name;  ///< as JSON has it, e.g. `train_policy`
  Work work = Work::train;
  Role role = Role::policy;
  double repeats = 1;  ///< passes over the same sequences
};

/// Options of a method.
struct MethodOptions {
  bool reference = true;
  bool reward_model = false;
  double epochs = 1;  ///< passes of learning over the responses of a round
};

/// A method: its name, sequences per sample, and whether it writes its own data.
struct MethodRow {
  Method method;
  std::string_view name;
  double sequences_per_sample;  ///< a pair of preferences is two
  bool generates;
};
const MethodRow& method_row(Method method);
/// The method of a word of the field train.method, pretrain for an empty one.
Method method_named(std::string_view name);

/// The phases of a round in their order (data/phases.md, A.1; Ouyang et al., arXiv:2203.02155; Shao
/// et al., arXiv:2402.03300, section 4.1; Rafailov et al., arXiv:2305.18290; Ethayarajh et al.,
/// arXiv:2402.01306, section 4, with its mismatched pairs).
std::vector<Phase> phases_of(Method method, const MethodOptions& options);

/// True if a round has more phases than learning, with all options on.
bool has_phases(Method method);
bool asks_reference(Method method);

/// True if the model of a role takes part.
bool takes_part(std::span<const Phase> phases, Role role);
bool learns(std::span<const Phase> phases, Role role);

}  // namespace trcost::workload

// SPDX-License-Identifier: Apache-2.0
// What a training method does with a sequence: which models pass over it, and which of them learn.
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

/// The three kinds of work that accelerators are given, and what is paid for beside them.
enum class Work : std::uint8_t { train, forward, generate, wait };
std::string_view work_name(Work work);

/// Whose weights do it.
enum class Role : std::uint8_t { policy, reference, reward, critic, teacher };
inline constexpr int kRoles = 5;

/// One pass over the sequences of a round.
struct Phase {
  std::string_view name;  ///< as JSON has it, e.g. `train_policy`
  Work work = Work::train;
  Role role = Role::policy;
  double repeats = 1;  ///< passes over the same sequences
};

/// What stands open in a method.
struct MethodOptions {
  bool reference = true;
  bool reward_model = false;
  double epochs = 1;  ///< passes of learning over the responses of a round
};

/// Its name, how many sequences a sample of its data is, and whether it writes its own data.
struct MethodRow {
  Method method;
  std::string_view name;
  double sequences_per_sample;  ///< a pair of preferences is two
  bool generates;
};
const MethodRow& method_row(Method method);
/// By a word of the field train.method; pretrain where none is given.
Method method_named(std::string_view name);

/// The phases of a round in their order (data/phases.md, A.1; Ouyang et al., arXiv:2203.02155; Shao
/// et al., arXiv:2402.03300, section 4.1; Rafailov et al., arXiv:2305.18290; Ethayarajh et al.,
/// arXiv:2402.01306, section 4, with its mismatched pairs).
std::vector<Phase> phases_of(Method method, const MethodOptions& options);

/// Whether a round is more than learning, and whether a reference scores what is learnt from: of
/// the phases with everything that stands open.
bool has_phases(Method method);
bool asks_reference(Method method);

/// Whether the model of a role takes part, and whether it learns.
bool takes_part(std::span<const Phase> phases, Role role);
bool learns(std::span<const Phase> phases, Role role);

}  // namespace trcost::workload

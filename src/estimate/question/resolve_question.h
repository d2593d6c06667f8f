// SPDX-License-Identifier: Apache-2.0
// The parts of a question from the scenario and the catalog: what stands behind them reads neither.
#pragma once

#include <memory>
#include <string_view>

#include "estimate/question/question.h"
#include "quantity/layers.h"

namespace trcost::estimation {

/// The chip with its system, stack and number format. Throws Error (no_answer) where the chip lacks
/// the format asked for, naming those that it has.
Platform resolve_platform(const Scenario& scenario, const Catalog& catalog,
                          std::string_view accelerator, Notes& notes);

/// Bytes/s each way that copies to the host's memory reach: as given, or of the system's lanes;
/// empty where the system's file does not say.
std::optional<double> host_bandwidth(const Scenario& scenario, const System& system, Notes& notes);

/// The scenario of a method: its rollouts as samples of the policy, in `adapted`; false for
/// pre-training and fine-tuning that say what they learn from. Throws Error (usage) for what
/// contradicts the method.
bool method_defaults(const Scenario& scenario, const Catalog& catalog, Notes& notes,
                     Scenario& adapted);

/// The round of a scenario that method_defaults() has adapted; null for pre-training and
/// fine-tuning. Also sets what of other models is resident beside the policy. Throws Error (usage).
std::shared_ptr<const RoundWork> resolve_round(const Scenario& scenario, const Catalog& catalog,
                                               const Platform& platform, ResolvedWork& work,
                                               Notes& notes);

/// Prepares a work on a platform. Throws as resolve_platform() and resolve_round() do.
std::shared_ptr<const Prepared> prepare(ResolvedWork work, const Scenario& scenario,
                                        const Catalog& catalog, std::string_view accelerator,
                                        Notes& notes);

/// What the software does with images where nobody said.
void note_vision_habits(const Scenario& scenario, const Prepared& prepared, Notes& notes);

Asked resolve_asked(const Scenario& scenario, const Amounts& amounts);
UsefulTerms resolve_useful_terms(const Scenario& scenario, const ResolvedWork& work,
                                 const Amounts& amounts, const System& system);
BillTerms resolve_bill_terms(const Scenario& scenario);
std::shared_ptr<const Rates> resolve_rates(const Scenario& scenario, const Catalog& catalog,
                                           const Platform& platform, Notes& notes);

/// What an hour costs, as the user says or as the book has it; with Rates::own the rent to compare
/// with.
std::shared_ptr<const PriceQuote> price_of(const Scenario& scenario,
                                           const std::shared_ptr<const Rates>& rates);

/// Of the question as the user wrote it.
RangeTerms resolve_range_terms(const Scenario& asked);

/// The task of a scenario that usual_recipe() has adapted. Throws as resolve_work(),
/// resolve_amounts() and prepare() do.
Task resolve_task(const Scenario& scenario, const Catalog& catalog, std::string_view accelerator,
                  Notes& notes);

/// Warns of a layout that was asked for and that the stack cannot do.
void note_abilities(const Task& task, Notes& notes);

}  // namespace trcost::estimation

// SPDX-License-Identifier: Apache-2.0
// What the catalog calls to turn a parsed file into a thing. One loader per file of this
// folder; each refuses what is malformed with an Error (kind data).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/hardware/efficiency.h"
#include "catalog/models/model.h"
#include "catalog/runs/runs.h"
#include "catalog/software/engine.h"
#include "json/strict_json.h"
#include "quantity/layers.h"
#include "trcost/catalog.h"

namespace trcost::catalog {

struct AssumedChoices;
struct ResidualFamily;

/// What a chip's file leaves out of its server's power and price: data/assumed/server.json.
Accelerator assumed_accelerator(const Catalog& catalog);
/// `accelerator` holds what the document may leave out.
Accelerator parse_accelerator(const JsonValue& document, Accelerator accelerator);
System parse_system(const JsonValue& document);
Encoder parse_encoder(const JsonValue& document);
/// Also a Hugging Face config.json. Encoders that the file names come from `catalog`.
Model parse_model(const JsonValue& document, const Catalog& catalog);

std::shared_ptr<const AssumedChoices> load_assumed_choices(const Catalog& catalog);
/// What a stack's file leaves out: data/assumed/stack.json.
Stack assumed_stack(const Catalog& catalog);
/// Shared pointers, so that the catalog needs not know how these look.
std::shared_ptr<const Stack> load_stack(const JsonValue& document, const Catalog& catalog);
/// The stack as of a release (release_year()); throws Error (usage) where that is not known.
std::shared_ptr<const Stack> stack_at_release(const Stack& stack, std::string_view release);
std::shared_ptr<const Engine> load_engine(const JsonValue& document);
/// By the architecture; where no row informed it, as Hopper.
RoundFramework load_round_framework(std::string_view name, const Accelerator& accelerator,
                                    const Catalog& catalog);
ServingChip load_serving_chip(const Accelerator& accelerator, const System& system,
                              const Catalog& catalog);
ServingSpread load_serving_spread(const Catalog& catalog);
/// All families of measured rows.
std::vector<ResidualFamily> load_residuals(const Catalog& catalog);
/// Reads its own file of `catalog`, by rule from the specification where there is none; keeps those
/// of `residuals` that concern it.
std::shared_ptr<const Efficiency> load_efficiency(const Accelerator& accelerator,
                                                  const Catalog& catalog,
                                                  const std::vector<ResidualFamily>& residuals);
std::shared_ptr<const RunBook> load_runs(const Catalog& catalog);

/// One row of the tables of runs as a JSON object, empty cells null; an empty text when no row has
/// that id.
std::string run_text(const Catalog& catalog, std::string_view id);

}  // namespace trcost::catalog

// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "catalog/assumed.h"
#include "catalog/data/data_file.h"
#include "catalog/data/sourced_values.h"
#include "catalog/hardware/efficiency.h"
#include "catalog/hardware/hardware.h"
#include "catalog/software/stacks.h"
#include "catch.h"
#include "trcost/catalog.h"

namespace {

using trcost::Catalog;
using trcost::ObjectReader;
using trcost::Sources;

ObjectReader assumed(const Catalog& catalog, const char* file) {
  return trcost::read_data_file(catalog, file).object();
}

void check_source(ObjectReader& reader, const Sources& sources, std::string_view name) {
  CAPTURE(name);
  const auto number = sources.required(reader, name, 0, 1e12);
  CHECK_FALSE(number.source.empty());
  CHECK(number.retrieved.size() == std::string_view("YYYY-MM-DD").size());
}

}  // namespace

TEST_CASE("what a chip's or a stack's file leaves out has a value with source and date") {
  const Catalog catalog;
  ObjectReader chip = assumed(catalog, "assumed/chip.json");
  const Sources of_chip(chip);
  for (const auto& each : trcost::efficiency_constants()) check_source(chip, of_chip, each.name);
  ObjectReader server = assumed(catalog, "assumed/server.json");
  const Sources of_server(server);
  for (const auto& each : trcost::server_facts()) check_source(server, of_server, each.name);
  ObjectReader stack = assumed(catalog, "assumed/stack.json");
  const Sources of_stack(stack);
  for (const auto& each : trcost::stack_constants()) check_source(stack, of_stack, each.name);
  ObjectReader memory = stack.required_object("memory");
  for (const std::string& name : memory.keys()) {
    if (!name.ends_with("_per_parameter")) {
      check_source(memory, of_stack, name);
      continue;
    }
    ObjectReader states = memory.required_object(name);
    for (const std::string& state : states.keys()) check_source(states, of_stack, state);
  }
}

TEST_CASE("what is taken where nobody names it is in the catalog") {
  const Catalog catalog;
  const trcost::AssumedChoices& assumed = catalog.assumed();
  for (const std::string& name : assumed.accelerators) CHECK_NOTHROW(catalog.accelerator(name));
  CHECK_NOTHROW(catalog.accelerator(assumed.claim_reference.name));
  CHECK_NOTHROW(catalog.stack(assumed.tuning_stack.name));
  CHECK_NOTHROW(catalog.stack(assumed.contrastive_stack.name));
  for (const auto& each : assumed.vision_encoders) CHECK_NOTHROW(catalog.encoder(each.name));
  CHECK_NOTHROW(catalog.encoder(assumed.audio_encoder.name));
}

TEST_CASE("every share and number that a question leaves open has its source") {
  const Catalog catalog;
  const trcost::AssumedChoices& assumed = catalog.assumed();
  const trcost::UsefulShares& useful = assumed.useful;
  for (const trcost::CatalogNumber* each :
       {&useful.packed, &useful.grouped, &useful.padded, &useful.grouped_text, &useful.padded_text,
        &assumed.colocated_engine_share, &assumed.response_limit, &assumed.update_sequences,
        &assumed.image_imbalance}) {
    CHECK_FALSE(each->source.empty());
  }
}

TEST_CASE("a stack that says nothing of a number has the assumed one, and what it says it has") {
  const Catalog catalog;
  const trcost::Stack assumed = trcost::assumed_stack(catalog);
  const auto own = trcost::load_stack(
      trcost::parse_strict_json(R"({"name": "mine", "title": "Mine", "source": "a test",
                                    "tensor_overlap": 0.25,
                                    "memory": {"source": "a test", "fragmentation": 0.5}})",
                                "mine.json"),
      catalog);
  for (const auto& each : trcost::stack_constants()) {
    CAPTURE(each.name);
    const double expected = each.name == "tensor_overlap" ? 0.25 : assumed.*each.member;
    CHECK((*own).*each.member == expected);
  }
  CHECK(own->memory.fragmentation == 0.5);
  CHECK(own->memory.context_bytes == assumed.memory.context_bytes);
  // Megatron-LM's 18 bytes per parameter and the 16 of an adapter (data/model.md 4.1).
  CHECK(assumed.memory.states.total() == 18);
  CHECK(assumed.memory.adapter_states.total() == 16);
}

TEST_CASE("a number that somebody wrote goes before one that was fitted") {
  const Catalog catalog;
  const auto own = trcost::load_stack(
      trcost::parse_strict_json(R"({"name": "mine", "title": "Mine", "source": "a test",
                                    "data_overlap": 0.25,
                                    "fitted": {"source": "a fit", "date": "2026-11-23",
                                               "data_overlap": 0.5, "straggler": 0.125}})",
                                "mine.json"),
      catalog);
  CHECK(own->data_overlap == 0.25);
  CHECK(own->straggler == 0.125);
}

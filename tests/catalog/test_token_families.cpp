// SPDX-License-Identifier: Apache-2.0
// The token rules that catalog entries name are rules that exist.
#include "catch.h"
#include "trcost/catalog.h"
#include "trcost/tokens.h"

TEST_CASE("every token family named in the catalog has a rule", "[catalog][tokens]") {
  const trcost::Catalog catalog;
  for (const std::string& name : catalog.names(trcost::CatalogKind::encoders)) {
    INFO("encoder " << name);
    const std::string& family = catalog.encoder(name).token_family;
    if (!family.empty()) CHECK(trcost::token_family(family).name == family);
  }
  for (const std::string& name : catalog.names(trcost::CatalogKind::models)) {
    INFO("model " << name);
    const std::string& family = catalog.model(name).token_family;
    if (!family.empty()) CHECK(trcost::token_family(family).name == family);
  }
}

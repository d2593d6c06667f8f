// SPDX-License-Identifier: Apache-2.0
#include "catalog/models/model.h"
#include "catch.h"
#include "quantity/suggest.h"
#include "trcost/catalog.h"
#include "trcost/error.h"

using namespace trcost;

TEST_CASE("marks between letters do not tell names apart, decimal points do", "[names]") {
  CHECK(same_name("llama-3.1-8b", "Llama3.1 8B"));
  CHECK(same_name("qwen2.5-7b", "qwen2-5-7b"));
  CHECK(same_name("a100-sxm4-80gb", "A100 SXM4 80GB"));
  CHECK_FALSE(same_name("opt-13b", "opt-1.3b"));
  CHECK_FALSE(same_name("opt-1.3b", "opt-13b"));
  CHECK_FALSE(same_name("qwen2.5-7b", "qwen25-7b"));
}

TEST_CASE("a model of a tenth of the size is not answered in another's name", "[names]") {
  const Catalog catalog;
  CHECK_THROWS_AS(catalog.model("opt-1.3b"), Error);
  CHECK(catalog.model("OPT 13B").name == "opt-13b");
}

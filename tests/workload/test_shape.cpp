// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "catch.h"
#include "trcost/error.h"
#include "workload/default_model.h"
#include "workload/flops.h"
#include "workload/reference_vectors.h"

using namespace trcost;

TEST_CASE("shape from a parameter count alone", "[workload][shape]") {
  for (const nlohmann::json* vector : reference::with_prefix("shape_from_params/")) {
    INFO(vector->at("name"));
    const nlohmann::json& in = vector->at("inputs");
    const nlohmann::json& want = vector->at("expected");
    const LanguageModel m = shape_from_parameters(in.at("N"), in.at("V"));
    CHECK(m.layers == want.at("L").get<double>());
    CHECK(m.hidden == want.at("h").get<double>());
    CHECK(m.heads == want.at("a").get<double>());
    CHECK(m.kv_heads == want.at("kv").get<double>());
    CHECK(m.ffn == want.at("f").get<double>());
    CHECK(m.tied_embeddings == want.at("tied").get<bool>());
    CHECK(count_parameters(m).total == want.at("total").get<double>());
  }
}

TEST_CASE("the shape meets the count over the whole range", "[workload][shape]") {
  for (double exponent = 3; exponent <= 16; exponent += 0.01) {
    const double params = std::min(1e16, std::pow(10, exponent));
    INFO(params);
    const LanguageModel m = shape_from_parameters(params, 128256);
    const double total = count_parameters(m).total;
    CHECK_THAT(total, WithinRel(params, params >= 1e9 ? 3e-3 : 5e-2));
    CHECK(m.heads >= 1);
    CHECK(m.layers >= 1);
    CHECK(m.ffn >= 1);
    CHECK(m.heads * m.head_dim == m.hidden);
    CHECK(std::fmod(m.heads, m.kv_heads) == 0);
    CHECK(m.vocab <= 128256);
    if (params >= 1e9) {
      CHECK(m.vocab == 128256);
      CHECK(m.hidden / m.layers > 64);
      CHECK(m.hidden / m.layers < 256);
    }
  }
}

TEST_CASE("tensor ranks that split the heads get whole channels", "[workload][shape]") {
  for (double params = 1e6; params < 1e10; params *= 1.01) {
    const LanguageModel m = shape_from_parameters(params, 128256);
    for (double tp = 2; tp <= 64 && std::fmod(m.heads, tp) == 0; tp *= 2) {
      INFO(params << " parameters, " << m.heads << " heads, tp " << tp);
      CHECK(std::fmod(m.ffn, tp) == 0);
    }
  }
}

TEST_CASE("layers are a multiple of four where that is about as near", "[workload][shape]") {
  // 31.4 layers of 4,608 with a feed-forward of 3.5 times the width.
  CHECK(shape_from_parameters(9.67e9, 128256).layers == 32);
  int fours = 0, all = 0;
  for (double params = 1e9; params < 1e13; params *= 1.01) {
    const LanguageModel m = shape_from_parameters(params, 128256);
    ++all;
    if (std::fmod(m.layers, 4) == 0) ++fours;
    CHECK(m.ffn / m.hidden > 3.2);
    CHECK(m.ffn / m.hidden < 3.8);
  }
  CHECK(fours > 0.28 * all);
}

TEST_CASE("more parameters are more work", "[workload][shape][property]") {
  double before = 0;
  bool tied = true;
  for (double params = 1e9; params < 1e13; params *= 1.005) {
    const LanguageModel m = shape_from_parameters(params, 128256);
    const double work = training_flops(reference::text_workload(m, 4096)).total();
    INFO(params << " parameters, " << m.layers << " layers of " << m.hidden);
    // A wider model gives more of its parameters to the embedding, which is no work. From 3e9 on
    // the head is a matrix of its own, which takes its parameters from the layers.
    if (m.tied_embeddings == tied) CHECK(work > 0.965 * before);
    before = work;
    tied = m.tied_embeddings;
  }
}

TEST_CASE("ten times the parameters are more of everything", "[workload][shape]") {
  double hidden = 0, layers = 0, flops = 0;
  for (double params = 1e9; params <= 1e16; params *= 10) {
    const LanguageModel m = shape_from_parameters(params, 128256);
    const double per_token = training_flops(reference::text_workload(m, 4096)).total();
    CHECK(m.hidden > hidden);
    CHECK(m.layers > layers);
    CHECK(per_token > flops);
    CHECK_THAT(per_token, WithinRel(6 * params, 0.35));
    hidden = m.hidden;
    layers = m.layers;
    flops = per_token;
  }
}

TEST_CASE("other vocabularies", "[workload][shape]") {
  for (const double vocab : {32000.0, 50257.0, 152064.0, 262144.0}) {
    for (double params = 2e9; params < 1e13; params *= 1.7) {
      INFO(vocab << " " << params);
      const LanguageModel m = shape_from_parameters(params, vocab);
      CHECK(m.vocab == vocab);
      CHECK_THAT(count_parameters(m).total, WithinRel(params, 3e-3));
    }
  }
}

TEST_CASE("counts without a shape are refused", "[workload][shape]") {
  for (const double params : {0.0, -1.0, 999.0, 1.1e16, std::nan(""), double{INFINITY}}) {
    CHECK_THROWS_AS(shape_from_parameters(params, 128256), Error);
  }
  CHECK_THROWS_AS(shape_from_parameters(1e9, 0), Error);
}

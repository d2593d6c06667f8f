// SPDX-License-Identifier: Apache-2.0
// A question is a value: what is asked later does not move it.
#include "estimate/question/question_builder.h"

#include "catalog_fixture.h"
#include "catch.h"

using namespace trcost;

namespace {

Scenario asked(double tokens, double price) {
  Scenario s;
  s.set_number(Field::model_params, 8e9);
  s.set_number(Field::data_tokens, tokens);
  s.set_number(Field::cost_price_per_gpu_hour, price);
  return s;
}

Question ask(QuestionBuilder& questions, const Scenario& s, bool noted = false) {
  Notes first(noted), last(noted);
  return questions.build(s, "h100-sxm", first, last);
}

}  // namespace

TEST_CASE("a question keeps its amounts and its price beside those asked after it",
          "[estimate][question]") {
  QuestionBuilder questions(test_catalog());
  const Question one = ask(questions, asked(1e12, 2));
  const Question two = ask(questions, asked(3e12, 5));
  CHECK(one.prepared == two.prepared);  // what neither moves is prepared once
  CHECK(one.rates == two.rates);
  CHECK(one.amounts.tokens.total == 1e12);
  CHECK(two.amounts.tokens.total == 3e12);
  CHECK(one.price->usd == 2);
  CHECK(two.price->usd == 5);
}

TEST_CASE("a question outlives what made it", "[estimate][question]") {
  std::optional<Question> kept;
  {
    QuestionBuilder questions(test_catalog());
    Scenario s = asked(1e12, 2);
    s.clear(Field::cost_price_per_gpu_hour);
    kept = ask(questions, s);
  }
  CHECK(kept->platform().accelerator->name == "h100-sxm");
  CHECK(kept->price->usd.value_or(0) > 0);
  CHECK(kept->amounts.tokens.total == 1e12);
}

TEST_CASE("what is said of a question does not change it", "[estimate][question]") {
  QuestionBuilder questions(test_catalog());
  Scenario s = asked(1e12, 2);
  s.set_number(Field::layout_tp, 4);
  s.set_number(Field::hardware_gpus, 512);
  const Question silent = ask(questions, s);
  const Question noted = ask(questions, s, true);
  CHECK(silent.fixed.layout == noted.fixed.layout);
  CHECK(silent.fixed.gpus == noted.fixed.gpus);
  CHECK(silent.amounts.usual_batch == noted.amounts.usual_batch);
  CHECK(silent.useful.production_overhead == noted.useful.production_overhead);
  CHECK(silent.price->usd == noted.price->usd);
}

TEST_CASE("the batch of contrastive training is part of its work", "[estimate][question]") {
  QuestionBuilder questions(test_catalog());
  Scenario s;
  s.set_text(Field::model_name, "clip-vit-b-32");
  for (const double batch : {4096.0, 32768.0}) {
    s.set_number(Field::train_global_batch, batch);
    const Question question = ask(questions, s);
    CHECK(question.work().workload.contrastive_batch == batch);
    CHECK(question.amounts.global_batch == batch);
    CHECK_FALSE(question.amounts.usual_batch);
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <string>

#include "catalog/models/weight_formats.h"
#include "catalog/software/engine.h"
#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "json/json_writer.h"
#include "json/strict_json.h"
#include "report/about/documents.h"
#include "scenario/fields.h"
#include "trcost/error.h"
#include "trcost/serving.h"

namespace trcost::cli {
namespace {

struct ServeOptions {
  ScenarioOptions scenario;
  OutputOptions output;
  std::string precision, cache_precision, engine, tuning, claim, claim_reference;
  std::string input, output_tokens, concurrency, per_user, load, cached, acceptance, drafted,
      token_price;
  std::string tp, ep, dp, prefill;
  bool explain = false;
  bool no_curve = false;
};

// One number of the load: its flag, where it is typed, and what is allowed.
struct NumberOption {
  const char* flag;
  std::string ServeOptions::*text;
  NumberKind kind;
  double lowest, highest;
  const char* help;
};
constexpr NumberOption kNumbers[] = {
    {"--input-tokens", &ServeOptions::input, NumberKind::integer, 1, 1e8,
     "tokens of a request's prompt (default 1024)"},
    {"--output-tokens", &ServeOptions::output_tokens, NumberKind::integer, 1, 1e8,
     "tokens of its answer (default 1024)"},
    {"--concurrency", &ServeOptions::concurrency, NumberKind::integer, 1, 1e7,
     "requests in flight per replica (default: as many as memory holds "
     "and each user can read along with)"},
    {"--tokens-per-second-per-user", &ServeOptions::per_user, NumberKind::number, 1e-3, 1e6,
     "smallest speed that each user gets, which sets the concurrency"},
    {"--token-price", &ServeOptions::token_price, NumberKind::number, 1e-6, 1e6,
     "with a --claim of revenue: USD per million output tokens sold (default: median of sellers)"},
    {"--load", &ServeOptions::load, NumberKind::fraction, 1e-6, 1,
     "share of the capacity that is sold (default 1)"},
    {"--prefix-hits", &ServeOptions::cached, NumberKind::fraction, 0, 0.999,
     "share of the input whose cache is there already (default 0)"},
    {"--prefill-gpus", &ServeOptions::prefill, NumberKind::integer, 0, 1e6,
     "accelerators that only read prompts, beside the replica (0: as many as keep up)"},
    {"--acceptance", &ServeOptions::acceptance, NumberKind::fraction, 0, 1,
     "with --draft-tokens: acceptance rate of each drafted token after the one before"},
    {"--draft-tokens", &ServeOptions::drafted, NumberKind::integer, 1, 16,
     "tokens guessed per step (speculative decoding, multi-token prediction)"},
    {"--tp", &ServeOptions::tp, NumberKind::integer, 1, 1024,
     "tensor-parallel degree of attention (default: searched)"},
    {"--ep", &ServeOptions::ep, NumberKind::integer, 1, 1024,
     "expert-parallel degree (default: searched)"},
    {"--dp", &ServeOptions::dp, NumberKind::integer, 1, 1024,
     "copies of attention side by side in the replica (default: searched)"},
};

// One word of it.
struct WordOption {
  const char* flag;
  std::string ServeOptions::*text;
  std::string_view value;
  const char* help;
};
constexpr WordOption kWords[] = {
    {"--precision", &ServeOptions::precision, kWordsOf<kServedFormats, kOfferedFormats>,
     "format of the weights (default: as released, else fp8 if the chip computes in it)"},
    {"--kv-precision", &ServeOptions::cache_precision,
     kWordsOf<kCacheFormats, kOfferedCacheFormats>,
     "format of the cache (default: as the engine does)"},
    {"--engine", &ServeOptions::engine, "NAME",
     "inference software, by name or a file: see trcost list engines (default: typical). "
     "NAME@YYYY-MM is a release"},
    {"--tuning", &ServeOptions::tuning, "showcase|usual|first-run",
     "how well the engine is tuned: as in published sweeps, as users run it, or at first (default: "
     "not known, with a range over the first two)"},
    {"--claim", &ServeOptions::claim, "TEXT",
     "a vendor's number to judge over all speeds, such as \"0.02 USD/Mtok\", \"15x over "
     "h200\", \"4x per GPU over h200\", \"2x over vllm@2025-01\", \"$5M into $75M\""},
    {"--claim-reference", &ServeOptions::claim_reference, "TEXT",
     "conditions of the reference alone, such as \"h200 gpus=8 price=1.41 precision=fp8\""},
};

std::string key_of(std::string_view flag) {
  std::string key(flag.substr(2));
  std::ranges::replace(key, '-', '_');
  return key;
}

// Calls use(key, text) for everything that a request is made of.
template <class Options, class Use>
void each_of_request(Options& options, Use use) {
  for (const NumberOption& option : kNumbers) use(key_of(option.flag), options.*option.text);
  for (const WordOption& option : kWords) use(key_of(option.flag), options.*option.text);
}

// Typed request fields outside the scenario.
std::string request_json(const ServeOptions& typed) {
  std::string out = "{";
  each_of_request(typed, [&](const std::string& key, const std::string& text) {
    if (text.empty()) return;
    if (out.size() > 1) out += ", ";
    append_json_string(out, key);
    out += ": ";
    append_json_string(out, text);
  });
  return out + "}";
}

// Takes the request of a saved result for fields that were not typed.
void take_request(std::string_view json, const std::string& origin, ServeOptions& typed) {
  ObjectReader document = parse_strict_json(json, origin).object();
  if (!document.has("trcost_version") || !document.has("request")) return;
  ObjectReader request = document.required_value("request").object();
  // Each of the two follows from the other.
  const bool load_is_typed = !typed.concurrency.empty() || !typed.per_user.empty();
  each_of_request(typed, [&](const std::string& key, std::string& text) {
    const std::string saved = request.text_or(key, "");
    const bool of_load = &text == &typed.concurrency || &text == &typed.per_user;
    if (text.empty() && !(of_load && load_is_typed)) text = saved;
  });
  request.finish();
}

std::optional<double> serve_number(const ServeOptions& typed, const NumberOption& option) {
  const std::string& text = typed.*option.text;
  if (text.empty()) return std::nullopt;
  const double value = flag_number(text, option.kind, option.flag);
  if (value < option.lowest || value > option.highest) {
    const bool percent = option.kind == NumberKind::fraction && value > 1 && value <= 100;
    const std::string hint = percent ? fmt::format("write {:g} or {:g}%", value / 100, value) : "";
    throw Error(ErrorKind::usage, "\"" + text + "\" is outside the allowed range",
                percent ? hint : fmt::format("from {:g} to {:g}", option.lowest, option.highest),
                option.flag);
  }
  return value;
}

ServingQuestion question_of(ServeOptions& typed, Format format, Session& session) {
  ServingQuestion q;
  q.scenario = typed.scenario.read(session, [&](std::string text, const std::string& origin) {
    take_request(text, origin, typed);
    return text;
  });
  if (!q.scenario.has(Field::model_name) && !q.scenario.has(Field::model_params)) {
    throw Error(ErrorKind::usage, "which model is served?",
                "set --model NAME or --params N; `trcost list models`", "--model");
  }
  q.precision = typed.precision;
  q.cache_precision = typed.cache_precision;
  if (!typed.engine.empty()) q.engine = typed.engine;
  q.tuning = typed.tuning;
  const auto value = [&](std::string ServeOptions::*text) {
    const auto* found = std::ranges::find(kNumbers, text, &NumberOption::text);
    return serve_number(typed, *found);
  };
  const auto degree = [&](std::string ServeOptions::*text) -> std::optional<int> {
    if (const auto given = value(text)) return static_cast<int>(*given);
    return std::nullopt;
  };
  q.tp = degree(&ServeOptions::tp);
  q.ep = degree(&ServeOptions::ep);
  q.dp = degree(&ServeOptions::dp);
  q.load.input_tokens = value(&ServeOptions::input).value_or(1024);
  q.load.output_tokens = value(&ServeOptions::output_tokens).value_or(1024);
  q.load.concurrency = value(&ServeOptions::concurrency);
  q.load.cached_input = value(&ServeOptions::cached).value_or(0);
  q.load.acceptance = value(&ServeOptions::acceptance).value_or(0);
  q.load.drafted = value(&ServeOptions::drafted).value_or(0);
  q.tokens_per_second_per_user = value(&ServeOptions::per_user);
  q.token_price = value(&ServeOptions::token_price);
  q.sold = value(&ServeOptions::load);
  const std::optional<double> prefill = value(&ServeOptions::prefill);
  q.load.apart = prefill.has_value();
  if (prefill > 0) q.load.prefill_gpus = prefill;
  // One screen of text has no curve.
  const bool screen = format == Format::table && !typed.output.details && typed.claim.empty();
  q.curve = !typed.no_curve && !screen;
  q.explain = typed.explain;
  return q;
}

int run_serve(ServeOptions& typed, Session& session) {
  const Format format = typed.output.choose();
  ServingQuestion question = question_of(typed, format, session);
  if (!typed.claim.empty()) prepare_claim(question, session.catalog());
  if (typed.claim.empty() && !typed.claim_reference.empty()) {
    throw Error(ErrorKind::usage, "conditions of a reference belong to a claim",
                "add --claim, e.g. \"35x over h200\"", "--claim-reference");
  }
  if (typed.claim.empty() && !typed.token_price.empty()) {
    throw Error(ErrorKind::usage, "a price of sold tokens belongs to a claim of revenue",
                "add --claim, e.g. \"$5M into $75M\"", "--token-price");
  }
  Output output(typed.output.path);
  ServingReport report = serving_report(question, session.catalog());
  report.request = request_json(typed);
  if (!typed.claim.empty()) {
    report.claim = judge_claim(typed.claim, typed.claim_reference, session.catalog(), report);
  }
  Document document = serving_document(report);
  document.command = session.command;
  output.write(render(document, format, style_of(typed.output, format, session)));
  output.commit();
  if (format == Format::table) return kExitOk;  // the text has the warnings
  for (const ServingRow& row : report.rows) {
    if (!row.problem.empty()) session.warn(row.problem + (row.hint.empty() ? "" : ": " + row.hint));
  }
  for (const std::string& warning : report.warnings) session.warn(warning);
  return kExitOk;
}

// Scenario fields that apply to serving: model, platform and price.
bool belongs_to_serving(const FieldInfo& info) {
  constexpr Field kAlso[] = {Field::model_name,    Field::model_params,
                             Field::model_vocab,   Field::hardware_accelerator,
                             Field::hardware_gpus, Field::hardware_system};
  if (std::ranges::find(kAlso, info.field) != std::end(kAlso)) return true;
  return (affects(info.field, AffectedStage::rates) || affects(info.field, AffectedStage::price)) &&
         !affects(info.field, AffectedStage::bill);
}

}  // namespace

Action define_serve(Flags& flags, Session& session) {
  auto typed = std::make_shared<ServeOptions>();
  typed->scenario.add(flags, session, belongs_to_serving);
  flags.group("Serving");
  for (const NumberOption& option : kNumbers) {
    flags.add(option.flag, (*typed).*option.text, "N", option.help);
  }
  for (const WordOption& option : kWords) {
    flags.add(option.flag, (*typed).*option.text, option.value, option.help);
  }
  flags.group("Output");
  flags.add("--no-curve", typed->no_curve, "leave out throughput over concurrency");
  flags.add("--explain", typed->explain, "every formula with its numbers and sources");
  add_details_option(flags, typed->output);
  add_output_options(flags, typed->output);
  return [typed, &session] { return run_serve(*typed, session); };
}

}  // namespace trcost::cli

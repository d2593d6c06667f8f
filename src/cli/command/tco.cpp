// SPDX-License-Identifier: Apache-2.0
#include "study/tco/tco.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/output.h"
#include "cli/session/session.h"
#include "report/about/documents.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

struct TcoArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  std::string years, growth, serve, api_price;
  bool strict = false;
};

bool belongs_to_tco(const FieldInfo& info) {
  constexpr Field kFields[] = {Field::hardware_accelerator,
                               Field::hardware_gpus,
                               Field::hardware_system,
                               Field::cost_price_per_gpu_hour,
                               Field::cost_price_class,
                               Field::cost_provider,
                               Field::cost_region,
                               Field::cost_electricity_price,
                               Field::cost_watts_per_gpu,
                               Field::cost_pue,
                               Field::cost_utilization,
                               Field::cost_colocation,
                               Field::cost_purchase_price,
                               Field::cost_node_price,
                               Field::cost_depreciation,
                               Field::cost_prices,
                               Field::cost_support_rate,
                               Field::cost_capital_rate,
                               Field::cost_as_of};
  return std::ranges::find(kFields, info.field) != std::end(kFields);
}

double bounded_number(const std::string& text, NumberKind kind, double low, double high,
                      std::string_view flag) {
  const double value = flag_number(text, kind, flag);
  if (value >= low && value <= high) return value;
  throw Error(ErrorKind::usage, "\"" + text + "\" is outside the allowed range",
              fmt::format("from {:.2g} to {:.6g}", low, high), std::string(flag));
}

// A change per year: 0.1, -0.2 or -20%.
double growth_of(const std::string& text) {
  const bool falls = text.starts_with('-');
  std::string size = falls ? text.substr(1) : text;
  const bool percent = size.ends_with('%');
  if (percent) size.pop_back();
  const double value =
      flag_number(size, NumberKind::number, "--price-growth") * (percent ? 0.01 : 1);
  const double most = falls ? 0.9 : 2;
  if (value > most) {
    throw Error(ErrorKind::usage, "\"" + text + "\" is outside the allowed range",
                "from -0.9 to 2, such as 0.1 or -20%", "--price-growth");
  }
  return falls ? -value : value;
}

// `3`, or a time such as `36mo`.
double years_of(const std::string& typed) {
  constexpr double kLeast = 1.0 / 12, kMost = 20, kSeconds = 365 * 86400.0;
  if (std::isalpha(static_cast<unsigned char>(typed.back())) == 0) {
    return bounded_number(typed, NumberKind::number, kLeast, kMost, "--years");
  }
  const double seconds =
      bounded_number(typed, NumberKind::duration, kLeast * kSeconds, kMost * kSeconds, "--years");
  constexpr double kTwelfths = 12;
  return std::round(seconds / kSeconds * kTwelfths) / kTwelfths;
}

TcoRequest tco_request_of(const TcoArguments& typed, Session& session) {
  TcoRequest request;
  request.scenario = typed.scenario.read(session);
  if (!typed.years.empty()) {
    request.years = years_of(typed.years);
  }
  if (!typed.growth.empty()) {
    request.price_growth = growth_of(typed.growth);
  }
  request.serve = typed.serve;
  if (!typed.api_price.empty()) {
    if (typed.serve.empty()) {
      throw Error(ErrorKind::usage, "--api-price is the price of a served model's tokens",
                  "add --serve MODEL", "--api-price");
    }
    request.api_usd_per_million =
        bounded_number(typed.api_price, NumberKind::money, 1e-6, 1e6, "--api-price");
  }
  return request;
}

int run_tco(const TcoArguments& typed, Session& session) {
  const Format format = typed.output.choose();
  const TcoRequest request = tco_request_of(typed, session);
  Output output(typed.output.path);
  const TcoReport report = compute_tco(request, session.catalog());
  Document document = tco_document(report);
  document.command = session.command;
  output.write(render(document, format, style_of(typed.output, format, session)));
  output.commit();
  if (format != Format::table) {  // the text has them
    for (const std::string& warning : report.warnings) session.warn(warning);
    for (const auto& failure : report.failures) session.warn(failure_line(failure));
  }
  if (!typed.strict) return kExitOk;
  const std::vector<std::string> reasons = tco_strict_reasons(report);
  for (const std::string& reason : reasons) session.error(reason);
  return reasons.empty() && report.failures.empty() ? kExitOk : kExitCheckFailed;
}

}  // namespace

Action define_tco(Flags& flags, Session& session) {
  auto typed = std::make_shared<TcoArguments>();
  flags.group("Years");
  flags.add("--years", typed->years, "Y", "years that are covered (default 3)");
  flags.add("--price-growth", typed->growth, "F",
            "change of rents per year, such as 0.1 or -0.2 (default 0)");
  flags.add("--serve", typed->serve, "MODEL", "add the price and energy of this model's tokens");
  flags.add("--api-price", typed->api_price, "USD",
            "price of a million tokens that are bought instead: adds the tokens per day from which "
            "serving yourself costs less");
  typed->scenario.add(flags, session, belongs_to_tco);
  add_details_option(flags, typed->output);
  add_output_options(flags, typed->output);
  flags.group("Output");
  flags.add("--strict", typed->strict,
            "exit 3 when a row has no total, a price is imputed, of another class or region, or "
            "older than a year, or an accelerator has no answer");
  return [typed, &session] { return run_tco(*typed, session); };
}

}  // namespace trcost::cli

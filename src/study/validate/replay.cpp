// SPDX-License-Identifier: Apache-2.0
#include "study/validate/replay.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "quantity/portable_math.h"
#include "quantity/statistics.h"
#include "study/validate/validate.h"
#include "trcost/error.h"

namespace trcost::study {

namespace {

// Removes the text up to and including the mark from `rest`, and returns it without the mark.
std::string_view cut(std::string_view& rest, char mark) {
  const std::size_t end = std::min(rest.find(mark), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

Scenario parse_scenario(std::string_view pairs, std::string_view id) {
  Scenario scenario;
  while (!pairs.empty()) {
    std::string_view value = cut(pairs, ' ');
    if (value.empty()) continue;
    const std::string_view path = cut(value, '=');
    scenario.set(require_field(path), value, id);
  }
  return scenario;
}

// The smallest value that nine of ten do not exceed.
double nine_tenths(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t above = values.size() / 10;
  return values[values.size() - 1 - above];
}

}  // namespace

std::string source_site(std::string_view source) {
  constexpr std::string_view kHost = "github.com/";
  if (source.starts_with(kHost)) source.remove_prefix(kHost.size());
  std::size_t end = source.find(' ');
  std::size_t slash = source.find('/');
  if (slash != std::string_view::npos) slash = source.find('/', slash + 1);
  end = std::min(end, slash);
  return std::string(source.substr(0, end));
}

bool selected(const ReplayableRun& run, const ValidationFilter& filter) {
  const auto part = [](const std::string& text, const std::string& wanted) {
    return text.find(wanted) != std::string::npos;
  };
  const auto same = [&](std::string_view path, const std::string& wanted) {
    return wanted.empty() ||
           (run.scenario + " ").find(std::string(path) + "=" + wanted + " ") != std::string::npos;
  };
  return part(run.source, filter.source) && part(run.title + " " + run.scenario, filter.model) &&
         same("hardware.accelerator", filter.accelerator) && same("efficiency.stack", filter.stack);
}

void judge(Replay& replay) {
  replay.error = replay.predicted / replay.measured - 1;
  replay.inside = replay.range.p10 <= replay.measured && replay.measured <= replay.range.p90;
}

SourceVotes count_votes(std::span<const Replay* const> rows) {
  struct Sum {
    double log = 0;
    int rows = 0;
    int inside = 0;
  };
  std::map<std::string_view, Sum> sources;
  for (const Replay* row : rows) {
    Sum& sum = sources[row->source];
    sum.log += portable_log(row->predicted / row->measured);
    sum.rows += 1;
    sum.inside += row->inside ? 1 : 0;
  }
  SourceVotes out;
  if (sources.empty()) return out;
  std::vector<double> votes, sizes;
  for (const auto& [source, sum] : sources) {
    votes.push_back(sum.log / sum.rows);
    sizes.push_back(std::abs(votes.back()));
    out.coverage +=
        static_cast<double>(sum.inside) / sum.rows / static_cast<double>(sources.size());
  }
  out.rows = static_cast<int>(rows.size());
  out.sources = static_cast<int>(sources.size());
  out.factor = portable_exp(median(sizes));
  out.p90_factor = portable_exp(nine_tenths(std::move(sizes)));
  out.bias = portable_exp(median(std::move(votes)));
  return out;
}

Scenario replay_scenario(const ReplayableRun& run) {
  if (run.scenario.empty() || !run.measured) {
    throw Error(ErrorKind::no_answer, run.why_not.empty() ? "not measured" : run.why_not);
  }
  std::string_view rest = run.scenario;
  Scenario scenario = parse_scenario(cut(rest, '|'), run.id);
  while (!rest.empty()) {
    std::string name = std::to_string(scenario.stages.size() + 1);
    scenario.stages.push_back({std::move(name), parse_scenario(cut(rest, '|'), run.id)});
  }
  return scenario;
}

}  // namespace trcost::study

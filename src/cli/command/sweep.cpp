// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "cli/command/commands.h"
#include "cli/flags/flags.h"
#include "cli/flags/scenario_options.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/output/sweep_output.h"
#include "cli/session/session.h"
#include "prices/rows/price_book.h"
#include "report/about/sweep.h"
#include "report/format/row_stream.h"
#include "study/sweep/axis.h"
#include "study/sweep/plan.h"
#include "study/sweep/price_doubts.h"
#include "text/files.h"
#include "trcost/error.h"

namespace trcost::cli {
namespace {

// Notes the files that a scenario names (models, chips, systems) as read. A sweep reads them row by
// row while its output grows, which has to be refused before the first row.
void note_named_files(const Scenario& scenario) {
  for (const FieldInfo& info : fields()) {
    const bool names =
        info.kind == FieldKind::text || (info.kind == FieldKind::list && info.choices.empty());
    if (!names || !scenario.has(info.field)) continue;
    for (const std::string& name : scenario.names(info.field)) note_input(name);
  }
  for (const Scenario::Stage& stage : scenario.stages) note_named_files(stage.overrides);
}

void note_named_files(const SweepAxis& axis) {
  if (axis.numeric()) return;
  for (std::uint64_t i = 0; i < axis.size(); ++i) note_input(axis.word(i));
}

struct SweepArguments {
  ScenarioOptions scenario;
  OutputOptions output;
  SweepRequest request;
  std::string top;
  std::string shard;
  std::string threads;
  std::string resume;
  bool strict = false;
};

std::optional<std::uint64_t> whole_number(const std::string& text, double most,
                                          std::string_view flag) {
  if (text.empty()) return std::nullopt;
  const double value = flag_number(text, NumberKind::integer, flag);
  if (value < 1 || value > most) {
    throw Error(ErrorKind::usage, fmt::format("{} is outside the allowed range", text),
                fmt::format("use a whole number from 1 to {}", format_exact(most)),
                std::string(flag));
  }
  return static_cast<std::uint64_t>(value);
}

// Whether rows are written as they come, so that an interruption leaves a part.
bool grows(const SweepPlan& plan, Format format) {
  return plan.streams() && format_info(format).form == Form::lines;
}

void refuse_resume(const SweepArguments& arguments, const SweepPlan& plan, Format format) {
  if (arguments.resume.empty()) return;
  const auto refuse = [](std::string message, std::string hint) {
    throw Error(ErrorKind::usage, std::move(message), std::move(hint), "--resume");
  };
  if (arguments.resume == "-") refuse("stdout cannot be continued", "name a file");
  if (arguments.output.path != "-" && arguments.output.path != arguments.resume) {
    refuse("--resume and -o name two files", "set --resume alone: rows are added to its file");
  }
  if (!plan.streams()) {
    refuse("what --sort, --top or --pareto order is written at the end, in one piece",
           "leave --resume out, or order the rows afterwards");
  }
  if (!grows(plan, format)) {
    refuse(fmt::format("only {} can be continued", format_names(Form::lines)),
           fmt::format("add --format {}", format_names(Form::lines)));
  }
  if (arguments.strict && !plan.conditions().empty()) {
    refuse("rows without an answer that --where left out before are not counted for --strict",
           "leave one of the three out");
  }
}

// Refuses parts whose concatenation is not the whole.
void refuse_shard(const SweepPlan& plan, Format format) {
  if (!plan.sharded()) return;
  const auto refuse = [](std::string message, std::string hint) {
    throw Error(ErrorKind::usage, std::move(message), std::move(hint), "--shard");
  };
  if (!plan.streams()) {
    refuse("parts that --sort, --top or --pareto order are not the whole one after another",
           "compute the parts without it, and order the rows of all afterwards");
  }
  if (!grows(plan, format)) {
    refuse(
        fmt::format("parts of {} are not one document one after another", format_info(format).name),
        fmt::format("add --format {}", format_names(Form::lines)));
  }
}

class Sweeping {
 public:
  Sweeping(const SweepArguments& arguments, Session& session)
      : arguments_(arguments),
        session_(session),
        format_(choose_format()),
        plan_(request(), session.catalog()) {
    note_named_files(plan_.base());
    for (const SweepAxis& axis : plan_.axes()) note_named_files(axis);
    refuse_resume(arguments, plan_, format_);
    refuse_shard(plan_, format_);
    const bool priced = std::ranges::any_of(plan_.columns(), &EstimateColumn::priced);
    if (priced) doubts_ = find_price_doubts(plan_, session.catalog());
    run_.begin = plan_.begin();
    run_.end = plan_.end();
    resumed_.next = plan_.begin();
    constexpr double kMostThreads = 4096;
    run_.threads = static_cast<unsigned>(
        whole_number(arguments.threads, kMostThreads, "--threads").value_or(0));
  }

  int run() {
    const InterruptGuard guard;
    run_.stop = &guard.flag();
    const SweepOutcome outcome = grows(plan_, format_) ? run_growing() : run_whole();
    report(outcome);
    return exit_code(outcome);
  }

 private:
  void report(const SweepOutcome& outcome) const {
    if (format_ != Format::table) {  // the text has them
      for (const std::string& warning : first_warnings(doubts_.lines)) session_.warn(warning);
    }
    arguments_.scenario.note_rows(session_);
    if (arguments_.strict && doubts_.doubtful) {
      session_.error(
          "--strict: a price is imputed, of another class or region, or older than a year",
          "set --price USD, or vary among providers and regions that have one");
    }
    if (outcome.failed > 0) {
      session_.warn(fmt::format("{} of {} rows have no answer, the first one: {}", outcome.failed,
                                outcome.computed, outcome.first_error));
    }
    // A part may well have no row, and rows without an answer were reported above.
    const bool no_row = outcome.written == 0 && !resumed() && !plan_.conditions().empty() &&
                        !plan_.sharded() && outcome.failed < outcome.computed;
    if (no_row && !outcome.interrupted) {
      session_.warn(fmt::format("none of the {} rows meets every --where", plan_.size()));
    }
    if (!outcome.interrupted) return;
    const bool file = grows(plan_, format_) && path() != "-";
    session_.error(resumed_.interrupted
                       ? fmt::format("interrupted while the rows of {} were checked", path())
                       : fmt::format("interrupted after {} of {} rows", outcome.computed,
                                     run_.end - run_.begin),
                   file ? fmt::format("continue with the same flags and --resume {}", path()) : "");
  }

  // Whether the file that is continued had a row.
  [[nodiscard]] bool resumed() const { return resumed_.next > plan_.begin(); }

  // A file that was continued ends with the code of one that was written at once. Its rows are
  // counted only where those computed now leave the code open.
  [[nodiscard]] int exit_code(const SweepOutcome& outcome) const {
    if (outcome.interrupted) return kExitInterrupted;
    const auto tally = [&] {
      return resumed() ? tally_rows(plan_, sweep_file(plan_, format_), path(), resumed_.bytes)
                       : SweepTally{};
    };
    if (arguments_.strict) {
      if (doubts_.doubtful) return kExitCheckFailed;
      const bool failed = outcome.failed > 0 || resumed_.failed || tally().failed > 0;
      return failed ? kExitCheckFailed : kExitOk;
    }
    const bool none = plan_.end() > plan_.begin() && outcome.failed == outcome.computed &&
                      !resumed_.answered && !plan_.sharded();
    return none && tally().failed == resumed_.next - plan_.begin() ? kExitFailure : kExitOk;
  }

  [[nodiscard]] const std::string& path() const {
    return arguments_.resume.empty() ? arguments_.output.path : arguments_.resume;
  }

  [[nodiscard]] OutputOptions typed_output() const {
    OutputOptions output = arguments_.output;
    output.path = path();
    return output;
  }

  [[nodiscard]] Format choose_format() const {
    const OutputOptions output = typed_output();
    const bool terminal =
        output.path == "-" && isatty(STDOUT_FILENO) == 1 && arguments_.shard.empty();
    return output.choose(terminal ? Format::table : Format::csv);
  }

  [[nodiscard]] SweepRequest request() const {
    SweepRequest out = arguments_.request;
    Scenario first;
    for (const std::string& text : out.vary) {
      const SweepAxis axis = SweepAxis::parse(text);
      const bool platform = axis.field().field == Field::hardware_accelerator;
      if (!platform && axis.size() > 0) axis.set(first, 0);
    }
    out.base = arguments_.scenario.read_row(session_, first, out.derive);
    out.fixed = arguments_.scenario.typed();
    out.top = whole_number(arguments_.top, 1e9, "--top");
    if (!arguments_.shard.empty()) out.shard = parse_shard(arguments_.shard);
    return out;
  }

  void check_resumed_file() {
    ProgressLine progress(kRecheckedRows, session_.options.quiet);
    run_.progress = [&](std::uint64_t done) { progress.show(done); };
    resumed_ = resume_sweep(plan_, session_.catalog(), sweep_file(plan_, format_), path(), run_);
    if (resumed() && !resumed_.interrupted) {
      session_.note(fmt::format("{} of {} rows of the grid are done in {}",
                                resumed_.next - plan_.begin(), plan_.end() - plan_.begin(),
                                path()));
    }
  }

  SweepOutcome compute(const SweepDocument::Write& add) {
    ProgressLine progress(run_.end - run_.begin, session_.options.quiet);
    run_.progress = [&](std::uint64_t done) { progress.show(done); };
    return run_plan(plan_, session_.catalog(), run_, sweep_renderer(plan_, format_), add);
  }

  SweepOutcome run_growing() {
    if (!arguments_.resume.empty()) check_resumed_file();
    if (resumed_.interrupted) {
      SweepOutcome checked;
      checked.interrupted = true;
      return checked;
    }
    run_.begin = resumed_.next;
    SweepOutput output(path(), resumed_.bytes);
    SweepDocument document(
        plan_, format_, {}, [&](std::string_view text) { output.write(text); },
        std::string(price_date(session_.catalog())), {}, doubts_.lines);
    if (resumed_.bytes == 0) document.open();
    const SweepOutcome outcome = compute([&](std::string_view rows) { document.add(rows); });
    output.flush();
    return outcome;
  }

  SweepOutcome run_whole() {
    Output output(path());
    SweepDocument document(
        plan_, format_, style_of(typed_output(), format_, session_),
        [&](std::string_view text) { output.write(text); },
        std::string(price_date(session_.catalog())), session_.command, doubts_.lines);
    // Rows to be ordered can be refused after some thousands: their head comes with the first.
    bool opened = false;
    const auto open = [&] {
      if (!std::exchange(opened, true)) document.open();
    };
    if (plan_.streams()) open();
    const SweepOutcome outcome = compute([&](std::string_view rows) {
      open();
      document.add(rows);
    });
    open();
    if (!outcome.interrupted) {
      document.close();
      output.commit();
    } else if (can_stream(format_) && path() == "-") {
      document.close(true);  // what stands on stdout already stays readable
    }
    return outcome;
  }

  const SweepArguments& arguments_;
  Session& session_;
  Format format_;
  SweepPlan plan_;
  PriceWarnings doubts_;
  SweepRun run_;
  SweepResume resumed_;  ///< what the file had before
};

void add_rows_options(Flags& flags, SweepArguments& arguments) {
  flags.group("Sweep");
  flags.add("--vary", arguments.request.vary, "PATH=VALUES",
            "an axis: values a,b,c, a..b:step, a..b:x2, or @FILE with one per line. Write one "
            "--vary per field, the last one changes fastest");
  flags.add("--where", arguments.request.where, "NAME>=VALUE",
            "keep rows by a field or a result, like memory.fits=true, or error= for those "
            "with an answer. Several must all hold");
  flags.add("--select", arguments.request.select, "COLUMN,..", "columns to show (default: all)");
  flags.add("--sort", arguments.request.sort, "COLUMN,..",
            "order by columns or axes, with COLUMN:desc for the highest first. All rows wait in "
            "memory, some 200 bytes each and 10 a column, at most 1 GiB, unless --top keeps a few");
  flags.add("--top", arguments.top, "N", "the first N rows of --sort");
  flags.add("--pareto", arguments.request.pareto, "COLUMN,..",
            "the rows that no other row beats, like wall_clock_seconds,cost.total, with :min or "
            ":max where the better direction is not known");
}

void add_run_options(Flags& flags, SweepArguments& arguments) {
  flags.group("Scale");
  flags.add("--shard", arguments.shard, "I/N",
            fmt::format("compute part I of N as {}. The parts one after another are the whole",
                        format_names(Form::lines)));
  flags.add(
      "--resume", arguments.resume, "FILE",
      fmt::format("continue an interrupted file of {}, or begin it", format_names(Form::lines)));
  flags.add("--threads", arguments.threads, "N", "threads (default: all cores)");
}

}  // namespace

Action define_sweep(Flags& flags, Session& session) {
  auto arguments = std::make_shared<SweepArguments>();
  add_rows_options(flags, *arguments);
  add_run_options(flags, *arguments);
  arguments->scenario.add(flags, session);
  add_output_options(flags, arguments->output, "a table on a terminal and csv elsewhere");
  flags.group("Output");
  flags.add(
      "--strict", arguments->strict,
      "exit 3 when a row has no answer, or a price is imputed, of another class or region, or "
      "older than a year");
  return [arguments, &session] { return Sweeping(*arguments, session).run(); };
}

}  // namespace trcost::cli

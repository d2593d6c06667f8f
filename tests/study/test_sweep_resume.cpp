// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "cli/output/sweep_output.h"
#include "report/about/sweep.h"
#include "study/sweep/plan.h"
#include "study/sweep/resume.h"
#include "study/sweep/worker.h"
#include "trcost/error.h"

namespace {

using trcost::Field;
using trcost::Format;
using trcost::SweepPlan;
using trcost::SweepRequest;

constexpr const char* kFile = "sweep-resume.out";

SweepRequest grid() {
  SweepRequest out;
  out.base.set_number(Field::model_params, 7e9);
  out.base.set_number(Field::data_tokens, 1e11);
  out.base.set_number(Field::efficiency_mfu, 0.4);
  out.base.set_number(Field::layout_tp, 1);
  out.base.set_number(Field::layout_pp, 1);
  out.base.set_text(Field::hardware_accelerator, "h100-sxm,a100-sxm-80gb");
  out.vary = {"train.precision=bf16,fp8", "hardware.gpus=8..64:x2",
              "cost.price_per_gpu_hour=1.5..2.5:0.25"};
  out.select = "gpu_hours,cost.total,performance.method";
  return out;
}

// The rest of the document from a row on, the opening included where `open`.
std::string rest(const SweepPlan& plan, Format format, std::uint64_t begin, bool open) {
  std::string out;
  trcost::SweepDocument document(plan, format, {}, [&](std::string_view text) { out += text; });
  trcost::SweepRun run;
  run.threads = 1;
  run.begin = begin;
  run.end = plan.end();
  if (open) document.open();
  trcost::run_plan(plan, test_catalog(), run, trcost::sweep_renderer(plan, format),
                   [&](std::string_view rows) { document.add(rows); });
  return out;
}

void write(const std::string& text) {
  std::ofstream(kFile, std::ios::binary) << text;
}

std::string file() {
  std::ifstream in(kFile, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

trcost::SweepResume resume_of(const SweepPlan& plan, Format format) {
  return trcost::resume_sweep(plan, test_catalog(), trcost::sweep_file(plan, format), kFile);
}

std::string continued(const SweepPlan& plan, Format format) {
  const trcost::SweepResume resume = resume_of(plan, format);
  return file().substr(0, resume.bytes) + rest(plan, format, resume.next, resume.bytes == 0);
}

void check_refused(const SweepRequest& other, const std::string& why) {
  const std::string before = file();
  INFO(why);
  try {
    resume_of(SweepPlan(other, test_catalog()), Format::csv);
    FAIL("the file of another sweep was accepted");
  } catch (const trcost::Error& error) {
    CHECK(error.kind == trcost::ErrorKind::data);
    CHECK_THAT(error.what(), Catch::Contains("another sweep") && Catch::Contains(why));
  }
  CHECK(file() == before);
}

}  // namespace

TEST_CASE("a file cut anywhere is continued to the same bytes", "[sweep]") {
  for (const Format format : {Format::csv, Format::jsonl}) {
    const SweepPlan plan(grid(), test_catalog());
    const std::string whole = rest(plan, format, plan.begin(), true);
    REQUIRE(whole.size() > 3000);
    for (std::size_t cut = 0; cut <= whole.size(); cut += cut < 200 ? 1 : 97) {
      write(whole.substr(0, cut));
      REQUIRE(continued(plan, format) == whole);
    }
    write(whole);
    CHECK(resume_of(plan, format).next == plan.end());
    std::remove(kFile);
    CHECK(continued(plan, format) == whole);
  }
}

TEST_CASE("a part, and a subset, are continued too", "[sweep]") {
  SweepRequest request = grid();
  request.shard = trcost::SweepShard{2, 3};
  request.where = {"cost.total<=20k", "accelerator=h100-sxm"};
  const SweepPlan plan(request, test_catalog());
  const std::string whole = rest(plan, Format::csv, plan.begin(), true);
  REQUIRE(whole.size() > 300);
  REQUIRE_FALSE(whole.starts_with("train.precision"));
  for (std::size_t cut = 0; cut <= whole.size(); cut += 11) {
    write(whole.substr(0, cut));
    REQUIRE(continued(plan, Format::csv) == whole);
  }
  std::remove(kFile);
}

TEST_CASE("a file of another sweep is refused and left alone", "[sweep]") {
  const SweepPlan plan(grid(), test_catalog());
  const std::string whole = rest(plan, Format::csv, plan.begin(), true);
  write(whole.substr(0, whole.size() / 2));
  SweepRequest other = grid();
  other.select = "gpu_hours";
  check_refused(other, "header");
  other = grid();
  other.base.set_number(Field::data_tokens, 2e11);
  check_refused(other, "computed again");
  other = grid();
  other.vary[2] = "cost.price_per_gpu_hour=1.5..2.5:0.5";
  check_refused(other, "not one of this grid");
  other = grid();
  other.vary[1] = "hardware.gpus=8,32,16,64";  // the same rows in another order
  check_refused(other, "place");
  other = grid();
  other.shard = trcost::SweepShard{1, 64};
  check_refused(other, "not one of this grid");
  // One of the last rows is missing, stands twice, has a cell too many or another price, or two
  // have changed places.
  const std::size_t end = whole.rfind('\n', whole.size() - 2) + 1;
  std::size_t middle = end;
  for (int i = 0; i < 4; ++i) middle = whole.rfind('\n', middle - 2) + 1;
  const std::size_t next = whole.find('\n', middle) + 1;
  const std::string line = whole.substr(middle, next - middle);
  const std::string after = whole.substr(next, whole.find('\n', next) + 1 - next);
  for (const std::string& damaged :
       {after, after + line, line + line + after, line + line, "0," + line + after,
        line.substr(0, line.size() - 1) + "0\n" + after}) {
    write(whole.substr(0, middle) + damaged + whole.substr(next + after.size()));
    check_refused(grid(), "another sweep");
  }
  // A complete file of other prices, as one of another version of the program would be.
  write(whole);
  other = grid();
  other.base.set_number(Field::data_tokens, 2e11);
  try {
    resume_of(SweepPlan(other, test_catalog()), Format::csv);
    FAIL("another answer was accepted");
  } catch (const trcost::Error& error) {
    CHECK_THAT(error.what(), !Catch::Contains("belongs to another sweep"));
    CHECK_THAT(error.hint, Catch::Contains("all rows"));
  }
  // The first row is another one, or missing.
  const std::size_t first = whole.find('\n') + 1;
  const std::size_t second = whole.find('\n', first) + 1;
  write(whole.substr(0, first) + whole.substr(second));
  check_refused(grid(), "place");
  write(whole.substr(0, second - 1) + "0\n" + whole.substr(second));
  check_refused(grid(), "computed again");
  // What follows the last whole row is not the beginning of the next.
  write(whole.substr(0, next) + "notes");
  check_refused(grid(), "the text after");
  write(whole + "b");
  check_refused(grid(), "the text after");
  write(whole + "\n");
  check_refused(grid(), "not one of this grid");
  // Not of a sweep at all.
  write("train.precision\nsome text\n");
  check_refused(grid(), "header");
  std::remove(kFile);
}

TEST_CASE("time of a resume does not depend on the rows that a file has", "[sweep]") {
  SweepRequest request = grid();
  request.vary[2] = "cost.price_per_gpu_hour=1..5:0.001";
  const SweepPlan plan(request, test_catalog());
  std::string whole = rest(plan, Format::csv, plan.begin(), true);
  const std::string begun = whole.substr(0, whole.size() * 63 / 64);
  write(begun);
  REQUIRE(continued(plan, Format::csv) == whole);
  std::uint64_t checked = 0;
  trcost::SweepRun run;
  run.progress = [&](std::uint64_t done) { checked = std::max(checked, done + 1); };
  const trcost::SweepFile lines = trcost::sweep_file(plan, Format::csv);
  CHECK(trcost::resume_sweep(plan, test_catalog(), lines, kFile, run).answered);
  CHECK(checked == trcost::kRecheckedRows);
  // Another value in the middle of a slow axis shows, although the last rows are the same.
  SweepRequest other = request;
  other.vary[1] = "hardware.gpus=8,24,32,64";
  check_refused(other, "not one of this grid");
  // An interruption ends the check before it has a result.
  std::atomic<bool> stop{true};
  run.stop = &stop;
  CHECK(trcost::resume_sweep(plan, test_catalog(), lines, kFile, run).interrupted);
  std::remove(kFile);
}

TEST_CASE("rows of a file are counted, and those without an answer", "[sweep]") {
  SweepRequest request = grid();
  request.base.set_text(Field::hardware_accelerator, "a100-sxm-80gb");
  const SweepPlan plan(request, test_catalog());
  for (const Format format : {Format::csv, Format::jsonl}) {
    const std::string whole = rest(plan, format, plan.begin(), true);
    write(whole + "half a row");
    const trcost::SweepTally tally =
        trcost::tally_rows(plan, trcost::sweep_file(plan, format), kFile, whole.size());
    CHECK(tally.rows == plan.size());
    CHECK(tally.failed == plan.size() / 2);  // fp8
  }
  std::remove(kFile);
}

TEST_CASE("a row of a long axis is found by its value", "[sweep]") {
  SweepRequest request = grid();
  request.vary = {"data.tokens=1e9..9e10:1", "train.precision=bf16,fp8"};
  request.where = {"cost.total>0"};
  for (const Format format : {Format::csv, Format::jsonl}) {
    for (const std::uint64_t part : {1ULL, 500'000'000ULL, 999'999'999ULL}) {
      request.shard = trcost::SweepShard{part, 1'000'000'000};
      const SweepPlan plan(request, test_catalog());
      const std::string whole = rest(plan, format, plan.begin(), true);
      write(whole);
      // One row in four has no answer: fp8 on the second platform.
      const std::uint64_t last = plan.end() - (plan.end() % 4 == 0 ? 2 : 1);
      CHECK(resume_of(plan, format).next == last + 1);
    }
  }
  std::remove(kFile);
}

// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "catalog_fixture.h"
#include "catch.h"
#include "report/about/sweep.h"
#include "study/sweep/lines.h"
#include "study/sweep/worker.h"
#include "trcost/error.h"
#include "trcost/sweep.h"

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
  trcost::run_sweep(plan, test_catalog(), run, trcost::sweep_renderer(plan, format),
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
  other.shard = trcost::SweepShard{1, 64};
  check_refused(other, "not one of this grid");
  // A row in the middle is missing.
  std::string holed = whole.substr(0, whole.size() * 3 / 4);
  const std::size_t middle = holed.find('\n', holed.size() / 2) + 1;
  holed.erase(middle, holed.find('\n', middle) + 1 - middle);
  write(holed);
  check_refused(grid(), "due");
  // Two rows have changed places, a row stands twice, one has a cell too many, one another price.
  const std::size_t next = whole.find('\n', middle) + 1;
  const std::string line = whole.substr(middle, next - middle);
  const std::string after = whole.substr(next, whole.find('\n', next) + 1 - next);
  for (const std::string& damaged : {after + line, line + line, "0," + line + after,
                                     line.substr(0, line.size() - 1) + "0\n" + after}) {
    write(whole.substr(0, middle) + damaged + whole.substr(next + after.size()));
    check_refused(grid(), "another sweep");
  }
  // What follows the last whole row is not the beginning of the next.
  write(whole.substr(0, next) + "notes");
  check_refused(grid(), "what follows");
  write(whole + "b");
  check_refused(grid(), "what follows");
  write(whole + "\n");
  check_refused(grid(), "empty line");
  // Not of a sweep at all.
  write("train.precision\nsome text\n");
  check_refused(grid(), "header");
  std::remove(kFile);
}

namespace {

// More rows than are computed again one and all: 8 sizes at 6401 prices.
SweepRequest long_grid() {
  SweepRequest out = grid();
  out.base.set_text(Field::hardware_accelerator, "h100-sxm");
  out.base.set_number(Field::hardware_gpus, 8);
  for (const Field one : {Field::layout_cp, Field::layout_vp, Field::train_micro_batch}) {
    out.base.set_number(one, 1);
  }
  out.base.set_number(Field::train_global_batch, 512);
  out.base.set_text(Field::layout_sharding, "optimizer");
  out.base.set_text(Field::layout_recompute, "full");
  out.vary = {"data.tokens=1e9..8e9:1e9", "cost.price_per_gpu_hour=1..9:0.00125"};
  out.base.set_number(Field::efficiency_production_overhead, 0.9);
  out.select = "cost.total";
  return out;
}

const std::string& long_file() {
  static const std::string out = [] {
    const SweepPlan plan(long_grid(), test_catalog());
    return rest(plan, Format::csv, plan.begin(), true);
  }();
  return out;
}

// Its lines of a total below `most`.
std::string cheap_lines(double most) {
  std::istringstream lines(long_file());
  std::string out;
  std::string line;
  for (std::getline(lines, out); std::getline(lines, line);) {
    const std::string total = line.substr(line.find(',', line.find(',') + 1) + 1);
    if (std::stod(total) < most) out += (out.ends_with('\n') ? "" : "\n") + line + '\n';
  }
  return out;
}

}  // namespace

TEST_CASE("a long file is continued, and refused wherever its sweep was another", "[sweep]") {
  const SweepPlan plan(long_grid(), test_catalog());
  const std::string& whole = long_file();
  const std::size_t cut = whole.size() * 63 / 64;
  write(whole.substr(0, cut));
  REQUIRE(continued(plan, Format::csv) == whole);
  // A size in the middle of the axis is another one.
  SweepRequest other = long_grid();
  other.vary[0] = "data.tokens=1e9,2e9,3e9,4e9,5.5e9,6e9,7e9,8e9";
  check_refused(other, "not one of this grid");
  // So is what one of them gives, although it is written alike.
  std::string changed = whole.substr(0, cut);
  const std::string size = "\n5000000000,";
  for (std::size_t at = changed.find(size); at != changed.npos; at = changed.find(size, at + 1)) {
    char& digit = changed[changed.find('\n', at + 1) - 2];
    digit = digit == '9' ? '8' : '9';
  }
  write(changed);
  check_refused(long_grid(), "computed again");
  std::remove(kFile);
}

TEST_CASE("a long file of a condition that has changed a little is refused", "[sweep]") {
  SweepRequest request = long_grid();
  request.where = {"cost.total<300"};
  const SweepPlan plan(request, test_catalog());
  const std::string whole = cheap_lines(300);
  const std::string begun = whole.substr(0, whole.find("\n8000000000,1,") + 1);
  REQUIRE(begun.size() > whole.size() * 3 / 4);
  write(begun);
  REQUIRE(continued(plan, Format::csv) == whole);
  // Few rows more or less at each size, which only the rows beside the gaps show.
  for (const char* where : {"cost.total<300.1", "cost.total<299.9"}) {
    SweepRequest other = long_grid();
    other.where = {where};
    write(begun);
    check_refused(other, "computed again");
  }
  // The same where another platform, whose rows lie between, hides the gaps.
  SweepRequest two = long_grid();
  two.base.set_text(Field::hardware_accelerator, "h100-sxm,b200");
  two.where = {"cost.total<600"};
  const SweepPlan both(two, test_catalog());
  write(rest(both, Format::csv, both.begin(), true));
  two.where = {"cost.total<600.1"};
  check_refused(two, "computed again");
  std::remove(kFile);
}

TEST_CASE("lines of a long axis are told apart from their neighbours", "[sweep]") {
  SweepRequest request = grid();
  request.vary = {"data.tokens=1e9..9e10:1", "train.precision=bf16,fp8"};
  const SweepPlan plan(request, test_catalog());
  for (const Format format : {Format::csv, Format::jsonl}) {
    trcost::SweepLineReader lines(plan, *trcost::sweep_file(plan, format).lines);
    trcost::SweepWorker worker(plan, test_catalog());
    const trcost::SweepRenderer render = trcost::sweep_renderer(plan, format);
    // Forwards by a little and by much, and back again.
    for (const std::uint64_t row :
         {0ULL, 1ULL, 2ULL, 3ULL, 7ULL, 9'999ULL, 20'000'000'001ULL, 20'000'000'002ULL, 5ULL}) {
      std::string line;
      worker.go_to(row);
      const bool answered = worker.compute().estimate != nullptr;
      render(worker.compute(), line);
      line.pop_back();
      INFO(line);
      CHECK(lines.row(line) == row);
      CHECK(lines.answered() == answered);
      CHECK_FALSE(lines.row(line + ",0"));
    }
  }
  trcost::SweepLineReader lines(plan, *trcost::sweep_file(plan, Format::csv).lines);
  CHECK(lines.row("1000000007,bf16,h100-sxm,1,2,model,") == 28);
  for (const char* wrong :
       {"1000000007.5,bf16,h100-sxm,1,2,model,", "1000000007,bf16,b200,1,2,model,",
        "1000000007.0,bf16,h100-sxm,1,2,model,", "1000000007,bf16,h100-sxm,1,2,model",
        "1e9,bf16,h100-sxm,1,2,model,", ""}) {
    INFO(wrong);
    CHECK_FALSE(lines.row(wrong));
  }
}

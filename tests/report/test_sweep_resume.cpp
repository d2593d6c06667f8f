// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "catch.h"
#include "trcost/error.h"
#include "trcost/sweep.h"
#include "trcost/sweep_report.h"

namespace {

using trcost::Field;
using trcost::Format;
using trcost::SweepPlan;
using trcost::SweepRequest;

constexpr const char* kFile = "sweep-resume.out";

const trcost::Catalog& catalog() {
  static const trcost::Catalog built_in;
  return built_in;
}

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
  trcost::run_sweep(plan, catalog(), run, trcost::sweep_renderer(plan, format),
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

std::string continued(const SweepPlan& plan, Format format) {
  const trcost::SweepResume resume = trcost::resume_sweep(plan, catalog(), format, kFile);
  return file().substr(0, resume.bytes) + rest(plan, format, resume.next, resume.bytes == 0);
}

void check_refused(const SweepRequest& other, const std::string& why) {
  const std::string before = file();
  INFO(why);
  try {
    trcost::resume_sweep(SweepPlan(other, catalog()), catalog(), Format::csv, kFile);
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
    const SweepPlan plan(grid(), catalog());
    const std::string whole = rest(plan, format, plan.begin(), true);
    REQUIRE(whole.size() > 3000);
    for (std::size_t cut = 0; cut <= whole.size(); cut += cut < 200 ? 1 : 97) {
      write(whole.substr(0, cut));
      REQUIRE(continued(plan, format) == whole);
    }
    write(whole);
    CHECK(trcost::resume_sweep(plan, catalog(), format, kFile).next == plan.end());
    std::remove(kFile);
    CHECK(continued(plan, format) == whole);
  }
}

TEST_CASE("a part, and a subset, are continued too", "[sweep]") {
  SweepRequest request = grid();
  request.shard = trcost::SweepShard{2, 3};
  request.where = {"cost.total<=20k", "accelerator=h100-sxm"};
  const SweepPlan plan(request, catalog());
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
  const SweepPlan plan(grid(), catalog());
  const std::string whole = rest(plan, Format::csv, plan.begin(), true);
  write(whole.substr(0, whole.size() / 2));
  SweepRequest other = grid();
  other.select = "gpu_hours";
  check_refused(other, "header");
  other = grid();
  other.base.set_number(Field::data_tokens, 2e11);
  check_refused(other, "first rows");
  other = grid();
  other.vary[2] = "cost.price_per_gpu_hour=1.5..2.5:0.5";
  check_refused(other, "rows");
  other = grid();
  other.shard = trcost::SweepShard{1, 64};
  check_refused(other, "rows");
  // A row in the middle is missing.
  std::string holed = whole.substr(0, whole.size() * 3 / 4);
  const std::size_t middle = holed.find('\n', holed.size() / 2) + 1;
  holed.erase(middle, holed.find('\n', middle) + 1 - middle);
  write(holed);
  check_refused(grid(), "rows where");
  // Not of a sweep at all.
  write("train.precision\nsome text\n");
  check_refused(grid(), "header");
  std::remove(kFile);
}

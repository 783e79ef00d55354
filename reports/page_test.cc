// SPDX-License-Identifier: Apache-2.0
// Tests that the page has every figure of random sets of result files.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "host/plan_picture.h"
#include "reports/graph_picture.h"
#include "reports/pareto_picture.h"
#include "reports/report.h"
#include "reports/views.h"
#include "reports/writers.h"

namespace lutra::reports {
namespace {

// Returns the number of sets. A release sets LUTRA_PAGE_SETS=200.
int Sets() {
  const char* const sets = std::getenv("LUTRA_PAGE_SETS");
  return sets != nullptr ? std::atoi(sets) : 20;
}

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  int64_t Number(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random_);
  }
  template <size_t kCount>
  std::string One(const char* const (&words)[kCount]) {
    return words[Number(0, kCount - 1)];
  }
  std::string Crc() { return fmt::format("{:08x}", Number(0, 0xFFFFFFFF)); }

 private:
  std::mt19937 random_;
};

host::ModelResult SomeRun(Draw* draw) {
  host::ModelResult run = {
      .path = "/some/where/" + draw->One({"kws", "ic", "one of mine", "sine"}) + ".tflite",
      .bytes = draw->Number(1, 1 << 20),
      .sha256 = draw->One({"00aa11bb22", "11bb22cc33"}),
      .operators = 1,
      .macs = 1000,
      .kernels = draw->One({"best", "ref", "avx2", ""}),
      .memory = draw->One({"fast", "small", ""}),
      .profile = "tflm"};
  if (draw->Number(0, 3) == 0) run.repack = "never";
  if (draw->Number(0, 9) > 0) run.arena = {.used_bytes = draw->Number(1, 1 << 22)};
  run.inference.runs = 1;
  if (draw->Number(0, 9) > 0) run.inference.median_ns = draw->Number(1, 1 << 30);
  if (draw->Number(0, 2) == 0)
    run.decompression = {.policy = draw->One({"per-use", "at-init", "streamed"}), .total_ns = 5};
  if (draw->Number(0, 4) == 0) run.delegates = {{.name = draw->One({"vta", "example"})}};
  run.inputs = {{"in", "int8", {1, 2}, draw->One({"0000aaaa", "1111bbbb"})}};
  for (int64_t outputs = draw->Number(1, 2); outputs > 0; --outputs)
    run.outputs.push_back({"out", "int8", {1, 2}, draw->Crc()});
  return run;
}

std::vector<ResultFile> SomeFiles(Draw* draw) {
  std::vector<ResultFile> files;
  for (int64_t count = draw->Number(1, 5); count > 0; --count) {
    ResultFile& file = files.emplace_back();
    file.path = fmt::format("{}.json", count);
    file.platform = draw->One({"x86_64", "cortex-m4", "my-board"});
    file.results.environment.platform = file.platform;
    file.results.environment.rounding = "double";
    std::vector<host::ModelResult>& runs = file.results.models.emplace();
    for (int64_t models = draw->Number(0, 4); models > 0; --models) runs.push_back(SomeRun(draw));
    // The same run occurs again, with another date or place.
    if (!runs.empty() && draw->Number(0, 2) == 0) {
      runs.push_back(runs.front());
      runs.back().inference.median_ns = draw->Number(1, 1 << 30);
      runs.back().outputs[0].crc32 = draw->Crc();
    }
  }
  return files;
}

TEST(Page, TellsEveryTimeArenaAndCrc) {
  for (int set = 0; set < Sets(); ++set) {
    Draw draw(static_cast<unsigned>(set));
    const std::vector<ResultFile> files = SomeFiles(&draw);
    const std::string page = WriteHtml(BuildReport(files)), text = WriteMarkdown(BuildReport(files));
    const auto told = [&](const host::Figure& figure) {
      return !figure || page.find(fmt::format("data-exact=\"{}\"", *figure)) != std::string::npos;
    };
    for (const PlacedRun& placed : AllRuns(files)) {
      const host::ModelResult& run = *placed.run;
      EXPECT_TRUE(told(run.inference.median_ns)) << set << ": " << *run.inference.median_ns;
      if (run.inference.median_ns) {
        EXPECT_NE(text.find(Duration(*run.inference.median_ns)), std::string::npos) << set;
      }
      if (run.arena) {
        EXPECT_TRUE(told(run.arena->used_bytes)) << set << ": " << run.arena->used_bytes;
        EXPECT_NE(text.find(Grouped(run.arena->used_bytes)), std::string::npos) << set;
      }
      for (const host::TensorResult& output : run.outputs) {
        EXPECT_NE(page.find(output.crc32), std::string::npos) << set << ": " << output.crc32;
        EXPECT_NE(text.find(output.crc32), std::string::npos) << set << ": " << output.crc32;
      }
    }
  }
}

// One platform has two policies, of which one takes 19 times as long as the other: the first table and the
// chart show both.
TEST(Page, HidesNoRunBehindAnother) {
  ResultFile file = {.path = "x.json", .platform = "x86_64"};
  for (const auto& [memory, ns] : {std::pair("fast", 14921), std::pair("small", 284801)}) {
    host::ModelResult& run =
        (file.results.models ? *file.results.models : file.results.models.emplace()).emplace_back();
    run = {.path = "kws.tflite", .sha256 = "00", .kernels = "best", .memory = memory};
    run.inference.median_ns = ns;
  }
  const Report report = BuildReport({file});
  const Section& first = report.sections.front();
  std::vector<std::string> rows, exact;
  for (const Table& table : first.tables) {
    for (const auto& row : table.rows) {
      rows.push_back(row[0].text);
      for (const Cell& cell : row) exact.push_back(cell.exact);
    }
  }
  for (const char* row : {"x86_64, fast", "x86_64, small arena"})
    EXPECT_NE(std::find(rows.begin(), rows.end(), row), rows.end()) << row;
  for (const char* time : {"14921", "284801"})
    EXPECT_NE(std::find(exact.begin(), exact.end(), time), exact.end()) << time;
  std::vector<std::string> series;
  for (const Section& section : report.sections) {
    for (const Chart& chart : section.charts) {
      if (chart.title != "Time of an inference") continue;
      for (const Series& s : chart.series) series.push_back(s.name);
    }
  }
  EXPECT_EQ(series, std::vector<std::string>({"x86_64, fast", "x86_64, small arena"}));
}

// Returns a model in which two operators read one, and a fourth reads both; two buffers share bytes.
host::ModelResult Diamond() {
  host::ModelResult run = {.path = "d.tflite", .sha256 = "00", .kernels = "best", .memory = "fast"};
  run.op_results.resize(4);
  const std::vector<std::vector<int64_t>> reads = {{}, {0}, {0}, {1, 2}};
  for (int i = 0; i < 4; ++i) {
    host::OperatorResult& op = run.op_results[static_cast<size_t>(i)];
    op.index = i;
    op.type = "ADD";
    op.name = "out<" + std::to_string(i) + ">";
    op.median_ns = 1000 * (i + 1);
    op.share = 0.1 * (i + 1);
    op.reads = reads[static_cast<size_t>(i)];
  }
  run.inference.median_ns = 10000;
  run.arena = {.used_bytes = 100};
  run.arena->buffers = {{7, 0, "first", 0, 64, 0, 3}, {{}, 0, "", 48, 32, 1, 1}};
  return run;
}

size_t CountOf(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Page, DrawsGraphAndMemoryPlan) {
  const std::string graph = GraphSvg(Diamond());
  EXPECT_EQ(CountOf(graph, "<g><title>"), 4u);
  EXPECT_EQ(CountOf(graph, "<path "), 4u) << "an edge for each tensor that is read";
  EXPECT_NE(graph.find("<title>2 ADD out&lt;2&gt;, 3.000 µs (30.0 %), 64 bytes of the arena in use</title>"),
            std::string::npos)
      << graph;
  EXPECT_NE(graph.find("<title>0 ADD out&lt;0&gt;, 1.000 µs (10.0 %), 80 bytes of the arena in use</title>"),
            std::string::npos)
      << "64 and 32 bytes, of which 16 are shared: " << graph;
  // There are three lines of boxes, with two boxes in the middle line.
  for (const char* place :
       {"x=\"8.0\" y=\"8.0\"", "x=\"8.0\" y=\"48.0\"", "x=\"194.0\" y=\"48.0\"", "x=\"8.0\" y=\"88.0\""})
    EXPECT_NE(graph.find(place), std::string::npos) << place;
  host::ArenaResult arena = *Diamond().arena;
  arena.row_groups = {{2, 3}};
  const std::string plan = host::PlanSvg(arena, host::PictureFor::kPage);
  EXPECT_EQ(CountOf(plan, "<rect "), 3u);
  EXPECT_NE(plan.find("<title>steps 2 to 3 run together, row by row, when step 3 is due</title>"),
            std::string::npos)
      << plan;
  EXPECT_NE(plan.find("<title>tensor first: 64 bytes from 0, steps 0 to 3</title>"), std::string::npos)
      << plan;
  EXPECT_NE(plan.find("<title>scratch: 32 bytes from 48, steps 1 to 1</title>"), std::string::npos) << plan;
  // Files of other programs may hold anything.
  host::ModelResult odd = Diamond();
  odd.op_results[1].reads = {{-5, 1, 99}};
  EXPECT_EQ(CountOf(GraphSvg(odd), "<path "), 3u);
  odd.op_results[2].reads.reset();
  EXPECT_EQ(GraphSvg(odd), "");
  odd.arena->buffers.clear();
  EXPECT_EQ(host::PlanSvg(*odd.arena, host::PictureFor::kFile), "");
}

TEST(Page, MarksTheFront) {
  std::vector<TradeOff> points = {{100, 0.9}, {50, 0.8}, {100, 0.8}, {60, 0.8}, {40, 0.1}, {50, 0.8}};
  MarkFront(&points);
  std::vector<bool> front;
  for (const TradeOff& point : points) front.push_back(point.is_front);
  EXPECT_EQ(front, std::vector<bool>({true, true, false, false, true, true}));
  // The page shows any number of files.
  std::vector<ResultFile> files;
  for (const auto& [bytes, value] : {std::pair(100, 0.9), std::pair(50, 0.8), std::pair(200, 0.8)}) {
    ResultFile& file = files.emplace_back();
    file.platform = "x86_64";
    host::ModelResult run = {
        .path = std::to_string(bytes) + ".tflite", .bytes = bytes, .sha256 = std::to_string(bytes)};
    run.kernels = "best";
    run.memory = "fast";
    run.evaluation = {.metric = "accuracy", .value = value, .count = 500};
    file.results.models = {run};
  }
  const Section section = TradeOffSection(files);
  ASSERT_EQ(section.tables.size(), 1u);
  std::vector<std::string> marks;
  for (const auto& row : section.tables[0].rows) marks.push_back(row[0].text + " " + row[4].text);
  EXPECT_EQ(marks, std::vector<std::string>({"100 front", "200 -", "50 front"}));
  ASSERT_EQ(section.pictures.size(), 1u) << "nothing is known of arena and time";
  EXPECT_EQ(CountOf(section.pictures[0].svg, "<circle "), 3u);
}

}  // namespace
}  // namespace lutra::reports

// SPDX-License-Identifier: Apache-2.0
// The rounds, with runtimes whose times are known, and the table of goals.

#include "bench/compare/compare.h"

#include <gtest/gtest.h>

#include "host/environment.h"

namespace lutra::bench {
namespace {

// Takes a given time for each run; all of its output is `code`.
class Clockwork : public Peer {
 public:
  Clockwork(int64_t ns, uint8_t code) : ns_(ns), code_(code) {}
  void Fill(const std::vector<Bytes>&) override {}
  void Run() override {
    const int64_t end_ns = host::NowNs() + ns_;
    while (host::NowNs() < end_ns) continue;
  }
  std::vector<Bytes> Outputs() override { return {{code_}}; }

 private:
  int64_t ns_;
  uint8_t code_;
};

Runtime ClockworkRuntime(const std::string& name, int64_t ns, uint8_t code) {
  return {name, "1", [=](const host::ModelFile&, const std::vector<Bytes>&) {
            return std::make_unique<Clockwork>(ns, code);
          }};
}

Comparison CompareTimes(int64_t first_ns, int64_t second_ns) {
  return Compare(host::ReadModelFile(std::string(LUTRA_SOURCE_DIR) + "/models/sine.tflite"),
                 {ClockworkRuntime("first", first_ns, 5), ClockworkRuntime("second", second_ns, 250)},
                 {.seconds = 0.05});
}

// This holds for runs that are timed many at a time, and for runs that are timed one by one.
TEST(Compare, TimesAreThoseOfOneRun) {
  for (const int64_t ns : {2'000, 50'000}) {
    const Comparison comparison = CompareTimes(ns, 4 * ns);
    const SideTimes& first = comparison.sides[0].times.value();
    const SideTimes& second = comparison.sides[1].times.value();
    EXPECT_GE(first.min_ns, ns);
    EXPECT_LT(first.min_ns, 100 * ns) << "a turn takes 2,000 times the shorter";
    EXPECT_GE(second.min_ns, 4 * ns);
    EXPECT_LT(second.min_ns, 400 * ns);
    EXPECT_LE(second.min_ns, second.median_ns);
    EXPECT_GE(first.runs, 5);
  }
}

// Codes are signed: 5 and -6.
TEST(Compare, OutputsAreThoseOfTheirType) {
  const Comparison comparison = CompareTimes(100, 100);
  EXPECT_FALSE(comparison.sides[0].outputs.has_value());
  const OutputDifference& difference = comparison.sides[1].outputs.value();
  EXPECT_EQ(difference.elements, 1);
  EXPECT_EQ(difference.differs, 1);
  EXPECT_EQ(difference.largest, 11);
}

Side SideOf(const std::string& name, int64_t ns) { return {.name = name, .times = SideTimes{1, ns, ns}}; }

TEST(Compare, ShapesTableCountsTheGoalsThatAreMissed) {
  ComparisonFile file;
  for (const char* name : {"lutra", "ref", "litert"}) file.runtimes.push_back({name, "1", nullptr});
  const auto add = [&](const std::string& name, int64_t ref_ns, int64_t litert_ns) {
    file.comparisons.push_back(
        {.path = name, .sides = {SideOf("lutra", 3000), SideOf("ref", ref_ns), SideOf("litert", litert_ns)}});
  };
  add("good", 3000, 2000);
  add("slower than ref", 2900, 9000);
  add("slower than both", 2900, 1900);
  file.comparisons.push_back(
      {.path = "alone",
       .sides = {SideOf("lutra", 3000), SideOf("ref", 9000), {.name = "litert", .error = "no"}}});
  const std::string table = WriteShapesTable(file);
  EXPECT_NE(table.find("1.00        0.67\n"), std::string::npos) << table;
  EXPECT_NE(table.find("0.97        3.00 <\n"), std::string::npos) << table;
  EXPECT_NE(table.find("0.97        0.63 <\n"), std::string::npos) << table;
  EXPECT_NE(table.find("3.00           -\n"), std::string::npos) << table;
  EXPECT_NE(table.find("longer than 1 x ref: 2 of 4\nlonger than 1.5 x litert: 1 of 4\n"), std::string::npos)
      << table;
  // Without LiteRT the table has no line for its goal.
  file.runtimes.pop_back();
  EXPECT_EQ(WriteShapesTable(file).find("x litert: "), std::string::npos);
}

}  // namespace
}  // namespace lutra::bench

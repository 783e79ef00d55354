// SPDX-License-Identifier: Apache-2.0
// Logs as TensorFlow Lite's programs print them, sound and damaged.

#include "bench/tflm_log.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "host/model_file.h"
#include "host/result_json.h"

namespace lutra::bench {
namespace {

const std::filesystem::path kModels = std::filesystem::path(LUTRA_SOURCE_DIR) / "models";

constexpr char kTable[] =
    "\r\nConfigured arena size = 3000000\r\n\r\n"
    "\"Unique Tag\",\"Total ticks across all events with that tag.\"\r\n"
    "tflite::GetModel, 17\r\n"
    "Input CRC32: 0x3E611DAB\r\n\r\n"
    "FULLY_CONNECTED took 30 ticks (0 ms).\r\n"
    "FULLY_CONNECTED took 50 ticks (0 ms).\r\n"
    "FULLY_CONNECTED took 20 ticks (0 ms).\r\n"
    "Output CRC32: 0xB88320\r\n"
    "[[ Table ]]: Arena\r\n"
    "        Arena   Bytes   % Arena\r\n"
    "        Total | 1752 |   100.00\r\n"
    "NonPersistent |  152 |     8.68\r\n"
    "   Persistent | 1600 |    91.32\r\n";

constexpr char kBenchmarkModel[] =
    "INFO: STARTING!\n"
    "INFO: Graph: [/data/models/sine.tflite]\n"
    "INFO: Loaded model /data/models/sine.tflite\n"
    "INFO: count=90 first=20 curr=6 min=5 max=20 avg=6.1 std=1 p5=5 median=6 p95=7\n"
    "\n"
    "INFO: count=1000 first=9 curr=4 min=3 max=30 avg=4.2 std=1 p5=3 median=4 p95=5\n"
    "INFO: Inference timings in us: Init: 120, First inference: 20, Warmup (avg): 6.1, Inference (avg): "
    "4.2\n";

host::ModelResult Read(const std::string& text, const TflmLogOptions& options = {},
                       const std::string& name = "sine.log") {
  std::istringstream log(text);
  return ReadTflmLog(log, name, {kModels}, options);
}

std::string ErrorOf(const std::string& text, const std::string& name = "sine.log") {
  try {
    Read(text, {}, name);
  } catch (const host::BadInput& error) {
    return error.what();
  }
  return "no error";
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(TflmLog, ReadsArenaCodesAndTicks) {
  const host::ModelResult result = Read(kTable, {.ticks_per_second = 1'000'000});
  EXPECT_EQ(result.bytes, 2488);
  EXPECT_EQ(result.kernels, "TFLM");
  ASSERT_TRUE(result.arena);
  EXPECT_EQ(result.arena->given_bytes, 3000000);
  EXPECT_EQ(result.arena->used_bytes, 1752);
  EXPECT_EQ(result.arena->activation_bytes, 152);
  EXPECT_EQ(result.arena->persistent_bytes, 1600);
  EXPECT_EQ(result.inputs[0].crc32, "3e611dab");
  EXPECT_EQ(result.outputs[0].crc32, "00b88320");
  EXPECT_EQ(result.inference.median_ns, 100'000);
  EXPECT_EQ(result.inference.runs, 1);
  ASSERT_EQ(result.op_results.size(), 3u);
  EXPECT_EQ(result.op_results[1].median_ns, 50'000);
  EXPECT_EQ(result.op_results[1].share, 0.5);
  EXPECT_EQ(result.op_results[1].kernel, "");
  // The result is written to a file and read again.
  const host::ResultFile file{.environment = {}, .models = std::vector{result}};
  EXPECT_EQ(host::ParseResultJson(host::WriteResultJson(file), "written.json").models->at(0), result);
}

TEST(TflmLog, WithoutAClockItHasNoTimes) {
  const host::ModelResult result = Read(kTable);
  EXPECT_FALSE(result.inference.median_ns);
  EXPECT_FALSE(result.op_results[1].median_ns);
  EXPECT_FALSE(result.op_results[1].share);
  EXPECT_EQ(result.arena->used_bytes, 1752);
}

TEST(TflmLog, ReadsCsv) {
  const std::string text =
      Replaced(Replaced(Replaced(kTable, "        Total | 1752 |   100.00", "\"Total\",1753,100.00"),
                        "NonPersistent |  152 |     8.68", "\"NonPersistent\",153,8.73"),
               "   Persistent | 1600 |    91.32", "\"Persistent\",1600,91.27");
  const host::ModelResult result = Read(text);
  EXPECT_EQ(result.arena->used_bytes, 1753);
  EXPECT_EQ(result.arena->activation_bytes, 153);
}

TEST(TflmLog, OfSeveralInvocationsTheLastCounts) {
  const std::string text = kTable;
  const size_t begin = text.find("Input CRC32");
  const size_t end = text.find("[[ Table");
  const std::string once = text.substr(begin, end - begin);
  const host::ModelResult result =
      Read(text.substr(0, begin) + Replaced(once, "0xB88320", "0x1") + text.substr(begin),
           {.ticks_per_second = 1000});
  EXPECT_EQ(result.outputs[0].crc32, "00b88320");
  EXPECT_EQ(result.inference.median_ns, 100'000'000);
}

TEST(TflmLog, ReadsBenchmarkModel) {
  const host::ModelResult result = Read(kBenchmarkModel, {}, "other.log");
  EXPECT_EQ(result.kernels, "TensorFlow Lite");
  EXPECT_FALSE(result.arena);
  EXPECT_EQ(result.inference.runs, 1000);
  EXPECT_EQ(result.inference.min_ns, 3000);
  EXPECT_EQ(result.inference.median_ns, 4000);
  EXPECT_EQ(result.outputs[0].crc32, "");
  const host::ModelResult older = Read("count=50 first=4 curr=4 min=3 max=9 avg=5 std=1\n");
  EXPECT_EQ(older.inference.min_ns, 3000);
  EXPECT_FALSE(older.inference.median_ns) << "a mean is no median";
}

TEST(TflmLog, TheModelIsTheOneThatTheLogNames) {
  const std::string text = std::string("=== some/where/sine.tflite ===\n") + kTable;
  EXPECT_EQ(Read(text, {}, "board.log").bytes, 2488);
  EXPECT_NE(ErrorOf(kTable, "board.log").find("board.tflite: device-log: there is no such model"),
            std::string::npos);
  EXPECT_NE(ErrorOf(kTable, "kws.log").find("found 3 operators, required: 12"), std::string::npos);
}

TEST(TflmLog, SaysWhatIsWrong) {
  const std::string table = kTable;
  const struct {
    std::string text, error;
  } kRows[] = {
      {"", "sine.log: tflm-log: found no line of generic_model_benchmark or benchmark_model"},
      {"lutra1 model sine.tflite bytes 2488\n", "found no line of generic_model_benchmark"},
      {table.substr(0, table.find("        Total")), "found no line Total of the arena"},
      {"INFO: Graph: [sine.tflite]\n", "found no line count="},
      {table + table, "found a second run"},
      {table + kBenchmarkModel, "found lines of two programs"},
      {std::string(kBenchmarkModel) + "INFO: Graph: [kws.tflite]\n", "found a second model kws.tflite"},
      {Replaced(table, "FULLY_CONNECTED took 20 ticks (0 ms).\r\n", ""), "found 2 operators, required: 3"},
      {Replaced(table, "FULLY_CONNECTED took 20", "SOFTMAX took 20"),
       "found operator 2 SOFTMAX, required: FULLY_CONNECTED"},
      {Replaced(table, "Output CRC32: 0xB88320\r\n", ""), "found 0 CRCs of outputs, required: 1"},
      {Replaced(table, "Input CRC32: 0x3E611DAB", "Input CRC32: 0x3E611DAB\nInput CRC32: 0x3E611DAB"),
       "found 2 CRCs of inputs, required: 1"},
      {Replaced(table, "took 50 ticks", "took 99999999999999999999 ticks"),
       "sine.log:9: tflm-log: found 9999999999"},
      {Replaced(table, "took 50 ticks", "took 1125899906842624 ticks"), "found times that are too large"},
      {Replaced(table, "| 1752 |", "| 1125899906842625 |"), "required: a number up to"},
      {"count=5 first=1 curr=1 min=1125899906842624 max=1 avg=1 std=1\n", "required: up to"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.error);
    EXPECT_NE(ErrorOf(row.text).find(row.error), std::string::npos) << ErrorOf(row.text);
  }
  EXPECT_EQ(Read(table + std::string(100000, 'x')).arena->used_bytes, 1752);
}

// Damaged logs do not crash the reader, and results that are read can be written.
TEST(TflmLog, SurvivesCutsAndChanges) {
  const std::string whole = kTable;
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_NE(ErrorOf(whole.substr(0, size)), "");
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string text = whole;
    text[at] = static_cast<char>(text[at] ^ 0x15);
    try {
      host::WriteResultJson({.environment = {}, .models = std::vector{Read(text, {.ticks_per_second = 1})}});
    } catch (const host::BadInput&) {
    }
  }
}

}  // namespace
}  // namespace lutra::bench

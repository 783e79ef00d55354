// SPDX-License-Identifier: Apache-2.0
// Tests that every figure is read as it was written, and that damaged files are refused.

#include "host/result_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/accelerator_fields.h"
#include "host/compression_fields.h"
#include "host/failures.h"

namespace lutra::host {
namespace {

Environment SomeEnvironment() {
  return {.program = "generic_benchmark",
          .version = "0.1.0",
          .commit = "0123456789ab",
          .date = "2026-01-31T12:00:00Z",
          .platform = "cortex-m4",
          .cpu = "a processor",
          .compiler = "g++ 12.2.0",
          .build_type = "Release",
          .rounding = "double",
          .clock = "SysTick",
          .command = "./dev platforms",
          .clock_resolution_ns = 55,
          .noise = {"load 3.1 on 2 cores", "frequency governor ondemand"}};
}

// Returns a result in which no figure is empty, and no two are equal.
ModelResult SomeModel() {
  ModelResult model = {.path = "models/kws.tflite",
                       .bytes = 1,
                       .sha256 = "76",
                       .operators = 2,
                       .macs = 3,
                       .kernels = "best",
                       .memory = "fast",
                       .repack = "never",
                       .profile = "tflm",
                       .init_ns = 4,
                       .prepare_ns = 5};
  model.arena = {6, 7, 8, 9, 10, 11, 12, {{"tensors", 13, 14}, {"nodes", 15, 16}}};
  model.arena->buffers = {{84, 85, "first", 86, 87, 88, 89}, {97, 90, "second", 91, 92, 93, 94}};
  model.arena->row_groups = {{98, 99}};
  model.inference = {17, 18, 19, 20, 21, {22, 23, 24, 25}, 56};
  model.op_results = {
      {26, "CONV_2D", "first", "ref", 27, 0.25, 28, 57, 58, {29, 30, 31, 32}, "vta", {{95, 96}}},
      {33, "SOFTMAX", "second", "ref", 34, 0.75, 35, 59, 60, {36, 37, 38, 39}, "example"}};
  model.decompression = {"per-use", 40, 0.5, {{41, "weights", "lut", 42, 43}}, {44, 45, 46, 47}, 48};
  model.delegates = {{"vta", {{{61, 62}, 63, 64, 65}}, {{66, "no such operator"}}}};
  model.traffic = {"gap9",
                   {61, "total", "all", 62, 63, 64, 65, 66, 67, 68, 69, 70, 71},
                   {{72, "CONV_2D", "first", 73, 74, 75, 76, 77, 78, 79, 80, 81, 82}},
                   {{83, "weights", "huffman"}}};
  model.inputs = {{"in", "int8", {1, 49, 10, 1}, "d959bf05"}};
  model.outputs = {{"out", "int8", {1, 12}, "d1ab159e"}};
  model.evaluation = {"accuracy", 0.942, 48, Interval{0.83, 0.98}};
  model.flash = {49, 50, 51, 52};
  model.stack = {53, 54};
  model.against = {"a commit", {8, 55, 56, 1.5, 1.25, 1.75, 0.125}};
  return model;
}

ConformanceResult SomeConformance() {
  const Mismatch mismatch = {1, 2, 3.5, -4.25, 5, 6, 7.75, {"FP32", "TABLE"}};
  return {
      .profile = "tflm",
      .backend = "lutra 0.1.0",
      .command = "conformance run --filter '*' --profile tflm",
      .bound = 1,
      .bounds = Bounds{{"CONV_2D", 1}, {"SOFTMAX", 0}},
      .selection = Selection{"*", "1/2", "0a", "0b", 3, 6},
      .has_manifest = true,
      .cases = {{"int8.add.plain.0001", "ADD", Verdict::kPass, "", {}, false},
                {"int8.add.plain.0002", "ADD", Verdict::kFail, "output 1 [2]: expected 3.5", mismatch, true},
                {"int8.mul.plain.0001",
                 "MUL",
                 Verdict::kTimeout,
                 "silent for 10000 ms",
                 {},
                 true,
                 "S-MUL-scale",
                 true,
                 "litert-reference"}}};
}

ResultFile SomeFile() {
  return {.environment = SomeEnvironment(),
          .models = {{SomeModel()}},
          .conformance = SomeConformance(),
          .kernels = {{{"conv_2d_int8", "ref", {1, 2, 3, 4}}, {"conv_2d_int8", "mve", {5, 6, 7, 8}}}},
          .tests = TestsResult{10, 8, 2, 1, {"install.consumer: no cmake"}}};
}

TEST(ResultJson, ReadsWhatItWrote) {
  const ResultFile file = SomeFile();
  const std::string text = WriteResultJson(file);
  const std::string no_error = "\"error\": null";
  const size_t place = text.find("null");
  ASSERT_EQ(text.find(no_error) + no_error.size(), place + 4);
  EXPECT_EQ(text.find("null", place + 4), std::string::npos) << "a figure of the test is empty: " << text;
  EXPECT_TRUE(ParseResultJson(text, "f.json") == file);
  EXPECT_EQ(WriteResultJson(ParseResultJson(WriteResultJson(file, 1), "f.json")), text);
}

TEST(ResultJson, KeepsApartWhatAFileHasAndHasNot) {
  ResultFile file = {.environment = SomeEnvironment(), .conformance = SomeConformance()};
  // Without models nothing was timed.
  const auto json = nlohmann::json::parse(WriteResultJson(file));
  EXPECT_FALSE(json["context"].contains("clock"));
  for (const char* key : {"results", "kernels", "tests"}) EXPECT_FALSE(json.contains(key)) << key;
  file.environment.clock.clear();
  file.environment.clock_resolution_ns = 0;
  file.environment.noise.clear();
  EXPECT_TRUE(ParseResultJson(json.dump(), "f.json") == file);
  file.models.emplace();
  file.kernels.emplace();
  EXPECT_TRUE(ParseResultJson(WriteResultJson(file), "f.json") == file) << "an empty list is no missing one";
}

// An unknown figure is written as null, never as 0, and is read as unknown.
TEST(ResultJson, WritesNullForWhatIsNotKnown) {
  ModelResult model = {.path = "m.tflite", .sha256 = "00", .arena = ArenaResult()};
  model.op_results.resize(1);
  model.inference.runs = 1;
  model.evaluation = {"auc", std::nullopt, 3, std::nullopt};
  const ResultFile file = {.environment = {}, .models = {{model}}};
  const auto json = nlohmann::json::parse(WriteResultJson(file))["results"][0];
  for (const char* key : {"init_ns", "prepare_ns", "decompression", "error"}) {
    EXPECT_TRUE(json.at(key).is_null()) << key;
  }
  EXPECT_TRUE(json["inference"]["median_ns"].is_null());
  EXPECT_FALSE(json["inference"].contains("instructions"));
  EXPECT_TRUE(json["operators"][0]["instructions"].is_null());
  EXPECT_TRUE(json["operators"][0]["kernel"].is_null());
  EXPECT_TRUE(json["operators"][0].at("delegate").is_null());
  EXPECT_FALSE(json.contains("flash"));
  EXPECT_TRUE(ParseResultJson(WriteResultJson(file), "f.json") == file);
}

TEST(ResultJson, SaysOfARefusedModelItsPathAndWhy) {
  const ResultFile file = {.environment = SomeEnvironment(),
                           .models = {{{.path = "bad.tflite", .error = "bad.tflite: file-identifier"}}}};
  const std::string text = WriteResultJson(file);
  const auto json = nlohmann::json::parse(text)["results"][0];
  EXPECT_EQ(json["status"], "refused");
  EXPECT_EQ(json["model"].size(), 1u);
  EXPECT_TRUE(json["inference"].is_null());
  EXPECT_TRUE(ParseResultJson(text, "f.json") == file);
}

TEST(ResultJson, ReadsWhatIsNotFiniteAsNoNumber) {
  ResultFile file = {.environment = SomeEnvironment(), .conformance = SomeConformance()};
  file.conformance->cases[1].mismatch->actual = std::nan("");
  file.conformance->cases[1].mismatch->largest = INFINITY;
  const ResultFile read = ParseResultJson(WriteResultJson(file), "f.json");
  EXPECT_TRUE(std::isnan(read.conformance->cases[1].mismatch->actual));
  EXPECT_TRUE(std::isnan(read.conformance->cases[1].mismatch->largest));
}

TEST(ResultJson, ReplacesBytesThatAreNoText) {
  ResultFile file = SomeFile();
  file.models->front().path = "\xff.tflite";
  EXPECT_NE(ParseResultJson(WriteResultJson(file), "f.json").models->front().path.find(".tflite"),
            std::string::npos);
}

std::string ErrorOf(const nlohmann::json& json) {
  try {
    ParseResultJson(json.dump(), "f.json");
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(ResultJson, RefusesWhatIsDamaged) {
  const auto sound = nlohmann::json::parse(WriteResultJson(SomeFile()));
  EXPECT_EQ(ErrorOf(sound), "");
  const auto damaged = [&](const char* pointer, const nlohmann::json& value) {
    auto json = sound;
    json[nlohmann::json::json_pointer(pointer)] = value;
    return ErrorOf(json);
  };
  EXPECT_NE(damaged("/schema_version", 2).find("f.json: schema-version: found 2, required: 1"),
            std::string::npos);
  EXPECT_NE(damaged("/results/0/arena", 5).find("f.json: not a result file: "), std::string::npos);
  EXPECT_NE(damaged("/results/0/operators", "many").find("f.json: not a result file: "), std::string::npos);
  EXPECT_NE(damaged("/results/0/inference/runs", "1")
                .find("f.json: inference: runs: found \"1\", required: a whole"),
            std::string::npos);
  EXPECT_NE(damaged("/results/0/inference/runs", 1.5).find("runs: found 1.5, required: a whole"),
            std::string::npos);
  EXPECT_NE(damaged("/results/0/inference/runs", UINT64_MAX)
                .find("a whole number from -1125899906842624 to 1125899906842624"),
            std::string::npos);
  EXPECT_NE(damaged("/conformance/cases/0/verdict", "fine").find("verdict: found \"fine\""),
            std::string::npos);
  EXPECT_NE(damaged("/conformance/cases/0", nlohmann::json::object()).find("not a result file"),
            std::string::npos);
  EXPECT_NE(damaged("/conformance/summary/cases", 4).find("f.json: summary: found {"), std::string::npos);
  EXPECT_NE(damaged("/conformance/not_frozen", -5).find("f.json: not_frozen: found -5, required: "),
            std::string::npos);
  EXPECT_NE(damaged("/conformance/operators_never_ran", 7).find("f.json: operators_never_ran: found 7, "),
            std::string::npos);
  for (const std::string& id :
       {std::string("a\0", 2), std::string(), std::string("a/b"), std::string("a\n")}) {
    EXPECT_NE(damaged("/conformance/cases/0/id", id).find("f.json: cases: id: found \""), std::string::npos)
        << id;
  }
  EXPECT_NE(ErrorOf(nlohmann::json::array()).find("f.json: not a result file: "), std::string::npos);
}

// Writes the record, reads the text, and writes that record again.
template <typename Record>
void ExpectReadBack(const Record& record) {
  const std::string text = JsonText(ToJson(record));
  EXPECT_EQ(JsonText(ToJson(FromJson<Record>(nlohmann::json::parse(text)))), text);
  // If reading lost everything, this is what would be written.
  EXPECT_NE(JsonText(ToJson(Record())), text);
}

TEST(ReportRecords, AreReadBack) {
  const DecodingSummary decoding = {1.5, 2.5, {{"lut", 1, 2, 3, 4.5}}, {{{"huffman", 5, 6.5}}}};
  ExpectReadBack(PackSummary{
      "m.tflite",
      1,
      2,
      decoding,
      {"warning"},
      {{0, 3, "name", "int8", {4, 5}, 6, 7, "lut", 8, 9, 10, 11.5}, {0, 4, "bias", "int32", {4}, 1, 16}},
      {"2 names"}});
  BinnedConstant binned = {{0, 1, "name", 2, "CONV_2D"}, "int8", {3}, 4, 5, 6, 7, 8};
  binned.qsnr_db = 9.5;
  binned.is_moved = binned.is_sparse = binned.is_applied = true;
  binned.is_exact = binned.is_enabled = false;
  binned.settings = "bits 4";
  binned.note = "why";
  binned.nntool = {{10, 11}, true};
  ExpectReadBack(
      BinSummary{"m.tflite", {binned}, {{{0, 1, "other", 2, "ADD"}, "reason"}}, {12, 13}, ByteTotal{14, 15}});
  const Interval interval = {0.1, 0.9};
  ExpectReadBack(AutoSummary{
      "m.tflite",
      "rmse",
      true,
      1,
      2,
      {3, 0.25, 0.5, 4, interval, Interval{0.2, 0.8}, Interval{-0.5, 0.5}},
      5,
      decoding,
      6.5,
      7,
      8,
      AnswerChange{9, 0.125, 0.75, 10},
      {{1, "name", 2, "lut", 3, 4, 5.5, 6.5, true}, {2, "lossless"}},
      {{1.5, 2.5, true, true, true, 3, true, 4}},
      {{1, 0.5, 0.25, Interval{0.1, 0.9}, Interval{0.2, 0.8}, true}},
      std::vector<TensorSensitivity>{{1, 2, "name", 3, {{4, "lut", 0.5, 6, 7, 8.5}, {8, "plain"}}}},
      {"{\"version\":1}"},
      "tensors:\n",
      {"2 names"}});
}

TEST(ReportRecords, AnAcceleratorsIsReadBack) {
  const AcceleratorCost cost = {1, 2, 3, 4};
  ExpectReadBack(AcceleratedRun{"vta",
                                "m.tflite",
                                "config",
                                "exact",
                                2,
                                {{"0123abcd"}},
                                1,
                                3,
                                4,
                                cost,
                                0.5,
                                6,
                                7,
                                8,
                                {{1, "CONV_2D", 2, 3, 4, 5, 6, 0.25}},
                                {{2, "MUL", "reason"}},
                                9,
                                AcceleratorGains{cost, {5, 6, 7, 8}, cost}});
}

}  // namespace
}  // namespace lutra::host

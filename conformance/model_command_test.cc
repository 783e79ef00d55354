// SPDX-License-Identifier: Apache-2.0
// Tests conformance model as a user runs it.

#include <nlohmann/json.hpp>
#include <set>

#include "conformance/generator/model_maker.h"
#include "conformance/runner/whole_model.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/testing/program.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kModels = std::string(LUTRA_SOURCE_DIR) + "/models/";

json Report(const std::string& arguments, int exit_code) {
  const host::Outcome outcome = host::RunProgram("model --json " + arguments);
  EXPECT_EQ(outcome.code, exit_code) << outcome.err << outcome.out;
  return json::parse(outcome.out);
}

TEST(ModelCommand, ComparesLayersUnderProfiles) {
  const json report = Report(kModels + "kws.tflite --profiles tflm,tflm,xnnpack --seeds 3", 0);
  const json& drifts = report["drifts"];
  ASSERT_EQ(drifts.size(), 2u);
  EXPECT_EQ(drifts[0]["output"]["different"], 0);
  EXPECT_GT(drifts[1]["layers"][2]["drifted"]["different"], 0);
  EXPECT_GE(drifts[1]["layers"][2]["drifted"]["different"], drifts[1]["layers"][2]["alone"]["different"]);
}

TEST(ModelCommand, NamesTheRuleOfEachLayerOfARuntime) {
  const json report = Report(kModels + "kws.tflite --profiles tflm --seeds 3", 0);
  ASSERT_EQ(report["runtimes"].size(), 1u);
  const json& ours = report["runtimes"][0];
  EXPECT_EQ(ours["samples"], 3);
  EXPECT_EQ(ours["first_departure"], nullptr);
  EXPECT_EQ(ours["answers_changed"], 0);
  ASSERT_EQ(ours["layers"].size(), 12u);
  for (const json& layer : ours["layers"]) {
    EXPECT_EQ(layer["differs"], 0);
    EXPECT_GT(layer["elements"], 0);
    const auto rule = layer["rule"].get<std::string>();
    EXPECT_TRUE(rule.starts_with("DR") || rule == "EXACT") << layer;
  }
  // Under another profile the same runtime differs, from the first layer on, and the report says so.
  const json other = Report(kModels + "kws.tflite --profiles xnnpack --seeds 3", 1);
  EXPECT_EQ(other["runtimes"][0]["first_departure"], 0);
  EXPECT_GT(other["runtimes"][0]["layers"][0]["differs"], 0);
}

// Model Explorer's files have the same numbers as --json.
TEST(ModelCommand, ExportsTheDriftOfEachLayer) {
  const host::ScratchFolder folder;
  const std::string ours = folder / "d.explorer.json", xnnpack = folder / "d.xnnpack.explorer.json";
  const json report = Report(
      kModels + "kws.tflite --profiles tflm,xnnpack --seeds 2 --export " + ours + " --export " + xnnpack, 0);
  const auto expect_same = [](const std::string& path, const json& layers, const char* key) {
    const json data = json::parse(host::ReadAll(path));
    ASSERT_TRUE(data.contains("main")) << data;
    EXPECT_EQ(data["main"]["results"].size(), layers.size());
    double sum = 0;
    for (const json& layer : layers) {
      const json& drift = *key == 0 ? layer : layer[key];
      const json& value = data["main"]["results"].at(layer["tensor"].get<std::string>())["value"];
      EXPECT_EQ(value.get<double>(), drift["largest"].get<double>()) << layer;
      sum += value.get<double>();
    }
    EXPECT_EQ(sum > 0, *key != 0) << path;
  };
  expect_same(ours, report["runtimes"][0]["layers"], "");
  expect_same(xnnpack, report["drifts"][0]["layers"], "drifted");
  EXPECT_EQ(host::RunProgram("model " + kModels + "kws.tflite --export d.json").code, 2);
}

// Each sample begins with fresh state, in the oracle and in the runtime, and three inferences keep it.
TEST(ModelCommand, StatefulModelsAreNotSlandered) {
  int models = 0;
  for (const auto& entry : fs::directory_iterator(std::string(LUTRA_SOURCE_DIR) + "/golden/smoke/cases")) {
    const std::string id = entry.path().filename();
    if (!id.starts_with("int8.svdf.")) continue;
    const json report = Report((entry.path() / "model.tflite").string() + " --profiles tflm --seeds 4", 0);
    EXPECT_EQ(report["invokes"], 3) << id;
    EXPECT_EQ(report["runtimes"][0]["problem"], nullptr) << id;
    ++models;
  }
  EXPECT_GT(models, 1);
}

TEST(ModelCommand, ARuntimeWithoutOutputsIsNotEqual) {
  for (const std::string lie : {"no-folder", "empty-output", "short-output", "output-before", "killed"}) {
    const host::Outcome outcome =
        host::RunProgram("model " + kModels + "sine.tflite --profiles tflm --runner \"'" +
                         LUTRA_MOCK_ADAPTER + "' --fault " + lie + "\"");
    EXPECT_EQ(outcome.code, 1) << lie << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out.find("equal in every layer"), std::string::npos) << lie;
  }
}

TEST(ModelCommand, ReadsRecordingsSampleBySample) {
  const host::ScratchFolder folder;
  const std::string path = kModels + "sine.tflite";
  const host::AlignedBytes bytes = host::ReadFileBytes(path);
  const auto model = oracle::ReadModel({bytes.span().begin(), bytes.span().end()});
  oracle::Evaluation run(*model, oracle::Following(*oracle::FindProfile("tflm")));
  const Samples samples = SeededSamples(*model, 3);
  const auto record = [&](size_t sample, uint8_t change) {
    const fs::path place = folder / ("model.000" + std::to_string(sample));
    fs::create_directories(place);
    oracle::Bytes output = run.Invoke(samples[sample])[0];
    output[0] ^= change;
    std::ofstream(place / "out0.bin", std::ios::binary)
        .write(reinterpret_cast<const char*>(output.data()), static_cast<std::streamsize>(output.size()));
  };
  for (size_t sample = 0; sample < 3; ++sample) record(sample, 0);
  const std::string line = path + " --profiles tflm --seeds 3 --no-taps --runner \"'" +
                           LUTRA_RECORDED_ADAPTER + "' " + (folder / "") + "\"";
  EXPECT_EQ(Report(line, 0)["runtimes"][0]["output"]["different"], 0);
  record(2, 1);
  const json other = Report(line, 1)["runtimes"][0];
  EXPECT_EQ(other["output"]["different"], 1);
  EXPECT_EQ(other["output"]["first_sample"], 2);
}

std::string Write(const host::ScratchFolder& folder, const ModelMaker& maker) {
  const oracle::Bytes bytes = maker.Finish();
  const std::string path = folder / "model.tflite";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return path;
}

// A plan of the arena is for the model, not for its copy in which every tensor stays alive.
TEST(ModelCommand, LeavesAnOfflinePlanOut) {
  const host::ScratchFolder folder;
  ModelMaker maker;
  const MadeTensor tensor = {.shape = {1, 8}, .scale = 0.5f};
  const int x = maker.Input(tensor), a = maker.Activation(tensor), b = maker.Activation(tensor),
            y = maker.Output(tensor);
  maker.Op("ABS", {x}, {a});
  maker.Op("RELU", {a}, {b});
  maker.Op("ABS", {b}, {y});
  // The plan puts the output where the first activation was.
  maker.model().buffers.push_back(std::make_unique<edit::BufferT>());
  maker.model().buffers.back()->data = ToBytes(std::vector<int32_t>{1, 0, 4, 0, 16, 32, 16});
  auto plan = std::make_unique<edit::MetadataT>();
  plan->name = "OfflineMemoryAllocation";
  plan->buffer = static_cast<uint32_t>(maker.model().buffers.size() - 1);
  maker.model().metadata.push_back(std::move(plan));
  const json report = Report(Write(folder, maker) + " --profiles tflm --seeds 2", 0);
  EXPECT_EQ(report["runtimes"][0]["problem"], nullptr);
  EXPECT_EQ(report["runtimes"][0]["layers"].size(), 3u);
}

// Sums beyond int32 wrap in the oracle as in kernels; state, weights and bias are at their limits.
TEST(ModelCommand, SumsWrapAsInKernels) {
  const host::ScratchFolder folder;
  constexpr int kUnits = 8, kMemory = 4;
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 1}, .scale = 1});
  const int feature = maker.Constant({.shape = {kUnits, 1}, .scale = 1}, oracle::Bytes(kUnits, 127));
  const int time = maker.Constant({.shape = {kUnits, kMemory}, .type = oracle::kInt16, .scale = 0x1p-20f},
                                  ToBytes(std::vector<int16_t>(kUnits * kMemory, INT16_MAX)));
  const int bias =
      maker.Constant({.shape = {kUnits}, .type = oracle::kInt32, .scale = 0x1p-28f},
                     ToBytes(std::vector<int32_t>{0, 1 << 30, INT32_MAX, INT32_MIN, -1, 7, 1 << 29, 9}));
  const int state = maker.Activation(
      {.shape = {1, kUnits * kMemory}, .type = oracle::kInt16, .scale = 0x1p-8f, .is_variable = true});
  const int filtered = maker.Activation({.shape = {1, kUnits}, .scale = 0x1p-4f});
  maker.Op<edit::SVDFOptionsT>("SVDF", {x, feature, time, bias, state}, {filtered},
                               [](auto& options) { options.rank = 1; });
  const int weights =
      maker.Constant({.shape = {3, kUnits}, .scale = 0x1p-4f}, oracle::Bytes(3 * kUnits, 127));
  const int large = maker.Constant({.shape = {3}, .type = oracle::kInt32, .scale = 0x1p-8f},
                                   ToBytes(std::vector<int32_t>{INT32_MAX, INT32_MIN, INT32_MAX - 100}));
  const int y = maker.Output({.shape = {1, 3}, .scale = 0x1p18f});
  maker.Op<edit::FullyConnectedOptionsT>("FULLY_CONNECTED", {filtered, weights, large}, {y}, [](auto&) {});
  const std::string path = Write(folder, maker);
  EXPECT_EQ(Report(path + " --profiles tflm --seeds 20", 0)["runtimes"][0]["first_departure"], nullptr);
  // Without wrapping, every unit would be at its limit.
  const auto model = oracle::ReadModel(maker.Finish());
  oracle::Evaluation run(*model, oracle::Following(*oracle::FindProfile("tflm")));
  for (int i = 0; i < kMemory; ++i) run.Invoke({{127}});
  std::set<uint8_t> codes(run.values()[static_cast<size_t>(filtered)].begin(),
                          run.values()[static_cast<size_t>(filtered)].end());
  codes.erase(127);
  codes.erase(128);
  EXPECT_FALSE(codes.empty());
}

// On Google's model TensorFlow Lite Micro and Lutra agree in every bit.
TEST(ModelCommand, KeywordScrambledIsEqual) {
  const std::string path = std::string(LUTRA_TEST_DATA) + "/models/keyword_scrambled_8bit.tflite";
  if (!fs::exists(path)) GTEST_SKIP() << "no " << path << " (LUTRA_TEST_DATA)";
  EXPECT_EQ(Report(path + " --profiles tflm --seeds 10", 0)["runtimes"][0]["first_departure"], nullptr);
}

// The ids are for a table of five rows: any other number ends an inference.
TEST(ModelCommand, DrawsIndicesInside) {
  const host::ScratchFolder folder;
  ModelMaker maker;
  const MadeTensor row = {.shape = {5, 2}, .scale = 0.5f}, rows = {.shape = {16, 2}, .scale = 0.5f};
  const int ids = maker.Input({.shape = {16}, .type = oracle::kInt32});
  const int table = maker.Input(row), y = maker.Output(rows);
  maker.Op("EMBEDDING_LOOKUP", {ids, table}, {y});
  const json ours = Report(Write(folder, maker) + " --profiles tflm --seeds 3", 0)["runtimes"][0];
  EXPECT_EQ(ours["first_departure"], nullptr);
  EXPECT_EQ(ours["output"]["elements"], 3 * 32);
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// An operator in the middle of a model that the oracle lacks is named once, and later layers are judged.
TEST(ModelCommand, NamesWhatTheOracleLacks) {
  const host::ScratchFolder folder;
  ModelMaker maker;
  const MadeTensor codes = {.shape = {1, 8}, .scale = 0.5f},
                   reals = {.shape = {1, 8}, .type = oracle::kFloat32};
  const int x = maker.Input(codes), a = maker.Activation(reals), b = maker.Activation(reals),
            y = maker.Output(codes);
  maker.Op("DEQUANTIZE", {x}, {a});
  maker.Op("ABS", {a}, {b});
  maker.Op("QUANTIZE", {b}, {y});
  const std::string path = Write(folder, maker);
  const host::Outcome outcome = host::RunProgram("model " + path + " --seeds 2");
  EXPECT_EQ(outcome.code, 3) << outcome.out << outcome.err;
  EXPECT_EQ(Count(outcome.out + outcome.err, "node 1 (ABS)"), 1u) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err.find(path + ": node 1 (ABS): oracle: found "), 0u) << outcome.err;
  EXPECT_NE(outcome.err.find("2 of 3 layers were judged"), std::string::npos) << outcome.err;
  const json ours = Report(path + " --profiles tflm --seeds 2", 3)["runtimes"][0];
  EXPECT_EQ(ours["not_judged"][0]["index"], 1);
  EXPECT_EQ(ours["not_judged"][0]["op"], "ABS");
  EXPECT_EQ(ours["layers"][1]["elements"], 0);
  EXPECT_EQ(ours["layers"][1]["rule"], nullptr);
  EXPECT_GT(ours["layers"][2]["elements"], 0);
  EXPECT_NE(ours["layers"][2]["rule"], nullptr);
  // If another layer differs, too, the exit code says so.
  std::vector<float> reals_of_x, magnitudes;
  oracle::Bytes last;
  const Samples samples = SeededSamples(*oracle::ReadModel(maker.Finish()), 1);
  for (const uint8_t code : samples[0][0]) {
    const int value = static_cast<int8_t>(code);
    reals_of_x.push_back(0.5f * static_cast<float>(value));
    magnitudes.push_back(std::abs(reals_of_x.back()));
    last.push_back(static_cast<uint8_t>(std::min(std::abs(value), 127)));
  }
  last[3] ^= 1;
  fs::create_directories(folder / "recorded/model.0000");
  int outputs = 0;
  for (const oracle::Bytes& bytes : {last, FloatBytes(reals_of_x), FloatBytes(magnitudes)}) {
    const std::string file = folder / ("recorded/model.0000/out" + std::to_string(outputs++) + ".bin");
    host::WriteFileBytes(file, bytes.data(), bytes.size());
  }
  const std::string wrong = path + " --profiles tflm --seeds 1 --runner \"'" + LUTRA_RECORDED_ADAPTER + "' " +
                            (folder / "recorded") + "\"";
  EXPECT_EQ(Report(wrong, 1)["runtimes"][0]["layers"][2]["differs"], 1);
}

// The oracle lacks these types: their operators are not counted as wrong, and operators that move bytes are
// judged.
TEST(ModelCommand, JudgesWhatMovesBytesOfAnyType) {
  const host::ScratchFolder folder;
  ModelMaker maker;
  const MadeTensor tensor = {.shape = {1, 8}, .type = oracle::kFloat32};
  const int x = maker.Input(tensor), between = maker.Activation(tensor), y = maker.Output(tensor);
  maker.Op("RESHAPE", {x, maker.Int32Constant({1, 8}, {2})}, {between});
  maker.Op("ABS", {between}, {y});
  const host::Outcome outcome = host::RunProgram("model " + Write(folder, maker));
  EXPECT_EQ(outcome.code, 3) << outcome.out << outcome.err;
  EXPECT_EQ(Count(outcome.out + outcome.err, "(ABS)"), 1u) << outcome.out << outcome.err;
  EXPECT_NE(outcome.err.find("1 of 2 layers were judged"), std::string::npos) << outcome.err;
}

// An operator that oracle and runtime both lack is named all the same.
// A file of some hundred bytes, whose shapes would take gigabytes.
TEST(ModelCommand, RefusesShapesThatAskForTooMuch) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 1 << 27}, .scale = 1});
  maker.Op("L2_NORMALIZATION", {x}, {maker.Output({.shape = {1, 1}, .scale = 1.0f / 128})});
  const host::ScratchFolder folder;
  const oracle::Bytes bytes = maker.Finish();
  host::WriteFileBytes(folder / "large.tflite", bytes.data(), bytes.size());
  const host::Outcome outcome = host::RunProgram("model " + (folder / "large.tflite"));
  EXPECT_EQ(outcome.code, 3) << outcome.out;
  EXPECT_NE(outcome.err.find("large.tflite: a tensor of more than 16,777,216 computed elements"),
            std::string::npos)
      << outcome.err;
}

TEST(ModelCommand, NamesWhatNobodyHas) {
  const host::ScratchFolder folder;
  ModelMaker maker;
  const MadeTensor tensor = {.shape = {1, 8}, .scale = 0.5f};
  const int x = maker.Input(tensor), y = maker.Output(tensor);
  maker.Op("ABS", {x}, {y});
  maker.model().operator_codes[0]->builtin_code = static_cast<int32_t>(edit::BuiltinOperator::HASHTABLE_FIND);
  const std::string path = Write(folder, maker);
  const host::Outcome outcome = host::RunProgram("model " + path);
  EXPECT_EQ(outcome.code, 3) << outcome.out << outcome.err;
  EXPECT_EQ(
      outcome.err.find(path + ": node 0 (HASHTABLE_FIND): oracle: found HASHTABLE_FIND is not among the "),
      0u)
      << outcome.err;
  EXPECT_NE(outcome.err.find("0 of 1 layers were judged"), std::string::npos) << outcome.err;
}

TEST(ModelCommand, PrintsNoByteOfANameThatATerminalObeys) {
  const host::ScratchFolder folder;
  const std::string model = folder / "hostile.tflite";
  host::CopyWithHostileName(std::filesystem::path(LUTRA_SOURCE_DIR) / "models/kws.tflite", model,
                            "functional_1");
  const host::Outcome outcome = host::RunProgram("model " + model + " --seeds 1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find_first_of("\x1b\xff"), std::string::npos) << outcome.out;
  // The name is that of the first layer's tensor that differs under some profile.
  EXPECT_NE(outcome.out.find("\"\\x1b[2J\\xff"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace lutra::conformance

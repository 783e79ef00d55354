// SPDX-License-Identifier: Apache-2.0
// The program as a script sees it, with a library that is no runtime and may break the rules
// (LUTRA_FAKE_LIE).

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/testing/program.h"
#include "runtime/testing/model_builder.h"

namespace lutra::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kFake = std::string(" --against '") + LUTRA_FAKE_LIBRARY + "'";
const std::string kFakeLitert = std::string(" --against '") + LUTRA_FAKE_LITERT + "'";

// Sets the environment of processes that this one starts.
class Lie {
 public:
  explicit Lie(const char* how) { setenv("LUTRA_FAKE_LIE", how, 1); }
  Lie(const Lie&) = delete;
  Lie& operator=(const Lie&) = delete;
  ~Lie() { unsetenv("LUTRA_FAKE_LIE"); }
};

class CompareRuntimes : public testing::Test {
 protected:
  // Returns a model whose output is its input, of 4 bytes.
  std::string Model(TensorType type = TensorType::kInt8) {
    const int count = type == TensorType::kInt8 ? 4 : 1;
    const float scale = type == TensorType::kInt8 ? 0.5f : 0.0f;
    ModelBuilder builder;
    const int x = builder.AddTensor({.shape = {1, count}, .type = type, .scale = scale});
    const int y = builder.AddTensor({.shape = {count}, .type = type, .scale = scale});
    builder.AddOperator(BuiltinOperator::kReshape, {x}, {y});
    const std::vector<uint8_t> bytes = builder.Finish({x}, {y});
    const std::string path = folder_ / "model.tflite";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  json Report(const std::string& arguments, int code = 0) {
    const host::Outcome outcome = host::RunProgram(arguments + " --seconds 0.01 --format json");
    EXPECT_EQ(outcome.code, code) << outcome.err;
    return json::parse(outcome.out);
  }
  // Returns the last runtime's side of the only comparison.
  json LastSide(const std::string& arguments, int code = 0) {
    return Report(arguments, code)["comparisons"].at(0)["sides"].back();
  }

  host::ScratchFolder folder_;
};

TEST_F(CompareRuntimes, WritesTheJsonThatScriptsRelyOn) {
  const std::string copy = folder_ / "copy.json";
  const json report = Report("models/sine.tflite --ref --export " + copy);
  EXPECT_EQ(report["schema_version"], 1);
  EXPECT_EQ(report["context"]["program"], "compare_runtimes");
  ASSERT_EQ(report["comparisons"].size(), 1u);
  const json& comparison = report["comparisons"][0];
  EXPECT_EQ(comparison["model"]["path"], "models/sine.tflite");
  EXPECT_EQ(comparison["model"]["macs"], 288);
  EXPECT_TRUE(comparison["error"].is_null());
  ASSERT_EQ(comparison["sides"].size(), report["runtimes"].size());
  EXPECT_EQ(report["runtimes"][1]["name"], "ref");
  for (const json& side : comparison["sides"]) {
    EXPECT_TRUE(side["error"].is_null()) << side;
    EXPECT_GT(side["runs"], 0);
    EXPECT_GT(side["min_ns"], 0);
    EXPECT_LE(side["min_ns"], side["median_ns"]);
    EXPECT_GT(side["min_ratio"], 0);
    EXPECT_GT(side["median_ratio"], 0);
  }
  EXPECT_EQ(comparison["sides"][0]["median_ratio"], 1);
  EXPECT_TRUE(comparison["sides"][0]["outputs"].is_null());
  EXPECT_EQ(comparison["sides"][1]["outputs"], json({{"elements", 1}, {"differs", 0}, {"largest", nullptr}}));
  EXPECT_EQ(json::parse(host::ReadAll(copy))["comparisons"].size(), 1u);
}

TEST_F(CompareRuntimes, CountsOutputsThatDiffer) {
  const json report = Report(Model() + kFake);
  EXPECT_EQ(report["runtimes"].back()["version"], "fake-1");
  const json side = report["comparisons"].at(0)["sides"].back();
  EXPECT_TRUE(side["error"].is_null()) << side;
  // The fake adds one to each code, which may wrap.
  EXPECT_EQ(side["outputs"]["differs"], 4);
  EXPECT_GE(side["outputs"]["largest"], 1);
  const host::Outcome table = host::RunProgram(Model() + kFake + " --seconds 0.01");
  EXPECT_NE(table.out.find("4 of 4, by "), std::string::npos) << table.out;
}

TEST_F(CompareRuntimes, HoldsLibrariesToTheirPromises) {
  const auto error = [&](const char* how, int code) {
    const Lie lie(how);
    const json side = LastSide(Model() + kFake, code);
    EXPECT_TRUE(side["median_ns"].is_null()) << how;
    return side["error"].is_string() ? side["error"].get<std::string>() : "none";
  };
  EXPECT_EQ(error("size", 1), "output 0: found 3 bytes, required 4");
  EXPECT_EQ(error("data", 0), "TfLiteTensorData");
  EXPECT_EQ(error("inputs", 0), "found 2 inputs, required 1");
  EXPECT_EQ(error("outputs", 0), "found -1 outputs, required 1");
  EXPECT_EQ(error("later", 0), "TfLiteInterpreterInvoke");
}

TEST_F(CompareRuntimes, TakesLitertsOwnApi) {
  const json report = Report(Model() + kFakeLitert);
  EXPECT_EQ(report["runtimes"].back()["name"], "litert");
  EXPECT_EQ(report["comparisons"].at(0)["sides"].back()["outputs"]["differs"], 4);
  const auto error = [&](const char* how, int code) {
    const Lie lie(how);
    const json side = LastSide(Model() + kFakeLitert, code);
    EXPECT_TRUE(side["median_ns"].is_null()) << how;
    return side["error"].is_string() ? side["error"].get<std::string>() : "none";
  };
  EXPECT_EQ(error("size", 1), "output 0: found 3 bytes, required 4");
  EXPECT_EQ(error("input size", 0), "input 0: found 3 bytes, required 4");
  EXPECT_EQ(error("inputs", 0), "found 2 inputs and 1 outputs, required 1 and 1");
  EXPECT_EQ(error("model", 0), "LiteRtCreateModelFromBuffer: status 3");
  EXPECT_EQ(error("compiled", 0), "LiteRtCreateCompiledModel: status 3");
  EXPECT_EQ(error("data", 0), "LiteRtLockTensorBuffer: no memory");
  EXPECT_EQ(error("later", 0), "LiteRtRunCompiledModel: status 3");
  const Lie lie("environment");
  EXPECT_EQ(host::RunProgram(Model() + kFakeLitert).code, 3);
}

TEST_F(CompareRuntimes, NanIsADifferenceWithoutSize) {
  const Lie lie("nan");
  const json side = LastSide(Model(TensorType::kFloat32) + kFake);
  EXPECT_EQ(side["outputs"], json({{"elements", 1}, {"differs", 1}, {"largest", nullptr}})) << side;
}

TEST_F(CompareRuntimes, ALibraryWithoutAVersion) {
  const Lie lie("version");
  EXPECT_EQ(Report(Model() + kFake)["runtimes"].back()["version"], "unknown");
}

TEST_F(CompareRuntimes, RefusesWhatIsNoLibrary) {
  const auto outcome = [&](const std::string& library) {
    return host::RunProgram(Model() + " --against " + library);
  };
  const host::Outcome absent = outcome("/nowhere/libnone.so");
  EXPECT_EQ(absent.code, 3);
  EXPECT_TRUE(absent.err.starts_with("--against /nowhere/libnone.so: ")) << absent.err;
  const host::Outcome lacking = outcome(std::string("'") + LUTRA_LACKING_LIBRARY + "'");
  EXPECT_EQ(lacking.code, 3);
  EXPECT_NE(lacking.err.find("no function TfLiteInterpreterInvoke;"), std::string::npos) << lacking.err;
  const host::Outcome litert = outcome(std::string("'") + LUTRA_LACKING_LITERT + "'");
  EXPECT_EQ(litert.code, 3);
  EXPECT_NE(litert.err.find("no function LiteRtRunCompiledModel;"), std::string::npos) << litert.err;
  EXPECT_EQ(outcome(Model()).code, 3);
  EXPECT_EQ(outcome("''").code, 2);
}

TEST_F(CompareRuntimes, ShapesHaveALineEach) {
  const std::string copy = folder_ / "shapes.json";
  const host::Outcome outcome = host::RunProgram("--shapes --only 3x3x130 --seconds 0.001 --export " + copy);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\nconv 3x3, 3x3x130 to 130 "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nlonger than 1 x ref: "), std::string::npos) << outcome.out;
  const json report = json::parse(host::ReadAll(copy));
  ASSERT_EQ(report["comparisons"].size(), 3u);
  for (const json& comparison : report["comparisons"]) {
    EXPECT_TRUE(comparison["error"].is_null()) << comparison;
    EXPECT_EQ(comparison["sides"][1]["name"], "ref");
    EXPECT_EQ(comparison["sides"][1]["outputs"]["differs"], 0) << comparison;
  }
}

TEST_F(CompareRuntimes, MakesNetworks) {
  const std::string path = folder_ / "mobilenet_v2.tflite";
  ASSERT_EQ(host::RunProgram("mobilenet_v2 " + path, LUTRA_MAKE_NETWORK).code, 0);
  EXPECT_EQ(fs::file_size(path), 3972752u);
  EXPECT_EQ(host::RunProgram("mobilenet_v9 " + path, LUTRA_MAKE_NETWORK).code, 2);
  EXPECT_EQ(host::RunProgram("mobilenet_v2", LUTRA_MAKE_NETWORK).code, 2);
  EXPECT_EQ(host::RunProgram("resnet50 /nowhere/x.tflite", LUTRA_MAKE_NETWORK).code, 3);
}

TEST_F(CompareRuntimes, RefusesBadUsageAndBadModels) {
  EXPECT_EQ(host::RunProgram("--shapes models/sine.tflite").code, 2);
  EXPECT_EQ(host::RunProgram("--shapes --only nothing").code, 2);
  EXPECT_EQ(host::RunProgram("models/sine.tflite --ref --only dw").code, 2);
  EXPECT_EQ(host::RunProgram("").code, 2);
  const host::Outcome alone = host::RunProgram("models/sine.tflite");
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("--against LIBRARY.so is required, or --ref"), std::string::npos) << alone.err;
  EXPECT_EQ(host::RunProgram("models/sine.tflite --ref --seconds 0").code, 2);
  EXPECT_EQ(host::RunProgram("models/sine.tflite --ref --seconds nan").code, 2);
  EXPECT_EQ(host::RunProgram("models/sine.tflite --ref --format csv").code, 2);
  EXPECT_EQ(host::RunProgram("models/sine.tflite --ref --export /nowhere/x.json").code, 3);
  // The other comparisons are made even so.
  const json report = Report("models/README.md models/sine.tflite --ref", 3);
  EXPECT_TRUE(report["comparisons"][0]["error"].is_string());
  EXPECT_TRUE(report["comparisons"][1]["error"].is_null());
  EXPECT_EQ(host::RunProgram("models/README.md --ref --seconds 0.01").code, 3);
}

}  // namespace
}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// Whole models binned: which tensors, what they become, what the program refuses.

#include "compressor/bin_model.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "compressor/commands.h"
#include "host/output_file.h"

namespace lutra::compressor {
namespace {

using Json = nlohmann::json;

constexpr char kKws[] = LUTRA_SOURCE_DIR "/models/kws.tflite";

class BinModelTest : public testing::Test {
 protected:
  BinModelTest() : folder_(std::filesystem::path(testing::TempDir()) / TestName()) {
    std::filesystem::create_directories(folder_);
  }
  ~BinModelTest() override { std::filesystem::remove_all(folder_); }

  static std::string TestName() {
    return std::string("bin_model_") + testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  // Standard output of the verb, and its exit code as main has it.
  std::string Run(std::vector<std::string> arguments, int expected_code = 0) const {
    CLI::App app;
    app.require_subcommand(1);
    AddBinCommand(app);
    AddCurveCommand(app);
    std::reverse(arguments.begin(), arguments.end());
    testing::internal::CaptureStdout();
    int code = 0;
    std::string message;
    try {
      app.parse(arguments);
    } catch (const CLI::ParseError& error) {
      code = 2;
      message = error.what();
    } catch (const host::BadInput& error) {
      code = 3;
      message = error.what();
    }
    const std::string output = testing::internal::GetCapturedStdout();
    EXPECT_EQ(code, expected_code) << message;
    return code == 0 ? output : message;
  }
  Json RunJson(std::vector<std::string> arguments) const {
    arguments.push_back("--json");
    return Json::parse(Run(arguments));
  }
  Json Settings(const std::string& name) const {
    return Json::parse(host::ReadFileText(Path(name)))["tensors"];
  }

  std::filesystem::path folder_;
};

std::vector<int8_t> Elements(const Model& model, TensorId id) {
  const TensorInfo tensor = model.tensor(id.subgraph, id.tensor);
  return {tensor.data.begin(), tensor.data.end()};
}

TEST_F(BinModelTest, FewValuesAndNothingElseChanged) {
  const host::ModelFile before = host::ReadModelFile(kKws);
  for (const char* per : {"tensor", "channel"}) {
    for (const int bits : {1, 3, 4, 6}) {
      const Json report = RunJson(
          {"bin", kKws, Path("out.tflite"), "--bits=" + std::to_string(bits), std::string("--per=") + per});
      const host::ModelFile after = host::ReadModelFile(Path("out.tflite"));
      std::set<int> binned;
      for (const Json& row : report["tensors"]) {
        const TensorId id = {0, row["index"].get<int>()};
        binned.insert(id.tensor);
        const TensorInfo tensor = before.model.tensor(0, id.tensor);
        const std::vector<int8_t> x = Elements(before.model, id), y = Elements(after.model, id);
        ASSERT_EQ(x.size(), y.size());
        const int tables = row["tables"];
        EXPECT_EQ(tables, std::string(per) == "channel" ? tensor.scales.count : 1);
        const int inner = tensor.shape.Count(tensor.quantized_dimension + 1, tensor.shape.rank);
        std::vector<std::set<int8_t>> distinct(static_cast<size_t>(tables));
        double signal = 0, noise = 0;
        for (size_t i = 0; i < x.size(); ++i) {
          const size_t channel = i / static_cast<size_t>(inner) % static_cast<size_t>(tensor.scales.count);
          distinct[tables > 1 ? channel : 0].insert(y[i]);
          const double scale = tensor.scales[static_cast<int32_t>(channel)];
          signal += scale * scale * x[i] * x[i];
          noise += scale * scale * (x[i] - y[i]) * (x[i] - y[i]);
        }
        for (const auto& values : distinct) EXPECT_LE(values.size(), size_t{1} << bits);
        if (noise > 0) {
          EXPECT_NEAR(row["qsnr_db"].get<double>(), 10 * std::log10(signal / noise), 1e-9);
        }
        EXPECT_EQ(row["lossless"].get<bool>(), noise == 0);
      }
      EXPECT_EQ(binned.size(), 10u);
      EXPECT_EQ(report["left_out"].size(), 10u);
      ASSERT_EQ(before.model.tensor_count(0), after.model.tensor_count(0));
      for (int t = 0; t < before.model.tensor_count(0); ++t) {
        const TensorInfo a = before.model.tensor(0, t), b = after.model.tensor(0, t);
        EXPECT_STREQ(a.name, b.name);
        EXPECT_EQ(a.shape, b.shape);
        EXPECT_EQ(a.scale, b.scale);
        if (!binned.contains(t)) {
          EXPECT_EQ(Elements(before.model, {0, t}), Elements(after.model, {0, t}));
        }
      }
    }
  }
}

TEST_F(BinModelTest, SharedValuesChangeForTheNamedTensorOnly) {
  ModelEditor editor(host::ReadModelFile(kKws));
  std::vector<TensorId> ids;
  for (const BinCandidate& candidate : BinCandidates(host::ReadModelFile(kKws).model)) {
    if (candidate.op_name == "DEPTHWISE_CONV_2D" && candidate.left_out_by_default.empty())
      ids.push_back(candidate.id);
  }
  ASSERT_GE(ids.size(), 2u);
  editor.tensor(0, ids[1].tensor).buffer = editor.tensor(0, ids[0].tensor).buffer;
  const Bytes bytes = editor.Write();
  host::WriteFileBytes(Path("shared.tflite"), bytes.data(), bytes.size());
  Run({"bin", Path("shared.tflite"), Path("out.tflite"), "--bits=2", "--tensor=" + ToText(ids[0])});
  const host::ModelFile before = host::ReadModelFile(Path("shared.tflite")),
                        after = host::ReadModelFile(Path("out.tflite"));
  EXPECT_NE(Elements(before.model, ids[0]), Elements(after.model, ids[0]));
  EXPECT_EQ(Elements(before.model, ids[1]), Elements(after.model, ids[1]));
}

TEST_F(BinModelTest, WantedQualityThatDoesNotPayLeavesTheTensor) {
  // 9 weights to a channel: a table for each is larger than the weights.
  const Json report = RunJson({"bin", kKws, Path("out.tflite"), "--min-qsnr=24.5", "--per=channel"});
  int64_t total = 0;
  int kept = 0;
  for (const Json& row : report["tensors"]) {
    EXPECT_TRUE(row["lossless"] || row["qsnr_db"] >= 24.5);
    const bool smaller = row["compressed_bytes"] < row["original_bytes"];
    EXPECT_EQ(row["applied"].get<bool>(), smaller);
    total += row[smaller ? "compressed_bytes" : "original_bytes"].get<int64_t>();
    if (!smaller) {
      ++kept;
      EXPECT_EQ(row["note"], "would not become smaller");
    }
  }
  EXPECT_EQ(kept, 4);
  EXPECT_EQ(report["total"]["compressed_bytes"], total);
}

TEST_F(BinModelTest, SettingsAreSavedChangedAndLoaded) {
  const std::string out = Path("out.tflite"), save = "--save=" + Path("s.json"),
                    load = "--settings=" + Path("s.json");
  Run({"bin", kKws, out, "--bits=4", save});
  EXPECT_EQ(Settings("s.json").size(), 10u);
  Run({"bin", kKws, out, load, "--step=0", "--min-qsnr=12.5", "--per=channel", save});
  Run({"bin", kKws, out, load, "--step=2:5", "--off", save});
  Run({"bin", kKws, out, load, "--tensor=op:FULLY_CONNECTED", "--clear", save});
  const Json settings = Settings("s.json");
  EXPECT_EQ(settings.size(), 9u);
  int off = 0, qsnr = 0;
  for (const Json& tensor : settings) {
    off += tensor["enabled"] ? 0 : 1;
    qsnr += tensor.contains("min_qsnr_db") ? 1 : 0;
    EXPECT_NE(tensor.contains("min_qsnr_db"), tensor.contains("bits"));
  }
  EXPECT_EQ(off, 3);
  EXPECT_EQ(qsnr, 1);
  const Json report = RunJson({"bin", kKws, out, load});
  const host::ModelFile before = host::ReadModelFile(kKws), after = host::ReadModelFile(out);
  for (const Json& row : report["tensors"]) {
    const TensorId id = {0, row["index"].get<int>()};
    EXPECT_EQ(row["enabled"].get<bool>(), Elements(before.model, id) != Elements(after.model, id));
  }
  // Without names all that have settings are meant.
  Run({"bin", kKws, out, load, "--on", save});
  for (const Json& tensor : Settings("s.json")) EXPECT_TRUE(tensor["enabled"]);
  EXPECT_EQ(Settings("s.json").size(), 9u);
  EXPECT_EQ(Run({"bin", kKws, out, load, "--clear", save}), "no tensors binned\n");
  EXPECT_TRUE(Settings("s.json").empty());
}

TEST_F(BinModelTest, BiasesOnlyIfNamed) {
  const host::ModelFile file = host::ReadModelFile(kKws);
  for (const BinCandidate& candidate : BinCandidates(file.model)) {
    const bool is_bias = file.model.tensor(0, candidate.id.tensor).type == TensorType::kInt32;
    EXPECT_EQ(candidate.left_out_by_default.empty(), !is_bias);
    if (!is_bias) continue;
    const Json report =
        RunJson({"bin", kKws, Path("out.tflite"), "--bits=3", "--tensor=" + ToText(candidate.id)});
    ASSERT_EQ(report["tensors"].size(), 1u);
    EXPECT_EQ(report["tensors"][0]["type"], "int32");
    break;
  }
}

TEST_F(BinModelTest, Misuse) {
  const std::string out = Path("out.tflite");
  Run({"bin", kKws, out}, 2);
  Run({"bin", kKws}, 2);
  Run({"bin", kKws, out, "--bits=9"}, 2);
  Run({"bin", kKws, out, "--bits=0"}, 2);
  Run({"bin", kKws, out, "--bits=4", "--min-qsnr=20"}, 2);
  Run({"bin", kKws, out, "--threshold=0.1"}, 2);
  Run({"bin", kKws, out, "--bits=4", "--threshold=-1"}, 2);
  Run({"bin", kKws, out, "--bits=4", "--per=channel", "--sparse=force"}, 2);
  Run({"bin", kKws, out, "--step=0", "--on"}, 2);
  Run({"bin", kKws, out, "--on", "--off"}, 2);
  Run({"bin", kKws, out, "--bits=4", "--tensor=nothing*"}, 3);
  Run({"bin", kKws, out, "--bits=4", "--tensor=0"}, 3);
  Run({"bin", kKws, out, "--bits=4", "--step=99"}, 3);
  Run({"bin", Path("missing.tflite"), out, "--bits=4"}, 3);
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(BinModelTest, RefusesWhatIsCompressed) {
  const std::string folder = LUTRA_TEST_DATA "/golden/tflm-compressed";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not there";
  int models = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".tflite") continue;
    const host::ModelFile file = host::ReadModelFile(entry.path());
    for (const BinCandidate& candidate : BinCandidates(file.model)) {
      const TensorInfo tensor = file.model.tensor(candidate.id.subgraph, candidate.id.tensor);
      if (tensor.is_compressed || candidate.op_name == "TFLM_DECODE") {
        EXPECT_EQ(candidate.reason, "compressed already");
        ++models;
        Run({"bin", entry.path().string(), Path("out.tflite"), "--bits=4",
             "--tensor=" + ToText(candidate.id)},
            3);
        break;
      }
    }
  }
  EXPECT_GT(models, 0);
}

TEST_F(BinModelTest, CurveAgreesWithBin) {
  const Json curve = Json::parse(Run({"curve", kKws, "--format=json", "--per=channel"}));
  ASSERT_EQ(curve["tensors"].size(), 10u);
  for (const int bits : {2, 5, 8}) {
    const Json binned =
        RunJson({"bin", kKws, Path("out.tflite"), "--per=channel", "--bits=" + std::to_string(bits)});
    for (size_t t = 0; t < 10; ++t) {
      const Json& point = curve["tensors"][t]["points"][static_cast<size_t>(bits - 1)];
      const Json& row = binned["tensors"][t];
      EXPECT_EQ(point["qsnr_db"], row["qsnr_db"]);
      EXPECT_EQ(point["bytes"], row["compressed_bytes"]);
    }
  }
  const std::string csv = Run({"curve", kKws, "--format=csv", "--step=0"});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 9);
  EXPECT_NE(Run({"curve", kKws, "--step=0"}).find("lossless"), std::string::npos);
}

}  // namespace
}  // namespace lutra::compressor

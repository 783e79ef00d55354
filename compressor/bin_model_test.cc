// SPDX-License-Identifier: Apache-2.0
// Tests which tensors of whole models are binned, their values, and what the program refuses.

#include "compressor/bin_model.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "compressor/commands.h"
#include "host/output_file.h"
#include "host/testing/scratch_folder.h"
#include "runtime/testing/model_builder.h"

namespace lutra::compressor {
namespace {

using Json = nlohmann::json;

constexpr char kKws[] = LUTRA_SOURCE_DIR "/models/kws.tflite";

class BinModelTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_ / name; }

  // Runs the verb, and returns its standard output; checks its exit code.
  std::string Run(std::vector<std::string> arguments, int expected_code = 0) const {
    CLI::App app;
    app.require_subcommand(1);
    AddBinCommand(app);
    AddSettingsCommand(app);
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

  host::ScratchFolder folder_;
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
        if (row["type"] == "int32") continue;
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
      // 12 biases become smaller with up to 8 values.
      EXPECT_EQ(binned.size(), bits < 4 ? 11u : 10u);
      EXPECT_EQ(report["left_out"].size(), 20 - binned.size());
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
  // A channel has 9 weights: a table for each is larger than the weights.
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
  // If no tensor is named, all that have settings are binned.
  Run({"bin", kKws, out, load, "--on", save});
  for (const Json& tensor : Settings("s.json")) EXPECT_TRUE(tensor["enabled"]);
  EXPECT_EQ(Settings("s.json").size(), 9u);
  EXPECT_EQ(Run({"bin", kKws, out, load, "--clear", save}), "no tensors binned\n");
  EXPECT_TRUE(Settings("s.json").empty());
}

// A model of one FULLY_CONNECTED whose biases lie in four clusters, and of a RESHAPE that reads a shape.
host::ModelFile WithBiases(int32_t outputs, bool per_channel) {
  ModelBuilder builder;
  std::vector<int8_t> weights(static_cast<size_t>(outputs) * 8);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<int8_t>(i * 37 % 251 - 125);
  std::vector<int32_t> biases(static_cast<size_t>(outputs));
  std::vector<float> scales;
  for (int32_t i = 0; i < outputs; ++i) {
    biases[static_cast<size_t>(i)] = i % 4 * 1000 + i;
    scales.push_back(i % 2 == 0 ? 1.0F : 1e-4F);
  }
  const int in = builder.AddTensor({.shape = {1, 8}, .scale = 0.5F});
  const int filter = builder.AddTensor({.shape = {outputs, 8}, .scale = 0.5F, .data = BytesOf(weights)});
  const int bias = builder.AddTensor({.shape = {outputs},
                                      .type = TensorType::kInt32,
                                      .scale = 0.25F,
                                      .channel_scales = per_channel ? scales : std::vector<float>(),
                                      .data = BytesOf(biases)});
  const int sums = builder.AddTensor({.shape = {1, outputs}, .scale = 100});
  const int shape = builder.AddTensor({.shape = {6},
                                       .type = TensorType::kInt32,
                                       .data = BytesOf(std::vector<int32_t>{1, 1, 1, 1, 1, outputs})});
  const int out = builder.AddTensor({.shape = {1, 1, 1, 1, 1, outputs}, .scale = 100});
  builder.AddOperator(BuiltinOperator::kFullyConnected, {in, filter, bias}, {sums});
  builder.AddOperator(BuiltinOperator::kReshape, {sums, shape}, {out});
  return LoadModel(builder.Finish({in}, {out}), "biases");
}

TEST_F(BinModelTest, BiasesAreBinnedWhereTheyGain) {
  const auto report = [&](int32_t outputs, const std::string& arguments) {
    const host::ModelFile file = WithBiases(outputs, false);
    host::WriteFileBytes(Path("in.tflite"), file.bytes.data(), file.bytes.size());
    return RunJson({"bin", Path("in.tflite"), Path("out.tflite"), "--bits=4", arguments});
  };
  for (const char* chosen : {"--per=tensor", "--step=0", "--tensor=*", "--tensor=op:FULLY_CONNECTED"}) {
    const Json many = report(128, chosen);
    ASSERT_EQ(many["tensors"].size(), 2u) << chosen;
    EXPECT_EQ(many["tensors"][1]["original_bytes"], 512);
    EXPECT_EQ(many["tensors"][1]["compressed_bytes"], 128) << "64 of indices, 64 of the table";
    // 12 biases are 48 bytes; binned, they would be 6 bytes of indices and 48 of a table.
    const Json few = report(12, chosen);
    ASSERT_EQ(few["tensors"].size(), 1u) << chosen;
    EXPECT_EQ(few["left_out"][0]["reason"], "no gain: 48 bytes would become 54, with their table");
  }
  // Each bias has a scale of its own.
  const host::ModelFile by_channel = WithBiases(128, true);
  host::WriteFileBytes(Path("in.tflite"), by_channel.bytes.data(), by_channel.bytes.size());
  for (const char* target : {"tflm", "lutra"}) {
    const Json scaled = RunJson({"bin", Path("in.tflite"), Path("out.tflite"), "--bits=4", "--per=channel",
                                 std::string("--target=") + target});
    ASSERT_EQ(scaled["tensors"].size(), std::string(target) == "tflm" ? 1u : 2u);
    if (std::string(target) == "lutra") {
      EXPECT_EQ(scaled["tensors"][1]["tables"], 1);
      EXPECT_LE(scaled["tensors"][1]["compressed_bytes"], 128);
    }
  }
  const Json named = report(12, "--tensor=2");
  ASSERT_EQ(named["tensors"].size(), 1u) << "who names a tensor has it";
  EXPECT_EQ(named["tensors"][0]["compressed_bytes"], 54);
  for (const BinCandidate& candidate : BinCandidates(WithBiases(12, false).model)) {
    EXPECT_EQ(candidate.left_out_by_default.empty(), candidate.id.tensor < 4) << "the shape is no weight";
  }
}

TEST_F(BinModelTest, BiasesCountByTheirScales) {
  // Every second bias is almost 0. The others lie in two clusters of 16, 4 apart: each of 16 values serves
  // two of them, at a distance of 2.
  const host::ModelFile file = WithBiases(64, true);
  double signal = 0;
  for (int i = 0; i < 64; i += 2) signal += std::pow(i % 4 * 1000 + i, 2);
  EXPECT_NEAR(BinTensor(file.model.tensor(0, 2), {.bits = 4}).qsnr_db, 10 * std::log10(signal / (32 * 4)),
              0.05);
}

TEST_F(BinModelTest, WithoutOutputOnlyTheTableIsMade) {
  const std::string table = Run({"bin", kKws, Path("out.tflite"), "--min-qsnr=20"});
  EXPECT_NE(table.find(">= 20 dB"), std::string::npos);
  EXPECT_EQ(Run({"bin", kKws, "--min-qsnr=20"}), table);
  EXPECT_EQ(Run({"settings", kKws, "--min-qsnr=20"}), table);
  Run({"settings", kKws, "--min-qsnr=20", "--save=" + Path("s.json")});
  std::filesystem::remove(Path("out.tflite"));
  // The part about tensors that are left out is not compared.
  const std::string rows = table.substr(0, table.find("left out"));
  EXPECT_EQ(Run({"settings", kKws, "--settings=" + Path("s.json")}).rfind(rows, 0), 0u);
  EXPECT_EQ(Run({"settings", kKws}), "no tensors binned\n");
  EXPECT_FALSE(std::filesystem::exists(Path("out.tflite")));
}

TEST_F(BinModelTest, HonoursSettingsInTheModel) {
  // Values of one tensor and the width of another come from a clustering tool.
  const host::ModelFile kws = host::ReadModelFile(kKws);
  std::vector<BinCandidate> candidates = BinCandidates(kws.model);
  const BinCandidate conv = candidates[0], last = candidates[candidates.size() - 2];
  BinPlan plan;
  plan[conv.id] = {conv.name, {.values = {{-100, -3, 0, 41}}}};
  plan[last.id] = {last.name, {.bits = 3}};
  ModelEditor editor(kws);
  WritePlanToMetadata(plan, &editor);
  const Bytes bytes = editor.Write();
  host::WriteFileBytes(Path("in.tflite"), bytes.data(), bytes.size());
  const Json settings = RunJson({"settings", Path("in.tflite")});
  ASSERT_EQ(settings["tensors"].size(), 2u);
  EXPECT_EQ(settings["tensors"][0]["settings"], "4 values");
  EXPECT_EQ(settings["tensors"][0]["bits"], 2);
  EXPECT_EQ(RunJson({"bin", Path("in.tflite"), Path("out.tflite")}), settings);
  const host::ModelFile after = host::ReadModelFile(Path("out.tflite"));
  const std::vector<int8_t> x = Elements(kws.model, conv.id), y = Elements(after.model, conv.id);
  for (size_t i = 0; i < x.size(); ++i) {
    // A value half way between two goes to the lower one.
    const int nearest = x[i] * 2 <= -103 ? -100 : x[i] * 2 <= -3 ? -3 : x[i] * 2 <= 41 ? 0 : 41;
    ASSERT_EQ(y[i], nearest) << static_cast<int>(x[i]);
  }
  // Options change the plan, a file replaces it, and it can be written.
  Run({"bin", Path("in.tflite"), Path("out.tflite"), "--tensor=" + ToText(last.id), "--off",
       "--write-metadata"});
  const host::ModelFile written = host::ReadModelFile(Path("out.tflite"));
  plan[last.id].settings.enabled = false;
  EXPECT_EQ(PlanInMetadata(ModelEditor(written), written.model), plan);
  Run({"settings", kKws, "--bits=2", "--step=0", "--save=" + Path("s.json")});
  EXPECT_EQ(RunJson({"settings", Path("in.tflite"), "--settings=" + Path("s.json")})["tensors"].size(), 1u);
  // This plan is for another model.
  plan[conv.id].name = "another";
  WritePlanToMetadata(plan, &editor);
  const Bytes wrong = editor.Write();
  host::WriteFileBytes(Path("in.tflite"), wrong.data(), wrong.size());
  EXPECT_NE(Run({"settings", Path("in.tflite")}, 3).find("metadata LUTRA_BINNING"), std::string::npos);
}

TEST_F(BinModelTest, Misuse) {
  const std::string out = Path("out.tflite");
  Run({"bin", kKws, out}, 2);
  Run({"bin", kKws}, 2);
  Run({"bin", kKws, "--bits=4", "--write-metadata"}, 2);
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
  ASSERT_EQ(curve["tensors"].size(), 20u) << "biases too";
  for (const int bits : {2, 5, 8}) {
    const Json binned =
        RunJson({"bin", kKws, Path("out.tflite"), "--per=channel", "--bits=" + std::to_string(bits)});
    for (const Json& row : binned["tensors"]) {
      const auto tensor = std::find_if(curve["tensors"].begin(), curve["tensors"].end(),
                                       [&](const Json& one) { return one["index"] == row["index"]; });
      const Json& point = (*tensor)["points"][static_cast<size_t>(bits - 1)];
      EXPECT_EQ(point["qsnr_db"], row["qsnr_db"]);
      EXPECT_EQ(point["bytes"], row["compressed_bytes"]);
    }
  }
  const std::string csv = Run({"curve", kKws, "--format=csv", "--step=0"});
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 17) << "a filter's and its biases'";
  EXPECT_NE(Run({"curve", kKws, "--step=0"}).find("lossless"), std::string::npos);
}

}  // namespace
}  // namespace lutra::compressor

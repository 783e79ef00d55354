// SPDX-License-Identifier: Apache-2.0
// The program as a script sees it: verbs, options, JSON, files, exit codes.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/testing/program.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kPlain = "models/kws.tflite";
// Has at most 16 distinct values in each filter.
const std::string kClustered = "models/kws_clustered.tflite";

std::string ReadModel(const std::string& path) { return host::ReadAll(fs::path(LUTRA_SOURCE_DIR) / path); }

host::Outcome RunWell(const std::string& arguments) {
  host::Outcome outcome = host::RunProgram(arguments);
  EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
  return outcome;
}

// What bin and curve print is tested in bin_model_test.cc.
json RunJson(const std::string& arguments) { return json::parse(RunWell(arguments + " --json").out); }

TEST(Compress, TakesTflmsLine) {
  const host::ScratchFolder folder;
  RunWell("--input=" + kClustered + " --output=" + (folder / "a.tflite"));
  RunWell("pack " + kClustered + " " + (folder / "b.tflite"));
  EXPECT_EQ(host::ReadAll(folder / "a.tflite"), host::ReadAll(folder / "b.tflite"));
  EXPECT_LT(host::ReadAll(folder / "a.tflite").size(), ReadModel(kClustered).size());
  std::ofstream(folder / "spec.yaml") << "tensors:\n  - subgraph: 0\n    tensor: 4\n    compression:\n"
                                         "      - lut:\n          index_bitwidth: 4\n";
  RunWell("--input=" + kClustered + " --output=" + (folder / "c.tflite") +
          " --spec=" + (folder / "spec.yaml"));
  const json stored = RunJson("inspect " + (folder / "c.tflite"))["tensors"];
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0]["index"], 4);
  EXPECT_EQ(stored[0]["codec"], "lut");
  EXPECT_EQ(stored[0]["bits"], 4);
  EXPECT_EQ(stored[0]["index_counts"].size(), 16u);
}

TEST(Compress, PrintsNoByteOfANameThatATerminalObeys) {
  const host::ScratchFolder folder;
  const std::string model = folder / "hostile.tflite", packed = folder / "packed.tflite";
  host::CopyWithHostileName(fs::path(LUTRA_SOURCE_DIR) / kClustered, model, "functional_1_1");
  host::CopyWithHostileName(model, model, "Identity");
  const auto expect_escaped = [](const std::string& text) {
    EXPECT_EQ(text.find_first_of("\x1b\xff"), std::string::npos) << text;
    EXPECT_NE(text.find("\\x1b[2J\\xff"), std::string::npos) << text;
  };
  expect_escaped(RunWell("pack " + model + " " + packed).out);
  expect_escaped(RunWell("inspect " + packed).out);
  expect_escaped(RunWell("bin " + model + " " + (folder / "binned.tflite") + " --bits 4 --step 0").out);
  expect_escaped(
      RunWell("bin " + model + " " + (folder / "zero.tflite") + " --bits 4 --step 0 --threshold 1000").err);
  for (const char* format : {"table", "csv"}) {
    expect_escaped(RunWell("curve " + model + " --step 0 --format " + format).out);
  }
  const host::Outcome differs = host::RunProgram("verify " + model + " " + (folder / "zero.tflite"));
  EXPECT_EQ(differs.code, 1);
  expect_escaped(differs.out);
  const host::Outcome refused =
      host::RunProgram("bin " + packed + " " + (folder / "no.tflite") + " --tensor 4 --bits 4");
  EXPECT_EQ(refused.code, 3);
  expect_escaped(refused.err);
}

TEST(Compress, NamesTheTensorsThatAThresholdMakesZero) {
  const host::ScratchFolder folder;
  const std::string bin = "bin models/sine.tflite " + (folder / "out.tflite");
  EXPECT_EQ(RunWell(bin + " --bits 4 --threshold 0.001 --json").err, "");
  const host::Outcome zeroed = RunWell(bin + " --bits 4 --threshold 1000 --json");
  const json tensors = json::parse(zeroed.out)["tensors"];
  EXPECT_EQ(std::count(zeroed.err.begin(), zeroed.err.end(), '\n'),
            static_cast<std::ptrdiff_t>(tensors.size()));
  for (const json& tensor : tensors) {
    EXPECT_NE(zeroed.err.find("\"" + tensor["name"].get<std::string>() +
                              "\": threshold: found all of its values below 1000"),
              std::string::npos)
        << tensor << zeroed.err;
  }
  EXPECT_EQ(RunWell(bin + " --min-qsnr 20 --threshold 1000").err, "") << "they miss the quality, and stay";
}

TEST(Compress, ReportsAndWritesTheSpecThatMakesTheFileAgain) {
  const host::ScratchFolder folder;
  const json report = RunJson("pack " + kClustered + " " + (folder / "a.tflite") + " --report " +
                              (folder / "r.json") + " --write-spec " + (folder / "s.yaml"));
  EXPECT_EQ(report["bytes_before"], ReadModel(kClustered).size());
  EXPECT_EQ(report["bytes_after"], fs::file_size(folder / "a.tflite"));
  EXPECT_EQ(json::parse(host::ReadAll(folder / "r.json")), report);
  for (const json& tensor : report["tensors"]) {
    EXPECT_NE(tensor["compressed"].get<bool>(), tensor["why_not"].is_string()) << tensor["name"];
  }
  RunWell("pack " + kClustered + " " + (folder / "b.tflite") + " --spec " + (folder / "s.yaml"));
  EXPECT_EQ(host::ReadAll(folder / "a.tflite"), host::ReadAll(folder / "b.tflite"));
}

TEST(Compress, ConvertsUnpacksAndVerifies) {
  const host::ScratchFolder folder;
  const std::string data = " --data models/kws.validation.inputs.npy";
  RunWell("pack --codec lut " + kClustered + " " + (folder / "decode.tflite"));
  RunWell("convert --format metadata " + (folder / "decode.tflite") + " " + (folder / "metadata.tflite"));
  RunWell("convert --format decode " + (folder / "metadata.tflite") + " " + (folder / "back.tflite"));
  EXPECT_EQ(host::ReadAll(folder / "back.tflite"), host::ReadAll(folder / "decode.tflite"));
  RunWell("align " + kClustered + " " + (folder / "aligned.tflite"));
  for (const char* form : {"decode.tflite", "metadata.tflite"}) {
    RunWell("unpack " + (folder / form) + " " + (folder / "plain.tflite"));
    EXPECT_EQ(host::ReadAll(folder / "plain.tflite"), host::ReadAll(folder / "aligned.tflite")) << form;
    RunWell("verify " + kClustered + " " + (folder / form) + data);
  }
  EXPECT_EQ(RunJson("inspect " + (folder / "metadata.tflite"))["tensors"][0]["format"], "metadata");
  EXPECT_TRUE(RunJson("inspect " + kClustered)["tensors"].empty());
}

TEST(Compress, VerifyTellsDifferencesApartFromBadInput) {
  const host::ScratchFolder folder;
  RunWell("bin --bits 2 " + kPlain + " " + (folder / "binned.tflite"));
  const host::Outcome differs =
      host::RunProgram("verify --runs 3 " + kPlain + " " + (folder / "binned.tflite"));
  EXPECT_EQ(differs.code, 1);
  EXPECT_NE(differs.out.find("seed 1, output 0"), std::string::npos) << differs.out;
  EXPECT_EQ(host::RunProgram("verify " + kPlain + " models/ad.tflite").code, 3);
  EXPECT_EQ(
      host::RunProgram("verify " + kPlain + " " + kPlain + " --data models/ad.validation.inputs.npy").code,
      3);
}

TEST(Compress, UsesItsExitCodesAndLeavesOutputsWhole) {
  const host::ScratchFolder folder;
  EXPECT_EQ(host::RunProgram("--help").code, 0);
  EXPECT_EQ(host::RunProgram("--version").code, 0);
  const std::string kept = folder / "kept.tflite";
  const std::string to = " " + kept;
  std::ofstream(kept) << "kept";
  std::ofstream(folder / "text.tflite") << "this is a text file, not a model";
  for (const char* misuse : {"", "zip", "pack", "--input models/kws.tflite", "convert models/kws.tflite",
                             "curve models/kws.tflite --format xml", "verify models/kws.tflite"}) {
    EXPECT_EQ(host::RunProgram(misuse).code, 2) << misuse;
  }
  for (const std::string misuse :
       {"pack --codec zip ", "pack --target arm ", "bin ", "bin --bits 9 ", "bin --bits 4 --min-qsnr 20 "}) {
    EXPECT_EQ(host::RunProgram(misuse + kPlain + to).code, 2) << misuse;
  }
  for (const std::string& refused : std::vector<std::string>{
           "pack /no/such/model.tflite", "pack " + (folder / "text.tflite"),
           "unpack " + (folder / "text.tflite"), "bin --bits 4 " + (folder / "text.tflite"),
           "bin --bits 4 --tensor none " + kPlain, "pack --only none " + kPlain,
           "pack --spec /no/such.yaml " + kPlain, "bin --settings /no/such.json " + kPlain,
           "align " + (folder / "text.tflite")}) {
    const host::Outcome outcome = host::RunProgram(refused + to);
    EXPECT_EQ(outcome.code, 3) << refused << "\n" << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << "one line: " << outcome.err;
  }
  EXPECT_EQ(host::ReadAll(kept), "kept");
  EXPECT_EQ(host::RunProgram("pack " + kClustered + " /no/such/folder/out.tflite").code, 3);
}

}  // namespace
}  // namespace lutra::compressor

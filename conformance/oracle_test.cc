// SPDX-License-Identifier: Apache-2.0
// Compares the oracle with the outputs of four runtimes: TensorFlow Lite Micro and LiteRT's three kernel
// sets. Every byte must be equal under the profile of the runtime. The recordings are not part of the
// repository (LUTRA_TEST_DATA): without them these tests are skipped.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "conformance/oracle/evaluate.h"

namespace lutra::conformance::oracle {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kGolden = fs::path(LUTRA_TEST_DATA) / "golden";

// One inference (or a few), and a runtime's outputs.
struct Recording {
  std::string name;
  const char* profile;
  fs::path model;
  std::vector<fs::path> inputs;
  std::vector<fs::path> outputs;
  int invokes = 1;
};

using Recordings = std::map<std::string, std::vector<Recording>>;  // By operator.

Bytes ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<json> ReadJsonLines(const fs::path& path) {
  std::vector<json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

std::vector<fs::path> Numbered(const std::string& prefix, const std::string& suffix) {
  std::vector<fs::path> files;
  while (fs::exists(prefix + std::to_string(files.size()) + suffix)) {
    files.push_back(prefix + std::to_string(files.size()) + suffix);
  }
  return files;
}

const std::pair<const char*, const char*> kKernelSets[] = {
    {"ref", "litert-reference"}, {"opt", "litert-optimized"}, {"xnn", "xnnpack"}};

void AddCorpus(Recordings* all) {
  const fs::path corpus = kGolden / "corpus", litert = kGolden / "corpus-litert";
  std::map<std::string, json> lines;
  for (json& line : ReadJsonLines(corpus / "manifest.jsonl")) {
    const std::string id = line["id"];
    lines[id] = line;
  }
  std::map<std::string, Recording> of_tflm;
  for (const auto& [id, line] : lines) {
    for (const char* set : {"a", "b"}) {
      const std::string file = *set == 'a' ? "file" : "file_b";
      Recording test;
      test.name = id + "." + set;
      test.profile = "tflm";
      test.model = corpus / line["model"].get<std::string>();
      test.invokes = line["invokes"];
      for (const json& tensor : line["inputs"])
        test.inputs.push_back(corpus / tensor[file].get<std::string>());
      for (const json& tensor : line["outputs"]) {
        test.outputs.push_back(corpus / tensor[file].get<std::string>());
      }
      (*all)[line["op"]].push_back(test);
      of_tflm[test.name] = test;
    }
  }
  for (const json& line : ReadJsonLines(litert / "manifest.jsonl")) {
    const std::string name = line["id"].get<std::string>() + "." + line["set"].get<std::string>();
    for (const auto& [set, profile] : kKernelSets) {
      const json& result = line[set];
      if (result["status"] != "ran") continue;
      Recording test = of_tflm.at(name);
      test.profile = profile;
      if (result.contains("files")) {
        test.outputs.clear();
        for (const json& file : result["files"]) test.outputs.push_back(litert / file.get<std::string>());
      }
      (*all)[line["op"]].push_back(test);
    }
  }
}

void AddConverter(Recordings* all) {
  for (const auto& entry : fs::directory_iterator(kGolden / "converter")) {
    if (!entry.is_directory()) continue;
    std::ifstream file(entry.path() / "case.json");
    const json description = json::parse(file);
    const std::string folder = entry.path().string() + "/";
    Recording test;
    test.name = "converter/" + entry.path().filename().string();
    test.model = folder + "model.tflite";
    test.inputs = Numbered(folder + "input.", ".bin");
    const std::string op = description["op"];
    for (const auto& [prefix, profile] : {std::pair{"expected.", "tflm"},
                                          {"litert_ref.output.", "litert-reference"},
                                          {"litert_opt.output.", "litert-optimized"},
                                          {"litert_xnnpack.output.", "xnnpack"}}) {
      test.profile = profile;
      test.outputs = Numbered(folder + prefix, ".bin");
      if (!test.outputs.empty()) (*all)[op].push_back(test);
    }
  }
}

void AddTflmOps(Recordings* all) {
  const fs::path folder = kGolden / "tflm-ops";
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".tflite") continue;
    const std::string name = entry.path().stem();
    for (const char* seed : {"1", "2", "3"}) {
      const std::string prefix = (folder / name).string() + ".seed" + seed;
      Recording test;
      test.name = "tflm-ops/" + name + "." + seed;
      test.profile = "tflm";
      test.model = entry.path();
      test.inputs = Numbered(prefix + ".input.", ".bin");
      test.outputs = Numbered(prefix + ".output.", ".bin");
      if (!test.outputs.empty()) (*all)["tflm-ops " + name].push_back(test);
    }
  }
}

const Recordings& AllRecordings() {
  static const Recordings all = [] {
    Recordings recordings;
    if (fs::exists(kGolden / "corpus" / "manifest.jsonl")) {
      AddCorpus(&recordings);
      AddConverter(&recordings);
      AddTflmOps(&recordings);
    } else {
      recordings["none"];
    }
    return recordings;
  }();
  return all;
}

std::vector<std::string> GroupNames() {
  std::vector<std::string> names;
  for (const auto& [name, group] : AllRecordings()) names.push_back(name);
  return names;
}

// Returns the first difference; empty if there is none.
std::string Check(const Recording& test) {
  const std::unique_ptr<ModelObjects> model = ReadModel(ReadFile(test.model));
  std::vector<Bytes> inputs;
  for (const fs::path& path : test.inputs) inputs.push_back(ReadFile(path));
  Evaluation run(*model, Following(*FindProfile(test.profile)));
  std::vector<Bytes> outputs;
  for (int i = 0; i < test.invokes; ++i) outputs = run.Invoke(inputs);
  if (outputs.size() != test.outputs.size()) return "another number of outputs";
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Bytes expected = ReadFile(test.outputs[i]);
    if (outputs[i].size() != expected.size()) return "output of another size";
    size_t different = 0, first = 0;
    for (size_t k = expected.size(); k-- > 0;) {
      if (outputs[i][k] == expected[k]) continue;
      ++different;
      first = k;
    }
    if (different != 0) {
      return "output " + std::to_string(i) + ": " + std::to_string(different) + " of " +
             std::to_string(expected.size()) + " bytes differ, the first at " + std::to_string(first) +
             ": expected " + std::to_string(static_cast<int8_t>(expected[first])) + ", oracle " +
             std::to_string(static_cast<int8_t>(outputs[i][first]));
    }
  }
  return "";
}

class OracleOnRecordings : public testing::TestWithParam<std::string> {};

TEST_P(OracleOnRecordings, EveryByte) {
  const std::vector<Recording>& group = AllRecordings().at(GetParam());
  if (group.empty()) GTEST_SKIP() << "no recordings at " << kGolden << " (LUTRA_TEST_DATA)";
  std::map<std::string, int> equal;
  for (const Recording& test : group) {
    std::string problem;
    try {
      problem = Check(test);
    } catch (const Unspecified& error) {
      problem = error.what();
    }
    EXPECT_EQ(problem, "") << test.name << " as " << test.profile;
    if (problem.empty()) ++equal[test.profile];
  }
  for (const auto& [profile, count] : equal) RecordProperty(profile, count);
}

INSTANTIATE_TEST_SUITE_P(Operators, OracleOnRecordings, testing::ValuesIn(GroupNames()),
                         [](const auto& param) {
                           std::string name = param.param;
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

// The drift of whole models from TensorFlow Lite Micro under other profiles: elements that differ over three
// inputs, and the largest difference. LiteRT's kernel sets were measured to give these.
struct Drift {
  const char *model, *profile;
  int different, elements, largest;
};

class OracleOnModels : public testing::TestWithParam<Drift> {};

TEST_P(OracleOnModels, DriftsAsMeasured) {
  const Drift& expected = GetParam();
  const fs::path model_path =
      fs::path(LUTRA_TEST_DATA) / "models" / (std::string(expected.model) + ".tflite");
  const fs::path recordings = kGolden / "tflm" / expected.model;
  if (!fs::exists(model_path) || !fs::exists(recordings)) GTEST_SKIP() << "no " << model_path;
  const std::unique_ptr<ModelObjects> model = ReadModel(ReadFile(model_path));
  int different = 0, elements = 0, largest = 0;
  for (const char* seed : {"seed1", "seed2", "seed3"}) {
    const std::string folder = (recordings / seed).string() + "/";
    std::vector<Bytes> inputs;
    for (const fs::path& path : Numbered(folder + "input.", ".bin")) inputs.push_back(ReadFile(path));
    Evaluation run(*model, Following(*FindProfile(expected.profile)));
    const Bytes output = run.Invoke(inputs)[0];
    const Bytes recorded = ReadFile(folder + "output.0.bin");
    ASSERT_EQ(output.size(), recorded.size());
    for (size_t i = 0; i < output.size(); ++i) {
      const int distance = std::abs(static_cast<int8_t>(output[i]) - static_cast<int8_t>(recorded[i]));
      different += distance != 0 ? 1 : 0;
      largest = std::max(largest, distance);
      ++elements;
    }
  }
  EXPECT_EQ(different, expected.different);
  EXPECT_EQ(elements, expected.elements);
  EXPECT_EQ(largest, expected.largest);
}

constexpr Drift kDrifts[] = {
    {"vww_96_int8", "tflm", 0, 6, 0},
    {"vww_96_int8", "xnnpack", 0, 6, 0},
    {"kws_ref_model", "litert-reference", 0, 36, 0},
    {"kws_ref_model", "litert-optimized", 0, 36, 0},
    {"kws_ref_model", "xnnpack", 4, 36, 2},
    {"pretrainedResnet_quant", "litert-reference", 0, 30, 0},
    {"pretrainedResnet_quant", "litert-optimized", 4, 30, 14},
    {"pretrainedResnet_quant", "xnnpack", 6, 30, 34},
    {"ad01_int8", "tflm", 0, 1920, 0},
    {"ad01_int8", "litert-reference", 903, 1920, 2},
    {"ad01_int8", "litert-optimized", 3, 1920, 1},
    {"ad01_int8", "xnnpack", 903, 1920, 2},
    {"keyword_scrambled_8bit", "tflm", 0, 24, 0},
    {"simple_add_model", "litert-optimized", 0, 49152, 0},
    {"simple_add_model", "xnnpack", 1, 49152, 1},
};

INSTANTIATE_TEST_SUITE_P(Models, OracleOnModels, testing::ValuesIn(kDrifts), [](const auto& param) {
  std::string name = std::string(param.param.model) + "_" + param.param.profile;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace lutra::conformance::oracle

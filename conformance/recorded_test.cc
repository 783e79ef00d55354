// SPDX-License-Identifier: Apache-2.0
// Compares with recorded outputs of TensorFlow Lite Micro: real models, one-operator models and small graphs.
// Every byte must be equal; floats may differ by 1e-5 of the output's largest magnitude. The data is not part
// of the repository (LUTRA_TEST_DATA): without it these tests are skipped.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "host/testing/inference.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kData = fs::path(LUTRA_TEST_DATA);
const fs::path kGolden = kData / "golden";
constexpr double kFloatTolerance = 1e-5;

// One inference (or a few), and the outputs that it must give.
struct Case {
  std::string name;
  fs::path model;
  std::vector<fs::path> inputs;
  std::vector<fs::path> outputs;
  int invokes = 1;
  bool refused = false;  // The model must be refused.
};

// A group's name is that of its test: the operator, or the model.
using Groups = std::map<std::string, std::vector<Case>>;

std::vector<json> ReadJsonLines(const fs::path& path) {
  std::vector<json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(json::parse(line));
  }
  return lines;
}

// Returns the files prefix + k + suffix for k = 0, 1... as long as they exist.
std::vector<fs::path> Numbered(const std::string& prefix, const std::string& suffix) {
  std::vector<fs::path> files;
  for (int k = 0;; ++k) {
    const fs::path file = prefix + std::to_string(k) + suffix;
    if (!fs::exists(file)) return files;
    files.push_back(file);
  }
}

std::vector<fs::path> SortedEntries(const fs::path& folder) {
  std::vector<fs::path> entries;
  if (!fs::is_directory(folder)) return entries;
  for (const auto& entry : fs::directory_iterator(folder)) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  return entries;
}

std::string Identifier(std::string text) {
  for (char& c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return text;
}

[[maybe_unused]] void AddCorpus(Groups& groups) {
  const fs::path corpus = kGolden / "corpus";
  if (!fs::exists(corpus / "manifest.jsonl")) return;
  for (const json& line : ReadJsonLines(corpus / "manifest.jsonl")) {
    for (const char* set : {"file", "file_b"}) {
      Case test;
      test.name = line["id"].get<std::string>() + (std::string(set) == "file" ? "" : ".b");
      test.model = corpus / line["model"].get<std::string>();
      test.invokes = line["invokes"].get<int>();
      for (const json& input : line["inputs"]) test.inputs.push_back(corpus / input[set].get<std::string>());
      for (const json& output : line["outputs"]) {
        test.outputs.push_back(corpus / output[set].get<std::string>());
      }
      groups["corpus_" + Identifier(line["op"])].push_back(test);
    }
  }
}

void AddWholeModels(Groups& groups, const fs::path& recorded, const fs::path& models,
                    const std::string& prefix) {
  for (const fs::path& folder : SortedEntries(recorded)) {
    for (const fs::path& seed : SortedEntries(folder)) {
      const std::string model = folder.filename().string();
      groups[prefix + Identifier(model)].push_back(
          {.name = model + "/" + seed.filename().string(),
           .model = models / (model + ".tflite"),
           .inputs = Numbered((seed / "input.").string(), ".bin"),
           .outputs = Numbered((seed / "output.").string(), ".bin")});
    }
  }
}

void AddOneOperatorModels(Groups& groups) {
  const fs::path folder = kGolden / "tflm-ops";
  for (const fs::path& model : SortedEntries(folder)) {
    if (model.extension() != ".tflite") continue;
    const std::string name = model.stem().string();
    for (const char* seed : {"seed1", "seed2", "seed3"}) {
      const std::string prefix = (folder / name).string() + "." + seed;
      Case test = {.name = name + "." + seed,
                   .model = model,
                   .inputs = Numbered(prefix + ".input.", ".bin"),
                   .outputs = Numbered(prefix + ".output.", ".bin")};
      test.refused = test.outputs.empty();
      groups["ops"].push_back(test);
    }
  }
}

void AddConverterModels(Groups& groups) {
  for (const fs::path& folder : SortedEntries(kGolden / "converter")) {
    if (!fs::exists(folder / "model.tflite")) continue;
    Case test = {.name = folder.filename().string(),
                 .model = folder / "model.tflite",
                 .inputs = Numbered((folder / "input.").string(), ".bin"),
                 .outputs = Numbered((folder / "expected.").string(), ".bin")};
    if (test.outputs.empty()) continue;  // The recording runtime lacks the operator.
    groups["converter"].push_back(test);
  }
}

void AddVariables(Groups& groups) {
  for (const fs::path& folder : SortedEntries(kGolden / "variables")) {
    for (int run = 1; run <= 3; ++run) {
      const fs::path output = folder / ("output.0.after" + std::to_string(run) + ".bin");
      if (!fs::exists(output)) continue;
      groups["variables_" + Identifier(folder.filename().string())].push_back(
          {.name = folder.filename().string() + " after " + std::to_string(run),
           .model = folder / "model.tflite",
           .inputs = {folder / "input.0.bin"},
           .outputs = {output},
           .invokes = run});
    }
  }
}

Groups AllGroups() {
  Groups groups;
  // Under sanitizers, conformance_test runs the corpus's cases.
#if !defined(LUTRA_SANITIZED)
  AddCorpus(groups);
#endif
  AddWholeModels(groups, kGolden / "tflm", kData / "models", "model_");
  AddWholeModels(groups, kGolden / "zoo-tflm", fs::path(LUTRA_SOURCE_DIR) / "models", "zoo_");
  AddOneOperatorModels(groups);
  AddConverterModels(groups);
  AddVariables(groups);
  return groups;
}

const Groups& Recorded() {
  static const Groups groups = AllGroups();
  return groups;
}

std::vector<std::string> GroupNames() {
  std::vector<std::string> names;
  for (const auto& [name, cases] : Recorded()) names.push_back(name);
  if (names.empty()) names.push_back("absent");
  return names;
}

class RecordedOutputs : public testing::TestWithParam<std::string> {};

TEST_P(RecordedOutputs, AreReproduced) {
#if defined(LUTRA_SINGLE_ROUNDING)
  GTEST_SKIP() << "the recordings are of double rounding";
#endif
  if (GetParam() == "absent") GTEST_SKIP() << "no recorded outputs at " << kGolden << " (LUTRA_TEST_DATA)";
  for (const Case& test : Recorded().at(GetParam())) {
    std::vector<host::Bytes> inputs;
    for (const fs::path& file : test.inputs) inputs.push_back(host::ReadBytes(file));
    // Both memory policies, and a plan without overlaps, give the same bytes.
    for (const auto& [policy, overlap] :
         {std::pair{MemoryPolicy::kFast, true}, std::pair{MemoryPolicy::kSmall, true},
          std::pair{MemoryPolicy::kFast, false}}) {
      InterpreterOptions options;
      options.policy = policy;
      options.overlap = overlap;
      const host::RunOutcome outcome = host::RunModel(test.model, inputs, test.invokes, options);
      if (test.refused) {
        EXPECT_NE(outcome.status, Status::kOk) << test.name;
        continue;
      }
      ASSERT_EQ(outcome.status, Status::kOk) << test.name << ": " << outcome.refusal;
      ASSERT_EQ(outcome.outputs.size(), test.outputs.size()) << test.name;
      for (size_t k = 0; k < test.outputs.size(); ++k) {
        EXPECT_EQ(host::Difference(outcome.outputs[k], host::ReadBytes(test.outputs[k]), outcome.types[k],
                                   kFloatTolerance),
                  "")
            << test.name << ", output " << k
            << (policy == MemoryPolicy::kSmall ? ", policy small"
                : overlap                      ? ""
                                               : ", overlap off");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, RecordedOutputs, testing::ValuesIn(GroupNames()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecordedOutputs);

// Wrong models must be refused with a rule; models that only exceed another runtime's limits may run.
TEST(RefusedModels, AreRefusedWithTheRule) {
  const fs::path folder = kGolden / "refused";
  if (!fs::exists(folder / "manifest.jsonl"))
    GTEST_SKIP() << "no models at " << folder << " (LUTRA_TEST_DATA)";
  int refused = 0;
  for (const json& line : ReadJsonLines(folder / "manifest.jsonl")) {
    const host::RunOutcome outcome = host::RunModel(folder / line["model"].get<std::string>(), {}, 1, {});
    const bool must = line["ours"] == "must_refuse";
    if (must) {
      EXPECT_NE(outcome.status, Status::kOk) << line["id"];
    }
    if (outcome.status == Status::kOk) continue;
    ++refused;
    EXPECT_NE(outcome.refusal.find("required"), std::string::npos) << line["id"] << ": " << outcome.refusal;
    RecordProperty(Identifier(line["id"]), outcome.refusal);
  }
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Tests that every rule finds a model that breaks it, and none in the unbroken model; and findings in real
// models.

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/linter/lint.h"
#include "conformance/linter/lint_command.h"
#include "conformance/linter/violations.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/testing/scratch_folder.h"

namespace lutra::conformance::linter {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const fs::path kShared = LUTRA_TEST_DATA;

std::unique_ptr<oracle::ModelObjects> ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return oracle::ReadModel({std::istreambuf_iterator<char>(file), {}});
}

bool Has(const std::vector<Finding>& findings, const std::string& rule) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& f) { return f.rule == rule; });
}

// Returns each rule that was broken, with the number of its findings.
std::map<std::string, int> Count(const std::vector<Finding>& findings, Severity least) {
  std::map<std::string, int> counts;
  for (const Finding& finding : findings) {
    if (finding.severity >= least) ++counts[finding.rule];
  }
  return counts;
}

// Returns whether the operator alone breaks the rule, whatever its parameters.
bool IsAboutPresence(const LintRule& rule) {
  const std::string topic = rule.topic;
  return topic == "operator" || topic == "int8" || topic == "kernel";
}

struct Instance {
  const LintRule* rule;
  std::string op;
};

std::vector<Instance> AllInstances() {
  std::vector<Instance> instances;
  for (const LintRule& rule : AllRules()) {
    for (const std::string& op : rule.operators) instances.push_back({&rule, op == "ANY" ? "TILE" : op});
  }
  return instances;
}

std::string IdOf(const Instance& instance) {
  return RuleId(*instance.rule, instance.rule->operators[0] == "ANY" ? "ANY" : instance.op);
}

TEST(Rules, EachFindsWhatBreaksIt) {
  for (const Instance& instance : AllInstances()) {
    const Violation* violation = FindViolation(*instance.rule, instance.op);
    ASSERT_NE(violation, nullptr) << IdOf(instance) << " has no violation";
    Net net(instance.op);
    (*violation)(&net);
    const auto model = oracle::ReadModel(oracle::WriteModel(net.model()));
    const std::vector<Finding> findings = Lint(*model);
    EXPECT_TRUE(Has(findings, IdOf(instance))) << IdOf(instance);
    for (const Finding& finding : findings) {
      if (finding.rule != IdOf(instance)) continue;
      EXPECT_EQ(finding.severity, instance.rule->severity);
      EXPECT_FALSE(finding.found.empty() || finding.required.empty() || finding.explanation.empty());
      EXPECT_EQ(finding.op, instance.op);
    }
  }
}

// Returns whether the rule reports an operator that TFLM lacks, or lacks in int8: that is no fault of a
// model.
bool SaysWhatTflmLacks(const std::string& rule) {
  return rule.starts_with("E-") && (rule.ends_with("-operator") || rule.ends_with("-int8"));
}

// Only notes that a kernel of LiteRT computes otherwise are allowed.
TEST(Rules, NothingIsFoundInCorrectModels) {
  for (const std::string& op : AllSignatureNames()) {
    Net net(op);
    for (const Finding& finding : Lint(net.model())) {
      if (finding.rule.ends_with("-kernel") || SaysWhatTflmLacks(finding.rule)) continue;
      ADD_FAILURE() << finding.rule << ": " << finding.found;
    }
  }
}

// Scales along a dimension are right, though a runtime may lack them.
TEST(Rules, ScalesAlongADimensionAreNoErrorOfQuantizeAndDequantize) {
  for (const std::string op : {"QUANTIZE", "DEQUANTIZE"}) {
    const auto& rules = AllRules();
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [](const LintRule& r) { return r.topic == std::string("per-axis"); });
    Net net(op);
    (*FindViolation(*rule, op))(&net);
    EXPECT_EQ(Count(Lint(net.model()), Severity::kNote),
              (std::map<std::string, int>{{"E-" + op + "-per-axis", 1}}));
    // One zero point may serve all scales, two may not.
    const auto& codes = op == "QUANTIZE" ? net.output() : net.input(0);
    codes.quantization->zero_point = {5};
    EXPECT_FALSE(Has(Lint(net.model()), "S-" + op + "-scale-count"));
    codes.quantization->zero_point = {5, 5};
    EXPECT_TRUE(Has(Lint(net.model()), "S-" + op + "-scale-count"));
  }
}

// Weights may have one scale for each row, or one scale as in earlier versions of the specification.
TEST(Rules, WeightsOfFullyConnectedMayHaveOneScaleOrMany) {
  EXPECT_TRUE(Lint(Net("FULLY_CONNECTED").model()).empty());
  Net net("FULLY_CONNECTED");
  net.First(kWeights).quantization->scale.resize(1);
  net.First(kWeights).quantization->zero_point.resize(1);
  const std::vector<Finding> findings = Lint(net.model());
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].rule, "D-FULLY_CONNECTED-per-tensor");
  EXPECT_EQ(findings[0].required.find("nothing else, it is right"), 0u) << findings[0].required;
}

// SHAPE reads no code of its input, which is an int8 activation all the same.
TEST(Rules, TheInputOfShapeIsAnActivation) {
  Net net("SHAPE");
  EXPECT_TRUE(Lint(net.model()).empty());
  net.input(0).quantization->zero_point = {300};
  EXPECT_TRUE(Has(Lint(net.model()), "S-SHAPE-zero-point"));
  net.input(0).quantization->scale.clear();
  EXPECT_TRUE(Has(Lint(net.model()), "S-SHAPE-scale"));
  net.input(0).type = oracle::kFloat32;
  EXPECT_TRUE(Lint(net.model()).empty());
}

TEST(Rules, AboutInt8LeaveFloatAlone) {
  for (const Instance& instance : AllInstances()) {
    if (!IsAboutPresence(*instance.rule) || instance.rule->topic == std::string("operator")) continue;
    Net net(instance.op);
    for (edit::TensorT* tensor : net.All(kActivation)) tensor->type = oracle::kFloat32;
    EXPECT_FALSE(Has(Lint(net.model()), IdOf(instance))) << IdOf(instance);
  }
}

TEST(Rules, HaveOneMeaningForEachId) {
  std::set<std::string> seen;
  for (const Instance& instance : AllInstances()) {
    EXPECT_TRUE(seen.insert(IdOf(instance)).second) << IdOf(instance);
    const Severity severity = instance.rule->severity;
    if (instance.rule->kind != 'S') {
      EXPECT_EQ(severity, instance.rule->kind == 'E' ? Severity::kWarning : Severity::kNote)
          << IdOf(instance);
    }
  }
}

TEST(Rules, EveryInt8OperatorHasSome) {
  for (const std::string& op : AllSignatureNames()) {
    // The linter has fewer rules for truth values and shapes.
    if (FindSignature(op)->inputs.find(kActivation) == std::string_view::npos) continue;
    const auto instances = AllInstances();
    EXPECT_GE(
        std::count_if(instances.begin(), instances.end(), [&](const Instance& i) { return i.op == op; }), 2)
        << op;
  }
}

// The rules of warnings and errors by model, with their numbers. Other models have none.
using Expected = std::map<std::string, std::map<std::string, int>>;

void CheckModels(const std::vector<fs::path>& models, const Expected& expected) {
  for (const fs::path& model : models) {
    const std::string name = model.stem() == "model" ? model.parent_path().filename() : model.stem();
    const auto found = expected.find(name);
    EXPECT_EQ(Count(Lint(*ReadFile(model)), Severity::kWarning),
              found == expected.end() ? Expected::mapped_type() : found->second)
        << name;
  }
}

std::vector<fs::path> ModelsIn(const fs::path& folder) {
  std::vector<fs::path> models;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".tflite") models.push_back(entry.path());
  }
  return models;
}

TEST(Models, BundledAreClean) { CheckModels(ModelsIn(LUTRA_SOURCE_DIR "/models"), {}); }

TEST(Models, Recorded) {
  if (!fs::exists(kShared / "models")) GTEST_SKIP() << "no recordings in " << kShared;
  // The first has weights of -128 (its values are random) and an int8 state; the second is uint8.
  CheckModels(
      ModelsIn(kShared / "models"),
      {{"keyword_scrambled_8bit",
        {{"E-SVDF-state-type", 7}, {"S-FULLY_CONNECTED-weights-range", 5}, {"S-SVDF-weights-range", 11}}},
       {"visual_wake_quant",
        {{"E-ADD-uint8", 12},
         {"E-AVERAGE_POOL_2D-uint8", 1},
         {"E-CONV_2D-uint8", 36},
         {"E-DEPTHWISE_CONV_2D-uint8", 17},
         {"E-FULLY_CONNECTED-uint8", 1},
         {"E-PAD-uint8", 53},
         {"E-SOFTMAX-uint8", 1}}}});
}

TEST(Models, OfTheConverter) {
  const fs::path folder = kShared / "golden/converter";
  if (!fs::exists(folder)) GTEST_SKIP() << "no recordings in " << folder;
  CheckModels(ModelsIn(folder), {{"gelu_2d", {{"E-GELU-operator", 1}}}});
  const auto notes = [&](const char* name) { return Lint(*ReadFile(folder / name / "model.tflite")); };
  EXPECT_TRUE(Has(notes("relu6_wide"), "D-RELU6-rescale"));
  EXPECT_TRUE(Has(notes("space_to_batch_nd_pad"), "D-SPACE_TO_BATCH_ND-padding"));
  EXPECT_TRUE(Has(notes("sum_last_keep"), "D-SUM-kernel"));
  EXPECT_TRUE(Has(notes("fully_connected_pertensor"), "D-FULLY_CONNECTED-per-tensor"));
  EXPECT_FALSE(Has(notes("fully_connected_bias"), "D-FULLY_CONNECTED-per-tensor"));
  EXPECT_TRUE(Has(notes("mean_hw_keep"), "D-MEAN-image"));
}

// A breach of the specification is an error, a limit of one runtime a warning; models with float activations
// and int8 weights are outside the specification.
TEST(Models, Refused) {
  const fs::path folder = kShared / "golden/refused";
  if (!fs::exists(folder)) GTEST_SKIP() << "no recordings in " << folder;
  std::ifstream manifest(folder / "manifest.jsonl");
  int models = 0;
  for (std::string line; std::getline(manifest, line); ++models) {
    const json entry = json::parse(line);
    const std::string id = entry["id"];
    const bool is_hybrid = id.find("hybrid") != std::string::npos;
    const Severity least =
        entry["ours"] == "must_refuse" && !is_hybrid ? Severity::kError : Severity::kWarning;
    EXPECT_FALSE(Count(Lint(*ReadFile(folder / std::string(entry["model"]))), least).empty()) << id;
  }
  EXPECT_GT(models, 0);
}

// Standard output of the verb and its exit code, as the program gives them.
struct Outcome {
  int code = 0;
  std::string text;
};

Outcome RunLint(std::vector<std::string> arguments) {
  CLI::App app;
  Outcome outcome;
  AddLintCommand(app, &outcome.code);
  arguments.insert(arguments.begin(), "lint");
  std::reverse(arguments.begin(), arguments.end());
  testing::internal::CaptureStdout();
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError&) {
    outcome.code = 2;
  } catch (const host::BadInput& error) {
    outcome.code = 3;
  }
  outcome.text = testing::internal::GetCapturedStdout();
  return outcome;
}

std::string Write(const std::string& name, const oracle::Bytes& bytes) {
  static const host::ScratchFolder folder;
  const std::string path = folder / name;
  host::WriteFileBytes(path, bytes.data(), bytes.size());
  return path;
}

TEST(Command, WritesSarif) {
  Net error("ADD"), warning("CONCATENATION");
  error.output().quantization->zero_point = {200};
  warning.SetActivation(1);
  const std::string with_error = Write("sarif error.tflite", oracle::WriteModel(error.model()));
  const std::string with_warning = Write("sarif_warning.tflite", oracle::WriteModel(warning.model()));
  const Outcome outcome = RunLint({with_error, with_warning, "--format", "sarif"});
  EXPECT_EQ(outcome.code, 1);
  const auto log = nlohmann::json::parse(outcome.text);
  EXPECT_EQ(log["version"], "2.1.0");
  const auto listed = nlohmann::json::parse(RunLint({with_error, with_warning, "--json"}).text);
  const auto& run = log["runs"].at(0);
  EXPECT_EQ(run["tool"]["driver"]["name"], "conformance");
  size_t at = 0;
  for (const auto& model : listed["models"]) {
    for (const auto& finding : model["findings"]) {
      const auto& result = run["results"].at(at++);
      EXPECT_EQ(result["ruleId"], finding["rule"]);
      EXPECT_EQ(run["tool"]["driver"]["rules"].at(result["ruleIndex"].get<size_t>())["id"], finding["rule"]);
      EXPECT_EQ(result["level"], finding["severity"]);
      EXPECT_NE(result["message"]["text"].get<std::string>().find(finding["found"].get<std::string>()),
                std::string::npos);
      const auto& location = result["locations"].at(0);
      const std::string uri = location["physicalLocation"]["artifactLocation"]["uri"];
      EXPECT_TRUE(uri.starts_with("file:///")) << uri;
      EXPECT_TRUE(
          uri.ends_with(model["path"] == with_error ? "sarif%20error.tflite" : "sarif_warning.tflite"))
          << uri;
      const std::string place = location["logicalLocations"].at(0)["fullyQualifiedName"];
      EXPECT_TRUE(place.starts_with("node 0 (" + finding["operator"].get<std::string>() + ")")) << place;
    }
  }
  EXPECT_EQ(run["results"].size(), at);
  EXPECT_GT(at, 1u);
  EXPECT_EQ(RunLint({with_error, "--format", "xml"}).code, 2);
  EXPECT_EQ(RunLint({with_error, "--format", "sarif", "--json"}).code, 2);
  EXPECT_EQ(RunLint({with_error, "--format", "json"}).text, RunLint({with_error, "--json"}).text);
}

TEST(Command, ExitCodes) {
  Net error("ADD"), warning("CONCATENATION");
  error.output().quantization->zero_point = {200};
  warning.SetActivation(1);
  const std::string with_error = Write("lint_error.tflite", oracle::WriteModel(error.model()));
  const std::string with_warning = Write("lint_warning.tflite", oracle::WriteModel(warning.model()));
  const std::string none = Write("lint_none.tflite", {1, 2, 3});
  EXPECT_EQ(RunLint({with_error}).code, 1);
  EXPECT_EQ(RunLint({with_warning}).code, 0);
  EXPECT_EQ(RunLint({with_warning, "--strict"}).code, 1);
  EXPECT_EQ(RunLint({with_warning, with_error}).code, 1);
  EXPECT_EQ(RunLint({with_warning, "--fail-on", "warning"}).code, 1);
  EXPECT_EQ(RunLint({with_warning, "--fail-on", "error"}).code, 0);
  EXPECT_EQ(RunLint({with_error, "--fail-on", "warning"}).code, 1);
  EXPECT_EQ(RunLint({with_warning, with_error, "--fail-on", "never"}).code, 0);
  EXPECT_EQ(RunLint({none, "--fail-on", "never"}).code, 3);
  EXPECT_EQ(RunLint({with_error, "--fail-on", "note"}).code, 2);
  EXPECT_EQ(RunLint({with_error, "--strict", "--fail-on", "never"}).code, 2);
  EXPECT_EQ(RunLint({none}).code, 3);
  EXPECT_EQ(RunLint({with_error + ".absent"}).code, 3);
  EXPECT_EQ(RunLint({}).code, 2);
  EXPECT_NE(RunLint({with_error})
                .text.find("node 0 (ADD), tensor 2 \"t2\": error: S-ADD-zero-point: found zero point 200, "
                           "required: -128 to 127"),
            std::string::npos);
}

// Converters do not write -128, but published models have it and run everywhere except where sums of products
// have 16 bits.
TEST(Command, WeightsOfMinus128AreAWarning) {
  Net net("FULLY_CONNECTED");
  net.DataOf(net.input(1))[0] = 0x80;
  const std::string path = Write("lint_weights.tflite", oracle::WriteModel(net.model()));
  const Outcome outcome = RunLint({path});
  EXPECT_EQ(outcome.code, 0) << outcome.text;
  EXPECT_NE(outcome.text.find(": warning: S-FULLY_CONNECTED-weights-range: found -128 in 1 of "),
            std::string::npos)
      << outcome.text;
  EXPECT_EQ(RunLint({path, "--fail-on", "warning"}).code, 1);
}

TEST(Command, Json) {
  Net net("ADD");
  net.output().quantization->zero_point = {200};
  const std::string path = Write("lint_json.tflite", oracle::WriteModel(net.model()));
  const json report = json::parse(RunLint({path, "--json"}).text);
  EXPECT_EQ(report["schema_version"], 1);
  const json& model = report["models"].at(0);
  EXPECT_EQ(model["path"], path);
  EXPECT_EQ(model["counts"], json({{"error", 1}, {"warning", 0}, {"note", 0}}));
  const json& finding = model["findings"].at(0);
  EXPECT_EQ(finding["rule"], "S-ADD-zero-point");
  EXPECT_EQ(finding["tensor"], 2);
}

// Ten operators break one rule, and have names like those of converters.
TEST(Command, SaysOnceWhatIsFoundManyTimes) {
  constexpr size_t kTimes = 10;
  Net net("ADD");
  net.output().quantization->zero_point = {200};
  oracle::ModelObjects model(net.model());
  edit::SubGraphT& graph = *model.subgraphs[0];
  for (size_t i = 1; i < kTimes; ++i) {
    graph.operators.push_back(std::make_unique<edit::OperatorT>(*graph.operators[0]));
  }
  const auto output = static_cast<size_t>(graph.operators[0]->outputs[0]);
  const std::string name = "first" + std::string(380, 'm') + "\x1b[31mlast";
  graph.tensors[output]->name = name;
  const std::string path = Write("lint_many.tflite", oracle::WriteModel(model));
  const std::string text = RunLint({path}).text;
  EXPECT_EQ(text.find("\x1b"), std::string::npos) << text;
  const std::string rule = "error: S-ADD-zero-point: found zero point 200, required: -128 to 127";
  const size_t at = text.find(rule);
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.find(rule, at + 1), std::string::npos) << "once: " << text;
  const size_t begin = text.rfind('\n', at) + 1;
  const std::string line = text.substr(begin, text.find('\n', at) - begin);
  EXPECT_NE(line.find("node 0 (ADD), tensor 2 \"firstmmm"), std::string::npos) << line;
  EXPECT_NE(line.find("m...m"), std::string::npos) << line;
  EXPECT_NE(line.find("\\x1b[31mlast\"; node 1, tensor 2"), std::string::npos) << line;
  EXPECT_NE(line.find("; and 7 more: error: "), std::string::npos) << line;
  EXPECT_NE(text.find("errors: 10,"), std::string::npos) << text;
  const json findings = json::parse(RunLint({path, "--json"}).text)["models"][0]["findings"];
  EXPECT_EQ(
      std::count_if(findings.begin(), findings.end(),
                    [&](const json& f) { return f["rule"] == "S-ADD-zero-point" && f["name"] == name; }),
      static_cast<std::ptrdiff_t>(kTimes));
}

TEST(Command, ListsTheRulesThatAreChecked) {
  const json rules = json::parse(RunLint({"--rules", "--json"}).text)["rules"];
  EXPECT_EQ(rules.size(), AllInstances().size());
  const std::string text = RunLint({"--rules"}).text;
  for (const json& rule : rules)
    EXPECT_NE(text.find(rule["rule"].get<std::string>() + " "), std::string::npos);
}

}  // namespace
}  // namespace lutra::conformance::linter

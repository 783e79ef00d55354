// SPDX-License-Identifier: Apache-2.0
// Tests bounds for each operator: reading, refusals, `run`, and deriving them from models.

#include "conformance/runner/bounds.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "conformance/generator/model_maker.h"
#include "conformance/runner/derive_bounds.h"
#include "host/failures.h"
#include "host/result_json.h"
#include "host/testing/program.h"

namespace lutra::conformance {
namespace {

using nlohmann::json;
using oracle::Bytes;

// ---- Files.

host::Bounds Parse(const std::string& lines) {
  return ParseBounds(R"({"schema_version": 1, "bounds": )" + lines + "}", "b.json");
}

TEST(BoundsFile, IsReadAsItIsWritten) {
  const host::Bounds bounds = {{"CONV_2D", 1}, {"QUANTIZE.float32", 0}, {"SOFTMAX", 255}, {kComposite, 3}};
  EXPECT_EQ(ParseBounds(BoundsJson(bounds), "b.json"), bounds);
  EXPECT_EQ(Parse("{}"), host::Bounds());
}

// Returns the whole message for a file with these bounds.
std::string Refusal(const std::string& text) {
  try {
    ParseBounds(text, "b.json");
  } catch (const host::BadInput& error) {
    return error.what();
  }
  return "taken";
}

std::string RefusalOf(const std::string& lines) {
  return Refusal(R"({"schema_version": 1, "bounds": )" + lines + "}");
}

TEST(BoundsFile, IsRefused) {
  const std::string end = "; `conformance bounds` writes such a file";
  EXPECT_EQ(RefusalOf(R"({"CONV_3D": 1})"),
            "b.json: bounds: found \"CONV_3D\", required: an operator that `conformance list` names" + end);
  for (const char* const value : {"-1", "256", "1.5", "\"1\"", "null", "[1]", "18446744073709551615"}) {
    EXPECT_EQ(RefusalOf(std::string(R"({"ADD": )") + value + "}"),
              std::string("b.json: bounds: found ") + value +
                  " for ADD, required: a whole number from 0 to 255" + end);
  }
  EXPECT_EQ(RefusalOf(R"({"ADD": 1, "MUL": 1, "ADD": 2})"),
            "b.json: json: found key \"ADD\" twice in an object, required: each key once; take one out");
  EXPECT_EQ(RefusalOf("[]"),
            "b.json: bounds: found no \"bounds\", required: an object of operators and numbers" + end);
  for (const char* const text : {"", "{", "ADD 1", "\xff"}) {
    EXPECT_EQ(Refusal(text).find("b.json: bounds: found no JSON, required: "), 0u) << Refusal(text);
  }
  for (const char* const text : {"{}", "[]", "1", R"({"schema_version": 2, "bounds": {}})"}) {
    EXPECT_EQ(Refusal(text).find("b.json: bounds: found no schema_version 1"), 0u) << Refusal(text);
  }
}

// ---- Runs.

class Run : public testing::Test {
 protected:
  void WriteBounds(const host::Bounds& bounds) {
    std::ofstream(folder_ / "bounds.json") << BoundsJson(bounds);
  }
  // Runs cases of several operators, on a runtime whose codes are off.
  host::Outcome RunOn(const std::string& fault) {
    return host::RunProgram(
        "run --filter 'int8.relu*.zero_point.input.*' --reproducers '' --profile bounded --bounds " +
        (folder_ / "bounds.json") + " --results " + (folder_ / "r.json") +
        " --runner \"'" LUTRA_MOCK_ADAPTER "' --fault " + fault + "\"");
  }
  // Returns the operators with a case that failed.
  std::set<std::string> Failed() {
    std::set<std::string> failed;
    for (const host::CaseResult& result : host::ReadConformanceResult(folder_ / "r.json").cases) {
      if (result.verdict == host::Verdict::kFail) failed.insert(result.op);
    }
    return failed;
  }
  host::ScratchFolder folder_;
};

TEST_F(Run, PassesWithinEachOperatorsBound) {
  // A right runtime passes; its results name the operators.
  WriteBounds({});
  const std::string right =
      "run --filter 'int8.relu*.zero_point.input.*' --results " + (folder_ / "r.json") + " --reproducers ''";
  ASSERT_EQ(host::RunProgram(right).code, 0);
  host::Bounds ones, twos;
  for (const host::CaseResult& result : host::ReadConformanceResult(folder_ / "r.json").cases) {
    ones[result.op] = 1;
    twos[result.op] = 2;
  }
  ASSERT_GE(ones.size(), 2u);
  const std::string op = ones.begin()->first;

  WriteBounds(ones);
  EXPECT_EQ(RunOn("off-by-one").code, 0);
  EXPECT_EQ(RunOn("off-by-two").code, 1);
  WriteBounds(twos);
  EXPECT_EQ(RunOn("off-by-two").code, 0);
  // With a bound that is lower by one for one operator, only that operator fails.
  twos[op] = 1;
  WriteBounds(twos);
  const host::Outcome outcome = RunOn("off-by-two");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(Failed(), std::set<std::string>{op});
  EXPECT_NE(outcome.out.find("bounds of operators: "), std::string::npos) << outcome.out;
  // An operator without a line has bound 0.
  ones.erase(op);
  WriteBounds(ones);
  EXPECT_EQ(RunOn("off-by-one").code, 1);
  EXPECT_EQ(Failed(), std::set<std::string>{op});
}

TEST_F(Run, RecordsTheBounds) {
  const host::Bounds bounds = {{"ADD", 2}, {"MUL", 1}};
  WriteBounds(bounds);
  const std::string run = "run --filter 'int8.add.same.*' --profile bounded --bounds " +
                          (folder_ / "bounds.json") + " --results ";
  ASSERT_EQ(host::RunProgram(run + (folder_ / "r.json")).code, 0);
  EXPECT_EQ(host::ReadConformanceResult(folder_ / "r.json").bounds, bounds);
  const json file = json::parse(host::ReadAll(folder_ / "r.json"))["conformance"];
  EXPECT_EQ(file["bounds"], json({{"ADD", 2}, {"MUL", 1}}));
  EXPECT_NE(file["command"].get<std::string>().find("--bounds '"), std::string::npos);
  // Shards with other bounds belong to another run.
  ASSERT_EQ(host::RunProgram(run + (folder_ / "1.json") + " --shard 1/2").code, 0);
  WriteBounds({{"ADD", 1}, {"MUL", 1}});
  ASSERT_EQ(host::RunProgram(run + (folder_ / "2.json") + " --shard 2/2").code, 0);
  const host::Outcome merged = host::RunProgram("merge " + (folder_ / "1.json") + " " + (folder_ / "2.json") +
                                                " -o " + (folder_ / "m.json"));
  EXPECT_EQ(merged.code, 3);
  EXPECT_NE(merged.err.find("found another run"), std::string::npos) << merged.err;
}

TEST_F(Run, BoundsGoWithTheirProfile) {
  WriteBounds({});
  const std::string run = "run --filter 'int8.add.same.*' --bounds " + (folder_ / "bounds.json");
  EXPECT_EQ(host::RunProgram(run).code, 2);
  EXPECT_EQ(host::RunProgram(run + " --profile bounded --bound 1").code, 2);
  EXPECT_EQ(host::RunProgram("run --profile bounded --bounds /nowhere.json").code, 3);
}

// ---- Bounds of models.

constexpr float kScale = 0x1p-4f;

// Returns a model of [1, 2] to [1, 2] by the unit matrix, then as [2]: its output is an answer, as its shape
// is not the input's.
Bytes TwoClasses() {
  ModelMaker maker;
  const int x = maker.Input({.shape = {1, 2}, .scale = kScale});
  const int weights = maker.Constant({.shape = {2, 2}, .scale = 1}, {1, 0, 0, 1});
  const int sums = maker.Activation({.shape = {1, 2}, .scale = kScale});
  maker.Op<edit::FullyConnectedOptionsT>("FULLY_CONNECTED", {x, weights, -1}, {sums}, [](auto&) {});
  const int y = maker.Output({.shape = {2}, .scale = kScale});
  const int shape = maker.Int32Constant({2}, {1});
  maker.Op<edit::ReshapeOptionsT>("RESHAPE", {sums, shape}, {y}, [](auto& o) { o.new_shape = {2}; });
  return maker.Finish();
}

std::map<std::string, DerivedBound> Derive(const Bytes& model, const Samples& samples,
                                           const BearingOptions& options = {}) {
  return DeriveBounds({{"net", *oracle::ReadModel(model), samples}}, options);
}

// The inputs are 10 and 5: moved by two codes each they become 8 and 7, by three 7 and 8.
TEST(DeriveBounds, AnswersStay) {
  const auto bounds = Derive(TwoClasses(), {{{10, 5}}});
  EXPECT_EQ(BoundsOf(bounds), (host::Bounds{{"FULLY_CONNECTED", 2}})) << "RESHAPE rounds nothing";
  EXPECT_EQ(bounds.at("FULLY_CONNECTED").limit, "net, sample 0");
  // Of equal values the first is the answer, so a tie changes the answer only if the second was larger; the
  // sample with the smallest margin decides.
  EXPECT_EQ(BoundsOf(Derive(TwoClasses(), {{{10, 6}}})).at("FULLY_CONNECTED"), 2);
  EXPECT_EQ(BoundsOf(Derive(TwoClasses(), {{{6, 10}}})).at("FULLY_CONNECTED"), 1);
  const auto nearest = Derive(TwoClasses(), {{{100, 5}}, {{10, 9}}});
  EXPECT_EQ(nearest.at("FULLY_CONNECTED").bound, 0);
  EXPECT_EQ(nearest.at("FULLY_CONNECTED").limit, "net, sample 1");
  // Bounds are not tried beyond `most`.
  const auto far = Derive(TwoClasses(), {{{100, 0}}}, {.most = 5});
  EXPECT_EQ(far.at("FULLY_CONNECTED").bound, 5);
  EXPECT_EQ(far.at("FULLY_CONNECTED").limit, "");
}

// A single value is no class: it may differ by a given amount.
TEST(DeriveBounds, ValuesStayWithinADifference) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {3}, .scale = kScale});
  const int y = maker.Output({.shape = {3}, .scale = kScale / 2});
  maker.Op("QUANTIZE", {x}, {y});
  const Bytes model = maker.Finish();
  EXPECT_EQ(BoundsOf(Derive(model, {{{1, 2, 3}}})), (host::Bounds{{"QUANTIZE", 1}}));
  EXPECT_EQ(BoundsOf(Derive(model, {{{1, 2, 3}}}, {.max_difference = 4})), (host::Bounds{{"QUANTIZE", 4}}));
}

// All nodes of an operator are off at the same time.
TEST(DeriveBounds, ErrorsAddUp) {
  ModelMaker maker;
  const int x = maker.Input({.shape = {2}, .scale = kScale});
  const int between = maker.Activation({.shape = {2}, .scale = kScale / 2});
  const int y = maker.Output({.shape = {2}, .scale = kScale / 2});
  maker.Op("QUANTIZE", {x}, {between});
  maker.Op("QUANTIZE", {between}, {y});
  EXPECT_EQ(BoundsOf(Derive(maker.Finish(), {{{1, 2}}}, {.max_difference = 5})),
            (host::Bounds{{"QUANTIZE", 2}}));
}

// ---- The verb.

// Links one bundled model into the folder.
void PutModel(const host::ScratchFolder& folder, const std::string& name) {
  std::filesystem::create_directory(folder / "models");
  std::filesystem::copy_file(LUTRA_SOURCE_DIR "/models/" + name, folder / ("models/" + name));
}

TEST(Command, DerivesTheSameFromABundledModelEachTime) {
  const host::ScratchFolder folder;
  PutModel(folder, "sine.tflite");
  const std::string bounds = "bounds --models " + (folder / "models") + " --max-difference 32 -o ";
  const host::Outcome outcome = host::RunProgram(bounds + (folder / "b.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("sine.tflite: 10 samples of random numbers"), std::string::npos) << outcome.out;
  EXPECT_EQ(ReadBounds(folder / "b.json"), (host::Bounds{{"FULLY_CONNECTED", 3}}));
  ASSERT_EQ(host::RunProgram(bounds + (folder / "again.json")).code, 0);
  EXPECT_EQ(host::ReadAll(folder / "again.json"), host::ReadAll(folder / "b.json"));
  // With --data, the models' own inputs are used.
  const host::Outcome data = host::RunProgram(bounds + (folder / "d.json") + " --data models --samples 3");
  EXPECT_EQ(data.code, 0) << data.err;
  EXPECT_NE(data.out.find("sine.tflite: 3 samples of models/sine.validation.inputs.npy"), std::string::npos)
      << data.out;
}

// The bound is measured. The samples are words that the model knows well, so its last layers tolerate all
// bounds that are tried.
TEST(Command, DerivesBoundsOfAClassifier) {
  const host::ScratchFolder folder;
  PutModel(folder, "kws.tflite");
  const host::Outcome outcome = host::RunProgram("bounds --models " + (folder / "models") +
                                                 " --data models --samples 2 -o " + (folder / "b.json"));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(ReadBounds(folder / "b.json"), (host::Bounds{{"AVERAGE_POOL_2D", 5},
                                                         {"CONV_2D", 1},
                                                         {"DEPTHWISE_CONV_2D", 3},
                                                         {"FULLY_CONNECTED", 16},
                                                         {"SOFTMAX", 16}}))
      << outcome.out;
  EXPECT_NE(outcome.out.find("one more changes the answer of kws.tflite, sample 0"), std::string::npos);
}

TEST(Command, RefusesWhatIsNoFolderOfModels) {
  EXPECT_EQ(host::RunProgram("bounds --models /nowhere -o /dev/null").code, 3);
  const host::Outcome none = host::RunProgram("bounds --models conformance -o /dev/null");
  EXPECT_EQ(none.code, 3);
  EXPECT_NE(none.err.find("conformance: models: found none"), std::string::npos) << none.err;
  EXPECT_EQ(host::RunProgram("bounds --models models").code, 2);
}

}  // namespace
}  // namespace lutra::conformance

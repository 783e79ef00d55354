// SPDX-License-Identifier: Apache-2.0
// Tests that the written document is the one in the sources, and compares facts of the specification with the
// rows that linter and document read.

#include "conformance/specification.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "host/testing/program.h"

namespace lutra::conformance {
namespace {

using linter::SpecifiedOperand;
using nlohmann::json;

const std::string kDocument = LUTRA_SOURCE_DIR "/conformance/SPECIFICATION.md";

const std::vector<OperatorSpecification>& Operators() {
  static const std::vector<OperatorSpecification> operators =
      CollectSpecification(Manifest(LUTRA_SOURCE_DIR "/golden/manifest.jsonl"));
  return operators;
}

const OperatorSpecification& Named(const std::string& name) {
  return *std::find_if(Operators().begin(), Operators().end(),
                       [&](const auto& op) { return op.name == name; });
}

// Returns "Input 0: int8 [-128, 127] per-tensor; Output 0: ..."
std::string OperandText(const std::string& op) {
  std::string text;
  for (const SpecifiedOperand& operand : Named(op).operands) {
    text += (text.empty() ? "" : "; ") + operand.name + ": " + operand.type + " " + operand.range + " " +
            operand.granularity + (operand.restriction.empty() ? "" : ", " + operand.restriction);
  }
  return text;
}

TEST(Specification, TheDocumentIsWhatIsWritten) {
  EXPECT_EQ(host::ReadAll(kDocument), SpecificationText(Operators()))
      << "conformance spec -o conformance/SPECIFICATION.md writes it anew";
}

TEST(Specification, Lists38Operators) {
  EXPECT_EQ(std::count_if(Operators().begin(), Operators().end(), [](const auto& op) { return op.listed; }),
            38);
  for (const linter::Specification& row : linter::AllSpecifications()) {
    EXPECT_NE(oracle::FindOperator(row.op), nullptr) << row.op;
  }
}

constexpr char kActivation[] = "int8 [-128, 127] per-tensor";

TEST(Specification, SaysWhatItSays) {
  const std::string x = kActivation;
  EXPECT_EQ(OperandText("ADD"), "Input 0: " + x + "; Input 1: " + x + "; Output 0: " + x);
  EXPECT_EQ(OperandText("CONCATENATION"), "Input ...: " + x + "; Output 0: " + x);
  const std::string weights = "Input 0: " + x + "; Input 1 (Weight): int8 [-127, 127] per-axis (dim = ";
  const std::string bias = "), zero_point = 0; Input 2 (Bias): int32 [int32_min, int32_max] ";
  const std::string of_sums = ", (scale, zero_point) = (input0_scale * input1_scale[...], 0); Output 0: " + x;
  EXPECT_EQ(OperandText("CONV_2D"), weights + "0" + bias + "per-axis" + of_sums);
  EXPECT_EQ(OperandText("DEPTHWISE_CONV_2D"), weights + "3" + bias + "per-axis" + of_sums);
  EXPECT_EQ(OperandText("FULLY_CONNECTED"), weights + "0" + bias + "per-tensor" + of_sums);
  const auto fixed = [&](const std::string& parameters) {
    return "Input 0: " + x + "; Output 0: " + x + ", (scale, zero_point) = (" + parameters + ")";
  };
  EXPECT_EQ(OperandText("L2_NORMALIZATION"), fixed("1/128, 0"));
  EXPECT_EQ(OperandText("LOGISTIC"), fixed("1/256, -128"));
  EXPECT_EQ(OperandText("LOG_SOFTMAX"), fixed("16/256, 127"));
  EXPECT_EQ(OperandText("SOFTMAX"), fixed("1/256, -128"));
  EXPECT_EQ(OperandText("TANH"), fixed("1/128, 0"));
  EXPECT_EQ(OperandText("SHAPE"), "Input 0: " + x);
  EXPECT_EQ(OperandText("ARG_MAX"), "Input 0: " + x);
  EXPECT_EQ(OperandText("DEQUANTIZE"),
            "Input 0: int8 [-128, 127] per-tensor or per-axis (any dim); Output 0: float32 any none");
}

TEST(Specification, NamesTheOperatorsThatNeedEqualScales) {
  std::vector<std::string> names;
  for (const OperatorSpecification& op : Operators()) {
    if (op.listed && op.equal_quantization) names.push_back(op.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"AVERAGE_POOL_2D", "BATCH_TO_SPACE_ND", "CONCATENATION",
                                             "GATHER", "MAX_POOL_2D", "MAXIMUM", "MINIMUM", "PAD", "PADV2",
                                             "RESHAPE", "RESIZE_BILINEAR", "SLICE", "SPACE_TO_BATCH_ND",
                                             "SPACE_TO_DEPTH", "SQUEEZE", "TRANSPOSE"}));
}

// The runtime runs int8 of each operator except those of truth values and shapes, and other types of some
// operators, as its tests require.
TEST(Specification, KnowsTheTypesThatTheRuntimeRuns) {
  const std::set<std::string> others = {"BROADCAST_ARGS", "LOGICAL_AND", "LOGICAL_NOT", "LOGICAL_OR",
                                        "REDUCE_ALL"};
  for (const OperatorSpecification& op : Operators()) {
    const oracle::Operator& row = *oracle::FindOperator(op.name);
    if (row.variant.empty()) {
      EXPECT_EQ(std::count(op.types.begin(), op.types.end(), "int8"), others.count(op.name) == 0 ? 1 : 0)
          << op.name;
    }
  }
  EXPECT_EQ(Named("LOGICAL_NOT").types, std::vector<std::string>{"bool"});
  EXPECT_EQ(Named("BROADCAST_ARGS").types, (std::vector<std::string>{"int32", "int64"}));
  const auto runs = [](const std::string& op, const std::string& type) {
    return std::count(Named(op).types.begin(), Named(op).types.end(), type) == 1;
  };
  EXPECT_TRUE(runs("CONV_2D", "float32"));
  EXPECT_FALSE(runs("CONV_2D", "bool"));
  EXPECT_TRUE(runs("DEQUANTIZE", "int32"));
  EXPECT_FALSE(runs("DEQUANTIZE", "float32"));
  EXPECT_EQ(Named("QUANTIZE.float32").types, std::vector<std::string>{"float32"});
  EXPECT_FALSE(runs("QUANTIZE", "float32"));
}

TEST(Command, PrintsJsonAndWritesFiles) {
  const host::Outcome printed = host::RunProgram("spec --json");
  ASSERT_EQ(printed.code, 0) << printed.err;
  const json document = json::parse(printed.out);
  EXPECT_EQ(document["operators"].size(), Operators().size());
  const json& conv = *std::find_if(document["operators"].begin(), document["operators"].end(),
                                   [](const json& op) { return op["op"] == "CONV_2D"; });
  EXPECT_EQ(conv["rules"]["tflm"], "DR");
  EXPECT_EQ(conv["rules"]["xnnpack"], "O-CONV where the weights are int4, else FP32");
  EXPECT_EQ(conv["cases"], Named("CONV_2D").cases);
  EXPECT_GT(conv["cases"], 100);
  EXPECT_TRUE(std::any_of(conv["lint"].begin(), conv["lint"].end(),
                          [](const json& rule) { return rule["rule"] == "S-CONV_2D-bias-scale"; }));
  const host::ScratchFolder folder;
  EXPECT_EQ(host::RunProgram("spec -o " + (folder / "S.md")).code, 0);
  EXPECT_EQ(host::ReadAll(folder / "S.md"), SpecificationText(Operators()));
}

TEST(Command, WantsTheFrozenCorpus) {
  const host::Outcome outcome = host::RunProgram("spec --golden /nowhere");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("/nowhere/manifest.jsonl: golden: found no cases"), std::string::npos);
}

}  // namespace
}  // namespace lutra::conformance

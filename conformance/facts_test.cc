// SPDX-License-Identifier: Apache-2.0
// Compares what the suite knows of operators with what runtime and compressor know: each has tables of its
// own, so that an error in one shows.

#include "lutra/ops/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "compressor/candidates.h"
#include "conformance/generator/separate.h"
#include "conformance/linter/correct_models.h"
#include "conformance/oracle/evaluate.h"
#include "lutra/builtin_operator.h"

namespace lutra::conformance {
namespace {

using oracle::Role;

// No other operator that is compared has so many inputs: UNIDIRECTIONAL_SEQUENCE_LSTM has 24.
constexpr int kMostInputs = 25;

const OperatorFacts* RuntimesFacts(const oracle::Operator& op) {
  return FactsOf(static_cast<BuiltinOperator>(op.code));
}

// Returns the rows without variants, which differ from others only in the tensors that they are for.
std::vector<const oracle::Operator*> Operators() {
  std::vector<const oracle::Operator*> rows;
  for (const oracle::Operator* op : oracle::BuiltinOperators()) {
    if (op->variant.empty()) rows.push_back(op);
  }
  return rows;
}

Role RoleOf(const oracle::Operator& op, int input) {
  return oracle::RoleAt(op.operands.inputs, static_cast<size_t>(input));
}

struct Place {
  BuiltinOperator code;
  int input;
};

template <size_t kCount>
bool Lists(const Place (&places)[kCount], const oracle::Operator& op, int input) {
  return std::any_of(std::begin(places), std::end(places), [&](const Place& place) {
    return static_cast<int32_t>(place.code) == static_cast<int32_t>(op.code) && place.input == input;
  });
}

// Returns whether the operator reads the operand while it is prepared: one that steers it, an optional shape,
// and the padding value. Positions in GATHER_ND may be computed.
bool IsReadInPrepare(const oracle::Operator& op, int input) {
  constexpr Place kToo[] = {{BuiltinOperator::kReshape, 1}, {BuiltinOperator::kPadv2, 2}};
  constexpr Place kNot[] = {{BuiltinOperator::kGatherNd, 1}};
  if (Lists(kNot, op, input)) return false;
  return Lists(kToo, op, input) || RoleOf(op, input) == oracle::kSteering;
}

// Returns whether TensorFlow Lite Micro's kernel decompresses the operand: weights and biases, except those
// of SVDF and LSTM, and all inputs of CONCATENATION.
bool IsDecompressed(const oracle::Operator& op, int input) {
  constexpr oracle::BuiltinOperator kNever[] = {oracle::BuiltinOperator::SVDF,
                                                oracle::BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM};
  if (std::count(std::begin(kNever), std::end(kNever), op.code) != 0) return false;
  if (op.code == oracle::BuiltinOperator::CONCATENATION) return true;
  const Role role = RoleOf(op, input);
  return role == oracle::kWeights || role == oracle::kBias;
}

TEST(Facts, SchemaAndRuntimeNameOperatorsAlike) {
  for (const oracle::BuiltinOperator code : edit::EnumValuesBuiltinOperator()) {
    EXPECT_STREQ(ToString(static_cast<BuiltinOperator>(code)), edit::EnumNameBuiltinOperator(code));
  }
  const auto beyond =
      static_cast<int32_t>(
          edit::EnumValuesBuiltinOperator()[std::size(edit::EnumValuesBuiltinOperator()) - 1]) +
      1;
  EXPECT_STREQ(ToString(static_cast<BuiltinOperator>(beyond)), "UNKNOWN");
}

// The oracle covers integers: it has no row for operators of float32 alone.
constexpr BuiltinOperator kOperatorsWithoutARule[] = {
    BuiltinOperator::kAddN,     BuiltinOperator::kCeil,     BuiltinOperator::kCos,
    BuiltinOperator::kCumsum,   BuiltinOperator::kExp,      BuiltinOperator::kFloor,
    BuiltinOperator::kFloorDiv, BuiltinOperator::kFloorMod, BuiltinOperator::kL2Pool2D,
    BuiltinOperator::kLog,      BuiltinOperator::kNeg,      BuiltinOperator::kRound,
    BuiltinOperator::kSin,      BuiltinOperator::kSqrt,     BuiltinOperator::kSquare};

TEST(Facts, TheOracleHasTheRuntimesOperators) {
  std::set<std::string> oracles, runtimes;
  for (const BuiltinOperator code : kOperatorsWithoutARule) oracles.insert(ToString(code));
  for (const oracle::Operator* op : Operators()) EXPECT_TRUE(oracles.insert(op->name()).second) << op->name();
  for (const oracle::BuiltinOperator code : oracle::StateOperators()) {
    EXPECT_TRUE(oracles.insert(edit::EnumNameBuiltinOperator(code)).second);
  }
  for (const OperatorFacts& facts : AllOperatorFacts()) runtimes.insert(ToString(facts.code));
  EXPECT_EQ(oracles, runtimes);
}

TEST(Facts, EveryOperatorHasAFamilyOfCases) {
  std::set<std::string> prefixes;
  for (const CaseFamily& family : AllFamilies()) prefixes.insert(family.prefix);
  for (const oracle::Operator* op : oracle::BuiltinOperators()) {
    EXPECT_EQ(prefixes.count(PrefixOf(op->name())), 1u) << op->name();
  }
}

TEST(Facts, InputsThatPrepareReads) {
  for (const oracle::Operator* op : Operators()) {
    const OperatorFacts* const facts = RuntimesFacts(*op);
    if (facts == nullptr) continue;
    for (int i = 0; i < kMostInputs; ++i) {
      EXPECT_EQ(Contains(facts->constant_inputs, i), IsReadInPrepare(*op, i)) << op->name() << " " << i;
    }
  }
  for (const oracle::BuiltinOperator code : oracle::StateOperators()) {
    EXPECT_EQ(FactsOf(static_cast<BuiltinOperator>(code))->constant_inputs, kNoInputs);
  }
}

TEST(Facts, InputsThatAreDecompressed) {
  for (const oracle::Operator* op : Operators()) {
    const OperatorFacts* const facts = RuntimesFacts(*op);
    if (facts == nullptr) continue;
    for (int i = 0; i < kMostInputs; ++i) {
      EXPECT_EQ(Contains(facts->compressible_inputs, i), IsDecompressed(*op, i)) << op->name() << " " << i;
    }
  }
  // A variable may be assigned a compressed value; the other operands of state operators are handles.
  for (const oracle::BuiltinOperator code : oracle::StateOperators()) {
    const bool assigns = code == oracle::BuiltinOperator::ASSIGN_VARIABLE;
    EXPECT_EQ(FactsOf(static_cast<BuiltinOperator>(code))->compressible_inputs,
              assigns ? Inputs(1) : kNoInputs);
  }
}

TEST(Facts, MultiplyAccumulatesAreCountedWhereThereAreWeightsOrMatrices) {
  for (const oracle::Operator* op : Operators()) {
    const OperatorFacts* const facts = RuntimesFacts(*op);
    if (facts == nullptr) continue;
    const bool has_weights = op->operands.inputs.find(oracle::kWeights) != std::string_view::npos;
    EXPECT_EQ(facts->macs != nullptr, has_weights || op->code == oracle::BuiltinOperator::BATCH_MATMUL)
        << op->name();
  }
}

// Returns a model of one operator whose inputs are constants if they may be.
compressor::ModelEditor EditorOf(linter::Net* net) {
  edit::SubGraphT& graph = net->graph();
  for (const int32_t input : net->op().inputs) {
    if (input < 0) continue;  // The operator leaves the input out.
    const edit::TensorT& tensor = *graph.tensors[static_cast<size_t>(input)];
    if (tensor.buffer == 0 && !tensor.is_variable) graph.inputs.push_back(input);
  }
  graph.outputs = net->op().outputs;
  return compressor::ModelEditor(compressor::LoadModel(oracle::WriteModel(net->model()), net->name()));
}

TEST(Facts, TheCompressorTakesWhatIsDecompressedAndLeavesWhatPrepareReads) {
  int constants = 0;
  for (const oracle::Operator* op : Operators()) {
    linter::Net net(op->name());
    const compressor::ModelEditor editor = EditorOf(&net);
    for (const compressor::Constant& constant : FindConstants(editor, compressor::Form::kMetadata)) {
      const int input = constant.uses.at(0).input;
      EXPECT_EQ(!constant.obstacle, IsDecompressed(*op, input))
          << op->name() << " " << input << ": " << constant.obstacle.text;
      ++constants;
    }
    for (const compressor::Constant& constant : FindConstants(editor, compressor::Form::kDecode)) {
      const int input = constant.uses.at(0).input;
      EXPECT_EQ(!constant.obstacle, !IsReadInPrepare(*op, input))
          << op->name() << " " << input << ": " << constant.obstacle.text;
    }
  }
  EXPECT_GT(constants, 40);
}

}  // namespace
}  // namespace lutra::conformance

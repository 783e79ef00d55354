// SPDX-License-Identifier: Apache-2.0
// SPLIT, SPLIT_V, UNPACK: one tensor taken apart.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using Shapes = std::vector<std::vector<int32_t>>;

std::vector<TensorSpec> Pieces(const Shapes& shapes) {
  std::vector<TensorSpec> specs;
  for (const std::vector<int32_t>& shape : shapes) specs.push_back({.shape = shape});
  return specs;
}

OpModel Split(const std::vector<int32_t>& shape, int32_t axis, const Shapes& pieces) {
  return {.op = BuiltinOperator::kSplit,
          .inputs = {Constant({}, Int32List{axis}), {.shape = shape}},
          .outputs = Pieces(pieces),
          .options = {.count = static_cast<int>(pieces.size())}};
}

TensorSpec SplitSizes(const Int32List& sizes) {
  return Constant({static_cast<int32_t>(sizes.size())}, sizes);
}

OpModel SplitV(const std::vector<int32_t>& shape, const Int32List& sizes, int32_t axis,
               const Shapes& pieces) {
  return {.op = BuiltinOperator::kSplitV,
          .inputs = {{.shape = shape}, SplitSizes(sizes), Constant({}, Int32List{axis})},
          .outputs = Pieces(pieces),
          .options = {.count = static_cast<int>(pieces.size())}};
}

OpModel Unpack(const std::vector<int32_t>& shape, int axis, const Shapes& pieces) {
  return {.op = BuiltinOperator::kUnpack,
          .inputs = {{.shape = shape}},
          .outputs = Pieces(pieces),
          .options = {.axis = axis, .count = static_cast<int>(pieces.size())}};
}

TEST(Split, CutsIntoEqualPieces) {
  ExpectMoved(Split({6}, 0, {{2}, {2}, {2}}), {{0, 1}, {2, 3}, {4, 5}});
  ExpectMoved(Split({4, 2}, 0, {{2, 2}, {2, 2}}), {{0, 1, 2, 3}, {4, 5, 6, 7}});
  ExpectMoved(Split({2, 4}, -1, {{2, 2}, {2, 2}}), {{0, 1, 4, 5}, {2, 3, 6, 7}});
  ExpectMoved(Split({2, 2, 2}, 1, {{2, 1, 2}, {2, 1, 2}}), {{0, 1, 4, 5}, {2, 3, 6, 7}});
  ExpectMoved(Split({3}, 0, {{3}}), {{0, 1, 2}});
}

TEST(SplitV, CutsIntoPiecesOfAnySize) {
  ExpectMoved(SplitV({6}, {1, 3, 2}, 0, {{1}, {3}, {2}}), {{0}, {1, 2, 3}, {4, 5}});
  ExpectMoved(SplitV({2, 4}, {3, 1}, -1, {{2, 3}, {2, 1}}), {{0, 1, 2, 4, 5, 6}, {3, 7}});
  // The piece with size -1 gets the remaining elements.
  ExpectMoved(SplitV({2, 4}, {-1, 1}, 1, {{2, 3}, {2, 1}}), {{0, 1, 2, 4, 5, 6}, {3, 7}});
  ExpectMoved(SplitV({3, 2}, {1, -1}, 0, {{1, 2}, {2, 2}}), {{0, 1}, {2, 3, 4, 5}});
  OpModel model = SplitV({6}, {}, 0, {{1}, {5}});
  model.inputs[1] = Constant({2}, Int64List{1, 5});
  ExpectMoved(model, {{0}, {1, 2, 3, 4, 5}});
}

TEST(Unpack, DropsTheAxis) {
  ExpectMoved(Unpack({2, 3}, 0, {{3}, {3}}), {{0, 1, 2}, {3, 4, 5}});
  ExpectMoved(Unpack({2, 3}, -1, {{2}, {2}, {2}}), {{0, 3}, {1, 4}, {2, 5}});
  ExpectMoved(Unpack({2, 2, 2}, 1, {{2, 2}, {2, 2}}), {{0, 1, 4, 5}, {2, 3, 6, 7}});
  ExpectMoved(Unpack({3}, 0, {{}, {}, {}}), {{0}, {1}, {2}});
}

// ---- Refusals.

constexpr Refusal kSplitRefusals[] = {
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"three are promised", [](OpModel& m) { m.options.count = 3; }, Rule::kOutputCount, kNode, 2, 3},
    {"a piece of another type", [](OpModel& m) { m.outputs[1].type = TensorType::kInt16; },
     Rule::kTypesDiffer, Out(1), 7, 9},
    {"a piece of another rank",
     [](OpModel& m) {
       m.outputs[1].shape = {1, 1, 2};
     },
     Rule::kOperandRank, Out(1), 3, 2},
    {"a piece of 3 rows",
     [](OpModel& m) {
       m.outputs[1].shape = {3, 2};
     },
     Rule::kOperandShape, Out(1), 3, 2},
};

constexpr Refusal kSplit[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"uint8", SetInputType<1, TensorType::kUInt8>, Rule::kTypesDiffer, Out(0), 9, 3},
    {"an axis that is not constant", [](OpModel& m) { m.inputs[0].data.clear(); }, Rule::kConstantRequired,
     0},
    {"axis 2 of 2", [](OpModel& m) { m.inputs[0] = Constant({}, Int32List{2}); }, Rule::kAxis, 0, 2, 2},
    {"5 into 2",
     [](OpModel& m) {
       m.inputs[1].shape = {2, 5};
     },
     Rule::kSplitSizes, 1, 2, 5},
    {"two axes",
     [](OpModel& m) {
       m.inputs[0] = Constant({2}, Int32List{0, 1});
     },
     Rule::kElementCount, 0, 2, 1},
};

constexpr Refusal kSplitV[] = {
    {"two inputs", DropInput, Rule::kInputCount, kNode, 2, 3},
    {"four inputs", AddInput, Rule::kInputCount, kNode, 4, 3},
    {"uint8", SetInputType<0, TensorType::kUInt8>, Rule::kTypesDiffer, Out(0), 9, 3},
    {"axis -3 of 2", [](OpModel& m) { m.inputs[2] = Constant({}, Int32List{-3}); }, Rule::kAxis, 2, -3, 2},
    {"sizes that are not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired, 1},
    {"three sizes for 2 pieces",
     [](OpModel& m) {
       m.inputs[1] = SplitSizes({1, 1, 2});
     },
     Rule::kElementCount, 1, 3, 2},
    {"one size for 2 pieces", [](OpModel& m) { m.inputs[1] = SplitSizes({4}); }, Rule::kSplitSizes, 1, 1, 2},
    {"a size of 0",
     [](OpModel& m) {
       m.inputs[1] = SplitSizes({4, 0});
     },
     Rule::kSplitSizes, 1, 0, 4},
    {"two open sizes",
     [](OpModel& m) {
       m.inputs[1] = SplitSizes({-1, -1});
     },
     Rule::kSplitSizes, 1, -1, 4},
    {"a size of 5 of 4",
     [](OpModel& m) {
       m.inputs[1] = SplitSizes({5, -1});
     },
     Rule::kSplitSizes, 1, 5, 4},
    {"3 of 4 in all",
     [](OpModel& m) {
       m.inputs[1] = SplitSizes({2, 1});
     },
     Rule::kSplitSizes, 1, 3, 4},
    {"nothing left for the open one",
     [](OpModel& m) {
       m.inputs[1] = SplitSizes({4, -1});
     },
     Rule::kSplitSizes, 1, 4, 4},
};

constexpr Refusal kTooLong[] = {{"sizes that int32 cannot sum",
                                 [](OpModel& m) {
                                   constexpr int32_t kDim = INT32_MAX / 16;
                                   m.inputs[0].shape = {1, kDim};
                                   m.inputs[1] = SplitSizes(Int32List(17, kDim));
                                   m.outputs.resize(17, m.outputs[0]);
                                   m.options.count = 17;
                                 },
                                 Rule::kSplitSizes, 1, kNoValue, INT32_MAX / 16}};

constexpr Refusal kUnpack[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"uint8", SetInputType<0, TensorType::kUInt8>, Rule::kTypesDiffer, Out(0), 9, 3},
    {"axis 3 of 3", [](OpModel& m) { m.options.axis = 3; }, Rule::kAxis, kNode, 3, 3},
    {"an axis of 4", [](OpModel& m) { m.options.axis = 2; }, Rule::kOperandShape, 0, 4, 2},
};

constexpr Refusal kNoOutputs[] = {{"no outputs",
                                   [](OpModel& m) {
                                     m.outputs.clear();
                                     m.options.count = 0;
                                   },
                                   Rule::kOutputCount, kNode, 0, 0}};

TEST(Split, Refusals) {
  const OpModel split = Split({2, 4}, 1, {{2, 2}, {2, 2}});
  ExpectRefusals(split, kSplitRefusals);
  ExpectRefusals(split, kSplit);
  ExpectRefusals(split, kNoOutputs);
  const OpModel sizes = SplitV({2, 4}, {2, 2}, 1, {{2, 2}, {2, 2}});
  ExpectRefusals(sizes, kSplitRefusals);
  ExpectRefusals(sizes, kSplitV);
  ExpectRefusals(sizes, kTooLong);
  ExpectRefusals(sizes, kNoOutputs);
  const OpModel unpack = Unpack({2, 2, 4}, 0, {{2, 4}, {2, 4}});
  ExpectRefusals(unpack, kSplitRefusals);
  ExpectRefusals(unpack, kUnpack);
  ExpectRefusals(unpack, kNoOutputs);
}

}  // namespace
}  // namespace lutra

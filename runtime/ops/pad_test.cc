// SPDX-License-Identifier: Apache-2.0
// PAD, PADV2, MIRROR_PAD: constants, mirrored elements, and rows in place.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

TensorSpec Paddings(const Int32List& values) {
  return Constant({static_cast<int32_t>(values.size() / 2), 2}, values);
}

OpModel Pad(const std::vector<int32_t>& shape, const Int32List& paddings, const std::vector<int32_t>& out) {
  return {.op = BuiltinOperator::kPad,
          .inputs = {{.shape = shape, .scale = 0.5f, .zero_point = -7}, Paddings(paddings)},
          .outputs = {{.shape = out, .scale = 0.5f, .zero_point = -7}}};
}

// The padding has code 3.
OpModel PadWithThree() {
  OpModel model = Pad({2, 2}, {0, 1, 1, 0}, {3, 3});
  model.op = BuiltinOperator::kPadv2;
  model.inputs.push_back({.shape = {1}, .scale = 0.5f, .zero_point = -7, .data = {3}});
  return model;
}

OpModel Mirror(const std::vector<int32_t>& shape, const Int32List& paddings, const std::vector<int32_t>& out,
               bool symmetric) {
  OpModel model = Pad(shape, paddings, out);
  model.op = BuiltinOperator::kMirrorPad;
  model.options.mirror_mode = symmetric ? 1 : 0;
  return model;
}

// ---- Values.

constexpr int F = kFilled;

TEST(Pad, FillsWithRealZero) {
  ExpectMoved(Pad({3}, {2, 1}, {6}), {{F, F, 0, 1, 2, F}});
  ExpectMoved(Pad({2, 2}, {0, 1, 1, 0}, {3, 3}), {{F, 0, 1, F, 2, 3, F, F, F}});
  ExpectMoved(Pad({2, 2}, {0, 0, 0, 0}, {2, 2}), {{0, 1, 2, 3}});
  ExpectMoved(Pad({1, 2, 1}, {1, 0, 0, 1, 1, 1}, {2, 3, 3}),
              {{F, F, F, F, F, F, F, F, F, F, 0, F, F, 1, F, F, F, F}});
}

TEST(Pad, TakesPaddingsOf64Bits) {
  OpModel model = Pad({3}, {}, {6});
  model.inputs[1] = Constant({1, 2}, Int64List{2, 1});
  ExpectMoved(model, {{F, F, 0, 1, 2, F}});
}

// 96 x 96 with 3 channels, a border of one pixel.
TEST(Pad, PadsImages) {
  Order order;
  for (int y = -1; y <= 24; ++y) {
    for (int x = -1; x <= 24; ++x) {
      for (int c = 0; c < 3; ++c) {
        const bool inside = y >= 0 && y < 24 && x >= 0 && x < 24;
        order.push_back(inside ? (y * 24 + x) * 3 + c : F);
      }
    }
  }
  ExpectMoved(Pad({1, 24, 24, 3}, {0, 0, 1, 1, 1, 1, 0, 0}, {1, 26, 26, 3}), {order});
}

TEST(PadV2, FillsWithTheConstant) {
  ExpectOutput(PadWithThree(), {Int8List{10, 11, 12, 13}}, Int8List{3, 10, 11, 3, 12, 13, 3, 3, 3});
  OpModel model = PadWithThree();
  model.inputs[0].type = model.outputs[0].type = TensorType::kInt32;
  model.inputs[2] = Constant({}, Int32List{0x01020304});
  constexpr int32_t kFill = 0x01020304;
  ExpectOutput(model, {Int32List{10, 11, 12, 13}},
               Int32List{kFill, 10, 11, kFill, 12, 13, kFill, kFill, kFill});
}

TEST(MirrorPad, ReflectsBehindTheEdge) {
  ExpectMoved(Mirror({4}, {3, 2}, {9}, false), {{3, 2, 1, 0, 1, 2, 3, 2, 1}});
  ExpectMoved(Mirror({2, 3}, {1, 0, 0, 2}, {3, 5}, false), {{3, 4, 5, 4, 3, 0, 1, 2, 1, 0, 3, 4, 5, 4, 3}});
}

TEST(MirrorPad, MirrorsTheEdge) {
  ExpectMoved(Mirror({4}, {4, 2}, {10}, true), {{3, 2, 1, 0, 0, 1, 2, 3, 3, 2}});
  ExpectMoved(Mirror({2, 3}, {2, 1, 0, 3}, {5, 6}, true),
              {{3, 4, 5, 5, 4, 3, 0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 3, 4, 5, 5, 4, 3, 3, 4, 5, 5, 4, 3}});
  ExpectMoved(Mirror({1, 2, 1}, {0, 0, 1, 1, 0, 0}, {1, 4, 1}, true), {{0, 0, 1, 1}});
}

// ---- Memory.

TEST(Pad, RowsAreMovedInPlace) {
  // Two rows are added below: nothing moves. One row above and a column at each side: rows move, the last one
  // first.
  EXPECT_EQ(ActivationBytes(Pad({10, 16}, {0, 2, 0, 0}, {12, 16}), false), 160u + 192);
  EXPECT_EQ(ActivationBytes(Pad({10, 16}, {0, 2, 0, 0}, {12, 16})), 192u);
  Order order;
  for (int y = -1; y < 10; ++y) {
    for (int x = -1; x <= 16; ++x) order.push_back(y < 0 || x < 0 || x == 16 ? F : y * 16 + x);
  }
  const OpModel around = Pad({10, 16}, {1, 0, 1, 1}, {11, 18});
  EXPECT_LT(ActivationBytes(around), ActivationBytes(around, false));
  ExpectMoved(around, {order});
}

// ---- Refusals.

constexpr Refusal kPadRefusals[] = {
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"the input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"an output of another type", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"paddings that are not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired,
     1},
    {"paddings for one of 2 dimensions",
     [](OpModel& m) {
       m.inputs[1] = Paddings({0, 1});
     },
     Rule::kPaddings, 1, 2, 4},
    {"an output of another rank", [](OpModel& m) { m.outputs[0].shape = {9}; }, Rule::kOperandRank, Out(0), 1,
     2},
    {"-1 before",
     [](OpModel& m) {
       m.inputs[1] = Paddings({-1, 2, 1, 0});
     },
     Rule::kPaddings, 1, -1, 0},
    {"-1 after",
     [](OpModel& m) {
       m.inputs[1] = Paddings({2, -1, 1, 0});
     },
     Rule::kPaddings, 1, -1, 0},
    {"one row more",
     [](OpModel& m) {
       m.inputs[1] = Paddings({1, 1, 1, 0});
     },
     Rule::kOperandShape, Out(0), 3, 4},
    {"more rows than int32 counts",
     [](OpModel& m) {
       m.inputs[1] = Paddings({INT32_MAX, 0, 1, 0});
     },
     Rule::kOperandShape, Out(0), 3},
};

constexpr Refusal kPad[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
};

constexpr Refusal kPadV2[] = {
    {"two inputs", DropInput, Rule::kInputCount, kNode, 2, 3},
    {"four inputs", AddInput, Rule::kInputCount, kNode, 4, 3},
    {"a constant of another type", [](OpModel& m) { m.inputs[2] = Constant({1}, Int32List{3}); },
     Rule::kTypesDiffer, 2, 2, 9},
    {"a fill that is not constant", [](OpModel& m) { m.inputs[2].data.clear(); }, Rule::kConstantRequired, 2},
    {"two constants",
     [](OpModel& m) {
       m.inputs[2].shape = {2};
       m.inputs[2].data = {3, 3};
     },
     Rule::kElementCount, 2, 2, 1},
    {"another scale", [](OpModel& m) { m.inputs[2].scale = 0.25f; }, Rule::kSameQuantization, 2},
    {"another zero point", [](OpModel& m) { m.inputs[2].zero_point = 0; }, Rule::kSameQuantization, 2, 0, -7},
};

constexpr Refusal kMirrorPad[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"a mode that the format does not know", [](OpModel& m) { m.options.mirror_mode = 2; },
     Rule::kOptionsMissing},
};

// With REFLECT, a row less than with SYMMETRIC can be mirrored.
template <int kLimit>
constexpr Refusal kTooFar[] = {
    {"too many before",
     [](OpModel& m) {
       m.inputs[1] = Paddings({kLimit + 1, 0, 1, 0});
       m.outputs[0].shape = {3 + kLimit, 3};
     },
     Rule::kPaddings, 1, kLimit + 1, kLimit},
    {"too many after",
     [](OpModel& m) {
       m.inputs[1] = Paddings({0, kLimit + 1, 1, 0});
       m.outputs[0].shape = {3 + kLimit, 3};
     },
     Rule::kPaddings, 1, kLimit + 1, kLimit},
};

TEST(Pad, Refusals) {
  const OpModel pad = Pad({2, 2}, {0, 1, 1, 0}, {3, 3});
  ExpectRefusals(pad, kPadRefusals);
  ExpectRefusals(pad, kPad);
  ExpectRefusals(PadWithThree(), kPadRefusals);
  ExpectRefusals(PadWithThree(), kPadV2);
  for (const bool symmetric : {false, true}) {
    const OpModel mirror = Mirror({2, 2}, {0, 1, 1, 0}, {3, 3}, symmetric);
    ExpectRefusals(mirror, kPadRefusals);
    ExpectRefusals(mirror, kMirrorPad);
    if (symmetric) {
      ExpectRefusals(mirror, kTooFar<2>);
    } else {
      ExpectRefusals(mirror, kTooFar<1>);
    }
  }
}

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// SPACE_TO_DEPTH, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

using OpS = BuiltinOperator;

OpModel Depth(OpS op, int block, const std::vector<int32_t>& shape, const std::vector<int32_t>& out) {
  return {
      .op = op, .inputs = {{.shape = shape}}, .outputs = {{.shape = out}}, .options = {.block_size = block}};
}

TensorSpec Margins(const Int32List& values) {
  return Constant({static_cast<int32_t>(values.size() / 2), 2}, values);
}

// `margins`: paddings or crops.
OpModel Batch(OpS op, const Int32List& blocks, const Int32List& margins, const std::vector<int32_t>& shape,
              const std::vector<int32_t>& out) {
  return {.op = op,
          .inputs = {{.shape = shape, .scale = 0.5f, .zero_point = -7},
                     Constant({static_cast<int32_t>(blocks.size())}, blocks),
                     Margins(margins)},
          .outputs = {{.shape = out, .scale = 0.5f, .zero_point = -7}}};
}

constexpr int F = kFilled;

// ---- Values.

TEST(SpaceToDepth, MovesBlocksIntoChannels) {
  ExpectMoved(Depth(OpS::kSpaceToDepth, 2, {1, 2, 4, 1}, {1, 1, 2, 4}), {{0, 1, 4, 5, 2, 3, 6, 7}});
  ExpectMoved(Depth(OpS::kSpaceToDepth, 2, {1, 2, 2, 2}, {1, 1, 1, 8}), {{0, 1, 2, 3, 4, 5, 6, 7}});
  ExpectMoved(Depth(OpS::kSpaceToDepth, 1, {1, 2, 2, 1}, {1, 2, 2, 1}), {{0, 1, 2, 3}});
  // There are two images, each of one block of 3 x 3.
  ExpectMoved(Depth(OpS::kSpaceToDepth, 3, {2, 3, 3, 1}, {2, 1, 1, 9}),
              {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}});
}

TEST(DepthToSpace, IsTheInverse) {
  ExpectMoved(Depth(OpS::kDepthToSpace, 2, {1, 1, 2, 4}, {1, 2, 4, 1}), {{0, 1, 4, 5, 2, 3, 6, 7}});
  ExpectMoved(Depth(OpS::kDepthToSpace, 2, {1, 1, 1, 8}, {1, 2, 2, 2}), {{0, 1, 2, 3, 4, 5, 6, 7}});
  ExpectMoved(Depth(OpS::kDepthToSpace, 2, {2, 1, 1, 4}, {2, 2, 2, 1}), {{0, 1, 2, 3, 4, 5, 6, 7}});
}

// A row of blocks has the elements of a row of the other tensor, so that little more memory than one tensor
// suffices.
TEST(SpaceToDepth, RowsAreMovedInPlace) {
  const OpModel deep = Depth(OpS::kSpaceToDepth, 2, {1, 16, 16, 3}, {1, 8, 8, 12});
  EXPECT_EQ(ActivationBytes(deep, false), 2u * 768);
  EXPECT_EQ(ActivationBytes(deep), 768u + 96);
  const OpModel wide = Depth(OpS::kDepthToSpace, 2, {1, 8, 8, 12}, {1, 16, 16, 3});
  EXPECT_EQ(ActivationBytes(wide), 768u + 96);
  Order order;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 8; ++x) {
      for (int block = 0; block < 4; ++block) {
        for (int c = 0; c < 3; ++c) {
          order.push_back(((2 * y + block / 2) * 16 + 2 * x + block % 2) * 3 + c);
        }
      }
    }
  }
  ExpectMoved(deep, {order});
}

TEST(SpaceToBatch, MovesBlocksIntoImages) {
  ExpectMoved(Batch(OpS::kSpaceToBatchNd, {2, 2}, {0, 0, 0, 0}, {1, 2, 4, 1}, {4, 1, 2, 1}),
              {{0, 2, 1, 3, 4, 6, 5, 7}});
  // There are two images with two channels; images of the same place in the block are neighbours in the
  // output.
  ExpectMoved(Batch(OpS::kSpaceToBatchNd, {1, 2}, {0, 0, 0, 0}, {2, 1, 2, 2}, {4, 1, 1, 2}),
              {{0, 1, 4, 5, 2, 3, 6, 7}});
  ExpectMoved(Batch(OpS::kSpaceToBatchNd, {2}, {0, 0}, {1, 4, 2}, {2, 2, 2}), {{0, 1, 4, 5, 2, 3, 6, 7}});
}

TEST(SpaceToBatch, PaddingIsRealZero) {
  ExpectMoved(Batch(OpS::kSpaceToBatchNd, {2, 2}, {1, 0, 0, 1}, {1, 1, 3, 1}, {4, 1, 2, 1}),
              {{F, F, F, F, 0, 2, 1, F}});
  ExpectMoved(Batch(OpS::kSpaceToBatchNd, {3}, {2, 3}, {1, 4, 1}, {3, 3, 1}), {{F, 1, F, F, 2, F, 0, 3, F}});
  // Some places in the block hold nothing of the image.
  ExpectMoved(Batch(OpS::kSpaceToBatchNd, {4}, {0, 3}, {1, 1, 1}, {4, 1, 1}), {{0, F, F, F}});
  // Some blocks hold padding alone.
  ExpectMoved(Batch(OpS::kSpaceToBatchNd, {2}, {4, 2}, {1, 2, 1}, {2, 4, 1}), {{F, F, 0, F, F, F, 1, F}});
}

TEST(BatchToSpace, IsTheInverse) {
  ExpectMoved(Batch(OpS::kBatchToSpaceNd, {2, 2}, {0, 0, 0, 0}, {4, 1, 2, 1}, {1, 2, 4, 1}),
              {{0, 2, 1, 3, 4, 6, 5, 7}});
  ExpectMoved(Batch(OpS::kBatchToSpaceNd, {1, 2}, {0, 0, 0, 0}, {4, 1, 1, 2}, {2, 1, 2, 2}),
              {{0, 1, 4, 5, 2, 3, 6, 7}});
  ExpectMoved(Batch(OpS::kBatchToSpaceNd, {2}, {0, 0}, {2, 2, 2}, {1, 4, 2}), {{0, 1, 4, 5, 2, 3, 6, 7}});
}

TEST(BatchToSpace, CropsEachSide) {
  // Columns 0 to 3 are elements 0 2 1 3; one column is cropped at the left and at the right.
  ExpectMoved(Batch(OpS::kBatchToSpaceNd, {1, 2}, {0, 0, 1, 1}, {2, 1, 2, 1}, {1, 1, 2, 1}), {{2, 1}});
  ExpectMoved(Batch(OpS::kBatchToSpaceNd, {3}, {2, 3}, {3, 3, 1}, {1, 4, 1}), {{6, 1, 4, 7}});
  ExpectMoved(Batch(OpS::kBatchToSpaceNd, {1, 2}, {0, 0, 1, 0}, {2, 1, 1, 1}, {1, 1, 1, 1}), {{1}});
  // One place in the block is cropped altogether.
  ExpectMoved(Batch(OpS::kBatchToSpaceNd, {2}, {1, 0}, {2, 1, 1}, {1, 1, 1}), {{1}});
}

// ---- Refusals.

template <TensorType kType>
void Become(OpModel& m) {
  m.inputs[0].type = m.outputs[0].type = kType;
}

constexpr Refusal kSpaceRefusals[] = {
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"the input is left out", LeaveOutInput0, Rule::kInputMissing, kNode, 0},
    {"an output of another type", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"five dimensions",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 1, 1, 1, 16};
     },
     Rule::kOperandRank, 0, 5, 4},
    {"an output of another shape", [](OpModel& m) { m.outputs[0].shape[2] = 9; }, Rule::kOperandShape, Out(0),
     9, 2},
};

constexpr Refusal kDepth[] = {
    {"no input", DropInput, Rule::kInputCount, kNode, 0, 1},
    {"two inputs", AddInput, Rule::kInputCount, kNode, 2, 1},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"a block of 0", [](OpModel& m) { m.options.block_size = 0; }, Rule::kBlockSize, 0, 0, 1},
    {"three dimensions",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 4, 4};
     },
     Rule::kOperandRank, 0, 3, 4},
};

constexpr Refusal kSpaceToDepth[] = {
    {"4 rows by 3", [](OpModel& m) { m.options.block_size = 3; }, Rule::kBlockSize, 0, 4, 3},
    {"5 columns by 2",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 4, 5, 1};
     },
     Rule::kBlockSize, 0, 5, 2},
};

constexpr Refusal kDepthToSpace[] = {
    {"4 channels by 3", [](OpModel& m) { m.options.block_size = 3; }, Rule::kBlockSize, 0, 4, 3},
    {"5 channels by 2",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 1, 1, 5};
     },
     Rule::kBlockSize, 0, 5, 2},
    {"6 channels by 2, which is one block and a half",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 1, 1, 6};
     },
     Rule::kBlockSize, 0, 6, 2},
};

TEST(SpaceToDepth, Refusals) {
  const OpModel deep = Depth(OpS::kSpaceToDepth, 2, {1, 4, 4, 1}, {1, 2, 2, 4});
  ExpectRefusals(deep, kSpaceRefusals);
  ExpectRefusals(deep, kDepth);
  ExpectRefusals(deep, kSpaceToDepth);
  const OpModel wide = Depth(OpS::kDepthToSpace, 2, {1, 1, 1, 4}, {1, 2, 2, 1});
  ExpectRefusals(wide, kSpaceRefusals);
  ExpectRefusals(wide, kDepth);
  ExpectRefusals(wide, kDepthToSpace);
}

constexpr Refusal kBatch[] = {
    {"two inputs", DropInput, Rule::kInputCount, kNode, 2, 3},
    {"four inputs", AddInput, Rule::kInputCount, kNode, 4, 3},
    {"two dimensions",
     [](OpModel& m) {
       m.inputs[0].shape = {4, 4};
     },
     Rule::kOperandRank, 0, 2, 3},
    {"blocks that are not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired,
     1},
    {"margins that are not constant", [](OpModel& m) { m.inputs[2].data.clear(); }, Rule::kConstantRequired,
     2},
    {"one block of 2", [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{2}); }, Rule::kElementCount, 1,
     1, 2},
    {"margins of one dimension of 2",
     [](OpModel& m) {
       m.inputs[2] = Margins({0, 0});
     },
     Rule::kElementCount, 2, 2, 4},
    {"a block of 0",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int32List{2, 0});
     },
     Rule::kBlockSize, 1, 0, 1},
    {"-1 before",
     [](OpModel& m) {
       m.inputs[2] = Margins({-1, 1, 0, 0});
     },
     Rule::kPaddings, 2},
    {"-1 after",
     [](OpModel& m) {
       m.inputs[2] = Margins({0, 0, 1, -1});
     },
     Rule::kPaddings, 2},
};

constexpr Refusal kSpaceToBatch[] = {
    {"5 padded rows by 2",
     [](OpModel& m) {
       m.inputs[2] = Margins({0, 1, 0, 0});
     },
     Rule::kBlockSize, 1, 2},
    {"no scale of the output", RemoveScaleOfOutput, Rule::kQuantizationMissing, Out(0)},
    {"more rows than int32 counts",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int32List{1, 1});
       m.inputs[2] = Margins({INT32_MAX, INT32_MAX, 0, 0});
     },
     Rule::kPaddings, 2},
    {"more images than int32 counts",
     [](OpModel& m) {
       m.inputs[1] = Constant({2}, Int32List{1 << 30, 1 << 30});
       m.inputs[2] = Margins({0, (1 << 30) - 4, 0, (1 << 30) - 4});
     },
     Rule::kBlockSize, 1, 1 << 30},
};

constexpr Refusal kBatchToSpace[] = {
    {"3 images by 2",
     [](OpModel& m) {
       m.inputs[0].shape = {3, 2, 2, 1};
     },
     Rule::kBlockSize, 1, 2},
    {"nothing left of 4 rows",
     [](OpModel& m) {
       m.inputs[2] = Margins({2, 2, 0, 0});
     },
     Rule::kPaddings, 2},
};

TEST(SpaceToBatch, Refusals) {
  const OpModel model = Batch(OpS::kSpaceToBatchNd, {2, 2}, {0, 0, 0, 0}, {1, 4, 4, 1}, {4, 2, 2, 1});
  ExpectRefusals(model, kSpaceRefusals);
  ExpectRefusals(model, kBatch);
  ExpectRefusals(model, kSpaceToBatch);
}

TEST(BatchToSpace, Refusals) {
  const OpModel model = Batch(OpS::kBatchToSpaceNd, {2, 1}, {0, 0, 0, 0}, {2, 2, 2, 1}, {1, 4, 2, 1});
  ExpectRefusals(model, kSpaceRefusals);
  ExpectRefusals(model, kBatch);
  ExpectRefusals(model, kBatchToSpace);
}

}  // namespace
}  // namespace lutra

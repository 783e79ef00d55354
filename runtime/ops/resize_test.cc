// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: the three ways to place pixels, and sizes that the fixed-point
// rule refuses.

#include "runtime/testing/op_test.h"

namespace lutra {
namespace {

constexpr BuiltinOperator kBilinear = BuiltinOperator::kResizeBilinear;
constexpr BuiltinOperator kNearest = BuiltinOperator::kResizeNearestNeighbor;

enum class Mode { kPlain, kCorners, kHalfPixel };

OpModel ResizeModel(BuiltinOperator op, const std::vector<int32_t>& shape, int32_t height, int32_t width,
                    Mode mode = Mode::kPlain) {
  return {
      .op = op,
      .inputs = {{.shape = shape}, Constant({2}, Int32List{height, width})},
      .outputs = {{.shape = {shape[0], height, width, shape[3]}}},
      .options = {.align_corners = mode == Mode::kCorners, .half_pixel_centers = mode == Mode::kHalfPixel}};
}

// ---- Values.

TEST(ResizeBilinear, WeighsNeighbours) {
  // 0 and 80 at steps of a half; the last pixel is repeated.
  ExpectOutput(ResizeModel(kBilinear, {1, 1, 2, 1}, 1, 4), {Int8List{0, 80}}, Int8List{0, 40, 80, 80});
  // The corners are aligned; steps are thirds (341/1024, 682/1024).
  ExpectOutput(ResizeModel(kBilinear, {1, 1, 2, 1}, 1, 4, Mode::kCorners), {Int8List{0, 90}},
               Int8List{0, 30, 60, 90});
  // Centres are at -1/4, 1/4, 3/4, 5/4.
  ExpectOutput(ResizeModel(kBilinear, {1, 1, 2, 1}, 1, 4, Mode::kHalfPixel), {Int8List{0, 80}},
               Int8List{0, 20, 60, 80});
}

TEST(ResizeBilinear, MakesRowsAndColumns) {
  // The images have two channels of 2 x 2; the second channel is the first less 8.
  ExpectOutput(ResizeModel(kBilinear, {1, 2, 2, 2}, 4, 4), {Int8List{0, -8, 40, 32, 80, 72, 120, 112}},
               Int8List{0,  -8, 20,  12, 40,  32,  40,  32,  40, 32, 60,  52, 80,  72,  80,  72,
                        80, 72, 100, 92, 120, 112, 120, 112, 80, 72, 100, 92, 120, 112, 120, 112});
}

TEST(ResizeBilinear, ShrinksAndTakesImagesOneByOne) {
  ExpectOutput(ResizeModel(kBilinear, {2, 4, 2, 1}, 2, 1),
               {Int8List{1, 2, 3, 4, 5, 6, 7, 8, -1, -2, -3, -4, -5, -6, -7, -8}}, Int8List{1, 5, -1, -5});
  ExpectOutput(ResizeModel(kBilinear, {1, 1, 3, 1}, 1, 1, Mode::kCorners), {Int8List{7, 8, 9}}, Int8List{7});
  ExpectOutput(ResizeModel(kBilinear, {1, 1, 4, 1}, 1, 2, Mode::kHalfPixel), {Int8List{0, 10, 20, 30}},
               Int8List{5, 25});
}

OpModel FloatModel(const std::vector<int32_t>& shape, int32_t height, int32_t width,
                   Mode mode = Mode::kPlain) {
  OpModel model = ResizeModel(kBilinear, shape, height, width, mode);
  model.inputs[0].type = model.outputs[0].type = TensorType::kFloat32;
  return model;
}

TEST(ResizeBilinear, FloatWeighsNeighbours) {
  ExpectOutput(FloatModel({1, 1, 2, 1}, 1, 4), {FloatList{0, 80}}, FloatList{0, 40, 80, 80});
  ExpectNear(FloatModel({1, 1, 2, 1}, 1, 4, Mode::kCorners), {FloatList{0, 90}}, FloatList{0, 30, 60, 90},
             1e-6f);
  ExpectOutput(FloatModel({1, 1, 2, 1}, 1, 4, Mode::kHalfPixel), {FloatList{0, 80}},
               FloatList{0, 20, 60, 80});
  ExpectOutput(FloatModel({2, 2, 1, 2}, 3, 1, Mode::kCorners), {FloatList{0, 1, 2, 5, -1, 0, 1, 8}},
               FloatList{0, 1, 1, 3, 2, 5, -1, 0, 0, 4, 1, 8});
  // The rule of int8 cannot make 55 rows of one row.
  ExpectNear(FloatModel({1, 1, 1, 1}, 55, 1), {FloatList{7}}, FloatList(55, 7), 1e-6f);
}

TEST(ResizeNearest, TakesThePixelBelow) {
  const Order plain = {0, 0, 1, 1, 2};
  ExpectMoved(ResizeModel(kNearest, {1, 1, 3, 1}, 1, 5), {plain});
  ExpectMoved(ResizeModel(kNearest, {1, 3, 1, 1}, 5, 1), {plain});
  ExpectMoved(ResizeModel(kNearest, {1, 1, 5, 1}, 1, 2), {{0, 2}});
}

TEST(ResizeNearest, AlignsCornersOrCentres) {
  ExpectMoved(ResizeModel(kNearest, {1, 1, 3, 1}, 1, 5, Mode::kCorners), {{0, 1, 1, 2, 2}});
  ExpectMoved(ResizeModel(kNearest, {1, 1, 5, 1}, 1, 2, Mode::kHalfPixel), {{1, 3}});
  ExpectMoved(ResizeModel(kNearest, {1, 1, 3, 1}, 1, 1, Mode::kCorners), {{0}});
}

TEST(ResizeNearest, MovesWholePixelsOfEachImage) {
  ExpectMoved(ResizeModel(kNearest, {2, 1, 2, 2}, 2, 2), {{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7}});
  ExpectMoved(ResizeModel(kNearest, {1, 2, 2, 3}, 2, 4),
              {{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9, 10, 11, 9, 10, 11}});
}

TEST(Resize, TakesASizeOf64Bits) {
  OpModel model = ResizeModel(kNearest, {1, 1, 3, 1}, 1, 5);
  model.inputs[1] = Constant({2}, Int64List{1, 5});
  ExpectMoved(model, {{0, 0, 1, 1, 2}});
}

// ---- Refusals.

constexpr Refusal kResizeRefusals[] = {
    {"one input", DropInput, Rule::kInputCount, kNode, 1, 2},
    {"three inputs", AddInput, Rule::kInputCount, kNode, 3, 2},
    {"two outputs", AddOutput, Rule::kOutputCount, kNode, 2, 1},
    {"options of another operator", GiveForeignOptions, Rule::kOptionsMissing},
    {"both corners and centres",
     [](OpModel& m) { m.options.align_corners = m.options.half_pixel_centers = true; }, Rule::kResizeMode},
    {"an output of another type", SetOutputType<TensorType::kInt16>, Rule::kTypesDiffer, Out(0), 7, 9},
    {"three dimensions",
     [](OpModel& m) {
       m.inputs[0].shape = {2, 2, 1};
     },
     Rule::kOperandRank, 0, 3, 4},
    {"a size that is not constant", [](OpModel& m) { m.inputs[1].data.clear(); }, Rule::kConstantRequired, 1},
    {"a size of one number", [](OpModel& m) { m.inputs[1] = Constant({1}, Int32List{4}); },
     Rule::kElementCount, 1, 1, 2},
    {"a size of three numbers",
     [](OpModel& m) {
       m.inputs[1] = Constant({3}, Int32List{4, 4, 1});
     },
     Rule::kElementCount, 1, 3, 2},
    {"3 columns for 4", [](OpModel& m) { m.outputs[0].shape[2] = 3; }, Rule::kOperandShape, Out(0), 3, 4},
    {"3 rows for 4", [](OpModel& m) { m.outputs[0].shape[1] = 3; }, Rule::kOperandShape, Out(0), 3, 4},
};

template <int kHeight, int kWidth>
void Resize(OpModel& m) {
  m.inputs[1] = Constant({2}, Int32List{kHeight, kWidth});
  m.outputs[0].shape = {1, kHeight, kWidth, 1};
}

// The last of 55 pixels would lie behind the only pixel: 54 * round(1024 / 55) is more than 1024 (int8-ops
// 2.12).
constexpr Refusal kBilinearOnly[] = {
    {"int16", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kInt16; },
     Rule::kOperandType, 0, 7, 9},
    {"55 rows from one",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 1, 2, 1};
       Resize<55, 2>(m);
     },
     Rule::kResizeRange, Out(0), 55, 1},
    {"55 columns from one",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 2, 1, 1};
       Resize<2, 55>(m);
     },
     Rule::kResizeRange, Out(0), 55, 1},
    {"more columns than 1/1024 of which int32 counts",
     [](OpModel& m) {
       m.inputs[0].shape = {1, 2, 1 << 22, 1};
       Resize<2, 2>(m);
     },
     Rule::kResizeRange, Out(0), 2, 1 << 22},
};

constexpr Refusal kNearestOnly[] = {
    {"no data at all", [](OpModel& m) { m.inputs[0].type = m.outputs[0].type = TensorType::kResource; },
     Rule::kOperandType, 0, 13},
};

TEST(Resize, Refusals) {
  ExpectRefusals(ResizeModel(kBilinear, {1, 2, 2, 1}, 4, 4), kResizeRefusals);
  ExpectRefusals(ResizeModel(kBilinear, {1, 2, 2, 1}, 4, 4), kBilinearOnly);
  ExpectRefusals(ResizeModel(kNearest, {1, 2, 2, 1}, 4, 4), kResizeRefusals);
  ExpectRefusals(ResizeModel(kNearest, {1, 2, 2, 1}, 4, 4), kNearestOnly);
  // RESIZE_BILINEAR refuses this size.
  ExpectMoved(ResizeModel(kNearest, {1, 1, 1, 1}, 1, 55), {Order(55, 0)});
}

}  // namespace
}  // namespace lutra

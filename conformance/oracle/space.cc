// SPDX-License-Identifier: Apache-2.0
// Adds borders to arrays, and moves blocks between dimensions.

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// With PAD-0, TensorFlow Lite Micro pads with memory that nothing set, which usually is 0.
constexpr ArithmeticRule kPadWithCode0 = {"PAD-0", Method::kDefect};

// Returns two numbers for each of `count` dimensions: elements before and after.
Codes PairsOf(const Node& node, int input, size_t count) {
  const Codes pairs = node.Get(input);
  if (pairs.size() != 2 * count) node.Refuse("not two numbers for each dimension");
  for (const int64_t number : pairs) {
    if (number < 0 || number > INT32_MAX) node.Refuse("a padding or a crop out of range");
  }
  return pairs;
}

Bytes FilledWithZeroPoint(const Node& node) {
  Bytes result = SpaceFor(node, 0, 0);
  if (node.output(0).type == kInt8) {
    std::fill(result.begin(), result.end(), static_cast<uint8_t>(QuantizationOf(node.output(0)).zero_point));
  }
  return result;
}

// ---- PAD, PADV2, MIRROR_PAD

void RequirePaddedShape(const Node& node, const Codes& paddings) {
  const Shape &shape = node.input(0).shape, &padded = node.output(0).shape;
  if (padded.size() != shape.size()) node.Refuse("an output of another rank");
  for (size_t d = 0; d < shape.size(); ++d) {
    if (paddings[2 * d] + shape[d] + paddings[2 * d + 1] != padded[d])
      node.Refuse("an output of another shape");
  }
}

}  // namespace

void PutPadded(const Node& node, Bytes result) {
  const Shape& shape = node.input(0).shape;
  const Codes paddings = PairsOf(node, 1, shape.size());
  RequirePaddedShape(node, paddings);
  Axes axes = Whole(node.output(0).shape);
  for (size_t d = 0; d < axes.size(); ++d) axes[d] = Part(axes[d], paddings[2 * d], shape[d]);
  PlaceIn(node, 0, axes, &result);
  node.PutBytes(0, std::move(result));
}

namespace {

void EvalPad(const Node& node, const ArithmeticRule&) { PutPadded(node, FilledWithZeroPoint(node)); }

void EvalPadV2(const Node& node, const ArithmeticRule&) {
  const Quantization value = QuantizationOf(node.input(2)), out = QuantizationOf(node.output(0));
  if (node.input(2).type != node.output(0).type) node.Refuse("a value of another type");
  if (node.output(0).type == kInt8 && (value.scale != out.scale || value.zero_point != out.zero_point)) {
    node.Refuse("a value of another scale or zero point");
  }
  if (ElementCount(node.input(2).shape) != 1) node.Refuse("more than one value");
  Bytes result = SpaceFor(node, 0, 0);
  const Bytes& code = node.GetBytes(2);
  for (size_t i = 0; i < result.size(); ++i) result[i] = code[i % code.size()];
  PutPadded(node, std::move(result));
}

void EvalMirrorPad(const Node& node, const ArithmeticRule&) {
  // MirrorPadMode is 0 for REFLECT, which leaves out the edge, and 1 for SYMMETRIC, which repeats it.
  const int64_t edge = OptionsOf(node.op().builtin_options.AsMirrorPadOptions()).mode == 0 ? 1 : 0;
  const Shape& shape = node.input(0).shape;
  const Codes paddings = PairsOf(node, 1, shape.size());
  RequirePaddedShape(node, paddings);
  Axes axes = Whole(shape);
  for (size_t d = 0; d < axes.size(); ++d) {
    const int64_t before = paddings[2 * d], after = paddings[2 * d + 1], dim = shape[d];
    Axis padded = Part(axes[d], before - 1 + edge, before, -1);
    padded.insert(padded.end(), axes[d].begin(), axes[d].end());
    const Axis end = Part(axes[d], dim - 1 - edge, after, -1);
    padded.insert(padded.end(), end.begin(), end.end());
    axes[d] = std::move(padded);
  }
  TakeFrom(node, 0, axes, 0);
}

// ---- SPACE_TO_DEPTH, DEPTH_TO_SPACE

// Returns the axes of the larger area in the order of the deeper array: channel (dy * block + dx) * C + c.
Axes DepthOrder(const Node& node, const Shape& area, const Shape& deep, int32_t block) {
  if (area.size() != 4 || deep.size() != 4) node.Refuse("not 4 dimensions");
  if (ElementCount(area) == 0 || block <= 0 || area[1] % block != 0 || area[2] % block != 0) {
    node.Refuse("blocks that do not divide the area");
  }
  const Shape expected = {area[0], area[1] / block, area[2] / block, deep[3]};
  if (deep != expected || int64_t{area[3]} * block * block != deep[3])
    node.Refuse("an output of another shape");
  const Axes axes = Whole({area[0], area[1] / block, block, area[2] / block, block, area[3]});
  return {axes[0], axes[1], axes[3], axes[2], axes[4], axes[5]};
}

void EvalSpaceToDepth(const Node& node, const ArithmeticRule&) {
  const int32_t block = OptionsOf(node.op().builtin_options.AsSpaceToDepthOptions()).block_size;
  TakeFrom(node, 0, DepthOrder(node, node.input(0).shape, node.output(0).shape, block), 0);
}

void EvalDepthToSpace(const Node& node, const ArithmeticRule&) {
  const int32_t block = OptionsOf(node.op().builtin_options.AsDepthToSpaceOptions()).block_size;
  Bytes result = SpaceFor(node, 0, 0);
  PlaceIn(node, 0, DepthOrder(node, node.output(0).shape, node.input(0).shape, block), &result);
  node.PutBytes(0, std::move(result));
}

// ---- SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND

// Returns the axes of the batched array in the order of the spatial one, which is the area of the blocks
// without margins (paddings of one operator, crops of the other). Its batch is (dy * block_w + dx) * B + b.
Axes BatchOrder(const Node& node, const Shape& space, const Shape& batched) {
  const Codes blocks = node.Get(1);
  const size_t count = blocks.size();
  if (space.size() != batched.size() || space.size() < count + 1) node.Refuse("the number of dimensions");
  const Codes margins = PairsOf(node, 2, count);
  // The dimensions are positions in blocks, the batch, positions of blocks, and the rest.
  Shape split;
  int64_t batches = space[0];
  for (const int64_t block : blocks) {
    if (block <= 0 || block > INT32_MAX || batches > INT32_MAX / block) node.Refuse("a block out of range");
    batches *= block;
    split.push_back(static_cast<int32_t>(block));
  }
  split.insert(split.end(), space.begin(), space.begin() + 1);
  split.insert(split.end(), batched.begin() + 1, batched.end());
  if (batches != batched[0]) node.Refuse("the number of batches");
  const Axes axes = Whole(split);
  Axes result = {axes[count]};
  for (size_t d = 0; d < count; ++d) {
    const int64_t before = margins[2 * d], dim = space[d + 1];
    if (before + dim + margins[2 * d + 1] != batched[d + 1] * blocks[d])
      node.Refuse("an output of another shape");
    Axis axis;
    for (int64_t y = before; y < before + dim; ++y) {
      axis.push_back(At(axes[d], y % blocks[d]) + At(axes[count + 1 + d], y / blocks[d]));
    }
    result.push_back(std::move(axis));
  }
  result.insert(result.end(), axes.begin() + static_cast<std::ptrdiff_t>(2 * count + 1), axes.end());
  return result;
}

void EvalSpaceToBatchNd(const Node& node, const ArithmeticRule& rule) {
  Bytes result = rule.method == Method::kDefect ? SpaceFor(node, 0, 0) : FilledWithZeroPoint(node);
  PlaceIn(node, 0, BatchOrder(node, node.input(0).shape, node.output(0).shape), &result);
  node.PutBytes(0, std::move(result));
}

void EvalBatchToSpaceNd(const Node& node, const ArithmeticRule&) {
  TakeFrom(node, 0, BatchOrder(node, node.output(0).shape, node.input(0).shape), 0);
}

constexpr Operator kSpaceRows[] = {
    {BuiltinOperator::PAD, {"xp", "x"}, {kExact}, EvalPad},
    {BuiltinOperator::PADV2, {"xpx", "x"}, {kExact}, EvalPadV2},
    {BuiltinOperator::MIRROR_PAD, {"xp", "x"}, {kExact}, EvalMirrorPad},
    {BuiltinOperator::SPACE_TO_DEPTH, {"x", "x"}, {kExact}, EvalSpaceToDepth},
    {BuiltinOperator::DEPTH_TO_SPACE, {"x", "x"}, {kExact}, EvalDepthToSpace},
    {BuiltinOperator::SPACE_TO_BATCH_ND, {"xpp", "x"}, {kExact, kPadWithCode0}, EvalSpaceToBatchNd},
    {BuiltinOperator::BATCH_TO_SPACE_ND, {"xpp", "x"}, {kExact}, EvalBatchToSpaceNd},
};

}  // namespace

const OperatorFamily kSpaceOperators = kSpaceRows;

}  // namespace lutra::conformance::oracle

// SPDX-License-Identifier: Apache-2.0
// Draws sizes, data, scales and layers of random cases.

#include "conformance/generator/draw.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "conformance/generator/sizes.h"

namespace lutra::conformance {

int64_t DrawBudget(Random& random, int64_t usual) {
  return random.OneIn(24) ? 32 * usual : random.OneIn(3) ? 4 * usual : usual;
}

int32_t DrawSize(Random& random, int32_t most) {
  switch (random.Int(0, 3)) {
    case 0:
      return random.Int(1, std::min(most, 4));
    case 1:
      return random.Int(1, std::min(most, 40));
    case 2: {
      const int32_t power = 1 << random.Int(0, std::bit_width(static_cast<uint32_t>(most)) - 1);
      return std::clamp(power + random.Int(-1, 1), 1, most);
    }
    default:
      return random.Int(1, most);
  }
}

oracle::Shape DrawShape(Random& random, int rank, int64_t most) {
  oracle::Shape shape(static_cast<size_t>(rank), 1);
  if (rank == 0) return shape;
  const auto large = static_cast<size_t>(random.Int(0, rank - 1));
  int64_t left = most;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d == large) continue;
    shape[d] = random.Int(1, static_cast<int32_t>(std::min<int64_t>(left, random.OneIn(4) ? 17 : 5)));
    left /= shape[d];
  }
  shape[large] = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, 1100)));
  return shape;
}

oracle::Shape DrawShape(Random& random, int least, int most_rank, int64_t most) {
  const int usual = std::max(least, std::min(most_rank, 4));
  const int rank =
      most_rank > usual && random.OneIn(6) ? random.Int(usual + 1, most_rank) : random.Int(least, usual);
  return DrawShape(random, rank, most);
}

std::vector<int32_t> DrawOrder(Random& random, int32_t count) {
  std::vector<int32_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int32_t i = 0; i + 1 < count; ++i) {
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(random.Int(i, count - 1))]);
  }
  return order;
}

std::vector<int32_t> DrawSome(Random& random, int32_t count) {
  std::vector<int32_t> some = DrawOrder(random, count);
  some.resize(static_cast<size_t>(random.Int(1, count)));
  return some;
}

BroadcastPair DrawBroadcastPair(Random& random, int64_t most) {
  const oracle::Shape full = DrawShape(random, 1, 6, most);
  BroadcastPair pair = {full, full};
  const int kind = random.Int(0, 4);
  oracle::Shape* const smaller = random.OneIn(2) ? &pair.a : &pair.b;
  if (kind == 1) *smaller = {};
  if (kind == 2)
    smaller->erase(smaller->begin(), smaller->begin() + random.Int(0, static_cast<int>(full.size()) - 1));
  if (kind < 3) return pair;
  for (size_t d = 0; d < full.size(); ++d) {
    const int ones = random.Int(0, 2);
    if (ones == 1) (kind == 3 ? *smaller : pair.a)[d] = 1;
    if (ones == 2 && kind == 4) pair.b[d] = 1;
  }
  if (kind == 4 && random.OneIn(4)) {
    while (!smaller->empty() && smaller->front() == 1) smaller->erase(smaller->begin());
  }
  return pair;
}

Values DrawValues(Random& random) {
  return random.OneIn(2) ? static_cast<Values>(random.Int(0, kDrawnValueKinds - 1)) : Values::kRandom;
}

float DrawAnyScale(Random& random, int low, int high) {
  switch (random.Int(0, 5)) {
    case 0:
      return std::ldexp(1.0f, random.Int(low, high));
    case 1:
      return std::nextafter(std::ldexp(1.0f, random.Int(low, high)), 0.0f);
    case 2:
      return random.Scale(low - 10, high + 6);
    default:
      return random.Scale(low, high);
  }
}

int8_t DrawMovedType(Random& random) {
  static const std::vector<int8_t> types = {oracle::kInt16, oracle::kInt32, oracle::kFloat32};
  return random.OneIn(5) ? random.Pick(types) : int8_t{oracle::kInt8};
}

int32_t WrittenAxis(Random& random, int32_t axis, int32_t rank) {
  return random.OneIn(3) ? axis - rank : axis;
}

// ---- Layers

namespace {

// The window along one side: taps, step and, if `may_dilate`, distance of the taps.
struct Side {
  int filter = 1, stride = 1, dilation = 1;
};

Side DrawSide(Random& random, bool may_dilate) {
  Side side;
  side.filter = random.OneIn(3) ? random.Int(1, 9) : random.Int(1, 3);
  side.stride = random.OneIn(3) ? random.Int(1, 5) : 1;
  if (may_dilate && random.OneIn(5)) side.dilation = random.Int(1, 4);
  return side;
}

// Draws the pixels along one side of an image in which a window of `extent` pixels lies.
int DrawImageSide(Random& random, int extent, bool same, int64_t left) {
  const int more = DrawSize(random, static_cast<int32_t>(std::clamp<int64_t>(left, 1, 300))) - 1;
  return (same ? 1 : extent) + more;
}

}  // namespace

Convolution DrawWindow(Random& random, const WindowDraw& draw) {
  Convolution c;
  const Side down = DrawSide(random, draw.has_dilation);
  const Side across = random.OneIn(3) ? DrawSide(random, draw.has_dilation) : down;
  c.filter_height = down.filter;
  c.stride = down.stride;
  c.dilation = down.dilation;
  c.filter_width = across.filter;
  c.stride_across = across.stride;
  c.dilation_across = across.dilation;
  c.same = !random.OneIn(2);
  c.batches = random.OneIn(5) ? random.Int(1, 4) : 1;
  int64_t left = DrawBudget(random, 1 << 14) / (int64_t{c.filter_height} * c.filter_width * c.batches);
  const auto take = [&left](int size) {
    left = std::max<int64_t>(left / size, 1);
    return size;
  };
  const auto most = [&left] { return static_cast<int32_t>(std::clamp<int64_t>(left, 1, 1024)); };
  // Either the image or the channels are large, not both.
  const bool image_first = random.OneIn(2);
  const auto draw_image = [&] {
    c.height = take(DrawImageSide(random, (c.filter_height - 1) * c.dilation + 1, c.same, left));
    c.width = take(DrawImageSide(random, (c.filter_width - 1) * c.DilationAcross() + 1, c.same, left));
  };
  if (image_first) draw_image();
  c.in_channels = take(DrawSize(random, most()));
  if (draw.is_depthwise) {
    c.out_channels = c.in_channels * take(random.OneIn(3) ? random.Int(1, 8) : 1);
  } else if (draw.is_pool) {
    c.out_channels = c.in_channels;
  } else {
    c.out_channels = take(DrawSize(random, most()));
    if (draw.has_groups && random.OneIn(4)) {
      // The number of groups divides the input's channels and the output's.
      std::vector<int> divisors;
      for (int d = 1; d <= c.in_channels; ++d) {
        if (c.in_channels % d == 0) divisors.push_back(d);
      }
      c.groups = random.Pick(divisors);
      c.out_channels = c.groups * std::max(1, c.out_channels / c.groups);
    }
  }
  if (!image_first) draw_image();
  return c;
}

void DrawLayer(Random& random, int depth, bool channels_last, Products* p, int channels) {
  const bool per_channel = channels > 1 && !random.OneIn(3);
  p->least_weight = random.OneIn(8) ? -128 : -127;
  switch (random.Int(0, 7)) {
    case 0:
      SetShift(random, random.Int(-20, 2), random.Int(0, 3), channels, p);
      break;
    case 1:
      SetMultiplier(random, random.Int(-30, 2), random.OneIn(2), channels, p);
      break;
    case 2:
      SetTies(random, channels, p);
      break;
    case 3:
      SetSumEnds(random, depth, channels, channels_last, random.OneIn(2), p);
      return;
    case 4:  // Any scales; channels' scales may differ widely.
      p->in_scale = random.Scale(-20, 6);
      p->filter_scales.clear();
      for (int i = 0; i < (per_channel ? channels : 1); ++i) p->filter_scales.push_back(random.Scale(-24, 0));
      p->out_scale = p->in_scale * p->filter_scales[0] * random.Scale(-2, 30);
      break;
    default:
      SetScales(random, depth, per_channel ? channels : 1, p);
      break;
  }
  p->in_zero = random.ZeroPoint();
  p->out_zero = random.ZeroPoint();
  p->values = DrawValues(random);
  p->weights = DrawValues(random);
  p->activation = static_cast<int8_t>(random.OneIn(2) ? random.Int(0, 3) : 0);
  p->has_bias = !random.OneIn(4);
  p->largest_bias = random.OneIn(3) ? 1 << random.Int(0, 30) : 2000;
}

// ---- Two operands

Case DrawElementwiseCase(Random& random, const ElementwiseOp& op) {
  TwoOperands t;
  const auto kind = static_cast<Scales>(random.Int(0, kScaleKinds - 1));
  op.draw_scales(random, kind, random.OneIn(4) ? random.Int(0, 14) : 2, &t);
  if (op.sharpen != nullptr && random.OneIn(4)) op.sharpen(random, &t);
  DrawZeroPoints(random, &t);
  const BroadcastPair shapes = DrawBroadcastPair(random, DrawBudget(random, 512));
  t.a = shapes.a;
  t.b = shapes.b;
  t.a_values = DrawValues(random);
  t.b_values = DrawValues(random);
  const int constant = random.Int(0, 5);
  t.a_constant = constant == 4;
  t.b_constant = constant == 5;
  // A quotient of a tensor with itself is outside of the specified range.
  t.twice = !op.is_division && !t.a_constant && !t.b_constant && random.OneIn(10);
  if (op.has_activation && random.OneIn(3)) t.activation = static_cast<int8_t>(random.Int(0, 3));
  const size_t rank = std::max(t.a.size(), t.b.size());
  return BeyondIf(rank > 4, MakeElementwise(random, op, t));
}

}  // namespace lutra::conformance

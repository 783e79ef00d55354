// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR resize images.
//
//   position = i * in / out, or with aligned corners i * (in - 1) / (out - 1), or with half pixels
//   (i + 1/2) * in / out - 1/2; bilinear: in 1/1024, the weighted sum of four codes rounded once

#include <algorithm>
#include <cmath>

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/operators.h"
#include "conformance/oracle/windows.h"

namespace lutra::conformance::oracle {
namespace {

// X-RESIZE computes positions in float32, and weights in 1/2048.
constexpr ArithmeticRule kResizeXnnpack = {"X-RESIZE", Method::kXnnpack, Rounding::kDouble,
                                           ScalePrecision::kFloat};

// O-NEAREST computes positions in 1/65536.
constexpr ArithmeticRule kNearestOptimized = {"O-NEAREST", Method::kOptimized};

struct Mode {
  bool align_corners, half_pixel_centers;
};

// Returns the step in the input for a step in the output.
float RatioOf(int in, int out, Mode mode) {
  const bool align = mode.align_corners && out > 1;
  return static_cast<float>(align ? in - 1 : in) / static_cast<float>(align ? out - 1 : out);
}

// The two positions of an input axis from which an output position is interpolated.
struct Tap {
  int low, high;
  int64_t weight;  // The weight of `high`, of 2^bits.
};

Tap FixedPointTap(int i, int in, int out, Mode mode) {
  constexpr int kOne = 1 << 10;
  const bool align = mode.align_corners && out > 1;
  const int steps = align ? out - 1 : out;
  const int scale = (kOne * (align ? in - 1 : in) + steps / 2) / steps;
  const int position = i * scale + (mode.half_pixel_centers ? scale / 2 - kOne / 2 : 0);
  // Divisions go towards zero. Before the first code both positions are 0 and the weight does not matter.
  const int low = std::max(position / kOne, 0);
  return {low, std::min((position + kOne - 1) / kOne, in - 1), position - kOne * low};
}

Tap XnnpackTap(int i, int in, int out, Mode mode) {
  const float ratio = RatioOf(in, out, mode);
  float position = static_cast<float>(i) * ratio;
  if (mode.half_pixel_centers) position = std::max(position + (0.5f * ratio - 0.5f), 0.0f);
  position = std::min(position, static_cast<float>(in - 1));
  const int low = static_cast<int>(position);
  return {low, std::min(low + 1, in - 1), RoundEven(2048.0f * (position - static_cast<float>(low)))};
}

struct Images {
  Image in, out;
};

Images ImagesOf(const Node& node) {
  const Image in = ImageOf(node, node.input(0)), out = ImageOf(node, node.output(0));
  if (in.batches != out.batches || in.channels != out.channels) {
    node.Refuse("input and output differ in batches or channels");
  }
  if (in.height == 0 || in.width == 0) node.Refuse("an image of no pixels");
  return {in, out};
}

Images Int8ImagesOf(const Node& node) {
  if (node.input(0).type != kInt8) node.Refuse("only int8 is specified");
  return ImagesOf(node);
}

void EvalResizeBilinear(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsResizeBilinearOptions());
  const Mode mode = {options.align_corners, options.half_pixel_centers};
  if (mode.align_corners && mode.half_pixel_centers) node.Refuse("aligned corners and half pixels");
  const auto [in, out] = Int8ImagesOf(node);
  const bool xnnpack = rule.method == Method::kXnnpack;
  const int weight_bits = xnnpack ? 11 : 10;
  const auto tap_at = xnnpack ? XnnpackTap : FixedPointTap;
  const Codes codes = node.Get(0);
  node.Put(0, ElementsOf(out, [&, in = in, out = out](int b, int y, int x, int c) {
             const Tap row = tap_at(y, in.height, out.height, mode),
                       column = tap_at(x, in.width, out.width, mode);
             // The reference kernel reads behind the image at large magnifications.
             if (row.low >= in.height || column.low >= in.width) node.Refuse("a position behind the image");
             const auto at = [&](int iy, int ix) { return codes[in.At(b, iy, ix, c)]; };
             const auto mix = [&](int64_t low, int64_t high, int64_t weight) {
               return low * ((int64_t{1} << weight_bits) - weight) + high * weight;
             };
             const int64_t sum =
                 mix(mix(at(row.low, column.low), at(row.low, column.high), column.weight),
                     mix(at(row.high, column.low), at(row.high, column.high), column.weight), row.weight);
             const int total = 2 * weight_bits;
             if (xnnpack || rule.rounding == Rounding::kSingle)
               return (sum + (int64_t{1} << (total - 1))) >> total;
             return DivideByPowerOfTwo(sum, total);
           }));
}

int NearestPosition(int i, int in, int out, Mode mode) {
  const float position =
      (static_cast<float>(i) + (mode.half_pixel_centers ? 0.5f : 0.0f)) * RatioOf(in, out, mode);
  return std::min(static_cast<int>(mode.align_corners ? std::round(position) : std::floor(position)), in - 1);
}

int OptimizedNearestPosition(int i, int in, int out) {
  const int64_t step = (int64_t{in} << 16) / out + 1;
  return static_cast<int>(std::min<int64_t>((i * step) >> 16, in - 1));
}

void EvalResizeNearestNeighbor(const Node& node, const ArithmeticRule& rule) {
  const auto& options = OptionsOf(node.op().builtin_options.AsResizeNearestNeighborOptions());
  const Mode mode = {options.align_corners, options.half_pixel_centers};
  const auto [in, out] = Int8ImagesOf(node);
  const bool optimized = rule.method == Method::kOptimized && !mode.align_corners && !mode.half_pixel_centers;
  const auto position = [&](int i, int from, int to) {
    return optimized ? OptimizedNearestPosition(i, from, to) : NearestPosition(i, from, to, mode);
  };
  const Codes codes = node.Get(0);
  node.Put(0, ElementsOf(out, [&, in = in, out = out](int b, int y, int x, int c) {
             const int iy = position(y, in.height, out.height), ix = position(x, in.width, out.width);
             return codes[in.At(b, iy, ix, c)];
           }));
}

// The two positions of an axis, computed in float32, and the weight of the second.
struct FloatTap {
  int low, high;
  float weight;
};

FloatTap FloatTapOf(int i, int in, int out, Mode mode) {
  const float ratio = RatioOf(in, out, mode);
  const auto place = static_cast<float>(i);
  const float position = mode.half_pixel_centers ? (place + 0.5f) * ratio - 0.5f : place * ratio;
  const int low = std::max(static_cast<int>(std::floor(position)), 0);
  return {low, std::min(static_cast<int>(std::ceil(position)), in - 1), position - static_cast<float>(low)};
}

constexpr Operator kResizeRows[] = {
    {BuiltinOperator::RESIZE_BILINEAR, {"xp", "x"}, {kDr, kSr, kResizeXnnpack}, EvalResizeBilinear},
    {BuiltinOperator::RESIZE_NEAREST_NEIGHBOR,
     {"xp", "x"},
     {kExact, kNearestOptimized},
     EvalResizeNearestNeighbor},
};

}  // namespace

void PutResizedInFloat(const Node& node) {
  const auto& options = OptionsOf(node.op().builtin_options.AsResizeBilinearOptions());
  const Mode mode = {options.align_corners, options.half_pixel_centers};
  const auto [in, out] = ImagesOf(node);
  const Codes codes = node.Get(0);
  node.Put(0, ElementsOf(out, [&, in = in, out = out](int b, int y, int x, int c) {
             const FloatTap row = FloatTapOf(y, in.height, out.height, mode);
             const FloatTap column = FloatTapOf(x, in.width, out.width, mode);
             const auto part = [&](int iy, int ix, float of_row, float of_column) {
               const float code = static_cast<float>(codes[in.At(b, iy, ix, c)]) * of_row;
               return code * of_column;
             };
             float mean = part(row.low, column.low, 1 - row.weight, 1 - column.weight);
             mean += part(row.high, column.low, row.weight, 1 - column.weight);
             mean += part(row.low, column.high, 1 - row.weight, column.weight);
             mean += part(row.high, column.high, row.weight, column.weight);
             return static_cast<int64_t>(mean + 0.5f);
           }));
}

const OperatorFamily kResizeOperators = kResizeRows;

}  // namespace lutra::conformance::oracle

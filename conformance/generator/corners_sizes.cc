// SPDX-License-Identifier: Apache-2.0
// Corner cases of sizes: sums beyond 16 bits, rows and windows larger than a strip of scratch, blocks of rows
// that end early.

#include "conformance/generator/corners.h"
#include "conformance/generator/windows.h"

namespace lutra::conformance {
namespace {

// Adds a case that is too large for the smoke set.
void AddLarge(Corners* corners, const std::string& what, Case test) {
  test.smoke = Smoke::kNever;
  corners->Add(what, std::move(test));
}

void SetLayerScales(Random& random, int products, Convolution* c) {
  SetScales(random, products, 1, c);
  c->in_zero = random.ZeroPoint();
  c->out_zero = random.Between(-40, 40);
}

// No strip of 16 KB holds these images, so that several calls make the rows, and the last one has fewer.
constexpr SmokeLayer kImages[] = {
    {.layer = {37, 33, 17, 5, 3, 3, 1}},
    {.layer = {41, 29, 19, 4, 5, 3, 2}},
    {.layer = {35, 31, 16, 3, 3, 3, 1}, .dilation = 3},
    {.layer = {39, 35, 18, 6, 3, 1, 1}, .groups = 2},
    {.layer = {43, 27, 16, 4, 2, 2, 3}, .same = false},
    // One window alone exceeds the strip.
    {.layer = {9, 33, 67, 2, 9, 3, 1}},
    {.layer = {11, 9, 131, 2, 11, 9, 1}, .same = false},
};

Convolution LayerOf(const SmokeLayer& row, Random& random) {
  Convolution c;
  SetSmokeLayer(random, row, &c);
  return c;
}

}  // namespace

void MeanOfEqualCodes(Corners* corners) {
  for (const int32_t count : {257, 258, 300, 1025}) {
    for (const uint8_t code : {uint8_t{127}, uint8_t{0x80}}) {
      ModelMaker maker;
      const int x = maker.Input({.shape = {1, count, 1, 3}, .scale = 0.5f, .zero_point = 3});
      const int axes = maker.Int32Constant({1, 2}, {2});
      const int y = maker.Output({.shape = {1, 3}, .scale = 0.625f, .zero_point = -2});
      maker.Op<edit::ReducerOptionsT>("MEAN", {x, axes}, {y});
      corners->Add("equal_codes", maker, {oracle::Bytes(size_t{3} * static_cast<size_t>(count), code)});
    }
  }
}

void LargeConv2D(Corners* corners) {
  for (const SmokeLayer& row : kImages) {
    Convolution c = LayerOf(row, corners->random);
    SetLayerScales(corners->random, c.filter_height * c.filter_width * c.in_channels / c.groups, &c);
    AddLarge(corners, "strip", MakeConv2D(corners->random, c));
  }
}

void LargeDepthwiseConv2D(Corners* corners) {
  for (const SmokeLayer& row : kImages) {
    Convolution c = LayerOf(row, corners->random);
    c.groups = 1;
    c.out_channels = c.in_channels;
    SetLayerScales(corners->random, c.filter_height * c.filter_width, &c);
    AddLarge(corners, "strip", MakeDepthwiseConv2D(corners->random, c));
  }
}

void LargePool(Corners* corners, const char* op) {
  for (const SmokeLayer& row : kImages) {
    if (row.dilation > 1 || row.groups > 1) continue;
    AddLarge(corners, "strip", MakePool(corners->random, op, LayerOf(row, corners->random)));
  }
}

}  // namespace lutra::conformance

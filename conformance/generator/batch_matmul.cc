// SPDX-License-Identifier: Apache-2.0
// Cases of BATCH_MATMUL: matrices stored either way, broadcast, and sums next to points at which the code
// changes.

#include "conformance/generator/draw.h"
#include "conformance/generator/int16.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

struct BatchMatmul {
  oracle::Shape outer_a = {}, outer_b = {};  // Dimensions before the matrices, which broadcast.
  int rows = 3, depth = 5, columns = 4;
  bool adj_a = false, adj_b = false;  // The matrix is stored as [column, row].
  bool constant_b = false;
  int8_t type = oracle::kInt8;
  float scale_a = 0.5f, scale_b = 0.5f, out_scale = 0.5f;
  int64_t zero_a = 0, zero_b = 0, out_zero = 0;
  Values values = Values::kRandom;
  oracle::Bytes a, b;  // If empty, drawn by `values`.
};

oracle::Shape ShapeOf(const oracle::Shape& outer, int rows, int columns, bool adjoint) {
  oracle::Shape shape = outer;
  shape.push_back(adjoint ? columns : rows);
  shape.push_back(adjoint ? rows : columns);
  return shape;
}

Case Make(Random& random, const BatchMatmul& c) {
  ModelMaker maker;
  const oracle::Shape shape_a = ShapeOf(c.outer_a, c.rows, c.depth, c.adj_a);
  const oracle::Shape shape_b = ShapeOf(c.outer_b, c.depth, c.columns, c.adj_b);
  const auto codes = [&](const oracle::Bytes& given, const oracle::Shape& shape, int64_t zero) {
    return given.empty() ? MakeCodes(random, oracle::ElementCount(shape), c.values, zero) : given;
  };
  const MadeTensor tensor_a = {.shape = shape_a, .type = c.type, .scale = c.scale_a, .zero_point = c.zero_a};
  const MadeTensor tensor_b = {.shape = shape_b, .type = c.type, .scale = c.scale_b, .zero_point = c.zero_b};
  const int a = maker.Operand(tensor_a, codes(c.a, shape_a, c.zero_a));
  const int b = maker.Operand(tensor_b, codes(c.b, shape_b, c.zero_b), c.constant_b);
  const oracle::Shape outer = BroadcastShape(c.outer_a, c.outer_b);
  const int y = maker.Output({.shape = ShapeOf(outer, c.rows, c.columns, false),
                              .type = c.type,
                              .scale = c.out_scale,
                              .zero_point = c.out_zero});
  maker.Op<edit::BatchMatMulOptionsT>("BATCH_MATMUL", {a, b}, {y}, [&](auto& options) {
    options.adj_x = c.adj_a;
    options.adj_y = c.adj_b;
  });
  return maker.Made();
}

// Sets scales with which sums fill the range of the output.
void SetScales(Random& random, BatchMatmul* c) {
  c->scale_a = random.Scale(-7, -2);
  c->scale_b = random.Scale(-7, -2);
  const int magnitude = 8 + std::ilogb(static_cast<double>(c->depth)) / 2;
  c->out_scale = c->scale_a * c->scale_b * std::ldexp(1.0f, magnitude - (random.OneIn(4) ? 3 : 0));
  c->zero_a = random.ZeroPoint();
  c->zero_b = random.ZeroPoint();
  c->out_zero = random.ZeroPoint();
}

// Makes few and small products, scaled by about 2^exponent.
BatchMatmul SmallSums(Random& random, int exponent) {
  BatchMatmul c;
  c.depth = 2;
  c.rows = 5;
  c.columns = 7;
  c.scale_a = random.OneIn(2) ? std::ldexp(1.0f, exponent) : random.Scale(exponent, exponent);
  c.scale_b = c.out_scale = 1.0f;
  c.zero_a = random.Between(-100, 100);
  c.zero_b = random.Between(-100, 100);
  c.out_zero = random.Between(-20, 20);
  c.values = Values::kNearZeroPoint;
  return c;
}

// The row of a is 255 but for a last 1, so that columns of b can give any sum up to 2 million: here the sums
// next to the points at which the code changes. They show how exactly scales are combined.
BatchMatmul NearHalves(Random& random) {
  BatchMatmul c;
  c.rows = 1;
  c.depth = 64;
  c.columns = 16;
  c.scale_a = random.Scale(-7, -7);
  c.scale_b = random.Scale(-7, -7);
  c.out_scale = 1.0f;
  c.zero_a = -128;
  c.a.assign(64, 127);
  c.a.back() = static_cast<uint8_t>(-127);
  c.b.resize(64 * 16);
  const double multiplier = double{c.scale_a} * double{c.scale_b} / double{c.out_scale};
  // Double rounding first rounds the high half of a product, before the shift.
  const double first_rounding = std::ldexp(1.0, std::ilogb(multiplier));
  for (size_t column = 0; column < 16; ++column) {
    // The closer the point is to an integer, the likelier is it that a rounded product of scales moves it
    // past that.
    int64_t sum = 0;
    double closest = 1;
    for (int i = 0; i < 24; ++i) {
      const double half = static_cast<double>(random.Between(-119, 118)) + 0.5;
      const double point = (half - std::copysign(first_rounding, half)) / multiplier;
      const int64_t nearest = oracle::RoundAway(point);
      const double distance = std::abs(point - static_cast<double>(nearest));
      if (distance >= closest) continue;
      closest = distance;
      sum = nearest;
    }
    int64_t rest = oracle::RoundAway(static_cast<double>(sum) / 255);
    c.b[63 * 16 + column] = static_cast<uint8_t>(sum - 255 * rest);
    for (size_t row = 0; row < 63; ++row) {
      const int64_t code = oracle::Clamp(rest, -128, 127);
      c.b[row * 16 + column] = static_cast<uint8_t>(code);
      rest -= code;
    }
  }
  return c;
}

// Every way to store and to broadcast matrices, and sizes near those of blocks.
struct Layout {
  std::string what;
  BatchMatmul matmul;
};
std::vector<Layout> Layouts() {
  std::vector<Layout> layouts;
  for (const bool adj_a : {false, true}) {
    for (const bool adj_b : {false, true}) {
      for (const oracle::Shape& outer : {oracle::Shape{}, oracle::Shape{2}, oracle::Shape{2, 3}}) {
        layouts.push_back({std::string("adjoint.") + (adj_a ? "a" : "") + (adj_b ? "b" : "") +
                               (adj_a || adj_b ? "" : "none"),
                           {.outer_a = outer, .outer_b = outer, .adj_a = adj_a, .adj_b = adj_b}});
      }
    }
  }
  struct Outer {
    oracle::Shape a, b;
  };
  const std::vector<Outer> broadcasts = {{{1}, {3}},    {{3}, {1}},   {{2, 1}, {1, 3}}, {{1, 3}, {2, 1}},
                                         {{3}, {2, 1}}, {{2, 3}, {}}, {{}, {2, 2}}};
  for (const Outer& outer : broadcasts) {
    layouts.push_back({"broadcast", {.outer_a = outer.a, .outer_b = outer.b}});
  }
  for (const int size : {1, 7, 8, 9, 15, 16, 17, 31, 33}) {
    layouts.push_back(
        {"size", {.rows = size % 5 + 1, .depth = size, .columns = size % 7 + 2, .adj_b = size % 2 == 0}});
  }
  return layouts;
}

void GenerateBatchMatmul(Series& series) {
  Random& random = series.random;
  for (Layout& layout : Layouts()) {
    SetScales(random, &layout.matmul);
    series.Add(layout.what, Make(random, layout.matmul));
  }
  for (int kind = 0; kind < kValueKinds; ++kind) {
    BatchMatmul c;
    c.values = static_cast<Values>(kind);
    c.constant_b = kind % 2 == 0;
    SetScales(random, &c);
    c.zero_a = kind % 2 == 0 ? -128 : 127;
    c.zero_b = kind % 3 == 0 ? 127 : -128;
    c.out_scale *= 8;
    c.out_zero = random.Between(-20, 20);
    series.Add("zero_point", Make(random, c), {ToString(c.values)});
  }
  for (int exponent = -4; exponent <= 3; ++exponent) {
    series.Add("shift", Make(random, SmallSums(random, exponent)), {"tie"});
  }
  series.AddSeparators(
      10, 400, [](Random& r) { return Make(r, r.OneIn(4) ? SmallSums(r, r.Int(-4, -1)) : NearHalves(r)); });
}

// ---- Real sizes

// At most one zero point is far from 0: with two, long sums would leave the range of the output.
Case MakeBalanced(Random& random, BatchMatmul c) {
  SetScales(random, &c);
  const int64_t near = random.Between(-3, 3);
  (random.OneIn(2) ? c.zero_a : c.zero_b) = near;
  c.out_zero = random.Between(-40, 40);
  return Make(random, c);
}
Case MakeRealMatmul(Random& random, BatchMatmul c) {
  c.adj_a = random.OneIn(2);
  c.adj_b = random.OneIn(2);
  return MakeBalanced(random, c);
}

void GenerateRealBatchMatmul(RealSizes& series) {
  Random& random = series.random;
  const auto fits = [](const SizeList& s) { return Product(s) <= 1'100'000; };
  for (const SizeList& s : PairedSizes({{1, 128}, {4, 1024}, {4, 1024}}, fits)) {
    series.Add("dims", MakeRealMatmul(random, {.rows = s[0], .depth = s[1], .columns = s[2]}));
  }
  // These are heads of transformers, and every way to broadcast three dimensions.
  series.Add(
      "network",
      MakeRealMatmul(random, {.outer_a = {1, 4}, .outer_b = {1, 4}, .rows = 49, .depth = 32, .columns = 49}));
  series.Add(
      "network",
      MakeRealMatmul(random, {.outer_a = {1, 3}, .outer_b = {1, 3}, .rows = 65, .depth = 65, .columns = 64}));
  for (unsigned mask = 0; mask < 8; ++mask) {
    BatchMatmul c = {.rows = 3, .depth = 17, .columns = 5};
    c.outer_a = c.outer_b = {2, 5, 3};
    for (size_t i = 0; i < 3; ++i) ((mask >> i & 1) != 0 ? c.outer_a : c.outer_b)[i] = 1;
    series.Add("rank5", MakeRealMatmul(random, c));
  }
  // The matrices have more elements than 16 bits count; the second of a batch follows them.
  Series far = series.Part("far.");
  const SizeList matrices[] = {{263, 257, 3}, {3, 263, 257}, {259, 5, 261}, {131, 2, 257}};
  for (const SizeList& s : matrices) {
    for (const bool both : {true, false}) {
      BatchMatmul c = {.outer_a = {2}, .outer_b = {2}, .rows = s[0], .depth = s[1], .columns = s[2]};
      if (!both) c.outer_b = {1};
      far.Add("matrix", MakeRealMatmul(far.random, c));
    }
  }
  // Products take their extreme values: one operand is constant, the other changes its sign half way.
  for (const int depth : {70, 1030}) {
    BatchMatmul c = {.rows = 2, .depth = depth, .columns = 9};
    c.zero_a = -128;
    c.a.assign(static_cast<size_t>(2 * depth), 127);
    c.zero_b = -1;
    c.b.assign(static_cast<size_t>(9 * depth), 127);
    for (size_t i = c.b.size() / 2 + 5; i < c.b.size(); ++i) c.b[i] = 0x80;
    c.scale_a = c.scale_b = 0x1p-5f;
    c.out_scale = 0x1.3p6f;
    series.AddSmoke("sum_ends", Make(random, c));
  }
  series.AddSmoke("smoke", Make(random, {.outer_a = {1, 2, 1},
                                         .outer_b = {2, 1, 3},
                                         .rows = 3,
                                         .depth = 135,
                                         .columns = 7,
                                         .scale_a = 0.02f,
                                         .scale_b = 0.02f,
                                         .zero_a = 3,
                                         .zero_b = -5}));
  series.AddSmoke("smoke", MakeBalanced(random, {.rows = 67, .depth = 5, .columns = 3}));
  for (int adjoint = 0; adjoint < 4; ++adjoint) {
    BatchMatmul c = {.rows = 3, .depth = adjoint < 2 ? 261 : 17, .columns = adjoint < 2 ? 6 : 137};
    c.adj_a = adjoint % 2 == 1;
    c.adj_b = adjoint == 1 || adjoint == 2;
    c.outer_a = c.outer_b = {2};
    series.AddSmoke("smoke", MakeBalanced(random, c));
  }
  // Rows remain after the last whole block of rows.
  for (int rows = 49; rows <= 54; ++rows) {
    BatchMatmul c = {.rows = rows, .depth = 21, .columns = 17};
    c.adj_a = rows % 2 == 0;
    c.adj_b = rows % 3 == 0;
    series.Add("rows", MakeBalanced(random, c));
  }
}

// Draws the sizes of matrices, their numbers, and how they are stored.
BatchMatmul DrawLayout(Random& random) {
  BatchMatmul c;
  const BroadcastPair outer = DrawBroadcastPair(random, 6);
  if (random.OneIn(2)) {
    c.outer_a = outer.a;
    c.outer_b = outer.b;
  }
  int64_t left = DrawBudget(random, 1 << 13);
  const auto size = [&] {
    const int32_t drawn = DrawSize(random, static_cast<int32_t>(std::min<int64_t>(left, 1100)));
    left = std::max<int64_t>(left / drawn, 1);
    return drawn;
  };
  const std::vector<int32_t> order = DrawOrder(random, 3);
  for (const int32_t which : order) (which == 0 ? c.rows : which == 1 ? c.depth : c.columns) = size();
  c.adj_a = random.OneIn(3);
  c.adj_b = random.OneIn(2);
  c.constant_b = random.OneIn(3);
  return c;
}

// Returns whether TensorFlow Lite Micro lacks the case, as it has four dimensions.
bool IsBeyond(const BatchMatmul& c) { return std::max(c.outer_a.size(), c.outer_b.size()) > 2; }

Case DrawBatchMatmul(Random& random) {
  BatchMatmul c = DrawLayout(random);
  SetScales(random, &c);
  if (random.OneIn(4)) c.out_scale = c.scale_a * c.scale_b * random.Scale(-4, 24);
  c.values = DrawValues(random);
  return BeyondIf(IsBeyond(c), Make(random, c));
}

// ---- Of int16, without zero points.

Case MakeInt16(Random& random, BatchMatmul c) {
  c.type = oracle::kInt16;
  c.scale_a = random.Scale(-14, -8);
  c.scale_b = random.Scale(-14, -8);
  const int magnitude = 14 + std::ilogb(static_cast<double>(c.depth)) / 2;
  c.out_scale = c.scale_a * c.scale_b * random.Scale(magnitude - 5, magnitude + 1);
  c.a = Int16Codes(random, ShapeOf(c.outer_a, c.rows, c.depth, c.adj_a));
  c.b = Int16Codes(random, ShapeOf(c.outer_b, c.depth, c.columns, c.adj_b));
  return Make(random, c);
}

CaseFamily Int16BatchMatmulFamily() {
  return Int16Family(
      "BATCH_MATMUL.int16",
      [](Series& series) {
        for (const Layout& layout : Layouts()) {
          series.Add(layout.what, MakeInt16(series.random, layout.matmul));
        }
      },
      [](RealSizes& sizes) {
        sizes.Add("network",
                  MakeInt16(sizes.random,
                            {.outer_a = {1, 3}, .outer_b = {1, 3}, .rows = 17, .depth = 65, .columns = 33}));
      },
      [](Random& random) {
        const BatchMatmul c = DrawLayout(random);
        return BeyondIf(IsBeyond(c), WithDrawnCodes(random, MakeInt16(random, c)));
      });
}

}  // namespace

extern const CaseFamilies kBatchMatmulInt16Cases = {Int16BatchMatmulFamily()};

extern const CaseFamilies kBatchMatmulCases = {
    Family("BATCH_MATMUL", GenerateBatchMatmul, GenerateRealBatchMatmul, DrawBatchMatmul),
};

}  // namespace lutra::conformance

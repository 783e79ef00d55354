// SPDX-License-Identifier: Apache-2.0
// The plan of cases that all operators of two operands follow.

#include "conformance/generator/two_operands.h"

#include <algorithm>

#include "conformance/generator/moves.h"

namespace lutra::conformance {
namespace {

// Replaces codes that equal the zero point.
void AvoidCode(int64_t zero_point, oracle::Bytes* codes) {
  const auto zero = static_cast<uint8_t>(zero_point);
  const auto next = static_cast<uint8_t>(zero_point == 127 ? 126 : zero_point + 1);
  std::replace(codes->begin(), codes->end(), zero, next);
}

// Makes the cases of one operator and names them.
class Plan {
 public:
  Plan(const ElementwiseOp& op, Series& series) : op_(op), series_(series) {}

  Random& random() { return series_.random; }
  bool large() const { return op_.is_large; }

  // Random scales, zero points, values and activation.
  TwoOperands Draw(Scales kind, int reach = 2) {
    TwoOperands t;
    op_.draw_scales(random(), kind, reach, &t);
    DrawZeroPoints(random(), &t);
    t.a_values = random().OneIn(3) ? AnyValues() : Values::kRandom;
    t.b_values = random().OneIn(3) ? AnyValues() : Values::kRandom;
    // Few values, so that some are equal.
    if (op_.gives_bool && random().OneIn(2)) t.a_values = t.b_values = Values::kNearZeroPoint;
    if (op_.has_activation && random().OneIn(4)) t.activation = static_cast<int8_t>(random().Between(1, 3));
    return t;
  }
  TwoOperands Draw() { return Draw(AnyScales()); }
  Values AnyValues() { return static_cast<Values>(random().Between(0, kValueKinds - 1)); }
  Scales AnyScales() { return static_cast<Scales>(random().Between(0, kScaleKinds - 1)); }

  void Add(const std::string& what, const TwoOperands& operands, std::vector<std::string> tags = {}) {
    series_.Add(what, MakeElementwise(random(), op_, operands), std::move(tags));
  }

 private:
  const ElementwiseOp& op_;
  Series& series_;
};

void AddSameShapes(Plan& plan) {
  std::vector<oracle::Shape> shapes = {{}, {1}, {15}, {16}, {17}, {33}, {1, 1, 1, 1}, {2, 3, 5, 7}};
  if (plan.large()) {
    for (const int channels : {2, 3, 4, 7, 8, 9, 31, 32, 47, 63, 64, 65, 130}) shapes.push_back({channels});
    for (const int channels : {1, 3, 4, 8, 15, 16, 17, 31, 33}) {
      shapes.push_back({plan.random().Int(1, 3), 3, 5, channels});
    }
    shapes.insert(shapes.end(), {{5, 3}, {3, 1, 7}});
  }
  for (const oracle::Shape& shape : shapes) {
    TwoOperands t = plan.Draw();
    t.a = t.b = shape;
    plan.Add("same", t);
  }
}

void AddBroadcasts(Plan& plan) {
  // No two dimensions are equal, so that a wrong order shows; the last fills blocks of 16 or does not.
  const auto full = [&] {
    return oracle::Shape{2, 3, 4, plan.random().Pick(std::vector<int>{5, 7, 8, 16, 17, 19})};
  };
  const auto add = [&](bool second, const oracle::Shape& shape, const oracle::Shape& repeated) {
    TwoOperands t = plan.Draw();
    t.a = second ? shape : repeated;
    t.b = second ? repeated : shape;
    plan.Add(second ? "broadcast.second" : "broadcast.first", t);
  };
  for (const bool second : {true, false}) {
    for (unsigned mask = 0; mask < 16; ++mask) {
      // Small families have each pattern on one side.
      if (!plan.large() && (mask % 2 == 0) != second) continue;
      const oracle::Shape shape = full();
      add(second, shape, WithOnes(shape, mask));
    }
    for (int rank = second || plan.large() ? 0 : 3; rank < 4; ++rank) {
      const oracle::Shape shape = full();
      add(second, shape, {shape.end() - rank, shape.end()});
    }
  }
  for (unsigned mask = 1; mask < 15; mask += plan.large() ? 1 : 5) {
    const oracle::Shape shape = full();
    TwoOperands t = plan.Draw();
    t.a = WithOnes(shape, mask);
    t.b = WithOnes(shape, 15 - mask);
    if (mask % 2 == 0 && t.b[0] == 1) t.b.erase(t.b.begin());
    plan.Add("broadcast.both", t);
  }
}

void AddConstantsAndTwice(Plan& plan) {
  for (int i = 0; i < (plan.large() ? 16 : 3); ++i) {
    TwoOperands t = plan.Draw();
    t.a_constant = i % 2 == 1;
    t.b_constant = !t.a_constant;
    t.a = t.b = {1, 3, 3, plan.random().Int(1, 20)};
    if (i % 4 >= 2) (t.a_constant ? t.a : t.b) = {t.a[3]};
    if (i % 8 >= 6) (t.a_constant ? t.a : t.b) = {};
    plan.Add(t.a_constant ? "constant.first" : "constant.second", t);
  }
  for (int i = 0; i < (plan.large() ? 8 : 2); ++i) {
    TwoOperands t = plan.Draw();
    t.twice = true;
    t.a = {2, plan.random().Int(1, 40)};
    plan.Add("twice", t);
  }
}

void AddZeroPoints(Plan& plan) {
  const std::vector<int64_t> extremes = {-128, -127, -1, 0, 1, 126, 127};
  for (const int64_t zero : extremes) {
    for (int kind = 0; kind < (plan.large() ? kValueKinds : 1); ++kind) {
      TwoOperands t = plan.Draw();
      t.a = t.b = {1, 5, 9};
      t.activation = 0;
      t.a_zero = zero;
      t.b_zero = plan.random().Pick(extremes);
      t.out_zero = plan.random().Pick(extremes);
      if (plan.large()) t.a_values = static_cast<Values>(kind);
      plan.Add("zero_point", t, {ToString(t.a_values)});
    }
  }
}

void AddScales(Plan& plan) {
  for (int kind = 0; kind < kScaleKinds; ++kind) {
    for (int i = 0; i < (plan.large() ? 6 : 1); ++i) {
      TwoOperands t = plan.Draw(static_cast<Scales>(kind));
      t.a = t.b = {1, 7, 7};
      plan.Add(std::string("scales.") + ToString(static_cast<Scales>(kind)), t);
    }
  }
  for (int i = 0; i < (plan.large() ? 5 : 1); ++i) {
    TwoOperands t = plan.Draw(Scales::kRandom, 6 + 6 * i);
    plan.Add("scales.apart", t);
  }
}

void AddActivations(Plan& plan) {
  for (int8_t activation = 1; activation <= 3; ++activation) {
    for (int i = 0; i < (plan.large() ? 4 : 1); ++i) {
      TwoOperands t;
      do {
        t = plan.Draw();
      } while (t.out_scale < 1.0f / 64 || t.out_scale > 1.0f / 8);  // Where 1 and 6 are within the codes.
      t.a = t.b = {1, 4, 9};
      t.activation = activation;
      plan.Add("activation" + std::to_string(activation), t);
    }
  }
}

void AddExhaustive(Plan& plan, const ElementwiseOp& op) {
  for (int i = 0; i < op.exhaustive; ++i) {
    TwoOperands t = plan.Draw(static_cast<Scales>((i + 3) % kScaleKinds), 1);
    t.activation = 0;
    if (i % 2 == 0 && !op.same_scales) {
      // Sums and products that are mostly within the codes.
      for (int64_t* zero : {&t.a_zero, &t.b_zero, &t.out_zero}) *zero = plan.random().Between(-30, 30);
    }
    t.a = {256, 1};
    t.b = {1, 256};
    t.a_codes = t.b_codes = EveryCode();
    plan.Add("exhaustive", t);
  }
}

}  // namespace

const char* ToString(Scales kind) {
  constexpr const char* kNames[kScaleKinds] = {"random", "power_of_two", "just_below", "small"};
  return kNames[static_cast<int>(kind)];
}

float DrawScale(Random& random, Scales kind, int exponent) {
  switch (kind) {
    case Scales::kRandom:
      return random.Scale(exponent, exponent);
    case Scales::kPowerOfTwo:
      return std::ldexp(1.0f, exponent);
    case Scales::kJustBelow:
      return std::ldexp(16777215.0f, exponent - 24);
    case Scales::kSmall:
      return std::ldexp(static_cast<float>(random.Between(1, 15)), exponent - 3);
  }
  return 0;
}

void DrawZeroPoints(Random& random, TwoOperands* operands) {
  operands->a_zero = random.ZeroPoint();
  operands->b_zero = random.ZeroPoint();
  operands->out_zero = random.ZeroPoint();
}

oracle::Shape WithOnes(oracle::Shape shape, unsigned mask) {
  for (size_t i = 0; i < shape.size(); ++i) {
    if ((mask >> (shape.size() - 1 - i) & 1u) != 0) shape[i] = 1;
  }
  return shape;
}

oracle::Bytes EveryCode(int repeat) {
  oracle::Bytes codes;
  for (int code = -128; code < 128; ++code) {
    codes.insert(codes.end(), static_cast<size_t>(repeat), static_cast<uint8_t>(code));
  }
  return codes;
}

Case MakeElementwise(Random& random, const ElementwiseOp& op, TwoOperands t) {
  if (t.twice) {
    t.b = t.a;
    t.b_scale = t.a_scale;
    t.b_zero = t.a_zero;
  }
  if (op.same_scales) {
    t.b_scale = t.out_scale = t.a_scale;
    t.b_zero = t.out_zero = t.a_zero;
  }
  ModelMaker maker;
  const auto operand = [&](const MadeTensor& tensor, bool is_constant, Values values, oracle::Bytes codes,
                           bool is_divisor) {
    if (codes.empty()) {
      codes = MakeCodes(random, oracle::ElementCount(tensor.shape), values, tensor.zero_point);
    }
    if (is_divisor) AvoidCode(tensor.zero_point, &codes);
    return maker.Operand(tensor, std::move(codes), is_constant);
  };
  const int a = operand({.shape = t.a, .scale = t.a_scale, .zero_point = t.a_zero}, t.a_constant, t.a_values,
                        t.a_codes, op.is_division && t.twice);
  const int b = t.twice ? a
                        : operand({.shape = t.b, .scale = t.b_scale, .zero_point = t.b_zero}, t.b_constant,
                                  t.b_values, t.b_codes, op.is_division);
  const oracle::Shape shape = BroadcastShape(t.a, t.b);
  const int y = maker.Output(
      op.gives_bool ? MadeTensor{.shape = shape, .type = oracle::kBool}
                    : MadeTensor{.shape = shape, .scale = t.out_scale, .zero_point = t.out_zero});
  op.append(maker, op.name, {a, b}, y, t.activation);
  return maker.Made();
}

BroadcastPair DrawBroadcast(Random& random, int rank, int32_t last) {
  BroadcastPair pair;
  for (int d = 0; d < rank; ++d) {
    const auto dim = d + 1 == rank ? last : random.Int(2, 3);
    const int64_t ones = random.Between(0, 2);
    pair.a.push_back(ones == 1 ? 1 : dim);
    pair.b.push_back(ones == 2 ? 1 : dim);
  }
  return pair;
}

namespace {

// Integers of which some are equal, and others differ in one bit, which may be any of the lowest `used_bits`.
oracle::Bytes OfFewValues(Random& random, int8_t type, int used_bits, int64_t count) {
  const int bits = 8 * oracle::BytesOf(type);
  oracle::Bytes bytes;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t value = random.OneIn(4) ? 0 : uint64_t{1} << random.Between(0, used_bits - 1);
    if (random.OneIn(3)) value = ~value;
    if (type == oracle::kBool) value = random.Next() & 1;
    for (int byte = 0; byte < bits; byte += 8) bytes.push_back(static_cast<uint8_t>(value >> byte));
  }
  return bytes;
}

Case MakeTyped(Random& random, const ElementwiseOp& op, const BroadcastPair& shapes, int8_t type) {
  ModelMaker maker;
  const oracle::Shape result = BroadcastShape(shapes.a, shapes.b);
  const int a = maker.Input({.shape = shapes.a, .type = type}),
            b = maker.Input({.shape = shapes.b, .type = type});
  op.append(maker, op.name, {a, b},
            maker.Output({.shape = result, .type = op.gives_bool ? int8_t{oracle::kBool} : type}), 0);
  Case test = {.model = maker.Finish()};
  for (const oracle::Shape* shape : {&shapes.a, &shapes.b})
    test.inputs.push_back(OfFewValues(random, type,
                                      op.used_bits != 0 ? op.used_bits : 8 * oracle::BytesOf(type),
                                      oracle::ElementCount(*shape)));
  return test;
}

// Adds cases of more elements than 16 bits can count, in one run and in many.
void AddFar(const ElementwiseOp& op, Series series) {
  const BroadcastPair pairs[] = {
      {{66053}, {66053}}, {{2, 33013}, {33013}}, {{1}, {65601}}, {{3, 1, 11003}, {3, 2, 1}}};
  for (const BroadcastPair& pair : pairs) {
    TwoOperands t;
    op.draw_scales(series.random, Scales::kRandom, 1, &t);
    DrawZeroPoints(series.random, &t);
    t.a = pair.a;
    t.b = pair.b;
    series.Add("elements", MakeElementwise(series.random, op, t));
  }
}

}  // namespace

void AddOtherTypes(const ElementwiseOp& op, const std::vector<int8_t>& types, const RealSizes& sizes) {
  Series series = sizes.Part("other_types.");
  Random& random = series.random;
  for (const int8_t type : types) {
    series.Add(TypeGroup(type), Beyond(MakeTyped(random, op, {{7, 67}, {7, 67}}, type)));
    series.Add(TypeGroup(type), Beyond(MakeTyped(random, op, {{3, 261}, {1, 261}}, type)));
    series.Add(TypeGroup(type), Beyond(MakeTyped(random, op, DrawBroadcast(random, 5, 19), type)));
  }
  series.AddSmoke("smoke", Beyond(MakeTyped(random, op, {{5, 1, 19}, {5, 3, 1}}, types.back())));
}

void GenerateRealElementwiseCases(const ElementwiseOp& op, RealSizes& series) {
  Random& random = series.random;
  const auto draw = [&](const oracle::Shape& a, const oracle::Shape& b) {
    TwoOperands t;
    op.draw_scales(random, Scales::kRandom, 2, &t);
    DrawZeroPoints(random, &t);
    if (op.has_activation && random.OneIn(4)) t.activation = static_cast<int8_t>(random.Between(1, 3));
    t.a = a;
    t.b = b;
    t.b_constant = random.OneIn(4);
    return MakeElementwise(random, op, t);
  };
  // Small families have every third size, another third in each way.
  const SizeList counts = AroundPowers(64, 1024);
  for (size_t i = 0; i < counts.size(); ++i) {
    const int32_t count = counts[i];
    if (op.is_large || i % 3 == 0) series.Add("count", draw({count}, {count}));
    if (op.is_large || i % 3 == 1) series.Add("row", draw({3, count}, {count}));
    if (op.is_large || i % 3 == 2) series.Add("column", draw({2, 1}, {2, count}));
  }
  for (int rank = 5; rank <= 6; ++rank) {
    for (int i = 0; i < (op.is_large ? 12 : 4); ++i) {
      const BroadcastPair pair = DrawBroadcast(random, rank, random.Int(2, 17));
      series.Add("rank" + std::to_string(rank), draw(pair.a, pair.b));
    }
  }
  series.AddSmoke("smoke", draw({2, 1, 3, 1, 2, 70}, {1, 3, 3, 2, 1, 70}));
  series.AddSmoke("smoke", draw({2, 3, 1, 2, 19}, {3, 5, 1, 1}));
  series.AddSmoke("smoke", draw({4, 261}, {4, 261}));
  AddFar(op, series.Part("far."));
  if (op.used_bits != 0) AddOtherTypes(op, {oracle::kInt32}, series);
  if (!op.is_large) return;
  // The ends of both operands, whose largest product is 255 * 255.
  TwoOperands t;
  op.draw_scales(random, Scales::kRandom, 0, &t);
  t.out_scale = 2 * std::max({t.out_scale, t.a_scale, 256 * t.a_scale * t.b_scale});
  t.a = t.b = {3, 43};
  t.a_zero = -128;
  t.b_zero = random.OneIn(2) ? -128 : 127;
  t.a_values = t.b_values = Values::kExtremes;
  series.AddSmoke("ends", MakeElementwise(random, op, t));
}

void GenerateElementwiseCases(const ElementwiseOp& op, Series& series) {
  Plan plan(op, series);
  AddSameShapes(plan);
  AddBroadcasts(plan);
  AddConstantsAndTwice(plan);
  AddZeroPoints(plan);
  AddScales(plan);
  if (op.has_activation) AddActivations(plan);
  AddExhaustive(plan, op);
  const auto candidate = [&](Random& random) {
    TwoOperands t;
    op.draw_scales(random, random.OneIn(4) ? Scales::kRandom : Scales::kSmall, 2, &t);
    DrawZeroPoints(random, &t);
    t.a = t.b = {1, 5, 5, random.Int(16, 20)};
    if (random.OneIn(3)) t.a_values = t.b_values = Values::kExtremes;
    if (op.sharpen != nullptr) op.sharpen(random, &t);
    return MakeElementwise(random, op, t);
  };
  series.AddSeparators(10, 1200, candidate, {.rules = op.separated_rules});
}

}  // namespace lutra::conformance

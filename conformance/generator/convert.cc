// SPDX-License-Identifier: Apache-2.0
// Cases of QUANTIZE, DEQUANTIZE, CAST.

#include <fmt/format.h>

#include "conformance/generator/draw.h"
#include "conformance/generator/series.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;

std::string PairName(const MadeTensor& in, const MadeTensor& out) {
  return std::string(TypeName(in.type)) + "_to_" + TypeName(out.type);
}

Bytes ElementBytes(int8_t type, const std::vector<int64_t>& values) {
  const int width = oracle::BytesOf(type);
  Bytes bytes;
  for (const int64_t value : values) {
    for (int i = 0; i < width; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  return bytes;
}

// Makes a case whose output has the input's shape.
Case Make(const char* op, const MadeTensor& in, MadeTensor out, Bytes input) {
  ModelMaker maker;
  out.shape = in.shape;
  const int x = maker.Input(in), y = maker.Output(out);
  if (std::string_view(op) == "CAST") {
    maker.Op<edit::CastOptionsT>(op, {x}, {y}, [&](auto& options) {
      options.in_data_type = static_cast<decltype(options.in_data_type)>(in.type);
      options.out_data_type = static_cast<decltype(options.out_data_type)>(out.type);
    });
  } else {
    maker.Op(op, {x}, {y});
  }
  return {.model = maker.Finish(), .inputs = {std::move(input)}};
}

oracle::Range RangeOf(int8_t type) {
  if (type == oracle::kUint8) return {0, UINT8_MAX};
  if (type == oracle::kBool) return {0, 1};
  if (type == oracle::kInt64) return {INT64_MIN / 2, INT64_MAX / 2};
  const int bits = 8 * oracle::BytesOf(type);
  return {-(int64_t{1} << (bits - 1)), (int64_t{1} << (bits - 1)) - 1};
}

// Types of 16 bits and more have zero point 0.
int64_t ZeroPoint(Random& random, int8_t type) {
  if (oracle::BytesOf(type) > 1) return 0;
  return random.ZeroPoint() + (type == oracle::kUint8 ? 128 : 0);
}

// ---- QUANTIZE from integers.

// A one-byte input has every code; other inputs have elements within `reach` of 0, and the type's ends.
Case MakeRequantize(Random& random, MadeTensor in, const MadeTensor& out, int64_t reach) {
  const oracle::Range range = RangeOf(in.type);
  if (in.shape.empty()) in.shape = {oracle::BytesOf(in.type) == 1 ? 256 : 67};
  std::vector<int64_t> codes;
  const int64_t count = oracle::ElementCount(in.shape);
  for (int64_t i = 0; i < count; ++i) {
    if (oracle::BytesOf(in.type) == 1) {
      codes.push_back(count < 256 ? random.Between(range.low, range.high) : range.low + i % 256);
    } else if (in.type == oracle::kInt16 && i % 16 < 2) {
      codes.push_back(i % 2 == 0 ? range.low : range.high);
    } else {
      codes.push_back(random.Between(-reach, reach));
    }
  }
  return Make("QUANTIZE", in, out, ElementBytes(in.type, codes));
}

// The output's scale is the input's divided by a ratio in [2^low, 2^(high + 1)).
struct Ratios {
  int low, high;
};

// Sets scales; every third ratio is a power of two.
void SetScales(Random& random, Ratios ratios, MadeTensor* in, MadeTensor* out) {
  const bool power = random.OneIn(3);
  in->scale = power ? 0x1p-5f : random.Scale(-8, 0);
  const int exponent = random.Int(ratios.low, ratios.high);
  out->scale = in->scale / (power ? std::ldexp(1.0f, exponent) : random.Scale(exponent, exponent));
  in->zero_point = ZeroPoint(random, in->type);
  out->zero_point = ZeroPoint(random, out->type);
}

void AddPair(Series& series, MadeTensor in, MadeTensor out, int count, Ratios ratios) {
  for (int repeat = 0; repeat < count; ++repeat) {
    SetScales(series.random, ratios, &in, &out);
    // So many values fill the output's range.
    const double full = std::ldexp(300.0, out.type == oracle::kInt8 ? 0 : 8) * out.scale / in.scale;
    const auto reach =
        static_cast<int64_t>(std::min(std::max(full, 8.0), in.type == oracle::kInt16 ? 3e4 : 1e9));
    series.Add(PairName(in, out), MakeRequantize(series.random, in, out, reach));
  }
}

void GenerateQuantize(Series& series) {
  Random& random = series.random;
  const MadeTensor int8, int16 = {.type = oracle::kInt16}, int32 = {.type = oracle::kInt32},
                         uint8 = {.type = oracle::kUint8};
  AddPair(series, int8, int8, 30, {.low = -4, .high = 3});
  AddPair(series, int8, int8, 6, {.low = -12, .high = -5});
  AddPair(series, int8, int8, 6, {.low = 4, .high = 14});
  AddPair(series, int8, int16, 14, {.low = -4, .high = 9});
  AddPair(series, int8, int32, 14, {.low = -4, .high = 20});
  AddPair(series, int16, int8, 18, {.low = -11, .high = 0});
  AddPair(series, int32, int8, 14, {.low = -22, .high = -1});
  AddPair(series, uint8, int8, 8, {.low = -3, .high = 3});
  AddPair(series, int8, uint8, 8, {.low = -3, .high = 3});
  for (const int64_t zero : {-128, -127, -1, 0, 1, 126, 127}) {
    MadeTensor in, out;
    SetScales(random, {.low = -1, .high = 0}, &in, &out);
    in.zero_point = zero;
    series.Add("zero_point.input", MakeRequantize(random, in, out, 0));
    in.zero_point = random.Between(-40, 40);
    out.zero_point = zero;
    series.Add("zero_point.output", MakeRequantize(random, in, out, 0));
  }
  // Only the zero point changes, or nothing.
  for (int repeat = 0; repeat < 6; ++repeat) {
    MadeTensor in = {.type = repeat < 4 ? oracle::kInt8 : oracle::kUint8}, out;
    in.scale = out.scale = random.Scale(-8, 0);
    in.zero_point = ZeroPoint(random, in.type);
    out.zero_point = repeat == 0 ? in.zero_point : repeat == 4 ? in.zero_point - 128 : random.ZeroPoint();
    series.Add("same_scale", MakeRequantize(random, in, out, 0));
  }
  for (const oracle::Shape& shape : ElementwiseShapes()) {
    MadeTensor in = {.shape = shape}, out;
    SetScales(random, {.low = -3, .high = 1}, &in, &out);
    series.Add("shape", MakeRequantize(random, in, out, 0));
  }
  series.AddSeparators(14, 300, [](Random& r) {
    MadeTensor in, out;
    SetScales(r, {.low = -5, .high = -1}, &in, &out);
    in.zero_point = r.Between(-40, 40);
    out.zero_point = r.Between(-40, 40);
    return MakeRequantize(r, in, out, 0);
  });
}

// ---- QUANTIZE from float32.

enum class Floats : uint8_t { kRandom, kNearHalves, kFar, kTiny };

std::vector<float> MakeFloats(Random& random, int64_t count, Floats kind, float scale, int reach) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    float value = 0;
    switch (kind) {
      case Floats::kRandom:
        // Values differ by 1/4096 of a step.
        value = std::ldexp(static_cast<float>(random.Between(-reach * 4096, reach * 4096)), -12) * scale;
        break;
      case Floats::kNearHalves: {
        const float half = static_cast<float>(random.Between(-reach, reach)) + 0.5f;
        value = half * scale;
        const int64_t step = random.Between(-1, 2);
        if (step == 1) value = std::nextafter(value, 1e30f);
        if (step == -1) value = std::nextafter(value, -1e30f);
        break;
      }
      case Floats::kFar:
        value = std::ldexp(static_cast<float>(random.Between(-255, 255)), 20) * scale;
        break;
      case Floats::kTiny:
        value = static_cast<float>(random.Between(-9, 9));
        value = std::ldexp(value, random.Int(-149, -100));
        break;
    }
    values.push_back(value);
  }
  return values;
}

Case MakeQuantizeFloat(Random& random, oracle::Shape shape, Floats kind, MadeTensor out) {
  const MadeTensor in = {.shape = std::move(shape), .type = oracle::kFloat32};
  const int reach = out.type == oracle::kInt8 ? 200 : 40000;
  return Make("QUANTIZE", in, out,
              FloatBytes(MakeFloats(random, oracle::ElementCount(in.shape), kind, out.scale, reach)));
}

void GenerateQuantizeFloat(Series& series) {
  Random& random = series.random;
  const auto add = [&](const char* what, oracle::Shape shape, Floats kind, const MadeTensor& out) {
    series.Add(what, MakeQuantizeFloat(random, std::move(shape), kind, out));
  };
  for (int repeat = 0; repeat < 8; ++repeat) {
    add("random", {130}, Floats::kRandom, {.scale = random.Scale(-12, 4), .zero_point = random.ZeroPoint()});
    add("near_halves", {130}, Floats::kNearHalves,
        {.scale = random.Scale(-12, 4), .zero_point = random.ZeroPoint()});
  }
  for (int exponent = -9; exponent <= 3; exponent += 2) {
    add("ties", {100}, Floats::kNearHalves,
        {.scale = std::ldexp(1.0f, exponent), .zero_point = random.ZeroPoint()});
  }
  for (int repeat = 0; repeat < 3; ++repeat) {
    add("far", {40}, Floats::kFar, {.scale = random.Scale(-6, 2), .zero_point = random.ZeroPoint()});
    add("tiny", {40}, Floats::kTiny, {.scale = random.Scale(-20, 2), .zero_point = random.ZeroPoint()});
    add("int16", {70}, repeat == 2 ? Floats::kNearHalves : Floats::kRandom,
        {.type = oracle::kInt16, .scale = random.Scale(-16, -6)});
  }
  for (const oracle::Shape& shape : ElementwiseShapes()) {
    add("shape", shape, Floats::kNearHalves,
        {.scale = random.Scale(-7, 0), .zero_point = random.ZeroPoint()});
  }
  const auto near_halves = [](Random& r) {
    const float scale = r.OneIn(2) ? std::ldexp(1.0f, r.Int(-7, 0)) : r.Scale(-7, 0);
    const MadeTensor out = {.scale = scale, .zero_point = r.Between(-60, 60)};
    return MakeQuantizeFloat(r, {r.Int(4, 150)}, Floats::kNearHalves, out);
  };
  // Only three rules were known when these cases were frozen.
  series.AddSeparators(10, 200, near_halves, {.rules = 3});
  series.AddSeparators(10, 400, near_halves, {.what = "separate_all"});
}

// ---- DEQUANTIZE and CAST.

// Makes elements of any integer type, with its ends among them.
Bytes MakeElements(Random& random, int8_t type, int64_t count) {
  const oracle::Range range = RangeOf(type);
  std::vector<int64_t> codes;
  for (int64_t i = 0; i < count; ++i) {
    if (oracle::BytesOf(type) == 1) {
      codes.push_back(count < 256 ? random.Between(range.low, range.high) : range.low + i % 256);
    } else {
      codes.push_back(i == 0 ? range.low : i == 1 ? range.high : random.Between(range.low, range.high));
    }
  }
  return ElementBytes(type, codes);
}

Case MakeDequantize(Random& random, const MadeTensor& in) {
  return Make("DEQUANTIZE", in, {.type = oracle::kFloat32},
              MakeElements(random, in.type, oracle::ElementCount(in.shape)));
}

void GenerateDequantize(Series& series) {
  Random& random = series.random;
  const auto add = [&](const char* what, int8_t type, oracle::Shape shape, float scale) {
    series.Add(what, MakeDequantize(random, {.shape = std::move(shape),
                                             .type = type,
                                             .scale = scale,
                                             .zero_point = ZeroPoint(random, type)}));
  };
  for (int repeat = 0; repeat < 10; ++repeat) add("int8", oracle::kInt8, {256}, random.Scale(-12, 6));
  for (int exponent = -9; exponent <= 3; exponent += 4) {
    add("power_of_two", oracle::kInt8, {256}, std::ldexp(1.0f, exponent));
  }
  for (int repeat = 0; repeat < 4; ++repeat) {
    add("int16", oracle::kInt16, {3, 17}, random.Scale(-15, 0));
    add("uint8", oracle::kUint8, {256}, random.Scale(-10, 2));
  }
  for (const size_t i : {0, 1, 3, 5, 6, 7, 8, 12, 16, 17}) {
    add("shape", oracle::kInt8, ElementwiseShapes()[i], random.Scale(-7, 0));
  }
  const auto one_scale = [](Random& r) {
    return MakeDequantize(r, {.shape = {2, 33}, .scale = r.Scale(-7, 0), .zero_point = r.Between(-128, 127)});
  };
  // The third rule differs from the others only if there are several scales.
  series.AddSeparators(8, 100, one_scale, {.rules = 2});
}

// ---- QUANTIZE and DEQUANTIZE with a scale for each element of a dimension, which TFLM lacks.

// Sets channels whose scales differ by up to 2^10, or that differ only by their zero points.
void SetChannels(Random& random, MadeTensor* tensor) {
  const int32_t channels = tensor->shape[static_cast<size_t>(tensor->quantized_dimension)];
  const bool same = random.OneIn(4);
  const float scale = random.Scale(-8, 0);
  for (int32_t c = 0; c < channels; ++c) {
    tensor->channel_scales.push_back(same ? scale : random.Scale(-9, 1));
    tensor->zero_points.push_back(ZeroPoint(random, tensor->type));
  }
}

// Returns the example of the specification.
MadeTensor SpecifiedExample() {
  return {
      .shape = {4, 3, 2, 1}, .channel_scales = {1, 2, 3}, .zero_points = {1, 2, 3}, .quantized_dimension = 1};
}

// Returns shapes with at least two channels along each of their dimensions.
std::vector<MadeTensor> PerAxisTensors(Random& random) {
  std::vector<MadeTensor> tensors = {SpecifiedExample()};
  for (const oracle::Shape& shape :
       {oracle::Shape{7}, {3, 5}, {2, 17}, {9, 3, 3, 4}, {2, 3, 4, 2, 3}, {2, 33, 2}, {1, 2, 2, 16}}) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == 1) continue;
      MadeTensor& tensor = tensors.emplace_back();
      tensor.shape = shape;
      tensor.quantized_dimension = static_cast<int32_t>(axis);
      tensor.type = random.OneIn(5) ? oracle::kInt16 : random.OneIn(6) ? oracle::kUint8 : oracle::kInt8;
      SetChannels(random, &tensor);
    }
  }
  return tensors;
}

std::string AxisName(const MadeTensor& tensor) {
  return fmt::format("{}.dim{}", TypeName(tensor.type), tensor.quantized_dimension);
}

// Makes each value in steps of its channel's scale.
oracle::Bytes MakeChannelFloats(Random& random, const MadeTensor& out, Floats kind) {
  std::vector<float> values = MakeFloats(random, oracle::ElementCount(out.shape), kind, 1.0f, 200);
  const auto axis = static_cast<std::ptrdiff_t>(out.quantized_dimension);
  const auto inner =
      static_cast<size_t>(oracle::ElementCount(oracle::Shape(out.shape.begin() + axis + 1, out.shape.end())));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] *= out.channel_scales[i / inner % out.channel_scales.size()];
  }
  return FloatBytes(values);
}

void GenerateQuantizePerAxis(Series& series) {
  for (const MadeTensor& out : PerAxisTensors(series.random)) {
    const MadeTensor in = {.shape = out.shape, .type = oracle::kFloat32};
    for (const Floats kind : {Floats::kRandom, Floats::kNearHalves}) {
      Case test = Make("QUANTIZE", in, out, MakeChannelFloats(series.random, out, kind));
      test.optional = true;
      series.Add(AxisName(out), std::move(test));
    }
  }
}

void GenerateDequantizePerAxis(Series& series) {
  for (const MadeTensor& in : PerAxisTensors(series.random)) {
    Case test = MakeDequantize(series.random, in);
    test.optional = true;
    series.Add(AxisName(in), std::move(test));
  }
}

void GenerateCast(Series& series) {
  Random& random = series.random;
  const auto add = [&](int8_t from, int8_t to, const oracle::Shape& shape) {
    const MadeTensor in = {.shape = shape, .type = from}, out = {.type = to};
    const int64_t count = oracle::ElementCount(shape);
    Bytes input;
    if (from == oracle::kFloat32) {
      input = FloatBytes(MakeFloats(random, count, Floats::kRandom, 0.5f, 255));
    } else if (from == oracle::kBool) {
      for (int64_t i = 0; i < count; ++i) input.push_back(static_cast<uint8_t>(random.Between(0, 1)));
    } else {
      input = MakeElements(random, from, count);
    }
    series.Add(PairName(in, out), Make("CAST", in, out, std::move(input)));
  };
  for (const int8_t to : {oracle::kInt16, oracle::kInt32, oracle::kFloat32}) {
    add(oracle::kInt8, to, {256});
    for (int repeat = 0; repeat < 4; ++repeat) add(oracle::kInt8, to, random.Pick(ElementwiseShapes()));
  }
  for (const int8_t from : {oracle::kInt16, oracle::kInt32, oracle::kFloat32, oracle::kBool}) {
    add(from, oracle::kInt8, {67});
    for (int repeat = 0; repeat < 2; ++repeat) add(from, oracle::kInt8, random.Pick(ElementwiseShapes()));
  }
  add(oracle::kInt8, oracle::kInt8, {256});
  add(oracle::kInt8, oracle::kInt8, {1, 5, 3});
  add(oracle::kBool, oracle::kFloat32, {19});
}

// ---- Real sizes

void GenerateRealQuantize(RealSizes& series) {
  const auto make = [&](const oracle::Shape& shape, int8_t from, int8_t to, Ratios ratios) {
    MadeTensor in = {.shape = shape, .type = from}, out = {.type = to};
    SetScales(series.random, ratios, &in, &out);
    return MakeRequantize(series.random, in, out, from == oracle::kInt16 ? 30000 : 1000000);
  };
  for (const int32_t count : AroundPowers(64, 1024)) {
    series.Add("count.int8", make({count}, oracle::kInt8, oracle::kInt8, {.low = -3, .high = 2}));
    series.Add("count.int16", make({count}, oracle::kInt16, oracle::kInt8, {.low = -9, .high = -7}));
    series.Add("count.int32", make({3, count}, oracle::kInt32, oracle::kInt8, {.low = -14, .high = -12}));
    series.Add("count.to_int16", make({count}, oracle::kInt8, oracle::kInt16, {.low = 0, .high = 6}));
  }
  series.AddSmoke("smoke", make({3, 359}, oracle::kInt8, oracle::kInt8, {.low = -2, .high = 1}));
  series.AddSmoke("smoke", make({2, 3, 2, 2, 3, 15}, oracle::kInt16, oracle::kInt8, {.low = -8, .high = -7}));
  series.AddSmoke("smoke", make({263}, oracle::kInt32, oracle::kInt8, {.low = -13, .high = -13}));
  series.AddSmoke("smoke", make({131}, oracle::kInt8, oracle::kInt16, {.low = 3, .high = 4}));
  series.AddSmoke("smoke", make({259}, oracle::kUint8, oracle::kInt8, {.low = -1, .high = 0}));
  series.AddSmoke("smoke", make({257}, oracle::kInt8, oracle::kUint8, {.low = -1, .high = 0}));
}

void GenerateRealQuantizeFloat(RealSizes& series) {
  Random& random = series.random;
  const auto make = [&](const oracle::Shape& shape) {
    return MakeQuantizeFloat(random, shape, Floats::kNearHalves,
                             {.scale = random.Scale(-7, 0), .zero_point = random.ZeroPoint()});
  };
  for (const int32_t count : AroundPowers(64, 1024)) series.Add("count", make({count}));
  series.AddSmoke("smoke", make({2, 3, 1, 2, 47}));
}

void GenerateRealDequantize(RealSizes& series) {
  Random& random = series.random;
  const auto make = [&](const oracle::Shape& shape, int8_t type) {
    return MakeDequantize(
        random,
        {.shape = shape, .type = type, .scale = random.Scale(-7, 0), .zero_point = ZeroPoint(random, type)});
  };
  for (const int32_t count : AroundPowers(64, 1024)) series.Add("count", make({count}, oracle::kInt8));
  series.AddSmoke("smoke", make({2, 3, 1, 2, 47}, oracle::kInt8));
  series.AddSmoke("smoke", make({259}, oracle::kInt16));
}

// Casts every type to every other: integers keep their low bits, and all but 0 become true.
void AddCastTypes(Series series) {
  Random& random = series.random;
  constexpr int8_t kTypes[] = {oracle::kInt8,  oracle::kUint8, oracle::kInt16,  oracle::kInt32,
                               oracle::kInt64, oracle::kBool,  oracle::kFloat32};
  for (const int8_t from : kTypes) {
    for (const int8_t to : kTypes) {
      const MadeTensor in = {.shape = {3, 29}, .type = from}, out = {.type = to};
      const int64_t count = oracle::ElementCount(in.shape);
      Bytes input = from == oracle::kFloat32
                        ? FloatBytes(MakeFloats(random, count, Floats::kRandom, 0.5f,
                                                to == oracle::kUint8 || to == oracle::kInt8 ? 250 : 30000))
                        : MakeElements(random, from, count);
      // Values that become uint8 are not negative.
      if (from == oracle::kFloat32 && to == oracle::kUint8) {
        for (size_t i = 3; i < input.size(); i += 4) input[i] &= 0x7f;
      }
      // Some elements are 0.
      const auto width = static_cast<size_t>(oracle::BytesOf(from));
      for (size_t i = 0; i < input.size(); i += 5 * width)
        std::fill_n(input.begin() + static_cast<std::ptrdiff_t>(i), width, 0);
      series.Add(PairName(in, out), Beyond(Make("CAST", in, out, std::move(input))));
    }
  }
}

void GenerateRealCast(RealSizes& series) {
  Random& random = series.random;
  constexpr int8_t kIntegers[] = {oracle::kInt8, oracle::kInt16, oracle::kInt32};
  const auto make = [&](int8_t from, int8_t to, int32_t count) {
    const MadeTensor in = {.shape = {count}, .type = from}, out = {.type = to};
    Bytes elements = MakeElements(random, from, count);
    if (from == oracle::kBool) {
      for (uint8_t& element : elements) element &= 1;
    }
    return Make("CAST", in, out, std::move(elements));
  };
  SizeList counts = AroundPowers(64, 1024);
  size_t next = 0;
  for (const int8_t from : kIntegers) {
    for (const int8_t to : {oracle::kInt8, oracle::kInt16, oracle::kInt32, oracle::kFloat32}) {
      if (from != oracle::kInt8 && to != oracle::kInt8) continue;
      const std::string name = PairName({.type = from}, {.type = to});
      for (int i = 0; i < 3; ++i) series.Add(name, make(from, to, counts[next++ % counts.size()]));
    }
  }
  series.AddSmoke("smoke", make(oracle::kInt8, oracle::kInt32, 263));
  series.AddSmoke("smoke", make(oracle::kInt8, oracle::kFloat32, 135));
  series.AddSmoke("smoke", make(oracle::kInt16, oracle::kInt8, 261));
  series.AddSmoke("smoke", make(oracle::kBool, oracle::kInt8, 67));
  AddCastTypes(series.Part("types."));
}

// Returns tensors whose number of channels is no power of two, along each dimension.
std::vector<MadeTensor> RealPerAxisTensors(Random& random) {
  std::vector<MadeTensor> tensors;
  for (const oracle::Shape& shape :
       {oracle::Shape{2, 19, 5}, {3, 2, 67}, {37, 3}, {2, 3, 261}, {2, 5, 3, 2, 3, 2}, {17, 131}}) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      MadeTensor& tensor = tensors.emplace_back();
      tensor.shape = shape;
      tensor.quantized_dimension = static_cast<int32_t>(axis);
      SetChannels(random, &tensor);
    }
  }
  return tensors;
}

void GenerateRealQuantizePerAxis(RealSizes& series) {
  for (const MadeTensor& out : RealPerAxisTensors(series.random)) {
    const MadeTensor in = {.shape = out.shape, .type = oracle::kFloat32};
    Case test = Make("QUANTIZE", in, out, MakeChannelFloats(series.random, out, Floats::kNearHalves));
    test.optional = true;
    test.smoke = out.shape[0] == 2 && out.shape[1] == 19 ? Smoke::kAlways : Smoke::kNever;
    series.Add(AxisName(out), std::move(test));
  }
}

void GenerateRealDequantizePerAxis(RealSizes& series) {
  for (const MadeTensor& in : RealPerAxisTensors(series.random)) {
    Case test = MakeDequantize(series.random, in);
    test.optional = true;
    test.smoke = Smoke::kNever;
    series.Add(AxisName(in), std::move(test));
  }
}

Case DrawQuantize(Random& random) {
  static const std::vector<int8_t> types = {oracle::kInt8, oracle::kInt16, oracle::kUint8, oracle::kInt32};
  MadeTensor in = {.shape = DrawShape(random, 1, 6, DrawBudget(random, 1024)), .type = random.Pick(types)};
  MadeTensor out = {.type = in.type == oracle::kUint8 ? int8_t{oracle::kInt8} : random.Pick(types)};
  const bool is_far = random.OneIn(4);
  SetScales(random, {is_far ? -12 : -3, is_far ? 12 : 3}, &in, &out);
  const bool is_common = in.type == oracle::kInt8 && out.type == oracle::kInt8;
  const int64_t reach = int64_t{1} << random.Int(3, in.type == oracle::kInt16 ? 14 : 30);
  return BeyondIf(!is_common || in.shape.size() > 4, MakeRequantize(random, in, out, reach));
}

Case DrawQuantizeFloat(Random& random) {
  MadeTensor out = {.scale = DrawAnyScale(random, -12, 4), .zero_point = random.ZeroPoint()};
  if (random.OneIn(5)) out = {.type = oracle::kInt16, .scale = DrawAnyScale(random, -16, -6)};
  const auto kind = static_cast<Floats>(random.Int(0, 3));
  return MakeQuantizeFloat(random, DrawShape(random, 1, 6, DrawBudget(random, 512)), kind, out);
}

Case DrawDequantize(Random& random) {
  static const std::vector<int8_t> types = {oracle::kInt8, oracle::kInt16, oracle::kUint8};
  const int8_t type = random.OneIn(3) ? random.Pick(types) : int8_t{oracle::kInt8};
  const oracle::Shape shape = DrawShape(random, 1, 6, DrawBudget(random, 1024));
  const float scale = DrawAnyScale(random, -12, 6);
  const int64_t zero_point = ZeroPoint(random, type);
  return MakeDequantize(random, {.shape = shape, .type = type, .scale = scale, .zero_point = zero_point});
}

Case DrawCast(Random& random) {
  static const std::vector<int8_t> types = {oracle::kInt8, oracle::kInt16, oracle::kInt32, oracle::kFloat32,
                                            oracle::kBool};
  const MadeTensor in = {.shape = DrawShape(random, 1, 6, DrawBudget(random, 1024)),
                         .type = random.Pick(types)};
  const MadeTensor out = {.type = in.type == oracle::kInt8 ? random.Pick(types) : int8_t{oracle::kInt8}};
  const int64_t count = oracle::ElementCount(in.shape);
  Bytes input;
  if (in.type == oracle::kFloat32) {
    input = FloatBytes(MakeFloats(random, count, Floats::kRandom, 0.5f, 255));
  } else if (in.type == oracle::kBool) {
    for (int64_t i = 0; i < count; ++i) input.push_back(static_cast<uint8_t>(random.Int(0, 1)));
  } else {
    input = MakeElements(random, in.type, count);
  }
  return Beyond(Make("CAST", in, out, std::move(input)));
}

}  // namespace

extern const CaseFamilies kConvertCases = {
    Family("QUANTIZE", GenerateQuantize, GenerateRealQuantize, DrawQuantize),
    Family("QUANTIZE.float32", GenerateQuantizeFloat, GenerateRealQuantizeFloat, DrawQuantizeFloat),
    Family("DEQUANTIZE", GenerateDequantize, GenerateRealDequantize, DrawDequantize),
    Family("CAST", GenerateCast, GenerateRealCast, DrawCast),
    Family("QUANTIZE.float32", "int8.quantize_per_axis.", GenerateQuantizePerAxis,
           GenerateRealQuantizePerAxis),
    Family("DEQUANTIZE", "int8.dequantize_per_axis.", GenerateDequantizePerAxis,
           GenerateRealDequantizePerAxis),
};

}  // namespace lutra::conformance

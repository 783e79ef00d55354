// SPDX-License-Identifier: Apache-2.0
// Every variant on hand-worked values: rounding, clamps, values out of range.

#include "lutra/kernels/convert/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

class Convert : public KernelTest<ConvertFn> {
 protected:
  // Converts with one guard element on each side and checks that both survive.
  template <typename Out, typename In>
  std::vector<Out> Converted(ConvertArgs args, std::vector<In> input) {
    const auto count = static_cast<int32_t>(input.size());
    input.insert(input.begin(), In(1));
    std::vector<Out> output(input.size() + 1, Out(77));
    args.input = input.data();
    args.output = output.data();
    Run(args, 1, count);
    EXPECT_EQ(output.front(), Out(77));
    EXPECT_EQ(output.back(), Out(77));
    return {output.begin() + 1, output.end() - 1};
  }
};

ConvertArgs Types(Conversion conversion, TensorType in, TensorType out) {
  ConvertArgs args = {};
  args.conversion = conversion;
  args.in_type = in;
  args.out_type = out;
  return args;
}

TEST_P(Convert, QuantizesHalvesAwayFromZeroAndClamps) {
  ConvertArgs args = Types(Conversion::kQuantize, TensorType::kFloat32, TensorType::kInt8);
  args.scale = 0.5f;
  args.out_zero_point = 10;
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ((Converted<int8_t, float>(
                args, {0.25f, -0.25f, 0.24f, 1e30f, -1e30f, infinity, -infinity, std::nanf("")})),
            (std::vector<int8_t>{11, 9, 10, 127, -128, 127, -128, 10}));
  args.out_type = TensorType::kUInt8;
  args.out_zero_point = 128;
  EXPECT_EQ((Converted<uint8_t, float>(args, {0.0f, 100.0f, -100.0f})), (std::vector<uint8_t>{128, 255, 0}));
  args.out_type = TensorType::kInt16;
  args.out_zero_point = 0;
  EXPECT_EQ((Converted<int16_t, float>(args, {1.25f, 1e9f})), (std::vector<int16_t>{3, 32767}));
}

TEST_P(Convert, RequantizesByTheMultiplier) {
  ConvertArgs args = Types(Conversion::kRequantize, TensorType::kInt8, TensorType::kInt8);
  args.in_zero_point = 3;
  args.out_zero_point = 4;
  args.multiplier = QuantizeMultiplier(static_cast<double>(0.023499999195337296f) /
                                       static_cast<double>(0.011699999682605267f));
  EXPECT_EQ((Converted<int8_t, int8_t>(args, {-77, 3, 127})), (std::vector<int8_t>{-128, 4, 127}));
  // Halves: 0.5 is rounded up, -0.5 to 0 (the first of the two roundings goes up).
  args.in_zero_point = args.out_zero_point = 0;
  args.multiplier = QuantizeMultiplier(0.5);
  EXPECT_EQ((Converted<int8_t, int8_t>(args, {1, -1, 3, -3})), (std::vector<int8_t>{1, 0, 2, -1}));
  args.out_type = TensorType::kInt32;
  args.multiplier = QuantizeMultiplier(1000.0);
  EXPECT_EQ((Converted<int32_t, int8_t>(args, {127, -128})), (std::vector<int32_t>{127000, -128000}));
  args.in_type = TensorType::kUInt8;
  args.out_type = TensorType::kInt8;
  args.in_zero_point = 128;
  args.multiplier = QuantizeMultiplier(1.0);
  EXPECT_EQ((Converted<int8_t, uint8_t>(args, {0, 128, 255})), (std::vector<int8_t>{-128, 0, 127}));
}

TEST_P(Convert, DequantizesInDouble) {
  ConvertArgs args = Types(Conversion::kDequantize, TensorType::kInt8, TensorType::kFloat32);
  args.scale = 0.1f;
  args.in_zero_point = -128;
  EXPECT_EQ((Converted<float, int8_t>(args, {127, -128})),
            (std::vector<float>{static_cast<float>(static_cast<double>(0.1f) * 255), 0.0f}));
}

TEST_P(Convert, CastsAsCDoesAndSaturatesReals) {
  EXPECT_EQ((Converted<int8_t, float>(Types(Conversion::kCast, TensorType::kFloat32, TensorType::kInt8),
                                      {1.9f, -1.9f, 1e10f, -1e10f, std::nanf("")})),
            (std::vector<int8_t>{1, -1, 127, -128, 0}));
  EXPECT_EQ((Converted<int64_t, float>(Types(Conversion::kCast, TensorType::kFloat32, TensorType::kInt64),
                                       {1e30f, -1e30f})),
            (std::vector<int64_t>{INT64_MAX, INT64_MIN}));
  EXPECT_EQ(
      (Converted<float, int8_t>(Types(Conversion::kCast, TensorType::kInt8, TensorType::kFloat32), {-128})),
      (std::vector<float>{-128.0f}));
  EXPECT_EQ((Converted<int8_t, int32_t>(Types(Conversion::kCast, TensorType::kInt32, TensorType::kInt8),
                                        {300, -1})),
            (std::vector<int8_t>{44, -1}));
  EXPECT_EQ((Converted<uint8_t, int8_t>(Types(Conversion::kCast, TensorType::kInt8, TensorType::kBool),
                                        {0, -3, 1})),
            (std::vector<uint8_t>{0, 1, 1}));
}

TEST_P(Convert, ConvertsAsManyAsNetworksHave) {
  ConvertArgs args = Types(Conversion::kQuantize, TensorType::kFloat32, TensorType::kInt8);
  args.scale = 0.5f;
  args.out_zero_point = 3;
  for (const int32_t count : NetworkSizes(4096)) {
    std::vector<float> input;
    std::vector<int8_t> expected;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t code = i % 256 - 128;
      input.push_back(0.5f * static_cast<float>(code - 3));
      expected.push_back(static_cast<int8_t>(code));
    }
    EXPECT_EQ((Converted<int8_t, float>(args, input)), expected);
  }
}

TEST_P(Convert, WorksInPlaceWhereSizesAreEqual) {
  ConvertArgs args = Types(Conversion::kRequantize, TensorType::kInt8, TensorType::kUInt8);
  args.out_zero_point = 128;
  args.multiplier = QuantizeMultiplier(1.0);
  int8_t codes[256];
  for (int i = 0; i < 256; ++i) codes[i] = static_cast<int8_t>(i - 128);
  args.input = codes;
  args.output = codes;
  Run(args, 0, 256);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(static_cast<uint8_t>(codes[i]), i);
}

struct NumberType {
  TensorType type;
  int32_t bytes;
};
constexpr NumberType kCodes[] = {
    {TensorType::kInt8, 1}, {TensorType::kUInt8, 1}, {TensorType::kInt16, 2}, {TensorType::kInt32, 4}};
constexpr NumberType kReal = {TensorType::kFloat32, 4};

// Compares for every size, at the ends of pages, and for numbers of any bits, floats too.
template <typename Test>
void ExpectTheReference(const Test& test, ConvertArgs args, NumberType in, NumberType out) {
  args.in_type = in.type;
  args.out_type = out.type;
  for (const PageEdge::Side side : kPageEdges) {
    for (const int32_t count : {1, 15, 16, 33, 130}) {
      const FilledEdge input(static_cast<uint32_t>(count), count * in.bytes, side);
      const FilledEdge output(1, count * out.bytes, side), right(2, count * out.bytes, side);
      args.input = input.data();
      args.output = output.data();
      test.Run(args, 0, count);
      args.output = right.data();
      test.RunReference(args, 0, count);
      ASSERT_EQ(output.Bytes(count * out.bytes), right.Bytes(count * out.bytes))
          << static_cast<int>(in.type) << " to " << static_cast<int>(out.type) << ", scale " << args.scale
          << ", multiplier " << args.multiplier.value << ", " << args.multiplier.shift << ", count " << count;
    }
  }
}

TEST_P(Convert, EqualsTheReferenceForReals) {
  for (const float scale : {1e-45f, 1e-38f, 0.003f, 0.5f, 1.0f, 3e38f}) {
    for (const int32_t zero_point : {-128, 0, 127, 65535}) {
      for (const NumberType code : kCodes) {
        ConvertArgs args = {};
        args.scale = scale;
        args.conversion = Conversion::kQuantize;
        args.out_zero_point = zero_point;
        ExpectTheReference(*this, args, kReal, code);
        args.conversion = Conversion::kDequantize;
        args.in_zero_point = zero_point;
        ExpectTheReference(*this, args, code, kReal);
      }
    }
  }
}

// Multipliers of all shifts that 16 bits and their zero points allow, and of all kinds of values.
TEST_P(Convert, EqualsTheReferenceForMultipliers) {
  uint32_t seed = 0;
  for (int32_t shift = -31; shift <= 14; ++shift) {
    for (const int32_t value : {1 << 30, INT32_MAX, 1234567890}) {
      for (const NumberType in : {kCodes[0], kCodes[1], kCodes[2]}) {
        ConvertArgs args = {};
        args.conversion = Conversion::kRequantize;
        args.multiplier = {value, shift};
        args.in_zero_point = static_cast<int32_t>(++seed % 256) - 128;
        args.out_zero_point = static_cast<int32_t>(seed * 7 % 256) - 128;
        ExpectTheReference(*this, args, in, kCodes[seed % 4]);
      }
    }
  }
  ConvertArgs nothing = {};
  nothing.conversion = Conversion::kRequantize;
  ExpectTheReference(*this, nothing, kCodes[0], kCodes[0]);
}

// Floats next to halves: adding a half to them rounds up.
TEST_P(Convert, RoundsFloatsBesideHalves) {
  ConvertArgs args = {};
  args.conversion = Conversion::kQuantize;
  args.in_type = TensorType::kFloat32;
  args.out_type = TensorType::kInt16;
  args.scale = 1.0f;
  std::vector<float> input;
  for (const float whole : {0.0f, 1.0f, 2.0f, 127.0f, 4096.0f, 32766.0f}) {
    for (const float sign : {-1.0f, 1.0f}) {
      const float half = sign * (whole + 0.5f);
      for (const float x :
           {std::nextafter(half, 0.0f), half, std::nextafter(half, 100000.0f * sign), sign * whole})
        input.push_back(x);
    }
  }
  std::vector<int16_t> right;
  for (const float x : input) right.push_back(static_cast<int16_t>(std::lround(x)));
  EXPECT_EQ((Converted<int16_t, float>(args, input)), right);
}

LUTRA_TEST_TABLE(Convert, kConvert);

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Every variant on hand-worked values: roundings, clamps, what does not fit.

#include "lutra/kernels/convert/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "runtime/testing/kernel_test.h"
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
  // Halves: 0.5 goes up, -0.5 to 0 (the first of the two roundings goes up).
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

LUTRA_TEST_TABLE(Convert, kConvert);

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Pairs of TFLM_DECODE: broken cases that all codecs share are refused by the rule for them.

#include "runtime/testing/decode_refusal.h"

namespace lutra {
namespace {

constexpr DecodeRow kRows[] = {
    {"Sound", Rule::kNone, [](DecodeCase&) {}},
    {"OddInputs", Rule::kDecodeOperands, [](DecodeCase& c) { c.inputs = {0}; }},
    {"ThreeInputs", Rule::kDecodeOperands,
     [](DecodeCase& c) {
       c.inputs = {0, 1, 0};
     }},
    {"NoOutputs", Rule::kDecodeOperands,
     [](DecodeCase& c) {
       c.inputs = {};
       c.outputs = {};
     }},
    {"InputLeftOut", Rule::kInputMissing,
     [](DecodeCase& c) {
       c.inputs = {0, -1};
     }},
    {"ShortHeader", Rule::kDecodeHeader, [](DecodeCase& c) { c.ancillary.resize(15); }},
    {"Version", Rule::kDecodeVersion, [](DecodeCase& c) { c.ancillary[1] = 2; }},
    {"Type3", Rule::kDecodeType, [](DecodeCase& c) { c.ancillary[0] = 3; }},
    {"Type127", Rule::kDecodeType, [](DecodeCase& c) { c.ancillary[0] = 127; }},
    {"Type255", Rule::kDecodeType, [](DecodeCase& c) { c.ancillary[0] = 255; }},
    {"TypeVersion", Rule::kDecodeTypeVersion, [](DecodeCase& c) { c.ancillary[4] = 0; }},
};

TEST(DecodePair, RefusalsNameTheirRule) { CheckRows(kRows); }

TEST(DecodePair, InputsMustBeConstant) {
  ModelBuilder builder;
  const int encoded = builder.AddTensor({.shape = {2}, .type = TensorType::kUInt8});
  const int ancillary =
      builder.AddTensor({.shape = {20}, .type = TensorType::kUInt8, .data = DecodeCase().ancillary});
  const int decoded = builder.AddTensor({.shape = {8}});
  builder.AddCustomOperator(kDecodeCustomCode, {encoded, ancillary}, {decoded});
  EXPECT_EQ(RuleOf(builder.Finish({encoded}, {decoded})), Rule::kConstantRequired);
}

TEST(DecodePair, OtherCustomOperatorsAreUnknown) {
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {4}});
  const int y = builder.AddTensor({.shape = {4}});
  builder.AddCustomOperator("TFLM_DECOD", {x}, {y});
  EXPECT_EQ(RuleOf(builder.Finish({x}, {y})), Rule::kOperatorUnknown);
}

}  // namespace
}  // namespace lutra

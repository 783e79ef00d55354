// SPDX-License-Identifier: Apache-2.0
// Lookup tables of TFLM_DECODE: each broken case is refused by the rule for it.

#include "runtime/testing/decode_refusal.h"

namespace lutra {
namespace {

constexpr DecodeRow kRows[] = {
    {"LutWidth0", Rule::kCompressionWidth, [](DecodeCase& c) { c.ancillary[5] = 0xF0; }},
    {"LutTensorType", Rule::kCompressionType,
     [](DecodeCase& c) {
       c.output = {.shape = {1, 2, 4}, .type = TensorType::kUInt16};
     }},
    {"LutStride0", Rule::kCompressionTable, [](DecodeCase& c) { c.ancillary[6] = 0; }},
    {"LutNoTable", Rule::kCompressionTable, [](DecodeCase& c) { c.ancillary.resize(16); }},
    {"LutTableNotDivisible", Rule::kCompressionTable, [](DecodeCase& c) { c.ancillary.resize(19); }},
    {"LutStreamTooShort", Rule::kCompressionStream, [](DecodeCase& c) { c.encoded.resize(1); }},
    {"LutIndexBeyondTheTable", Rule::kCompressionIndex,
     [](DecodeCase& c) {
       c.ancillary[6] = 3;
       c.ancillary.resize(19);
     }},
    {"LutTablesOfNoAxis", Rule::kCompressionAxis,
     [](DecodeCase& c) {
       c.ancillary[5] = 0x02;
       c.ancillary[6] = 2;
     }},
    {"LutOneTableButTwo", Rule::kCompressionAxis, [](DecodeCase& c) { c.ancillary[6] = 2; }},
    {"LutAxisOfOtherSize", Rule::kCompressionAxis,
     [](DecodeCase& c) {
       c.ancillary[5] = 0x22;
       c.ancillary[6] = 2;
     }},
};

TEST(Lut, RefusalsNameTheirRule) { CheckRows(kRows); }

}  // namespace
}  // namespace lutra

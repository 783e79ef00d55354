// SPDX-License-Identifier: Apache-2.0
// Bit packing: each broken case is refused by the rule for it.

#include "runtime/testing/decode_refusal.h"

namespace lutra {
namespace {

constexpr DecodeRow kRows[] = {
    {"BitPackSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 3}}, {});
       c.encoded = {0xD1, 0x58, 0x1F};
     }},
    {"BitPackWidth0", Rule::kCompressionWidth,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 0}}, {});
     }},
    {"BitPackWidth32", Rule::kCompressionWidth,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 32}}, {});
     }},
    {"BitPackStream", Rule::kCompressionStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 3}}, {});
     }},
    {"BitPackType", Rule::kCompressionType,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kBitPack, {{5, 1}}, {});
       c.output = {.shape = {8}, .type = TensorType::kFloat32};
     }},
};

TEST(BitPack, RefusalsNameTheirRule) { CheckRows(kRows); }

}  // namespace
}  // namespace lutra

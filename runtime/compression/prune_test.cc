// SPDX-License-Identifier: Apache-2.0
// Pruning: each broken case is refused by the rule for it.

#include "runtime/testing/decode_refusal.h"

namespace lutra {
namespace {

constexpr DecodeRow kRows[] = {
    {"PruneSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, {1, 2, 3, 4});
       c.encoded = {0x5A};
     }},
    {"PruneTooFewValues", Rule::kPruneCount,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, {1, 2, 3});
       c.encoded = {0x5A};
     }},
    {"PruneMapTooShort", Rule::kCompressionStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(16));
       c.output.shape = {9};
       c.encoded = {0x5A};
     }},
    {"PruneZeroPointOfInt16", Rule::kPruneZeroPoint,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(16));
       c.output = {.shape = {8}, .type = TensorType::kInt16, .scale = 1, .zero_point = 1};
       c.encoded = {0x5A};
     }},
    {"PruneZeroPointRange", Rule::kPruneZeroPoint,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(8));
       c.output.zero_point = 128;
       c.encoded = {0x5A};
     }},
    {"PruneAxis", Rule::kCompressionAxis,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(8));
       c.output.channel_scales = {1, 1};
       c.output.quantized_dimension = 1;
       c.encoded = {0x5A};
     }},
    {"PruneChannels", Rule::kCompressionChannels,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(8));
       c.output.channel_scales = {1, 1};
       c.output.quantized_dimension = 2;
       c.encoded = {0x5A};
     }},
    {"PruneFewerZeroPointsThanScales", Rule::kCompressionChannels,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kPrune, {}, ByteList(8));
       c.output.channel_scales = {1, 1, 1, 1};
       c.output.zero_points = {1, 1, 1};
       c.output.quantized_dimension = 2;
       c.encoded = {0x5A};
     }},
};

TEST(Prune, RefusalsNameTheirRule) { CheckRows(kRows); }

}  // namespace
}  // namespace lutra

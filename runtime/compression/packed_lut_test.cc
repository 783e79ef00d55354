// SPDX-License-Identifier: Apache-2.0
// Wide and sparse LUTs: each broken case is refused by the rule for it.

#include "runtime/testing/decode_refusal.h"

namespace lutra {
namespace {

constexpr DecodeRow kRows[] = {
    {"WideLutSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 2}, {8, 4}}, {1, 2, 3, 4});
     }},
    {"WideLutWidth9", Rule::kCompressionWidth,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 9}, {8, 4}}, {1, 2, 3, 4});
     }},
    {"WideLutTable", Rule::kCompressionTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 2}, {8, 5}}, {1, 2, 3, 4});
     }},
    {"WideLutNoEntries", Rule::kCompressionTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 2}, {8, 0}}, {1, 2, 3, 4});
     }},
    {"WideLutIndex", Rule::kCompressionIndex,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kWideLut, {{5, 2}, {8, 3}}, {1, 2, 3});
     }},
    {"SparseLutSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kSparseLut, {{5, 2}, {8, 4}, {12, 0xAA}}, {1, 2, 3, 4});
       c.encoded = {0xCA, 0x0E};
       c.output.shape = {6};
     }},
    {"SparseLutIndex", Rule::kCompressionIndex,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kSparseLut, {{5, 2}, {8, 3}}, {1, 2, 3});
       c.encoded = {0xCA, 0x0E};
       c.output.shape = {6};
     }},
    {"SparseLutStream", Rule::kCompressionStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kSparseLut, {{5, 2}, {8, 4}}, {1, 2, 3, 4});
       c.encoded = {0xCA};
       c.output.shape = {6};
     }},
};

TEST(PackedLut, RefusalsNameTheirRule) { CheckRows(kRows); }

}  // namespace
}  // namespace lutra

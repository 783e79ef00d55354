// SPDX-License-Identifier: Apache-2.0
// Huffman codes: each broken case is refused by the rule for it.

#include "runtime/testing/decode_refusal.h"

namespace lutra {
namespace {

// Codes of one bit: 0 is symbol 1, 1 is symbol 2. Entries have 16 bits: a leaf with one used bit.
const ByteList kTwoCodes = {0x01, 0x88, 0x02, 0x88};

constexpr DecodeRow kRows[] = {
    {"HuffmanSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, kTwoCodes);
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanInt16NeedsWideEntries", Rule::kCompressionType,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, kTwoCodes);
       c.encoded = {0x5A, 0, 0, 0};
       c.output.type = TensorType::kInt16;
     }},
    {"HuffmanOtherType", Rule::kCompressionType,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 1}}, ByteList(8));
       c.encoded = {0x5A, 0, 0, 0};
       c.output = {.shape = {8}, .type = TensorType::kInt32};
     }},
    {"HuffmanTableTooShort", Rule::kHuffmanTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0x10}}, kTwoCodes);
       c.encoded = {0xFF, 0, 0, 0};
     }},
    {"HuffmanTableLoops", Rule::kHuffmanTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, {0x00, 0x00, 0x00, 0x00});
       c.encoded = ByteList(64);
     }},
    {"HuffmanLeafTakesMoreThanWasFetched", Rule::kHuffmanTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, {0x01, 0x90, 0x02, 0x90});
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanStreamEnds", Rule::kHuffmanStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, kTwoCodes);
       c.encoded = {0x5A, 0, 0, 0};
       c.output.shape = {33};
     }},
    {"HuffmanStreamNoWords", Rule::kHuffmanStream,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffman, {{5, 0}}, kTwoCodes);
       c.encoded = {0x5A, 0, 0};
     }},
    {"HuffmanLutSound", Rule::kNone,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffmanLut, {{5, 0}, {6, 0xF}, {8, 3}, {12, 4}},
               {7, 8, 9, 0, 0x01, 0x88, 0x02, 0x88});
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanLutIndex", Rule::kCompressionIndex,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffmanLut, {{5, 0}, {6, 0xF}, {8, 2}, {12, 4}},
               {7, 8, 0, 0, 0x01, 0x88, 0x02, 0x88});
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanLutTablesOverlap", Rule::kCompressionTable,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffmanLut, {{5, 0}, {6, 0xF}, {8, 5}, {12, 4}},
               {7, 8, 0, 0, 0x01, 0x88, 0x02, 0x88});
       c.encoded = {0x5A, 0, 0, 0};
     }},
    {"HuffmanLutAxis", Rule::kCompressionAxis,
     [](DecodeCase& c) {
       SetType(c, DecodeType::kHuffmanLut, {{5, 0}, {6, 3}, {8, 2}, {12, 4}},
               {7, 8, 0, 0, 0x01, 0x88, 0x02, 0x88});
       c.encoded = {0x5A, 0, 0, 0};
     }},
};

TEST(Huffman, RefusalsNameTheirRule) { CheckRows(kRows); }

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// The byte layouts of compressed tensors, as constants. FORMAT.md beside this file describes them in
// words, with worked bit examples; the checks are in encoding.cc, the decoders in runtime/kernels/.
//
//   const auto type = static_cast<DecodeType>(ancillary.data[kDecodeTypeByte]);

#pragma once

#include <stdint.h>

namespace lutra {

// ---- COMPRESSION_METADATA: lookup tables listed in a FlatBuffer (schema/compression.fbs).

inline constexpr char kCompressionMetadataName[] = "COMPRESSION_METADATA";
inline constexpr uint32_t kCompressionSchemaVersion = 1;

// ---- TFLM_DECODE: a custom operator whose inputs are pairs (encoded, ancillary), one for each output.

inline constexpr char kDecodeCustomCode[] = "TFLM_DECODE";

// First byte of an ancillary tensor. 0 to 2 are TFLM's, 128 to 255 are left to others: these are ours.
enum class DecodeType : uint8_t {
  kLut = 0,
  kHuffman = 1,
  kPrune = 2,
  kBitPack = 128,     // Integers of 1 to 31 bits, zero or sign extended (GAP9's mode T1).
  kWideLut = 129,     // Indices of 1 to 8 bits into one table (T2).
  kSparseLut = 130,   // The same, with a flag bit that stands for the special symbol (T3).
  kHuffmanLut = 131,  // Huffman coded indices into value tables.
};

// The header (decode common metadata) is followed by the payload.
inline constexpr int kDecodeHeaderBytes = 16;
inline constexpr int kDecodeTypeByte = 0;
inline constexpr int kDecodeVersionByte = 1;
inline constexpr int kDecodeVersion = 1;
inline constexpr int kDecodeTypeVersionByte = 4;
inline constexpr int kDecodeTypeVersion = 1;

// kLut: byte 5 = index width (bits 0 to 2) and channel axis (bits 4 to 7), byte 6 = stride.
inline constexpr int kLutWidthByte = 5;
inline constexpr int kLutWidthMask = 0x07;
inline constexpr int kLutAxisShift = 4;
inline constexpr int kLutOneTable = 0x0F;  // The axis field of a tensor with one table.
inline constexpr int kLutStrideByte = 6;
inline constexpr int kLutMaxWidth = 7;
inline constexpr int kLutMaxStride = 128;

// kHuffman, kHuffmanLut: byte 5 = entry size (bit 0: 32 bits) and bits of the first lookup - 1 (4 to 7).
inline constexpr int kHuffmanFlagsByte = 5;
inline constexpr int kHuffmanWideBit = 0x01;
inline constexpr int kHuffmanFirstBitsShift = 4;
inline constexpr int kHuffmanMaxLookupBits = 16;
inline constexpr int kHuffmanStreamUnit = 4;  // The stream's length is a multiple of this.

// kHuffmanLut: byte 6 = channel axis (kLutOneTable: one table), bytes 8 and 9 = stride, 12 to 15 = where
// in the payload the code table begins, a multiple of 4. The value tables begin at 0.
inline constexpr int kHuffmanLutAxisByte = 6;
inline constexpr int kHuffmanLutStrideByte = 8;
inline constexpr int kHuffmanLutCodesByte = 12;

// kBitPack, kWideLut, kSparseLut: byte 5 = width, byte 6 = flags.
inline constexpr int kPackWidthByte = 5;
inline constexpr int kPackFlagsByte = 6;
inline constexpr int kPackMsbFirstBit = 0x01;  // Else least significant bit first, as GAP9 reads.
inline constexpr int kPackSignBit = 0x02;      // kBitPack: sign extension.
inline constexpr int kBitPackMaxWidth = 31;
inline constexpr int kWideLutMaxWidth = 8;

// kWideLut, kSparseLut: bytes 8 and 9 = number of table entries, 1 to 256.
inline constexpr int kPackEntriesByte = 8;
// kSparseLut: bytes 12 to 15 = special symbol, of which as many low bytes count as the element has.
inline constexpr int kPackSpecialByte = 12;

// Which end of a byte holds the first bit of a stream.
enum class BitOrder : uint8_t {
  kMsbFirst,  // TFLM; bit 0 of the stream is 0x80 of byte 0, fields begin with their highest bit.
  kLsbFirst,  // GAP9; bit 0 of the stream is 0x01 of byte 0, fields begin with their lowest bit.
};

}  // namespace lutra

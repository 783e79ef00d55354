// SPDX-License-Identifier: Apache-2.0
// The codecs and the byte layouts of compressed tensors, as constants. FORMAT.md beside this file describes
// them in words, with worked bit examples.
//
//   const auto type = static_cast<DecodeType>(ancillary.data[kDecodeTypeByte]);

#pragma once

#include <stdint.h>

namespace lutra {

// ---- COMPRESSION_METADATA: lookup tables listed in a FlatBuffer (schema/compression.fbs).

inline constexpr char kCompressionMetadataName[] = "COMPRESSION_METADATA";
inline constexpr uint32_t kCompressionSchemaVersion = 1;

// ---- TFLM_DECODE (kDecodeCustomCode): a custom operator whose inputs are pairs (encoded, ancillary), one
// for each output.

// One row for each codec; adding a codec is adding a row here, its functions in compression/ and its encoder,
// Encode<name>(), in compressor/encode/. The first rows are the cheapest to decode: of codecs that make a
// tensor equally small the compressor takes the first.
//
//   name         of the constant DecodeType::kName
//   number       the first byte of an ancillary tensor; 0 to 2 are TFLM's, 128 to 255 are left to others
//   text         its name in reports, in JSON and on command lines
//   method       its name in the compressor's spec
//   TFLM         whether TensorFlow Lite Micro reads it
//   types        the element types that it holds (codecs.h)
//   tables       its value tables (codecs.h)
//   order        whether streams may have either bit order; else they are MSB first
//   read, check, decode, part   its functions (codec_functions.h)
//
// BitPack, WideLut and SparseLut are GAP9's modes T1, T2 and T3. HuffmanLut has Huffman coded indices.
// clang-format off
#define LUTRA_CODECS(CODEC) \
        /* name     number text           method         TFLM   types               tables          order  read            check            decode            part */               \
  CODEC(Lut,        0,     "lut",         "lut",         true,  kCompressibleTypes, kPerChannel,    false, ReadLut,        CheckLut,        DecodeLutValues,  DecodeLutPart)        \
  CODEC(WideLut,    129,   "wide-lut",    "wide_lut",    false, kPackedTableTypes,  kOne,           true,  ReadPackedLut,  CheckLut,        DecodeLutValues,  DecodeLutPart)        \
  CODEC(BitPack,    128,   "bitpack",     "bitpack",     false, kItemTypes,         kNone,          true,  ReadBitPack,    CheckBitPack,    DecodeBitPack,    DecodeBitPackPart)    \
  CODEC(Prune,      2,     "prune",       "pruning",     true,  kCompressibleTypes, kNone,          false, ReadPrune,      CheckPrune,      DecodePrune,      DecodePrunePart)      \
  CODEC(SparseLut,  130,   "sparse-lut",  "sparse_lut",  false, kPackedTableTypes,  kOneAndSpecial, true,  ReadPackedLut,  CheckSparseLut,  DecodeSparseLut,  DecodeSparseLutPart)  \
  CODEC(Huffman,    1,     "huffman",     "huffman",     true,  kSymbolTypes,       kNone,          false, ReadHuffman,    CheckHuffman,    DecodeHuffman,    DecodeHuffmanPart)    \
  CODEC(HuffmanLut, 131,   "huffman-lut", "huffman_lut", false, kCompressibleTypes, kPerChannel,    false, ReadHuffmanLut, CheckHuffmanLut, DecodeHuffmanLut, DecodeHuffmanLutPart)
// clang-format on

enum class DecodeType : uint8_t {
#define LUTRA_DECODE_TYPE(name, number, ...) k##name = number,
  LUTRA_CODECS(LUTRA_DECODE_TYPE)
#undef LUTRA_DECODE_TYPE
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

// The only codec that COMPRESSION_METADATA can hold.
inline constexpr DecodeType kMetadataCodec = DecodeType::kLut;

// Says which end of a byte comes first in a stream of bits.
enum class BitOrder : uint8_t {
  kMsbFirst,  // TFLM; bit 0 of the stream is 0x80 of byte 0, fields begin with their highest bit.
  kLsbFirst,  // GAP9; bit 0 of the stream is 0x01 of byte 0, fields begin with their lowest bit.
};

}  // namespace lutra

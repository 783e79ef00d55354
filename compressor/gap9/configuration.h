// SPDX-License-Identifier: Apache-2.0
// Configuration: the settings of a command of GAP9's decompression engine, and its 32-bit register CONF_REG.
//
//   Configuration conf{.mode = Mode::kLut, .element_bytes = 2, .item_width = 4, .items = 400};
//   conf.SetL2Address(0x1003, &command.l2_address);     // 0x1000, start_byte 3
//   command.conf = conf.Word();
//
// bits  1:0   mode: 0 T1, 1 T2, 2 T3
//       3:2   extension of an element: 0 to 8 bits, 1 to 16, 3 to 32
//       8:4   item width in bits
//       9     sign extension
//       12:10 start_bit, 15:14 start_byte: where in the word at the L2 address the first item begins
//       13    direction: 0 L2 to L1, decompression; 1 L1 to L2, compression
//       31:16 items

#pragma once

#include <stdint.h>

namespace lutra::compressor::gap9 {

// The numbers of the SDK's enumeration. The register's description has 3 for T3: that is read as T3 too.
enum class Mode : uint8_t {
  kBitPack = 0,    // T1: items of 1 to 31 bits, zero or sign extended.
  kLut = 1,        // T2: indices into 256 entries of 16 bits.
  kSparseLut = 2,  // T3: a flag bit each; 0 is the special symbol, 1 is followed by an index.
};

enum class Direction : uint8_t { kDecompress = 0, kCompress = 1 };

inline constexpr uint32_t kResetConfiguration = 0x4C;  // T1 of 4 bits to elements of 32.
inline constexpr int kMaxItemWidth = 31;
inline constexpr int kMaxIndexWidth = 15;  // T2 and T3.

struct Configuration {
  Mode mode = Mode::kBitPack;
  uint8_t element_bytes = 4;  // 1, 2 or 4; 0: the reserved code.
  uint8_t item_width = 4;     // As written: 0 to 31.
  bool sign_extend = false;
  uint8_t start_bit = 0;   // 0 to 7.
  uint8_t start_byte = 0;  // 0 to 3.
  Direction direction = Direction::kDecompress;
  uint16_t items = 0;

  static Configuration Parse(uint32_t word);
  uint32_t Word() const;

  // The register of the L2 address holds multiples of 4: the rest of `address`, in bytes, becomes start_byte.
  void SetL2Address(uint32_t address, uint32_t* l2_address);

  // Bits that the engine takes for an item, without T3's flag: item_width, where that is legal, else 1.
  int EffectiveWidth() const;
  bool HasLegalWidth() const;
};

}  // namespace lutra::compressor::gap9

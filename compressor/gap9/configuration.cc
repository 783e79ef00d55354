// SPDX-License-Identifier: Apache-2.0
// Reads and writes the register CONF_REG.

#include "compressor/gap9/configuration.h"

namespace lutra::compressor::gap9 {
namespace {

constexpr int kExtensionShift = 2;
constexpr int kWidthShift = 4;
constexpr int kSignShift = 9;
constexpr int kStartBitShift = 10;
constexpr int kDirectionShift = 13;
constexpr int kStartByteShift = 14;
constexpr int kItemsShift = 16;

// The bytes of an element by its code; code 2 is reserved.
constexpr uint8_t kElementBytes[] = {1, 2, 0, 4};

uint32_t Field(uint32_t word, int shift, uint32_t mask) { return word >> shift & mask; }

}  // namespace

Configuration Configuration::Parse(uint32_t word) {
  Configuration conf;
  const uint32_t mode = Field(word, 0, 3);
  conf.mode = mode >= 2 ? Mode::kSparseLut : static_cast<Mode>(mode);
  conf.element_bytes = kElementBytes[Field(word, kExtensionShift, 3)];
  conf.item_width = static_cast<uint8_t>(Field(word, kWidthShift, 31));
  conf.sign_extend = Field(word, kSignShift, 1) != 0;
  conf.start_bit = static_cast<uint8_t>(Field(word, kStartBitShift, 7));
  conf.direction = static_cast<Direction>(Field(word, kDirectionShift, 1));
  conf.start_byte = static_cast<uint8_t>(Field(word, kStartByteShift, 3));
  conf.items = static_cast<uint16_t>(Field(word, kItemsShift, 0xFFFF));
  return conf;
}

uint32_t Configuration::Word() const {
  uint32_t extension = 0;
  while (extension < 3 && kElementBytes[extension] != element_bytes) ++extension;
  return static_cast<uint32_t>(mode) | extension << kExtensionShift | (item_width & 31u) << kWidthShift |
         static_cast<uint32_t>(sign_extend) << kSignShift | (start_bit & 7u) << kStartBitShift |
         static_cast<uint32_t>(direction) << kDirectionShift | (start_byte & 3u) << kStartByteShift |
         static_cast<uint32_t>(items) << kItemsShift;
}

void Configuration::SetL2Address(uint32_t address, uint32_t* l2_address) {
  start_byte = static_cast<uint8_t>(address & 3);
  *l2_address = address & ~3u;
}

bool Configuration::HasLegalWidth() const {
  return item_width >= 1 && item_width <= (mode == Mode::kBitPack ? kMaxItemWidth : kMaxIndexWidth);
}

int Configuration::EffectiveWidth() const { return HasLegalWidth() ? item_width : 1; }

}  // namespace lutra::compressor::gap9

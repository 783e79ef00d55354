// SPDX-License-Identifier: Apache-2.0
// Runs the cases of the chip's own tests: the engine decodes what the codec encodes, and encodes what it
// decodes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

#include "compressor/encode/bit_writer.h"
#include "compressor/encode/elements.h"
#include "compressor/gap9/testing.h"
#include "lutra/compression/format.h"
#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "lutra/kernels/lut_decode/lut_decode.h"
#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"

namespace lutra::compressor::gap9 {
namespace {

// A case of the chip's own tests: data, the codec's stream for them, and the items that the engine must
// decode.
struct Case {
  Configuration conf;
  Items items;  // As packed: kSpecialItem in T3.
  Items values;
  std::vector<uint16_t> lut;
};

Case MakeCase(Mode mode, int start, bool is_unsigned, int element_bytes, int width, int centroids,
              std::mt19937* random) {
  Case one;
  one.conf = {.mode = mode,
              .element_bytes = static_cast<uint8_t>(element_bytes),
              .item_width = static_cast<uint8_t>(width),
              .sign_extend = !is_unsigned,
              .start_bit = static_cast<uint8_t>(start % 8),
              .start_byte = static_cast<uint8_t>(start / 8),
              .items = kItems};
  for (int i = 0; i < centroids; ++i) one.lut.push_back(static_cast<uint16_t>((*random)()));
  const uint32_t element_mask = element_bytes == 4 ? UINT32_MAX : (1u << (8 * element_bytes)) - 1;
  for (int i = 0; i < kItems; ++i) {
    if (mode == Mode::kSparseLut && (*random)() % 2 == 0) {
      one.items.push_back(kSpecialItem);
      one.values.push_back(kResetSpecialSymbol & element_mask);
      continue;
    }
    uint32_t value;
    if (mode == Mode::kBitPack) {
      value = (*random)() & ((1u << width) - 1);
      one.items.push_back(value);
      if (!is_unsigned && (value >> (width - 1)) != 0) value |= ~0u << width;
    } else {
      const uint32_t index = (*random)() % static_cast<uint32_t>(centroids);
      value = one.lut[index];
      if (!is_unsigned && value >= 0x8000) value |= 0xFFFF0000;
      const bool is_special = (value & element_mask) == (kResetSpecialSymbol & element_mask);
      one.items.push_back(mode == Mode::kSparseLut && is_special ? kSpecialItem : index);
    }
    one.values.push_back(value & element_mask);
  }
  return one;
}

Bytes Stream(const Case& one, int start) {
  BitWriter writer(BitOrder::kLsbFirst);
  writer.Put(0, start);
  (one.conf.mode == Mode::kSparseLut ? PutSparseItems : PutItems)(one.items, one.conf.item_width, &writer);
  return Words(writer.bytes());
}

struct Counts {
  int decompressed[3] = {};
  int packed = 0;
  int kernels = 0;
};

// Returns the one of the runtime's three kernels that is for this element size.
template <typename Fn>
Fn BySize(int element_bytes, Fn one, Fn two, Fn four) {
  return element_bytes == 1 ? one : element_bytes == 2 ? two : four;
}

// The runtime's decoders give the same elements, if they support such a case.
void ExpectKernelsAgree(const Case& one, int start, const Bytes& stream, const Bytes& l1, Counts* counts) {
  const int element_bytes = one.conf.element_bytes;
  Items lut(one.lut.begin(), one.lut.end());
  for (uint32_t& value : lut) {
    if (one.conf.sign_extend && value >= 0x8000) value |= 0xFFFF0000;
  }
  const Bytes values = ElementBytesOf(lut, element_bytes);
  Items output(kItems);
  const int32_t width = one.conf.item_width;
  if (one.conf.mode == Mode::kBitPack) {
    const auto run = BySize<BitUnpackFn>(element_bytes, BitUnpackRef<uint8_t>, BitUnpackRef<uint16_t>,
                                         BitUnpackRef<uint32_t>);
    run({.stream = stream.data(),
         .stream_bytes = stream.size(),
         .order = BitOrder::kLsbFirst,
         .width = width,
         .sign_extend = one.conf.sign_extend,
         .first_bit = start,
         .output = output.data()},
        0, kItems);
  } else if (width > kWideLutMaxWidth || (one.conf.mode == Mode::kLut && start != 0)) {
    return;
  } else if (one.conf.mode == Mode::kLut) {
    const auto run = BySize<LutDecodeFn>(element_bytes, LutDecodeRef<uint8_t>, LutDecodeRef<uint16_t>,
                                         LutDecodeRef<uint32_t>);
    run({.stream = stream.data(),
         .stream_bytes = stream.size(),
         .order = BitOrder::kLsbFirst,
         .width = width,
         .values = values.data(),
         .stride = static_cast<int32_t>(one.lut.size()),
         .channels = 1,
         .inner = 1,
         .output = output.data()},
        0, kItems);
  } else {
    const auto run = BySize<SparseLutDecodeFn>(element_bytes, SparseLutDecodeRef<uint8_t>,
                                               SparseLutDecodeRef<uint16_t>, SparseLutDecodeRef<uint32_t>);
    run({.stream = stream.data(),
         .stream_bytes = stream.size(),
         .order = BitOrder::kLsbFirst,
         .width = width,
         .first_bit = start,
         .values = values.data(),
         .special = kResetSpecialSymbol,
         .count = kItems,
         .output = output.data()});
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(output.data());
  EXPECT_EQ(Bytes(bytes, bytes + l1.size()), l1);
  ++counts->kernels;
}

void RunCase(const Case& one, int start, Counts* counts) {
  const int element_bytes = one.conf.element_bytes;
  const Bytes stream = Stream(one, start);
  Bytes l1(kItems * static_cast<size_t>(element_bytes), kUntouched);
  Bytes l2 = stream;
  Engine engine(Memory(l1), Memory(l2));
  Command command{.conf = one.conf.Word()};
  command.lut = one.lut.data();
  command.lut_size = static_cast<uint8_t>(one.lut.size());
  command.update_lut = !one.lut.empty();
  ASSERT_EQ(Check(command), Error::kNone);
  engine.Push(&command);
  engine.Run();
  ASSERT_EQ(command.error, Error::kNone) << ToString(command.error);
  ASSERT_EQ(l1, ElementBytesOf(one.values, element_bytes));
  const auto specials = static_cast<size_t>(std::count(one.items.begin(), one.items.end(), kSpecialItem));
  const size_t item_bits = one.conf.item_width + (one.conf.mode == Mode::kSparseLut ? 1u : 0u);
  ASSERT_EQ(engine.bits_read(), specials + (kItems - specials) * item_bits);
  ++counts->decompressed[static_cast<int>(one.conf.mode)];
  ExpectKernelsAgree(one, start, stream, l1, counts);
  if (one.conf.mode != Mode::kBitPack) return;

  // Packs the items again, into memory that is not blank: bits around the items stay.
  Configuration pack = one.conf;
  pack.direction = Direction::kCompress;
  command.conf = pack.Word();
  for (uint8_t filling : {0x00, 0xFF}) {
    std::fill(l2.begin(), l2.end(), filling);
    engine.Push(&command);
    engine.Run();
    ASSERT_EQ(command.error, Error::kNone) << ToString(command.error);
    const size_t end = static_cast<size_t>(start) + kItems * item_bits;
    for (size_t bit = 0; bit < l2.size() * 8; ++bit) {
      const int expected =
          bit < static_cast<size_t>(start) || bit >= end ? filling & 1 : stream[bit / 8] >> (bit % 8) & 1;
      ASSERT_EQ(l2[bit / 8] >> (bit % 8) & 1, expected) << bit;
    }
  }
  ++counts->packed;
}

TEST(Gap9Matrix, WholeMatrix) {
  std::mt19937 random(1234);
  Counts counts;
  for (Mode mode : {Mode::kBitPack, Mode::kLut, Mode::kSparseLut}) {
    for (int start_byte = 0; start_byte < 4; ++start_byte) {
      for (int start_bit : {0, 1, 4, 7}) {
        for (bool is_unsigned : {false, true}) {
          for (int element_bytes : {1, 2, 4}) {
            for (int width : {1, 3, 5, 7, std::min(15, 8 * element_bytes - 1)}) {
              for (int centroids : {2, 20, 40, 80, 100, 140, 180, 220, 255}) {
                // T1 has no centroids, and runs once.
                const bool runs = mode == Mode::kBitPack ? centroids == 2 : centroids <= 1 << width;
                if (!runs) continue;
                const int start = start_byte * 8 + start_bit;
                const Case one = MakeCase(mode, start, is_unsigned, element_bytes, width,
                                          mode == Mode::kBitPack ? 0 : centroids, &random);
                RunCase(one, start, &counts);
                if (HasFatalFailure()) return;
              }
            }
          }
        }
      }
    }
  }
  EXPECT_EQ(counts.decompressed[0], 480);
  EXPECT_EQ(counts.decompressed[1], 1600);
  EXPECT_EQ(counts.decompressed[2], 1600);
  EXPECT_EQ(counts.packed, 480);
  EXPECT_EQ(counts.kernels, 480 + 64 + 1024);
  printf("%d + %d + %d decompressions, %d of them with the kernels too, %d compressions\n",
         counts.decompressed[0], counts.decompressed[1], counts.decompressed[2], counts.kernels,
         counts.packed);
}

TEST(Gap9Matrix, Packs31Bits) {
  std::mt19937 random(31);
  Counts counts;
  for (int width = 1; width <= kMaxItemWidth; ++width) {
    for (bool is_unsigned : {false, true}) {
      RunCase(MakeCase(Mode::kBitPack, width, is_unsigned, 4, width, 0, &random), width, &counts);
    }
  }
  EXPECT_EQ(counts.packed, 62);
}

TEST(Gap9Matrix, TwoDimensional) {
  constexpr uint16_t kRowItems = 100;
  std::mt19937 random(2);
  int cases = 0;
  for (Transfer transfer : {Transfer::k2dL2, Transfer::k2dL1}) {
    for (int stride : {4, 6, 10, 20}) {
      for (int count : {1, 2, 3, stride - 1}) {
        for (int element_bytes : {1, 2, 4}) {
          for (int width : {1, 5, 7}) {
            const size_t spread =
                static_cast<size_t>((kRowItems - 1) / count * stride + (kRowItems - 1) % count) + 1;
            Items items(transfer == Transfer::k2dL2 ? spread : kRowItems);
            for (uint32_t& item : items) item = random() & ((1u << width) - 1);
            BitWriter writer(BitOrder::kLsbFirst);
            writer.Put(0, 9);
            PutItems(items, width, &writer);
            Items expected(transfer == Transfer::k2dL2 ? kRowItems : spread, 0);
            for (size_t i = 0; i < kRowItems; ++i) {
              const size_t apart = i / static_cast<size_t>(count) * static_cast<size_t>(stride) +
                                   i % static_cast<size_t>(count);
              (transfer == Transfer::k2dL2 ? expected[i] = items[apart] : expected[apart] = items[i]);
            }
            Bytes l2 = Words(writer.bytes());
            Bytes l1(expected.size() * static_cast<size_t>(element_bytes), 0);
            Engine engine(Memory(l1), Memory(l2));
            const Rows rows{static_cast<uint16_t>(count - 1), static_cast<uint16_t>(stride - 1)};
            Command command{.transfer = transfer, .l2_rows = rows, .l1_rows = rows};
            command.update_l2_rows = command.update_l1_rows = true;
            command.conf = Configuration{.element_bytes = static_cast<uint8_t>(element_bytes),
                                         .item_width = static_cast<uint8_t>(width),
                                         .start_bit = 1,
                                         .start_byte = 1,
                                         .items = kRowItems}
                               .Word();
            engine.Push(&command);
            engine.Run();
            ASSERT_EQ(command.error, Error::kNone) << ToString(command.error);
            ASSERT_EQ(l1, ElementBytesOf(expected, element_bytes));
            ASSERT_EQ(engine.bits_read(), static_cast<uint32_t>(kRowItems * width));
            ++cases;
          }
        }
      }
    }
  }
  EXPECT_EQ(cases, 2 * 4 * 4 * 3 * 3);
  printf("%d two-dimensional transfers\n", cases);
}

// Decompresses tensors that the codec wrote for TFLM_DECODE.
TEST(Gap9Matrix, DecompressesEncodedTensors) {
  std::mt19937 random(4);
  int cases = 0;
  for (int element_bytes : {1, 2}) {
    for (size_t distinct = 1; distinct <= 255; ++distinct) {
      Bytes bytes;
      for (size_t i = 0; i < kItems; ++i) {
        const auto value = static_cast<uint32_t>(i < distinct ? i : random() % distinct);
        Append(value * 37 - 40, element_bytes, &bytes);
      }
      const TensorValues values{.type = element_bytes == 1 ? TensorType::kInt8 : TensorType::kInt16,
                                .shape = {kItems},
                                .bytes = bytes};
      for (const Encodable& encodable :
           {EncodeBitPack(values), EncodeWideLut(values), EncodeSparseLut(values)}) {
        ASSERT_TRUE(encodable.result) << encodable.why_not;
        const Bytes& ancillary = encodable.result->ancillary;
        Command command;
        Configuration conf{.element_bytes = static_cast<uint8_t>(element_bytes),
                           .item_width = ancillary[kPackWidthByte],
                           .sign_extend = (ancillary[kPackFlagsByte] & kPackSignBit) != 0,
                           .items = kItems};
        std::vector<uint16_t> lut;
        for (size_t at = kDecodeHeaderBytes; at < ancillary.size();
             at += static_cast<size_t>(element_bytes)) {
          lut.push_back(static_cast<uint16_t>(element_bytes == 1 ? ancillary[at]
                                                                 : ancillary[at] | ancillary[at + 1] << 8));
        }
        if (encodable.result->type != DecodeType::kBitPack) {
          conf.mode = encodable.result->type == DecodeType::kWideLut ? Mode::kLut : Mode::kSparseLut;
          command.special_symbol =
              static_cast<uint32_t>(ancillary[kPackSpecialByte] | ancillary[kPackSpecialByte + 1] << 8);
          command.lut = lut.data();
          command.lut_size = static_cast<uint8_t>(lut.size());
          command.update_lut = true;
        }
        ASSERT_EQ(Decompressed(conf, Words(encodable.result->encoded), command), bytes);
        ++cases;
      }
    }
  }
  EXPECT_EQ(cases, 2 * 255 * 3);
  printf("%d encoded tensors\n", cases);
}

}  // namespace
}  // namespace lutra::compressor::gap9

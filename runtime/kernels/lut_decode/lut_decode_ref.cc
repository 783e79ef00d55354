// SPDX-License-Identifier: Apache-2.0
// Eight indices are as many bytes as an index has bits: they are taken from the stream as one word and,
// unless the width is known to the compiler, spread to a byte each by three shifts.

#include <string.h>

#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/lut_decode/lut_decode.h"

namespace lutra {
namespace {

// Moves the upper half of each field to the upper half of its lane: lanes of 2 * `half_lane` bits hold
// fields of 2 * `half_field` bits at their bottom.
class Spread {
 public:
  Spread(int half_field, int half_lane) : shift_(half_lane - half_field) {
    const uint64_t ones = (uint64_t{1} << half_field) - 1;
    for (int at = 0; at < 64; at += 2 * half_lane) low_ |= ones << at;
    high_ = low_ << half_lane;
  }
  uint64_t operator()(uint64_t word) const { return (word & low_) | (word << shift_ & high_); }

 private:
  int shift_;
  uint64_t low_ = 0;
  uint64_t high_ = 0;
};

class IndexGroups {
 public:
  explicit IndexGroups(const LutDecodeArgs& args)
      : stream_(args.stream),
        bytes_(args.stream_bytes),
        width_(args.width),
        msb_first_(args.order == BitOrder::kMsbFirst),
        to_fours_(4 * width_, 32),
        to_twos_(2 * width_, 16),
        to_ones_(width_, 8) {}

  // Indices 8 * group to 8 * group + 7, one in each byte, the first in the lowest.
  uint64_t Get(int32_t group) const {
    const size_t at = static_cast<size_t>(group) * static_cast<size_t>(width_);
    uint64_t word = msb_first_ ? LoadBig64Within(stream_, bytes_, at) >> (64 - 8 * width_)
                               : LoadLittle64Within(stream_, bytes_, at);
    // All in one field, then four in each half of the word, two in each quarter, one in each byte.
    word = to_ones_(to_twos_(to_fours_(word)));
    return msb_first_ ? __builtin_bswap64(word) : word;
  }

 private:
  const uint8_t* stream_;
  size_t bytes_;
  int32_t width_;
  bool msb_first_;
  Spread to_fours_;
  Spread to_twos_;
  Spread to_ones_;
};

// Whole groups of bytes that share a table, most significant bit first: the case that matters most.
// With the width known to the compiler, each index is one shift and one mask away.
template <int kWidth>
void DecodeBytes(const LutDecodeArgs& args, const uint8_t* table, int32_t group, int32_t count,
                 uint8_t* output) {
  const uint8_t* const stream = args.stream;  // Bytes that are written might be those of args.
  const size_t stream_bytes = args.stream_bytes;
  for (const int32_t end = group + count; group < end; ++group, output += 8) {
    const uint64_t word = LoadBig64Within(stream, stream_bytes, static_cast<size_t>(group) * kWidth);
    for (int k = 0; k < 8; ++k) output[k] = table[word >> (64 - kWidth * (k + 1)) & ((1u << kWidth) - 1)];
  }
}

using DecodeBytesFn = void (*)(const LutDecodeArgs&, const uint8_t*, int32_t, int32_t, uint8_t*);
constexpr DecodeBytesFn kDecodeBytes[] = {DecodeBytes<1>, DecodeBytes<2>, DecodeBytes<3>, DecodeBytes<4>,
                                          DecodeBytes<5>, DecodeBytes<6>, DecodeBytes<7>, DecodeBytes<8>};

// Whole groups that share a table.
template <typename T>
void DecodeRun(const LutDecodeArgs& args, const IndexGroups& groups, const uint8_t* table, int32_t group,
               int32_t count, T* output) {
  if constexpr (sizeof(T) == 1) {
    if (args.order == BitOrder::kMsbFirst) {
      return kDecodeBytes[args.width - 1](args, table, group, count, output);
    }
  }
  for (const int32_t end = group + count; group < end; ++group, output += 8) {
    uint64_t indices = groups.Get(group);
    for (int k = 0; k < 8; ++k, indices >>= 8) {
      output[k] = LoadElement<T>(table + (indices & 0xFF) * sizeof(T));
    }
  }
}

template <typename T>
void LutDecode(const LutDecodeArgs& args, int32_t first, int32_t count) {
  const IndexGroups groups(args);
  auto* output = static_cast<T*>(args.output);
  const size_t table_bytes = static_cast<size_t>(args.stride) * sizeof(T);
  const int32_t channels = args.channels;
  int32_t channel = first / args.inner % channels;
  const uint8_t* table = args.values + static_cast<size_t>(channel) * table_bytes;
  // Elements up to the next table.
  int32_t left = channels == 1 ? count : args.inner - first % args.inner;
  const auto next_table = [&] {
    left = args.inner;
    channel = channel + 1 == channels ? 0 : channel + 1;
    table = channel == 0 ? args.values : table + table_bytes;
  };
  const int32_t end = first + count;
  for (int32_t i = first; i < end;) {
    const int32_t skipped = i % 8;
    const int32_t whole = skipped != 0 ? 0 : (left < end - i ? left : end - i) / 8;
    if (whole > 0) {
      DecodeRun<T>(args, groups, table, i / 8, whole, output);
      output += 8 * whole;
      i += 8 * whole;
      left -= 8 * whole;
      if (left == 0) next_table();
      continue;
    }
    uint64_t indices = groups.Get(i / 8) >> (8 * skipped);
    if (args.inner == 1 && skipped == 0 && end - i >= 8 && channels - channel > 8) {
      // Eight tables in a row.
      for (int k = 0; k < 8; ++k, indices >>= 8, table += table_bytes) {
        output[k] = LoadElement<T>(table + (indices & 0xFF) * sizeof(T));
      }
      output += 8;
      i += 8;
      channel += 8;
      continue;
    }
    const int32_t stop = 8 - skipped < end - i ? i + 8 - skipped : end;
    for (; i < stop; ++i, indices >>= 8) {
      *output++ = LoadElement<T>(table + (indices & 0xFF) * sizeof(T));
      if (--left == 0) next_table();
    }
  }
}

}  // namespace

void LutDecode8Ref(const LutDecodeArgs& args, int32_t first, int32_t count) {
  LutDecode<uint8_t>(args, first, count);
}
void LutDecode16Ref(const LutDecodeArgs& args, int32_t first, int32_t count) {
  LutDecode<uint16_t>(args, first, count);
}
void LutDecode32Ref(const LutDecodeArgs& args, int32_t first, int32_t count) {
  LutDecode<uint32_t>(args, first, count);
}
void LutDecode64Ref(const LutDecodeArgs& args, int32_t first, int32_t count) {
  LutDecode<uint64_t>(args, first, count);
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Eight indices are as many bytes as an index has bits: they are taken from the stream as one word and
// spread to a byte each by three shifts. Where a run of elements shares a table that is long enough, one
// lookup makes two or four bytes.

#include <string.h>

#include "runtime/kernels/bit_stream.h"
#include "runtime/kernels/lut_decode/lut_decode.h"

namespace lutra {
namespace {

// Fields of equal size at the bottom of equal lanes: bits [0, field) of each `lane` bits.
constexpr uint64_t LaneMask(int field, int lane) {
  const uint64_t ones = field == 64 ? ~uint64_t{0} : (uint64_t{1} << field) - 1;
  uint64_t mask = 0;
  for (int at = 0; at < 64; at += lane) mask |= ones << at;
  return mask;
}

class IndexGroups {
 public:
  explicit IndexGroups(const LutDecodeArgs& args)
      : stream_(args.stream),
        bytes_(args.stream_bytes),
        width_(args.width),
        msb_first_(args.order == BitOrder::kMsbFirst),
        all_(LaneMask(8 * width_, 64)),
        fours_(LaneMask(4 * width_, 32)),
        twos_(LaneMask(2 * width_, 16)),
        ones_(LaneMask(width_, 8)) {}

  bool msb_first() const { return msb_first_; }
  // Indices 8 * group to 8 * group + 7: four in each half of the word, two in each quarter, one in
  // each byte. The first ones are in the lowest lane, or in the highest one if msb_first().
  uint64_t Fours(int32_t group) const {
    const size_t at = static_cast<size_t>(group) * static_cast<size_t>(width_);
    const uint64_t packed = msb_first_ ? LoadBig64Within(stream_, bytes_, at) >> (64 - 8 * width_)
                                       : LoadLittle64Within(stream_, bytes_, at) & all_;
    return (packed | packed << (32 - 4 * width_)) & fours_;
  }
  uint64_t Twos(int32_t group) const {
    const uint64_t fours = Fours(group);
    return (fours | fours << (16 - 2 * width_)) & twos_;
  }
  // One in each byte, the first in the lowest.
  uint64_t Ones(int32_t group) const {
    const uint64_t twos = Twos(group);
    const uint64_t ones = (twos | twos << (8 - width_)) & ones_;
    return msb_first_ ? __builtin_bswap64(ones) : ones;
  }

 private:
  const uint8_t* stream_;
  size_t bytes_;
  int32_t width_;
  bool msb_first_;
  uint64_t all_;
  uint64_t fours_;
  uint64_t twos_;
  uint64_t ones_;
};

// The values of every sequence of kCount indices, kCount bytes each.
template <int kCount, int kEntries>
struct SequenceTable {
  uint8_t values[kEntries][kCount];

  SequenceTable(const uint8_t* table, const LutDecodeArgs& args) {
    const uint32_t mask = (1u << args.width) - 1;
    for (uint32_t sequence = 0; sequence < 1u << (kCount * args.width); ++sequence) {
      for (int k = 0; k < kCount; ++k) {
        const int place = args.order == BitOrder::kMsbFirst ? kCount - 1 - k : k;
        const uint32_t index = sequence >> (place * args.width) & mask;
        values[sequence][k] = index < static_cast<uint32_t>(args.stride) ? table[index] : 0;
      }
    }
  }
};

// Whole groups of bytes that share a table.
template <int kCount, int kEntries>
void DecodeSequences(const LutDecodeArgs& args, const IndexGroups& groups, const uint8_t* table,
                     int32_t group, int32_t count, uint8_t* output) {
  const SequenceTable<kCount, kEntries> sequences(table, args);
  constexpr int kLane = 8 * kCount;
  constexpr uint32_t kLaneBits = kLane == 32 ? ~0u : (1u << kLane % 32) - 1;
  const bool msb_first = groups.msb_first();
  for (const int32_t end = group + count; group < end; ++group, output += 8) {
    const uint64_t word = kCount == 4 ? groups.Fours(group) : groups.Twos(group);
    for (int k = 0; k < 8 / kCount; ++k) {
      const int shift = msb_first ? 64 - kLane * (k + 1) : kLane * k;
      const uint32_t sequence = static_cast<uint32_t>(word >> shift) & kLaneBits;
      memcpy(output + kCount * k, sequences.values[sequence], kCount);
    }
  }
}

template <typename T>
void DecodeRun(const LutDecodeArgs& args, const IndexGroups& groups, const uint8_t* table, int32_t group,
               int32_t count, T* output) {
  if constexpr (sizeof(T) == 1) {
    // A sequence table pays where it is built from a fraction of what is decoded.
    if (args.width == 1 && count >= 8) {
      return DecodeSequences<4, 16>(args, groups, table, group, count, output);
    }
    if (args.width <= 3 && count >= 32) {
      return DecodeSequences<2, 64>(args, groups, table, group, count, output);
    }
    if (args.width == 4 && count >= 128) {
      return DecodeSequences<2, 256>(args, groups, table, group, count, output);
    }
  }
  for (const int32_t end = group + count; group < end; ++group, output += 8) {
    uint64_t indices = groups.Ones(group);
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
  int32_t channel = first / args.inner % args.channels;
  const uint8_t* table = args.values + static_cast<size_t>(channel) * table_bytes;
  const int32_t end = first + count;
  // Elements up to the next table.
  int32_t left = args.channels == 1 ? count : args.inner - first % args.inner;
  for (int32_t i = first; i < end;) {
    const int32_t skipped = i % 8;
    const int32_t whole = (left < end - i ? left : end - i) / 8;
    if (skipped == 0 && whole > 0) {
      const int32_t done = 8 * whole;
      DecodeRun<T>(args, groups, table, i / 8, whole, output);
      output += done;
      i += done;
      left -= done;
    } else {
      uint64_t indices = groups.Ones(i / 8) >> (8 * skipped);
      const int32_t stop = 8 - skipped < end - i ? i + 8 - skipped : end;
      for (; i < stop; ++i, --left, indices >>= 8) {
        if (left == 0) {
          left = args.inner;
          channel = channel + 1 == args.channels ? 0 : channel + 1;
          table = channel == 0 ? args.values : table + table_bytes;
        }
        *output++ = LoadElement<T>(table + (indices & 0xFF) * sizeof(T));
      }
    }
    if (left == 0) {
      left = args.inner;
      channel = channel + 1 == args.channels ? 0 : channel + 1;
      table = channel == 0 ? args.values : table + table_bytes;
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

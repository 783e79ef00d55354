// SPDX-License-Identifier: Apache-2.0
// Eight indices have as many bytes as an index has bits: these are read from the stream as one word and,
// unless the compiler knows the width, spread to a byte each by three shifts.

#include <string.h>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/kernels/bit_stream.h"

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
  [[gnu::noinline]] explicit IndexGroups(const LutDecodeArgs& args)
      : stream_(args.stream),
        bytes_(args.stream_bytes),
        width_(args.width),
        msb_first_(args.order == BitOrder::kMsbFirst),
        to_fours_(4 * width_, 32),
        to_twos_(2 * width_, 16),
        to_ones_(width_, 8) {}

  // Returns indices 8 * group to 8 * group + 7, one in each byte, the first in the lowest.
  uint64_t Get(int32_t group) const {
    const size_t at = static_cast<size_t>(group) * static_cast<size_t>(width_);
    uint64_t word = msb_first_ ? LoadBig64Within(stream_, bytes_, at) >> (64 - 8 * width_)
                               : LoadLittle64Within(stream_, bytes_, at);
    // All indices are in one field; then four in each half of the word, two in each quarter, one in each
    // byte.
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

// Decodes whole groups of bytes that share a table, most significant bit first: the most important case. As
// the compiler knows the width, each field of kIndices indices takes one shift and one mask. `table` has
// kIndices bytes for each value of such a field.
template <int kWidth, int kIndices>
void DecodeBytes(const LutDecodeArgs& args, const uint8_t* table, int32_t group, int32_t count,
                 uint8_t* output) {
  constexpr int kFieldBits = kWidth * kIndices;
  const uint8_t* const stream = args.stream;  // A local copy, as writes might change `args`.
  const size_t stream_bytes = args.stream_bytes;
  for (const int32_t end = group + count; group < end; ++group) {
    const uint64_t word = LoadBig64Within(stream, stream_bytes, static_cast<size_t>(group) * kWidth);
    for (int bit = kFieldBits; bit <= 8 * kWidth; bit += kFieldBits, output += kIndices) {
      const auto field = static_cast<size_t>(word >> (64 - bit)) & ((1u << kFieldBits) - 1);
      memcpy(output, table + field * kIndices, kIndices);
    }
  }
}

using DecodeBytesFn = void (*)(const LutDecodeArgs&, const uint8_t*, int32_t, int32_t, uint8_t*);
constexpr DecodeBytesFn kDecodeBytes[] = {DecodeBytes<1, 1>, DecodeBytes<2, 1>, DecodeBytes<3, 1>,
                                          DecodeBytes<4, 1>, DecodeBytes<5, 1>, DecodeBytes<6, 1>,
                                          DecodeBytes<7, 1>, DecodeBytes<8, 1>};

// Several narrow indices are looked up at once if there are enough of them for the table to save time.
constexpr DecodeBytesFn kDecodeFields[] = {DecodeBytes<1, 4>, DecodeBytes<2, 2>, DecodeBytes<3, 2>,
                                           DecodeBytes<4, 2>};
constexpr int32_t kMaxFieldWidth = 4;
constexpr int kMaxFieldTableBytes = 2 << 2 * kMaxFieldWidth;

// Fills in the values of all fields of kIndices indices. `values` may lack entries that no index names.
void FillFields(const uint8_t* values, int32_t stride, int32_t width, uint8_t* fields) {
  const int32_t entries = stride < 1 << width ? stride : 1 << width;
  if (width == 1) {
    const uint8_t pair[] = {values[0], values[entries - 1]};
    for (int32_t field = 0; field < 16; ++field) {
      for (int k = 3; k >= 0; --k) *fields++ = pair[field >> k & 1];
    }
    return;
  }
  for (int32_t a = 0; a < entries; ++a) {
    for (int32_t b = 0; b < entries; ++b) {
      fields[2 * (a << width | b)] = values[a];
      fields[2 * (a << width | b) + 1] = values[b];
    }
  }
}

void DecodeByteRun(const LutDecodeArgs& args, const uint8_t* table, int32_t group, int32_t count,
                   uint8_t* output) {
  const int32_t width = args.width;
  // A table of pairs takes the time of eight elements for each of its entries.
  if (width > kMaxFieldWidth || count < 1 << 2 * width) {
    return kDecodeBytes[width - 1](args, table, group, count, output);
  }
  uint8_t fields[kMaxFieldTableBytes];
  FillFields(table, args.stride, width, fields);
  kDecodeFields[width - 1](args, fields, group, count, output);
}

// Stores an element for each index, from tables that are `step` bytes apart.
template <typename T>
void DecodeGroup(uint64_t indices, int32_t count, const uint8_t* table, size_t step, T* output) {
  for (int32_t k = 0; k < count; ++k, indices >>= 8, table += step) {
    output[k] = LoadElement<T>(table + (indices & 0xFF) * sizeof(T));
  }
}

// Decodes whole groups. `groups` is a copy, so that no store can change it.
template <typename T>
void DecodeRun(IndexGroups groups, int32_t group, int32_t count, const uint8_t* table, size_t step,
               T* output) {
  for (const int32_t end = group + count; group < end; ++group, output += 8, table += 8 * step) {
    DecodeGroup<T>(groups.Get(group), 8, table, step, output);
  }
}

}  // namespace

template <typename T>
void LutDecodeRef(const LutDecodeArgs& args, int32_t first, int32_t count) {
  const IndexGroups groups(args);
  auto* output = static_cast<T*>(args.output);
  const uint8_t* const values = args.values;
  const size_t table_bytes = static_cast<size_t>(args.stride) * sizeof(T);
  const int32_t channels = args.channels;
  int32_t channel = first / args.inner % channels;
  const uint8_t* table = values + static_cast<size_t>(channel) * table_bytes;
  // A run consists of elements that share a table or, along the last axis, whose tables are contiguous.
  const bool last_axis = args.inner == 1 && channels > 1;
  const size_t step = last_axis ? table_bytes : 0;
  const int32_t run = last_axis ? channels : args.inner;
  int32_t left = channels == 1 ? count : last_axis ? run - channel : run - first % run;
  const bool as_bytes = sizeof(T) == 1 && !last_axis && args.order == BitOrder::kMsbFirst;
  const int32_t end = first + count;
  for (int32_t i = first; i < end;) {
    const int32_t skipped = i % 8;
    const int32_t in_run = left < end - i ? left : end - i;
    int32_t made = 8 - skipped < in_run ? 8 - skipped : in_run;
    if (made == 8) {
      made = in_run & ~7;
      if (as_bytes) {
        DecodeByteRun(args, table, i / 8, made / 8, reinterpret_cast<uint8_t*>(output));
      } else {
        DecodeRun<T>(groups, i / 8, made / 8, table, step, output);
      }
    } else {
      DecodeGroup<T>(groups.Get(i / 8) >> (8 * skipped), made, table, step, output);
    }
    table += static_cast<size_t>(made) * step;
    output += made;
    i += made;
    left -= made;
    if (left == 0) {
      left = run;
      channel = last_axis || channel + 1 == channels ? 0 : channel + 1;
      table = channel == 0 ? values : table + table_bytes;
    }
  }
}
template void LutDecodeRef<uint8_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeRef<uint16_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeRef<uint32_t>(const LutDecodeArgs&, int32_t, int32_t);
template void LutDecodeRef<uint64_t>(const LutDecodeArgs&, int32_t, int32_t);

}  // namespace lutra

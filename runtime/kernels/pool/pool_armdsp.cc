// SPDX-License-Identifier: Apache-2.0
// Int8 pools, eight channels at a time: maxima by the flags of a subtraction, sums in half words. The
// reference computes windows whose sums may exceed int16, and images of fewer channels.

#include "lutra/fixed_point/fixed_point.h"
#include "runtime/kernels/pool/pool_vectors.h"
#include "runtime/kernels/words_armdsp.h"

namespace lutra {
namespace {

// Returns a word with the code at all four places.
uint32_t Repeated(int32_t code) { return static_cast<uint8_t>(code) * 0x01010101u; }

struct MaximumArmdsp {
  struct State {
    uint32_t low;
    uint32_t high;
  };
  State Start() const { return {Repeated(INT8_MIN), Repeated(INT8_MIN)}; }
  [[gnu::always_inline]] void Add(State* best, const int8_t* codes) const {
    best->low = LargerOf(best->low, LoadWord(codes));
    best->high = LargerOf(best->high, LoadWord(codes + 4));
  }
  void Finish(State best, int8_t* to) const {
    const uint32_t codes[2] = {SmallerOf(LargerOf(best.low, min), max),
                               SmallerOf(LargerOf(best.high, min), max)};
    memcpy(to, codes, sizeof codes);
  }
  void SetCount(int32_t) {}

  uint32_t min;
  uint32_t max;
};

struct AverageArmdsp {
  // The sums of codes 0 and 2, 1 and 3, 4 and 6, 5 and 7.
  struct State {
    int16x2_t low_even;
    int16x2_t low_odd;
    int16x2_t high_even;
    int16x2_t high_odd;
  };
  State Start() const { return {}; }
  [[gnu::always_inline]] void Add(State* sums, const int8_t* codes) const {
    const uint32_t low = LoadWord(codes);
    const uint32_t high = LoadWord(codes + 4);
    sums->low_even = __sxtab16(sums->low_even, static_cast<int8x4_t>(low));
    sums->low_odd = __sxtab16(sums->low_odd, static_cast<int8x4_t>(low >> 8 | low << 24));
    sums->high_even = __sxtab16(sums->high_even, static_cast<int8x4_t>(high));
    sums->high_odd = __sxtab16(sums->high_odd, static_cast<int8x4_t>(high >> 8 | high << 24));
  }
  void Finish(const State& sums, int8_t* to) const {
    const int16x2_t pairs[] = {sums.low_even, sums.low_odd, sums.high_even, sums.high_odd};
    for (int i = 0; i < 8; ++i) {
      const auto two = static_cast<int32_t>(pairs[i / 4 * 2 + i % 2]);
      const int32_t sum = i % 4 < 2 ? static_cast<int16_t>(two) : two >> 16;
      const int32_t half = sum > 0 ? count / 2 : -(count / 2);
      to[i] = ClampToInt8((sum + half) / count, min, max);
    }
  }
  void SetCount(int32_t new_count) { count = new_count; }

  int32_t min;
  int32_t max;
  int32_t count = 1;
};

// Channels that are computed at a time; some of the last ones are computed twice.
constexpr int32_t kCodes = 8;

// Pools images that have at least this many channels.
template <typename Operation>
void PoolDeepRows(const PoolShape& shape, const Rows& input, const Rows& output, int32_t first_row,
                  int32_t row_count, Operation operation) {
  const int32_t depth = shape.depth;
  for (int32_t row = first_row; row < first_row + row_count; ++row) {
    const int32_t top = row % shape.out_height * shape.stride_h - shape.pad_top;
    const PoolTaps tall = PoolTapsInside(top, shape.filter_height, shape.in_height);
    const int32_t first_input = row / shape.out_height * shape.in_height + top;
    auto* to = reinterpret_cast<int8_t*>(output.Row(row));
    for (int32_t x = 0; x < shape.out_width; ++x, to += depth) {
      const int32_t left = x * shape.stride_w - shape.pad_left;
      const PoolTaps wide = PoolTapsInside(left, shape.filter_width, shape.in_width);
      operation.SetCount((tall.end - tall.begin) * (wide.end - wide.begin));
      for (int32_t first = 0; first < depth; first += kCodes) {
        if (first > depth - kCodes) first = depth - kCodes;
        typename Operation::State state = operation.Start();
        for (int32_t y = tall.begin; y < tall.end; ++y) {
          const auto* from = reinterpret_cast<const int8_t*>(input.Row(first_input + y)) + first +
                             static_cast<intptr_t>(left + wide.begin) * depth;
          for (int32_t left_taps = wide.end - wide.begin; left_taps > 0; --left_taps, from += depth) {
            operation.Add(&state, from);
          }
        }
        operation.Finish(state, to + first);
      }
    }
  }
}

}  // namespace

void AveragePoolArmdsp(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                       int32_t row_count) {
  if (args.shape->depth < kCodes || MostTaps(*args.shape) > kMostInt16) {
    return AveragePoolRef(args, input, output, first_row, row_count);
  }
  PoolDeepRows(*args.shape, input, output, first_row, row_count,
               AverageArmdsp{args.activation_min, args.activation_max});
}

void MaxPoolArmdsp(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                   int32_t row_count) {
  if (args.shape->depth < kCodes) return MaxPoolRef(args, input, output, first_row, row_count);
  PoolDeepRows(*args.shape, input, output, first_row, row_count,
               MaximumArmdsp{Repeated(args.activation_min), Repeated(args.activation_max)});
}

}  // namespace lutra

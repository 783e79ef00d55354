// SPDX-License-Identifier: Apache-2.0
// Computes the features of a block of filters together, for which the input is widened once; the rest of a
// filter's work needs only its state.

#include "runtime/kernels/conv_sums.h"
#include "runtime/kernels/svdf/svdf_state.h"

namespace lutra {
namespace {

constexpr int32_t kPartLength = 128;
constexpr int32_t kFilterBlock = 32;

void AddFeatures(const SvdfArgs& args, const int8_t* input, const int8_t* weights, int32_t filters,
                 uint32_t* sums) {
  int16_t part[kPartLength];
  for (int32_t begin = 0; begin < args.depth;) {
    const int32_t count = args.depth - begin < kPartLength ? args.depth - begin : kPartLength;
    Widen(input + begin, count, args.input_offset, part);
    AddDotProducts(part, count, weights + begin, args.depth, filters, sums);
    begin += count;
  }
}

// Multiplies the state's values with their weights. Differences of int8 codes have products with int8 weights
// for which compilers have an instruction; those of int16 may not fit int32.
uint32_t Weigh(const int8_t* state, int32_t zero_point, const int8_t* weights, int32_t count) {
  uint32_t sum = 0;
  for (int32_t begin = 0; begin < count;) {
    int32_t end = count - begin < kPartLength ? count : begin + kPartLength;
    int32_t part = 0;
    for (; begin < end; ++begin) {
      part += static_cast<int16_t>(state[begin] - zero_point) * static_cast<int16_t>(weights[begin]);
    }
    sum += static_cast<uint32_t>(part);
  }
  return sum;
}

uint32_t Weigh(const int16_t* state, int32_t zero_point, const int16_t* weights, int32_t count) {
  uint32_t sum = 0;
  for (int32_t t = 0; t < count; ++t) {
    sum += static_cast<uint32_t>(state[t] - zero_point) * static_cast<uint32_t>(int32_t{weights[t]});
  }
  return sum;
}

template <typename State>
void RunBatch(const SvdfArgs& args, const int8_t* input, State* state, int8_t* output) {
  const int8_t* feature_weights = args.feature_weights;
  const auto* time_weights = static_cast<const State*>(args.time_weights);
  const int32_t filters = args.units * args.rank;
  int32_t unit = 0;
  int32_t left = args.rank;  // Filters of the unit that are not added yet.
  uint32_t sum = 0;
  for (int32_t first = 0; first < filters;) {
    const int32_t count = filters - first < kFilterBlock ? filters - first : kFilterBlock;
    uint32_t features[kFilterBlock] = {};
    AddFeatures(args, input, feature_weights, count, features);
    for (int32_t i = 0; i < count; ++i) {
      const int32_t newest = MultiplyByQuantizedMultiplier(static_cast<int32_t>(features[i]), args.feature);
      state[args.memory - 1] = ToState<State>(args, newest);
      sum += Weigh(state, args.state_zero_point, time_weights, args.memory);
      time_weights += args.memory;
      state += args.memory;
      if (--left > 0) continue;
      if (args.bias != nullptr) sum += static_cast<uint32_t>(args.bias[unit]);
      const int32_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sum), args.time);
      output[unit++] =
          static_cast<int8_t>(ClampToInt8(WrappingAdd(scaled, args.output_offset), INT8_MIN, INT8_MAX));
      sum = 0;
      left = args.rank;
    }
    feature_weights += static_cast<intptr_t>(count) * args.depth;
    first += count;
  }
}

}  // namespace

template <typename State>
void SvdfRef(const SvdfArgs& args) {
  RunBatches<State>(args, [&args](const int8_t* input, State* state, int8_t* output) {
    RunBatch(args, input, state, output);
  });
}
template void SvdfRef<int8_t>(const SvdfArgs&);
template void SvdfRef<int16_t>(const SvdfArgs&);

}  // namespace lutra

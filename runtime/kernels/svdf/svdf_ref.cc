// SPDX-License-Identifier: Apache-2.0
// One filter after the other, so that nothing but its state has to be kept.

#include "runtime/kernels/svdf/svdf.h"

#include <string.h>

#include "runtime/fixed_point/fixed_point.h"

namespace lutra {
namespace {

// Parts short enough for sums of |input + offset| * |weight| <= 255 * 128.
constexpr int32_t kPartLength = 65536;

int32_t FeatureSum(const SvdfArgs& args, const int8_t* input, const int8_t* weights) {
  uint32_t sum = 0;
  for (int32_t begin = 0; begin < args.depth; begin += kPartLength) {
    const int32_t end = args.depth - begin < kPartLength ? args.depth : begin + kPartLength;
    int32_t part = 0;
    for (int32_t c = begin; c < end; ++c) {
      part += static_cast<int16_t>(input[c] + args.input_offset) * static_cast<int16_t>(weights[c]);
    }
    sum += static_cast<uint32_t>(part);
    if (end == args.depth) break;
  }
  return static_cast<int32_t>(sum);
}

// Drops the oldest value, appends the newest and weighs them all.
template <typename State>
uint32_t Step(const SvdfArgs& args, int32_t newest, const State* weights, State* state) {
  constexpr int32_t kMax = sizeof(State) == 1 ? INT8_MAX : INT16_MAX;
  const int32_t raised = newest < -kMax - 1 ? -kMax - 1 : newest;
  const int32_t clamped = raised > kMax ? kMax : raised;
  memmove(state, state + 1, static_cast<size_t>(args.memory - 1) * sizeof(State));
  state[args.memory - 1] = static_cast<State>(clamped + args.state_zero_point);
  uint32_t sum = 0;
  for (int32_t t = 0; t < args.memory; ++t) {
    sum += static_cast<uint32_t>(state[t] - args.state_zero_point) *
           static_cast<uint32_t>(int32_t{weights[t]});
  }
  return sum;
}

template <typename State>
void Run(const SvdfArgs& args) {
  const int8_t* input = args.input;
  auto* state = static_cast<State*>(args.state);
  int8_t* output = args.output;
  for (int32_t batch = 0; batch < args.batches; ++batch, input += args.depth) {
    const int8_t* feature_weights = args.feature_weights;
    const auto* time_weights = static_cast<const State*>(args.time_weights);
    for (int32_t unit = 0; unit < args.units; ++unit) {
      uint32_t sum = args.bias != nullptr ? static_cast<uint32_t>(args.bias[unit]) : 0;
      for (int32_t filter = 0; filter < args.rank; ++filter) {
        const int32_t newest = MultiplyByQuantizedMultiplier(
            FeatureSum(args, input, feature_weights), args.feature);
        sum += Step(args, newest, time_weights, state);
        feature_weights += args.depth;
        time_weights += args.memory;
        state += args.memory;
      }
      const int32_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sum), args.time);
      *output++ = static_cast<int8_t>(
          ClampToInt8(WrappingAdd(scaled, args.output_offset), INT8_MIN, INT8_MAX));
    }
  }
}

}  // namespace

void SvdfInt8StateRef(const SvdfArgs& args) { Run<int8_t>(args); }
void SvdfInt16StateRef(const SvdfArgs& args) { Run<int16_t>(args); }

}  // namespace lutra

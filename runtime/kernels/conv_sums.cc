// SPDX-License-Identifier: Apache-2.0
// The inner loops of the reference convolutions.

#include "runtime/kernels/conv_sums.h"

namespace lutra {
namespace {

// Adds the products of four filters at once.
void AddFourDotProducts(const int16_t* values, int32_t count, const int8_t* filter, int32_t filter_stride,
                        uint32_t* sums) {
  const int8_t* filter1 = filter + filter_stride;
  const int8_t* filter2 = filter1 + filter_stride;
  const int8_t* filter3 = filter2 + filter_stride;
  int32_t sum0 = 0;
  int32_t sum1 = 0;
  int32_t sum2 = 0;
  int32_t sum3 = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int16_t value = values[i];
    sum0 += value * static_cast<int16_t>(filter[i]);
    sum1 += value * static_cast<int16_t>(filter1[i]);
    sum2 += value * static_cast<int16_t>(filter2[i]);
    sum3 += value * static_cast<int16_t>(filter3[i]);
  }
  sums[0] += static_cast<uint32_t>(sum0);
  sums[1] += static_cast<uint32_t>(sum1);
  sums[2] += static_cast<uint32_t>(sum2);
  sums[3] += static_cast<uint32_t>(sum3);
}

uint32_t DotProduct(const int16_t* values, int32_t count, const int8_t* filter) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += values[i] * static_cast<int16_t>(filter[i]);
  return static_cast<uint32_t>(sum);
}

}  // namespace

void AddDotProducts(const int16_t* values, int32_t count, const int8_t* filter, int32_t filter_stride,
                    int32_t channels, uint32_t* sums) {
  int32_t c = 0;
  for (; c + 4 <= channels; c += 4, filter += 4 * static_cast<intptr_t>(filter_stride)) {
    AddFourDotProducts(values, count, filter, filter_stride, sums + c);
  }
  for (; c < channels; ++c, filter += filter_stride) sums[c] += DotProduct(values, count, filter);
}

void StartSums(const int32_t* bias, int32_t first, int32_t count, uint32_t* sums) {
  for (int32_t i = 0; i < count; ++i) {
    sums[i] = bias != nullptr ? static_cast<uint32_t>(bias[first + i]) : 0;
  }
}

void StoreSums(const uint32_t* sums, const Multiplier* multipliers, int32_t count,
               const ConvQuantization& quantization, int8_t* output) {
  const int32_t offset = quantization.output_offset;
  const int32_t min = quantization.activation_min;
  const int32_t max = quantization.activation_max;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sums[i]), multipliers[i]);
    output[i] = static_cast<int8_t>(ClampToInt8(WrappingAdd(scaled, offset), min, max));
  }
}

}  // namespace lutra

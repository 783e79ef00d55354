// SPDX-License-Identifier: Apache-2.0
// For the benchmarks of the convolution kernels.

#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "lutra/kernels/streamed_rows.h"
#include "runtime/kernels/conv_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {

// One call makes a whole image. `products`: summed for one output value; `macs`: of one call; `streamed`: the
// filter, if it is compressed.
template <typename Fn>
void MeasureConvolution(benchmark::State& state, const VariantUse<Fn>& use, const ConvCase& layer,
                        const ConvShape& shape, int32_t filter_count, int32_t products, double macs,
                        const StreamedRows* streamed = nullptr) {
  using Args = KernelArgs<Fn>;
  using Element = std::remove_const_t<std::remove_pointer_t<decltype(Args::filter)>>;
  constexpr bool kIsFloat = std::is_same_v<Element, float>;
  std::vector<Element> input(shape.in_height * shape.in_width * shape.in_channels);
  std::vector<Element> output(shape.out_height * shape.out_width * shape.out_channels);
  std::vector<Element> filter(filter_count);
  std::vector<Multiplier> multipliers(shape.out_channels);
  Args args = {};
  args.shape = &shape;
  args.filter = filter.data();
  if constexpr (kIsFloat) {
    FillFloat(1, static_cast<int32_t>(input.size()), input.data());
    FillFloat(2, filter_count, filter.data());
    args.activation_max = 6;
  } else {
    FillInt8(1, static_cast<int32_t>(input.size()), input.data());
    FillInt8(2, filter_count, filter.data());
    FillMultipliers(3, products, shape.out_channels, multipliers.data());
    args.quantization = QuantizationOf(layer);
    args.multipliers = multipliers.data();
  }
  if constexpr (requires { args.streamed; }) {
    args.streamed = streamed;
    if (streamed != nullptr) args.filter = nullptr;
  }
  const auto rows_of = [](std::vector<Element>& values, int32_t row_values) {
    return Rows{reinterpret_cast<uint8_t*>(values.data()), row_values * static_cast<int32_t>(sizeof(Element)),
                0};
  };
  const Rows from = rows_of(input, shape.in_width * shape.in_channels);
  const Rows to = rows_of(output, shape.out_width * shape.out_channels);
  Measure(state, use, args, from, to, 0, shape.out_height);
  CountMacs(state, macs);
  CountBytes(state, static_cast<double>((input.size() + output.size() + filter.size()) * sizeof(Element)));
}

}  // namespace lutra

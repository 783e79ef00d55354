// SPDX-License-Identifier: Apache-2.0
// Uint8: the products, and the outputs of finished sums; the loops are conv_windows.h.

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/conv_2d_uint8/conv_2d_uint8.h"
#include "runtime/kernels/conv_sums.h"
#include "runtime/kernels/conv_windows.h"

namespace lutra {
namespace {

struct Uint8Arithmetic {
  using Value = uint8_t;
  using Weight = uint8_t;
  using Sum = uint32_t;

  void Start(int32_t first, int32_t count, Sum* sums) const { StartSums(args.bias, first, count, sums); }
  Sum Product(Value value, Weight weight) const {
    const Uint8Quantization& q = args.quantization;
    return static_cast<Sum>((value + q.input_offset) * (weight + q.filter_offset));
  }
  Sum SumOfProducts(const Value* values, const Weight* weights, int32_t count) const {
    const int32_t a = args.quantization.input_offset;
    const int32_t b = args.quantization.filter_offset;
    Sum sum = 0;
    for (int32_t i = 0; i < count; ++i) sum += static_cast<Sum>((values[i] + a) * (weights[i] + b));
    return sum;
  }
  void Finish(const Sum* sums, int32_t, int32_t count, Value* output) const {
    const Uint8Quantization& q = args.quantization;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t scaled = MultiplyByQuantizedMultiplier(static_cast<int32_t>(sums[i]), args.multiplier);
      const int32_t code = WrappingAdd(scaled, q.output_offset);
      output[i] = code < q.activation_min   ? q.activation_min
                  : code > q.activation_max ? q.activation_max
                                            : static_cast<Value>(code);
    }
  }

  const Conv2DUint8Args& args;
};

}  // namespace

void Conv2DUint8Ref(const Conv2DUint8Args& args, const Rows& input, const Rows& output, int32_t first_row,
                    int32_t row_count) {
  MakeWindows(Uint8Arithmetic{args}, args, input, output, first_row, row_count);
}

}  // namespace lutra

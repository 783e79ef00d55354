// SPDX-License-Identifier: Apache-2.0
// rhs is used as it is stored. Its zero point is subtracted from each sum at the end:
//   sum of l * (r + offset) = sum of l * r + offset * sum of l.

#include "lutra/kernels/batch_matmul/batch_matmul.h"
#include "runtime/kernels/conv_sums.h"

namespace lutra {
namespace {

constexpr int32_t kPartLength = 128;
constexpr int32_t kColumnBlock = 64;

// Widens values [begin, begin + count) of row m of lhs. Returns their sum.
int32_t WidenLhs(const MatMulArgs& args, int32_t m, int32_t begin, int32_t count, int16_t* part) {
  if (args.shape.lhs_transposed) {
    const int8_t* from = args.lhs + static_cast<intptr_t>(begin) * args.shape.m + m;
    for (int32_t i = 0; i < count; ++i, from += args.shape.m) {
      part[i] = static_cast<int16_t>(*from + args.lhs_offset);
    }
  } else {
    Widen(args.lhs + static_cast<intptr_t>(m) * args.shape.k + begin, count, args.lhs_offset, part);
  }
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += part[i];
  return sum;
}

// sums[i] += value * row[i]
void AddScaled(const int8_t* row, int16_t value, int32_t count, uint32_t* sums) {
  for (int32_t i = 0; i < count; ++i) {
    sums[i] += static_cast<uint32_t>(value * static_cast<int16_t>(row[i]));
  }
}

void ComputeBlock(const MatMulArgs& args, int32_t m, int32_t first_column, int32_t columns) {
  const MatMulShape& shape = args.shape;
  int16_t part[kPartLength];
  uint32_t sums[kColumnBlock] = {};
  uint32_t lhs_sum = 0;
  for (int32_t begin = 0; begin < shape.k;) {
    const int32_t count = shape.k - begin < kPartLength ? shape.k - begin : kPartLength;
    lhs_sum += static_cast<uint32_t>(WidenLhs(args, m, begin, count, part));
    if (shape.rhs_transposed) {
      AddDotProducts(part, count, args.rhs + static_cast<intptr_t>(first_column) * shape.k + begin, shape.k,
                     columns, sums);
    } else {
      const int8_t* row = args.rhs + static_cast<intptr_t>(begin) * shape.n + first_column;
      for (int32_t i = 0; i < count; ++i, row += shape.n) AddScaled(row, part[i], columns, sums);
    }
    begin += count;
  }
  const uint32_t correction = lhs_sum * static_cast<uint32_t>(int32_t{args.rhs_offset});
  int8_t* output = args.output + static_cast<intptr_t>(m) * shape.n + first_column;
  for (int32_t i = 0; i < columns; ++i) {
    const int32_t scaled =
        MultiplyByQuantizedMultiplier(static_cast<int32_t>(sums[i] + correction), args.multiplier);
    output[i] = static_cast<int8_t>(ClampToInt8(WrappingAdd(scaled, args.output_offset), INT8_MIN, INT8_MAX));
  }
}

}  // namespace

void MatMulRef(const MatMulArgs& args) {
  for (int32_t m = 0; m < args.shape.m; ++m) {
    for (int32_t first = 0; first < args.shape.n;) {
      const int32_t rest = args.shape.n - first;
      const int32_t columns = rest < kColumnBlock ? rest : kColumnBlock;
      ComputeBlock(args, m, first, columns);
      first += columns;
    }
  }
}

}  // namespace lutra

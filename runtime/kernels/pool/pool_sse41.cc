// SPDX-License-Identifier: Apache-2.0
// Int8 pools with SSE4.1. The reference computes windows whose sums may exceed int16: it is no slower there.

#include "runtime/kernels/pool/pool_sse41.h"

#include "runtime/kernels/pool/pool_vectors.h"

namespace lutra {

void AveragePoolSse41(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                      int32_t row_count) {
  if (MostTaps(*args.shape) > kMostInt16) return AveragePoolRef(args, input, output, first_row, row_count);
  const __m128i min = _mm_set1_epi8(static_cast<int8_t>(args.activation_min));
  const __m128i max = _mm_set1_epi8(static_cast<int8_t>(args.activation_max));
  PoolRowsInVectors(*args.shape, input, output, first_row, row_count, AverageSse41(min, max));
}

void MaxPoolSse41(const PoolArgs& args, const Rows& input, const Rows& output, int32_t first_row,
                  int32_t row_count) {
  const __m128i min = _mm_set1_epi8(static_cast<int8_t>(args.activation_min));
  const __m128i max = _mm_set1_epi8(static_cast<int8_t>(args.activation_max));
  PoolRowsInVectors(*args.shape, input, output, first_row, row_count, MaximumSse41{min, max});
}

}  // namespace lutra

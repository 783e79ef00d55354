// SPDX-License-Identifier: Apache-2.0

#include "runtime/kernels/binary/binary.h"

namespace lutra {
namespace {

template <typename T, typename Function>
void ForEach(const BinaryArgs<T>& args, int32_t first, int32_t count, Function function) {
  for (int32_t i = first; i < first + count; ++i) {
    const T value = function(args.a[i * args.a_step], args.b[i * args.b_step]);
    args.output[i] = value < args.min ? args.min : value > args.max ? args.max : value;
  }
}

}  // namespace

void BinaryFloatRef(const BinaryArgs<float>& args, int32_t first, int32_t count) {
  switch (args.function) {
    case BinaryFunction::kAdd: return ForEach(args, first, count, [](float a, float b) { return a + b; });
    case BinaryFunction::kSub: return ForEach(args, first, count, [](float a, float b) { return a - b; });
    case BinaryFunction::kMul: return ForEach(args, first, count, [](float a, float b) { return a * b; });
    case BinaryFunction::kDiv: return ForEach(args, first, count, [](float a, float b) { return a / b; });
    case BinaryFunction::kSquaredDifference:
      return ForEach(args, first, count, [](float a, float b) { return (a - b) * (a - b); });
  }
}

void BinaryInt32Ref(const BinaryArgs<int32_t>& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [&args](int32_t a, int32_t b) {
    const auto x = static_cast<uint32_t>(a);
    const auto y = static_cast<uint32_t>(b);
    if (args.function == BinaryFunction::kAdd) return static_cast<int32_t>(x + y);
    if (args.function == BinaryFunction::kSub) return static_cast<int32_t>(x - y);
    return static_cast<int32_t>(x * y);
  });
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Float32, and int32 that wraps: the functions as they are.

#include <math.h>

#include "lutra/kernels/binary/binary.h"
#include "runtime/fixed_point/rounding.h"

namespace lutra {
namespace {

template <typename Function>
void ForEach(const BinaryArgs& args, int32_t first, int32_t count, Function function) {
  const auto* const a = static_cast<const float*>(args.a);
  const auto* const b = static_cast<const float*>(args.b);
  auto* const output = static_cast<float*>(args.output);
  for (int32_t i = first; i < first + count; ++i) {
    const float value = function(a[i * args.a_step], b[i * args.b_step]);
    output[i] = value < args.float_min ? args.float_min : value > args.float_max ? args.float_max : value;
  }
}

// Unsigned, so that overflow wraps.
template <typename Function>
void ForEachInt32(const BinaryArgs& args, int32_t first, int32_t count, Function function) {
  const auto* const a = static_cast<const uint32_t*>(args.a);
  const auto* const b = static_cast<const uint32_t*>(args.b);
  auto* const output = static_cast<uint32_t*>(args.output);
  for (int32_t i = first; i < first + count; ++i)
    output[i] = function(a[i * args.a_step], b[i * args.b_step]);
}

}  // namespace

void AddFloatRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](float a, float b) { return a + b; });
}

void SubFloatRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](float a, float b) { return a - b; });
}

void MulFloatRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](float a, float b) { return a * b; });
}

void DivFloatRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](float a, float b) { return a / b; });
}

void SquaredDifferenceFloatRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](float a, float b) { return (a - b) * (a - b); });
}

void FloorDivFloatRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](float a, float b) {
    return static_cast<float>(Floor(static_cast<double>(a) / static_cast<double>(b)));
  });
}

void FloorModFloatRef(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEach(args, first, count, [](float a, float b) {
    const float rest = fmodf(a, b);
    return rest != 0.0f && (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
  });
}

void AddInt32Ref(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachInt32(args, first, count, [](uint32_t a, uint32_t b) { return a + b; });
}

void SubInt32Ref(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachInt32(args, first, count, [](uint32_t a, uint32_t b) { return a - b; });
}

void MulInt32Ref(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachInt32(args, first, count, [](uint32_t a, uint32_t b) { return a * b; });
}

void DivInt32Ref(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachInt32(args, first, count, [](uint32_t a, uint32_t b) -> uint32_t {
    if (b == 0) return 0;
    // The quotient of INT32_MIN and -1 wraps.
    if (b == UINT32_MAX) return 0 - a;
    return static_cast<uint32_t>(static_cast<int32_t>(a) / static_cast<int32_t>(b));
  });
}

void SquaredDifferenceInt32Ref(const BinaryArgs& args, int32_t first, int32_t count) {
  ForEachInt32(args, first, count, [](uint32_t a, uint32_t b) { return (a - b) * (a - b); });
}

}  // namespace lutra

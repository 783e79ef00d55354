// SPDX-License-Identifier: Apache-2.0
// A loop for each conversion and pair of types.

#include <limits.h>
#include <string.h>

#include "lutra/fixed_point/fixed_point.h"
#include "lutra/kernels/convert/convert.h"
#include "runtime/fixed_point/rounding.h"

namespace lutra {
namespace {

int64_t LoadInteger(TensorType type, const void* data, int32_t i) {
  switch (type) {
    case TensorType::kInt8:
      return static_cast<const int8_t*>(data)[i];
    case TensorType::kInt16:
      return static_cast<const int16_t*>(data)[i];
    case TensorType::kInt32:
      return static_cast<const int32_t*>(data)[i];
    case TensorType::kUInt32:
      return static_cast<const uint32_t*>(data)[i];
    case TensorType::kInt64:
      return static_cast<const int64_t*>(data)[i];
    case TensorType::kBool:
      return static_cast<const uint8_t*>(data)[i] != 0 ? 1 : 0;
    default:
      return static_cast<const uint8_t*>(data)[i];
  }
}

void StoreInteger(TensorType type, void* data, int32_t i, int64_t value) {
  switch (type) {
    case TensorType::kInt8:
      static_cast<int8_t*>(data)[i] = static_cast<int8_t>(value);
      break;
    case TensorType::kInt16:
      static_cast<int16_t*>(data)[i] = static_cast<int16_t>(value);
      break;
    case TensorType::kInt32:
    case TensorType::kUInt32:
      static_cast<uint32_t*>(data)[i] = static_cast<uint32_t>(value);
      break;
    case TensorType::kInt64:
      static_cast<int64_t*>(data)[i] = value;
      break;
    case TensorType::kBool:
      static_cast<uint8_t*>(data)[i] = value != 0 ? 1 : 0;
      break;
    default:
      static_cast<uint8_t*>(data)[i] = static_cast<uint8_t>(value);
      break;
  }
}

struct Limits {
  int64_t min;
  int64_t max;
};

Limits LimitsOf(TensorType type) {
  switch (type) {
    case TensorType::kInt8:
      return {INT8_MIN, INT8_MAX};
    case TensorType::kUInt8:
      return {0, UINT8_MAX};
    case TensorType::kInt16:
      return {INT16_MIN, INT16_MAX};
    case TensorType::kInt32:
      return {INT32_MIN, INT32_MAX};
    case TensorType::kUInt32:
      return {0, UINT32_MAX};
    default:
      return {INT64_MIN, INT64_MAX};
  }
}

int64_t Clamp(int64_t value, const Limits& limits) {
  return value < limits.min ? limits.min : value > limits.max ? limits.max : value;
}

bool IsInteger(TensorType type) { return type != TensorType::kFloat32 && type != TensorType::kBool; }

// Returns the integer part, saturated; 0 for NaN.
int64_t Truncate(float value) {
  if (value != value) return 0;
  if (value >= 0x1p63f) return INT64_MAX;
  if (value < -0x1p63f) return INT64_MIN;
  return static_cast<int64_t>(value);
}

// Does the same for int32, with the instruction that processors have.
int32_t TruncateToInt32(float value) {
  if (value != value) return 0;
  if (value >= 0x1p31f) return INT32_MAX;
  if (value < -0x1p31f) return INT32_MIN;
  return static_cast<int32_t>(value);
}

void Cast(const ConvertArgs& args, int32_t i, const Limits& limits) {
  const bool from_float = args.in_type == TensorType::kFloat32;
  const bool to_float = args.out_type == TensorType::kFloat32;
  auto* out = static_cast<float*>(args.output);
  if (!from_float) {
    const int64_t value = LoadInteger(args.in_type, args.input, i);
    if (to_float) {
      // Small processors convert integers of 32 bits alone.
      const auto word = static_cast<int32_t>(value);
      out[i] = word == value ? static_cast<float>(word) : static_cast<float>(value);
    } else {
      StoreInteger(args.out_type, args.output, i, value);
    }
    return;
  }
  const float value = static_cast<const float*>(args.input)[i];
  if (to_float) {
    out[i] = value;
  } else if (args.out_type == TensorType::kBool) {
    StoreInteger(args.out_type, args.output, i, value != 0.0f ? 1 : 0);
  } else if (limits.min >= INT32_MIN && limits.max <= INT32_MAX) {
    StoreInteger(args.out_type, args.output, i, Clamp(TruncateToInt32(value), limits));
  } else {
    StoreInteger(args.out_type, args.output, i, Clamp(Truncate(value), limits));
  }
}

// Rounds as RoundHalfAwayFloat, but limits values far outside of int8, so that a zero point can be added.
int32_t RoundNear(float x) {
  constexpr float kFar = 0x1p22f;  // Below it the fraction is exact.
  if (!(x > -kFar)) return x != x ? 0 : static_cast<int32_t>(-kFar);
  if (x > kFar) return static_cast<int32_t>(kFar);
  const auto whole = static_cast<int32_t>(x);
  const float rest = x - static_cast<float>(whole);
  if (rest >= 0.5f) return whole + 1;
  return rest <= -0.5f ? whole - 1 : whole;
}

void QuantizeToInt8(const ConvertArgs& args, int32_t first, int32_t count) {
  const auto* const input = static_cast<const float*>(args.input);
  auto* const output = static_cast<int8_t*>(args.output);
  const int32_t end = first + count;
  for (int32_t i = first; i < end; ++i) {
    const int32_t code = RoundNear(input[i] / args.scale) + args.out_zero_point;
    output[i] = static_cast<int8_t>(code < INT8_MIN ? INT8_MIN : code > INT8_MAX ? INT8_MAX : code);
  }
}

// The rule's product of doubles is exact, as scale and code have 33 bits together: both round once.
void DequantizeInt8(const ConvertArgs& args, int32_t first, int32_t count) {
  const auto* const input = static_cast<const int8_t*>(args.input);
  auto* const output = static_cast<float*>(args.output);
  const int32_t end = first + count;
  for (int32_t i = first; i < end; ++i) {
    output[i] = args.scale * static_cast<float>(input[i] - args.in_zero_point);
  }
}

// The output's zero point is a code of int8.
template <typename In>
void RequantizeToInt8(const ConvertArgs& args, int32_t first, int32_t count) {
  const auto* const input = static_cast<const In*>(args.input);
  auto* const output = static_cast<int8_t*>(args.output);
  const int32_t zero_point = args.out_zero_point;
  const int32_t end = first + count;
  for (int32_t i = first; i < end; ++i) {
    const int32_t centred = WrappingSubtract(input[i], args.in_zero_point);
    const int32_t scaled = MultiplyByQuantizedMultiplier(centred, args.multiplier);
    const int32_t low = INT8_MIN - zero_point;
    const int32_t high = INT8_MAX - zero_point;
    output[i] = static_cast<int8_t>((scaled < low ? low : scaled > high ? high : scaled) + zero_point);
  }
}

}  // namespace

void ConvertRef(const ConvertArgs& args, int32_t first, int32_t count) {
  if (args.conversion == Conversion::kQuantize && args.out_type == TensorType::kInt8) {
    return QuantizeToInt8(args, first, count);
  }
  if (args.conversion == Conversion::kDequantize && args.in_type == TensorType::kInt8) {
    return DequantizeInt8(args, first, count);
  }
  if (args.conversion == Conversion::kRequantize && args.out_type == TensorType::kInt8) {
    if (args.in_type == TensorType::kInt8) return RequantizeToInt8<int8_t>(args, first, count);
    if (args.in_type == TensorType::kUInt8) return RequantizeToInt8<uint8_t>(args, first, count);
    if (args.in_type == TensorType::kInt16) return RequantizeToInt8<int16_t>(args, first, count);
  }
  // Integers of the same size keep their bits.
  const int32_t bytes = ElementBytes(args.in_type);
  if (args.conversion == Conversion::kCast && IsInteger(args.in_type) && IsInteger(args.out_type) &&
      bytes == ElementBytes(args.out_type)) {
    const auto at = static_cast<size_t>(first) * static_cast<size_t>(bytes);
    memmove(static_cast<uint8_t*>(args.output) + at, static_cast<const uint8_t*>(args.input) + at,
            static_cast<size_t>(count) * static_cast<size_t>(bytes));
    return;
  }
  const Limits limits = LimitsOf(args.out_type);
  for (int32_t i = first; i < first + count; ++i) {
    switch (args.conversion) {
      case Conversion::kQuantize: {
        const float real = static_cast<const float*>(args.input)[i];
        const int64_t code = int64_t{RoundHalfAwayFloat(real / args.scale)} + args.out_zero_point;
        StoreInteger(args.out_type, args.output, i, Clamp(code, limits));
        break;
      }
      case Conversion::kRequantize: {
        const auto code = static_cast<int32_t>(LoadInteger(args.in_type, args.input, i));
        const int32_t scaled =
            MultiplyByQuantizedMultiplier(WrappingSubtract(code, args.in_zero_point), args.multiplier);
        StoreInteger(args.out_type, args.output, i, Clamp(int64_t{scaled} + args.out_zero_point, limits));
        break;
      }
      case Conversion::kDequantize: {
        const int64_t code = LoadInteger(args.in_type, args.input, i) - args.in_zero_point;
        static_cast<float*>(args.output)[i] =
            static_cast<float>(static_cast<double>(args.scale) * static_cast<double>(code));
        break;
      }
      case Conversion::kCast:
        Cast(args, i, limits);
        break;
    }
  }
}

}  // namespace lutra

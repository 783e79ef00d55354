// SPDX-License-Identifier: Apache-2.0
// A rule: one exact way to compute an operator. What runtimes do differently is a value here, not another
// copy of the operator.
//
// The names are those of reports: DR, SR and so on for the rounding; D or F for the precision in which
// scales are combined, where an operator knows both; O- for what only LiteRT's optimised kernels do, X-
// for XNNPACK, V for the first delegate for VTA.

#pragma once

#include "conformance/oracle/arithmetic.h"

namespace lutra::conformance::oracle {

// Says how an accumulator becomes a code.
enum class Method : uint8_t {
  kFixedPoint,  // A multiplier of 31 bits, and `rounding`.
  kReal,        // DBL: in double, ties away from zero.
  kFloat,       // FP32: in float32, ties to even.
  kOptimized,   // The operator's own way in LiteRT's optimised kernels on x86-64.
  kXnnpack,     // The operator's own way in XNNPACK.
  kTable,       // A float32 function at each of 256 codes.
  kLegacy16,    // A multiplier of 16 bits, products modulo 2^32, no rounding: the first delegate for VTA.
  kDefect,      // A runtime's deviation from the specification, which the operator's function defines.
};

enum class ScalePrecision : uint8_t { kDouble, kFloat };

struct ArithmeticRule {
  const char* name;
  Method method = Method::kFixedPoint;
  Rounding rounding = Rounding::kDouble;
  ScalePrecision precision = ScalePrecision::kDouble;
};

// The rules that many operators share.
inline constexpr ArithmeticRule kExact = {"EXACT"};  // It does not round.
inline constexpr ArithmeticRule kDr = {"DR"};
inline constexpr ArithmeticRule kSr = {"SR", Method::kFixedPoint, Rounding::kSingle};
// DR of operators that also have DR-D: here the scales are combined in float32.
inline constexpr ArithmeticRule kDrOfFloats = {"DR", Method::kFixedPoint, Rounding::kDouble,
                                               ScalePrecision::kFloat};
inline constexpr ArithmeticRule kSrOfFloats = {"SR", Method::kFixedPoint, Rounding::kSingle,
                                               ScalePrecision::kFloat};
inline constexpr ArithmeticRule kDru = {"DRU", Method::kFixedPoint, Rounding::kDoubleUp};
inline constexpr ArithmeticRule kDrFloat = {"DR-F", Method::kFixedPoint, Rounding::kDouble,
                                            ScalePrecision::kFloat};
inline constexpr ArithmeticRule kDrDouble = {"DR-D"};
inline constexpr ArithmeticRule kSrFloat = {"SR-F", Method::kFixedPoint, Rounding::kSingle,
                                            ScalePrecision::kFloat};
inline constexpr ArithmeticRule kSrDouble = {"SR-D", Method::kFixedPoint, Rounding::kSingle};
inline constexpr ArithmeticRule kDbl = {"DBL", Method::kReal};
inline constexpr ArithmeticRule kFp32 = {"FP32", Method::kFloat, Rounding::kDouble, ScalePrecision::kFloat};
inline constexpr ArithmeticRule kTable = {"TABLE", Method::kTable};
// RELU6 of TensorFlow Lite Micro clamps the codes of the input and ignores the output's parameters.
inline constexpr ArithmeticRule kClampOnly = {"CLAMP", Method::kDefect};
inline constexpr ArithmeticRule kV16 = {"V16", Method::kLegacy16};

}  // namespace lutra::conformance::oracle

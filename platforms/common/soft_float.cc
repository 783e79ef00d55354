// SPDX-License-Identifier: Apache-2.0
// Floating-point functions that a compiler calls but its library lacks. The library has comparisons,
// conversions from and to 64 bits, division of floats and their conversion to 32 bits. Names and types are
// libgcc's.

#include "platforms/common/soft_float.h"

namespace {

using lutra::platforms::soft_float::Double;
using lutra::platforms::soft_float::Number;
using lutra::platforms::soft_float::Single;

Number From(float value) {
  return lutra::platforms::soft_float::Unpack<Single>(__builtin_bit_cast(uint32_t, value));
}
Number From(double value) {
  return lutra::platforms::soft_float::Unpack<Double>(__builtin_bit_cast(uint64_t, value));
}
float ToFloat(const Number& number) {
  return __builtin_bit_cast(float, lutra::platforms::soft_float::Pack<Single>(number));
}
double ToDouble(const Number& number) {
  return __builtin_bit_cast(double, lutra::platforms::soft_float::Pack<Double>(number));
}
Number FromSigned(int32_t value) {
  const auto bits = static_cast<uint32_t>(value);
  return lutra::platforms::soft_float::FromInteger(value < 0, value < 0 ? 0 - bits : bits);
}

}  // namespace

extern "C" {

float __addsf3(float a, float b) { return ToFloat(Add(From(a), From(b))); }
float __subsf3(float a, float b) { return ToFloat(Add(From(a), Negate(From(b)))); }
float __mulsf3(float a, float b) { return ToFloat(Multiply(From(a), From(b))); }
float __floatsisf(int32_t a) { return ToFloat(FromSigned(a)); }
float __floatunsisf(uint32_t a) { return ToFloat(lutra::platforms::soft_float::FromInteger(false, a)); }
uint32_t __fixunssfsi(float a) { return ToUint32(From(a)); }

double __adddf3(double a, double b) { return ToDouble(Add(From(a), From(b))); }
double __subdf3(double a, double b) { return ToDouble(Add(From(a), Negate(From(b)))); }
double __muldf3(double a, double b) { return ToDouble(Multiply(From(a), From(b))); }
double __divdf3(double a, double b) { return ToDouble(Divide(From(a), From(b))); }
double __floatsidf(int32_t a) { return ToDouble(FromSigned(a)); }
double __floatunsidf(uint32_t a) { return ToDouble(lutra::platforms::soft_float::FromInteger(false, a)); }
int32_t __fixdfsi(double a) { return ToInt32(From(a)); }
uint32_t __fixunsdfsi(double a) { return ToUint32(From(a)); }

double __extendsfdf2(float a) { return ToDouble(From(a)); }
float __truncdfsf2(double a) { return ToFloat(From(a)); }

}  // extern "C"

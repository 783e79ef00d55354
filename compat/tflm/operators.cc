// SPDX-License-Identifier: Apache-2.0
// The operators of micro_ops.h: an object for each, so that a program links only those that it names.

#include "compat/tflm/operator.h"
#include "lutra/op.h"
#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"

namespace lutra::compat {

// The function is not defined: an operator of micro_ops.h that Lutra lacks does not compile.
Operator NoSuchOperator();

namespace {

// Only the compiler evaluates this: the program has the functions of the requested operator, and no other.
consteval Operator Find(BuiltinOperator code) {
#define LUTRA_TFLM_FIND(name, prepare, eval, compressible, constant, macs) \
  if (code == BuiltinOperator::k##name) return {lutra::k##name};
  LUTRA_OPERATORS(LUTRA_TFLM_FIND)
#undef LUTRA_TFLM_FIND
  return NoSuchOperator();
}

consteval bool Same(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

consteval Operator FindCustom(const char* name) {
#define LUTRA_TFLM_FIND(operator_name, custom_code, prepare, eval) \
  if (Same(name, custom_code)) return {lutra::k##operator_name};
  LUTRA_CUSTOM_OPERATORS(LUTRA_TFLM_FIND)
#undef LUTRA_TFLM_FIND
  return NoSuchOperator();
}

}  // namespace

#define LUTRA_TFLM_DEFINE(method, registration, number) \
  constinit const Operator k##method = Find(static_cast<BuiltinOperator>(number));
LUTRA_TFLM_BUILTIN_OPERATORS(LUTRA_TFLM_DEFINE)
#undef LUTRA_TFLM_DEFINE
#define LUTRA_TFLM_DEFINE_CUSTOM(method, registration, name) \
  constinit const Operator k##method = FindCustom(name);
LUTRA_TFLM_CUSTOM_OPERATORS(LUTRA_TFLM_DEFINE_CUSTOM)
#undef LUTRA_TFLM_DEFINE_CUSTOM
#define LUTRA_TFLM_DEFINE_INT8(method, registration) \
  constinit const Operator k##method##Int8 = {lutra::k##method##Int8Only};
LUTRA_TFLM_INT8_OPERATORS(LUTRA_TFLM_DEFINE_INT8)
#undef LUTRA_TFLM_DEFINE_INT8

}  // namespace lutra::compat

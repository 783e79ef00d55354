// SPDX-License-Identifier: Apache-2.0
// Names of builtin operators.

#include "lutra/builtin_operator.h"

namespace lutra {

const char* ToString(BuiltinOperator code) {
#define LUTRA_NAME(name, number, text) text,
  static constexpr const char* kNames[] = {LUTRA_BUILTIN_OPERATORS(LUTRA_NAME)};
#undef LUTRA_NAME
  const auto index = static_cast<uint32_t>(code);
  return index < sizeof(kNames) / sizeof(kNames[0]) ? kNames[index] : "UNKNOWN";
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Runs a variant on arguments that the reference does not take, for tests.

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

#include "runtime/testing/prepared.h"

namespace lutra {

// Returns false if the variant does not take the arguments, either.
template <typename Args, typename... Rest>
bool RunAlone(const VariantUse<void (*)(const Args&, Rest...)>& use, const Args& args,
              int32_t* prepared_bytes, std::type_identity_t<Rest>... rest) {
  PreparedArgs<void (*)(const Args&, Rest...)> prepared(use, args);
  EXPECT_TRUE(prepared.is_right()) << "prepare";
  *prepared_bytes = prepared.bytes();
  if (!prepared.is_for_variant()) return false;
  use.variant.run(prepared.args(), rest...);
  return true;
}

}  // namespace lutra

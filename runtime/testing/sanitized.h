// SPDX-License-Identifier: Apache-2.0
// Tells whether this is the instrumented build, where an inference takes a hundred times as long: tests with
// many inferences run fewer there. Use `if (kSanitized) GTEST_SKIP() << why;` for tests of the plain build
// only.
#pragma once

namespace lutra {

#if defined(LUTRA_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace lutra

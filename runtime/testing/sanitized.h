// SPDX-License-Identifier: Apache-2.0
// Tells whether this is the instrumented build, where an inference takes a hundred times as long: tests of
// many do fewer there. Say `if (kSanitized) GTEST_SKIP() << why;` for what only the plain build runs.
#pragma once

namespace lutra {

#if defined(LUTRA_SANITIZED)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace lutra

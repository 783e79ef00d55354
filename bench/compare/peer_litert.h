// SPDX-License-Identifier: Apache-2.0
// LiteRT's own C API. Its libraries may lack that of TensorFlow Lite.

#pragma once

#include "bench/compare/peer.h"

namespace lutra::bench {

// `library`: from dlopen.
bool IsLitert(void* library);
// Throws std::runtime_error if a function is missing or fails.
Runtime LitertRuntime(void* library);

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// Counts and orders of the streams that decoders read. Streams, tables and values are bytes of a file, of any
// alignment and the same on every machine. Needs no C++ library.

#pragma once

#include "lutra/compression/format.h"
#include "runtime/kernels/problem.h"

namespace lutra {

inline constexpr int32_t kStreamCounts[] = {1, 2, 7, 8, 9, 15, 16, 31, 33, 63, 64, 65, 70, 257};

inline BitOrder BitOrderOf(int32_t i) { return i % 2 == 0 ? BitOrder::kMsbFirst : BitOrder::kLsbFirst; }

}  // namespace lutra

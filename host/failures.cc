// SPDX-License-Identifier: Apache-2.0
// Describes failed allocations without allocating.

#include "host/failures.h"

#include <cstdio>

namespace lutra::host {

OutOfMemory::OutOfMemory(size_t bytes) noexcept {
  std::snprintf(
      text_, sizeof text_,
      "memory: found less than the %zu bytes that were asked for; ask for less, or allow the process "
      "more (ulimit -v)",
      bytes);
}

const char* MemoryText(const std::bad_alloc& failure) noexcept {
  const auto* const known = dynamic_cast<const OutOfMemory*>(&failure);
  return known != nullptr
             ? known->what()
             : "memory: found less than was asked for; allow the process more (ulimit -v), or give it "
               "smaller files";
}

}  // namespace lutra::host

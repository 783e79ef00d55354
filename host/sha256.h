// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>

namespace lutra::host {

// In hexadecimal, 64 characters.
std::string Sha256(const void* bytes, size_t count);

}  // namespace lutra::host

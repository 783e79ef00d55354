// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>

namespace lutra {

// In hexadecimal, 64 characters.
std::string Sha256(const void* bytes, size_t count);

}  // namespace lutra

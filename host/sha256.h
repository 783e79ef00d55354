// SPDX-License-Identifier: Apache-2.0
// Computes SHA-256 of bytes. There are two implementations: OpenSSL's, and a plain one for builds without it.

#pragma once

#include <cstddef>
#include <string>

namespace lutra::host {

// Returns the hash in hexadecimal, 64 characters.
std::string Sha256(const void* bytes, size_t count);

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Computes SHA-256 by OpenSSL.

#include "host/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

namespace lutra::host {

std::string Sha256(const void* bytes, size_t count) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EVP_Digest(bytes, count, digest, &length, EVP_sha256(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

}  // namespace lutra::host

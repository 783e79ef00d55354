// SPDX-License-Identifier: Apache-2.0
// The names of decompression policies on command lines and in results.

#pragma once

#include <string>
#include <vector>

#include "lutra/options.h"

namespace lutra::host {

inline std::vector<std::string> DecompressionChoices() { return {"per-use", "at-init", "streamed"}; }

// `choice` must be one of them; they have the order of the policies.
inline DecompressionPolicy DecompressionPolicyOf(const std::string& choice) {
  if (choice == "streamed") return DecompressionPolicy::kStreamed;
  return choice == "at-init" ? DecompressionPolicy::kAtInit : DecompressionPolicy::kPerUse;
}

inline std::string NameOf(DecompressionPolicy policy) {
  return DecompressionChoices()[static_cast<size_t>(policy)];
}

}  // namespace lutra::host

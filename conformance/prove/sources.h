// SPDX-License-Identifier: Apache-2.0
// A proof of a kernel is about its sources. A change of one of them makes the proof stale.
//
//   const std::string hash = HashOfSources("add_int8", "path/to/lutra");   // 64 hexadecimal digits

#pragma once

#include <filesystem>
#include <string>

namespace lutra::conformance {

// The SHA-256 of names and bytes of: the kernel's folder, the headers that kernels share, fixed_point/, and
// the proofs' own sources. Tests and benchmarks are left out. Throws BadInput if the tree has no such kernel.
std::string HashOfSources(const std::string& table, const std::filesystem::path& tree);

}  // namespace lutra::conformance

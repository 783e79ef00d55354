// SPDX-License-Identifier: Apache-2.0
// A proof of a kernel is about its sources. A change of one of them makes the proof stale.
//
//   const std::string hash = HashOfSources("add_int8", "ref", "path/to/lutra");   // 64 hexadecimal digits

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lutra::conformance {

// Returns the SHA-256 of names and code of the kernel's folder, the files that kernels share, fixed_point/,
// and the proofs' own sources. Leaves out tests, benchmarks, and files of instruction sets that the variant
// does not imply. Throws BadInput if the tree has no such kernel.
std::string HashOfSources(const std::string& table, const std::string& variant,
                          const std::filesystem::path& tree);

// Returns C++ or assembly without comments and needless white space, so that neither counts as a change.
// Strings, characters and the ends of directives stay unchanged.
std::string CodeOf(std::string_view text);

}  // namespace lutra::conformance

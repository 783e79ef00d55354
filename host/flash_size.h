// SPDX-License-Identifier: Apache-2.0
// Estimates how much flash and static RAM the code of a firmware takes, without linking it.
//
//   const std::optional<FlashSize> size = FlashSizeOf("cortex-m4", {"kConv2D", "kReshape"});
//   if (size) fmt::print("{} bytes of code and constants\n", size->code_bytes);   // nullopt: the platform
//   has no table
//
// platforms/<platform>/flash.txt holds the sizes of the sections that a linked firmware keeps, by the
// operators that keep them. platforms/flash_sizes.sh measures them and explains the format. Sums are within 2
// % of linked firmwares (on Cortex-M4, eighteen models: -1.9 to +1.7 %).

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lutra::host {

struct FlashSize {
  size_t code_bytes = 0;        // Of the files that `compress embed` writes, without models.
  size_t static_ram_bytes = 0;  // Data and bss of the runtime and the C library, without arena and stack.
};

// `operators`: names of lutra/ops/ops.h, and kRowGroupsToken for InterpreterOptions::row_groups.
inline constexpr char kRowGroupsToken[] = "row_groups";
std::optional<FlashSize> FlashSizeOf(const std::string& platform, const std::vector<std::string>& operators);

// Does the same for the text of a table. Throws std::runtime_error with a line that it cannot read.
FlashSize FlashSizeIn(std::string_view table, const std::vector<std::string>& operators);

}  // namespace lutra::host

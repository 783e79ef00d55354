// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of lookup. Needs no C++ library.

#pragma once

#include "lutra/kernels/lookup/lookup.h"
#include "runtime/kernels/problem.h"

namespace lutra {

struct LookupCase {
  int32_t count;
  const uint8_t* table;  // 256 entries, by the unsigned code.
  int32_t first = 0;
};

Problem<LookupArgs> LookupProblemOf(const LookupCase& c, auto& memory) {
  const int32_t end = c.first + c.count;
  return {.args = {c.table, Filled<uint8_t>(memory, static_cast<uint32_t>(c.count), end),
                   Output<uint8_t>(memory, end)},
          .first = c.first,
          .count = c.count};
}

// Returns the table of a function of signed codes.
template <typename Memory, typename Function>
const uint8_t* LookupTableOf(Memory& memory, const Function& function) {
  auto* const table = Data<uint8_t>(memory, 256);
  for (int32_t code = -128; code < 128; ++code) {
    table[static_cast<uint8_t>(code)] = static_cast<uint8_t>(function(code));
  }
  return table;
}

inline constexpr auto kLookupProblems = [](auto& memory, auto& problems) {
  // Random entries; those of a clamp, which needs no lookup; and steps, most entries of which equal their
  // neighbours.
  const uint8_t* const tables[] = {
      Filled<uint8_t>(memory, 1, 256),
      LookupTableOf(memory, [](int32_t code) { return code < -50  ? -45
                                                      : code > 90 ? 95
                                                                  : code + 5; }),
      LookupTableOf(memory, [](int32_t code) { return code < 20   ? -128
                                                      : code < 40 ? code
                                                                  : 100; })};
  const auto add = [&](int32_t count, const uint8_t* table) {
    problems.Add(LookupProblemOf({count, table, FirstElement(count)}, memory));
  };
  for (const uint8_t* const table : tables) {
    for (int32_t count = 1; count <= kMaxCount; ++count) add(count, table);
    for (const int32_t count : kLargeCounts) add(count, table);
  }
};

}  // namespace lutra

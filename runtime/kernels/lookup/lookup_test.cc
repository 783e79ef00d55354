// SPDX-License-Identifier: Apache-2.0
// Every variant against table[code], for tables of all kinds, at every size, in place, and at the edges of
// memory.

#include "lutra/kernels/lookup/lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/kernels/test_data.h"
#include "runtime/testing/kernel_test.h"
#include "runtime/testing/page_edge.h"
#include "runtime/testing/sizes.h"

namespace lutra {
namespace {

using Table = std::vector<uint8_t>;

// Makes a table of a function of the signed code.
Table TableOf(const std::function<double(int)>& function) {
  Table table(256);
  for (int code = -128; code < 128; ++code) {
    const double value = std::clamp(std::round(function(code)), -128.0, 127.0);
    table[static_cast<uint8_t>(code)] = static_cast<uint8_t>(static_cast<int8_t>(value));
  }
  return table;
}

struct NamedTable {
  const char* name;
  Table table;
};

// For some of these tables a variant may have a shorter way; others only look similar.
std::vector<NamedTable> Tables() {
  Table random(256);
  FillBytes(1, 256, random.data());
  std::vector<NamedTable> tables = {
      {"random", random},
      {"identity", TableOf([](int x) { return x; })},
      {"relu", TableOf([](int x) { return std::max(x, 5); })},
      {"relu6", TableOf([](int x) { return std::clamp(x + 20, -100, 100); })},
      {"shifted_down", TableOf([](int x) { return x - 100; })},
      {"shifted_beyond", TableOf([](int x) { return std::min(x + 200, 100); })},
      {"constant", TableOf([](int) { return 42; })},
      {"two_values", TableOf([](int x) { return x < 7 ? -3 : 90; })},
      {"falling", TableOf([](int x) { return -x; })},
      {"sigmoid", TableOf([](int x) { return 256 / (1 + std::exp(-0.1 * x)) - 128; })},
      {"steep", TableOf([](int x) { return 256 / (1 + std::exp(-2.0 * x)) - 128; })},
      {"leaky", TableOf([](int x) { return x < 0 ? 0.1 * x : x; })},
      {"hard_swish", TableOf([](int x) { return x * std::clamp(x + 40, 0, 80) / 80.0; })},
      {"zero", Table(256, 0)},
  };
  // A clamp except for one code.
  for (const int code : {-128, -1, 5, 6, 127}) {
    Table table = tables[2].table;
    table[static_cast<uint8_t>(code)] ^= 1;
    tables.push_back({"relu_but_for_one", table});
  }
  return tables;
}

class Lookup : public KernelTest<LookupFn> {};

TEST_P(Lookup, MapsEachCode) {
  constexpr uint8_t kGuard = 0x5A;
  for (const NamedTable& named : Tables()) {
    for (const int32_t count : NetworkSizes(1024)) {
      std::vector<uint8_t> input(static_cast<size_t>(count) + 8);
      FillBytes(2, count + 8, input.data());
      std::vector<uint8_t> output(input.size(), kGuard);
      Run({.table = named.table.data(), .input = input.data(), .output = output.data()}, 4, count);
      for (int32_t i = 0; i < count + 8; ++i) {
        const bool asked = i >= 4 && i < 4 + count;
        ASSERT_EQ(output[i], asked ? named.table[input[i]] : kGuard)
            << named.name << ", " << i << " of " << count;
      }
    }
  }
}

TEST_P(Lookup, MapsNothing) {
  const Table table(256, 1);
  uint8_t code = 7;
  Run({.table = table.data(), .input = &code, .output = &code}, 0, 0);
  EXPECT_EQ(code, 7);
}

TEST_P(Lookup, WorksInPlace) {
  for (const NamedTable& named : Tables()) {
    for (const int32_t count : NetworkSizes(2048)) {
      std::vector<uint8_t> codes(static_cast<size_t>(count));
      for (int32_t i = 0; i < count; ++i) codes[i] = static_cast<uint8_t>(i * 7);
      std::vector<uint8_t> expected;
      for (const uint8_t code : codes) expected.push_back(named.table[code]);
      Run({.table = named.table.data(), .input = codes.data(), .output = codes.data()}, 0, count);
      ASSERT_EQ(codes, expected) << named.name << ", " << count;
    }
  }
}

TEST_P(Lookup, TouchesNothingBeyondItsBuffers) {
  const NamedTable named = Tables().front();
  for (const PageEdge::Side side : kPageEdges) {
    const PageEdge table(256, side);
    std::copy(named.table.begin(), named.table.end(), table.data());
    for (const int32_t count : EdgeSizes()) {
      const FilledEdge input(3, count, side), output(4, count, side);
      Run({.table = table.data(), .input = input.data(), .output = output.data()}, 0, count);
      for (int32_t i = 0; i < count; ++i) ASSERT_EQ(output.data()[i], named.table[input.data()[i]]) << count;
    }
  }
}

LUTRA_TEST_TABLE(Lookup, kLookup);

}  // namespace
}  // namespace lutra

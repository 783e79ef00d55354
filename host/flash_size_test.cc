// SPDX-License-Identifier: Apache-2.0
// Tests that lines of a table are added if they name an operator of the firmware. platform.embed compares the
// tables in the sources with linked programs.

#include "host/flash_size.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace lutra::host {
namespace {

constexpr char kTable[] =
    "# A comment.\n1000 base\n20 each\n48 ram\n300 kAdd kMul\n7 kMul\n500 all-but kReshape\n60 row_groups\n"
    "1700 alone kAdd\n";

TEST(FlashSize, AddsTheLinesThatNameAnOperator) {
  EXPECT_EQ(FlashSizeIn(kTable, {"kReshape"}).code_bytes, 1020u);
  EXPECT_EQ(FlashSizeIn(kTable, {"kMul"}).code_bytes, 1827u);
  EXPECT_EQ(FlashSizeIn(kTable, {"kAdd", "kMul"}).code_bytes, 1847u) << "what both keep counts once";
  EXPECT_EQ(FlashSizeIn(kTable, {"kAdd", "kReshape"}).code_bytes, 1840u);
  EXPECT_EQ(FlashSizeIn(kTable, {"kReshape"}).static_ram_bytes, 48u);
}

TEST(FlashSize, AnOperatorAloneIsMeasured) { EXPECT_EQ(FlashSizeIn(kTable, {"kAdd"}).code_bytes, 1700u); }

TEST(FlashSize, RowGroupsAreNoOperator) {
  EXPECT_EQ(FlashSizeIn(kTable, {"kReshape", kRowGroupsToken}).code_bytes, 1080u);
}

TEST(FlashSize, ALineThatItCannotReadIsNamed) {
  for (const char* const line : {"kAdd 300", "300", "-"}) {
    try {
      FlashSizeIn(line, {"kAdd"});
      ADD_FAILURE() << line;
    } catch (const std::runtime_error& failure) {
      EXPECT_NE(std::string(failure.what()).find(line), std::string::npos) << failure.what();
    }
  }
}

TEST(FlashSize, APlatformWithoutATableHasNone) {
  EXPECT_TRUE(FlashSizeOf("cortex-m4", {"kConv2D"}).has_value());
  EXPECT_FALSE(FlashSizeOf("32", {"kConv2D"}).has_value());
  EXPECT_FALSE(FlashSizeOf("", {"kConv2D"}).has_value());
}

}  // namespace
}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Tests patterns, also if the first place that fits the text after a star is the wrong one.

#include "host/glob.h"

#include <gtest/gtest.h>

namespace lutra::host {
namespace {

TEST(Glob, MatchesPatterns) {
  EXPECT_TRUE(Matches("*", ""));
  EXPECT_TRUE(Matches("a*c?e", "abccde"));
  EXPECT_TRUE(Matches("*ab*ab", "abxabab"));
  EXPECT_FALSE(Matches("a*b", "ac"));
  EXPECT_FALSE(Matches("?", ""));
}

}  // namespace
}  // namespace lutra::host

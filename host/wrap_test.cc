// SPDX-License-Identifier: Apache-2.0
// Tests that long lines are broken between words.

#include "host/wrap.h"

#include <gtest/gtest.h>

namespace lutra::host {
namespace {

std::string Words(size_t count, const std::string& word) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + word;
  return text;
}

TEST(Wrapped, LeavesWhatFits) {
  const std::string line(kColumns, 'x');
  for (const std::string& text : {std::string(), std::string("\n"), line, line + "\n\n" + line + "\n"}) {
    EXPECT_EQ(Wrapped(text), text);
  }
}

TEST(Wrapped, BreaksAtSpacesAndKeepsTheColumn) {
  EXPECT_EQ(Wrapped(Words(21, "abc")), Words(20, "abc") + "\nabc");
  EXPECT_EQ(Wrapped("  " + Words(21, "abc")), "  " + Words(19, "abc") + "\n  abc abc");
  EXPECT_EQ(Wrapped("  --option INT      " + Words(16, "abc")),
            "  --option INT      " + Words(15, "abc") + "\n" + std::string(20, ' ') + "abc");
  EXPECT_EQ(Wrapped("  --option INT      " + Words(16, "abc"), 4),
            "  --option INT      " + Words(15, "abc") + "\n    abc");
}

TEST(Wrapped, BreaksLongWordsBehindACommaOrAnywhere) {
  EXPECT_EQ(Wrapped("{" + std::string(40, 'a') + "," + std::string(50, 'b') + "}"),
            "{" + std::string(40, 'a') + ",\n" + std::string(50, 'b') + "}");
  EXPECT_EQ(Wrapped("  " + std::string(100, 'a')),
            "  " + std::string(78, 'a') + "\n  " + std::string(22, 'a'));
}

TEST(Wrapped, CountsCharacters) {
  std::string umlauts;
  for (int i = 0; i < 80; ++i) umlauts += "ä";
  EXPECT_EQ(Width(umlauts), 80u);
  EXPECT_EQ(Wrapped(umlauts), umlauts);
  EXPECT_EQ(Wrapped(umlauts + "ä"), umlauts + "\nä");
}

}  // namespace
}  // namespace lutra::host

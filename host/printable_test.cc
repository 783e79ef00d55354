// SPDX-License-Identifier: Apache-2.0
// Tests that no text moves a terminal's cursor.

#include "host/printable.h"

#include <gtest/gtest.h>

#include "host/failures.h"

namespace lutra::host {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(Printable(""), "");
  EXPECT_EQ(Printable("conv2d/Relu;a b\\c"), "conv2d/Relu;a b\\c");
  EXPECT_EQ(Printable("größer 漢字 😀"), "größer 漢字 😀");
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(Printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(Printable(std::string_view("\0\r\n\t\x7f", 5)), "\\x00\\x0d\\n\\t\\x7f");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\x9b") << "the same as escape [";
  EXPECT_EQ(Printable("\xe2\x80\xae"), "\\u202e") << "from right to left";
}

TEST(Printable, EscapesWhatIsNoUtf8) {
  EXPECT_EQ(Printable("\xff"), "\\xff");
  EXPECT_EQ(Printable("\xc0\x80"), "\\xc0\\x80") << "overlong";
  EXPECT_EQ(Printable("\xe0\x80\x80"), "\\xe0\\x80\\x80") << "overlong";
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond the last";
  EXPECT_EQ(Printable("a\xe6\xbc"), "a\\xe6\\xbc") << "cut off";
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(Printable("漢字漢字", 2), "漢字…");
  EXPECT_EQ(Printable("漢字", 2), "漢字");
}

TEST(Beginning, HasWholeCharacters) {
  EXPECT_EQ(Beginning("abc", 5), "abc");
  EXPECT_EQ(Beginning("abcdef", 3), "abc");
  EXPECT_EQ(Beginning("aößb", 2), "a");
  EXPECT_EQ(Beginning("aößb", 3), "aö");
}

TEST(ShortName, KeepsBothEnds) {
  EXPECT_EQ(ShortName("short\x1b", 60), "short\\x1b");
  EXPECT_EQ(ShortName(std::string(200, 'a') + std::string(200, 'z'), 60),
            std::string(19, 'a') + "..." + std::string(38, 'z'));
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "ö";
  for (size_t most = 20; most < 30; ++most) {
    const std::string text = ShortName(wide, most);
    EXPECT_LE(text.size(), most);
    EXPECT_EQ(Printable(text), text) << "no character is cut in two";
  }
}

// A failure is one line, whatever a name in it holds.
TEST(Failures, AreOneLine) {
  EXPECT_STREQ(BadInput("m.tflite: tensor \"a\nb\x1b[31m\"").what(), "m.tflite: tensor \"a\\nb\\x1b[31m\"");
  EXPECT_STREQ(BadUsage("no \x07").what(), "no \\x07");
  EXPECT_STREQ(WrongResult("a\r").what(), "a\\x0d");
}

}  // namespace
}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// The rows of format.h: no number and no name is given twice, and FORMAT.md describes each codec.

#include "lutra/compression/codecs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace lutra {
namespace {

constexpr int kFirstNumberOfOthers = 128;

std::string TextOf(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(LUTRA_SOURCE_DIR) + path).rdbuf();
  return text.str();
}

// Lines of the table of decode types: "| 128 | bit pack | `bitpack` | BOOL, INT8, INT16, INT32 | ...".
int CountRows(const std::string& format) {
  const size_t first = format.find("| Type | Name | In a spec |");
  const size_t last = format.find("\n\n", first);
  int rows = -2;  // The table's head and the line below it do not count.
  for (size_t at = first; at < last; at = format.find('\n', at) + 1) ++rows;
  return rows;
}

TEST(Codecs, AreToldApartByNumberAndByName) {
  std::set<DecodeType> types;
  std::set<std::string> names;
  std::set<std::string> methods;
  for (const CodecFacts& codec : AllCodecs()) {
    EXPECT_TRUE(types.insert(codec.type).second) << codec.name;
    EXPECT_TRUE(names.insert(codec.name).second) << codec.name;
    EXPECT_TRUE(methods.insert(codec.method).second) << codec.name;
    EXPECT_EQ(codec.read_by_tflm, static_cast<int>(codec.type) < kFirstNumberOfOthers) << codec.name;
    EXPECT_EQ(codec.types & ~kCompressibleTypes, 0u) << codec.name;
    EXPECT_TRUE(IsCodec(codec.type)) << codec.name;
    EXPECT_STREQ(ToString(codec.type), codec.name);
  }
}

TEST(Codecs, OtherNumbersAreUnknown) {
  size_t known = 0;
  for (int number = 0; number <= UINT8_MAX; ++number) {
    const auto type = static_cast<DecodeType>(number);
    known += IsCodec(type) ? 1 : 0;
    EXPECT_EQ(std::string(ToString(type)) == "unknown", !IsCodec(type)) << number;
  }
  EXPECT_EQ(known, AllCodecs().size());
}

TEST(Codecs, AreDescribedInFormatMd) {
  const std::string format = TextOf("/runtime/compression/FORMAT.md");
  for (const CodecFacts& codec : AllCodecs()) {
    const std::string number = std::to_string(static_cast<int>(codec.type));
    const size_t method = format.find(" | `" + std::string(codec.method) + "` | ");
    ASSERT_NE(method, std::string::npos) << codec.name << " has no row";
    const size_t row = format.rfind('\n', method) + 1;
    EXPECT_TRUE(format.substr(row).starts_with("| " + number + " | ")) << codec.name;
    const bool has_section = format.find("\n### " + number + ": ") != std::string::npos ||
                             format.find(", " + number + ": ") != std::string::npos;
    EXPECT_TRUE(has_section) << codec.name << " has no section";
  }
  EXPECT_EQ(CountRows(format), static_cast<int>(AllCodecs().size()));
}

}  // namespace
}  // namespace lutra

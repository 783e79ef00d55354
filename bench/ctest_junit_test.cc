// SPDX-License-Identifier: Apache-2.0
// A file as CTest writes it is counted; any other is refused.

#include "bench/ctest_junit.h"

#include <gtest/gtest.h>

#include "host/failures.h"

namespace lutra::bench {
namespace {

std::string Suite(const std::string& counts, const std::string& tests) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"(empty)\"\n\t" + counts + "\n\t>\n" +
         tests + "</testsuite>\n";
}

constexpr char kPasses[] = "<testcase name=\"a\" status=\"run\"><system-out>ok</system-out></testcase>\n";
constexpr char kFails[] = "<testcase name=\"b\" status=\"fail\"><failure message=\"\"/></testcase>\n";
constexpr char kSkips[] =
    "<testcase name=\"c\" status=\"notrun\"><skipped message=\"SKIP_RETURN_CODE=77\"/>"
    "<system-out>before\ntest skipped: no emulator &lt;here&gt;\nbehind</system-out></testcase>\n";
constexpr char kIsNotThere[] =
    "<testcase name=\"d\" status=\"notrun\"><skipped message=\"Unable to find executable\"/></testcase>\n";
constexpr char kIsDisabled[] =
    "<testcase name=\"e\" status=\"disabled\"><system-out>Disabled</system-out></testcase>\n";

std::string RefusalOf(const std::string& text) {
  try {
    ParseTests(text, "tests.xml");
  } catch (const host::BadInput& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(ParseTests, CountsTestsByWhatBecameOfThem) {
  const host::TestsResult result =
      ParseTests(Suite("tests=\"5\" failures=\"1\" disabled=\"1\" skipped=\"2\"",
                       std::string(kPasses) + kFails + kSkips + kIsNotThere + kIsDisabled),
                 "tests.xml");
  EXPECT_EQ(result.run, 2);
  EXPECT_EQ(result.passed, 1);
  EXPECT_EQ(result.failed, 1);
  EXPECT_EQ(result.skipped, 3);
  const std::vector<std::string> why = {"c: no emulator <here>", "d: Unable to find executable",
                                        "e: disabled"};
  EXPECT_EQ(result.why_skipped, why);
}

TEST(ParseTests, RefusesWhatCTestDoesNotWrite) {
  const struct {
    std::string text, says;
  } kRefusals[] = {
      {"", "found no XML"},
      {"<html/>", "found no <testsuite>"},
      {Suite("", kPasses), "found tests=\"\""},
      {Suite("tests=\"1\" failures=\"0\" disabled=\"0\" skipped=\"0\"", kPasses) + "<", "found no XML"},
      {Suite("tests=\"1\" failures=\"0\" disabled=\"0\" skipped=\"0\"", kPasses).substr(0, 120),
       "found no XML"},
      // Counts of tests that the file lacks.
      {Suite("tests=\"1\" failures=\"0\" disabled=\"2147483647\" skipped=\"2147483647\"", kPasses),
       "found disabled=\"2147483647\" above 0 of them"},
      {Suite("tests=\"1\" failures=\"0\" disabled=\"0\" skipped=\"99999999999999999999\"", kPasses),
       "found skipped=\"9999"},
      {Suite("tests=\"1\" failures=\"-1\" disabled=\"0\" skipped=\"0\"", kPasses), "found failures=\"-1\""},
      {Suite("tests=\"2\" failures=\"0\" disabled=\"0\" skipped=\"0\"", kPasses),
       "found tests=\"2\" above 1"},
      {Suite("tests=\"1\" failures=\"0\" disabled=\"0\" skipped=\"0\"", kFails),
       "found failures=\"0\" above 1"},
      {Suite("tests=\"1\" failures=\"0\" disabled=\"0\" skipped=\"0\"", kSkips),
       "found skipped=\"0\" above 1"},
      {Suite("tests=\"1\" failures=\"0\" disabled=\"0\" skipped=\"0\"",
             "<testcase name=\"x\" status=\"run\"><failure/></testcase>"),
       "found a failure of test \"x\", whose status is \"run\""},
      {Suite("tests=\"1\" failures=\"0\" disabled=\"0\" skipped=\"0\"",
             "<testcase name=\"x\" status=\"odd\"/>"),
       "found status=\"odd\""},
      {Suite("tests=\"0\" failures=\"0\" disabled=\"0\" skipped=\"0\"", ""), "found no test"},
  };
  for (const auto& [text, says] : kRefusals) {
    const std::string refusal = RefusalOf(text);
    EXPECT_TRUE(refusal.starts_with("tests.xml: tests: ")) << text << refusal;
    EXPECT_NE(refusal.find(says), std::string::npos) << says << "\n" << refusal;
  }
}

// The texts are a million elements deep, or have entities that would grow.
TEST(ParseTests, SurvivesWhatIsMadeToHurt) {
  std::string deep = "<testsuite tests=\"0\" failures=\"0\" disabled=\"0\" skipped=\"0\">";
  for (int i = 0; i < 1000000; ++i) deep += "<a>";
  EXPECT_NE(RefusalOf(deep), "");
  const std::string laughs = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]>";
  const host::TestsResult result =
      ParseTests(laughs + Suite("tests=\"1\" failures=\"0\" disabled=\"0\" skipped=\"1\"",
                                "<testcase name=\"&b;\" status=\"notrun\"/>")
                              .substr(39),
                 "tests.xml");
  EXPECT_EQ(result.why_skipped[0], "&b;: no reason given");
}

}  // namespace
}  // namespace lutra::bench

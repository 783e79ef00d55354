// SPDX-License-Identifier: Apache-2.0
// The stored cases of what VTA takes, through its delegate: both numbers of threads, four configurations.

#include <gtest/gtest.h>

#include <filesystem>

#include "conformance/runner/run.h"

namespace lutra::conformance {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(LUTRA_SOURCE_DIR) / "golden";

std::vector<Case> StoredCases() {
  std::vector<Case> cases;
  for (const char* const prefix : {"int8.conv_2d.", "int8.depthwise_conv_2d.", "int8.fully_connected."}) {
    for (Case& one : GeneratedCases(std::string(prefix) + "*")) {
      if (std::filesystem::exists(kGolden / "smoke" / "cases" / one.id)) cases.push_back(std::move(one));
    }
  }
  return cases;
}

class OnVta : public testing::TestWithParam<const char*> {};

TEST_P(OnVta, StoredCasesAreExact) {
  const Manifest manifest(kGolden / "manifest.jsonl");
  const RunOptions options = {
      .adapter = std::string("'") + LUTRA_ADAPTER + "' --delegate vta --delegate-options " + GetParam(),
      .timeout = std::chrono::seconds(60),
      .profile = oracle::FindProfile("tflm"),
      .profile_name = "tflm"};
  const std::vector<Case> cases = StoredCases();
  ASSERT_GT(cases.size(), 45u);
  for (const host::CaseResult& result : RunCases(cases, manifest, options).cases) {
    EXPECT_EQ(result.verdict, host::Verdict::kPass)
        << result.id << ": " << host::ToString(result.verdict) << ": " << result.why;
  }
}

INSTANTIATE_TEST_SUITE_P(, OnVta,
                         testing::Values("threads=1", "threads=2", "threads=1,config=1x8_i8w8a32_9_8_11_10",
                                         "threads=2,config=1x8_i8w8a32_9_8_11_10",
                                         "threads=1,config=1x32_i8w8a32_15_15_18_17",
                                         "threads=2,config=4x16_i8w8a32_15_15_18_17"));

}  // namespace
}  // namespace lutra::conformance

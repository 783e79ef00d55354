// SPDX-License-Identifier: Apache-2.0
// Runs every case of the corpus on every backend of Lutra: a test for each operator and backend.

#include <gtest/gtest.h>

#include <filesystem>

#include "conformance/runner/run.h"
#include "host/environment.h"

namespace lutra::conformance {
namespace {

#if defined(LUTRA_SINGLE_ROUNDING)
constexpr char kProfile[] = "single-rounding";
#else
constexpr char kProfile[] = "tflm";
#endif

// A backend to test: Lutra's adapter with these kernels, in the smallest arenas, or its build with the other
// rounding.
struct Backend {
  std::string name, adapter;
  const char* profile;
};

std::vector<Backend> Backends() {
  std::vector<Backend> backends;
  for (const std::string& kernels : host::KernelChoices()) {
#if defined(LUTRA_SANITIZED)
    // kernel_test tests the other variants.
    if (kernels != "best") continue;
#else
    // "best" would be the last variant once more.
    if (kernels == "best") continue;
#endif
    backends.push_back(
        {kernels, std::string("'") + LUTRA_ADAPTER + "' --tight-arena --kernels " + kernels, kProfile});
  }
#if defined(LUTRA_SINGLE_ROUNDING_ADAPTER)
  backends.push_back(
      {"single_rounding", std::string("'") + LUTRA_SINGLE_ROUNDING_ADAPTER + "'", "single-rounding"});
#endif
  return backends;
}

const std::filesystem::path kGolden = std::filesystem::path(LUTRA_SOURCE_DIR) / "golden";

// "int8.conv_2d." and a backend.
class Conformance : public testing::TestWithParam<std::tuple<std::string, Backend>> {};

TEST_P(Conformance, EveryCase) {
  const auto& [prefix, backend] = GetParam();
  // For the scheme before int8 only one profile has rules, and it rounds twice.
  const bool is_uint8 = prefix.ends_with("_uint8.");
  const char* const profile = is_uint8 ? "litert-reference" : backend.profile;
  if (is_uint8 && std::string_view(backend.profile) == "single-rounding") GTEST_SKIP() << profile;
  static const Manifest manifest(kGolden / "manifest.jsonl");
  ASSERT_FALSE(manifest.empty());
  const RunOptions options = {.adapter = backend.adapter,
                              .timeout = std::chrono::seconds(60),
                              .profile = oracle::FindProfile(profile),
                              .profile_name = profile};
  const std::vector<Case> cases = GeneratedCases(prefix + "*");
  ASSERT_FALSE(cases.empty());
  for (const host::CaseResult& result : RunCases(cases, manifest, options).cases) {
    EXPECT_EQ(result.verdict, host::Verdict::kPass)
        << result.id << ": " << host::ToString(result.verdict) << ": " << result.why;
  }
}

std::vector<std::string> Prefixes() {
  std::vector<std::string> prefixes;
  for (const CaseFamily& family : AllFamilies()) prefixes.emplace_back(family.prefix);
  return prefixes;
}

INSTANTIATE_TEST_SUITE_P(Backends, Conformance,
                         testing::Combine(testing::ValuesIn(Prefixes()), testing::ValuesIn(Backends())),
                         [](const auto& param) {
                           std::string name = std::get<0>(param.param) + std::get<1>(param.param).name;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace lutra::conformance

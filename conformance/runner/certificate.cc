// SPDX-License-Identifier: Apache-2.0
// Writes certificates, and finds changes in one.

#include "conformance/runner/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/runner/results.h"
#include "host/environment.h"
#include "host/result_json.h"
#include "host/sha256.h"

namespace lutra::conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEnd = "\n}\n";

// Returns the last member of the file's object, which has the hash.
std::string HashOf(std::string_view before) {
  return fmt::format(",\n \"sha256\": \"{}\"", host::Sha256(before.data(), before.size()));
}

}  // namespace

std::string CertificateText(const host::ConformanceResult& results) {
  Json file = Json::parse(ResultJson(results));
  const auto different =
      std::count_if(results.cases.begin(), results.cases.end(),
                    [](const host::CaseResult& result) { return result.verdict != host::Verdict::kPass; });
  file["certificate"] = {
      {"note",
       "This is not signed, and the hash only tells whether it was changed since. Nothing but running it "
       "again proves it."},
      {"run_again", results.command},
      {"summary", SummaryLine(results)},
      {"not_passed", different},
      {"never_ran", host::OperatorsThatNeverRan(results)},
  };
  std::string text = host::JsonText(file, 1);
  text.resize(text.size() - kEnd.size());
  return text + HashOf(text) + std::string(kEnd);
}

bool IsIntact(std::string_view text) {
  const size_t at = text.rfind(",\n \"sha256\": \"");
  return at != std::string_view::npos && text.substr(at) == HashOf(text.substr(0, at)) + std::string(kEnd);
}

}  // namespace lutra::conformance

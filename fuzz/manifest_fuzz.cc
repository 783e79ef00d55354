// SPDX-License-Identifier: Apache-2.0
// Readers: conformance/runner/manifest.cc
// Fuzz target: golden/manifest.jsonl, and the comparison of a case with each of its lines.

#include <sstream>

#include "conformance/runner/manifest.h"
#include "host/failures.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lutra::conformance;
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  try {
    const Manifest manifest(lines, "fuzz.jsonl");
    Case test;
    for (const std::string& id : manifest.ids()) {
      test.id = id;
      for (const oracle::Profile& profile : oracle::Profiles()) {
        manifest.Compare(test, profile, std::nullopt);
        manifest.Compare(test, profile, std::vector<oracle::Bytes>{{1, 2, 3}});
      }
    }
    manifest.Missing({}, "*");
    manifest.CountByOperator();
  } catch (const lutra::host::BadInput&) {
    // A refusal is right.
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Readers: conformance/runner/bounds.cc
// Fuzz target: the JSON of `conformance run --profile bounded --bounds`. Accepted bounds must be the same
// after writing and reading.

#include <cstdlib>

#include "conformance/runner/bounds.h"
#include "host/failures.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lutra;
  host::Bounds bounds;
  try {
    bounds = conformance::ParseBounds({reinterpret_cast<const char*>(data), size}, "fuzz.json");
  } catch (const host::BadInput&) {
    return 0;
  }
  for (const auto& [op, bound] : bounds) {
    if (bound < 0 || bound > conformance::kLargestBound) abort();
  }
  if (conformance::ParseBounds(conformance::BoundsJson(bounds), "written.json") != bounds) abort();
  return 0;
}

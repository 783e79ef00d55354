// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the YAML of `compress --spec`. What is accepted comes back from what is written of it.

#include <cstdlib>

#include "bench/model_file.h"
#include "compressor/spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto entries = lutra::ParseSpec({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
    if (lutra::ParseSpec(lutra::WriteSpec(entries), "written.yaml") != entries) abort();
  } catch (const lutra::BadInput&) {
    // As it should be.
  }
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Readers: compressor/spec.cc
// Fuzz target: the YAML of `compress --spec`. Accepted specs must be the same after writing and reading.

#include <cstdlib>

#include "compressor/spec.h"
#include "host/model_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const auto entries =
        lutra::compressor::ParseSpec({reinterpret_cast<const char*>(data), size}, "fuzz.yaml");
    if (lutra::compressor::ParseSpec(lutra::compressor::WriteSpec(entries), "written.yaml") != entries)
      abort();
  } catch (const lutra::host::BadInput&) {
    // A refusal is right.
  }
  return 0;
}

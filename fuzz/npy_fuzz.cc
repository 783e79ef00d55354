// SPDX-License-Identifier: Apache-2.0
// Readers: host/npy.cc
// Fuzz target: an .npy file. Accepted arrays can be read from the first element to the last.

#include <algorithm>
#include <cstdlib>

#include "host/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lutra::host::AlignedBytes file(size);
  std::copy(data, data + size, file.data());
  try {
    const lutra::host::NpyArray array = lutra::host::ParseNpy(std::move(file), "fuzz.npy");
    const int64_t count = array.count();
    if (count < 0 || array.data < array.file.data() ||
        array.data + array.bytes > array.file.data() + array.file.size() ||
        static_cast<uint64_t>(count) * static_cast<uint64_t>(lutra::ElementBytes(array.type)) !=
            array.bytes) {
      abort();
    }
    volatile double sum = 0;
    for (int64_t i = 0; i < count; ++i) sum = sum + array.At(i);
  } catch (const lutra::host::BadInput&) {
    // A refusal is right.
  }
  return 0;
}

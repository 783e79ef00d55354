// SPDX-License-Identifier: Apache-2.0
// Reads which tests CTest ran from the file that its --output-junit writes.

#pragma once

#include <string>

#include "host/result.h"

namespace lutra::bench {

// Counts the tests, and says why some were skipped. Throws BadInput, naming `path`, for a file that CTest
// does not write: one that is no XML, a suite without a test, or counts that contradict its tests.
host::TestsResult ParseTests(const std::string& text, const std::string& path);

}  // namespace lutra::bench

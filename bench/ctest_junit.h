// SPDX-License-Identifier: Apache-2.0
// Reads which tests CTest ran from the file that its --output-junit writes.

#pragma once

#include <string>

#include "host/result.h"

namespace lutra::bench {

// Counts the tests, and says why some were skipped. Throws BadInput, naming `path`, for what CTest does not
// write: no XML, a suite without a test, counts that its tests do not have.
host::TestsResult ParseTests(const std::string& text, const std::string& path);

}  // namespace lutra::bench

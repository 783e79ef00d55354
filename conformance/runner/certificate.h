// SPDX-License-Identifier: Apache-2.0
// A certificate: the results of a whole run in a file that shows whether it was changed afterwards. It is not
// signed: only another run can confirm the results.
//
//   const std::string text = CertificateText(results);
//   if (!IsIntact(text)) ...

#pragma once

#include <string>
#include <string_view>

#include "host/conformance_result.h"

namespace lutra::conformance {

// A result file, with the coverage and a SHA-256 of all text before the hash.
std::string CertificateText(const host::ConformanceResult& results);

// Returns whether every byte is as CertificateText wrote it.
bool IsIntact(std::string_view text);

}  // namespace lutra::conformance

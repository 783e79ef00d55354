// SPDX-License-Identifier: Apache-2.0
// Faults that a runtime may have, seeded into right answers, so that a test can ask whether the suite
// catches each.
//
//   const Fault& fault = Faults()[2];
//   runner.Run(folder);    // The right outputs...
//   fault.apply(folder);   // ...are spoilt, or the process ends.

#pragma once

#include <filesystem>
#include <vector>

namespace lutra::conformance::mock {

struct Fault {
  const char* name;
  const char* description;  // One line of text.
  void (*apply)(const std::filesystem::path& folder);
};

const std::vector<Fault>& Faults();

}  // namespace lutra::conformance::mock

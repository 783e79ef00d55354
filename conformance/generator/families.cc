// SPDX-License-Identifier: Apache-2.0
// Every family of cases. A new one: its file, and its name here.

#include "conformance/generator/case.h"

namespace lutra {

extern const CaseFamily kConv2DCases;

const std::vector<CaseFamily>& AllFamilies() {
  static const std::vector<CaseFamily> families = {kConv2DCases};
  return families;
}

}  // namespace lutra

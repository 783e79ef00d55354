// SPDX-License-Identifier: Apache-2.0
// Measures the processor's peak on one thread, with which the figures of kernels can be compared:
// multiply-accumulates by instruction set, and copies by size.
//
//   for (const MachinePeak& peak : MeasurePeaks()) Print(peak.name, peak.figure);

#pragma once

#include <string>
#include <vector>

namespace lutra {

struct MachinePeak {
  std::string name;    // "peak avx512vnni vpdpbusd"
  std::string figure;  // "309.1 GMAC/s"
};

// Takes a tenth of a second. Instruction sets that the processor lacks are left out.
std::vector<MachinePeak> MeasurePeaks();

}  // namespace lutra

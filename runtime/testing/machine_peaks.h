// SPDX-License-Identifier: Apache-2.0
// Measures the most that this processor can do on one thread, so that the figures of kernels have something
// to be held against: multiply-accumulates by instruction set, and copies by size.
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

// A tenth of a second. Instruction sets that the processor lacks are left out.
std::vector<MachinePeak> MeasurePeaks();

}  // namespace lutra

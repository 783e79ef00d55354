// SPDX-License-Identifier: Apache-2.0
// Uses more and more stack, to check that an overflow ends the program instead of destroying data below.

#include <stdint.h>

#include "platforms/common/report.h"

namespace {

volatile uint32_t sink;

// The recursive call is not the last one, so that no compiler makes a loop of it.
[[gnu::noinline]] uint32_t Descend(uint32_t depth) {
  volatile uint32_t frame[64];
  frame[depth % 64] = depth;
  if (depth < 100000) sink = sink + Descend(depth + 1);
  return frame[sink % 64];
}

}  // namespace

int main() {
  lutra::platforms::ReportLine("survived").Number(static_cast<intptr_t>(Descend(0)));
  return 0;
}

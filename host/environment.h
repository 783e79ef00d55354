// SPDX-License-Identifier: Apache-2.0
// The facts besides the code on which a measurement depends: machine, compiler, load.

#pragma once

#include <cstdint>
#include <ctime>
#include <string>
#include <vector>

#include "host/result.h"
#include "lutra/cpu.h"

namespace lutra::host {

// Returns the program of QEMU that emulates the processor ("qemu-aarch64"); empty on a real one. Times
// measured under an emulator are not reported.
std::string Emulator();

// The commit that was configured; "unknown" outside a checkout.
const char* BuildCommit();
// "2026-11-27T10:40:40Z", as Environment::date has it.
std::string UtcText(std::time_t time);
Environment DescribeEnvironment(const std::string& program);

// The text of --version: version, commit, compiler, build type, rounding, kernel variants.
std::string VersionText(const std::string& program);

// A line for each table of kernel variants, best first; those that this CPU lacks are in brackets.
std::string KernelTablesText();

// The names that --kernels takes: best, and the variants in this binary that this CPU can run.
std::vector<std::string> KernelChoices();
// Returns the CPU features with which these kernels are chosen, and no better ones.
CpuFeatures KernelFeatures(const std::string& choice);

// Returns the smallest step of the clock, by which two different times differ at least. 0: the clock stands
// still, and times are not reported.
int64_t ClockResolutionNs();

// Nanoseconds of a monotonic clock.
int64_t NowNs();

}  // namespace lutra::host

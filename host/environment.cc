// SPDX-License-Identifier: Apache-2.0
// Gets facts about the machine, the compiler and the clock.

#include "host/environment.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <set>
#include <thread>

#include "lutra/cpu.h"
#include "runtime/kernels/tables.h"

namespace lutra::host {
namespace {

// The most readings of a clock between two of its steps: steps of 16 ms take fewer.
constexpr int kMostReadings = 4'000'000;

std::string CpuName() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string Platform() {
  utsname name = {};
  return uname(&name) == 0 ? name.machine : "unknown";
}

std::string Compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

std::string Rounding() {
#if defined(LUTRA_SINGLE_ROUNDING)
  return "single";
#else
  return "double";
#endif
}

std::vector<std::string> Noise() {
  std::vector<std::string> noise;
  double load = 0;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  if (getloadavg(&load, 1) == 1 && load > 0.5 * cores) {
    noise.push_back(fmt::format("load {:.1f} on {} cores", load, cores));
  }
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  std::string governor;
  if (file >> governor && governor != "performance") {
    noise.push_back(fmt::format("frequency governor {}", governor));
  }
  return noise;
}

std::string CpuFeatureNames() {
  const CpuFeatures have = CpuFeaturesHere();
  std::string names;
  for (const InstructionSet& set : kInstructionSets) {
    if ((set.features & ~have) == 0) names += std::string(names.empty() ? "" : " ") + set.name;
  }
  return names.empty() ? "none" : names;
}

// Returns the reference, and the instruction sets for which some table has a variant.
std::vector<std::pair<std::string, CpuFeatures>> KernelVariants() {
  std::set<std::string> names;
  VisitTables([&](const char*, const auto& table) {
    for (const auto& variant : table) names.insert(variant.name);
  });
  std::vector<std::pair<std::string, CpuFeatures>> variants = {{"ref", kCpuAny}};
  for (const InstructionSet& set : kInstructionSets) {
    if (names.count(set.name) != 0) variants.emplace_back(set.name, set.features);
  }
  return variants;
}

std::string VariantNames(CpuFeatures have) {
  std::string names;
  for (const auto& [name, needs] : KernelVariants()) {
    if ((needs & ~have) == 0) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

}  // namespace

std::string KernelTablesText() {
  std::string text = "kernel variants in this binary, best first; this CPU lacks those in brackets";
  VisitTables([&](const char* name, const auto& table) {
    text += fmt::format("\n{:24}", name);
    for (const auto& variant : table) {
      const bool usable = CanRun(variant, CpuFeaturesHere());
      text += usable ? fmt::format(" {}", variant.name) : fmt::format(" [{}]", variant.name);
    }
  });
  return text;
}

std::vector<std::string> KernelChoices() {
  std::vector<std::string> choices = {"best"};
  for (const auto& [name, needs] : KernelVariants()) {
    if ((needs & ~CpuFeaturesHere()) == 0) choices.push_back(name);
  }
  return choices;
}

CpuFeatures KernelFeatures(const std::string& choice) {
  if (choice == "best") return CpuFeaturesHere();
  for (const auto& [name, needs] : KernelVariants()) {
    if (name == choice) return needs;
  }
  return kCpuAny;
}

int64_t ClockResolutionNs() {
  int64_t smallest = INT64_MAX;
  for (int i = 0; i < 200; ++i) {
    const int64_t start = NowNs();
    int64_t now = start;
    for (int reading = 0; now == start; ++reading) {
      if (reading == kMostReadings) return 0;
      now = NowNs();
    }
    smallest = std::min(smallest, now - start);
  }
  return smallest;
}

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string Emulator() {
  // QEMU shows the emulated program in other files of /proc, but its own name in this one.
  std::ifstream file("/proc/self/comm");
  std::string name;
  return file >> name && name.starts_with("qemu-") ? name : "";
}

const char* BuildCommit() { return LUTRA_COMMIT; }

std::string UtcText(std::time_t time) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(time)); }

Environment DescribeEnvironment(const std::string& program) {
  Environment environment;
  environment.program = program;
  environment.version = LUTRA_VERSION;
  environment.commit = LUTRA_COMMIT;
  environment.date = UtcText(std::time(nullptr));
  environment.platform = Platform();
  environment.cpu = CpuName();
  environment.compiler = Compiler();
  environment.build_type = LUTRA_BUILD_TYPE;
  environment.rounding = Rounding();
  if (const std::string emulator = Emulator(); !emulator.empty()) {
    environment.cpu = emulator;
  } else {
    environment.clock_resolution_ns = ClockResolutionNs();
    if (environment.clock_resolution_ns > 0) environment.clock = "steady_clock";
    environment.noise = Noise();
  }
  return environment;
}

std::string VersionText(const std::string& program) {
  return fmt::format(
      "{} {} (commit {})\ncompiler {}, build type {}, {} rounding\n"
      "kernel variants in this binary: {}\nusable on this CPU: {}\nCPU features: {}\n",
      program, LUTRA_VERSION, LUTRA_COMMIT, Compiler(), LUTRA_BUILD_TYPE, Rounding(), VariantNames(~kCpuAny),
      VariantNames(CpuFeaturesHere()), CpuFeatureNames());
}

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// guarded_lanes: requantisation in float32 under a guard against the integer rule, for any number of sums.
// guarded_test does the same for a few.

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "runtime/testing/guarded_lanes.h"

namespace lutra {
namespace {

constexpr int32_t kLeastShift = -31;
constexpr int32_t kMostShift = 6;

int Compare(int64_t lanes, uint64_t seed) {
  Random random(seed);
  for (const Steps steps : {Steps::kFused, Steps::kTwo}) {
    LaneCounts counts;
    for (int32_t shift = kLeastShift; counts.sums < lanes / 2; ++shift) {
      if (shift > kMostShift) shift = kLeastShift;
      const Channel channel = RandomChannel(random, shift);
      const std::string wrong = FirstWrongLane(channel, RandomSums(random, channel), steps, &counts);
      if (wrong.empty()) continue;
      std::printf("%s\n", wrong.c_str());
      return 1;
    }
    std::printf("%s: %lld sums, none wrong; %lld in doubt, largest distance %.3f of the bound\n",
                steps == Steps::kFused ? "one step" : "two steps", static_cast<long long>(counts.sums),
                static_cast<long long>(counts.in_doubt), counts.worst);
  }
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app("Compares guarded requantisation with the integer rule.", "guarded_lanes");
  int64_t lanes = 10'000'000;
  uint64_t seed = 1;
  app.add_option("--lanes", lanes, "Sums to compare")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--seed", seed, "Seed of channels and sums")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return Compare(lanes, seed);
}

}  // namespace
}  // namespace lutra

int main(int argc, char** argv) {
  try {
    return lutra::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "guarded_lanes: %s\n", error.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
// ADD and QUANTIZE through the driver and the simulator, against the runtime's own arithmetic.

#include <algorithm>
#include <cmath>
#include <random>

#include "delegates/vta/driver/lower_add.h"
#include "delegates/vta/simulator/testing/operator_run.h"
#include "delegates/vta/simulator/testing/programs.h"
#include "lutra/fixed_point/fixed_point.h"

namespace lutra::vta::sim {
namespace {

// Adds as the int8 specification has it.
int8_t Exact(const AddProblem& problem, int8_t a, int8_t b) {
  const auto operand = [](const AddProblem::Operand& one, int8_t code) {
    return MultiplyDoubleRounding((code - one.zero_point) * (1 << 20), one.multiplier);
  };
  const int32_t sum =
      problem.operands == 2 ? operand(problem.a, a) + operand(problem.b, b) : a - problem.a.zero_point;
  const int64_t result = int64_t{MultiplyDoubleRounding(sum, problem.output)} + problem.zero_point;
  return static_cast<int8_t>(std::clamp<int64_t>(result, problem.min, problem.max));
}

struct AddScales {
  float a, b, out;
  int32_t za, zb, z;
};
AddScales RandomScales(std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  const double a = std::exp2(-8 * unit(random)), b = a * std::exp2(6 * unit(random) - 3);
  const double out = (0.15 + 0.9 * unit(random)) * (a + b);
  const auto zero_point = [&random] { return static_cast<int32_t>(random() % 256) - 128; };
  return {static_cast<float>(a), static_cast<float>(b), static_cast<float>(out),
          zero_point(),          zero_point(),          zero_point()};
}

// Every pair of codes, as an image of 256 channels, 256 pixels.
OperatorRun EveryPair(const Config& config) {
  OperatorRun run;
  for (int i = 0; i < 2; ++i) {
    run.inputs.push_back(ImageOfNhwc(config, 1, 16, 16, 256));
    run.values.emplace_back(65536);
  }
  for (int i = 0; i < 65536; ++i) {
    run.values[0][static_cast<size_t>(i)] = static_cast<int8_t>(i / 256 - 128);
    run.values[1][static_cast<size_t>(i)] = static_cast<int8_t>(i % 256 - 128);
  }
  run.output = ImageOfNhwc(config, 1, 16, 16, 256);
  return run;
}

Status LowerIt(const Driver& driver, const AddProblem& problem, const OperatorRun& run, LoweredLayer* layer) {
  return LowerAdd(driver, problem, run.inputs[0], run.inputs.back(), run.output, layer);
}

void RunAdd(OperatorRun& run, const DriverOptions& options, const AddProblem& problem) {
  run.Run(options, [&problem](const Driver& driver, const OperatorRun& on, LoweredLayer* layer) {
    return LowerIt(driver, problem, on, layer);
  });
}

AddProblem ProblemOf(const AddScales& s) { return AddProblem::OfSum(s.a, s.za, s.b, s.zb, s.out, s.z); }

constexpr AddScales kCorners[] = {{1, 1, 1, 0, 0, 0},           {1, 1, 2, 127, -128, -128},
                                  {1, 1e-9f, 1, 0, 127, 0},     {1e-3f, 1, 1.5f, 5, 6, 7},
                                  {0.5f, 0.5f, 0.25f, 0, 0, 0}, {1, 0.99999994f, 3, -1, 1, 127}};
// In mode legacy16, these make products wrap, and SHR shift to the left and by more than 32 bits.
constexpr AddScales kFarScales[] = {
    {1, 1, 1e-9f, 0, 0, -128}, {1, 0.5f, 4e-7f, 0, 0, 127}, {1, 1, 1e-30f, 3, 3, 5}};

// Every pair of codes for 100 triples of scales.
TEST(Line11, SumsOfAllPairsAreExact) {
  std::mt19937_64 random(11);
  for (size_t i = 0; i < 94 + std::size(kCorners); ++i) {
    const AddScales scales = i < 94 ? RandomScales(random) : kCorners[i - 94];
    AddProblem problem = ProblemOf(scales);
    if (i % 7 == 3) problem.min = problem.zero_point;
    OperatorRun run = EveryPair(kConfigs[0].config);
    RunAdd(run, {.config = kConfigs[0].config, .threads = 1 + static_cast<uint32_t>(i % 2)}, problem);
    ASSERT_EQ(run.reason, nullptr) << run.reason;
    for (size_t k = 0; k < 65536; ++k) {
      ASSERT_EQ(run.result[k], Exact(problem, run.values[0][k], run.values[1][k]))
          << int{run.values[0][k]} << " + " << int{run.values[1][k]} << " of " << scales.a << " " << scales.b
          << " " << scales.out;
    }
  }
}

TEST(Line11, FastSumsAreOneOffAtMost) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 4; ++i) {
    const AddProblem problem = ProblemOf(RandomScales(random));
    OperatorRun run = EveryPair(kConfigs[0].config);
    RunAdd(run, {.config = kConfigs[0].config, .mode = Mode::kFast}, problem);
    ASSERT_EQ(run.reason, nullptr) << run.reason;
    for (size_t k = 0; k < 65536; ++k) {
      ASSERT_LE(std::abs(run.result[k] - Exact(problem, run.values[0][k], run.values[1][k])), 1);
    }
  }
}

TEST(Line14, Legacy16SumsAreTheFirstDelegates) {
  std::mt19937_64 random(13);
  std::vector<AddScales> all(kCorners, std::end(kCorners));
  all.insert(all.end(), kFarScales, std::end(kFarScales));
  for (int i = 0; i < 4; ++i) all.push_back(RandomScales(random));
  for (size_t i = 0; i < all.size(); ++i) {
    const AddProblem problem = ProblemOf(all[i]);
    OperatorRun run = EveryPair(kConfigs[0].config);
    RunAdd(run, {.config = kConfigs[0].config, .mode = Mode::kLegacy16}, problem);
    ASSERT_EQ(run.reason, nullptr) << run.reason;
    for (size_t k = 0; k < 65536; ++k) {
      ASSERT_EQ(run.result[k], problem.legacy.Sum(run.values[0][k], run.values[1][k])) << i;
    }
  }
}

// The CPU scales one operand, the other or both: sums are the same, with fewer cycles of the ALU.
TEST(Line11, SumsAreEqualWhoeverScales) {
  std::mt19937_64 random(15);
  for (const Mode mode : {Mode::kExact, Mode::kFast, Mode::kLegacy16}) {
    const AddProblem problem = ProblemOf(RandomScales(random));
    OperatorRun run = EveryPair(kConfigs[0].config);
    RunAdd(run, {.config = kConfigs[0].config, .mode = mode}, problem);
    ASSERT_EQ(run.reason, nullptr) << run.reason;
    const std::vector<int8_t> on_vta = run.result;
    const uint64_t on_vta_cycles = run.bound.alu_cycles;
    std::vector<int32_t> tables[2];
    for (int i = 0; i < 2; ++i) {
      for (int code = -128; code <= 127; ++code) {
        tables[i].push_back(problem.Scaled(i, static_cast<int8_t>(code), mode));
      }
    }
    for (const unsigned which : {1u, 2u, 3u}) {
      for (unsigned i = 0; i < 2; ++i)
        run.inputs[i].table = (which >> i & 1) != 0 ? tables[i].data() : nullptr;
      RunAdd(run, {.config = kConfigs[0].config, .mode = mode}, problem);
      ASSERT_EQ(run.reason, nullptr) << run.reason;
      EXPECT_EQ(run.result, on_vta) << FactsOf(mode).name << " " << which;
      EXPECT_LT(run.bound.alu_cycles, on_vta_cycles);
    }
  }
}

// Shapes that do not fill tiles, frames, broadcasting, all configurations and threads.
TEST(Line11, SumsOfManyShapesAreExact) {
  constexpr struct {
    uint32_t images, height, width, channels;
  } kShapes[] = {{1, 1, 1, 1}, {1, 5, 7, 3}, {3, 9, 11, 17}, {2, 1, 40, 33}, {1, 40, 1, 16}};
  const AddProblem problem = ProblemOf({0.1f, 0.07f, 0.13f, 3, -9, 20});
  for (const NamedConfig& config : kConfigs) {
    for (const auto& shape : kShapes) {
      for (uint32_t i = 0; i < 8; ++i) {
        // The second operand has one row, or one column, or neither.
        const uint32_t height = i / 2 % 2 != 0 ? 1 : shape.height, width = i / 4 != 0 ? 1 : shape.width;
        OperatorRun run;
        run.inputs = {ImageOfNhwc(config.config, shape.images, shape.height, shape.width, shape.channels),
                      ImageOfNhwc(config.config, shape.images, height, width, shape.channels)};
        run.output = ImageOfNhwc(config.config, shape.images, shape.height, shape.width, shape.channels);
        WidenImage(run.inputs[0], 2, 1, shape.height + 1, shape.width + 3);
        if (i % 2 != 0) WidenImage(run.output, 1, 2, shape.height, shape.width + 1);
        for (const Image& input : run.inputs) {
          run.values.push_back(RandomValues<int8_t>(static_cast<size_t>(input.count), -128, 127, i + 1));
        }
        RunAdd(run, {.config = config.config, .threads = 1 + i % 2}, problem);
        ASSERT_EQ(run.reason, nullptr) << run.reason;
        for (size_t k = 0; k < run.result.size(); ++k) {
          const size_t c = k % shape.channels, x = k / shape.channels % shape.width,
                       y = k / shape.channels / shape.width % shape.height,
                       n = k / shape.channels / shape.width / shape.height;
          const size_t other =
              ((n * height + (height == 1 ? 0 : y)) * width + (width == 1 ? 0 : x)) * shape.channels + c;
          ASSERT_EQ(run.result[k], Exact(problem, run.values[0][k], run.values[1][other]))
              << config.name << " " << shape.height << " x " << shape.width << ", " << i;
        }
      }
    }
  }
}

// QUANTIZE and RELU: every code, scales up and down.
TEST(Line10, OneOperandIsRequantised) {
  for (const float scale : {0.001f, 0.25f, 0.7f, 1.0f, 1.3f, 4.0f, 900.0f}) {
    for (const int32_t zero : {-128, 0, 17, 127}) {
      AddProblem problem = AddProblem::OfOne(scale, zero, 1, 17 - zero);
      problem.zero_point = std::clamp(problem.zero_point, -128, 127);
      if (zero == 17) problem.min = problem.zero_point;
      OperatorRun run;
      run.inputs = {ImageOfNhwc(kConfigs[0].config, 1, 1, 16, 16)};
      run.output = run.inputs[0];
      run.values.emplace_back();
      for (int i = 0; i < 256; ++i) run.values[0].push_back(static_cast<int8_t>(i - 128));
      RunAdd(run, {.config = kConfigs[0].config}, problem);
      ASSERT_EQ(run.reason, nullptr) << run.reason << " " << scale;
      for (size_t k = 0; k < 256; ++k) {
        ASSERT_EQ(run.result[k], Exact(problem, run.values[0][k], 0)) << scale << " " << zero;
      }
    }
  }
}

TEST(Line11, WhatCannotBeLoadedIsDeclined) {
  const AddProblem problem = ProblemOf({1, 1, 1, 0, 0, 0});
  OperatorRun run;
  run.inputs = {ImageOfNhwc(kConfigs[0].config, 1, 4, 4, 16), ImageOfNhwc(kConfigs[0].config, 1, 4, 4, 1)};
  run.output = run.inputs[0];
  run.values.resize(2);
  RunAdd(run, {.config = kConfigs[0].config}, problem);
  EXPECT_NE(run.reason, nullptr);
}

}  // namespace
}  // namespace lutra::vta::sim

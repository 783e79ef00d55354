// SPDX-License-Identifier: Apache-2.0
// Convolutions and fully connected layers through the driver and the simulator, against plain loops.

#include <algorithm>

#include "delegates/vta/driver/lower_conv.h"
#include "delegates/vta/simulator/testing/operator_run.h"
#include "delegates/vta/simulator/testing/programs.h"
#include "lutra/fixed_point/fixed_point.h"

namespace lutra::vta::sim {
namespace {

// A layer with noise for weights, and its expected outputs.
struct Layer {
  ConvProblem problem;
  int32_t images = 1;
  std::vector<int8_t> filter;
  std::vector<int32_t> bias;
  std::vector<Multiplier> multipliers;
  std::vector<Multiplier16> legacy;  // Of mode legacy16.

  void Fill(uint64_t seed) {
    ConvShape& shape = problem.shape;
    const int32_t in = problem.is_depthwise ? 1 : shape.filter_channels;
    const int32_t count = shape.out_channels * shape.filter_height * shape.filter_width * in;
    filter = RandomValues<int8_t>(static_cast<size_t>(count), -127, 127, seed);
    bias = RandomValues<int32_t>(static_cast<size_t>(shape.out_channels), -9000, 9000, seed + 1);
    std::mt19937_64 random(seed + 2);
    const auto channels = static_cast<size_t>(shape.out_channels);
    const int32_t n = 5 + static_cast<int32_t>(random() % 6);
    for (size_t i = 0; i < channels; ++i) {
      const auto value = static_cast<int32_t>((1 << 30) + random() % ((1u << 30) - 1));
      multipliers.push_back({value, -n - static_cast<int32_t>(random() % 2)});
    }
    problem.filter = filter.data();
    if (seed % 5 != 0) problem.bias = bias.data();
    problem.multipliers = {multipliers.data(), multipliers.size()};
    constexpr int32_t kZeroPoints[] = {-128, 0, 127, 3, -77};
    problem.input_zero_point = kZeroPoints[seed % 5];
    problem.zero_point = kZeroPoints[seed / 5 % 5];
    if (seed % 3 == 0) problem.min = problem.zero_point;
  }

  // Scales range from those with which products wrap to those that leave nothing; SHR goes to both sides.
  void FillLegacy() {
    for (int32_t i = 0; i < problem.shape.out_channels; ++i) {
      const auto value = static_cast<int32_t>((1 << 14) + i * 977 % (1 << 14));
      legacy.push_back({value, i % 13 == 12 ? 47 : i % 20 - 15});
    }
    problem.legacy_multipliers = {legacy.data(), legacy.size()};
  }

  int64_t Requantised(int32_t sum, size_t out) const {
    return legacy.empty() ? MultiplyDoubleRounding(sum, multipliers[out]) : Legacy16Scale(sum, legacy[out]);
  }

  int32_t Weight(int32_t out, int32_t tap, int32_t in) const {
    const ConvShape& shape = problem.shape;
    const int32_t taps = shape.filter_height * shape.filter_width;
    return problem.is_depthwise
               ? filter[static_cast<size_t>(tap * shape.out_channels + out)]
               : filter[static_cast<size_t>((out * taps + tap) * shape.filter_channels + in)];
  }

  int8_t Pixel(const int8_t* image, int32_t y, int32_t x, int32_t out) const {
    const ConvShape& s = problem.shape;
    const int32_t width = problem.is_depthwise ? 1 : s.filter_channels;
    const int32_t first = out / (s.out_channels / (s.in_channels / width)) * width;
    int32_t sum = problem.bias == nullptr ? 0 : bias[static_cast<size_t>(out)];
    for (int32_t tap = 0; tap < s.filter_height * s.filter_width; ++tap) {
      const int32_t iy = y * s.stride_h - s.pad_top + tap / s.filter_width * s.dilation_h;
      const int32_t ix = x * s.stride_w - s.pad_left + tap % s.filter_width * s.dilation_w;
      if (iy < 0 || ix < 0 || iy >= s.in_height || ix >= s.in_width) continue;
      for (int32_t i = 0; i < width; ++i) {
        const int32_t value = image[(iy * s.in_width + ix) * s.in_channels + first + i];
        sum += (value - problem.input_zero_point) * Weight(out, tap, i);
      }
    }
    const int64_t result = Requantised(sum, static_cast<size_t>(out)) + problem.zero_point;
    return static_cast<int8_t>(std::clamp<int64_t>(result, problem.min, problem.max));
  }

  std::vector<int8_t> Plain(const std::vector<int8_t>& input) const {
    const ConvShape& s = problem.shape;
    std::vector<int8_t> output;
    for (int32_t n = 0; n < images; ++n) {
      const int8_t* const image = input.data() + size_t{1} * n * s.in_height * s.in_width * s.in_channels;
      for (int32_t y = 0; y < s.out_height; ++y) {
        for (int32_t x = 0; x < s.out_width; ++x) {
          for (int32_t o = 0; o < s.out_channels; ++o) output.push_back(Pixel(image, y, x, o));
        }
      }
    }
    return output;
  }
};

struct Outcome {
  std::vector<int8_t> output;
  const char* reason = nullptr;
  uint64_t cycles = 0;
  LayerBound bound;
};

uint32_t U(int32_t value) { return static_cast<uint32_t>(value); }

Outcome RunOnVta(const DriverOptions& options, const Layer& layer, const std::vector<int8_t>& input) {
  SimulatedDevice simulated(options.config, {});
  Heap heap;
  Driver driver = {
      .options = options, .device = simulated.device(options.threads == 1), .memory = heap.memory()};
  EXPECT_EQ(PrepareDriver(driver), Status::kOk);
  const ConvShape& s = layer.problem.shape;
  Image in = ImageOfNhwc(options.config, U(layer.images), U(s.in_height), U(s.in_width), U(s.in_channels));
  Image out =
      ImageOfNhwc(options.config, U(layer.images), U(s.out_height), U(s.out_width), U(s.out_channels));
  in.fill = static_cast<int8_t>(layer.problem.input_zero_point);
  EXPECT_EQ(WidenForConv(s, &in), Status::kOk);
  EXPECT_EQ(AllocateImage(driver, &in), Status::kOk);
  EXPECT_EQ(AllocateImage(driver, &out), Status::kOk);
  LoweredLayer lowered;
  Outcome outcome;
  const Status status = LowerConv(driver, layer.problem, in, out, &lowered);
  outcome.reason = lowered.reason;
  outcome.bound = lowered.bound;
  if (outcome.reason != nullptr) return outcome;
  EXPECT_EQ(status, Status::kOk);
  PackImage(options.config, in, input.data());
  RunCounters counters;
  EXPECT_EQ(driver.device.run(driver.device.user, options.config, lowered.stream, &counters), Status::kOk)
      << (simulated.last().findings.empty() ? "" : simulated.last().findings.back().text);
  outcome.cycles = static_cast<uint64_t>(counters.cycles);
  outcome.output.resize(static_cast<size_t>(out.count));
  UnpackImage(options.config, out, outcome.output.data());
  return outcome;
}

void Compare(const Layer& layer, const std::string& what, Mode mode = Mode::kExact) {
  const ConvShape& s = layer.problem.shape;
  const auto input = RandomValues<int8_t>(
      static_cast<size_t>(layer.images * s.in_height * s.in_width * s.in_channels), -128, 127, 99);
  const std::vector<int8_t> expected = layer.Plain(input);
  for (const NamedConfig& config : kConfigs) {
    for (const uint32_t threads : {1u, 2u}) {
      const Outcome outcome =
          RunOnVta({.config = config.config, .mode = mode, .threads = threads}, layer, input);
      ASSERT_EQ(outcome.reason, nullptr) << outcome.reason << " " << what;
      ASSERT_EQ(outcome.output, expected) << what << " on " << config.name << ", " << threads << " threads";
    }
  }
}

// Sets windows of `taps` that all lie inside, or (SAME) as many as there are pixels.
void Slide(ConvShape& s, bool same) {
  const auto one = [same](int32_t in, int32_t taps, int32_t stride, int32_t dilation, int32_t* out,
                          int32_t* pad) {
    const int32_t reach = (taps - 1) * dilation + 1;
    *out = same ? (in + stride - 1) / stride : (in - reach) / stride + 1;
    *pad = same ? std::max(0, ((*out - 1) * stride + reach - in) / 2) : 0;
  };
  one(s.in_height, s.filter_height, s.stride_h, s.dilation_h, &s.out_height, &s.pad_top);
  one(s.in_width, s.filter_width, s.stride_w, s.dilation_w, &s.out_width, &s.pad_left);
}

TEST(Line12, FullyConnectedIsExact) {
  uint64_t seed = 1;
  for (const int32_t depth : {1, 15, 16, 17, 200}) {
    for (const int32_t channels : {1, 10, 16, 33}) {
      for (const int32_t rows : {1, 5}) {
        Layer layer;
        layer.problem.shape = {1, rows, depth, 1, rows, channels, 1, 1, depth, 1, 1, 1, 1, 0, 0};
        layer.Fill(seed++);
        Compare(layer, std::to_string(depth) + " to " + std::to_string(channels));
        if (HasFailure()) return;
      }
    }
  }
}

TEST(Line12, ConvolutionsOfManyShapesAreExact) {
  constexpr int32_t kChannels[] = {1, 3, 15, 16, 17, 32};
  std::mt19937_64 random(5);
  const auto pick = [&random](int32_t least, int32_t most) {
    return least + static_cast<int32_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  for (uint64_t i = 0; i < 24; ++i) {
    Layer layer;
    ConvShape& s = layer.problem.shape;
    s.filter_height = pick(1, 5), s.filter_width = pick(1, 5);
    s.stride_h = pick(1, 3), s.stride_w = pick(1, 3);
    s.dilation_h = pick(1, 2), s.dilation_w = pick(1, 2);
    s.in_height = pick(9, 14), s.in_width = pick(9, 14);
    s.in_channels = kChannels[pick(0, 5)], s.out_channels = kChannels[pick(0, 5)];
    s.filter_channels = s.in_channels;
    layer.problem.is_depthwise = i % 4 == 3;
    if (i % 4 == 2) {  // Groups.
      const int32_t groups = pick(2, 5);
      s.filter_channels = pick(1, 20);
      s.in_channels = groups * s.filter_channels;
      s.out_channels = groups * pick(1, 12);
    }
    if (layer.problem.is_depthwise) s.out_channels = s.in_channels * pick(1, 3);
    layer.images = i % 10 == 0 ? 3 : 1;
    Slide(s, i % 2 == 0);
    layer.Fill(i);
    Compare(layer, "convolution " + std::to_string(i));
    if (HasFailure()) return;
  }
}

// One product instead of several limbs: fewer cycles, and hardly any result differs, none by more than one.
TEST(Line12, FastIsNearlyExact) {
  size_t count = 0, different = 0;
  for (uint64_t seed = 40; seed < 46; ++seed) {
    Layer layer;
    layer.problem.shape = {9, 9, 20, 7, 7, 33, 3, 3, 20, 1, 1, 1, 1, 0, 0};
    layer.Fill(seed);
    const auto input = RandomValues<int8_t>(9 * 9 * 20, -128, 127, seed);
    const std::vector<int8_t> expected = layer.Plain(input);
    const Outcome exact = RunOnVta({.mode = Mode::kExact}, layer, input),
                  fast = RunOnVta({.mode = Mode::kFast}, layer, input);
    ASSERT_EQ(fast.output.size(), expected.size());
    EXPECT_LT(fast.bound.alu_cycles * 2, exact.bound.alu_cycles);
    EXPECT_LT(fast.cycles, exact.cycles);
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_LE(std::abs(fast.output[i] - expected[i]), 1) << seed << " " << i;
      different += fast.output[i] != expected[i] ? 1 : 0;
    }
    count += expected.size();
  }
  EXPECT_LT(different * 50, count) << "2 %";
}

// Sums are 2^16 and more, so that some products with 16 bits wrap; layers are dense, with groups, strided.
TEST(Line14, Legacy16ConvolutionsAreTheFirstDelegates) {
  constexpr ConvShape kShapes[] = {{9, 9, 40, 7, 7, 33, 3, 3, 40, 1, 1, 1, 1, 0, 0},
                                   {8, 7, 12, 4, 4, 18, 3, 3, 4, 2, 2, 1, 1, 0, 1},
                                   {1, 5, 200, 1, 5, 65, 1, 1, 200, 1, 1, 1, 1, 0, 0}};
  uint64_t seed = 60;
  for (const ConvShape& shape : kShapes) {
    for (int i = 0; i < 4; ++i) {
      Layer layer;
      layer.problem.shape = shape;
      layer.Fill(seed++);
      layer.FillLegacy();
      Compare(layer, std::to_string(seed), Mode::kLegacy16);
      if (HasFailure()) return;
    }
  }
}

// Memory that is mapped again keeps its address, and gaps are reused; an access past the end is in no
// allocation.
TEST(MappedMemory, HasItsPlaceUntilItIsMappedAgain) {
  std::vector<uint8_t> memory(20000);
  const auto part = [&memory](size_t begin, size_t count) {
    return Span<uint8_t>(memory.data() + begin, count);
  };
  Dram dram;
  const uint64_t a = dram.Map(part(0, 5000)), b = dram.Map(part(5000, 100));
  EXPECT_EQ(a % Dram::kPageBytes, 0u);
  EXPECT_GE(b, a + 5000 + Dram::kPageBytes);
  dram.Bytes(b + 3, 1)[0] = 7;
  EXPECT_EQ(memory[5003], 7);
  EXPECT_TRUE(dram.Holds(a, a + 5000));
  EXPECT_FALSE(dram.Holds(a, a + 5001));
  EXPECT_FALSE(dram.Holds(b - 1, b));
  EXPECT_EQ(dram.Map(part(100, 200)), a) << "what lay there before is given up";
  EXPECT_FALSE(dram.Holds(a, a + 5000));
  EXPECT_TRUE(dram.Holds(b, b + 100));
  EXPECT_GT(dram.Map(part(6000, 9000)), b) << "the gap before b is too small";
}

}  // namespace
}  // namespace lutra::vta::sim

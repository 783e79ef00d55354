// SPDX-License-Identifier: Apache-2.0
// Pools through the driver and the simulator, against plain loops.

#include <algorithm>
#include <random>

#include "delegates/vta/driver/lower_pool.h"
#include "delegates/vta/simulator/testing/operator_run.h"
#include "delegates/vta/simulator/testing/programs.h"

namespace lutra::vta::sim {
namespace {

TEST(Line10, DivisorsGiveEveryQuotient) {
  int exact = 0;
  for (int32_t count = 1; count <= 256; ++count) {
    const Divisor divisor = FindDivisor(count);
    ASSERT_GT(divisor.multiplier, 0) << count;
    ASSERT_LE(divisor.multiplier, INT16_MAX);
    exact += divisor.is_exact ? 1 : 0;
    for (int32_t v = 0; v <= 255 * count + count / 2; ++v) {
      const int64_t product = int64_t{v} * divisor.multiplier;
      ASSERT_LE(product, INT32_MAX);
      const auto quotient = static_cast<int32_t>(product >> divisor.shift);
      const int32_t rest = v - quotient * count;
      ASSERT_EQ(divisor.is_exact ? quotient : quotient + (rest >> 31), v / count) << v << " / " << count;
    }
  }
  EXPECT_GT(exact, 150);
  EXPECT_GT(FindDivisor(16000).multiplier, 0);
  EXPECT_EQ(FindDivisor((1 << 23) + 1).multiplier, 0);
}

struct Pool {
  PoolProblem problem;
  uint32_t images, height, width, channels, out_height, out_width;

  int8_t At(const std::vector<int8_t>& values, uint32_t n, uint32_t y, uint32_t x, uint32_t c) const {
    const PoolProblem& p = problem;
    int32_t sum = 0, count = 0, most = -128;
    for (int32_t ky = 0; ky < p.filter_height; ++ky) {
      for (int32_t kx = 0; kx < p.filter_width; ++kx) {
        const int32_t iy = static_cast<int32_t>(y) * p.stride_h - p.pad_top + ky;
        const int32_t ix = static_cast<int32_t>(x) * p.stride_w - p.pad_left + kx;
        if (iy < 0 || ix < 0 || iy >= static_cast<int32_t>(height) || ix >= static_cast<int32_t>(width))
          continue;
        const int32_t value =
            values[((n * height + static_cast<uint32_t>(iy)) * width + static_cast<uint32_t>(ix)) * channels +
                   c];
        sum += value;
        most = std::max(most, value);
        ++count;
      }
    }
    const int32_t average = (sum + (sum > 0 ? count / 2 : -(count / 2))) / count;
    return static_cast<int8_t>(std::clamp(p.is_average ? average : most, p.min, p.max));
  }
};

// SAME or VALID on one dimension.
void Fit(bool same, uint32_t in, int32_t taps, int32_t stride, uint32_t* out, int32_t* pad) {
  const auto size = static_cast<int32_t>(in);
  const int32_t count = same ? (size + stride - 1) / stride : (size - taps) / stride + 1;
  *out = static_cast<uint32_t>(count);
  *pad = same ? std::max(0, (count - 1) * stride + taps - size) / 2 : 0;
}

void Compare(const Pool& pool, uint64_t seed) {
  for (const NamedConfig& config : kConfigs) {
    for (const uint32_t threads : {1u, 2u}) {
      OperatorRun run;
      run.inputs = {ImageOfNhwc(config.config, pool.images, pool.height, pool.width, pool.channels)};
      run.output = ImageOfNhwc(config.config, pool.images, pool.out_height, pool.out_width, pool.channels);
      run.inputs[0].fill = 99;  // Nobody may see the frame.
      if (seed % 2 != 0) WidenImage(run.inputs[0], 1, 2, pool.height + 1, pool.width + 1);
      const bool extremes = seed % 3 == 0;
      run.values = {
          RandomValues<int8_t>(static_cast<size_t>(run.inputs[0].count), -128, extremes ? -120 : 127, seed)};
      run.Run({.config = config.config, .threads = threads},
              [&pool](const Driver& driver, const OperatorRun& on, LoweredLayer* layer) {
                return LowerPool(driver, pool.problem, on.inputs[0], on.output, layer);
              });
      ASSERT_EQ(run.reason, nullptr) << run.reason;
      size_t k = 0;
      for (uint32_t n = 0; n < pool.images; ++n) {
        for (uint32_t y = 0; y < pool.out_height; ++y) {
          for (uint32_t x = 0; x < pool.out_width; ++x) {
            for (uint32_t c = 0; c < pool.channels; ++c, ++k) {
              ASSERT_EQ(run.result[k], pool.At(run.values[0], n, y, x, c))
                  << config.name << " " << threads << " seed " << seed << " at " << y << " " << x << " " << c;
            }
          }
        }
      }
    }
  }
}

TEST(Line12, PoolsOfManyShapesAreExact) {
  std::mt19937_64 random(8);
  const auto pick = [&random](int32_t least, int32_t most) {
    return least + static_cast<int32_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  for (uint64_t seed = 0; seed < 30; ++seed) {
    Pool pool = {.images = static_cast<uint32_t>(pick(1, 3)),
                 .height = static_cast<uint32_t>(pick(7, 13)),
                 .width = static_cast<uint32_t>(pick(7, 13)),
                 .channels = static_cast<uint32_t>(pick(1, 35))};
    PoolProblem& p = pool.problem;
    p.is_average = seed % 4 != 3;
    p.filter_height = pick(1, 7), p.filter_width = pick(1, 7);
    p.stride_h = pick(1, 4), p.stride_w = pick(1, 4);
    // All of the image: counts that have no exact divisor, too.
    if (seed % 5 == 0) {
      p.filter_height = static_cast<int32_t>(pool.height);
      p.filter_width = static_cast<int32_t>(pool.width);
    }
    if (seed % 5 == 1) p.min = -20, p.max = 90;
    const bool same = seed % 2 == 0;
    Fit(same, pool.height, p.filter_height, p.stride_h, &pool.out_height, &p.pad_top);
    Fit(same, pool.width, p.filter_width, p.stride_w, &pool.out_width, &p.pad_left);
    Compare(pool, seed);
    if (HasFatalFailure()) return;
  }
}

// A filter far larger than the image, as models may have it.
TEST(Line12, HugeFiltersEndAtTheImage) {
  Pool pool = {.images = 1, .height = 3, .width = 4, .channels = 5};
  for (const bool is_average : {false, true}) {
    pool.problem = {.is_average = is_average, .filter_height = 1000000, .filter_width = 2000001};
    Fit(true, pool.height, pool.problem.filter_height, 1, &pool.out_height, &pool.problem.pad_top);
    Fit(true, pool.width, pool.problem.filter_width, 1, &pool.out_width, &pool.problem.pad_left);
    OperatorRun run;
    run.inputs = {ImageOfNhwc(kConfigs[0].config, 1, 3, 4, 5)};
    run.output = run.inputs[0];
    run.values = {RandomValues<int8_t>(60, -128, 127, 4)};
    run.Run({.config = kConfigs[0].config},
            [&](const Driver& driver, const OperatorRun& on, LoweredLayer* layer) {
              return LowerPool(driver, pool.problem, on.inputs[0], on.output, layer);
            });
    ASSERT_EQ(run.reason, nullptr) << run.reason;
    for (size_t k = 0; k < 60; ++k) {
      int32_t sum = 0, most = -128;
      for (size_t i = k % 5; i < 60; i += 5)
        sum += run.values[0][i], most = std::max<int32_t>(most, run.values[0][i]);
      EXPECT_EQ(run.result[k], is_average ? (sum + (sum > 0 ? 6 : -6)) / 12 : most);
    }
  }
}

TEST(Line12, PoolsThatDoNotFitAreDeclined) {
  OperatorRun run;
  run.inputs = {ImageOfNhwc(kConfigs[1].config, 1, 1, 64, 8)};
  run.output = ImageOfNhwc(kConfigs[1].config, 1, 1, 1, 8);
  run.values.resize(1);
  const PoolProblem problem = {.filter_width = 64};
  run.Run({.config = kConfigs[1].config},
          [&](const Driver& driver, const OperatorRun& on, LoweredLayer* layer) {
            return LowerPool(driver, problem, on.inputs[0], on.output, layer);
          });
  EXPECT_STREQ(run.reason, "buffers too small for one window");
}

}  // namespace
}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// Measures the time of optimal k-means: `kmeans_bench`. Counting distinct values is included.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "compressor/kmeans.h"

namespace lutra::compressor {
namespace {

template <typename T>
std::vector<T> Normal(size_t count, double deviation) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(normal(random));
  return values;
}

template <typename T>
void Measure(benchmark::State& state, const std::vector<T>& values, std::optional<T> pinned = std::nullopt) {
  const auto clusters = static_cast<uint32_t>(state.range(0));
  uint32_t distinct = 0;
  for (auto _ : state) {
    const DistinctValues<T> points = CountDistinct(values.data(), values.size());
    distinct = points.size();
    const Clusters<T> found = KMeans<T>(points, clusters, pinned).Cluster(clusters);
    benchmark::DoNotOptimize(found.squared_error);
  }
  state.counters["distinct"] = distinct;
}

// Clusters all 256 values, which occur as often as in a layer of 4096 weights.
void Int8(benchmark::State& state) {
  std::vector<int32_t> values;
  for (int32_t value = -128; value < 128; ++value) {
    values.insert(values.end(), 1 + static_cast<size_t>(60 * std::exp(-value * value / 2000.0)), value);
  }
  Measure(state, values);
}
BENCHMARK(Int8)->Arg(16)->Arg(128)->Arg(256)->Unit(benchmark::kMillisecond);

void Float(benchmark::State& state) { Measure(state, Normal<float>(1000000, 0.05)); }
BENCHMARK(Float)->Arg(16)->Arg(256)->Unit(benchmark::kMillisecond);

void FloatPinned(benchmark::State& state) { Measure<float>(state, Normal<float>(1000000, 0.05), 0.0f); }
BENCHMARK(FloatPinned)->Arg(16)->Unit(benchmark::kMillisecond);

void Int16(benchmark::State& state) { Measure(state, Normal<int32_t>(1000000, 8000)); }
BENCHMARK(Int16)->Arg(16)->Arg(256)->Unit(benchmark::kMillisecond);

void Int32(benchmark::State& state) { Measure(state, Normal<int32_t>(1000000, 1e8)); }
BENCHMARK(Int32)->Arg(16)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace lutra::compressor

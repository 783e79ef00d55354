// SPDX-License-Identifier: Apache-2.0
// LutDecode beside memcpy of as many bytes, and beside a loop that takes one index at a time:
//
//   kernel_bench --benchmark_filter=^lut_decode

#include <cstring>

#include "lutra/kernels/lut_decode/lut_decode.h"
#include "runtime/testing/decode_bench.h"

namespace lutra {
namespace {

constexpr int32_t kChannels = 64;

enum Layout { kOneTable, kFirstAxis, kLastAxis };

template <typename T>
struct Problem {
  std::vector<uint8_t> stream;
  std::vector<uint8_t> values;
  std::vector<T> output;
  LutDecodeArgs args;

  Problem(int width, Layout layout)
      : stream(RandomBytes(static_cast<size_t>(kDecodedElements) * static_cast<size_t>(width) / 8)),
        values(RandomBytes((sizeof(T) << width) * kChannels)),
        output(kDecodedElements) {
    args = {.stream = stream.data(),
            .stream_bytes = stream.size(),
            .order = BitOrder::kMsbFirst,
            .width = width,
            .values = values.data(),
            .stride = 1 << width,
            .channels = layout == kOneTable ? 1 : kChannels,
            .inner = layout == kLastAxis ? 1 : kDecodedElements / kChannels,
            .output = output.data()};
  }
};

struct Case {
  std::string name;
  int width;
  Layout layout;
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (int width = 1; width <= 7; ++width) {
    const std::string bits = "_w" + std::to_string(width);
    cases.push_back({"tensor" + bits, width, kOneTable});
    cases.push_back({"channel" + bits, width, kFirstAxis});
    cases.push_back({"last_axis" + bits, width, kLastAxis});
  }
  return cases;
}

template <typename T>
void Run(benchmark::State& state, const VariantUse<LutDecodeFn>& use, const Case& c) {
  Problem<T> problem(c.width, c.layout);
  Measure(state, use, problem.args, 0, kDecodedElements);
  CountDecoded(state, sizeof(T));
}

// What the kernels are measured against: the width is looked up for each index, as in a decoder that
// serves all widths with one loop.
uint32_t OneIndex(const uint8_t* stream, size_t bytes, int32_t i, int32_t width) {
  const size_t bit = static_cast<size_t>(i) * static_cast<size_t>(width);
  const size_t at = bit / 8;
  const uint32_t pair = static_cast<uint32_t>(stream[at]) << 8 | (at + 1 < bytes ? stream[at + 1] : 0u);
  return pair >> (16 - width - static_cast<int>(bit % 8)) & ((1u << width) - 1);
}

template <typename T>
void BM_LutDecodeOneByOne(benchmark::State& state, int width) {
  Problem<T> problem(width, kOneTable);
  const LutDecodeArgs& args = problem.args;
  benchmark::DoNotOptimize(width);
  for (auto _ : state) {
    for (int32_t i = 0; i < kDecodedElements; ++i) {
      const uint32_t index = OneIndex(args.stream, args.stream_bytes, i, width);
      std::memcpy(&problem.output[static_cast<size_t>(i)], args.values + index * sizeof(T), sizeof(T));
    }
    benchmark::DoNotOptimize(problem.output.data());
    benchmark::ClobberMemory();
  }
  CountDecoded(state, sizeof(T));
}

template <typename T>
void BM_Memcpy(benchmark::State& state) {
  const std::vector<uint8_t> from = RandomBytes(kDecodedElements * sizeof(T));
  std::vector<uint8_t> to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  CountDecoded(state, sizeof(T));
}

template <typename T, int N>
bool Register(const Variant<LutDecodeFn> (&table)[N]) {
  const std::string prefix = std::string(TableName(table)) + "/";
  benchmark::RegisterBenchmark((prefix + "memcpy").c_str(), BM_Memcpy<T>);
  for (int width = 1; width <= 7 && sizeof(T) == 1; ++width) {
    const std::string name = prefix + "one_by_one/w" + std::to_string(width);
    benchmark::RegisterBenchmark(name.c_str(), BM_LutDecodeOneByOne<T>, width);
  }
  return RegisterKernel(table, Cases(), Run<T>);
}

const bool registered = Register<int8_t>(kLutDecode8) && Register<int16_t>(kLutDecode16) &&
                        Register<int32_t>(kLutDecode32) && Register<int64_t>(kLutDecode64);

}  // namespace
}  // namespace lutra

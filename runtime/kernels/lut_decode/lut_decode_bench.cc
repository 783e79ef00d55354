// SPDX-License-Identifier: Apache-2.0
// LutDecode compared with memcpy of as many bytes, and with a loop that takes one index at a time:
//
//   kernel_bench --benchmark_filter=^lut_decode
//
// Outputs fit the first cache, the second, or neither: memcpy treats each size differently.

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

  Problem(int32_t elements, int width, Layout layout)
      : stream(RandomBytes(static_cast<size_t>(elements) * static_cast<size_t>(width) / 8)),
        values(RandomBytes((sizeof(T) << width) * kChannels)),
        output(static_cast<size_t>(elements)) {
    args = {.stream = stream.data(),
            .stream_bytes = stream.size(),
            .order = BitOrder::kMsbFirst,
            .width = width,
            .values = values.data(),
            .stride = 1 << width,
            .channels = layout == kOneTable ? 1 : kChannels,
            .inner = layout == kLastAxis ? 1 : elements / kChannels,
            .output = output.data()};
  }
};

struct Case {
  std::string name;
  int32_t kilobytes;  // Of output.
  int width;
  Layout layout;
};

constexpr int32_t kKilobytes[] = {16, 256, 4096};

std::string InKilobytes(int32_t kilobytes) { return std::to_string(kilobytes) + "kb"; }

template <typename T>
int32_t ElementsOf(int32_t kilobytes) {
  return kilobytes * 1024 / static_cast<int32_t>(sizeof(T));
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const int32_t kilobytes : kKilobytes) {
    for (int width = 1; width <= 8; ++width) {
      const std::string what = std::to_string(width) + "_" + InKilobytes(kilobytes);
      cases.push_back({"tensor_w" + what, kilobytes, width, kOneTable});
      cases.push_back({"channel_w" + what, kilobytes, width, kFirstAxis});
      cases.push_back({"last_axis_w" + what, kilobytes, width, kLastAxis});
    }
  }
  return cases;
}

template <typename T>
void Run(benchmark::State& state, const VariantUse<LutDecodeFn>& use, const Case& c) {
  const int32_t elements = ElementsOf<T>(c.kilobytes);
  Problem<T> problem(elements, c.width, c.layout);
  Measure(state, use, problem.args, 0, elements);
  CountDecoded(state, sizeof(T), elements);
}

// The kernels are compared with this: the width is read for each index, as in a decoder that serves all
// widths with one loop.
uint32_t OneIndex(const uint8_t* stream, size_t bytes, int32_t i, int32_t width) {
  const size_t bit = static_cast<size_t>(i) * static_cast<size_t>(width);
  const size_t at = bit / 8;
  const uint32_t pair = static_cast<uint32_t>(stream[at]) << 8 | (at + 1 < bytes ? stream[at + 1] : 0u);
  return pair >> (16 - width - static_cast<int>(bit % 8)) & ((1u << width) - 1);
}

template <typename T>
void BM_LutDecodeOneByOne(benchmark::State& state, int width) {
  Problem<T> problem(kDecodedElements, width, kOneTable);
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
void BM_Memcpy(benchmark::State& state, int32_t kilobytes) {
  const int32_t elements = ElementsOf<T>(kilobytes);
  const size_t bytes = static_cast<size_t>(elements) * sizeof(T);
  const std::vector<uint8_t> from = RandomBytes(bytes);
  // In its page, the output is as far as possible from the source: at equal distances, loads would wait for
  // stores.
  constexpr size_t kPage = 4096;
  std::vector<uint8_t> memory(bytes + kPage);
  const size_t apart = reinterpret_cast<uintptr_t>(from.data()) - reinterpret_cast<uintptr_t>(memory.data());
  uint8_t* const to = memory.data() + (apart + kPage / 2) % kPage;
  for (auto _ : state) {
    std::memcpy(to, from.data(), bytes);
    benchmark::DoNotOptimize(to);
    benchmark::ClobberMemory();
  }
  CountDecoded(state, sizeof(T), elements);
}

template <typename T, int N>
bool Register(const Variant<LutDecodeFn> (&table)[N]) {
  const std::string prefix = std::string(TableName(table)) + "/";
  for (const int32_t kilobytes : kKilobytes) {
    const std::string name = prefix + "memcpy_" + InKilobytes(kilobytes);
    benchmark::RegisterBenchmark(name.c_str(), BM_Memcpy<T>, kilobytes);
  }
  for (int width = 1; width <= 7 && sizeof(T) == 1; ++width) {
    const std::string name = prefix + "one_by_one/w" + std::to_string(width);
    benchmark::RegisterBenchmark(name.c_str(), BM_LutDecodeOneByOne<T>, width);
  }
  return RegisterKernel(table, Cases(), Run<T>);
}

const bool registered = Register<int8_t>(kLutDecode<uint8_t>) && Register<int16_t>(kLutDecode<uint16_t>) &&
                        Register<int32_t>(kLutDecode<uint32_t>) && Register<int64_t>(kLutDecode<uint64_t>);

}  // namespace
}  // namespace lutra

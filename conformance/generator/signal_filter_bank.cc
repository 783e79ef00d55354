// SPDX-License-Identifier: Apache-2.0
// Cases of SignalFilterBank, SignalFilterBankSquareRoot, SignalFilterBankSpectralSubtraction, SignalPCAN and
// SignalFilterBankLog: from the energies of a spectrum to the logarithms of its channels.

#include "conformance/generator/signal.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;

Bytes Uint32s(const std::vector<uint64_t>& numbers) {
  return ToBytes(std::vector<uint32_t>(numbers.begin(), numbers.end()));
}
Bytes AnyUint32s(Random& random, int64_t count) { return Uint32s(AnyNumbers(random, count, 32)); }

// ---- SignalFilterBank

Case MakeFilterBank(Random& random, int32_t channels, int32_t frequencies, int32_t widest) {
  std::vector<int16_t> frequency_starts, weight_starts, widths;
  int32_t weight_count = 0;
  for (int32_t c = 0; c <= channels; ++c) {
    const int32_t width = random.Int(0, std::min(widest, frequencies));
    frequency_starts.push_back(static_cast<int16_t>(random.Int(0, frequencies - width)));
    weight_starts.push_back(static_cast<int16_t>(weight_count));
    widths.push_back(static_cast<int16_t>(width));
    weight_count += width;
  }
  weight_count = std::max(weight_count, 1);
  ModelMaker maker;
  const auto constant = [&](int32_t count, Bytes data) {
    return maker.Constant(Plain({count}, oracle::kInt16), std::move(data));
  };
  const int x = maker.Operand(Plain({frequencies}, oracle::kUint32), AnyUint32s(random, frequencies));
  const int weights = constant(weight_count, Samples(random, weight_count));
  const int unweights = constant(weight_count, Samples(random, weight_count));
  const int at = constant(channels + 1, ToBytes(frequency_starts));
  const int weights_at = constant(channels + 1, ToBytes(weight_starts));
  const int width = constant(channels + 1, ToBytes(widths));
  maker.CustomOp("SignalFilterBank", {x, weights, unweights, at, weights_at, width},
                 {maker.Output(Plain({channels}, oracle::kUint64))}, {{"num_channels", channels}});
  return maker.Made();
}
Case DrawFilterBank(Random& random) {
  const int32_t channels = DrawSize(random, 50);
  const int32_t frequencies = DrawSize(random, 300);
  const int32_t widest = DrawSize(random, 30);
  return MakeFilterBank(random, channels, frequencies, widest);
}
void GenerateFilterBank(Series& series) {
  for (int32_t channels = 1; channels <= 5; ++channels) {
    series.Add("channels", MakeFilterBank(series.random, channels, 9, 3));
  }
}
void GenerateRealFilterBank(RealSizes& series) {
  series.Add("size", MakeFilterBank(series.random, 40, 257, 12));
}

// ---- SignalFilterBankSquareRoot

Case MakeSquareRoot(const std::vector<uint64_t>& numbers, int32_t shift) {
  ModelMaker maker;
  const auto count = static_cast<int32_t>(numbers.size());
  const int x = maker.Operand(Plain({count}, oracle::kUint64), ToBytes(numbers));
  const int by = maker.Operand(Plain({}, oracle::kInt32), ToBytes(std::vector<int32_t>{shift}));
  maker.CustomOp("SignalFilterBankSquareRoot", {x, by}, {maker.Output(Plain({count}, oracle::kUint32))}, {});
  return maker.Made();
}
Case DrawSquareRoot(Random& random) {
  const int32_t count = DrawSize(random, 50);
  const int32_t shift = random.OneIn(2) ? 0 : random.Int(0, 31);
  return MakeSquareRoot(AnyNumbers(random, count, 64), shift);
}
void GenerateSquareRoot(Series& series) {
  // The inputs are squares, numbers at which the nearest root changes, and their neighbours.
  for (const uint64_t root :
       {1ull, 2ull, 3ull, 255ull, 65535ull, 65536ull, 65537ull, 3037000499ull, 4294967295ull}) {
    std::vector<uint64_t> numbers;
    const uint64_t square = root * root;
    for (const uint64_t at : {square, square + root, square - root}) {
      numbers.insert(numbers.end(), {at - 1, at, at + 1});
    }
    series.Add("square", MakeSquareRoot(numbers, 0));
  }
  series.Add("ends",
             MakeSquareRoot({0, 1, 0xFFFFFFFFull, 0x100000000ull, ~uint64_t{0}, uint64_t{1} << 63}, 0));
  for (const int32_t shift : {1, 15, 31}) {
    series.Add("shift", MakeSquareRoot(AnyNumbers(series.random, 9, 64), shift));
  }
}
void GenerateRealSquareRoot(RealSizes& series) {
  series.Add("size", MakeSquareRoot(AnyNumbers(series.random, 40, 60), 3));
}

// ---- SignalFilterBankSpectralSubtraction

struct Subtraction {
  int32_t channels = 5;
  int bits = 14, smoothing_bits = 10;
  int32_t smoothing = 410, alternate_smoothing = 983, least = 819;
  bool clamping = false;
  int invokes = 2;
};

Case MakeSubtraction(Random& random, const Subtraction& s) {
  ModelMaker maker;
  const oracle::Shape shape = {s.channels};
  const int x = maker.Operand(Plain(shape, oracle::kUint32), AnyUint32s(random, s.channels));
  const int y = maker.Output(Plain(shape, oracle::kUint32));
  const int noise = maker.Output(Plain(shape, oracle::kUint32));
  const int64_t one = int64_t{1} << s.bits;
  maker.CustomOp("SignalFilterBankSpectralSubtraction", {x}, {y, noise},
                 {{"alternate_one_minus_smoothing", one - s.alternate_smoothing},
                  {"alternate_smoothing", s.alternate_smoothing},
                  {"clamping", s.clamping ? 1 : 0},
                  {"min_signal_remaining", s.least},
                  {"num_channels", s.channels},
                  {"one_minus_smoothing", one - s.smoothing},
                  {"smoothing", s.smoothing},
                  {"smoothing_bits", s.smoothing_bits},
                  {"spectral_subtraction_bits", s.bits}});
  Case test = maker.Made();
  test.invokes = s.invokes;
  return test;
}
Case DrawSubtraction(Random& random) {
  Subtraction s;
  s.channels = DrawSize(random, 50);
  s.bits = random.Int(1, 15);
  const int32_t one = 1 << s.bits;
  s.smoothing = random.Int(0, one - 1);
  s.alternate_smoothing = random.Int(0, one - 1);
  s.least = random.Int(0, one - 1);
  s.smoothing_bits = random.Int(0, 15);
  s.clamping = random.OneIn(2);
  s.invokes = random.Int(1, 5);
  return MakeSubtraction(random, s);
}
void GenerateSubtraction(Series& series) {
  for (const bool clamping : {false, true}) {
    for (int invokes = 1; invokes <= 4; ++invokes) {
      series.Add("invokes", MakeSubtraction(series.random, {.clamping = clamping, .invokes = invokes}));
    }
    for (const int bits : {0, 5, 16}) {
      series.Add("smoothing_bits",
                 MakeSubtraction(series.random, {.smoothing_bits = bits, .clamping = clamping}));
    }
  }
}
void GenerateRealSubtraction(RealSizes& series) {
  series.Add("size", MakeSubtraction(series.random, {.channels = 40, .invokes = 3}));
}

// ---- SignalPCAN

// The table has a base, a slope and a curvature for each power of two, after three gains.
constexpr int32_t kGains = 125;

Case MakePcan(Random& random, const std::vector<uint64_t>& noise, int shift) {
  const auto count = static_cast<int32_t>(noise.size());
  std::vector<int16_t> table;
  for (int32_t i = 0; i < kGains; ++i) table.push_back(static_cast<int16_t>(random.Between(0, 4095)));
  ModelMaker maker;
  const int x = maker.Operand(Plain({count}, oracle::kUint32), AnyUint32s(random, count));
  const int estimate = maker.Operand(Plain({count}, oracle::kUint32), Uint32s(noise));
  const int gains = maker.Constant(Plain({kGains}, oracle::kInt16), ToBytes(table));
  maker.CustomOp("SignalPCAN", {x, estimate, gains}, {maker.Output(Plain({count}, oracle::kUint32))},
                 {{"snr_shift", shift}});
  return maker.Made();
}
Case DrawPcan(Random& random) {
  const int32_t count = DrawSize(random, 50);
  const int shift = random.Int(0, 20);
  return MakePcan(random, AnyNumbers(random, count, 32), shift);
}
void GeneratePcan(Series& series) {
  // The inputs are the ends of each piece of the gain.
  std::vector<uint64_t> noise = {0, 1, 2, 3, 0xFFFFFFFF};
  for (int bits = 2; bits < 32; ++bits) {
    const uint64_t power = uint64_t{1} << bits;
    noise.insert(noise.end(), {power - 1, power, power + 1});
  }
  for (const int shift : {0, 6, 12}) series.Add("pieces", MakePcan(series.random, noise, shift));
}
void GenerateRealPcan(RealSizes& series) {
  series.Add("size", MakePcan(series.random, AnyNumbers(series.random, 40, 32), 6));
}

// ---- SignalFilterBankLog

Case MakeLog(const std::vector<uint64_t>& numbers, int bits, int32_t scale) {
  ModelMaker maker;
  const auto count = static_cast<int32_t>(numbers.size());
  const int x = maker.Operand(Plain({count}, oracle::kUint32), Uint32s(numbers));
  maker.CustomOp("SignalFilterBankLog", {x}, {maker.Output(Plain({count}, oracle::kInt16))},
                 {{"input_correction_bits", bits}, {"output_scale", scale}});
  return maker.Made();
}
Case DrawLog(Random& random) {
  const int32_t count = DrawSize(random, 50);
  const int bits = random.OneIn(2) ? random.Int(0, 8) : 3;
  const int32_t scale = random.OneIn(2) ? 1600 : random.Int(1, 4000);
  return MakeLog(AnyNumbers(random, count, 32), bits, scale);
}
void GenerateLog(Series& series) {
  std::vector<uint64_t> numbers = {0, 1, 2, 3, 0xFFFFFFFF};
  for (int bits = 2; bits < 32; ++bits) {
    const uint64_t power = uint64_t{1} << bits;
    numbers.insert(numbers.end(), {power - 1, power, power + power / 128, power + power / 2 + 1});
  }
  for (const int bits : {0, 3}) {
    for (const int32_t scale : {1, 1600, 4000}) series.Add("scale", MakeLog(numbers, bits, scale));
  }
  // The inputs are in every segment of the table.
  std::vector<uint64_t> segments;
  for (uint64_t i = 0; i < 256; ++i) segments.push_back((256 + i) << 8);
  series.Add("segments", MakeLog(segments, 0, 1600));
}
void GenerateRealLog(RealSizes& series) {
  series.Add("size", MakeLog(AnyNumbers(series.random, 40, 24), 3, 1600));
}

}  // namespace

extern const CaseFamilies kSignalFilterBankCases = {
    SignalFamily("SignalFilterBank", DrawFilterBank, GenerateFilterBank, GenerateRealFilterBank),
    SignalFamily("SignalFilterBankSquareRoot", DrawSquareRoot, GenerateSquareRoot, GenerateRealSquareRoot),
    SignalFamily("SignalFilterBankSpectralSubtraction", DrawSubtraction, GenerateSubtraction,
                 GenerateRealSubtraction),
    SignalFamily("SignalPCAN", DrawPcan, GeneratePcan, GenerateRealPcan),
    SignalFamily("SignalFilterBankLog", DrawLog, GenerateLog, GenerateRealLog),
};

}  // namespace lutra::conformance

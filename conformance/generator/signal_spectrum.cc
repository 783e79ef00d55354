// SPDX-License-Identifier: Apache-2.0
// Cases of SignalWindow, SignalFftAutoScale, SignalRfft, SignalIrfft and SignalEnergy: from samples to the
// energies of their frequencies.

#include "conformance/generator/signal.h"

namespace lutra::conformance {

using oracle::Bytes;
using oracle::Shape;

Bytes Samples(Random& random, int64_t count) {
  enum Kind { kLoud, kFaint, kSilent, kEnds, kAlone };
  const int kind = random.Int(kLoud, kAlone);
  const int64_t most = random.Between(1, 300);
  std::vector<int16_t> samples;
  for (int64_t i = 0; i < count; ++i) {
    int64_t sample = 0;
    if (kind == kLoud) sample = random.Between(INT16_MIN, INT16_MAX);
    if (kind == kFaint) sample = random.Between(-most, most);
    if (kind == kEnds) sample = random.OneIn(2) ? INT16_MIN : INT16_MAX;
    samples.push_back(static_cast<int16_t>(sample));
  }
  if (kind == kAlone) {
    const auto at = static_cast<size_t>(random.Between(0, count - 1));
    samples[at] = static_cast<int16_t>(random.Between(INT16_MIN, INT16_MAX));
  }
  return ToBytes(samples);
}

std::vector<uint64_t> AnyNumbers(Random& random, int64_t count, int bits) {
  std::vector<uint64_t> numbers;
  for (int64_t i = 0; i < count; ++i) {
    const int length = random.Int(0, bits);
    const uint64_t number = random.Next();
    const bool is_all_ones = random.OneIn(16);
    numbers.push_back(length == 0 ? 0 : (is_all_ones ? ~uint64_t{0} : number) >> (64 - length));
  }
  return numbers;
}

CaseFamily SignalFamily(const char* op, Case (*make)(Random&), std::function<void(Series&)> generate,
                        std::function<void(RealSizes&)> real_sizes) {
  const auto all = [=](Series& series) {
    for (int i = 0; i < 24; ++i) series.Add("random", make(series.random));
    generate(series);
  };
  CaseFamily family = Family(op, PrefixOf(op), all, std::move(real_sizes), Smoke::kNever);
  family.draw = make;
  return family;
}

namespace {

// Returns the shape of some rows of `depth` elements.
Shape Rows(Random& random, int32_t depth) {
  if (!random.OneIn(3)) return {depth};
  const int32_t rows = random.Int(1, 3);
  if (!random.OneIn(3)) return {rows, depth};
  const int32_t outer = random.Int(1, 2);
  return {outer, rows, depth};
}

// ---- SignalWindow

Case MakeWindow(Random& random, const Shape& shape, int shift) {
  ModelMaker maker;
  const bool is_constant = !random.OneIn(4);
  const int x = maker.Operand(Plain(shape, oracle::kInt16), Samples(random, oracle::ElementCount(shape)));
  const int window =
      maker.Operand(Plain({shape.back()}, oracle::kInt16), Samples(random, shape.back()), is_constant);
  maker.CustomOp("SignalWindow", {x, window}, {maker.Output(Plain(shape, oracle::kInt16))},
                 {{"shift", shift}});
  return maker.Made();
}
Case DrawWindow(Random& random) {
  const int32_t depth = DrawSize(random, 600);
  const Shape shape = Rows(random, depth);
  // Converters write a shift of 12.
  const int shift = random.OneIn(3) ? random.Int(0, 31) : random.Int(10, 16);
  return MakeWindow(random, shape, shift);
}
void GenerateWindow(Series& series) {
  for (const int shift : {0, 1, 12, 15, 16, 30, 31}) {
    series.Add("shift", MakeWindow(series.random, {9}, shift));
  }
}
void GenerateRealWindow(RealSizes& series) {
  series.Add("size", MakeWindow(series.random, {480}, 12));
  series.Add("size", MakeWindow(series.random, {3, 1031}, 14));
}

// ---- SignalFftAutoScale

Case MakeAutoScale(int32_t count, Bytes samples) {
  ModelMaker maker;
  const int x = maker.Operand(Plain({count}, oracle::kInt16), std::move(samples));
  const int y = maker.Output(Plain({count}, oracle::kInt16));
  const int shift = maker.Output(Plain({}, oracle::kInt32));
  maker.CustomOp("SignalFftAutoScale", {x}, {y, shift}, {});
  return maker.Made();
}
Case DrawAutoScale(Random& random) {
  const int32_t count = DrawSize(random, 600);
  return MakeAutoScale(count, Samples(random, count));
}
void GenerateAutoScale(Series& series) {
  for (int bits = 0; bits < 16; ++bits) {
    const auto largest = static_cast<int16_t>((1 << bits) - 1);
    const auto least = static_cast<int16_t>(-largest);
    series.Add("bits", MakeAutoScale(3, ToBytes(std::vector<int16_t>{1, largest, 0})));
    series.Add("bits", MakeAutoScale(3, ToBytes(std::vector<int16_t>{least, 0, 1})));
  }
  // 16 bits cannot hold the magnitude of -32768.
  const std::vector<std::vector<int16_t>> ends = {{INT16_MIN},        {INT16_MIN, 5},
                                                  {5, INT16_MIN},     {INT16_MIN, INT16_MIN},
                                                  {-1, INT16_MIN, 2}, {0, INT16_MIN}};
  for (const std::vector<int16_t>& samples : ends) {
    series.Add("least", MakeAutoScale(static_cast<int32_t>(samples.size()), ToBytes(samples)));
  }
}
void GenerateRealAutoScale(RealSizes& series) {
  series.Add("size", MakeAutoScale(512, Samples(series.random, 512)));
}

// ---- SignalRfft, SignalIrfft

struct Transform {
  int32_t length = 8;  // The number of real values.
  int8_t type = oracle::kInt16;
  int32_t given = 0;  // The samples of Rfft; 0: all.
};

Bytes Numbers(Random& random, int8_t type, int64_t count) {
  if (type == oracle::kInt16) return Samples(random, count);
  const int bits = random.Int(4, 32);
  std::vector<int32_t> numbers;
  for (int64_t i = 0; i < count; ++i) {
    numbers.push_back(static_cast<int32_t>(random.Between(INT32_MIN, INT32_MAX) >> (32 - bits)));
  }
  return ToBytes(numbers);
}

Case MakeFft(Random& random, const char* op, const Transform& t, bool is_inverse) {
  const int32_t given = t.given == 0 ? t.length : t.given;
  Shape real = Rows(random, is_inverse ? t.length : given), complex = real;
  complex.back() = t.length + 2;
  const Shape& in = is_inverse ? complex : real;
  const Shape& out = is_inverse ? real : complex;
  ModelMaker maker;
  const int x = maker.Operand(Plain(in, t.type), Numbers(random, t.type, oracle::ElementCount(in)));
  maker.CustomOp(op, {x}, {maker.Output(Plain(out, t.type))}, {{"T", t.type}, {"fft_length", t.length}});
  return maker.Made();
}

// Draws a length that is twice a product of twos, threes and fives.
Transform DrawnTransform(Random& random, int32_t most) {
  Transform t;
  int32_t length = 2;
  const int factors = random.Int(1, 8);
  for (int i = 0; i < factors; ++i) {
    const int32_t factor = random.OneIn(3) ? random.Pick(std::vector<int32_t>{3, 5}) : 2;
    if (length * factor <= most) length *= factor;
  }
  t.length = length < 4 ? 4 : length;
  t.type = random.OneIn(3) ? oracle::kInt32 : oracle::kInt16;
  return t;
}

Case DrawRfft(Random& random) {
  Transform t = DrawnTransform(random, 1024);
  if (random.OneIn(3)) t.given = random.Int(1, t.length);
  return MakeFft(random, "SignalRfft", t, false);
}
Case DrawIrfft(Random& random) {
  const Transform t = DrawnTransform(random, 1024);
  return MakeFft(random, "SignalIrfft", t, true);
}

template <bool is_inverse>
void GenerateFft(Series& series) {
  for (const int8_t type : {oracle::kInt16, oracle::kInt32}) {
    for (const int32_t length : {4, 6, 8, 10, 12, 16, 18, 20, 24, 30, 32, 36, 50, 60, 64, 90, 128, 150}) {
      const Transform t = {.length = length, .type = type};
      series.Add("length", MakeFft(series.random, series.op(), t, is_inverse));
    }
  }
}
template <bool is_inverse>
void GenerateRealFft(RealSizes& series) {
  for (const int8_t type : {oracle::kInt16, oracle::kInt32}) {
    for (const int32_t length : {512, 480, 750, 1024}) {
      const Transform t = {.length = length, .type = type};
      series.Add("length", MakeFft(series.random, series.op(), t, is_inverse));
    }
  }
  if (!is_inverse) {
    const Transform t = {.length = 512, .given = 480};
    series.Add("zeros_behind", MakeFft(series.random, series.op(), t, is_inverse));
  }
}

// ---- SignalEnergy

// TensorFlow Lite Micro does not set the energies before `begin`, so no case has them.
Case MakeEnergy(Random& random, int32_t pairs) {
  ModelMaker maker;
  const int x = maker.Operand(Plain({2 * pairs}, oracle::kInt16), Samples(random, 2 * pairs));
  maker.CustomOp("SignalEnergy", {x}, {maker.Output(Plain({pairs}, oracle::kUint32))},
                 {{"end_index", pairs}, {"start_index", 0}});
  return maker.Made();
}
Case DrawEnergy(Random& random) {
  const int32_t pairs = DrawSize(random, 300);
  return MakeEnergy(random, pairs);
}
void GenerateEnergy(Series& series) {
  for (int32_t pairs = 1; pairs <= 9; ++pairs) series.Add("count", MakeEnergy(series.random, pairs));
}
void GenerateRealEnergy(RealSizes& series) { series.Add("count", MakeEnergy(series.random, 257)); }

}  // namespace

extern const CaseFamilies kSignalSpectrumCases = {
    SignalFamily("SignalWindow", DrawWindow, GenerateWindow, GenerateRealWindow),
    SignalFamily("SignalFftAutoScale", DrawAutoScale, GenerateAutoScale, GenerateRealAutoScale),
    SignalFamily("SignalRfft", DrawRfft, GenerateFft<false>, GenerateRealFft<false>),
    SignalFamily("SignalIrfft", DrawIrfft, GenerateFft<true>, GenerateRealFft<true>),
    SignalFamily("SignalEnergy", DrawEnergy, GenerateEnergy, GenerateRealEnergy),
};

}  // namespace lutra::conformance

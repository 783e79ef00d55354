// SPDX-License-Identifier: Apache-2.0
// SignalFilterBank, SignalFilterBankSquareRoot, SignalFilterBankSpectralSubtraction, SignalPCAN,
// SignalFilterBankLog: they compute the logarithms of channels from the energies of a spectrum.

#include <string.h>

#include "runtime/ops/signal.h"

namespace lutra {
namespace {

constexpr int kOutput = OutputOperand(0);

// ---- The filter bank.

constexpr int kWeights = 1;
constexpr int kUnweights = 2;
constexpr int kFrequencyStarts = 3;
constexpr int kWeightStarts = 4;
constexpr int kWidths = 5;  // The last input.

// Returns whether [start, start + width) lies within `count`.
bool IsWithin(int32_t start, int32_t width, int32_t count) { return start >= 0 && start + width <= count; }

uint64_t Product(int16_t weight, uint32_t energy) { return static_cast<uint64_t>(int64_t{weight}) * energy; }

// ---- The square root.

// Returns the integer nearest to the root of x. It has at most 16 bits if x < 2^32, else 32.
uint32_t NearestRoot(uint64_t x) {
  const uint32_t largest = x >> 32 == 0 ? 0xFFFF : 0xFFFFFFFF;
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 62; bit != 0; bit >>= 2) {
    if (x >= root + bit) {
      x -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  // Here x is the remainder: x - root^2.
  return static_cast<uint32_t>(root) + (x > root && root != largest ? 1 : 0);
}

// ---- Spectral subtraction.

struct SubtractionData {
  static constexpr BoardRecord kBoardRecord = {40, 40};

  uint32_t* noise;  // The estimate of each channel.
  int32_t channels;
  int32_t bits;            // Fraction bits of the factors below.
  int32_t smoothing_bits;  // The estimates have this many more fraction bits than the input.
  int32_t min_signal_remaining;
  int32_t smoothing[2];            // The factors of even and of odd channels.
  int32_t one_minus_smoothing[2];  // 1 - smoothing, in the same order.
  int32_t clamping;
};

// ---- PCAN.

constexpr int32_t kGainTableSize = 125;

// Returns a function of a wide range that consists of parabolas, four numbers of `table` for each power of
// two.
int16_t Gain(const int16_t* table, uint32_t x) {
  if (x <= 2) return table[x];
  const int32_t length = BitLength(x);
  const int16_t* const piece = table + 4 * length - 6;
  // The fraction is the ten bits below the highest bit.
  const auto fraction = static_cast<int32_t>((length < 11 ? x << (11 - length) : x >> (length - 11)) & 0x3FF);
  const int32_t slope = (piece[2] * fraction >> 5) + piece[1] * 32;
  return static_cast<int16_t>(((slope * fraction + (1 << 14)) >> 15) + piece[0]);
}

// Returns x^2 / 4 for x <= 2, else x - 1; x has 12 bits of fraction, the result 6.
uint32_t Shrink(uint32_t x) { return x < 8192 ? x * x >> 20 : (x >> 6) - 64; }

// ---- The logarithm.

struct LogData {
  static constexpr BoardRecord kBoardRecord = {8, 8};

  int32_t input_correction_bits;
  int32_t output_scale;
};

constexpr int kLogSegments = 128;

struct LogTable {
  uint16_t entries[kLogSegments + 1];
};

// Fills in 65536 * (log2(x) - (x - 1)) for x = 1 + i / 128, rounded. Each squaring of x gives one more bit of
// its logarithm.
constexpr LogTable MakeLogTable() {
  LogTable table = {};
  for (int i = 0; i < kLogSegments; ++i) {
    constexpr int kBits = 31;
    uint64_t x = (uint64_t{1} << kBits) + (static_cast<uint64_t>(i) << (kBits - 7));
    uint64_t log2 = 0;  // It has 24 bits of fraction.
    for (int bit = 0; bit < 24; ++bit) {
      x = x * x >> kBits;
      log2 <<= 1;
      if (x >> (kBits + 1) != 0) {
        x >>= 1;
        log2 |= 1;
      }
    }
    const uint64_t above_line = log2 - (static_cast<uint64_t>(i) << (24 - 7));
    table.entries[i] = static_cast<uint16_t>((above_line + 128) >> 8);
  }
  return table;
}
constexpr LogTable kLogTable = MakeLogTable();

// Returns the natural logarithm of x >= 1 times output_scale.
uint32_t ScaledLog(uint32_t x, uint32_t output_scale) {
  const int32_t power = BitLength(x) - 1;
  const uint32_t rest = x - (uint32_t{1} << power);
  const auto fraction = static_cast<int32_t>(power < 16 ? rest << (16 - power) : rest >> (power - 16));
  const int32_t segment = fraction >> 9;
  const int32_t left = kLogTable.entries[segment];
  const int32_t right = kLogTable.entries[segment + 1];
  const int32_t above_line = left + ((right - left) * (fraction - segment * 512) >> 16);
  const auto log2 = static_cast<uint32_t>((power << 16) + fraction + above_line);
  constexpr uint64_t kLogOf2 = 45426;  // ln(2) * 65536.
  const auto log = static_cast<uint32_t>((kLogOf2 * log2 + 32768) >> 16);
  return (output_scale * log + 32768) >> 16;
}

}  // namespace

// Each energy is added to two neighbouring channels: times its weight to one, times its unweight to the next.
// The first of num_channels + 1 sums is not part of the output.
Status PrepareSignalFilterBank(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(6, 6, 1));
  int32_t channels = 0;
  const CustomOption options[] = {{"num_channels", &channels}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  LUTRA_TRY(RequireOption(context, channels, 1, INT32_MAX - 1));
  LUTRA_TRY(RequireVector(context, 0, TensorType::kUInt32));
  LUTRA_TRY(RequireVector(context, kWeights, TensorType::kInt16));
  const int32_t weights = context.Input(kWeights).shape[0];
  LUTRA_TRY(RequireVector(context, kUnweights, TensorType::kInt16, weights));
  for (int list = kFrequencyStarts; list <= kWidths; ++list) {
    LUTRA_TRY(RequireConstant(context, list));
    LUTRA_TRY(RequireVector(context, list, TensorType::kInt16, channels + 1));
  }
  LUTRA_TRY(RequireVector(context, kOutput, TensorType::kUInt64, channels));
  const int32_t energies = context.Input(0).shape[0];
  const auto* const widths = context.ConstantInput<int16_t>(kWidths);
  const auto* const weight_starts = context.ConstantInput<int16_t>(kWeightStarts);
  const auto* const frequency_starts = context.ConstantInput<int16_t>(kFrequencyStarts);
  for (int32_t c = 0; c <= channels; ++c) {
    if (widths[c] <= 0) continue;
    if (!IsWithin(frequency_starts[c], widths[c], energies)) {
      return context.Refuse(Rule::kIndex, kFrequencyStarts, frequency_starts[c], energies - widths[c]);
    }
    if (!IsWithin(weight_starts[c], widths[c], weights)) {
      return context.Refuse(Rule::kIndex, kWeightStarts, weight_starts[c], weights - widths[c]);
    }
  }
  return Status::kOk;
}

Status EvalSignalFilterBank(EvalContext& context) {
  const int32_t channels = context.Output(0).shape[0];
  const auto* const energies = context.InputData<uint32_t>(0);
  const auto* const weights = context.InputData<int16_t>(kWeights);
  const auto* const unweights = context.InputData<int16_t>(kUnweights);
  const auto* const frequency_starts = context.InputData<int16_t>(kFrequencyStarts);
  const auto* const weight_starts = context.InputData<int16_t>(kWeightStarts);
  const auto* const widths = context.InputData<int16_t>(kWidths);
  auto* const output = context.OutputData<uint64_t>(0);
  uint64_t sum = 0;
  for (int32_t c = 0; c <= channels; ++c) {
    uint64_t next_sum = 0;
    for (int32_t i = 0; i < widths[c]; ++i) {
      const uint32_t energy = energies[frequency_starts[c] + i];
      sum += Product(weights[weight_starts[c] + i], energy);
      next_sum += Product(unweights[weight_starts[c] + i], energy);
    }
    if (c > 0) output[c - 1] = sum;
    sum = next_sum;
  }
  return Status::kOk;
}

// Takes roots and shifts them right by as many bits as input 1 says.
Status PrepareSignalFilterBankSquareRoot(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireVector(context, 0, TensorType::kUInt64));
  LUTRA_TRY(RequireScalar(context, 1, TensorType::kInt32));
  return RequireVector(context, kOutput, TensorType::kUInt32, context.Input(0).shape[0]);
}

Status EvalSignalFilterBankSquareRoot(EvalContext& context) {
  const int32_t shift = *context.InputData<int32_t>(1);
  if (shift < 0 || shift > 31) return context.Refuse(Rule::kRuntimeIndex, 1, shift, 31);
  const auto* const input = context.InputData<uint64_t>(0);
  auto* const output = context.OutputData<uint32_t>(0);
  const int32_t channels = context.Output(0).shape[0];
  for (int32_t i = 0; i < channels; ++i) output[i] = NearestRoot(input[i]) >> shift;
  return Status::kOk;
}

// Subtracts from each channel an estimate of its noise, which is smoothed over time. Output 1: the estimates.
Status PrepareSignalFilterBankSpectralSubtraction(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 2));
  SubtractionData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const CustomOption options[] = {{"alternate_one_minus_smoothing", &data->one_minus_smoothing[1]},
                                  {"alternate_smoothing", &data->smoothing[1]},
                                  {"clamping", &data->clamping},
                                  {"min_signal_remaining", &data->min_signal_remaining},
                                  {"num_channels", &data->channels},
                                  {"one_minus_smoothing", &data->one_minus_smoothing[0]},
                                  {"smoothing", &data->smoothing[0]},
                                  {"smoothing_bits", &data->smoothing_bits},
                                  {"spectral_subtraction_bits", &data->bits}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  LUTRA_TRY(RequireOption(context, data->smoothing_bits, 0, 31));
  LUTRA_TRY(RequireOption(context, data->bits, 0, 63));
  constexpr int kOperands[] = {0, kOutput, OutputOperand(1)};
  for (const int operand : kOperands) {
    LUTRA_TRY(RequireVector(context, operand, TensorType::kUInt32, data->channels));
  }
  void* noise = nullptr;
  LUTRA_TRY(context.AllocateState(context.Input(0).bytes, &noise));
  data->noise = static_cast<uint32_t*>(noise);
  return Status::kOk;
}

Status EvalSignalFilterBankSpectralSubtraction(EvalContext& context) {
  const auto& data = context.Data<SubtractionData>();
  const auto* const input = context.InputData<uint32_t>(0);
  auto* const output = context.OutputData<uint32_t>(0);
  // A product of a value and a factor has data.bits fraction bits, which scaled() drops.
  const auto scaled = [&](uint64_t sum) { return static_cast<uint32_t>(sum >> data.bits); };
  const auto product = [](uint32_t value, int32_t factor) {
    return uint64_t{value} * static_cast<uint32_t>(factor);
  };
  for (int32_t i = 0; i < data.channels; ++i) {
    const uint32_t signal = input[i] << data.smoothing_bits;
    uint32_t& noise = data.noise[i];
    noise = scaled(product(signal, data.smoothing[i & 1]) + product(noise, data.one_minus_smoothing[i & 1]));
    const uint32_t taken = noise < signal ? noise : signal;
    if (data.clamping != 0) noise = taken;
    const uint32_t least = scaled(product(input[i], data.min_signal_remaining));
    const uint32_t left = (signal - taken) >> data.smoothing_bits;
    output[i] = left > least ? left : least;
  }
  memcpy(context.OutputData<uint32_t>(1), data.noise, static_cast<size_t>(context.Output(1).bytes));
  return Status::kOk;
}

// Per-channel amplitude normalisation: multiplies a channel with a gain that depends on its noise.
Status PrepareSignalPcan(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(3, 3, 1));
  int32_t* shift = nullptr;
  LUTRA_TRY(context.AllocateData(&shift));
  const CustomOption options[] = {{"snr_shift", shift}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  LUTRA_TRY(RequireOption(context, *shift, 0, 63));
  LUTRA_TRY(RequireVector(context, 0, TensorType::kUInt32));
  const int32_t channels = context.Input(0).shape[0];
  LUTRA_TRY(RequireVector(context, 1, TensorType::kUInt32, channels));
  LUTRA_TRY(RequireVector(context, 2, TensorType::kInt16, kGainTableSize));
  return RequireVector(context, kOutput, TensorType::kUInt32, channels);
}

Status EvalSignalPcan(EvalContext& context) {
  const auto* const input = context.InputData<uint32_t>(0);
  const auto* const noise = context.InputData<uint32_t>(1);
  const auto* const table = context.InputData<int16_t>(2);
  auto* const output = context.OutputData<uint32_t>(0);
  const int32_t channels = context.Output(0).shape[0];
  for (int32_t i = 0; i < channels; ++i) {
    const auto gain = static_cast<uint32_t>(int32_t{Gain(table, noise[i])});
    output[i] = Shrink(static_cast<uint32_t>(uint64_t{input[i]} * gain >> context.Data<int32_t>()));
  }
  return Status::kOk;
}

Status PrepareSignalFilterBankLog(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LogData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const CustomOption options[] = {{"input_correction_bits", &data->input_correction_bits},
                                  {"output_scale", &data->output_scale}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  LUTRA_TRY(RequireOption(context, data->input_correction_bits, 0, 31));
  LUTRA_TRY(RequireVector(context, 0, TensorType::kUInt32));
  return RequireVector(context, kOutput, TensorType::kInt16, context.Input(0).shape[0]);
}

Status EvalSignalFilterBankLog(EvalContext& context) {
  const auto& data = context.Data<LogData>();
  const auto* const input = context.InputData<uint32_t>(0);
  auto* const output = context.OutputData<int16_t>(0);
  const int32_t channels = context.Output(0).shape[0];
  for (int32_t i = 0; i < channels; ++i) {
    const uint32_t x = input[i] << data.input_correction_bits;
    const uint32_t log = x <= 1 ? 0 : ScaledLog(x, static_cast<uint32_t>(data.output_scale));
    output[i] = static_cast<int16_t>(log < INT16_MAX ? log : INT16_MAX);
  }
  return Status::kOk;
}

}  // namespace lutra

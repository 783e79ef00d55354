// SPDX-License-Identifier: Apache-2.0
// SignalWindow, SignalFftAutoScale, SignalEnergy: the steps before and after an FFT of int16.

#include <string.h>

#include "runtime/ops/signal.h"

namespace lutra {
namespace {

constexpr int kOutput = OutputOperand(0);

struct WindowData {
  static constexpr BoardRecord kBoardRecord = {12, 12};

  int32_t shift;
  int32_t size;  // Elements of the window.
  int32_t rows;
};

struct EnergyData {
  static constexpr BoardRecord kBoardRecord = {12, 12};

  int32_t first;
  int32_t end;
  int32_t count;
};

}  // namespace

// output = input * window >> shift, saturated; the window is applied to each row of the input.
Status PrepareSignalWindow(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(RequireVector(context, 1, TensorType::kInt16));
  const int32_t size = context.Input(1).shape[0];
  LUTRA_TRY(RequireRowsOf(context, 0, TensorType::kInt16, size));
  LUTRA_TRY(RequireType(context, kOutput, TensorType::kInt16));
  LUTRA_TRY(RequireShape(context, kOutput, context.Input(0).shape));
  int32_t shift = 0;
  const CustomOption options[] = {{"shift", &shift}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  LUTRA_TRY(RequireOption(context, shift, 0, 31));
  WindowData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  *data = {shift, size, context.Input(0).shape.OuterCount()};
  return Status::kOk;
}

Status EvalSignalWindow(EvalContext& context) {
  const auto& data = context.Data<WindowData>();
  const auto* const input = context.InputData<int16_t>(0);
  const auto* const window = context.InputData<int16_t>(1);
  auto* const output = context.OutputData<int16_t>(0);
  for (int32_t row = 0; row < data.rows; ++row) {
    for (int32_t i = 0; i < data.size; ++i) {
      const int32_t at = row * data.size + i;
      output[at] = SaturateToInt16(input[at] * window[i] >> data.shift);
    }
  }
  return Status::kOk;
}

// Shifts all samples left as far as the largest one allows; output 1 is the shift. Silence is not shifted.
Status PrepareSignalFftAutoScale(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 2));
  LUTRA_TRY(RequireVector(context, 0, TensorType::kInt16));
  LUTRA_TRY(RequireVector(context, kOutput, TensorType::kInt16, context.Input(0).shape[0]));
  return RequireScalar(context, OutputOperand(1), TensorType::kInt32);
}

Status EvalSignalFftAutoScale(EvalContext& context) {
  const auto* const input = context.InputData<int16_t>(0);
  auto* const output = context.OutputData<int16_t>(0);
  const int32_t count = context.Input(0).shape[0];
  // The magnitude of -32768 wraps to -32768. It replaces the largest magnitude before it, so that only
  // samples behind it count.
  int16_t largest = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t value = input[i];
    if (value > largest || -value > largest) largest = static_cast<int16_t>(value > largest ? value : -value);
  }
  const int32_t length = BitLength(static_cast<uint32_t>(int32_t{largest}));
  const int32_t shift = length == 0 || length > 15 ? 0 : 15 - length;
  for (int32_t i = 0; i < count; ++i) output[i] = static_cast<int16_t>(input[i] * (1 << shift));
  *context.OutputData<int32_t>(1) = shift;
  return Status::kOk;
}

// Squares the magnitudes of the complex numbers [start_index, end_index). Other outputs are set to 0;
// TensorFlow Lite Micro does not write them.
Status PrepareSignalEnergy(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  LUTRA_TRY(RequireVector(context, 0, TensorType::kInt16));
  LUTRA_TRY(RequireVector(context, kOutput, TensorType::kUInt32));
  const int32_t count = context.Output(0).shape[0];
  EnergyData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const CustomOption options[] = {{"start_index", &data->first}, {"end_index", &data->end}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  const int32_t pairs = context.Input(0).shape[0] / 2;
  LUTRA_TRY(RequireOption(context, data->end, 0, pairs < count ? pairs : count));
  LUTRA_TRY(RequireOption(context, data->first, 0, data->end));
  data->count = count;
  return Status::kOk;
}

Status EvalSignalEnergy(EvalContext& context) {
  const auto& data = context.Data<EnergyData>();
  const auto* const input = context.InputData<int16_t>(0);
  auto* const output = context.OutputData<uint32_t>(0);
  memset(output, 0, static_cast<size_t>(data.count) * sizeof(uint32_t));
  for (int32_t i = data.first; i < data.end; ++i) {
    const int32_t re = input[2 * i];
    const int32_t im = input[2 * i + 1];
    output[i] = static_cast<uint32_t>(re * re) + static_cast<uint32_t>(im * im);
  }
  return Status::kOk;
}

}  // namespace lutra

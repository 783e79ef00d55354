// SPDX-License-Identifier: Apache-2.0
// SignalDelay, SignalFramer, SignalStacker, SignalOverlapAdd: operators that keep samples from one inference
// to the next. Each index of the outer dimensions is a stream of its own.

#include <string.h>

#include "runtime/ops/signal.h"

namespace lutra {
namespace {

constexpr int kOutput = OutputOperand(0);
constexpr int kValid = OutputOperand(1);

// ---- Delay.

struct DelayData {
  static constexpr BoardRecord kBoardRecord = {16, 16};

  int16_t* kept;  // The last `delay` samples of each stream.
  int32_t delay;  // In samples.
  int32_t size;   // Samples of a stream in each inference.
  int32_t streams;
};

// Appends `x` to a window of samples, whose first samples are dropped.
void Push(int16_t* window, int32_t window_size, const int16_t* x, int32_t count) {
  if (count >= window_size) {
    memcpy(window, x + count - window_size, static_cast<size_t>(window_size) * sizeof(int16_t));
    return;
  }
  const int32_t stay = window_size - count;
  memmove(window, window + count, static_cast<size_t>(stay) * sizeof(int16_t));
  memcpy(window + stay, x, static_cast<size_t>(count) * sizeof(int16_t));
}

// ---- Framer.

struct FramerData {
  static constexpr BoardRecord kBoardRecord = {32, 32};

  int16_t* samples;  // The last `capacity` samples of each stream, the newest at the end.
  int32_t* stored;   // Samples still to be framed, less `first_stored`; alike for all streams.
  int32_t frame_size;
  int32_t frame_step;
  int32_t first_stored;  // Zeros that stand for the samples before the first.
  int32_t capacity;
  int32_t frames;  // The most frames of each stream in an inference.
  int32_t streams;
};

// ---- Stacker.

struct StackerData {
  static constexpr BoardRecord kBoardRecord = {24, 24};

  int16_t* samples;  // The last `capacity` samples, the newest at the end.
  int32_t* stored;   // Samples still to be stacked, plus one; 0 before the first frame.
  int32_t channels;
  int32_t left_context;
  int32_t capacity;
  int32_t step;  // In samples.
};

// ---- OverlapAdd.

struct OverlapAddData {
  static constexpr BoardRecord kBoardRecord = {20, 20};

  void* sums;  // frame_size sums of each stream.
  int32_t frame_size;
  int32_t frame_step;
  int32_t frames;
  int32_t streams;
};

int16_t Sum(int16_t a, int16_t b) { return SaturateToInt16(a + b); }
float Sum(float a, float b) { return a + b; }

template <typename T>
void OverlapAdd(const OverlapAddData& data, const T* input, T* output) {
  const int32_t stay = data.frame_size - data.frame_step;
  for (int32_t stream = 0; stream < data.streams; ++stream) {
    T* const sums = static_cast<T*>(data.sums) + stream * data.frame_size;
    for (int32_t frame = 0; frame < data.frames; ++frame) {
      for (int32_t i = 0; i < data.frame_size; ++i) sums[i] = Sum(sums[i], input[i]);
      memcpy(output, sums, static_cast<size_t>(data.frame_step) * sizeof(T));
      memmove(sums, sums + data.frame_step, static_cast<size_t>(stay) * sizeof(T));
      memset(static_cast<void*>(sums + stay), 0, static_cast<size_t>(data.frame_step) * sizeof(T));
      input += data.frame_size;
      output += data.frame_step;
    }
  }
}

// Allocates `count` elements of T for each stream; refuses too many.
template <typename T>
Status AllocateStreams(PrepareContext& context, int32_t streams, int64_t count, T** state) {
  const int64_t bytes = count * streams * static_cast<int64_t>(sizeof(T));
  if (bytes > INT32_MAX) return context.Refuse(Rule::kTensorSize);
  void* memory = nullptr;
  LUTRA_TRY(context.AllocateState(static_cast<int32_t>(bytes), &memory));
  *state = static_cast<T*>(memory);
  return Status::kOk;
}

}  // namespace

// Delays each stream by delay_length samples; zeros come first.
Status PrepareSignalDelay(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  DelayData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const CustomOption options[] = {{"delay_length", &data->delay}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  LUTRA_TRY(RequireOption(context, data->delay, 0, INT32_MAX));
  const Shape shape = context.Input(0).shape;
  data->size = shape.Depth();
  data->streams = shape.OuterCount();
  LUTRA_TRY(RequireRowsOf(context, 0, TensorType::kInt16, data->size));
  LUTRA_TRY(RequireType(context, kOutput, TensorType::kInt16));
  LUTRA_TRY(RequireShape(context, kOutput, shape));
  return AllocateStreams(context, data->streams, data->delay, &data->kept);
}

Status EvalSignalDelay(EvalContext& context) {
  const auto& data = context.Data<DelayData>();
  for (int32_t stream = 0; stream < data.streams; ++stream) {
    const int16_t* const input = context.InputData<int16_t>(0) + stream * data.size;
    int16_t* const output = context.OutputData<int16_t>(0) + stream * data.size;
    int16_t* const kept = data.kept + stream * data.delay;
    const int32_t old = data.delay < data.size ? data.delay : data.size;
    memcpy(output, kept, static_cast<size_t>(old) * sizeof(int16_t));
    memcpy(output + old, input, static_cast<size_t>(data.size - old) * sizeof(int16_t));
    Push(kept, data.delay, input, data.size);
  }
  return Status::kOk;
}

// Cuts streams into frames of frame_size samples that begin frame_step apart. Output 1 is false until there
// are enough samples for all frames; missing frames are set to 0; TensorFlow Lite Micro does not write them.
Status PrepareSignalFramer(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 2));
  FramerData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  int32_t prefill = 0;
  const CustomOption options[] = {
      {"frame_size", &data->frame_size}, {"frame_step", &data->frame_step}, {"prefill", &prefill}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  const Shape in = context.Input(0).shape;
  LUTRA_TRY(RequireRowsOf(context, 0, TensorType::kInt16, in.Depth()));
  LUTRA_TRY(RequireRank(context, 0, 1, kMaxRank - 1));
  LUTRA_TRY(RequireOption(context, data->frame_step, 1, in.Depth()));
  if (in.Depth() % data->frame_step != 0) {
    return context.Refuse(Rule::kOperandShape, 0, in.Depth(), data->frame_step);
  }
  LUTRA_TRY(RequireOption(context, data->frame_size, prefill != 0 ? data->frame_step : 1, INT32_MAX));
  data->frames = in.Depth() / data->frame_step;
  data->streams = in.OuterCount();
  Shape out = in;
  out.rank = in.rank + 1;
  out.dims[in.rank - 1] = data->frames;
  out.dims[in.rank] = data->frame_size;
  LUTRA_TRY(RequireType(context, kOutput, TensorType::kInt16));
  LUTRA_TRY(RequireShape(context, kOutput, out));
  LUTRA_TRY(RequireScalar(context, kValid, TensorType::kBool));
  if (prefill != 0) data->first_stored = data->frame_size - data->frame_step;
  // The output's size bounds frame_size, so that this cannot overflow.
  const int32_t steps = (data->frame_size + data->frame_step - 1) / data->frame_step;
  data->capacity = steps * data->frame_step;
  LUTRA_TRY(AllocateStreams(context, 1, 1, &data->stored));
  return AllocateStreams(context, data->streams, data->capacity, &data->samples);
}

Status EvalSignalFramer(EvalContext& context) {
  const auto& data = context.Data<FramerData>();
  const auto* input = context.InputData<int16_t>(0);
  auto* output = context.OutputData<int16_t>(0);
  bool valid = true;
  int32_t stored = 0;
  for (int32_t stream = 0; stream < data.streams; ++stream) {
    int16_t* const samples = data.samples + stream * data.capacity;
    stored = *data.stored + data.first_stored;
    for (int32_t frame = 0; frame < data.frames; ++frame) {
      Push(samples, data.capacity, input, data.frame_step);
      stored += data.frame_step;
      const auto bytes = static_cast<size_t>(data.frame_size) * sizeof(int16_t);
      if (stored >= data.frame_size) {
        memcpy(output, samples + data.capacity - stored, bytes);
        stored -= data.frame_step;
      } else {
        memset(output, 0, bytes);
        valid = false;
      }
      input += data.frame_step;
      output += data.frame_size;
    }
  }
  *data.stored = stored - data.first_stored;
  *context.OutputData<uint8_t>(1) = valid ? 1 : 0;
  return Status::kOk;
}

// Joins each frame of num_channels with frames before and after it. The first frame is repeated for frames
// before it. Output 1 is false until there are enough frames; the output is 0 until then.
Status PrepareSignalStacker(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 2));
  StackerData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  int32_t right_context = 0;
  int32_t step = 0;
  const CustomOption options[] = {{"num_channels", &data->channels},
                                  {"stacker_left_context", &data->left_context},
                                  {"stacker_right_context", &right_context},
                                  {"stacker_step", &step}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  LUTRA_TRY(RequireOption(context, data->channels, 1, INT32_MAX));
  constexpr int32_t kMostContext = 1 << 15;
  LUTRA_TRY(RequireOption(context, data->left_context, 0, kMostContext));
  LUTRA_TRY(RequireOption(context, right_context, 0, kMostContext));
  const int32_t frames = data->left_context + right_context + 1;
  LUTRA_TRY(RequireOption(context, step, 1, frames));
  LUTRA_TRY(RequireVector(context, 0, TensorType::kInt16, data->channels));
  LUTRA_TRY(RequireVector(context, kOutput, TensorType::kInt16));
  const int32_t size = context.Output(0).shape[0];
  if (size % frames != 0 || size / frames != data->channels) {
    return context.Refuse(Rule::kOperandShape, kOutput, size, data->channels);
  }
  LUTRA_TRY(RequireScalar(context, kValid, TensorType::kBool));
  data->capacity = size;
  data->step = step * data->channels;
  LUTRA_TRY(AllocateStreams(context, 1, 1, &data->stored));
  return AllocateStreams(context, 1, data->capacity, &data->samples);
}

Status EvalSignalStacker(EvalContext& context) {
  const auto& data = context.Data<StackerData>();
  const auto* const input = context.InputData<int16_t>(0);
  auto* const output = context.OutputData<int16_t>(0);
  const bool is_first = *data.stored == 0;
  int32_t stored = is_first ? 0 : *data.stored - 1;
  for (int32_t copies = is_first ? data.left_context + 1 : 1; copies > 0; --copies) {
    Push(data.samples, data.capacity, input, data.channels);
    stored += data.channels;
  }
  const bool valid = stored >= data.capacity;
  const auto bytes = static_cast<size_t>(data.capacity) * sizeof(int16_t);
  if (valid) {
    memcpy(output, data.samples + data.capacity - stored, bytes);
    stored -= data.step;
  } else {
    memset(output, 0, bytes);
  }
  *data.stored = stored + 1;
  *context.OutputData<uint8_t>(1) = valid ? 1 : 0;
  return Status::kOk;
}

// Adds up overlapping frames, which begin frame_step apart.
Status PrepareSignalOverlapAdd(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  OverlapAddData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  int32_t type = 0;
  const CustomOption options[] = {{"T", &type}, {"frame_step", &data->frame_step}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  constexpr auto kInt16 = static_cast<int32_t>(TensorType::kInt16);
  if (type != kInt16 && type != static_cast<int32_t>(TensorType::kFloat32)) {
    return context.Refuse(Rule::kOptionValue, kNoOperand, type, kInt16);
  }
  LUTRA_TRY(RequireType(context, 0, static_cast<TensorType>(type)));
  LUTRA_TRY(RequireSameType(context, 0, kOutput));
  LUTRA_TRY(RequireRank(context, 0, 2, kMaxRank));
  const Shape in = context.Input(0).shape;
  data->frame_size = in.Depth();
  data->frames = in[in.rank - 2];
  data->streams = in.Count(0, in.rank - 2);
  LUTRA_TRY(RequireOption(context, data->frame_step, 1, data->frame_size));
  Shape out = in;
  out.rank = in.rank - 1;
  // This is below the input's size, as the step is at most a frame.
  out.dims[out.rank - 1] = data->frames * data->frame_step;
  LUTRA_TRY(RequireShape(context, kOutput, out));
  const int64_t bytes = int64_t{data->frame_size} * ElementBytes(context.Input(0).type);
  uint8_t* sums = nullptr;
  LUTRA_TRY(AllocateStreams(context, data->streams, bytes, &sums));
  data->sums = sums;
  return Status::kOk;
}

Status EvalSignalOverlapAdd(EvalContext& context) {
  const auto& data = context.Data<OverlapAddData>();
  if (context.Input(0).type == TensorType::kInt16) {
    OverlapAdd(data, context.InputData<int16_t>(0), context.OutputData<int16_t>(0));
  } else {
    OverlapAdd(data, context.InputData<float>(0), context.OutputData<float>(0));
  }
  return Status::kOk;
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR (int8, float32, uint8) and RESIZE_NEAREST_NEIGHBOR (any element type): an image
// [batches, height, width, channels] and its new height and width, constants.

#include "lutra/kernels/resize/resize.h"

#include <stdint.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"

namespace lutra {
namespace {

constexpr int kInput = 0;
constexpr int kSize = 1;
constexpr int kOutput = OutputOperand(0);

struct BilinearData {
  static constexpr BoardRecord kBoardRecord = {44, 44};

  int32_t batches;
  int32_t channels;
  BilinearAxis rows;
  BilinearAxis columns;
  ResizeBilinearFn run;
};

struct BilinearFloatData {
  static constexpr BoardRecord kBoardRecord = {44, 44};

  int32_t batches;
  int32_t channels;
  BilinearFloatAxis rows;
  BilinearFloatAxis columns;
  ResizeBilinearFloatFn run;
};

struct NearestData {
  static constexpr BoardRecord kBoardRecord = {36, 36};

  int32_t batches;
  int32_t pixel_bytes;
  NearestAxis rows;
  NearestAxis columns;
  ResizeNearestFn run;
};

// Checks the operands that both operators have; the shapes then have the sizes.
Status PrepareSizes(PrepareContext& context, ResizeOptions* options) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  LUTRA_TRY(ReadOptions(context, ReadResizeOptions, options));
  if (options->align_corners && options->half_pixel_centers) {
    return context.Refuse(Rule::kResizeMode);
  }
  LUTRA_TRY(RequireSameType(context, kInput, kOutput));
  LUTRA_TRY(RequireRank(context, kInput, 4, 4));
  int32_t size[2] = {};
  LUTRA_TRY(ReadConstantList(context, kSize, 2, size));
  Shape required = context.Input(kInput).shape;
  required.dims[1] = size[0];
  required.dims[2] = size[1];
  return RequireShape(context, kOutput, required);
}

// Positions are computed in float32: those of larger images do not fit int32.
Status RequireSides(PrepareContext& context) {
  const Shape in = context.Input(kInput).shape;
  const Shape out = context.Output(0).shape;
  const int32_t sides[] = {in[1], in[2], out[1], out[2]};
  for (const int32_t side : sides) {
    if (side > kMaxNearestSide) {
      return context.Refuse(Rule::kResizeRange, kInput, side, kMaxNearestSide);
    }
  }
  return Status::kOk;
}

Status EvalResizeBilinearFloat(EvalContext& context) {
  const auto& data = context.Data<BilinearFloatData>();
  data.run({context.InputData<float>(kInput), context.OutputData<float>(0), data.batches, data.rows,
            data.columns, data.channels});
  return Status::kOk;
}

// Prepares positions and weights of float32.
Status PrepareFloatAxes(PrepareContext& context, const ResizeOptions& options, BilinearFloatData** result) {
  LUTRA_TRY(RequireSides(context));
  BilinearFloatData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  *result = data;
  const Shape in = context.Input(kInput).shape;
  const Shape out = context.Output(0).shape;
  data->batches = in[0];
  data->channels = in[3];
  data->rows = MakeBilinearFloatAxis(in[1], out[1], options.align_corners, options.half_pixel_centers);
  data->columns = MakeBilinearFloatAxis(in[2], out[2], options.align_corners, options.half_pixel_centers);
  return Status::kOk;
}

Status PrepareResizeBilinearFloat(PrepareContext& context, const ResizeOptions& options) {
  static constexpr Op kFloat = {BuiltinOperator::kResizeBilinear, PrepareResizeBilinear,
                                EvalResizeBilinearFloat};
  BilinearFloatData* data = nullptr;
  LUTRA_TRY(PrepareFloatAxes(context, options, &data));
  data->run = context.Choose(kResizeBilinearFloat);
  context.RunBy(kFloat);
  return Status::kOk;
}

}  // namespace

Status PrepareResizeBilinear(PrepareContext& context) {
  ResizeOptions options;
  LUTRA_TRY(PrepareSizes(context, &options));
  if (context.Input(kInput).type == TensorType::kFloat32) return PrepareResizeBilinearFloat(context, options);
  LUTRA_TRY(RequireType(context, kInput, TensorType::kInt8));
  BilinearData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const Shape in = context.Input(kInput).shape;
  const Shape out = context.Output(0).shape;
  data->batches = in[0];
  data->channels = in[3];
  if (!MakeBilinearAxis(in[1], out[1], options.align_corners, options.half_pixel_centers, &data->rows)) {
    return context.Refuse(Rule::kResizeRange, kOutput, out[1], in[1]);
  }
  if (!MakeBilinearAxis(in[2], out[2], options.align_corners, options.half_pixel_centers, &data->columns)) {
    return context.Refuse(Rule::kResizeRange, kOutput, out[2], in[2]);
  }
  data->run = context.Choose(kResizeBilinearInt8);
  return Status::kOk;
}

Status EvalResizeBilinear(EvalContext& context) {
  const auto& data = context.Data<BilinearData>();
  data.run({.input = context.InputData<int8_t>(kInput),
            .output = context.OutputData<int8_t>(0),
            .batches = data.batches,
            .rows = data.rows,
            .columns = data.columns,
            .channels = data.channels});
  return Status::kOk;
}

#if LUTRA_HAVE_UINT8
// LiteRT's reference rule: the mean of codes in float32, plus a half, truncated.
Status PrepareResizeBilinearUint8(PrepareContext& context) {
  ResizeOptions options;
  LUTRA_TRY(PrepareSizes(context, &options));
  BilinearFloatData* data = nullptr;
  return PrepareFloatAxes(context, options, &data);
}

Status EvalResizeBilinearUint8(EvalContext& context) {
  const auto& data = context.Data<BilinearFloatData>();
  const auto row = static_cast<intptr_t>(data.columns.in) * data.channels;
  const auto* image = context.InputData<uint8_t>(kInput);
  auto* output = context.OutputData<uint8_t>(0);
  for (int32_t batch = 0; batch < data.batches; ++batch, image += data.rows.in * row) {
    for (int32_t y = 0; y < data.rows.out; ++y) {
      const BilinearFloatPlace h = FindBilinearFloatPlace(data.rows, y);
      for (int32_t x = 0; x < data.columns.out; ++x) {
        const BilinearFloatPlace w = FindBilinearFloatPlace(data.columns, x);
        const auto pixel = [&](int32_t pixel_row, int32_t column) {
          return image + pixel_row * row + static_cast<intptr_t>(column) * data.channels;
        };
        const uint8_t* const upper_left = pixel(h.low, w.low);
        const uint8_t* const lower_left = pixel(h.high, w.low);
        const uint8_t* const upper_right = pixel(h.low, w.high);
        const uint8_t* const lower_right = pixel(h.high, w.high);
        for (int32_t c = 0; c < data.channels; ++c) {
          const float mean = static_cast<float>(upper_left[c]) * (1 - h.weight) * (1 - w.weight) +
                             static_cast<float>(lower_left[c]) * h.weight * (1 - w.weight) +
                             static_cast<float>(upper_right[c]) * (1 - h.weight) * w.weight +
                             static_cast<float>(lower_right[c]) * h.weight * w.weight;
          *output++ = static_cast<uint8_t>(mean + 0.5f);
        }
      }
    }
  }
  return Status::kOk;
}
#endif

Status PrepareResizeNearestNeighbor(PrepareContext& context) {
  ResizeOptions options;
  LUTRA_TRY(PrepareSizes(context, &options));
  const TensorInfo input = context.Input(kInput);
  if (input.type == TensorType::kUInt8 && !context.TakesUint8()) return context.Refuse(Rule::kUint8, kInput);
  if (ElementBytes(input.type) == 0) {
    return context.Refuse(Rule::kOperandType, kInput, static_cast<int32_t>(input.type));
  }
  LUTRA_TRY(RequireSides(context));
  NearestData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  const Shape& in = input.shape;
  const Shape out = context.Output(0).shape;
  data->batches = in[0];
  data->pixel_bytes = in[3] * ElementBytes(input.type);
  data->rows = {in[1], out[1], options.align_corners, options.half_pixel_centers};
  data->columns = {in[2], out[2], options.align_corners, options.half_pixel_centers};
  data->run = context.Choose(kResizeNearestPixels);
  return Status::kOk;
}

Status EvalResizeNearestNeighbor(EvalContext& context) {
  const auto& data = context.Data<NearestData>();
  data.run({.input = context.InputData<uint8_t>(kInput),
            .output = context.OutputData<uint8_t>(0),
            .batches = data.batches,
            .rows = data.rows,
            .columns = data.columns,
            .pixel_bytes = data.pixel_bytes});
  return Status::kOk;
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D, MAX_POOL_2D; L2_POOL_2D, which has float32 alone.

#include "lutra/kernels/pool/pool.h"

#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"
#include "runtime/ops/int16.h"
#include "runtime/ops/uint8.h"

namespace lutra {
namespace {

// The sum of this many codes, with half of their number for rounding, fits int32.
constexpr int64_t kMaxWindow = 1 << 23;
constexpr int64_t kMaxInt16Window = 65535;

struct PoolData {
  static constexpr BoardRecord kBoardRecord = {64, 64};

  PoolShape shape;
  int32_t rows;
  PoolFn run;  // One of the two is null.
  PoolFloatFn run_float;
  union {
    ActivationRange range;
    FloatRange float_range;
  };
};

// Codes are not requantised.
Status RequireNearlySameQuantization(PrepareContext& context) {
  LUTRA_TRY(RequirePerTensor(context, 0));
  LUTRA_TRY(RequirePerTensor(context, OutputOperand(0)));
  const TensorInfo input = context.Input(0);
  const TensorInfo output = context.Output(0);
  if (!AreScalesNear(input.scale, output.scale)) {
    return context.Refuse(Rule::kSameQuantization, OutputOperand(0));
  }
  if (input.zero_point != output.zero_point) {
    return context.Refuse(Rule::kSameQuantization, OutputOperand(0), output.zero_point, input.zero_point);
  }
  return Status::kOk;
}

// Stands for the kernels of a type that the operator lacks.
constexpr int kNoKernels = 0;

// Each operator names its own kernels, so that its users link no others.
template <const auto& kCodes, const auto& kFloat, TensorType kType = TensorType::kInt8>
Status PreparePool(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  WindowOptions options;
  LUTRA_TRY(ReadOptions(context, ReadWindowOptions, &options));
  LUTRA_TRY(RequireRank(context, 0, 4, 4));
  LUTRA_TRY(RequireSameType(context, 0, OutputOperand(0)));
  const TensorInfo input = context.Input(0);
  const Shape& in = input.shape;
  WindowSize height;
  WindowSize width;
  if (!ComputeWindow(options.padding, in.dims[1], options.filter_h, options.stride_h, 1, &height) ||
      !ComputeWindow(options.padding, in.dims[2], options.filter_w, options.stride_w, 1, &width)) {
    return context.Refuse(Rule::kWindow, 0);
  }
  Shape out = in;
  out.dims[1] = height.out;
  out.dims[2] = width.out;
  LUTRA_TRY(RequireShape(context, OutputOperand(0), out));

  PoolData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->shape = {in.dims[1],       in.dims[2],        in.dims[3],       out.dims[1],
                 out.dims[2],      options.filter_h,  options.filter_w, options.stride_h,
                 options.stride_w, height.pad_before, width.pad_before};
  data->rows = out.dims[0] * out.dims[1];
  constexpr bool kHasFloat = requires { context.Choose(kFloat); };
  constexpr bool kHasCodes = requires { context.Choose(kCodes); };
  if constexpr (!kHasCodes) LUTRA_TRY(RequireType(context, 0, TensorType::kFloat32));
  if (kHasFloat && input.type == TensorType::kFloat32) {
    if constexpr (kHasFloat) data->run_float = context.Choose(kFloat);
    LUTRA_TRY(FloatActivationRange(context, options.activation, &data->float_range));
  } else if constexpr (kHasCodes) {
    LUTRA_TRY(RequireType(context, 0, kType));
    LUTRA_TRY(RequireNearlySameQuantization(context));
    data->run = context.Choose(kCodes);
#if LUTRA_HAVE_UINT8
    if constexpr (kType == TensorType::kUInt8) {
      LUTRA_TRY(Uint8ActivationRange(context, options.activation, &data->range));
    } else
#endif
#if LUTRA_HAVE_INT16
        if constexpr (kType == TensorType::kInt16) {
      LUTRA_TRY(Int16ActivationRange(context, options.activation, &data->range));
    } else
#endif
      LUTRA_TRY(Int8ActivationRange(context, options.activation, context.Output(0), &data->range));
    const int64_t window =
        static_cast<int64_t>(in.dims[1] < options.filter_h ? in.dims[1] : options.filter_h) *
        (in.dims[2] < options.filter_w ? in.dims[2] : options.filter_w);
    if (window > (kType == TensorType::kInt16 ? kMaxInt16Window : kMaxWindow))
      return context.Refuse(Rule::kAccumulator, 0);
  }
  const int32_t pixel_bytes = in.dims[3] * ElementBytes(input.type);
  RowMap map;
  map.access = RowMap::Access::kRows;
  if constexpr (kHasCodes && kType == TensorType::kInt8) {
    // Only an average is a sum of rows; a maximum is not.
    const bool is_average = context.op().code == BuiltinOperator::kAveragePool2D;
    const bool is_whole_image = out.dims[1] == 1 && out.dims[2] == 1 && options.filter_h == in.dims[1] &&
                                options.filter_w == in.dims[2];
    if (is_average && is_whole_image && data->run != nullptr) map.access = RowMap::Access::kSumOfRows;
  }
  map.images = in.dims[0];
  map.in_rows = in.dims[1];
  map.out_rows = out.dims[1];
  map.in_row_bytes = in.dims[2] * pixel_bytes;
  map.out_row_bytes = out.dims[2] * pixel_bytes;
  map.window = options.filter_h;
  map.stride = options.stride_h;
  map.pad_before = height.pad_before;
  return context.DeclareRows(0, 0, map);
}

}  // namespace

Status PrepareAveragePool2D(PrepareContext& context) {
  return PreparePool<kAveragePoolInt8, kAveragePoolFloat>(context);
}

Status PrepareMaxPool2D(PrepareContext& context) { return PreparePool<kMaxPoolInt8, kMaxPoolFloat>(context); }

Status PrepareL2Pool2D(PrepareContext& context) { return PreparePool<kNoKernels, kL2PoolFloat>(context); }

Status PrepareAveragePool2DInt8Only(PrepareContext& context) {
  return PreparePool<kAveragePoolInt8, kNoKernels>(context);
}

Status PrepareMaxPool2DInt8Only(PrepareContext& context) {
  return PreparePool<kMaxPoolInt8, kNoKernels>(context);
}

#if LUTRA_HAVE_UINT8
Status PrepareAveragePool2DUint8(PrepareContext& context) {
  return PreparePool<kAveragePoolUint8, kAveragePoolFloat, TensorType::kUInt8>(context);
}

Status PrepareMaxPool2DUint8(PrepareContext& context) {
  return PreparePool<kMaxPoolUint8, kMaxPoolFloat, TensorType::kUInt8>(context);
}
#endif

#if LUTRA_HAVE_INT16
Status PrepareAveragePool2DInt16(PrepareContext& context) {
  return PreparePool<kAveragePoolInt16, kAveragePoolFloat, TensorType::kInt16>(context);
}

Status PrepareMaxPool2DInt16(PrepareContext& context) {
  return PreparePool<kMaxPoolInt16, kMaxPoolFloat, TensorType::kInt16>(context);
}
#endif

namespace {

template <bool kHasFloat, int32_t kCodeBytes = 1>
Status Eval(EvalContext& context) {
  const auto& data = context.Data<PoolData>();
  const PoolShape& shape = data.shape;
  if (context.row_sum().sums != nullptr) {
    return context.AddPoolRow({&shape, data.range.min, data.range.max});
  }
  const bool has_codes = !kHasFloat || data.run != nullptr;
  const int32_t element_bytes = has_codes ? kCodeBytes : static_cast<int32_t>(sizeof(float));
  const Rows input = context.InputRows(0, shape.in_width * shape.depth * element_bytes);
  const Rows output = context.OutputRows(0, shape.out_width * shape.depth * element_bytes);
  context.ForEachRows(data.rows, [&](int32_t first_row, int32_t row_count) {
    if (has_codes) {
      const PoolArgs args = {&shape, data.range.min, data.range.max};
      data.run(args, input, output, first_row, row_count);
    } else if constexpr (kHasFloat) {
      const PoolFloatArgs args = {&shape, data.float_range.min, data.float_range.max};
      data.run_float(args, input, output, first_row, row_count);
    }
  });
  return Status::kOk;
}

}  // namespace

Status EvalPool(EvalContext& context) { return Eval<true>(context); }
Status EvalPoolInt8Only(EvalContext& context) { return Eval<false>(context); }
#if LUTRA_HAVE_INT16
Status EvalPoolInt16(EvalContext& context) { return Eval<false, 2>(context); }
#endif

}  // namespace lutra

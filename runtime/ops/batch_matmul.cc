// SPDX-License-Identifier: Apache-2.0
// BATCH_MATMUL: the matrices in the last two dimensions of both inputs are multiplied; the
// dimensions before them are broadcast.

#include "lutra/kernels/batch_matmul/batch_matmul.h"

#include <stdint.h>

#include "lutra/ops/ops.h"
#include "runtime/ops/common.h"
#include "runtime/ops/int16.h"

namespace lutra {
namespace {

constexpr int kLhs = 0;
constexpr int kRhs = 1;
constexpr int kOutput = OutputOperand(0);
constexpr int kMaxMatrixRank = 5;
constexpr int kBatchDims = kMaxMatrixRank - 2;

struct BatchMatMulData {
  static constexpr BoardRecord kBoardRecord = {76, 76};

  MatMulShape shape;
  int32_t dims[kBatchDims];  // The batch of the output.
  // The next matrix of each dimension lies this many matrices further; 0 if the dimension is broadcast.
  int32_t lhs_steps[kBatchDims];
  int32_t rhs_steps[kBatchDims];
  Multiplier multiplier;
  int16_t lhs_offset;
  int16_t rhs_offset;
  int16_t output_offset;
  MatMulFn run;  // Null for float32:
  MatMulFloatFn run_float;
};

void FillSteps(const Shape& shape, int32_t* steps) {
  int32_t step = 1;
  for (int i = kBatchDims - 1; i >= 0; --i) {
    steps[i] = shape[i] == 1 ? 0 : step;
    step *= shape[i];
  }
}

Status PrepareShapes(PrepareContext& context, const BatchMatMulOptions& options, BatchMatMulData* data) {
  LUTRA_TRY(RequireRank(context, kLhs, 2, kMaxMatrixRank));
  LUTRA_TRY(RequireRank(context, kRhs, 2, kMaxMatrixRank));
  Shape lhs = context.Input(kLhs).shape;
  Shape rhs = context.Input(kRhs).shape;
  const int rank = lhs.rank > rhs.rank ? lhs.rank : rhs.rank;
  lhs = ExtendedShape(lhs, kMaxMatrixRank);
  rhs = ExtendedShape(rhs, kMaxMatrixRank);
  const int32_t* lhs_matrix = lhs.dims + kBatchDims;
  const int32_t* rhs_matrix = rhs.dims + kBatchDims;
  MatMulShape& shape = data->shape;
  shape.lhs_transposed = options.adjoint_lhs;
  shape.rhs_transposed = options.adjoint_rhs;
  shape.m = lhs_matrix[shape.lhs_transposed ? 1 : 0];
  shape.k = lhs_matrix[shape.lhs_transposed ? 0 : 1];
  shape.n = rhs_matrix[shape.rhs_transposed ? 0 : 1];
  const int32_t rhs_k = rhs_matrix[shape.rhs_transposed ? 1 : 0];
  if (rhs_k != shape.k) return context.Refuse(Rule::kOperandShape, kRhs, rhs_k, shape.k);

  Shape lhs_batch = lhs;
  Shape rhs_batch = rhs;
  lhs_batch.rank = rhs_batch.rank = kBatchDims;
  Shape output;
  if (!BroadcastShape(lhs_batch, rhs_batch, &output)) return context.Refuse(Rule::kBroadcast, kRhs);
  for (int i = 0; i < kBatchDims; ++i) data->dims[i] = output[i];
  FillSteps(lhs, data->lhs_steps);
  FillSteps(rhs, data->rhs_steps);
  Shape required;
  required.rank = rank;
  for (int i = 0; i < rank - 2; ++i) required.dims[i] = output[kBatchDims - (rank - 2) + i];
  required.dims[rank - 2] = shape.m;
  required.dims[rank - 1] = shape.n;
  return RequireShape(context, kOutput, required);
}

Status PrepareInt8(PrepareContext& context, BatchMatMulData* data) {
  constexpr int kOperands[] = {kLhs, kRhs, kOutput};
  for (const int operand : kOperands) {
    LUTRA_TRY(RequireType(context, operand, TensorType::kInt8));
    LUTRA_TRY(RequirePerTensor(context, operand));
  }
  const TensorInfo lhs = context.Input(kLhs);
  const TensorInfo rhs = context.Input(kRhs);
  const TensorInfo output = context.Output(0);
  // The product of the scales is rounded to float32.
  const float product = lhs.scale * rhs.scale;
  LUTRA_TRY(RequireMultiplier(context, kOutput, ScaleRatio(1.0f, output.scale), product, &data->multiplier));
  data->lhs_offset = static_cast<int16_t>(-lhs.zero_point);
  data->rhs_offset = static_cast<int16_t>(-rhs.zero_point);
  data->output_offset = static_cast<int16_t>(output.zero_point);
  data->run = context.Choose(kMatMulInt8);
  return Status::kOk;
}

Status PrepareFloat(PrepareContext& context, BatchMatMulData* data) {
  if (context.Input(kRhs).type != TensorType::kFloat32) return context.Refuse(Rule::kHybrid, kRhs);
  LUTRA_TRY(RequireType(context, kOutput, TensorType::kFloat32));
  data->run_float = context.Choose(kMatMulFloat);
  return Status::kOk;
}

// Calls run(lhs, rhs, output), which are numbers of matrices, for each pair of matrices to multiply.
template <typename Run>
void ForEachPair(const BatchMatMulData& data, const Run& run) {
  intptr_t output = 0;
  for (int32_t i = 0; i < data.dims[0]; ++i) {
    for (int32_t j = 0; j < data.dims[1]; ++j) {
      for (int32_t k = 0; k < data.dims[2]; ++k, ++output) {
        const intptr_t lhs = i * data.lhs_steps[0] + j * data.lhs_steps[1] + k * data.lhs_steps[2];
        const intptr_t rhs = i * data.rhs_steps[0] + j * data.rhs_steps[1] + k * data.rhs_steps[2];
        run(lhs, rhs, output);
      }
    }
  }
}

}  // namespace

Status PrepareBatchMatmul(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  BatchMatMulOptions options;
  LUTRA_TRY(ReadOptions(context, ReadBatchMatMulOptions, &options));
  BatchMatMulData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  LUTRA_TRY(context.Input(kLhs).type == TensorType::kFloat32 ? PrepareFloat(context, data)
                                                             : PrepareInt8(context, data));
  return PrepareShapes(context, options, data);
}

Status EvalBatchMatmul(EvalContext& context) {
  const auto& data = context.Data<BatchMatMulData>();
  const MatMulShape& shape = data.shape;
  const intptr_t lhs_size = static_cast<intptr_t>(shape.m) * shape.k;
  const intptr_t rhs_size = static_cast<intptr_t>(shape.k) * shape.n;
  const intptr_t output_size = static_cast<intptr_t>(shape.m) * shape.n;
  if (data.run == nullptr) {
    ForEachPair(data, [&](intptr_t lhs, intptr_t rhs, intptr_t output) {
      data.run_float({.shape = shape,
                      .lhs = context.InputData<float>(kLhs) + lhs * lhs_size,
                      .rhs = context.InputData<float>(kRhs) + rhs * rhs_size,
                      .output = context.OutputData<float>(0) + output * output_size});
    });
    return Status::kOk;
  }
  ForEachPair(data, [&](intptr_t lhs, intptr_t rhs, intptr_t output) {
    data.run({.shape = shape,
              .lhs = context.InputData<int8_t>(kLhs) + lhs * lhs_size,
              .rhs = context.InputData<int8_t>(kRhs) + rhs * rhs_size,
              .output = context.OutputData<int8_t>(0) + output * output_size,
              .multiplier = data.multiplier,
              .lhs_offset = data.lhs_offset,
              .rhs_offset = data.rhs_offset,
              .output_offset = data.output_offset});
  });
  return Status::kOk;
}

#if LUTRA_HAVE_INT16
namespace {

struct Int16MatMulData {
  static constexpr BoardRecord kBoardRecord = {80, 80};

  BatchMatMulData matrices;
  MatMulInt16Fn run;
};

}  // namespace

Status PrepareBatchMatmulInt16(PrepareContext& context) {
  LUTRA_TRY(context.CheckOperandCounts(2, 2, 1));
  BatchMatMulOptions options;
  LUTRA_TRY(ReadOptions(context, ReadBatchMatMulOptions, &options));
  Int16MatMulData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  data->run = context.Choose(kMatMulInt16);
  BatchMatMulData& matrices = data->matrices;
  constexpr int kOperands[] = {kLhs, kRhs, kOutput};
  for (const int operand : kOperands) LUTRA_TRY(RequireSymmetricInt16(context, operand));
  LUTRA_TRY(PrepareShapes(context, options, &matrices));
  constexpr int kProductBits = 30;
  LUTRA_TRY(RequireWideProducts(context, kLhs, matrices.shape.k, kProductBits));
  LUTRA_TRY(RequireWideMultipliers(context, kLhs, kRhs));
  // Newer TFLite Micro multiplies the scales in double.
  const ScaleRatio ratio(context.Input(kLhs).scale, context.Output(0).scale);
  return RequireMultiplier(context, kOutput, ratio, context.Input(kRhs).scale, &matrices.multiplier);
}

Status EvalBatchMatmulInt16(EvalContext& context) {
  const auto& data = context.Data<Int16MatMulData>();
  const MatMulShape& shape = data.matrices.shape;
  ForEachPair(data.matrices, [&](intptr_t lhs, intptr_t rhs, intptr_t output) {
    data.run({.shape = shape,
              .lhs = context.InputData<int16_t>(kLhs) + lhs * shape.m * shape.k,
              .rhs = context.InputData<int16_t>(kRhs) + rhs * shape.k * shape.n,
              .output = context.OutputData<int16_t>(0) + output * shape.m * shape.n,
              .multiplier = data.matrices.multiplier});
  });
  return Status::kOk;
}
#endif

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// SignalRfft, SignalIrfft: FFTs of real numbers, int16, int32 or float32, along the last dimension. A
// transform of N real numbers is a transform of N / 2 complex ones and a step that separates even and odd
// samples (Rfft) or interleaves them (Irfft). In fixed point Rfft gives the transform divided by N, Irfft the
// usual inverse.

#include <math.h>

#include "runtime/fixed_point/rounding.h"
#include "runtime/ops/fft.h"
#include "runtime/ops/signal.h"

namespace lutra {
namespace {

constexpr int kOutput = OutputOperand(0);
constexpr double kPi = 3.14159265358979323846264338327;

struct FftData {
  static constexpr BoardRecord kBoardRecord = {48, 48};

  const void* twiddles;      // For the complex transform: Complex<T>[length].
  const void* real_factors;  // For the step for real numbers: Complex<T>[length / 2].
  FftFactors factors;
  int32_t rows;
  int32_t row_length;  // Real numbers of a row; Rfft's input may be shorter than its transform.
  TensorType type;
};

// Returns the root of unity at this angle.
template <typename T>
Complex<T> RootAt(double angle) {
  if constexpr (requires { FftNumber<T>::kOne; }) {
    constexpr double kOne = FftNumber<T>::kOne;
    return {static_cast<T>(Floor(0.5 + kOne * cos(angle))), static_cast<T>(Floor(0.5 + kOne * sin(angle)))};
  } else {
    return {static_cast<T>(cos(angle)), static_cast<T>(sin(angle))};
  }
}

template <typename T>
Status MakeTables(PrepareContext& context, bool inverse, FftData* data) {
  const int32_t length = data->factors.length;
  Complex<T>* twiddles = nullptr;
  Complex<T>* real_factors = nullptr;
  LUTRA_TRY(context.AllocateArray(length, RecordKind::kTables, &twiddles));
  LUTRA_TRY(context.AllocateArray(length / 2, RecordKind::kTables, &real_factors));
  for (int32_t i = 0; i < length; ++i) {
    const double angle = -2 * kPi * i / length;
    twiddles[i] = RootAt<T>(inverse ? -angle : angle);
  }
  for (int32_t i = 0; i < length / 2; ++i) {
    const double angle = -kPi * (static_cast<double>(i + 1) / length + 0.5);
    real_factors[i] = RootAt<T>(inverse ? -angle : angle);
  }
  data->twiddles = twiddles;
  data->real_factors = real_factors;
  return Status::kOk;
}

Status Prepare(PrepareContext& context, int real, int complex, bool inverse) {
  LUTRA_TRY(context.CheckOperandCounts(1, 1, 1));
  FftData* data = nullptr;
  LUTRA_TRY(context.AllocateData(&data));
  int32_t type = 0;
  int32_t fft_length = 0;
  const CustomOption options[] = {{"T", &type}, {"fft_length", &fft_length}};
  LUTRA_TRY(RequireCustomOptions(context, options));
  data->type = static_cast<TensorType>(type);
  if (type != static_cast<int32_t>(TensorType::kInt16) && type != static_cast<int32_t>(TensorType::kInt32) &&
      type != static_cast<int32_t>(TensorType::kFloat32)) {
    return context.Refuse(Rule::kOptionValue, kNoOperand, type, static_cast<int32_t>(TensorType::kInt16));
  }
  // The operand's last dimension has fft_length + 2 numbers, so that this and the sums below cannot overflow.
  LUTRA_TRY(RequireOption(context, fft_length, 4, INT32_MAX - 2));
  LUTRA_TRY(RequireRowsOf(context, complex, data->type, fft_length + 2));
  LUTRA_TRY(RequireType(context, real, data->type));
  const Shape complex_shape = OperandInfo(context, complex).shape;
  const Shape real_shape = OperandInfo(context, real).shape;
  LUTRA_TRY(RequireRank(context, real, complex_shape.rank, complex_shape.rank));
  data->row_length = real_shape.Depth();
  // Irfft's output has all numbers; Rfft's input may be shorter and is continued with zeros.
  if (data->row_length > fft_length || (inverse && data->row_length != fft_length)) {
    return context.Refuse(Rule::kOperandShape, real, data->row_length, fft_length);
  }
  data->rows = complex_shape.OuterCount();
  if (real_shape.OuterCount() != data->rows) {
    return context.Refuse(Rule::kOperandShape, real, real_shape.OuterCount(), data->rows);
  }
  if (fft_length % 2 != 0 || !FactorFft(fft_length / 2, &data->factors)) {
    return context.Refuse(Rule::kOptionValue, kNoOperand, fft_length);
  }
  switch (data->type) {
    case TensorType::kInt16:
      return MakeTables<int16_t>(context, inverse, data);
    case TensorType::kInt32:
      return MakeTables<int32_t>(context, inverse, data);
    default:
      return MakeTables<float>(context, inverse, data);
  }
}

template <typename T>
Complex<T> Conjugate(const Complex<T>& a) {
  return {a.re, FftNumber<T>::Subtract(T{0}, a.im)};
}

// Half of the sum and half of the difference of a transform's values at frequencies k and length - k, the
// latter conjugated.
template <typename T>
struct Halves {
  Halves(const Complex<T>& at_k, const Complex<T>& at_rest) {
    const Complex<T> a = Divide(at_k, 2);
    const Complex<T> b = Divide(Conjugate(at_rest), 2);
    sum = a + b;
    difference = a - b;
  }
  Complex<T> sum;
  Complex<T> difference;
};

template <typename T>
void Rfft(const FftData& data, const T* input, Complex<T>* x) {
  using N = FftNumber<T>;
  const int32_t length = data.factors.length;
  const auto* const real_factors = static_cast<const Complex<T>*>(data.real_factors);
  const auto sample = [&](int32_t i) { return i < data.row_length ? input[i] : T{0}; };
  for (int32_t i = 0; i < length; ++i) {
    x[FftPosition(data.factors, i)] = {sample(2 * i), sample(2 * i + 1)};
  }
  Fft(data.factors, static_cast<const Complex<T>*>(data.twiddles), false, x);
  const Complex<T> first = Divide(x[0], 2);
  x[0] = {N::Add(first.re, first.im), T{0}};
  x[length] = {N::Subtract(first.re, first.im), T{0}};
  for (int32_t k = 1; k <= length / 2; ++k) {
    const Halves<T> halves(x[k], x[length - k]);
    const Complex<T> f = halves.sum;
    const Complex<T> w = halves.difference * real_factors[k - 1];
    // If k is length - k, the second assignment counts.
    x[k] = {N::HalfOfSum(f.re, w.re), N::HalfOfSum(f.im, w.im)};
    x[length - k] = {N::HalfOfDifference(f.re, w.re), N::HalfOfDifference(w.im, f.im)};
  }
}

template <typename T>
void Irfft(const FftData& data, const Complex<T>* input, T* output) {
  using N = FftNumber<T>;
  const int32_t length = data.factors.length;
  const auto* const real_factors = static_cast<const Complex<T>*>(data.real_factors);
  // The complex transform is made in place, in the memory of the 2 * length real numbers.
  auto* const x = reinterpret_cast<Complex<T>*>(output);
  const auto place = [&](int32_t k) -> Complex<T>& { return x[FftPosition(data.factors, k)]; };
  const Complex<T> ends = {N::Add(input[0].re, input[length].re), N::Subtract(input[0].re, input[length].re)};
  place(0) = Divide(ends, 2);
  for (int32_t k = 1; k <= length / 2; ++k) {
    const Halves<T> halves(input[k], input[length - k]);
    const Complex<T> odd = halves.difference * real_factors[k - 1];
    place(k) = halves.sum + odd;
    place(length - k) = Conjugate(halves.sum - odd);
  }
  Fft(data.factors, static_cast<const Complex<T>*>(data.twiddles), true, x);
  if constexpr (!requires { N::kOne; }) {
    const auto real_length = static_cast<float>(2 * length);
    for (int32_t i = 0; i < 2 * length; ++i) output[i] /= real_length;
  }
}

template <typename T>
void RfftRows(EvalContext& context, const FftData& data) {
  for (int32_t row = 0; row < data.rows; ++row) {
    Rfft(data, context.InputData<T>(0) + row * data.row_length,
         context.OutputData<Complex<T>>(0) + row * (data.factors.length + 1));
  }
}

template <typename T>
void IrfftRows(EvalContext& context, const FftData& data) {
  for (int32_t row = 0; row < data.rows; ++row) {
    Irfft(data, context.InputData<Complex<T>>(0) + row * (data.factors.length + 1),
          context.OutputData<T>(0) + row * data.row_length);
  }
}

}  // namespace

Status PrepareSignalRfft(PrepareContext& context) { return Prepare(context, 0, kOutput, false); }
Status PrepareSignalIrfft(PrepareContext& context) { return Prepare(context, kOutput, 0, true); }

Status EvalSignalRfft(EvalContext& context) {
  const auto& data = context.Data<FftData>();
  switch (data.type) {
    case TensorType::kInt16:
      RfftRows<int16_t>(context, data);
      break;
    case TensorType::kInt32:
      RfftRows<int32_t>(context, data);
      break;
    default:
      RfftRows<float>(context, data);
      break;
  }
  return Status::kOk;
}

Status EvalSignalIrfft(EvalContext& context) {
  const auto& data = context.Data<FftData>();
  switch (data.type) {
    case TensorType::kInt16:
      IrfftRows<int16_t>(context, data);
      break;
    case TensorType::kInt32:
      IrfftRows<int32_t>(context, data);
      break;
    default:
      IrfftRows<float>(context, data);
      break;
  }
  return Status::kOk;
}

}  // namespace lutra

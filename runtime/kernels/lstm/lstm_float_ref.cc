// SPDX-License-Identifier: Apache-2.0
// float32, a unit of a step at a time.

#include <math.h>

#include "runtime/kernels/lstm/lstm_steps.h"

namespace lutra {
namespace {

float ProductSum(const float* weights, const float* values, int32_t count) {
  float sum = 0.0f;
  for (int32_t i = 0; i < count; ++i) sum += weights[i] * values[i];
  return sum;
}

float Gate(const LstmFloatArgs& args, int gate, const float* x, const float* h, int32_t unit) {
  const auto& tensors = args.tensors;
  const float of_input =
      ProductSum(tensors.input_weights[gate] + unit * args.shape.depth, x, args.shape.depth) +
      tensors.bias[gate][unit];
  return of_input +
         ProductSum(tensors.recurrent_weights[gate] + unit * args.shape.units, h, args.shape.units);
}

// Has the cut-offs of TFLite's kernel.
float Sigmoid(float x) {
  constexpr float kOneFrom = 16.619047164916992f;
  constexpr float kExpBelow = -9.0f;
  if (x > kOneFrom) return 1.0f;
  return x < kExpBelow ? expf(x) : 1.0f / (1.0f + expf(-x));
}

float Clipped(float c, float clip) {
  if (!(clip > 0.0f)) return c;
  return c > clip ? clip : c < -clip ? -clip : c;
}

}  // namespace

void LstmFloatRef(const LstmFloatArgs& args) {
  ForEachLstmStep(args.shape, args.tensors,
                  [&](const float* x, const float* h, float* c, float* step_output) {
                    for (int32_t unit = 0; unit < args.shape.units; ++unit, ++c) {
                      const float forget = Sigmoid(Gate(args, kLstmForgetGate, x, h, unit));
                      const float input = Sigmoid(Gate(args, kLstmInputGate, x, h, unit));
                      const float update = tanhf(Gate(args, kLstmCellGate, x, h, unit));
                      const float output = Sigmoid(Gate(args, kLstmOutputGate, x, h, unit));
                      *c = Clipped(forget * *c + input * update, args.cell_clip);
                      step_output[unit] = output * tanhf(*c);
                    }
                  });
}

}  // namespace lutra

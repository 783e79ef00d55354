// SPDX-License-Identifier: Apache-2.0
// For tests of compressed tensors: a model with one pair of TFLM_DECODE, changed in one way, and
// the rule that refuses it. Host only.
//
//   constexpr DecodeRow kRows[] = {
//       {"Version", Rule::kDecodeVersion, [](DecodeCase& c) { c.ancillary[1] = 2; }},
//   };
//   TEST(DecodePair, RefusalsNameTheirRule) { CheckRows(kRows); }

#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "lutra/compression/format.h"
#include "lutra/diagnosis_text.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"
#include "lutra/rule.h"
#include "runtime/testing/model_builder.h"

namespace lutra {

using ByteList = std::vector<uint8_t>;

// Returns the rule that refuses the model, at Load or at AllocateTensors; kNone: it runs.
inline Rule RuleOf(const ByteList& bytes, DecodeFn decode = Decode) {
  std::vector<uint64_t> aligned((bytes.size() + 7) / 8);
  std::memcpy(aligned.data(), bytes.data(), bytes.size());
  const Span<const uint8_t> file(reinterpret_cast<const uint8_t*>(aligned.data()), bytes.size());
  Model model;
  Diagnosis diagnosis;
  if (Model::Load(file, &model, &diagnosis) != Status::kOk) return diagnosis.rule;
  alignas(16) uint8_t arena[8192];
  MicroInterpreter interpreter(model, AllOps(), arena, {.decode = decode});
  if (interpreter.AllocateTensors() != Status::kOk) return interpreter.diagnosis().rule;
  EXPECT_EQ(interpreter.Invoke(), Status::kOk);
  return Rule::kNone;
}

// One pair, whose output RESHAPE copies. It is valid: indices of 2 bits into 4 values.
struct DecodeCase {
  ByteList encoded = {0x1B, 0xE4};
  ByteList ancillary = {0, 1, 0, 0, 1, 0xF2, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
  TensorSpec output = {.shape = {1, 2, 4}, .scale = 1};
  std::vector<int> inputs = {0, 1};
  std::vector<int> outputs = {2};

  ByteList Build() const {
    ModelBuilder builder;
    const auto constant = [&builder](const ByteList& data) {
      return builder.AddTensor(
          {.shape = {static_cast<int32_t>(data.size())}, .type = TensorType::kUInt8, .data = data});
    };
    constant(encoded);
    constant(ancillary);
    const int decoded = builder.AddTensor(output);
    TensorSpec copy = output;
    int32_t elements = 1;
    for (const int32_t dim : output.shape) elements *= dim;
    copy.shape = {elements};
    const int reshaped = builder.AddTensor(copy);
    builder.AddCustomOperator(kDecodeCustomCode, inputs, outputs);
    if (outputs == std::vector<int>{2}) builder.AddOperator(BuiltinOperator::kReshape, {decoded}, {reshaped});
    return builder.Finish({}, {outputs == std::vector<int>{2} ? reshaped : 0});
  }
};

struct DecodeRow {
  const char* name;
  Rule rule;
  void (*change)(DecodeCase&);
};

// Sets the header of another type, and the payload behind it.
inline void SetType(DecodeCase& c, DecodeType type, std::initializer_list<std::pair<int, uint8_t>> header,
                    const ByteList& payload) {
  c.ancillary.assign(kDecodeHeaderBytes, 0);
  c.ancillary[0] = static_cast<uint8_t>(type);
  c.ancillary[1] = 1;
  c.ancillary[4] = 1;
  for (const auto& [at, value] : header) c.ancillary[static_cast<size_t>(at)] = value;
  c.ancillary.insert(c.ancillary.end(), payload.begin(), payload.end());
}

inline void CheckRows(std::span<const DecodeRow> rows) {
  for (const DecodeRow& row : rows) {
    SCOPED_TRACE(row.name);
    DecodeCase test;
    row.change(test);
    const Rule rule = RuleOf(test.Build());
    EXPECT_EQ(rule, row.rule) << Describe(rule).name;
  }
}

}  // namespace lutra

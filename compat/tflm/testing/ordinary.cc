// SPDX-License-Identifier: Apache-2.0

#include "compat/tflm/testing/ordinary.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "compat/tflm/operator.h"
#include "lutra/diagnosis.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"
#include "lutra/node_info.h"
#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "runtime/testing/model_builder.h"

namespace lutra::compat {
namespace {

constexpr Op kInt8Ops[] = {
#define LUTRA_NAME(name, prepare, eval) k##name##Int8Only,
    LUTRA_INT8_OPERATORS(LUTRA_NAME)
#undef LUTRA_NAME
};

bool HasFunctionsOf(const Op& op, Span<const Op> ops) {
  return std::any_of(ops.begin(), ops.end(), [&](const Op& other) {
    return op.code == other.code && op.prepare == other.prepare && op.eval == other.eval &&
           op.compressible_inputs == other.compressible_inputs;
  });
}

// The interpreter is null if nothing can be run.
struct Session {
  Session(const Bytes& file, MemoryPolicy policy) : arena(8 << 20) {
    Diagnosis diagnosis;
    if (Model::Load({file.data(), file.size()}, &model, &diagnosis) != Status::kOk) return;
    interpreter.emplace(model, AllOps(), Span<uint8_t>(arena.data(), arena.size()),
                        InterpreterOptions{.policy = policy});
    if (interpreter->AllocateTensors() != Status::kOk) interpreter.reset();
  }
  std::vector<uint8_t> arena;
  Model model;
  std::optional<MicroInterpreter> interpreter;
};

}  // namespace

Known WhatIs(const tflite::MicroOpResolver& resolver, unsigned int i) {
  const Op& op = resolver.operators()[i].op;
  return {static_cast<int>(op.code), op.code == BuiltinOperator::kCustom ? op.custom_code : "",
          HasFunctionsOf(op, AllOps()), HasFunctionsOf(op, kInt8Ops)};
}

Bytes::Bytes(std::vector<uint8_t> bytes) : size_(bytes.size()), bytes_(std::move(bytes)) {
  bytes_.resize(size_ + 15);
  skip_ = (16 - reinterpret_cast<uintptr_t>(bytes_.data()) % 16) % 16;
  std::memmove(bytes_.data() + skip_, bytes_.data(), size_);
}

std::vector<uint8_t> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<uint8_t> CustomModel(const std::string& custom_code) {
  ModelBuilder builder;
  const int input = builder.AddTensor({.shape = {1, 4}, .scale = 1.0f});
  const int output = builder.AddTensor({.shape = {1, 4}, .scale = 1.0f});
  builder.AddCustomOperator(custom_code, {input}, {output});
  return builder.Finish({input}, {output});
}

std::vector<Known> OperatorsOf(const Bytes& file) {
  const Session session(file, MemoryPolicy::kSmall);
  std::vector<Known> operators;
  if (!session.interpreter) return operators;
  for (int g = 0; g < session.model.subgraph_count(); ++g) {
    for (int n = 0; n < session.model.node_count(g); ++n) {
      const NodeInfo node = session.model.node(g, n);
      const Known known = {static_cast<int>(node.code), node.custom_code == nullptr ? "" : node.custom_code};
      const bool seen = std::any_of(operators.begin(), operators.end(), [&](const Known& other) {
        return other.code == known.code && other.custom_code == known.custom_code;
      });
      if (!seen) operators.push_back(known);
    }
  }
  return operators;
}

std::vector<std::vector<uint8_t>> Run(const Bytes& file, int runs) {
  Session session(file, MemoryPolicy::kFast);
  std::vector<std::vector<uint8_t>> outputs;
  for (int run = 0; run < runs && session.interpreter; ++run) {
    for (int i = 0; i < session.interpreter->input_count(); ++i) {
      const Tensor input = session.interpreter->input(i);
      for (int at = 0; at < input.info.bytes; ++at) {
        static_cast<uint8_t*>(input.data)[at] = InputByte(static_cast<size_t>(i), static_cast<size_t>(at));
      }
    }
    if (session.interpreter->Invoke() != Status::kOk) return outputs;
    for (int i = 0; i < session.interpreter->output_count(); ++i) {
      const Tensor output = session.interpreter->output(i);
      const auto* const data = static_cast<const uint8_t*>(output.data);
      outputs.emplace_back(data, data + output.info.bytes);
    }
  }
  return outputs;
}

}  // namespace lutra::compat

// SPDX-License-Identifier: Apache-2.0
// Readers: compressor/model_editor.cc compressor/strip.cc compressor/trim.cc compressor/trim/trace.cc
// compressor/unpack.cc compressor/convert_uint8.cc conformance/oracle/model.cc conformance/linter/lint.cc
// Fuzz target: a .tflite file that the tools read. The linter and every transformation say what is wrong with
// it, or come to an end; what they write runs like the model itself, with the same outputs.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>

#include "compressor/convert_uint8.h"
#include "compressor/model_editor.h"
#include "compressor/pack.h"
#include "compressor/row_plan.h"
#include "compressor/strip.h"
#include "compressor/trim.h"
#include "compressor/unpack.h"
#include "conformance/linter/lint.h"
#include "conformance/oracle/evaluate.h"
#include "conformance/oracle/model.h"
#include "lutra/diagnosis_text.h"
#include "runtime/testing/try_to_run.h"

namespace {

using lutra::Status;
using lutra::Trial;
using lutra::compressor::Bytes;
namespace oracle = lutra::conformance::oracle;

// Small, so that no model takes long; what the tools make of it may take more.
constexpr size_t kArenaBytes = 32 * 1024, kMoreArenaBytes = 64 * 1024;
constexpr int kMostOperators = 20;

Trial Run(const Bytes& file, size_t arena_bytes) {
  return lutra::Try({file.data(), file.size()}, {.policy = lutra::MemoryPolicy::kSmall}, {}, arena_bytes);
}

[[noreturn]] void Wrong(const std::string& what) {
  std::fprintf(stderr, "tools_fuzz: %s\n", what.c_str());
  abort();
}

// Messages say what was found and what is required.
template <typename Work>
void EndOrSay(const Work& work) {
  try {
    work();
  } catch (const lutra::host::BadInput& refusal) {
    const std::string text = refusal.what();
    if (text.find("required") == std::string::npos)
      Wrong("found \"" + text + "\", required: what is required");
  }
}

void Lint(const Bytes& file) {
  try {
    lutra::conformance::linter::Lint(*oracle::ReadModel(file));
  } catch (const oracle::Unspecified&) {
  }
}

// A part of the model gets another value.
class Changes {
  uint32_t Below(size_t count) { return count == 0 ? 0 : static_cast<uint32_t>(random_() % count); }
  template <typename List>
  auto& OneOf(List& list) {
    return list[Below(list.size())];
  }

 public:
  explicit Changes(unsigned seed) : random_(seed) {}

  void Change(lutra::edit::ModelT* model) {
    if (model->subgraphs.empty()) return;
    lutra::edit::SubGraphT& graph = *OneOf(model->subgraphs);
    if (graph.tensors.empty() || graph.operators.empty()) return;
    lutra::edit::TensorT& tensor = *OneOf(graph.tensors);
    lutra::edit::OperatorT& op = *OneOf(graph.operators);
    switch (random_() % 9) {
      case 0:
        Set(&tensor.shape, Size());
        break;
      case 1:
        tensor.type = static_cast<int8_t>(random_() % 20);
        break;
      case 2:
        tensor.buffer = Below(model->buffers.size());
        break;
      case 3:
        Set(&op.inputs, static_cast<int32_t>(Below(graph.tensors.size() + 1)) - 1);
        break;
      case 4:
        Set(&op.outputs, static_cast<int32_t>(Below(graph.tensors.size())));
        break;
      case 5:
        op.opcode_index = Below(model->operator_codes.size());
        break;
      case 6:
        ChangeQuantization(tensor.quantization.get());
        break;
      case 7:
        OneOf(model->buffers)->data.resize(random_() % 64);
        break;
      case 8:
        Set(random_() % 2 == 0 ? &graph.inputs : &graph.outputs,
            static_cast<int32_t>(Below(graph.tensors.size())));
        break;
    }
  }

 private:
  int32_t Size() {
    constexpr int32_t kFar[] = {-1, 0, 1 << 16, 1 << 30, 0x7fffffff};
    return random_() % 8 == 0 ? kFar[random_() % 5] : static_cast<int32_t>(random_() % 12);
  }
  // Another value, another element, or one less.
  template <typename T>
  void Set(std::vector<T>* list, T value) {
    const uint32_t kind = random_() % 4;
    if (list->empty() || kind == 0) {
      list->push_back(value);
    } else if (kind == 1) {
      list->pop_back();
    } else {
      OneOf(*list) = value;
    }
  }
  void ChangeQuantization(lutra::edit::QuantizationParametersT* quantization) {
    if (quantization == nullptr) return;
    constexpr float kScales[] = {0.0F, -1.0F, 1e-30F, 1.0F, 1e30F, 0.5F};
    constexpr int64_t kZeroPoints[] = {-129, -128, 0, 127, 128, int64_t{1} << 40};
    switch (random_() % 3) {
      case 0:
        Set(&quantization->scale, kScales[random_() % 6]);
        break;
      case 1:
        Set(&quantization->zero_point, kZeroPoints[random_() % 6]);
        break;
      case 2:
        quantization->quantized_dimension = Size();
        break;
    }
  }

  std::mt19937 random_;
};

}  // namespace

// Most bytes of a file are offsets, so that half of the changes are made to the model's parts.
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  try {
    lutra::compressor::ModelEditor editor(lutra::compressor::LoadModel({data, data + size}, "model"));
    Changes(seed).Change(&editor.model());
    const Bytes changed = editor.Write();
    if (changed.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::copy(changed.begin(), changed.end(), data);
    return changed.size();
  } catch (const lutra::host::BadInput&) {
    return LLVMFuzzerMutate(data, size, most);
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace compressor = lutra::compressor;
  const Bytes bytes(data, data + size);
  // Each change of a file is another tool's.
  const int choice = std::accumulate(bytes.begin(), bytes.end(), 0) % 7;
  if (choice == 0) {
    Lint(bytes);
    return 0;
  }
  EndOrSay([&] {
    const lutra::host::ModelFile file = compressor::LoadModel(bytes, "model");
    const Trial plain = Run(bytes, kArenaBytes);
    const Bytes written = [&]() -> Bytes {
      switch (choice) {
        case 1:
          return compressor::Strip(file).file;
        case 2:
          return compressor::Trim(file).file;
        case 3:
          return compressor::Pack(file, {.target = compressor::Target::kLutra}).file;
        case 4:
          return compressor::Unpack(file).editor.Write();
        case 5:
          compressor::ConvertUint8(file, compressor::WeightScales::kChannel);
          return bytes;
        default:
          return plain.status == Status::kOk && file.model.node_count(0) <= kMostOperators
                     ? compressor::PlanRows(file, {.longest = 4, .tables = true}).file
                     : bytes;
      }
    }();
    if (plain.status != Status::kOk) return;
    const Trial trial = Run(written, kMoreArenaBytes);
    const std::string tool = "tool " + std::to_string(choice);
    if (trial.status != Status::kOk)
      Wrong(tool + ": found rule " + lutra::Describe(trial.rule).name + ", required: runs");
    if (trial.outputs != plain.outputs) Wrong(tool + ": found other outputs");
  });
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Changes models for the targets that read them. Most bytes of a file are offsets, so half of the changes are
// made to the model's parts.

#include <algorithm>
#include <random>

#include "compressor/model_editor.h"

namespace {

namespace edit = lutra::edit;

// Changes parts of a model.
class Changes {
  uint32_t Below(size_t count) { return count == 0 ? 0 : static_cast<uint32_t>(random_() % count); }
  template <typename List>
  auto& OneOf(List& list) {
    return list[Below(list.size())];
  }

 public:
  explicit Changes(unsigned seed) : random_(seed) {}

  void Change(edit::ModelT* model) {
    if (model->subgraphs.empty()) return;
    edit::SubGraphT& graph = *OneOf(model->subgraphs);
    if (graph.tensors.empty() || graph.operators.empty()) return;
    edit::TensorT& tensor = *OneOf(graph.tensors);
    edit::OperatorT& op = *OneOf(graph.operators);
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
  // Changes a value, adds an element, or removes one.
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
  void ChangeQuantization(edit::QuantizationParametersT* quantization) {
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

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  try {
    lutra::compressor::ModelEditor editor(lutra::compressor::LoadModel({data, data + size}, "model"));
    Changes(seed).Change(&editor.model());
    const lutra::compressor::Bytes changed = editor.Write();
    if (changed.size() > most) return LLVMFuzzerMutate(data, size, most);
    std::copy(changed.begin(), changed.end(), data);
    return changed.size();
  } catch (const lutra::host::BadInput&) {
    return LLVMFuzzerMutate(data, size, most);
  }
}

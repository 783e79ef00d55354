// SPDX-License-Identifier: Apache-2.0
// MicroContext: what the kernels of programs can ask for.
//
//   tflite::MicroContext* const micro = tflite::GetMicroContext(context);
//   TfLiteTensor* const input = micro->AllocateTempInputTensor(node, 0);

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/common.h"

// Streaming models return it until they have enough inputs.
const TfLiteStatus kTfLiteAbort = static_cast<TfLiteStatus>(15);

namespace tflite {

class MicroContext {
 public:
  // Memory outside the arena for tensors that are decompressed: MicroInterpreter::SetDecompressionMemory.
  struct AlternateMemoryRegion {
    void* address;
    size_t bytes;
  };

  // In init and prepare: memory that lives as long as the interpreter, zeroed and aligned to 16. Returns null
  // if the arena has no more.
  void* AllocatePersistentBuffer(size_t bytes);
  // In init and prepare: requests memory that GetScratchBuffer(*index) returns while the node runs.
  TfLiteStatus RequestScratchBufferInArena(size_t bytes, int* index);
  void* GetScratchBuffer(int index);

  // Descriptions of operands, by the tensor's number or the operand's. Return null for an operand that is
  // left out, and where 10 are in use. In prepare only constants have data. All end with the function.
  TfLiteTensor* AllocateTempTfLiteTensor(int tensor);
  TfLiteTensor* AllocateTempInputTensor(const TfLiteNode* node, int i);
  TfLiteTensor* AllocateTempOutputTensor(const TfLiteNode* node, int i);
  TfLiteTensor* AllocateTempIntermediateTensor(const TfLiteNode*, int) { return nullptr; }
  void DeallocateTempTfLiteTensor(TfLiteTensor* tensor);
  // Returns null for a tensor that is no operand of the node.
  TfLiteEvalTensor* GetEvalTensor(int tensor);

  // Returns what MicroInterpreter::SetMicroExternalContext was given; null if nothing was.
  void* external_context();

 protected:
  MicroContext() = default;  // Lutra derives the class that kernels see.
  MicroContext(const MicroContext&) = delete;
  MicroContext& operator=(const MicroContext&) = delete;
};

inline MicroContext* GetMicroContext(const TfLiteContext* context) {
  return static_cast<MicroContext*>(context->impl_);
}

}  // namespace tflite

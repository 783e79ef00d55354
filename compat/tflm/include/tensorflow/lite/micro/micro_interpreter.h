// SPDX-License-Identifier: Apache-2.0
// MicroInterpreter: runs one model in an arena.
//
//   static uint8_t arena[16 * 1024];
//   tflite::MicroInterpreter interpreter(tflite::GetModel(g_model), resolver, arena, sizeof(arena));
//   TF_LITE_ENSURE_STATUS(interpreter.AllocateTensors());
//   memcpy(interpreter.input(0)->data.int8, samples, interpreter.input(0)->bytes);
//   TF_LITE_ENSURE_STATUS(interpreter.Invoke());
//   Use(interpreter.output(0)->data.int8);
//
// Model, resolver, arena and profiler outlive the interpreter. MicroPrintf prints a line for every error.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/tensor_ctypes.h"
#include "tensorflow/lite/micro/micro_allocator.h"
#include "tensorflow/lite/micro/micro_context.h"
#include "tensorflow/lite/micro/micro_op_resolver.h"
#include "tensorflow/lite/micro/micro_profiler_interface.h"
#include "tensorflow/lite/micro/micro_resource_variable.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace lutra::compat {

struct Held;
struct Hooks;
class KernelContext;
// A program that names one of these links it: the calls of a profiler, and the decoders of compressed
// tensors.
extern const Hooks kHooks;
struct Decoder;
extern const Decoder kDecoder;
#ifdef USE_TFLM_COMPRESSION
inline const Decoder* DecoderOfPrograms() { return &kDecoder; }
#else
inline const Decoder* DecoderOfPrograms() { return nullptr; }
#endif

template <typename T>
inline constexpr TfLiteType kTypeOf = kTfLiteNoType;
template <>
inline constexpr TfLiteType kTypeOf<float> = kTfLiteFloat32;
template <>
inline constexpr TfLiteType kTypeOf<int32_t> = kTfLiteInt32;
template <>
inline constexpr TfLiteType kTypeOf<uint32_t> = kTfLiteUInt32;
template <>
inline constexpr TfLiteType kTypeOf<uint8_t> = kTfLiteUInt8;
template <>
inline constexpr TfLiteType kTypeOf<int64_t> = kTfLiteInt64;
template <>
inline constexpr TfLiteType kTypeOf<bool> = kTfLiteBool;
template <>
inline constexpr TfLiteType kTypeOf<int16_t> = kTfLiteInt16;
template <>
inline constexpr TfLiteType kTypeOf<int8_t> = kTfLiteInt8;

}  // namespace lutra::compat

namespace tflite {

class ErrorReporter;

// The indices of tensors in the model.
class TensorIndices {
 public:
  TensorIndices(const uint8_t* bytes, uint32_t size) : bytes_(bytes), size_(size) {}
  uint32_t size() const { return size_; }
  int32_t Get(uint32_t i) const;
  int32_t operator[](uint32_t i) const { return Get(i); }

 private:
  const uint8_t* bytes_;
  uint32_t size_;
};

class MicroInterpreter {
 public:
  // Lutra keeps each tensor until its last reader has run. preserve_all_tensors would keep them longer, and
  // is refused. Both constructors are always inlined, so that a program without a profiler links none of its
  // hooks, with any compiler.
  [[gnu::always_inline]] MicroInterpreter(const Model* model, const MicroOpResolver& resolver, uint8_t* arena,
                                          size_t bytes, MicroResourceVariables* = nullptr,
                                          MicroProfilerInterface* profiler = nullptr,
                                          bool preserve_all_tensors = false)
      : MicroInterpreter(model, resolver, MicroAllocator::Create(arena, bytes), nullptr, profiler) {
    shares_arena_ = false;
    preserve_all_tensors_ = preserve_all_tensors;
  }
  // Uses the part of the allocator's arena that earlier interpreters have left.
  [[gnu::always_inline]] MicroInterpreter(const Model* model, const MicroOpResolver& resolver,
                                          MicroAllocator* allocator, MicroResourceVariables* = nullptr,
                                          MicroProfilerInterface* profiler = nullptr)
      : allocator_(allocator), resolver_(&resolver) {
    if (profiler != nullptr) hooks_ = &lutra::compat::kHooks;
    profiler_ = profiler;
    decoder_ = lutra::compat::DecoderOfPrograms();
    Load(model);
  }
  // Older programs give an error reporter, which is not used: Lutra's lines are MicroPrintf's. As these are
  // templates, a plain nullptr is never taken for one.
  template <typename Reporter,
            typename = decltype(static_cast<ErrorReporter*>(static_cast<Reporter*>(nullptr)))>
  [[gnu::always_inline]] MicroInterpreter(const Model* model, const MicroOpResolver& resolver, uint8_t* arena,
                                          size_t bytes, Reporter*,
                                          MicroResourceVariables* variables = nullptr,
                                          MicroProfilerInterface* profiler = nullptr)
      : MicroInterpreter(model, resolver, arena, bytes, variables, profiler) {}
  template <typename Reporter,
            typename = decltype(static_cast<ErrorReporter*>(static_cast<Reporter*>(nullptr)))>
  [[gnu::always_inline]] MicroInterpreter(const Model* model, const MicroOpResolver& resolver,
                                          MicroAllocator* allocator, Reporter*,
                                          MicroResourceVariables* variables = nullptr,
                                          MicroProfilerInterface* profiler = nullptr)
      : MicroInterpreter(model, resolver, allocator, variables, profiler) {}
  MicroInterpreter(const MicroInterpreter&) = delete;
  MicroInterpreter& operator=(const MicroInterpreter&) = delete;

  // Says whether the constructor found an arena, and a model that can be read.
  TfLiteStatus initialization_status() const { return initialization_status_; }
  TfLiteStatus AllocateTensors();
  // Calls AllocateTensors if that was not done.
  TfLiteStatus Invoke();
  // Sets variables back to real 0.
  TfLiteStatus Reset();

  // Returns null before AllocateTensors, and, after a line of MicroPrintf, for an index that is too large. An
  // input's memory is reused for other tensors once the input has been read.
  TfLiteTensor* input(size_t i);
  TfLiteTensor* output(size_t i);
  TfLiteTensor* input_tensor(size_t i) { return input(i); }
  TfLiteTensor* output_tensor(size_t i) { return output(i); }
  // Returns null if the tensor has another type.
  template <typename T>
  T* typed_input_tensor(int i) {
    return Typed<T>(input(static_cast<size_t>(i)));
  }
  template <typename T>
  T* typed_output_tensor(int i) {
    return Typed<T>(output(static_cast<size_t>(i)));
  }
  size_t inputs_size() const { return inputs().size(); }
  size_t outputs_size() const { return outputs().size(); }
  TensorIndices inputs() const;
  TensorIndices outputs() const;

  // After AllocateTensors: an arena of this many bytes, aligned to 16, works, and no smaller one does.
  size_t arena_used_bytes() const { return allocator_ == nullptr ? 0 : allocator_->used_bytes(); }
  bool preserve_all_tensors() const { return preserve_all_tensors_; }

  // Call both before AllocateTensors. The alternate profiler is called around each decompression.
  TfLiteStatus SetAlternateProfiler(MicroProfilerInterface* profiler) {
    hooks_ = &lutra::compat::kHooks;
    alternate_profiler_ = profiler;
    return kTfLiteOk;
  }
  TfLiteStatus SetDecompressionMemory(const MicroContext::AlternateMemoryRegion* regions, size_t count);

  // The program's own kernels get the payload as MicroContext::external_context(). It can be set once, and is
  // not null.
  TfLiteStatus SetMicroExternalContext(void* payload);

  // Access to tensors inside the graph needs these: README.md says why they are missing.
  void* GetTensor(int tensor, int subgraph = 0) = delete;
  TfLiteStatus ResetVariableTensor(int tensor, int subgraph = 0) = delete;

 protected:
  const MicroAllocator& allocator() const { return *allocator_; }

 private:
  friend struct lutra::compat::Hooks;
  friend class lutra::compat::KernelContext;

  template <typename T>
  static T* Typed(TfLiteTensor* tensor) {
    if (tensor == nullptr || tensor->type != lutra::compat::kTypeOf<T>) return nullptr;
    return GetTensorData<T>(tensor);
  }
  void Load(const Model* model);
  lutra::compat::Held& held();
  const lutra::compat::Held& held() const;
  TfLiteStatus Prepare(size_t* used_bytes);
  bool MakeTensors();
  // `bytes`: all memory of the arena that this interpreter has.
  void CountRecords(size_t bytes);

  MicroAllocator* allocator_;
  const MicroOpResolver* resolver_;
  const lutra::compat::Hooks* hooks_ = nullptr;
  const lutra::compat::Decoder* decoder_ = nullptr;
  MicroProfilerInterface* profiler_ = nullptr;
  MicroProfilerInterface* alternate_profiler_ = nullptr;
  uint32_t event_ = 0;
  uint32_t decoding_event_ = 0;
  const MicroContext::AlternateMemoryRegion* regions_ = nullptr;
  size_t region_count_ = 0;
  TfLiteTensor** tensors_ = nullptr;  // Inputs, then outputs.
  TfLiteStatus initialization_status_ = kTfLiteError;
  bool shares_arena_ = true;
  bool preserve_all_tensors_ = false;
  bool allocated_ = false;
  void* external_context_ = nullptr;
  // Room for Lutra's model and interpreter. micro_interpreter.cc checks that it is enough.
  alignas(void*) unsigned char room_[sizeof(void*) * 83];
};

}  // namespace tflite

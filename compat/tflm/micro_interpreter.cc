// SPDX-License-Identifier: Apache-2.0
// Implements tflite::MicroInterpreter with Lutra's. Its arena has the allocator, the tensors of inputs and
// outputs, and Lutra's arena.

#include "tensorflow/lite/micro/micro_interpreter.h"

#include "compat/tflm/held.h"
#include "compat/tflm/report.h"
#include "compat/tflm/tensor_record.h"
#include "lutra/arena.h"
#include "lutra/compression/decode.h"
#include "lutra/diagnosis.h"
#include "lutra/model.h"
#include "tensorflow/lite/micro/micro_log.h"

namespace tflite {
namespace {

using lutra::PackedList;
using lutra::RecordKind;
using lutra::Status;
using lutra::TensorInfo;
using lutra::compat::BytesOf;
using lutra::compat::Fill;
using lutra::compat::Held;
using lutra::compat::HeldInterpreter;
using lutra::compat::Record;

static_assert(sizeof(lutra::AlternateMemoryRegion) == sizeof(MicroContext::AlternateMemoryRegion) &&
              offsetof(lutra::AlternateMemoryRegion, bytes) ==
                  offsetof(MicroContext::AlternateMemoryRegion, bytes));

lutra::MicroInterpreter& Of(Held& held) {
  return *reinterpret_cast<lutra::MicroInterpreter*>(held.interpreter);
}

}  // namespace

Held& MicroInterpreter::held() { return *reinterpret_cast<Held*>(room_); }
const Held& MicroInterpreter::held() const { return *reinterpret_cast<const Held*>(room_); }

void MicroInterpreter::Load(const Model* model) {
  static_assert(sizeof(Held) <= sizeof(room_) && alignof(Held) <= alignof(void*));
  Held* const held = new (room_) Held;
  if (model == nullptr) {
    MicroPrintf("MicroInterpreter: there is no model");
    return;
  }
  lutra::Diagnosis diagnosis;
  const Status status = lutra::Model::Load(lutra::compat::TrustedBytes(model), &held->model, &diagnosis);
  if (status != Status::kOk) {
    lutra::compat::Report("MicroInterpreter", status, diagnosis, nullptr);
    return;
  }
  if (allocator_ != nullptr) initialization_status_ = kTfLiteOk;
}

TensorIndices MicroInterpreter::inputs() const {
  if (held().model.subgraph_count() == 0) return {nullptr, 0};
  const PackedList<int32_t> list = held().model.inputs(0);
  return {list.bytes, static_cast<uint32_t>(list.count)};
}

TensorIndices MicroInterpreter::outputs() const {
  if (held().model.subgraph_count() == 0) return {nullptr, 0};
  const PackedList<int32_t> list = held().model.outputs(0);
  return {list.bytes, static_cast<uint32_t>(list.count)};
}

int32_t TensorIndices::Get(uint32_t i) const {
  return PackedList<int32_t>{bytes_, static_cast<int32_t>(size_)}[static_cast<int32_t>(i)];
}

// Makes the tensors of inputs and outputs, without their data's addresses.
bool MicroInterpreter::MakeTensors() {
  const TensorIndices lists[] = {inputs(), outputs()};
  const size_t count = lists[0].size() + lists[1].size();
  size_t bytes = count * sizeof(TfLiteTensor*);
  for (const TensorIndices& list : lists) {
    for (uint32_t i = 0; i < list.size(); ++i) bytes += BytesOf(held().model.tensor(0, list[i]).shape.rank);
  }
  void* const memory = allocator_->Take(bytes);
  if (memory == nullptr) {
    MicroPrintf("AllocateTensors: the arena has no %u bytes for the tensors of inputs and outputs",
                static_cast<unsigned>(bytes));
    return false;
  }
  tensors_ = static_cast<TfLiteTensor**>(memory);
  uint8_t* next = static_cast<uint8_t*>(memory) + count * sizeof(TfLiteTensor*);
  TfLiteTensor** tensor = tensors_;
  for (const TensorIndices& list : lists) {
    for (uint32_t i = 0; i < list.size(); ++i) {
      const TensorInfo info = held().model.tensor(0, list[i]);
      Record* const record = reinterpret_cast<Record*>(next);
      Fill(info, record);
      *tensor++ = &record->tensor;
      next += BytesOf(info.shape.rank);
    }
  }
  allocator_->Count(static_cast<int>(RecordedAllocationType::kPersistentTfLiteTensorData), bytes, count);
  return true;
}

// Prepares Lutra's interpreter in the remaining arena, or in *used_bytes of it if that is not 0.
TfLiteStatus MicroInterpreter::Prepare(size_t* used_bytes) {
  lutra::InterpreterOptions options;
  options.policy = lutra::MemoryPolicy::kSmall;
  if (options.decode == nullptr) options.decode = lutra::DecodeInt4;  // TensorFlow Lite Micro always has it.
  if (decoder_ != nullptr) options.decode = decoder_->decode;
  size_t bytes = allocator_->bytes_ - allocator_->taken_;
  if (*used_bytes != 0) bytes = *used_bytes;
  const lutra::Span<const lutra::Op> ops(reinterpret_cast<const lutra::Op*>(resolver_->operators()),
                                         resolver_->GetRegistrationLength());
  auto* const interpreter = new (held().interpreter)
      HeldInterpreter(held().model, ops, {allocator_->base_ + allocator_->taken_, bytes}, options);
  Status status = Status::kOk;
  if (region_count_ != 0) {
    status = interpreter->SetDecompressionMemory(
        {reinterpret_cast<const lutra::AlternateMemoryRegion*>(regions_), region_count_});
  }
  if (hooks_ != nullptr) {
    hooks_->connect(*this, &held().profiler);
    interpreter->set_profiler(&held().profiler);
  }
  if (status == Status::kOk) status = interpreter->AllocateTensors();
  if (status != Status::kOk) {
    lutra::compat::Report("AllocateTensors", status, interpreter->diagnosis(), &held().model);
    return kTfLiteError;
  }
  *used_bytes = interpreter->memory().used_bytes;
  return kTfLiteOk;
}

TfLiteStatus MicroInterpreter::AllocateTensors() {
  if (allocated_) return kTfLiteOk;
  if (initialization_status_ != kTfLiteOk) {
    MicroPrintf("AllocateTensors: the interpreter has no arena or no model");
    return kTfLiteError;
  }
  if (preserve_all_tensors_) {
    MicroPrintf("AllocateTensors: preserve_all_tensors is not there; leave it false");
    return kTfLiteError;
  }
  const size_t taken = allocator_->taken_;
  size_t used_bytes = 0;
  // Persistent memory is at the end of Lutra's arena: if other interpreters follow, the arena ends as early
  // as possible.
  if (!MakeTensors() || Prepare(&used_bytes) != kTfLiteOk ||
      (shares_arena_ && Prepare(&used_bytes) != kTfLiteOk)) {
    allocator_->taken_ = taken;
    tensors_ = nullptr;
    return kTfLiteError;
  }
  allocator_->taken_ += used_bytes;
  const lutra::MicroInterpreter& interpreter = Of(held());
  TfLiteTensor** tensor = tensors_;
  for (int i = 0; i < interpreter.input_count(); ++i) (*tensor++)->data.data = interpreter.input(i).data;
  for (int i = 0; i < interpreter.output_count(); ++i) (*tensor++)->data.data = interpreter.output(i).data;
  CountRecords(allocator_->taken_ - taken);
  allocated_ = true;
  return kTfLiteOk;
}

void MicroInterpreter::CountRecords(size_t bytes) {
  using Type = RecordedAllocationType;
  struct Row {
    RecordKind kind;
    int type;
  };
  static constexpr Row kRows[] = {
      {RecordKind::kTensors, static_cast<int>(Type::kTfLiteEvalTensorData)},
      {RecordKind::kNodes, static_cast<int>(Type::kNodeAndRegistrationArray)},
      {RecordKind::kOperatorData, static_cast<int>(Type::kOpData)},
      {RecordKind::kMultipliers, static_cast<int>(Type::kPersistentBufferData)},
      {RecordKind::kTables, static_cast<int>(Type::kPersistentBufferData)},
      {RecordKind::kPrepared, static_cast<int>(Type::kPersistentBufferData)},
      {RecordKind::kConstants, static_cast<int>(Type::kPersistentBufferData)},
      {RecordKind::kVariables, static_cast<int>(Type::kTfLiteTensorVariableBufferData)},
      {RecordKind::kCompression, MicroAllocator::kCompression},
      {RecordKind::kDecoded, MicroAllocator::kCompression}};
  const lutra::MicroInterpreter& interpreter = Of(held());
  for (const Row& row : kRows) {
    const lutra::RecordUse use = interpreter.record(row.kind);
    allocator_->Count(row.type, use.bytes, static_cast<size_t>(use.count));
  }
  const size_t head_bytes = interpreter.memory().head_bytes;
  allocator_->CountOther(head_bytes);
  allocator_->CountPersistent(bytes - head_bytes);
}

TfLiteStatus MicroInterpreter::Invoke() {
  TF_LITE_ENSURE_STATUS(AllocateTensors());
  const Status status = Of(held()).Invoke();
  if (status == Status::kOk) return kTfLiteOk;
  if (status == Status::kNoOutputYet) return kTfLiteAbort;
  lutra::compat::Report("Invoke", status, Of(held()).diagnosis(), &held().model);
  return kTfLiteError;
}

TfLiteStatus MicroInterpreter::Reset() {
  if (!allocated_) {
    MicroPrintf("Reset: AllocateTensors comes first");
    return kTfLiteError;
  }
  Of(held()).ResetVariables();
  return kTfLiteOk;
}

TfLiteTensor* MicroInterpreter::input(size_t i) {
  if (i < inputs_size()) return tensors_ == nullptr ? nullptr : tensors_[i];
  MicroPrintf("input %u of %u", static_cast<unsigned>(i), static_cast<unsigned>(inputs_size()));
  return nullptr;
}

TfLiteTensor* MicroInterpreter::output(size_t i) {
  if (i < outputs_size()) return tensors_ == nullptr ? nullptr : tensors_[inputs_size() + i];
  MicroPrintf("output %u of %u", static_cast<unsigned>(i), static_cast<unsigned>(outputs_size()));
  return nullptr;
}

TfLiteStatus MicroInterpreter::SetDecompressionMemory(const MicroContext::AlternateMemoryRegion* regions,
                                                      size_t count) {
  if (allocated_ || region_count_ != 0 || regions == nullptr) {
    MicroPrintf("SetDecompressionMemory: once, and before AllocateTensors");
    return kTfLiteError;
  }
  regions_ = regions;
  region_count_ = count;
  return kTfLiteOk;
}

}  // namespace tflite

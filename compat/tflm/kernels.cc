// SPDX-License-Identifier: Apache-2.0
// Runs the kernels that programs have written for TensorFlow Lite Micro, as operators of Lutra. Only programs
// that call AddCustom link this file.

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compat/tflm/operator.h"
#include "compat/tflm/tensor_record.h"
#include "lutra/arena.h"
#include "lutra/graph.h"
#include "lutra/micro_context.h"
#include "lutra/node_info.h"
#include "lutra/profiler.h"
#include "lutra/rule.h"
#include "lutra/status.h"
#include "tensorflow/lite/micro/micro_context.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"

namespace lutra::compat {
namespace {

// An Op has no room for the functions, so that they are found by its name.
struct Kernel {
  const char* name;
  void* (*init)(TfLiteContext* context, const char* options, size_t bytes);
  TfLiteStatus (*prepare)(TfLiteContext* context, TfLiteNode* node);
  TfLiteStatus (*invoke)(TfLiteContext* context, TfLiteNode* node);
};

constexpr int kMostKernels = 32;
Kernel g_kernels[kMostKernels];
int g_kernel_count = 0;

Kernel* FindKernel(const char* name) {
  for (Kernel& kernel : g_kernels) {
    if (&kernel == g_kernels + g_kernel_count) break;
    if (strcmp(kernel.name, name) == 0) return &kernel;
  }
  return nullptr;
}

// A node keeps this from prepare to its runs. `tensors`: the inputs, then the outputs.
struct NodeRecord {
  TfLiteNode node;
  const Kernel* kernel;
  TfLiteEvalTensor* tensors;
};

Status Allocate(PrepareContext& prepare, size_t bytes, RecordKind kind, void** memory) {
  return const_cast<Graph&>(prepare.graph()).AllocatePersistent(bytes, kArenaAlignment, kind, memory);
}

// Takes the next `count` numbers for a list.
TfLiteIntArray* TakeList(int32_t** next, int32_t count) {
  auto* const list = reinterpret_cast<TfLiteIntArray*>(*next);
  **next = count;
  *next += 1 + count;
  return list;
}

}  // namespace

// A kernel sees this object while one of its functions runs. Either prepare or eval is null.
class KernelContext : public tflite::MicroContext {
 public:
  KernelContext(NodeRecord* record, PrepareContext* prepare, EvalContext* eval);

  TfLiteContext* context() { return &context_; }
  // The first failure of a function that the kernel has called.
  Status status() const { return status_; }

  void* Allocate(size_t bytes);
  TfLiteStatus RequestScratch(size_t bytes, int* index);
  void* Scratch(int index) const { return eval_ == nullptr ? nullptr : eval_->ScratchData<void>(index); }
  TfLiteTensor* AllocateTemporary(int tensor);
  void FreeTemporary(const TfLiteTensor* tensor);
  TfLiteEvalTensor* EvalTensor(int tensor) const;
  void* External() const;

 private:
  const lutra::MicroContext& node() const {
    if (prepare_ != nullptr) return *prepare_;
    return *eval_;
  }
  // Returns the place of a tensor among the node's operands; -1 if it is none of them.
  int Find(int tensor) const;
  void FillQuantization(const TensorInfo& info, Record* temporary);

  static constexpr int kTemporaries = 10;
  NodeRecord* record_;
  PrepareContext* prepare_;
  EvalContext* eval_;
  Status status_ = Status::kOk;
  TfLiteContext context_ = {};
  uint32_t used_ = 0;  // Bit i: temporaries_[i] is in use.
  Record temporaries_[kTemporaries];
};

namespace {

KernelContext& Of(tflite::MicroContext* context) { return *static_cast<KernelContext*>(context); }
tflite::MicroContext* MicroOf(const TfLiteContext* context) { return tflite::GetMicroContext(context); }

void ReportError(TfLiteContext*, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  VMicroPrintf(format, arguments);
  va_end(arguments);
}

}  // namespace

KernelContext::KernelContext(NodeRecord* record, PrepareContext* prepare, EvalContext* eval)
    : record_(record), prepare_(prepare), eval_(eval) {
  context_.tensors_size = static_cast<size_t>(node().graph().model->tensor_count(0));
  context_.impl_ = static_cast<tflite::MicroContext*>(this);
  context_.GetTensor = [](const TfLiteContext* context, int tensor) {
    return MicroOf(context)->AllocateTempTfLiteTensor(tensor);
  };
  context_.GetEvalTensor = [](const TfLiteContext* context, int tensor) {
    return MicroOf(context)->GetEvalTensor(tensor);
  };
  context_.AllocatePersistentBuffer = [](TfLiteContext* context, size_t bytes) {
    return MicroOf(context)->AllocatePersistentBuffer(bytes);
  };
  context_.RequestScratchBufferInArena = [](TfLiteContext* context, size_t bytes, int* index) {
    return MicroOf(context)->RequestScratchBufferInArena(bytes, index);
  };
  context_.GetScratchBuffer = [](TfLiteContext* context, int index) {
    return MicroOf(context)->GetScratchBuffer(index);
  };
  context_.GetExternalContext = [](TfLiteContext* context, TfLiteExternalContextType) {
    return static_cast<TfLiteExternalContext*>(MicroOf(context)->external_context());
  };
  context_.ReportError = ReportError;
  context_.recommended_num_threads = 1;
}

void* KernelContext::Allocate(size_t bytes) {
  void* memory = nullptr;
  if (prepare_ == nullptr) {
    MicroPrintf("AllocatePersistentBuffer: only init and prepare can call it");
    return nullptr;
  }
  const Status status = compat::Allocate(*prepare_, bytes, RecordKind::kPrepared, &memory);
  if (status_ == Status::kOk) status_ = status;
  return memory;
}

TfLiteStatus KernelContext::RequestScratch(size_t bytes, int* index) {
  if (prepare_ == nullptr || bytes > INT32_MAX) {
    MicroPrintf("RequestScratchBufferInArena: only init and prepare can call it, for less than 2 GB");
    return kTfLiteError;
  }
  const Status status = prepare_->RequestScratch(static_cast<int32_t>(bytes), index);
  if (status_ == Status::kOk) status_ = status;
  return status == Status::kOk ? kTfLiteOk : kTfLiteError;
}

int KernelContext::Find(int tensor) const {
  const TfLiteNode& node = record_->node;
  for (int i = 0; i < node.inputs->size; ++i) {
    if (node.inputs->data[i] == tensor) return i;
  }
  for (int i = 0; i < node.outputs->size; ++i) {
    if (node.outputs->data[i] == tensor) return node.inputs->size + i;
  }
  return -1;
}

// In prepare, each channel's scale is copied, as kernels read them there; Fill has the first.
void KernelContext::FillQuantization(const TensorInfo& info, Record* temporary) {
  const int32_t count = info.scales.count;
  if (prepare_ == nullptr || count < 2) return;
  const size_t bytes = static_cast<size_t>(1 + count) * sizeof(int32_t);
  void* const memory = Allocate(2 * bytes);
  if (memory == nullptr) return;
  auto* const scales = static_cast<TfLiteFloatArray*>(memory);
  auto* const zero_points = reinterpret_cast<TfLiteIntArray*>(static_cast<uint8_t*>(memory) + bytes);
  scales->size = count;
  zero_points->size = count;
  for (int32_t i = 0; i < count; ++i) {
    scales->data[i] = info.scales[i];
    zero_points->data[i] = i < info.zero_points.count ? static_cast<int>(info.zero_points[i]) : 0;
  }
  temporary->affine.scale = scales;
  temporary->affine.zero_point = zero_points;
}

TfLiteTensor* KernelContext::AllocateTemporary(int tensor) {
  const int operand = tensor < 0 ? -1 : Find(tensor);
  if (operand < 0) return nullptr;
  for (int i = 0; i < kTemporaries; ++i) {
    if ((used_ >> i & 1) != 0) continue;
    used_ |= uint32_t{1} << i;
    const int inputs = record_->node.inputs->size;
    const TensorInfo info = operand < inputs ? node().Input(operand) : node().Output(operand - inputs);
    Record* const temporary = &temporaries_[i];
    *temporary = {};
    Fill(info, temporary);
    FillQuantization(info, temporary);
    temporary->tensor.data = record_->tensors[operand].data;
    return &temporary->tensor;
  }
  MicroPrintf("AllocateTempTfLiteTensor: %d are in use; deallocate those that are done", kTemporaries);
  return nullptr;
}

void KernelContext::FreeTemporary(const TfLiteTensor* tensor) {
  for (int i = 0; i < kTemporaries; ++i) {
    if (tensor == &temporaries_[i].tensor) used_ &= ~(uint32_t{1} << i);
  }
}

TfLiteEvalTensor* KernelContext::EvalTensor(int tensor) const {
  const int operand = tensor < 0 ? -1 : Find(tensor);
  return operand < 0 ? nullptr : &record_->tensors[operand];
}

// SetMicroExternalContext connects the profiler's hooks, which name the interpreter.
void* KernelContext::External() const {
  const Profiler* const profiler = node().graph().profiler;
  if (profiler == nullptr) return nullptr;
  return static_cast<const tflite::MicroInterpreter*>(profiler->user)->external_context_;
}

namespace {

// Makes the record of a node, with its lists and shapes.
Status MakeRecord(PrepareContext& prepare, const Kernel* kernel, NodeRecord** made) {
  const NodeInfo info = prepare.node_info();
  const int inputs = prepare.input_count();
  const int operands = inputs + prepare.output_count();
  size_t numbers = 3 + static_cast<size_t>(operands);
  for (int i = 0; i < operands; ++i) {
    if (i >= inputs || prepare.HasInput(i)) {
      numbers += 1 + static_cast<size_t>(i < inputs ? prepare.InputShape(i).rank
                                                    : prepare.OutputShape(i - inputs).rank);
    }
  }
  void** data = nullptr;
  LUTRA_TRY(prepare.AllocateData(&data));
  void* memory = nullptr;
  const size_t tensor_bytes = static_cast<size_t>(operands) * sizeof(TfLiteEvalTensor);
  LUTRA_TRY(Allocate(prepare, sizeof(NodeRecord) + tensor_bytes + numbers * sizeof(int32_t),
                     RecordKind::kOperatorData, &memory));
  *data = memory;
  auto* const record = static_cast<NodeRecord*>(memory);
  record->kernel = kernel;
  record->tensors = reinterpret_cast<TfLiteEvalTensor*>(record + 1);
  auto* next = reinterpret_cast<int32_t*>(record->tensors + operands);
  record->node.inputs = TakeList(&next, inputs);
  record->node.outputs = TakeList(&next, operands - inputs);
  record->node.intermediates = TakeList(&next, 0);
  for (int i = 0; i < operands; ++i) {
    const bool is_input = i < inputs;
    if (is_input) record->node.inputs->data[i] = prepare.HasInput(i) ? info.inputs[i] : kTfLiteOptionalTensor;
    if (!is_input) record->node.outputs->data[i - inputs] = info.outputs[i - inputs];
    if (is_input && !prepare.HasInput(i)) continue;
    const TensorInfo tensor = is_input ? prepare.Input(i) : prepare.Output(i - inputs);
    TfLiteEvalTensor& eval = record->tensors[i];
    eval.type = TypeOf(tensor.type);
    eval.dims = TakeList(&next, tensor.shape.rank);
    for (int axis = 0; axis < tensor.shape.rank; ++axis) eval.dims->data[axis] = tensor.shape[axis];
    if (is_input) eval.data.data = const_cast<uint8_t*>(prepare.ConstantInput<uint8_t>(i));
  }
  *made = record;
  return Status::kOk;
}

// A diagnosis has no text, so that a line names the kernel.
Status Fail(const lutra::MicroContext& context, const char* function, TfLiteStatus status) {
  MicroPrintf("%s: %s of the program's kernel returned %d", context.op().custom_code, function,
              static_cast<int>(status));
  return context.Refuse(Rule::kDelegateFailed, kNoOperand, static_cast<int32_t>(status));
}

Status PrepareKernel(PrepareContext& prepare) {
  const Kernel* const kernel = FindKernel(prepare.op().custom_code);
  NodeRecord* record = nullptr;
  LUTRA_TRY(MakeRecord(prepare, kernel, &record));
  const Span<const uint8_t> options = CustomOptionBytes(prepare.node_info());
  TfLiteNode& node = record->node;
  node.custom_initial_data = options.data();
  node.custom_initial_data_size = static_cast<int>(options.size());
  KernelContext context(record, &prepare, nullptr);
  if (kernel->init != nullptr) {
    node.user_data = kernel->init(context.context(), reinterpret_cast<const char*>(options.data()),
                                  static_cast<size_t>(options.size()));
  }
  if (context.status() != Status::kOk) return context.status();
  const TfLiteStatus status =
      kernel->prepare == nullptr ? kTfLiteOk : kernel->prepare(context.context(), &node);
  if (context.status() != Status::kOk) return context.status();
  return status == kTfLiteOk ? Status::kOk : Fail(prepare, "prepare", status);
}

Status EvalKernel(EvalContext& eval) {
  auto* const record = static_cast<NodeRecord*>(eval.Data<void*>());
  const int inputs = eval.input_count();
  for (int i = 0; i < inputs; ++i) record->tensors[i].data.data = eval.VariableData<void>(i);
  for (int i = 0; i < eval.output_count(); ++i) {
    record->tensors[inputs + i].data.data = eval.OutputData<void>(i);
  }
  KernelContext context(record, nullptr, &eval);
  const TfLiteStatus status = record->kernel->invoke(context.context(), &record->node);
  if (status == kTfLiteOk) return Status::kOk;
  if (status == kTfLiteAbort) return Status::kNoOutputYet;
  return Fail(eval, "invoke", status);
}

const Operator* Add(const Kernel& kernel) {
  if (kernel.name == nullptr || kernel.invoke == nullptr) {
    MicroPrintf("AddCustom: a kernel has a name and an invoke function");
    return nullptr;
  }
  const Kernel* const known = FindKernel(kernel.name);
  if (known != nullptr &&
      (known->init != kernel.init || known->prepare != kernel.prepare || known->invoke != kernel.invoke)) {
    MicroPrintf("AddCustom: %s: the program has another kernel of this name", kernel.name);
    return nullptr;
  }
  if (known == nullptr) {
    if (g_kernel_count == kMostKernels) {
      MicroPrintf("AddCustom: %s: a program can have %d kernels", kernel.name, kMostKernels);
      return nullptr;
    }
    g_kernels[g_kernel_count++] = kernel;
  }
  // The resolver copies it.
  static Operator added;
  added = {Op(BuiltinOperator::kCustom, PrepareKernel, EvalKernel, kNoInputs, kernel.name)};
  return &added;
}

}  // namespace

const Operator* AddKernel(const char* name, const TFLMRegistration* registration) {
  if (registration == nullptr) return Add({});
  if (registration->lutra_operator != nullptr) return registration->lutra_operator;
  return Add({name, registration->init, registration->prepare, registration->invoke});
}

const Operator* AddKernel(const char* name, const TfLiteRegistration* registration) {
  if (registration == nullptr) return Add({});
  return Add({name, registration->init, registration->prepare, registration->invoke});
}

}  // namespace lutra::compat

namespace tflite {

using lutra::compat::Of;

void* MicroContext::AllocatePersistentBuffer(size_t bytes) { return Of(this).Allocate(bytes); }
TfLiteStatus MicroContext::RequestScratchBufferInArena(size_t bytes, int* index) {
  return Of(this).RequestScratch(bytes, index);
}
void* MicroContext::GetScratchBuffer(int index) { return Of(this).Scratch(index); }
TfLiteTensor* MicroContext::AllocateTempTfLiteTensor(int tensor) {
  return Of(this).AllocateTemporary(tensor);
}
TfLiteTensor* MicroContext::AllocateTempInputTensor(const TfLiteNode* node, int i) {
  return i < 0 || i >= node->inputs->size ? nullptr : AllocateTempTfLiteTensor(node->inputs->data[i]);
}
TfLiteTensor* MicroContext::AllocateTempOutputTensor(const TfLiteNode* node, int i) {
  return i < 0 || i >= node->outputs->size ? nullptr : AllocateTempTfLiteTensor(node->outputs->data[i]);
}
void MicroContext::DeallocateTempTfLiteTensor(TfLiteTensor* tensor) { Of(this).FreeTemporary(tensor); }
TfLiteEvalTensor* MicroContext::GetEvalTensor(int tensor) { return Of(this).EvalTensor(tensor); }
void* MicroContext::external_context() { return Of(this).External(); }

}  // namespace tflite

// SPDX-License-Identifier: Apache-2.0
// lutra/c.h over MicroInterpreter.

#include "lutra/c.h"

#include "lutra/diagnosis.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"
#include "lutra/op.h"
#include "lutra/options.h"
#include "lutra/row_groups.h"

namespace lutra {
namespace {

// The model is in the memory that the caller provides.
struct HeldModel : Model {
  static void* operator new(size_t, void* room) { return room; }
};
struct HeldInterpreter : MicroInterpreter {
  using MicroInterpreter::MicroInterpreter;
  static void* operator new(size_t, void* room) { return room; }
};

static_assert(sizeof(Model) <= sizeof(LutraModel) && alignof(Model) <= alignof(LutraModel));
static_assert(sizeof(MicroInterpreter) <= sizeof(LutraInterpreter) &&
              alignof(MicroInterpreter) <= alignof(LutraInterpreter));
static_assert(sizeof(Op) == sizeof(LutraOp) && sizeof(BuiltinOperator) == sizeof(int32_t) &&
              offsetof(Op, code) == offsetof(LutraOp, code) &&
              offsetof(Op, prepare) == offsetof(LutraOp, prepare) &&
              offsetof(Op, eval) == offsetof(LutraOp, eval) &&
              offsetof(Op, compressible_inputs) == offsetof(LutraOp, compressible_inputs) &&
              offsetof(Op, custom_code) == offsetof(LutraOp, custom_code));
static_assert(LUTRA_INVALID_MODEL == static_cast<int>(Status::kInvalidModel) &&
              LUTRA_UNSUPPORTED == static_cast<int>(Status::kUnsupported) &&
              LUTRA_ARENA_TOO_SMALL == static_cast<int>(Status::kArenaTooSmall) &&
              LUTRA_INVALID_ARGUMENT == static_cast<int>(Status::kInvalidArgument) &&
              LUTRA_INVALID_INPUT == static_cast<int>(Status::kInvalidInput) &&
              LUTRA_NO_OUTPUT_YET == static_cast<int>(Status::kNoOutputYet));
static_assert(LUTRA_FLOAT32 == static_cast<int>(TensorType::kFloat32) &&
              LUTRA_INT32 == static_cast<int>(TensorType::kInt32) &&
              LUTRA_UINT8 == static_cast<int>(TensorType::kUInt8) &&
              LUTRA_INT64 == static_cast<int>(TensorType::kInt64) &&
              LUTRA_BOOL == static_cast<int>(TensorType::kBool) &&
              LUTRA_INT16 == static_cast<int>(TensorType::kInt16) &&
              LUTRA_INT8 == static_cast<int>(TensorType::kInt8) && LUTRA_MAX_RANK == kMaxRank);

MicroInterpreter& Of(LutraInterpreter* interpreter) {
  return *reinterpret_cast<MicroInterpreter*>(interpreter);
}
const MicroInterpreter& Of(const LutraInterpreter* interpreter) {
  return *reinterpret_cast<const MicroInterpreter*>(interpreter);
}

LutraStatus Tell(Status status) { return static_cast<LutraStatus>(status); }

void Tell(const Diagnosis& from, LutraDiagnosis* to) {
  to->rule = static_cast<int32_t>(from.rule);
  to->subgraph = from.subgraph;
  to->node = from.node;
  to->tensor = from.tensor;
  to->found = from.found;
  to->required = from.required;
  to->wanted_bytes = from.wanted_bytes;
}

void Tell(const Tensor& from, LutraTensor* to) {
  to->data = from.data;
  to->bytes = static_cast<size_t>(from.info.bytes);
  to->type = static_cast<int32_t>(from.info.type);
  to->rank = from.info.shape.rank;
  for (int i = 0; i < kMaxRank; ++i) to->shape[i] = from.info.shape.dims[i];
  to->scale = from.info.scale;
  to->zero_point = from.info.zero_point;
}

InterpreterOptions Read(const LutraOptions* from) {
  InterpreterOptions options;
  options.policy =
      from != nullptr && from->memory == LUTRA_MEMORY_FAST ? MemoryPolicy::kFast : MemoryPolicy::kSmall;
  const LutraDecoder* const decoder = from != nullptr ? from->decoder : nullptr;
  options.decode = decoder != nullptr ? *reinterpret_cast<const DecodeFn*>(decoder) : nullptr;
  options.row_groups = from != nullptr ? reinterpret_cast<const RowGroups*>(from->row_groups) : nullptr;
  return options;
}

constexpr DecodeFn kDecoder = Decode;

}  // namespace
}  // namespace lutra

using lutra::Of;
using lutra::Tell;

extern const LutraDecoder* const lutra_decoder = reinterpret_cast<const LutraDecoder*>(&lutra::kDecoder);
extern const LutraRowGroups* const lutra_row_groups =
    reinterpret_cast<const LutraRowGroups*>(&lutra::kRowGroups);

int32_t lutra_abi_version(void) { return LUTRA_ABI_VERSION; }

LutraStatus lutra_model_load(LutraModel* model, const void* bytes, size_t size, LutraDiagnosis* diagnosis) {
  if (model == nullptr || bytes == nullptr) return LUTRA_INVALID_ARGUMENT;
  auto* const held = new (model) lutra::HeldModel;
  lutra::Diagnosis found;
  const lutra::Status status = lutra::Model::Load({static_cast<const uint8_t*>(bytes), size}, held, &found);
  if (diagnosis != nullptr) Tell(found, diagnosis);
  return Tell(status);
}

LutraStatus lutra_interpreter_init(LutraInterpreter* interpreter, const LutraModel* model, const LutraOp* ops,
                                   size_t op_count, void* arena, size_t arena_bytes,
                                   const LutraOptions* options) {
  if (interpreter == nullptr || model == nullptr || (ops == nullptr && op_count > 0) ||
      (arena == nullptr && arena_bytes > 0)) {
    return LUTRA_INVALID_ARGUMENT;
  }
  if (reinterpret_cast<const lutra::Model*>(model)->subgraph_count() == 0) return LUTRA_INVALID_ARGUMENT;
  new (interpreter) lutra::HeldInterpreter(
      *reinterpret_cast<const lutra::Model*>(model),
      lutra::Span<const lutra::Op>(reinterpret_cast<const lutra::Op*>(ops), op_count),
      lutra::Span<uint8_t>(static_cast<uint8_t*>(arena), arena_bytes), lutra::Read(options));
  return LUTRA_OK;
}

LutraStatus lutra_allocate_tensors(LutraInterpreter* interpreter) {
  if (interpreter == nullptr) return LUTRA_INVALID_ARGUMENT;
  return Tell(Of(interpreter).AllocateTensors());
}

LutraStatus lutra_invoke(LutraInterpreter* interpreter) {
  if (interpreter == nullptr) return LUTRA_INVALID_ARGUMENT;
  return Tell(Of(interpreter).Invoke());
}

void lutra_reset_variables(LutraInterpreter* interpreter) {
  if (interpreter != nullptr) Of(interpreter).ResetVariables();
}

int32_t lutra_input_count(const LutraInterpreter* interpreter) {
  return interpreter == nullptr ? 0 : Of(interpreter).input_count();
}

int32_t lutra_output_count(const LutraInterpreter* interpreter) {
  return interpreter == nullptr ? 0 : Of(interpreter).output_count();
}

LutraStatus lutra_input(const LutraInterpreter* interpreter, int32_t index, LutraTensor* tensor) {
  if (tensor == nullptr || index < 0 || index >= lutra_input_count(interpreter))
    return LUTRA_INVALID_ARGUMENT;
  Tell(Of(interpreter).input(index), tensor);
  return LUTRA_OK;
}

LutraStatus lutra_output(const LutraInterpreter* interpreter, int32_t index, LutraTensor* tensor) {
  if (tensor == nullptr || index < 0 || index >= lutra_output_count(interpreter))
    return LUTRA_INVALID_ARGUMENT;
  Tell(Of(interpreter).output(index), tensor);
  return LUTRA_OK;
}

LutraStatus lutra_diagnosis(const LutraInterpreter* interpreter, LutraDiagnosis* diagnosis) {
  if (interpreter == nullptr || diagnosis == nullptr) return LUTRA_INVALID_ARGUMENT;
  Tell(Of(interpreter).diagnosis(), diagnosis);
  return LUTRA_OK;
}

size_t lutra_arena_used_bytes(const LutraInterpreter* interpreter) {
  return interpreter == nullptr ? 0 : Of(interpreter).memory().used_bytes;
}

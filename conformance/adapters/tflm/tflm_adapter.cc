// SPDX-License-Identifier: Apache-2.0
// tflm_adapter: TensorFlow Lite Micro, through its C++ API. Built only where CMake's LUTRA_TFLM_DIR names
// a built tree of it. That runtime ends the process at some models: the runner's verdict is then "crash".

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "conformance/adapters/protocol.h"
#include "tensorflow/compiler/mlir/lite/schema/schema_utils.h"
#include "tensorflow/lite/micro/debug_log.h"
#include "tensorflow/lite/micro/micro_allocator.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/micro/micro_resource_variable.h"
#include "tensorflow/lite/schema/schema_generated.h"

namespace lutra::conformance {
namespace {

constexpr size_t kArenaBytes = size_t{8} << 20;
constexpr int kMaxVariables = 64;
alignas(16) uint8_t arena[kArenaBytes];

using Resolver = tflite::MicroMutableOpResolver<100>;

// The text that the runtime has written since the case began.
std::string said;

// Returns whether a builtin operator reads uint8 first: the scheme before int8, of which this runtime has no
// arithmetic. The model may be any that the runtime refuses.
bool ReadsUint8(const tflite::Model& model) {
  if (model.subgraphs() == nullptr || model.subgraphs()->size() == 0) return false;
  const tflite::SubGraph& graph = *model.subgraphs()->Get(0);
  if (graph.operators() == nullptr || graph.tensors() == nullptr) return false;
  for (const tflite::Operator* op : *graph.operators()) {
    // Operands of DECODE are packed bytes.
    const auto* const codes = model.operator_codes();
    const bool is_custom =
        codes == nullptr || op->opcode_index() >= codes->size() ||
        tflite::GetBuiltinCode(codes->Get(op->opcode_index())) == tflite::BuiltinOperator_CUSTOM;
    if (is_custom || op->inputs() == nullptr || op->inputs()->size() == 0) continue;
    const auto first = static_cast<uint32_t>(op->inputs()->Get(0));  // -1, an absent one, is out of range.
    if (first < graph.tensors()->size() && graph.tensors()->Get(first)->type() == tflite::TensorType_UINT8)
      return true;
  }
  return false;
}

// Returns the answer for a model at which `step` of the runtime failed. The runtime writes "not supported"
// for operators and types that it lacks, except in some kernels of uint8.
CaseAnswer Refusal(const tflite::Model& model, const std::string& step) {
  const bool is_lack = said.find("upported") != std::string::npos || ReadsUint8(model);
  return {is_lack ? CaseAnswer::kUnsupported : CaseAnswer::kRefused, step + ": " + said};
}

// All operators of the int8 specification.
void AddOperators(Resolver* r) {
  r->AddAbs(), r->AddAdd(), r->AddArgMax(), r->AddArgMin(), r->AddAssignVariable(), r->AddAveragePool2D();
  r->AddBatchMatMul(), r->AddBatchToSpaceNd(), r->AddBroadcastTo(), r->AddCallOnce(), r->AddCast();
  r->AddConcatenation(), r->AddConv2D(), r->AddDecode(), r->AddDepthToSpace(), r->AddDepthwiseConv2D();
  r->AddDequantize(), r->AddDiv(), r->AddElu(), r->AddEqual(), r->AddExpandDims(), r->AddFullyConnected();
  r->AddGather(), r->AddGatherNd(), r->AddGreater(), r->AddGreaterEqual(), r->AddHardSwish();
  r->AddL2Normalization(), r->AddLeakyRelu(), r->AddLess(), r->AddLessEqual(), r->AddLogSoftmax();
  r->AddLogistic(), r->AddMaxPool2D(), r->AddMaximum(), r->AddMean(), r->AddMinimum(), r->AddMirrorPad();
  r->AddMul(), r->AddNotEqual(), r->AddPack(), r->AddPad(), r->AddPadV2(), r->AddPrelu(), r->AddQuantize();
  r->AddReadVariable(), r->AddReduceMax(), r->AddReduceMin(), r->AddRelu(), r->AddRelu6(), r->AddReshape();
  r->AddResizeBilinear(), r->AddResizeNearestNeighbor(), r->AddReverseV2(), r->AddSelectV2(), r->AddShape();
  r->AddSlice(), r->AddSoftmax(), r->AddSpaceToBatchNd(), r->AddSpaceToDepth(), r->AddSplit();
  r->AddSplitV(), r->AddSquaredDifference(), r->AddSqueeze(), r->AddStridedSlice(), r->AddSub(), r->AddSum();
  r->AddSvdf(), r->AddTanh(), r->AddTranspose(), r->AddTransposeConv(), r->AddUnpack(), r->AddVarHandle();
}

// The name of an operator that the resolver lacks; empty if there is none.
std::string MissingOperator(const tflite::Model& model, const Resolver& resolver) {
  if (model.operator_codes() == nullptr) return "";
  for (const tflite::OperatorCode* code : *model.operator_codes()) {
    const tflite::BuiltinOperator builtin = tflite::GetBuiltinCode(code);
    if (builtin == tflite::BuiltinOperator_CUSTOM) {
      const char* name = code->custom_code() == nullptr ? "" : code->custom_code()->c_str();
      if (resolver.FindOp(name) == nullptr) return std::string("custom ") + name;
    } else if (resolver.FindOp(builtin) == nullptr) {
      return tflite::EnumNameBuiltinOperator(builtin);
    }
  }
  return "";
}

CaseAnswer RunCase(const Resolver& resolver, const std::filesystem::path& folder) {
  const std::vector<char> file = ReadCaseFile(folder / "model.tflite");
  struct alignas(16) Block {
    uint8_t bytes[16];
  };
  std::vector<Block> bytes(file.size() / sizeof(Block) + 1);
  std::memcpy(bytes.data(), file.data(), file.size());
  // That runtime does not verify models; without this a damaged file would crash it.
  flatbuffers::Verifier verifier(bytes[0].bytes, file.size());
  if (!tflite::VerifyModelBuffer(verifier)) return {CaseAnswer::kRefused, "no FlatBuffer of a model"};
  const tflite::Model* model = tflite::GetModel(bytes.data());
  if (const std::string missing = MissingOperator(*model, resolver); !missing.empty()) {
    return {CaseAnswer::kUnsupported, missing};
  }

  said.clear();
  // A kernel that reads memory which it never wrote must read the same bytes at each run.
  std::memset(arena, 0xA5, sizeof arena);
  tflite::MicroAllocator* allocator = tflite::MicroAllocator::Create(arena, sizeof arena);
  auto* variables = tflite::MicroResourceVariables::Create(allocator, kMaxVariables);
  tflite::MicroInterpreter interpreter(model, resolver, allocator, variables);
  if (interpreter.AllocateTensors() != kTfLiteOk) return Refusal(*model, "AllocateTensors");
  const std::vector<std::vector<char>> inputs = ReadCaseInputs(folder);
  if (inputs.size() != interpreter.inputs_size()) {
    return {CaseAnswer::kError, "the case has another number of inputs than the model"};
  }
  for (int left = ReadCaseInvokes(folder); left > 0; --left) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].size() != interpreter.input(i)->bytes) {
        return {CaseAnswer::kError, "an input of the case has another size than the model's"};
      }
      std::memcpy(interpreter.input(i)->data.raw, inputs[i].data(), inputs[i].size());
    }
    if (interpreter.Invoke() != kTfLiteOk) return Refusal(*model, "Invoke");
  }
  for (size_t i = 0; i < interpreter.outputs_size(); ++i) {
    const TfLiteTensor* output = interpreter.output(i);
    WriteCaseOutput(folder, static_cast<int>(i), output->data.raw, output->bytes);
  }
  return {};
}

}  // namespace
}  // namespace lutra::conformance

// These replace the library's own; DebugLog also keeps the text.
extern "C" void DebugLog(const char* format, va_list args) {
  char text[256] = "";
  std::vsnprintf(text, sizeof text, format, args);
  std::fputs(text, stderr);
  lutra::conformance::said += text;
}
extern "C" int DebugVsnprintf(char* buffer, size_t bytes, const char* format, va_list args) {
  return std::vsnprintf(buffer, bytes, format, args);
}

int main() {
  lutra::conformance::Resolver resolver;
  lutra::conformance::AddOperators(&resolver);
  return lutra::conformance::ServeCases(
      "tflm_adapter", LUTRA_TFLM_VERSION,
      [&](const std::filesystem::path& folder) { return lutra::conformance::RunCase(resolver, folder); });
}

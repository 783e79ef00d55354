// SPDX-License-Identifier: Apache-2.0
// An application in C++17 that includes only include/: it uses every name once, with TensorFlow Lite Micro's
// meaning.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "compat/tflm/testing/ordinary.h"
#include "tensorflow/compiler/mlir/lite/core/c/tflite_types.h"
#include "tensorflow/lite/c/c_api_types.h"
#include "tensorflow/lite/c/common.h"
#include "tensorflow/lite/core/c/c_api_types.h"
#include "tensorflow/lite/core/c/common.h"
#include "tensorflow/lite/kernels/internal/compatibility.h"
#include "tensorflow/lite/kernels/internal/tensor_ctypes.h"
#include "tensorflow/lite/kernels/kernel_util.h"
#include "tensorflow/lite/micro/all_ops_resolver.h"
#include "tensorflow/lite/micro/debug_log.h"
#if __has_include("flatbuffers/flexbuffers.h")
#include "tensorflow/lite/micro/flatbuffer_utils.h"
#endif
#include "tensorflow/lite/micro/kernels/conv.h"
#include "tensorflow/lite/micro/kernels/fully_connected.h"
#include "tensorflow/lite/micro/kernels/kernel_util.h"
#include "tensorflow/lite/micro/kernels/micro_ops.h"
#include "tensorflow/lite/micro/kernels/softmax.h"
#include "tensorflow/lite/micro/kernels/svdf.h"
#include "tensorflow/lite/micro/memory_helpers.h"
#include "tensorflow/lite/micro/micro_common.h"
#include "tensorflow/lite/micro/micro_context.h"
#include "tensorflow/lite/micro/micro_error_reporter.h"
#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_log.h"
#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"
#include "tensorflow/lite/micro/micro_profiler.h"
#include "tensorflow/lite/micro/micro_resource_variable.h"
#include "tensorflow/lite/micro/micro_time.h"
#include "tensorflow/lite/micro/micro_utils.h"
#include "tensorflow/lite/micro/recording_micro_interpreter.h"
#include "tensorflow/lite/micro/system_setup.h"
#include "tensorflow/lite/micro/tflite_bridge/micro_error_reporter.h"
#include "tensorflow/lite/portable_type_to_tflitetype.h"
#include "tensorflow/lite/schema/schema_generated.h"
#include "tensorflow/lite/schema/schema_utils.h"
#include "tensorflow/lite/version.h"

static_assert(__cplusplus == 201703L, "an application of TensorFlow Lite Micro's is C++17");

namespace {

// TakeLog returns the text that was printed since its last call.
std::string g_log;
std::string TakeLog() {
  std::string log;
  log.swap(g_log);
  return log;
}

uint32_t g_ticks = 0;

}  // namespace

extern "C" void DebugLog(const char* format, va_list arguments) {
  char line[1024];
  const int length = vsnprintf(line, sizeof(line), format, arguments);
  g_log.append(line, static_cast<size_t>(std::min<int>(length, sizeof(line) - 1)));
}
extern "C" int DebugVsnprintf(char* buffer, size_t bytes, const char* format, va_list arguments) {
  return vsnprintf(buffer, bytes, format, arguments);
}

namespace tflite {

uint32_t ticks_per_second() { return 1000; }
uint32_t GetCurrentTimeTicks() { return g_ticks++; }

}  // namespace tflite

namespace {

using lutra::compat::Bytes;
using lutra::compat::InputByte;
using lutra::compat::Known;
using lutra::compat::OperatorsOf;
using lutra::compat::ReadFile;
using lutra::compat::WhatIs;
using tflite::GetModel;
using tflite::MicroInterpreter;
using tflite::MicroMutableOpResolver;

constexpr unsigned int kAddCount = 117;
using Resolver = MicroMutableOpResolver<kAddCount + 1>;

// ---- Operators. The numbers are the schema's.

struct AddRow {
  const char* method;
  int code;
  const char* custom_code;
  TfLiteStatus (*add_to_one)(MicroMutableOpResolver<1>&);
  TfLiteStatus (*add_to_two)(MicroMutableOpResolver<2>&);
  TfLiteStatus (*add)(Resolver&);
};

#define ADD(method, code, custom_code)                                               \
  AddRow {                                                                           \
#method, code, custom_code, [](auto& resolver) { return resolver.Add##method(); }, \
        [](auto& resolver) { return resolver.Add##method(); },                     \
        [](auto& resolver) { return resolver.Add##method(); } \
  }

const AddRow kRows[] = {
    ADD(Abs, 101, nullptr),
    ADD(Add, 0, nullptr),
    ADD(AddN, 106, nullptr),
    ADD(ArgMax, 56, nullptr),
    ADD(ArgMin, 79, nullptr),
    ADD(AssignVariable, 144, nullptr),
    ADD(AveragePool2D, 1, nullptr),
    ADD(BatchMatMul, 126, nullptr),
    ADD(BatchToSpaceNd, 37, nullptr),
    ADD(BroadcastArgs, 145, nullptr),
    ADD(BroadcastTo, 130, nullptr),
    ADD(CallOnce, 129, nullptr),
    ADD(Cast, 53, nullptr),
    ADD(Ceil, 104, nullptr),
    ADD(Concatenation, 2, nullptr),
    ADD(Conv2D, 3, nullptr),
    ADD(Cos, 108, nullptr),
    ADD(CumSum, 128, nullptr),
    ADD(DepthToSpace, 5, nullptr),
    ADD(DepthwiseConv2D, 4, nullptr),
    ADD(Dequantize, 6, nullptr),
    ADD(Div, 42, nullptr),
    ADD(DynamicUpdateSlice, 151, nullptr),
    ADD(EmbeddingLookup, 7, nullptr),
    ADD(Elu, 111, nullptr),
    ADD(Equal, 71, nullptr),
    ADD(Exp, 47, nullptr),
    ADD(ExpandDims, 70, nullptr),
    ADD(Fill, 94, nullptr),
    ADD(Floor, 8, nullptr),
    ADD(FloorDiv, 90, nullptr),
    ADD(FloorMod, 95, nullptr),
    ADD(FullyConnected, 9, nullptr),
    ADD(Gather, 36, nullptr),
    ADD(GatherNd, 107, nullptr),
    ADD(Greater, 61, nullptr),
    ADD(GreaterEqual, 62, nullptr),
    ADD(HardSwish, 117, nullptr),
    ADD(If, 118, nullptr),
    ADD(L2Normalization, 11, nullptr),
    ADD(L2Pool2D, 12, nullptr),
    ADD(LeakyRelu, 98, nullptr),
    ADD(Less, 58, nullptr),
    ADD(LessEqual, 63, nullptr),
    ADD(Log, 73, nullptr),
    ADD(LogicalAnd, 86, nullptr),
    ADD(LogicalNot, 87, nullptr),
    ADD(LogicalOr, 84, nullptr),
    ADD(Logistic, 14, nullptr),
    ADD(LogSoftmax, 50, nullptr),
    ADD(Maximum, 55, nullptr),
    ADD(MaxPool2D, 17, nullptr),
    ADD(MirrorPad, 100, nullptr),
    ADD(Mean, 40, nullptr),
    ADD(Minimum, 57, nullptr),
    ADD(Mul, 18, nullptr),
    ADD(Neg, 59, nullptr),
    ADD(NotEqual, 72, nullptr),
    ADD(Pack, 83, nullptr),
    ADD(Pad, 34, nullptr),
    ADD(PadV2, 60, nullptr),
    ADD(Prelu, 54, nullptr),
    ADD(Quantize, 114, nullptr),
    ADD(ReadVariable, 143, nullptr),
    ADD(ReduceAll, 140, nullptr),
    ADD(ReduceMax, 82, nullptr),
    ADD(ReduceMin, 89, nullptr),
    ADD(Relu, 19, nullptr),
    ADD(Relu6, 21, nullptr),
    ADD(Reshape, 22, nullptr),
    ADD(ResizeBilinear, 23, nullptr),
    ADD(ResizeNearestNeighbor, 97, nullptr),
    ADD(ReverseV2, 105, nullptr),
    ADD(Round, 116, nullptr),
    ADD(Rsqrt, 76, nullptr),
    ADD(SelectV2, 123, nullptr),
    ADD(Shape, 77, nullptr),
    ADD(Sin, 66, nullptr),
    ADD(Slice, 65, nullptr),
    ADD(Softmax, 25, nullptr),
    ADD(SpaceToBatchNd, 38, nullptr),
    ADD(SpaceToDepth, 26, nullptr),
    ADD(Split, 49, nullptr),
    ADD(SplitV, 102, nullptr),
    ADD(Squeeze, 43, nullptr),
    ADD(Sqrt, 75, nullptr),
    ADD(Square, 92, nullptr),
    ADD(SquaredDifference, 99, nullptr),
    ADD(StridedSlice, 45, nullptr),
    ADD(Sub, 41, nullptr),
    ADD(Sum, 74, nullptr),
    ADD(Svdf, 27, nullptr),
    ADD(Tanh, 28, nullptr),
    ADD(TransposeConv, 67, nullptr),
    ADD(Transpose, 39, nullptr),
    ADD(Unpack, 88, nullptr),
    ADD(UnidirectionalSequenceLSTM, 44, nullptr),
    ADD(VarHandle, 142, nullptr),
    ADD(While, 119, nullptr),
    ADD(ZerosLike, 93, nullptr),
    ADD(CircularBuffer, 32, "CIRCULAR_BUFFER"),
    ADD(Decode, 32, "TFLM_DECODE"),
    ADD(Delay, 32, "SignalDelay"),
    ADD(DetectionPostprocess, 32, "TFLite_Detection_PostProcess"),
    ADD(Energy, 32, "SignalEnergy"),
    ADD(FftAutoScale, 32, "SignalFftAutoScale"),
    ADD(FilterBank, 32, "SignalFilterBank"),
    ADD(FilterBankLog, 32, "SignalFilterBankLog"),
    ADD(FilterBankSquareRoot, 32, "SignalFilterBankSquareRoot"),
    ADD(FilterBankSpectralSubtraction, 32, "SignalFilterBankSpectralSubtraction"),
    ADD(Framer, 32, "SignalFramer"),
    ADD(Irfft, 32, "SignalIrfft"),
    ADD(OverlapAdd, 32, "SignalOverlapAdd"),
    ADD(PCAN, 32, "SignalPCAN"),
    ADD(Rfft, 32, "SignalRfft"),
    ADD(Stacker, 32, "SignalStacker"),
    ADD(Window, 32, "SignalWindow"),
};

TEST(TflmOperators, EachAddAddsItsOwn) {
  ASSERT_EQ(std::size(kRows), kAddCount);
  Resolver resolver;
  unsigned int count = 0;
  for (const AddRow& row : kRows) {
    SCOPED_TRACE(row.method);
    EXPECT_EQ(row.add(resolver), kTfLiteOk);
    ASSERT_EQ(resolver.GetRegistrationLength(), ++count);
    const Known known = WhatIs(resolver, count - 1);
    EXPECT_EQ(known.code, row.code);
    EXPECT_EQ(known.custom_code, row.custom_code == nullptr ? "" : row.custom_code);
    EXPECT_TRUE(known.is_lutras);
  }
  EXPECT_EQ(TakeLog(), "");
}

TEST(TflmOperators, NoneIsAddedTwice) {
  for (const AddRow& row : kRows) {
    SCOPED_TRACE(row.method);
    MicroMutableOpResolver<2> resolver;
    EXPECT_EQ(row.add_to_two(resolver), kTfLiteOk);
    EXPECT_EQ(row.add_to_two(resolver), kTfLiteError);
    EXPECT_EQ(resolver.GetRegistrationLength(), 1u);
    EXPECT_NE(TakeLog().find("operator " + std::to_string(row.code)), std::string::npos);
  }
}

TEST(TflmOperators, NoneIsAddedWhereAllPlacesAreTaken) {
  for (const AddRow& row : kRows) {
    SCOPED_TRACE(row.method);
    MicroMutableOpResolver<1> resolver;
    ASSERT_EQ(row.code == 0 ? resolver.AddAbs() : resolver.AddAdd(), kTfLiteOk);
    EXPECT_EQ(row.add_to_one(resolver), kTfLiteError);
    EXPECT_EQ(resolver.GetRegistrationLength(), 1u);
    EXPECT_NE(WhatIs(resolver, 0).code, row.code);
    EXPECT_NE(TakeLog().find("all 1 places"), std::string::npos);
  }
}

TEST(TflmOperators, EthosUIsNoOperator) {
  MicroMutableOpResolver<1> resolver;
  EXPECT_EQ(resolver.AddEthosU(), kTfLiteOk);
  EXPECT_EQ(resolver.GetRegistrationLength(), 0u);
}

TEST(TflmOperators, RegistrationsOfInt8LinkInt8Alone) {
  MicroMutableOpResolver<8> resolver;
  EXPECT_EQ(resolver.AddConv2D(tflite::Register_CONV_2D_INT8()), kTfLiteOk);
  EXPECT_EQ(resolver.AddDepthwiseConv2D(tflite::Register_DEPTHWISE_CONV_2D_INT8()), kTfLiteOk);
  EXPECT_EQ(resolver.AddAveragePool2D(tflite::Register_AVERAGE_POOL_2D_INT8()), kTfLiteOk);
  EXPECT_EQ(resolver.AddSoftmax(tflite::Register_SOFTMAX_INT8()), kTfLiteOk);
  EXPECT_EQ(resolver.AddFullyConnected(tflite::Register_FULLY_CONNECTED_INT8()), kTfLiteOk);
  EXPECT_EQ(resolver.AddSvdf(tflite::Register_SVDF_INT8()), kTfLiteOk);
  for (unsigned int i = 0; i < resolver.GetRegistrationLength(); ++i)
    EXPECT_TRUE(WhatIs(resolver, i).is_int8_only);

  MicroMutableOpResolver<2> other;
  EXPECT_EQ(other.AddConv2D(tflite::Register_CONV_2D_INT8REF()), kTfLiteOk);
  EXPECT_TRUE(WhatIs(other, 0).is_int8_only);
  EXPECT_EQ(other.AddSoftmax(tflite::Register_SOFTMAX_INT8_INT16()), kTfLiteOk);
  EXPECT_TRUE(WhatIs(other, 1).is_lutras);
  MicroMutableOpResolver<4> wide;
  EXPECT_EQ(wide.AddConv2D(tflite::Register_CONV_2D_INT4()), kTfLiteOk);
  EXPECT_EQ(wide.AddDepthwiseConv2D(tflite::Register_DEPTHWISE_CONV_2D_INT4()), kTfLiteOk);
  EXPECT_EQ(wide.AddFullyConnected(tflite::Register_FULLY_CONNECTED_INT4()), kTfLiteOk);
  EXPECT_EQ(wide.AddMul(tflite::Register_MUL_INT16()), kTfLiteOk);
  for (unsigned int i = 0; i < 4; ++i) EXPECT_TRUE(WhatIs(wide, i).is_lutras);
}

TEST(TflmOperators, ARegistrationIsTheMethods) {
  MicroMutableOpResolver<2> resolver;
  EXPECT_EQ(resolver.AddConv2D(tflite::Register_SOFTMAX()), kTfLiteError);
  EXPECT_EQ(resolver.AddConv2D(TFLMRegistration{}), kTfLiteError);
  EXPECT_EQ(resolver.AddWindow(tflite::Register_RFFT()), kTfLiteError);
  EXPECT_EQ(resolver.GetRegistrationLength(), 0u);
  EXPECT_NE(TakeLog().find("registration"), std::string::npos);
  const TFLMRegistration softmax = tflite::Register_SOFTMAX_INT8();
  EXPECT_EQ(resolver.AddConv2D(softmax), kTfLiteError);
  EXPECT_EQ(resolver.AddSoftmax(softmax), kTfLiteOk);
  EXPECT_TRUE(WhatIs(resolver, 0).is_int8_only);
  EXPECT_EQ(resolver.AddCustom("SignalRfft", tflite::Register_RFFT()), kTfLiteOk);
  EXPECT_TRUE(WhatIs(resolver, 1).is_lutras);
  TakeLog();
}

TEST(TflmOperators, AResolverCanBeCopied) {
  MicroMutableOpResolver<2> first;
  ASSERT_EQ(first.AddRelu(), kTfLiteOk);
  MicroMutableOpResolver<2> copy = first;
  ASSERT_EQ(first.AddAbs(), kTfLiteOk);
  EXPECT_EQ(copy.AddRelu(), kTfLiteError);
  EXPECT_EQ(copy.AddSoftmax(), kTfLiteOk);
  EXPECT_EQ(WhatIs(first, 1).code, 101);
  EXPECT_EQ(WhatIs(copy, 1).code, 25);
  copy = first;
  EXPECT_EQ(WhatIs(copy, 1).code, 101);
  TakeLog();
}

TEST(TflmOperators, AllOpsResolverHasEach) {
  tflite::AllOpsResolver all;
  EXPECT_EQ(TakeLog(), "");
  ASSERT_EQ(all.GetRegistrationLength(), kAddCount);
  for (unsigned int i = 0; i < kAddCount; ++i) EXPECT_TRUE(WhatIs(all, i).is_lutras) << i;
  EXPECT_EQ(all.AddConv2D(), kTfLiteError);
  EXPECT_NE(TakeLog().find("twice"), std::string::npos);
}

// ---- Models and interpreters.

Bytes ModelOf(const std::string& name) {
  return Bytes(ReadFile(std::string(LUTRA_SOURCE_DIR "/models/") + name));
}
std::string CaseOf(const std::string& name) {
  return std::string(LUTRA_SOURCE_DIR "/golden/smoke/cases/") + name + "/model.tflite";
}

void AddOperatorsOf(const Bytes& model, Resolver* resolver) {
  for (const Known& known : OperatorsOf(model)) {
    for (const AddRow& row : kRows) {
      if (row.code != known.code || (row.custom_code != nullptr && known.custom_code != row.custom_code))
        continue;
      EXPECT_EQ(row.add(*resolver), kTfLiteOk) << row.method;
    }
  }
}

void FillInputs(MicroInterpreter* interpreter) {
  for (size_t i = 0; i < interpreter->inputs_size(); ++i) {
    TfLiteTensor* const input = interpreter->input(i);
    for (size_t at = 0; at < input->bytes; ++at) input->data.uint8[at] = InputByte(i, at);
  }
}

void AppendOutputs(MicroInterpreter* interpreter, std::vector<std::vector<uint8_t>>* outputs) {
  for (size_t i = 0; i < interpreter->outputs_size(); ++i) {
    const TfLiteTensor* const output = interpreter->output(i);
    outputs->emplace_back(output->data.uint8, output->data.uint8 + output->bytes);
  }
}

// Returns the outputs of `runs` inferences; ends with the first that fails.
std::vector<std::vector<uint8_t>> RunModel(MicroInterpreter* interpreter, int runs) {
  std::vector<std::vector<uint8_t>> outputs;
  for (int run = 0; run < runs; ++run) {
    FillInputs(interpreter);
    if (interpreter->Invoke() != kTfLiteOk) return outputs;
    AppendOutputs(interpreter, &outputs);
  }
  return outputs;
}

TEST(TflmInterpreter, GivesWhatLutrasInterpreterGives) {
  std::vector<uint8_t> arena(4 << 20);
  int models = 0;
  for (const char* name :
       {"ad.tflite", "ic.tflite", "kws.tflite", "kws_clustered.tflite", "sine.tflite", "vww96.tflite"}) {
    SCOPED_TRACE(name);
    const Bytes model = ModelOf(name);
    Resolver resolver;
    AddOperatorsOf(model, &resolver);
    MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size());
    ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk) << TakeLog();
    const auto outputs = RunModel(&interpreter, 2);
    EXPECT_FALSE(outputs.empty());
    EXPECT_EQ(outputs, lutra::compat::Run(model, 2));
    ++models;
  }
  EXPECT_EQ(models, 6);
}

// Adds each operator that Lutra has by its own Add.
TEST(TflmInterpreter, RunsTheFrozenModels) {
  std::vector<uint8_t> arena(4 << 20);
  int run = 0;
  for (const auto& entry : std::filesystem::directory_iterator(LUTRA_SOURCE_DIR "/golden/smoke/cases")) {
    SCOPED_TRACE(entry.path().filename().string());
    const Bytes model(ReadFile((entry.path() / "model.tflite").string()));
    Resolver resolver;
    AddOperatorsOf(model, &resolver);
    if (resolver.GetRegistrationLength() == 0) continue;
    MicroInterpreter interpreter(GetModel(model.data(), model.size()), resolver, arena.data(), arena.size());
    // TensorFlow Lite Micro has no GELU.
    const bool lacks_an_add = OperatorsOf(model).size() != resolver.GetRegistrationLength();
    const TfLiteStatus status = interpreter.AllocateTensors();
    ASSERT_EQ(status, lacks_an_add ? kTfLiteError : kTfLiteOk) << TakeLog();
    if (status != kTfLiteOk) continue;
    EXPECT_EQ(RunModel(&interpreter, 1), lutra::compat::Run(model, 1));
    ++run;
  }
  EXPECT_GT(run, 500);
  TakeLog();
}

TEST(TflmInterpreter, RefusesWhatItLacksByName) {
  std::vector<uint8_t> arena(65536);
  const Bytes model(lutra::compat::CustomModel("BasicClassifier"));
  MicroMutableOpResolver<2> resolver;
  ASSERT_EQ(resolver.AddDecode(), kTfLiteOk);
  MicroInterpreter with(GetModel(model.data()), resolver, arena.data(), arena.size());
  EXPECT_EQ(with.initialization_status(), kTfLiteOk);
  EXPECT_EQ(with.AllocateTensors(), kTfLiteError);
  EXPECT_NE(TakeLog().find("BasicClassifier"), std::string::npos);
  EXPECT_EQ(with.Invoke(), kTfLiteError);
  EXPECT_EQ(with.Reset(), kTfLiteError);
  TakeLog();

  const Bytes kws = ModelOf("kws.tflite");
  MicroMutableOpResolver<1> empty;
  MicroInterpreter without(GetModel(kws.data()), empty, arena.data(), arena.size());
  EXPECT_EQ(without.AllocateTensors(), kTfLiteError);
  EXPECT_NE(TakeLog().find("CONV_2D"), std::string::npos);
}

TEST(TflmModel, IsCheckedWhereItsSizeIsGiven) {
  const Bytes whole = ModelOf("sine.tflite");
  EXPECT_EQ(GetModel(whole.data(), whole.size()), GetModel(whole.data()));
  EXPECT_EQ(GetModel(whole.data())->version(), static_cast<uint32_t>(TFLITE_SCHEMA_VERSION));
  EXPECT_EQ(TakeLog(), "");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(GetModel(whole.data(), size), nullptr) << size;
    EXPECT_NE(TakeLog(), "");
  }
  const std::vector<uint8_t> text(4096, 'x');
  EXPECT_EQ(GetModel(Bytes(text).data(), text.size()), nullptr);
  EXPECT_EQ(GetModel(nullptr, 100), nullptr);
  EXPECT_EQ(GetModel(whole.data() + 1, whole.size() - 1), nullptr);
  EXPECT_NE(TakeLog().find("model-alignment"), std::string::npos);
}

TEST(TflmInterpreter, NeedsAModelAndAnArena) {
  const Bytes model = ModelOf("sine.tflite");
  Resolver resolver;
  AddOperatorsOf(model, &resolver);
  uint8_t* const none = nullptr;
  std::vector<uint8_t> arena(65536);
  MicroInterpreter without_arena(GetModel(model.data()), resolver, none, 4096);
  MicroInterpreter without_model(nullptr, resolver, arena.data(), arena.size());
  MicroInterpreter preserving(GetModel(model.data()), resolver, arena.data(), arena.size(), nullptr, nullptr,
                              true);
  for (MicroInterpreter* interpreter : {&without_arena, &without_model, &preserving}) {
    EXPECT_EQ(interpreter->AllocateTensors(), kTfLiteError);
    EXPECT_NE(TakeLog(), "");
    EXPECT_EQ(interpreter->Invoke(), kTfLiteError);
    EXPECT_EQ(interpreter->Reset(), kTfLiteError);
    EXPECT_EQ(interpreter->input(0), nullptr);
    EXPECT_EQ(interpreter->output(0), nullptr);
  }
  EXPECT_EQ(without_arena.initialization_status(), kTfLiteError);
  EXPECT_EQ(without_model.initialization_status(), kTfLiteError);
  EXPECT_EQ(without_model.inputs_size(), 0u);
  EXPECT_TRUE(preserving.preserve_all_tensors());
  EXPECT_EQ(without_arena.arena_used_bytes(), 0u);
  EXPECT_EQ(tflite::MicroAllocator::Create(nullptr, 100), nullptr);
  EXPECT_EQ(tflite::RecordingMicroAllocator::Create(arena.data(), 100), nullptr);
  EXPECT_EQ(tflite::MicroResourceVariables::Create(nullptr, 1), nullptr);
  TakeLog();
}

TEST(TflmInterpreter, TellsTheSmallestArena) {
  for (const char* name : {"ad.tflite", "kws.tflite", "sine.tflite"}) {
    SCOPED_TRACE(name);
    const Bytes model = ModelOf(name);
    Resolver resolver;
    AddOperatorsOf(model, &resolver);
    std::vector<uint8_t> memory((1 << 20) + 32);
    uint8_t* const aligned = memory.data() + (16 - reinterpret_cast<uintptr_t>(memory.data()) % 16) % 16;
    MicroInterpreter roomy(GetModel(model.data()), resolver, aligned, 1 << 20);
    ASSERT_EQ(roomy.AllocateTensors(), kTfLiteOk);
    const size_t used = roomy.arena_used_bytes();
    const auto expected = RunModel(&roomy, 1);
    for (const size_t missing : {1, 16, 400}) {
      MicroInterpreter small(GetModel(model.data()), resolver, aligned, used - missing);
      EXPECT_EQ(small.AllocateTensors(), kTfLiteError) << missing;
      EXPECT_NE(TakeLog(), "");
    }
    // The arena has every alignment; nothing outside it is written.
    for (size_t skip = 0; skip < 16; ++skip) {
      const size_t bytes = used + (skip == 0 ? 0 : 16 - skip);
      std::fill(memory.begin(), memory.end(), uint8_t{0xA5});
      MicroInterpreter exact(GetModel(model.data()), resolver, aligned + skip, bytes);
      ASSERT_EQ(exact.AllocateTensors(), kTfLiteOk) << skip << TakeLog();
      EXPECT_EQ(exact.arena_used_bytes(), used);
      EXPECT_EQ(RunModel(&exact, 1), expected);
      EXPECT_TRUE(std::all_of(memory.data(), aligned + skip, [](uint8_t byte) { return byte == 0xA5; }));
      EXPECT_TRUE(std::all_of(aligned + skip + bytes, memory.data() + memory.size(),
                              [](uint8_t byte) { return byte == 0xA5; }));
    }
  }
}

TEST(TflmInterpreter, TensorsSayWhatTheModelSays) {
  const Bytes model = ModelOf("kws.tflite");
  Resolver resolver;
  AddOperatorsOf(model, &resolver);
  alignas(16) static uint8_t arena[32768];
  MicroInterpreter interpreter(GetModel(model.data()), resolver, arena, sizeof(arena));
  EXPECT_EQ(interpreter.input(0), nullptr);
  ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
  ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
  EXPECT_EQ(interpreter.inputs_size(), 1u);
  EXPECT_EQ(interpreter.outputs_size(), 1u);
  EXPECT_EQ(interpreter.inputs().size(), 1u);
  EXPECT_EQ(interpreter.inputs().Get(0), interpreter.inputs()[0]);
  EXPECT_NE(interpreter.inputs()[0], interpreter.outputs()[0]);
  TfLiteTensor* const input = interpreter.input_tensor(0);
  ASSERT_EQ(input, interpreter.input(0));
  EXPECT_EQ(input->type, kTfLiteInt8);
  ASSERT_EQ(input->dims->size, 4);
  EXPECT_EQ(input->dims->data[1], 49);
  EXPECT_EQ(input->dims->data[2], 10);
  EXPECT_EQ(input->bytes, 490u);
  EXPECT_EQ(tflite::ElementCount(*input->dims), 490);
  EXPECT_GT(input->params.scale, 0.0f);
  ASSERT_EQ(input->quantization.type, kTfLiteAffineQuantization);
  const auto* const affine = static_cast<const TfLiteAffineQuantization*>(input->quantization.params);
  EXPECT_EQ(affine->scale->size, 1);
  EXPECT_EQ(affine->scale->data[0], input->params.scale);
  EXPECT_EQ(affine->zero_point->data[0], input->params.zero_point);
  EXPECT_EQ(input->allocation_type, kTfLiteArenaRw);
  EXPECT_FALSE(input->is_variable);
  EXPECT_EQ(input->data.data, input->data.raw);
  EXPECT_EQ(static_cast<void*>(input->data.int8), static_cast<void*>(input->data.f));
  // In the arena, as its data is.
  for (const void* in_arena : {static_cast<const void*>(input), static_cast<const void*>(input->dims),
                               static_cast<const void*>(input->data.raw_const)}) {
    EXPECT_GE(in_arena, static_cast<const void*>(arena));
    EXPECT_LT(in_arena, static_cast<const void*>(arena + sizeof(arena)));
  }
  EXPECT_EQ(interpreter.typed_input_tensor<int8_t>(0), input->data.int8);
  EXPECT_EQ(interpreter.typed_input_tensor<float>(0), nullptr);
  EXPECT_EQ(interpreter.typed_output_tensor<int8_t>(0), interpreter.output_tensor(0)->data.int8);
  EXPECT_EQ(interpreter.typed_output_tensor<uint8_t>(0), nullptr);
  EXPECT_EQ(tflite::GetTensorData<int8_t>(input), input->data.int8);
  EXPECT_EQ(tflite::GetTensorData<int8_t>(static_cast<const TfLiteTensor*>(input)), input->data.int8);
  EXPECT_EQ(tflite::GetTensorData<int8_t>(static_cast<TfLiteTensor*>(nullptr)), nullptr);
  EXPECT_EQ(TakeLog(), "");
  EXPECT_EQ(interpreter.input(1), nullptr);
  EXPECT_NE(TakeLog(), "");
  EXPECT_EQ(interpreter.output(7), nullptr);
  EXPECT_NE(TakeLog(), "");
}

TEST(TflmInterpreter, InvokeAllocatesIfNobodyHas) {
  const Bytes model = ModelOf("sine.tflite");
  Resolver resolver;
  AddOperatorsOf(model, &resolver);
  std::vector<uint8_t> arena(65536);
  MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size());
  EXPECT_EQ(interpreter.Invoke(), kTfLiteOk);
  EXPECT_NE(interpreter.input(0), nullptr);
}

TEST(TflmInterpreter, ResetBringsTheStateBack) {
  const Bytes model(ReadFile(CaseOf("int8.svdf.int8_state.extremes.0000")));
  Resolver resolver;
  AddOperatorsOf(model, &resolver);
  std::vector<uint8_t> arena(65536);
  MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size());
  ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
  const auto first = RunModel(&interpreter, 3);
  ASSERT_EQ(first, lutra::compat::Run(model, 3));
  EXPECT_NE(first[0], first[2]);
  EXPECT_NE(RunModel(&interpreter, 3), first);
  EXPECT_EQ(interpreter.Reset(), kTfLiteOk);
  EXPECT_EQ(RunModel(&interpreter, 3), first);
}

TEST(TflmInterpreter, TwoFollowOneAnotherInAnArena) {
  const Bytes models[] = {ModelOf("kws.tflite"), ModelOf("sine.tflite"), ModelOf("kws.tflite")};
  std::vector<uint8_t> arena(65536);
  for (const Bytes& model : models) {
    Resolver resolver;
    AddOperatorsOf(model, &resolver);
    MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size());
    ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
    EXPECT_EQ(RunModel(&interpreter, 1), lutra::compat::Run(model, 1));
  }
}

TEST(TflmInterpreter, TwoShareAnAllocator) {
  const Bytes kws = ModelOf("kws.tflite");
  const Bytes sine = ModelOf("sine.tflite");
  Resolver resolver;
  AddOperatorsOf(kws, &resolver);
  std::vector<uint8_t> arena(65536);
  tflite::MicroAllocator* const allocator = tflite::MicroAllocator::Create(arena.data(), arena.size());
  ASSERT_NE(allocator, nullptr);
  MicroInterpreter first(GetModel(kws.data()), resolver, allocator);
  ASSERT_EQ(first.AllocateTensors(), kTfLiteOk) << TakeLog();
  const size_t used = allocator->used_bytes();
  MicroInterpreter second(GetModel(sine.data()), resolver, allocator);
  ASSERT_EQ(second.AllocateTensors(), kTfLiteOk) << TakeLog();
  EXPECT_GT(allocator->used_bytes(), used);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(RunModel(&first, 1), lutra::compat::Run(kws, 1));
    EXPECT_EQ(RunModel(&second, 1), lutra::compat::Run(sine, 1));
  }
  // The remaining memory is too small for another interpreter.
  tflite::MicroAllocator* const tight = tflite::MicroAllocator::Create(arena.data(), used + 64);
  MicroInterpreter fits(GetModel(kws.data()), resolver, tight);
  EXPECT_EQ(fits.AllocateTensors(), kTfLiteOk);
  MicroInterpreter late(GetModel(sine.data()), resolver, tight);
  EXPECT_EQ(late.AllocateTensors(), kTfLiteError);
  EXPECT_NE(TakeLog(), "");
}

TEST(TflmInterpreter, DecompressesIntoMemoryOfTheCallers) {
  const Bytes model(ReadFile(CaseOf("int8.lut.metadata.fully_connected.per_tensor.width6.0000")));
  Resolver resolver;
  AddOperatorsOf(model, &resolver);
  std::vector<uint8_t> arena(65536);
  alignas(16) uint8_t outside[4096];
  const tflite::MicroContext::AlternateMemoryRegion regions[] = {{outside, sizeof(outside)}};
  size_t used[2];
  for (int i = 0; i < 2; ++i) {
    MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size());
    tflite::MicroProfiler profiler;
    EXPECT_EQ(interpreter.SetAlternateProfiler(&profiler), kTfLiteOk);
    if (i == 1) {
      EXPECT_EQ(interpreter.SetDecompressionMemory(regions, 1), kTfLiteOk);
      EXPECT_EQ(interpreter.SetDecompressionMemory(regions, 1), kTfLiteError);
    }
    ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
    EXPECT_EQ(interpreter.SetDecompressionMemory(regions, 1), kTfLiteError);
    EXPECT_EQ(RunModel(&interpreter, 1), lutra::compat::Run(model, 1));
    EXPECT_GT(profiler.GetTotalTicks(), 0u);
    used[i] = interpreter.arena_used_bytes();
  }
  EXPECT_LT(used[1], used[0]);
  TakeLog();
}

// ---- Names around the interpreter.

struct Recorder : tflite::MicroProfilerInterface {
  uint32_t BeginEvent(const char* tag) override {
    tags.push_back(tag);
    return static_cast<uint32_t>(tags.size()) + 41;
  }
  void EndEvent(uint32_t event) override { ended.push_back(event - 42); }
  std::vector<std::string> tags;
  std::vector<size_t> ended;
};

TEST(TflmProfiler, IsCalledAroundEachOperator) {
  const Bytes model = ModelOf("kws.tflite");
  Resolver resolver;
  AddOperatorsOf(model, &resolver);
  std::vector<uint8_t> arena(65536);
  Recorder recorder;
  MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size(), nullptr,
                               &recorder);
  ASSERT_EQ(interpreter.Invoke(), kTfLiteOk);
  EXPECT_EQ(recorder.tags.front(), "CONV_2D");
  EXPECT_EQ(recorder.tags.back(), "SOFTMAX");
  ASSERT_EQ(recorder.tags.size(), recorder.ended.size());
  for (size_t i = 0; i < recorder.ended.size(); ++i) EXPECT_EQ(recorder.ended[i], i);
}

TEST(TflmProfiler, CountsTicksByTag) {
  tflite::MicroProfiler profiler;
  for (const char* tag : {"a", "b", "a"}) {
    const uint32_t event = profiler.BeginEvent(tag);
    g_ticks += 9;
    profiler.EndEvent(event);
  }
  EXPECT_EQ(profiler.GetTotalTicks(), 30u);
  profiler.Log();
  EXPECT_EQ(TakeLog(),
            "a took 10 ticks (10 ms).\r\nb took 10 ticks (10 ms).\r\na took 10 ticks (10 ms).\r\n");
  profiler.LogCsv();
  EXPECT_EQ(TakeLog(), "\"Event\",\"Tag\",\"Ticks\"\r\n0,a,10\r\n1,b,10\r\n2,a,10\r\n");
  profiler.LogTicksPerTagCsv();
  EXPECT_EQ(TakeLog(),
            "\"Unique Tag\",\"Total ticks across all events with that tag.\"\r\na, 20\r\nb, 10\r\n"
            "\"total number of ticks\", 30\r\n");
  EXPECT_EQ(tflite::TicksToMs(2500), 2500u);
  profiler.ClearEvents();
  EXPECT_EQ(profiler.GetTotalTicks(), 0u);
  for (int i = 0; i < LUTRA_TFLM_PROFILER_EVENTS + 3; ++i) profiler.EndEvent(profiler.BeginEvent("many"));
  EXPECT_EQ(profiler.GetTotalTicks(), static_cast<uint32_t>(LUTRA_TFLM_PROFILER_EVENTS));
  profiler.LogTicksPerTagCsv();
  EXPECT_NE(TakeLog().find("3 events are missing"), std::string::npos);
}

TEST(TflmRecording, SumsUpToTheArena) {
  const Bytes model = ModelOf("kws.tflite");
  Resolver resolver;
  AddOperatorsOf(model, &resolver);
  std::vector<uint8_t> arena(65536);
  tflite::RecordingMicroAllocator* const allocator =
      tflite::RecordingMicroAllocator::Create(arena.data(), arena.size());
  tflite::MicroProfiler profiler;
  tflite::RecordingMicroInterpreter interpreter(GetModel(model.data()), resolver, allocator,
                                                tflite::MicroResourceVariables::Create(allocator, 24),
                                                &profiler);
  ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
  EXPECT_EQ(&interpreter.GetMicroAllocator(), allocator);
  const auto* const whole = allocator->GetSimpleMemoryAllocator();
  EXPECT_EQ(whole->GetUsedBytes(), interpreter.arena_used_bytes());
  EXPECT_EQ(whole->GetUsedBytes(), whole->GetPersistentUsedBytes() + whole->GetNonPersistentUsedBytes());
  EXPECT_GE(whole->GetNonPersistentUsedBytes(), 8000u);
  EXPECT_EQ(whole->GetRequestedBytes(), whole->GetUsedBytes());
  using Type = tflite::RecordedAllocationType;
  EXPECT_EQ(static_cast<int>(Type::kNumAllocationTypes), 7);
  size_t bytes = 0;
  size_t count = 0;
  for (const Type type :
       {Type::kTfLiteEvalTensorData, Type::kPersistentTfLiteTensorData,
        Type::kPersistentTfLiteTensorQuantizationData, Type::kPersistentBufferData,
        Type::kTfLiteTensorVariableBufferData, Type::kNodeAndRegistrationArray, Type::kOpData}) {
    const tflite::RecordedAllocation record = allocator->GetRecordedAllocation(type);
    EXPECT_EQ(record.used_bytes, record.requested_bytes);
    bytes += record.used_bytes;
    count += record.count;
  }
  EXPECT_LE(bytes, whole->GetPersistentUsedBytes());
  EXPECT_GE(bytes + 256, whole->GetPersistentUsedBytes());
  EXPECT_EQ(count, whole->GetAllocatedCount());
  EXPECT_EQ(allocator->GetRecordedAllocation(Type::kNodeAndRegistrationArray).count, 12u);
  EXPECT_EQ(allocator->GetRecordedAllocation(Type::kPersistentTfLiteTensorData).count, 2u);
  allocator->PrintAllocations();
  EXPECT_NE(TakeLog().find("total " + std::to_string(whole->GetUsedBytes())), std::string::npos);
  tflite::RecordingMicroInterpreter in_bytes(GetModel(model.data()), resolver, arena.data(), arena.size());
  EXPECT_EQ(in_bytes.AllocateTensors(), kTfLiteOk);
}

TfLiteStatus Twice(TfLiteStatus status, int* reached) {
  TF_LITE_ENSURE_STATUS(status);
  ++*reached;
  return kTfLiteOk;
}

TEST(TflmMacros, ReturnOrEndOrPass) {
  int reached = 0;
  EXPECT_EQ(Twice(kTfLiteOk, &reached), kTfLiteOk);
  EXPECT_EQ(Twice(kTfLiteAbort, &reached), kTfLiteAbort);
  EXPECT_EQ(reached, 1);
  TFLITE_CHECK(reached == 1);
  TFLITE_CHECK_EQ(reached, 1);
  TFLITE_CHECK_NE(reached, 2);
  TFLITE_CHECK_LE(reached, 1);
  TFLITE_DCHECK(reached == 1);
  TFLITE_DCHECK_EQ(reached, 1);
  EXPECT_DEATH(TFLITE_CHECK_EQ(reached, 2), "");
  EXPECT_DEATH(TFLITE_CHECK_LE(reached, 0), "");
  EXPECT_DEATH(TFLITE_CHECK_NE(reached, 1), "");
  EXPECT_DEATH(TFLITE_CHECK(reached == 2), "");
  static_assert(kTfLiteOk == 0 && kTfLiteError == 1 && kTfLiteFloat32 == 1 && kTfLiteInt8 == 9 &&
                kTfLiteInt16 == 7);
}

TEST(TflmLog, WritesLines) {
  tflite::InitializeTarget();
  MicroPrintf("%d of %s", 3, "three");
  EXPECT_EQ(TakeLog(), "3 of three\r\n");
  char buffer[4];
  EXPECT_EQ(MicroSnprintf(buffer, sizeof(buffer), "%s", "abcdef"), 6);
  EXPECT_STREQ(buffer, "abc");
}

// ---- Error reporters, which older programs have.

class CountingReporter : public tflite::ErrorReporter {
 public:
  using ErrorReporter::Report;
  int Report(const char* format, va_list arguments) override {
    ++count_;
    return vsnprintf(nullptr, 0, format, arguments);
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

TEST(TflmErrorReporter, PrintsLines) {
  tflite::MicroErrorReporter reporter;
  TF_LITE_REPORT_ERROR(&reporter, "%d of %s", 3, "three");
  EXPECT_EQ(TakeLog(), "3 of three\r\n");
  tflite::ErrorReporter* const global = tflite::GetMicroErrorReporter();
  EXPECT_EQ(global, tflite::GetMicroErrorReporter());
  EXPECT_EQ(global->Report("line"), 0);
  EXPECT_EQ(global->ReportError(nullptr, "%s", "another"), 0);
  EXPECT_EQ(TakeLog(), "line\r\nanother\r\n");
  static tflite::ErrorReporter* const made = new tflite::MicroErrorReporter;
  EXPECT_EQ(made->Report("made"), 0);
  EXPECT_EQ(TakeLog(), "made\r\n");
  CountingReporter counting;
  TF_LITE_REPORT_ERROR(&counting, "%d", 5);
  EXPECT_EQ(counting.ReportError(nullptr, "%d", 100), 3);
  EXPECT_EQ(counting.count(), 2);
  EXPECT_EQ(TakeLog(), "");
}

TEST(TflmErrorReporter, IsGivenToInterpreters) {
  const Bytes model = ModelOf("sine.tflite");
  Resolver resolver;
  AddOperatorsOf(model, &resolver);
  std::vector<uint8_t> arena(65536);
  tflite::MicroErrorReporter reporter;
  tflite::ErrorReporter* const base = &reporter;
  MicroMutableOpResolver<1> reporting(base);
  EXPECT_EQ(reporting.AddAbs(), kTfLiteOk);
  tflite::MicroProfiler profiler;
  {
    MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size(), &reporter);
    ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
    EXPECT_EQ(RunModel(&interpreter, 1), lutra::compat::Run(model, 1));
  }
  {
    MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size(), base, nullptr,
                                 &profiler);
    ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
    EXPECT_EQ(RunModel(&interpreter, 1), lutra::compat::Run(model, 1));
    EXPECT_GT(profiler.GetTotalTicks(), 0u);
  }
  {
    MicroInterpreter interpreter(GetModel(model.data()), resolver,
                                 tflite::MicroAllocator::Create(arena.data(), arena.size()), base);
    ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
    EXPECT_EQ(RunModel(&interpreter, 1), lutra::compat::Run(model, 1));
  }
  EXPECT_EQ(TakeLog(), "");
}

// ---- Kernels of the program's own: each output is the input in reverse order, plus what init, prepare and
// the external context hold.

struct Reverse {
  int8_t* add;
  int scratch;
};
int g_inits = 0;
TfLiteStatus g_answer = kTfLiteOk;  // Of invoke.

void* InitReverse(TfLiteContext* context, const char*, size_t bytes) {
  EXPECT_EQ(bytes, 0u);
  ++g_inits;
  return context->AllocatePersistentBuffer(context, sizeof(Reverse));
}

TfLiteStatus PrepareReverse(TfLiteContext* context, TfLiteNode* node) {
  TF_LITE_ENSURE_EQ(context, tflite::NumInputs(node), 1);
  TF_LITE_ENSURE_EQ(context, tflite::NumOutputs(node), 1);
  TF_LITE_ENSURE(context, node->user_data != nullptr);
  tflite::MicroContext* const micro = tflite::GetMicroContext(context);
  TfLiteTensor* const input = micro->AllocateTempInputTensor(node, 0);
  TfLiteTensor* const output = micro->AllocateTempOutputTensor(node, 0);
  TF_LITE_ENSURE(context, input != nullptr && output != nullptr && input != output);
  TF_LITE_ENSURE_TYPES_EQ(context, input->type, kTfLiteInt8);
  TF_LITE_ENSURE_NEAR(context, input->params.scale, 1.0f, 1e-6f);
  TF_LITE_ENSURE(context, tflite::HaveSameShapes(input, output));
  TF_LITE_ENSURE(context, !tflite::IsConstantTensor(input) && !tflite::IsDynamicTensor(output));
  TF_LITE_ENSURE_EQ(context, tflite::NumElements(input), 4);
  TF_LITE_ENSURE_EQ(context, tflite::NumDimensions(input), 2);
  TF_LITE_ENSURE_EQ(context, tflite::SizeOfDimension(input, 1), 4);
  EXPECT_EQ(tflite::GetTensorData<int8_t>(input), nullptr);
  micro->DeallocateTempTfLiteTensor(input);
  for (int i = 0; i < 9; ++i) EXPECT_NE(tflite::GetInput(context, node, 0), nullptr);
  EXPECT_EQ(tflite::GetInput(context, node, 0), nullptr);
  EXPECT_EQ(micro->AllocateTempInputTensor(node, 1), nullptr);
  EXPECT_EQ(micro->AllocateTempIntermediateTensor(node, 0), nullptr);
  auto* const data = static_cast<Reverse*>(node->user_data);
  data->add = static_cast<int8_t*>(micro->AllocatePersistentBuffer(1));
  TF_LITE_ENSURE(context, data->add != nullptr);
  *data->add = 10;
  return context->RequestScratchBufferInArena(context, 4, &data->scratch);
}

TfLiteStatus InvokeReverse(TfLiteContext* context, TfLiteNode* node) {
  const auto& data = *static_cast<const Reverse*>(node->user_data);
  const TfLiteEvalTensor* const input = tflite::micro::GetEvalInput(context, node, 0);
  TfLiteEvalTensor* const output = tflite::micro::GetEvalOutput(context, node, 0);
  EXPECT_EQ(tflite::micro::GetEvalInput(context, node, 1), nullptr);
  EXPECT_EQ(context->GetEvalTensor(context, 77), nullptr);
  EXPECT_TRUE(tflite::micro::HaveSameShapes(input, output));
  EXPECT_EQ(input->type, kTfLiteInt8);
  EXPECT_EQ(context->AllocatePersistentBuffer(context, 4), nullptr);
  const int count = tflite::micro::GetTensorShape(input).FlatSize();
  auto* const scratch = static_cast<int8_t*>(context->GetScratchBuffer(context, data.scratch));
  const void* const external = tflite::GetMicroContext(context)->external_context();
  EXPECT_EQ(context->GetExternalContext(context, kTfLiteEigenContext), external);
  const int more = *data.add + (external == nullptr ? 0 : *static_cast<const int*>(external));
  memcpy(scratch, tflite::micro::GetTensorData<int8_t>(input), static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    tflite::micro::GetTensorData<int8_t>(output)[i] = static_cast<int8_t>(scratch[count - 1 - i] + more);
  }
  TF_LITE_ENSURE_OK(context, g_answer, "the answer is %d", 5);
  return kTfLiteOk;
}

const TFLMRegistration kReverse = tflite::micro::RegisterOp(InitReverse, PrepareReverse, InvokeReverse);

std::vector<int> Reversed(MicroInterpreter* interpreter) {
  for (int i = 0; i < 4; ++i) interpreter->input(0)->data.int8[i] = static_cast<int8_t>(i + 1);
  EXPECT_EQ(interpreter->Invoke(), kTfLiteOk);
  const int8_t* const output = interpreter->output(0)->data.int8;
  return {output, output + 4};
}

TEST(TflmKernel, RunsAsInTensorFlowLiteMicro) {
  const Bytes model(lutra::compat::CustomModel("Reverse"));
  MicroMutableOpResolver<1> resolver;
  ASSERT_EQ(resolver.AddCustom("Reverse", &kReverse), kTfLiteOk);
  std::vector<uint8_t> arena(8192);
  MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size());
  g_inits = 0;
  ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
  EXPECT_EQ(g_inits, 1);
  EXPECT_NE(TakeLog().find("10 are in use"), std::string::npos);
  EXPECT_EQ(Reversed(&interpreter), (std::vector<int>{14, 13, 12, 11}));
  EXPECT_NE(TakeLog().find("AllocatePersistentBuffer"), std::string::npos);
  int external = 100;
  EXPECT_EQ(interpreter.SetMicroExternalContext(nullptr), kTfLiteError);
  EXPECT_EQ(interpreter.SetMicroExternalContext(&external), kTfLiteOk);
  EXPECT_EQ(interpreter.SetMicroExternalContext(&external), kTfLiteError);
  EXPECT_EQ(Reversed(&interpreter), (std::vector<int>{114, 113, 112, 111}));
  TakeLog();

  g_answer = kTfLiteAbort;
  EXPECT_EQ(interpreter.Invoke(), kTfLiteAbort);
  EXPECT_NE(TakeLog().find("the answer is 5"), std::string::npos);
  g_answer = kTfLiteError;
  EXPECT_EQ(interpreter.Invoke(), kTfLiteError);
  EXPECT_NE(TakeLog().find("Reverse: invoke of the program's kernel returned 1"), std::string::npos);
  g_answer = kTfLiteOk;
}

TEST(TflmKernel, SeesTheExternalContextOfItsInterpreterBesideAProfiler) {
  const Bytes model(lutra::compat::CustomModel("Reverse"));
  MicroMutableOpResolver<1> resolver;
  ASSERT_EQ(resolver.AddCustom("Reverse", &kReverse), kTfLiteOk);
  std::vector<uint8_t> arena(8192);
  std::vector<uint8_t> other_arena(8192);
  tflite::MicroProfiler profiler;
  MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size(), nullptr,
                               &profiler);
  MicroInterpreter other(GetModel(model.data()), resolver, other_arena.data(), other_arena.size());
  int external[] = {20, 30};
  EXPECT_EQ(interpreter.SetMicroExternalContext(&external[0]), kTfLiteOk);
  EXPECT_EQ(other.SetMicroExternalContext(&external[1]), kTfLiteOk);
  ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
  ASSERT_EQ(other.AllocateTensors(), kTfLiteOk);
  EXPECT_EQ(Reversed(&interpreter), (std::vector<int>{34, 33, 32, 31}));
  EXPECT_EQ(Reversed(&other), (std::vector<int>{44, 43, 42, 41}));
  TakeLog();
  profiler.LogTicksPerTagCsv();
  EXPECT_NE(TakeLog().find("Reverse"), std::string::npos);
}

TEST(TflmKernel, NeedsTheArenaThatItIsToldToNeed) {
  const Bytes model(lutra::compat::CustomModel("Reverse"));
  MicroMutableOpResolver<1> resolver;
  ASSERT_EQ(resolver.AddCustom("Reverse", &kReverse), kTfLiteOk);
  alignas(16) static uint8_t arena[8192];
  size_t used = 0;
  {
    MicroInterpreter interpreter(GetModel(model.data()), resolver, arena, sizeof(arena));
    ASSERT_EQ(interpreter.AllocateTensors(), kTfLiteOk);
    used = interpreter.arena_used_bytes();
  }
  for (size_t bytes = 0; bytes <= used; ++bytes) {
    MicroInterpreter interpreter(GetModel(model.data()), resolver, arena, bytes);
    EXPECT_EQ(interpreter.AllocateTensors(), bytes < used ? kTfLiteError : kTfLiteOk) << bytes;
  }
  TakeLog();
}

TEST(TflmKernel, IsOneForEachName) {
  MicroMutableOpResolver<3> resolver;
  TFLMRegistration other = kReverse;
  other.prepare = nullptr;
  ASSERT_EQ(resolver.AddCustom("Reverse", &kReverse), kTfLiteOk);
  EXPECT_EQ(resolver.AddCustom("Reverse", &kReverse), kTfLiteError);
  EXPECT_NE(TakeLog().find("twice"), std::string::npos);
  MicroMutableOpResolver<2> second;
  EXPECT_EQ(second.AddCustom("Reverse", &other), kTfLiteError);
  EXPECT_NE(TakeLog().find("another kernel"), std::string::npos);
  other.invoke = nullptr;
  EXPECT_EQ(second.AddCustom("None", &other), kTfLiteError);
  const TFLMRegistration* const none = nullptr;
  EXPECT_EQ(second.AddCustom("None", none), kTfLiteError);
  EXPECT_EQ(second.AddCustom(nullptr, &kReverse), kTfLiteError);
  EXPECT_EQ(second.GetRegistrationLength(), 0u);
  TfLiteRegistration older = {InitReverse, nullptr, PrepareReverse, InvokeReverse};
  EXPECT_EQ(second.AddCustom("Reverse", &older), kTfLiteOk);
  EXPECT_EQ(WhatIs(second, 0).custom_code, "Reverse");
  TakeLog();
}

TfLiteStatus RefuseAll(TfLiteContext* context, TfLiteNode* node) {
  TF_LITE_ENSURE_EQ(context, tflite::NumInputs(node), 2);
  return kTfLiteOk;
}

TEST(TflmKernel, SaysWhyPrepareFails) {
  const Bytes model(lutra::compat::CustomModel("Refusing"));
  MicroMutableOpResolver<1> resolver;
  const TFLMRegistration refusing = tflite::micro::RegisterOp(nullptr, RefuseAll, InvokeReverse);
  ASSERT_EQ(resolver.AddCustom("Refusing", &refusing), kTfLiteOk);
  std::vector<uint8_t> arena(8192);
  MicroInterpreter interpreter(GetModel(model.data()), resolver, arena.data(), arena.size());
  EXPECT_EQ(interpreter.AllocateTensors(), kTfLiteError);
  const std::string log = TakeLog();
  EXPECT_NE(log.find("tflite::NumInputs(node) != 2 (1 != 2)"), std::string::npos) << log;
  EXPECT_NE(log.find("Refusing: prepare of the program's kernel returned 1"), std::string::npos) << log;
}

TEST(TflmTypes, HaveNames) {
  EXPECT_STREQ(TfLiteTypeGetName(kTfLiteNoType), "NOTYPE");
  EXPECT_STREQ(TfLiteTypeGetName(kTfLiteInt8), "INT8");
  EXPECT_STREQ(TfLiteTypeGetName(kTfLiteFloat16), "FLOAT16");
  EXPECT_STREQ(TfLiteTypeGetName(kTfLiteInt4), "INT4");
  EXPECT_STREQ(TfLiteTypeGetName(kTfLiteFloat8E5M2), "FLOAT8_E5M2");
  EXPECT_STREQ(TfLiteTypeGetName(static_cast<TfLiteType>(24)), "Unknown type");
}

TEST(TflmTypes, HaveSizes) {
  size_t bytes = 0;
  EXPECT_EQ(tflite::TfLiteTypeSizeOf(kTfLiteInt16, &bytes), kTfLiteOk);
  EXPECT_EQ(bytes, 2u);
  EXPECT_EQ(tflite::TfLiteTypeSizeOf(kTfLiteFloat64, &bytes), kTfLiteOk);
  EXPECT_EQ(bytes, 8u);
  for (const TfLiteType none : {kTfLiteNoType, kTfLiteString, kTfLiteVariant, kTfLiteInt4, kTfLiteInt2,
                                kTfLiteUInt4, static_cast<TfLiteType>(24)}) {
    EXPECT_EQ(tflite::TfLiteTypeSizeOf(none, &bytes), kTfLiteError) << none;
  }
  alignas(TfLiteIntArray) int32_t dims[] = {2, 3, 5};
  TfLiteEvalTensor tensor = {};
  tensor.dims = reinterpret_cast<TfLiteIntArray*>(dims);
  tensor.type = kTfLiteInt32;
  EXPECT_EQ(tflite::TfLiteEvalTensorByteLength(&tensor, &bytes), kTfLiteOk);
  EXPECT_EQ(bytes, 60u);
  tensor.type = kTfLiteString;
  EXPECT_EQ(tflite::TfLiteEvalTensorByteLength(&tensor, &bytes), kTfLiteError);
  TfLiteTensor described = {};
  described.dims = tensor.dims;
  EXPECT_EQ(tflite::GetTensorShape(&described).FlatSize(), 15);
  EXPECT_EQ(tflite::GetTensorShape(&described).DimensionsCount(), 2);
  EXPECT_EQ(tflite::GetTensorShape(&described).Dims(1), 5);
  static_assert(tflite::typeToTfLiteType<int16_t>() == kTfLiteInt16 && tflite::TensorType_INT16 == 7 &&
                tflite::TensorType_FLOAT8_E5M2 == 22);
  static_assert(tflite::AlignSizeUp(13, 4) == 16 && tflite::AlignSizeUp<int32_t>(3) == 12);
  uint8_t* const memory = reinterpret_cast<uint8_t*>(uintptr_t{13});
  EXPECT_EQ(tflite::AlignPointerUp(memory, 8) - memory, 3);
  EXPECT_EQ(memory - tflite::AlignPointerDown(memory, 8), 5);
}

#if __has_include("flatbuffers/flexbuffers.h")
TEST(TflmKernel, ReadsItsOptions) {
  // A float of 4 bytes; a vector of 4 elements of a byte (-3, 200, true, the float) with their types; the
  // root.
  const uint8_t bytes[] = {0x00, 0x00, 0x20, 0x40, 4, 0xFD, 200, 1, 8, 0x04, 0x08, 0x68, 0x22, 8, 0x28, 1};
  const tflite::FlexbufferWrapper options(bytes, sizeof(bytes));
  ASSERT_EQ(options.size(), 4u);
  EXPECT_EQ(options.ElementAsInt32(0), -3);
  EXPECT_EQ(options.ElementAsInt64(1), 200);
  EXPECT_EQ(options.ElementAsUInt64(1), 200u);
  EXPECT_TRUE(options.ElementAsBool(2));
  EXPECT_EQ(options.ElementAsFloat(3), 2.5f);
  EXPECT_EQ(options.ElementAsDouble(0), -3.0);
  EXPECT_EQ(options.ElementAsInt32(3), 2);
  EXPECT_EQ(options.ElementAsInt32(4), 0);
}
#endif

TEST(TflmProfiler, MeasuresBlocks) {
  tflite::MicroProfiler profiler;
  { tflite::ScopedMicroProfiler scoped("block", &profiler); }
  { tflite::ScopedMicroProfiler none("none", nullptr); }
  TakeLog();
  profiler.LogCsv();
  const std::string log = TakeLog();
  EXPECT_NE(log.find("block"), std::string::npos);
  EXPECT_EQ(log.find("none"), std::string::npos);
}

}  // namespace

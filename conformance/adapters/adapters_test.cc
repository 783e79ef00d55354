// SPDX-License-Identifier: Apache-2.0
// Tests each adapter as the runner uses it: a program that answers lines.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "conformance/runner/adapter_process.h"
#include "host/model_inputs.h"
#include "host/output_file.h"
#include "host/testing/inference.h"
#include "host/testing/program.h"
#include "runtime/testing/model_builder.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kTimeout{20};

// The path may contain spaces; a shell starts the adapter.
std::string Command(const std::string& program, const std::string& arguments = "") {
  return fmt::format("'{}' {}", program, arguments);
}

void WriteFile(const fs::path& path, const host::Bytes& bytes) {
  host::WriteFileBytes(path, bytes.data(), bytes.size());
}

void WriteText(const fs::path& path, const std::string& text) {
  host::WriteFileBytes(path, text.data(), text.size());
}

// A folder with one case in it.
class AdaptersTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void WriteCase(const host::Bytes& model, const std::vector<host::Bytes>& inputs, int invokes = 1) {
    WriteFile(folder_ / "model.tflite", model);
    for (size_t i = 0; i < inputs.size(); ++i) {
      WriteFile(folder_ / fmt::format("in{}.bin", i), inputs[i]);
    }
    WriteText(folder_ / "invokes", std::to_string(invokes));
  }

  // The image has 8 x 8 pixels, the window 3 with stride 2: SAME pads one row and column, behind the image.
  // The multiplier is 2^-3, so that many sums are ties.
  void WriteConvolutionCase() {
    std::mt19937 random(1);
    const auto draw = [&](int count, int largest) {
      host::Bytes bytes;
      for (int i = 0; i < count; ++i) {
        bytes.push_back(static_cast<uint8_t>(static_cast<int>(random() % (2 * largest + 1)) - largest));
      }
      return bytes;
    };
    ModelBuilder builder;
    const int image = builder.AddTensor({.shape = {1, 8, 8, 1}, .scale = 0.5f, .zero_point = 5});
    const int filter = builder.AddTensor({.shape = {1, 3, 3, 1}, .scale = 0.25f, .data = draw(9, 4)});
    const int output = builder.AddTensor({.shape = {1, 4, 4, 1}, .scale = 1.0f, .zero_point = -2});
    builder.AddOperator(BuiltinOperator::kConv2D, {image, filter, -1}, {output}, {.stride = 2});
    WriteCase(builder.Finish({image}, {output}), {draw(64, 40)});
  }

  AdapterAnswer Run(const std::string& command, std::chrono::milliseconds timeout = kTimeout) {
    AdapterProcess adapter(command, timeout);
    return adapter.Run("some.case.0001", folder_);
  }
  host::Bytes Output(int index = 0) const {
    return host::ReadBytes(folder_ / fmt::format("out{}.bin", index));
  }
  bool HasOutput() const { return fs::exists(folder_ / "out0.bin"); }

  host::ScratchFolder scratch_;
  fs::path folder_ = scratch_ / "case";
};

TEST_F(AdaptersTest, EndAtByeAndAtLinesOfNoProtocol) {
  WriteText(folder_ / "bye", "hello 1\nbye\nhello 1\n");
  WriteText(folder_ / "nonsense", "hello 1\nnonsense\nhello 1\n");
  const std::string recorded = Command(folder_.string());
  for (const auto& [program, arguments] : {std::pair<std::string, std::string>{LUTRA_ADAPTER, ""},
                                           {LUTRA_MOCK_ADAPTER, ""},
                                           {LUTRA_RECORDED_ADAPTER, recorded},
                                           {LUTRA_TFLITE_C_ADAPTER, Command(LUTRA_FAKE_LIBRARY)}}) {
    const std::string name = fs::path(program).filename();
    const host::Outcome bye = host::RunProgram(arguments + " <" + Command(folder_ / "bye"), program);
    EXPECT_EQ(bye.code, 0) << bye.err;
    EXPECT_TRUE(bye.out.starts_with("hello 1 " + name + " ")) << bye.out;
    EXPECT_EQ(std::count(bye.out.begin(), bye.out.end(), '\n'), 1) << bye.out;
    const host::Outcome nonsense =
        host::RunProgram(arguments + " <" + Command(folder_ / "nonsense"), program);
    EXPECT_EQ(nonsense.code, 2) << name;
  }
}

TEST_F(AdaptersTest, LutraAnswersAsTheRuntime) {
  const fs::path path = fs::path(LUTRA_SOURCE_DIR) / "models" / "sine.tflite";
  const host::ModelFile file = host::ReadModelFile(path);
  const std::vector<host::Bytes> inputs = host::SeededInputs(file.model, 1);
  const host::RunOutcome expected = host::RunModel(path, inputs, 1, {});
  ASSERT_EQ(expected.status, Status::kOk);
  for (const char* options :
       {"", "--kernels ref", "--memory small", "--decompression at-init", "--decompression streamed"}) {
    WriteCase(host::ReadBytes(path), inputs, 2);
    AdapterProcess adapter(Command(LUTRA_ADAPTER, options), kTimeout);
    for (int i = 0; i < 3; ++i) {
      fs::remove(folder_ / "out0.bin");
      const AdapterAnswer answer = adapter.Run("sine", folder_);
      ASSERT_EQ(answer.kind, AdapterAnswer::kOk) << options << answer.why;
      EXPECT_EQ(Output(), expected.outputs[0]) << options;
    }
  }
}

// The case's values of a graph input that is a constant are not written over the file.
TEST_F(AdaptersTest, LutraLeavesConstants) {
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {4}, .scale = 1});
  const int constant = builder.AddTensor({.shape = {4}, .scale = 1, .data = {1, 2, 3, 4}});
  const int y = builder.AddTensor({.shape = {4}, .scale = 1});
  builder.AddOperator(BuiltinOperator::kAdd, {x, constant}, {y});
  WriteCase(builder.Finish({x, constant}, {y}), {{5, 5, 5, 5}, {9, 9, 9, 9}});
  for (const char* options : {"", "--tight-arena"}) {
    const AdapterAnswer answer = Run(Command(LUTRA_ADAPTER, options));
    ASSERT_EQ(answer.kind, AdapterAnswer::kOk) << answer.why;
    EXPECT_EQ(Output(), (host::Bytes{6, 7, 8, 9})) << options;
  }
}

TEST_F(AdaptersTest, LutraGrowsItsArena) {
  WriteCase(ReluChain(2, 3 << 20), {host::Bytes(3 << 20, 7)});
  const AdapterAnswer answer = Run(Command(LUTRA_ADAPTER));
  ASSERT_EQ(answer.kind, AdapterAnswer::kOk) << answer.why;
  EXPECT_EQ(Output(), host::Bytes(3 << 20, 7));
}

TEST_F(AdaptersTest, LutraTellsRefusalFromLack) {
  WriteText(folder_ / "model.tflite", "nothing of the kind");
  AdapterAnswer answer = Run(Command(LUTRA_ADAPTER));
  EXPECT_EQ(answer.kind, AdapterAnswer::kRefused);
  EXPECT_TRUE(answer.why.starts_with("file-identifier model.tflite: ")) << answer.why;

  const auto run = [&](TensorType type, BuiltinOperator code, float output_scale) {
    ModelBuilder builder;
    const int x = builder.AddTensor({.shape = {4}, .type = type, .scale = 0.1f});
    const int y = builder.AddTensor({.shape = {4}, .type = type, .scale = output_scale});
    builder.AddOperator(code, {x}, {y});
    WriteCase(builder.Finish({x}, {y}), {host::Bytes(4)});
    return Run(Command(LUTRA_ADAPTER)).kind;
  };
  EXPECT_EQ(run(TensorType::kInt8, BuiltinOperator::kRelu, 0.1f), AdapterAnswer::kOk);
  EXPECT_EQ(run(TensorType::kInt8, static_cast<BuiltinOperator>(69), 0.1f),
            AdapterAnswer::kUnsupported);  // TILE
  EXPECT_EQ(run(TensorType::kUInt8, BuiltinOperator::kTanh, 0.1f), AdapterAnswer::kUnsupported);
  EXPECT_EQ(run(TensorType::kInt16, BuiltinOperator::kElu, 0.1f), AdapterAnswer::kUnsupported);
  EXPECT_EQ(run(TensorType::kInt8, BuiltinOperator::kLogistic, 0.1f), AdapterAnswer::kRefused);
}

TEST_F(AdaptersTest, LutraNamesTheDelegatesThatItKnows) {
  const host::Outcome outcome = host::RunProgram("--delegate npu", LUTRA_ADAPTER);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--delegate: found 'npu', required: one of example"), std::string::npos)
      << outcome.err;
}

TEST_F(AdaptersTest, RecordedCopies) {
  const fs::path recordings = folder_ / "recordings";
  fs::create_directories(recordings / "some.case.0001");
  const std::string command = Command(LUTRA_RECORDED_ADAPTER, Command(recordings));
  AdapterAnswer answer = Run(command);
  EXPECT_EQ(answer.kind, AdapterAnswer::kUnsupported);
  EXPECT_EQ(answer.why, "not recorded");
  WriteFile(recordings / "some.case.0001" / "out0.bin", {1, 2, 3});
  WriteFile(recordings / "some.case.0001" / "out1.bin", {4});
  EXPECT_EQ(Run(command).kind, AdapterAnswer::kOk);
  EXPECT_EQ(Output(0), (host::Bytes{1, 2, 3}));
  EXPECT_EQ(Output(1), (host::Bytes{4}));
  WriteText(recordings / "some.case.0001" / "refused", "scales\ndiffer");
  answer = Run(command);
  EXPECT_EQ(answer.kind, AdapterAnswer::kRefused);
  EXPECT_EQ(answer.why, "scales differ");
  EXPECT_EQ(host::RunProgram(Command(folder_ / "absent"), LUTRA_RECORDED_ADAPTER).code, 2);
}

TEST_F(AdaptersTest, MockFaultsChangeTheOutputs) {
  WriteConvolutionCase();
  ASSERT_EQ(Run(Command(LUTRA_MOCK_ADAPTER)).kind, AdapterAnswer::kOk);
  const host::Bytes right = Output();
  ASSERT_EQ(Run(Command(LUTRA_ADAPTER)).kind, AdapterAnswer::kOk);
  ASSERT_EQ(Output(), right);
  std::vector<host::Bytes> seen = {right};
#if !defined(LUTRA_SINGLE_ROUNDING)
  const std::vector<std::string> faults = {"off-by-one-at-ties", "swapped-padding", "wrong-zero-point",
                                           "single-rounding"};
#else
  const std::vector<std::string> faults = {"off-by-one-at-ties", "swapped-padding", "wrong-zero-point"};
#endif
  for (const std::string& fault : faults) {
    ASSERT_EQ(Run(Command(LUTRA_MOCK_ADAPTER, "--fault " + fault)).kind, AdapterAnswer::kOk) << fault;
    const host::Bytes output = Output();
    ASSERT_EQ(output.size(), right.size()) << fault;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), output), 0) << fault;
    seen.push_back(output);
  }
}

// Padding before instead of behind the image is the same as turning image, filter and output by 180 degrees.
TEST_F(AdaptersTest, MockSwapsThePadding) {
  WriteConvolutionCase();
  ASSERT_EQ(Run(Command(LUTRA_MOCK_ADAPTER, "--fault swapped-padding")).kind, AdapterAnswer::kOk);
  host::Bytes swapped = Output();
  std::reverse(swapped.begin(), swapped.end());
  host::Bytes image = host::ReadBytes(folder_ / "in0.bin");
  std::reverse(image.begin(), image.end());
  host::Bytes model = host::ReadBytes(folder_ / "model.tflite");
  const host::ModelFile file = host::ReadModelFile(folder_ / "model.tflite");
  const Span<const uint8_t> filter = file.model.tensor(0, 1).data;
  const auto at = model.begin() + (filter.data() - file.model.bytes().data());
  std::reverse(at, at + static_cast<std::ptrdiff_t>(filter.size()));
  WriteCase(model, {image});
  ASSERT_EQ(Run(Command(LUTRA_MOCK_ADAPTER)).kind, AdapterAnswer::kOk);
  EXPECT_EQ(Output(), swapped);
}

TEST_F(AdaptersTest, MockMisbehaves) {
  WriteConvolutionCase();
  const auto run = [&](const std::string& fault, std::chrono::milliseconds timeout = kTimeout) {
    fs::remove(folder_ / "out0.bin");
    return Run(Command(LUTRA_MOCK_ADAPTER, "--fault " + fault), timeout);
  };
  const AdapterAnswer crash = run("crash");
  EXPECT_EQ(crash.kind, AdapterAnswer::kCrash);
  EXPECT_TRUE(crash.why.starts_with("signal 6 ")) << crash.why;
  EXPECT_EQ(run("hang", std::chrono::seconds(1)).kind, AdapterAnswer::kTimeout);
  EXPECT_EQ(run("garbage-line").kind, AdapterAnswer::kError);
  EXPECT_EQ(run("missing-output").kind, AdapterAnswer::kOk);
  EXPECT_FALSE(HasOutput());
  EXPECT_EQ(run("wrong-size").kind, AdapterAnswer::kOk);
  EXPECT_EQ(Output().size(), 17u);
  EXPECT_EQ(host::RunProgram("--fault none-such", LUTRA_MOCK_ADAPTER).code, 2);
}

TEST_F(AdaptersTest, MockFailsAtEveryNthCase) {
  WriteConvolutionCase();
  AdapterProcess adapter(Command(LUTRA_MOCK_ADAPTER, "--fault missing-output --every 3"), kTimeout);
  std::string written;
  for (int i = 0; i < 7; ++i) {
    fs::remove(folder_ / "out0.bin");
    EXPECT_EQ(adapter.Run("c", folder_).kind, AdapterAnswer::kOk);
    written += HasOutput() ? 'y' : 'n';
  }
  EXPECT_EQ(written, "yynyyny");
}

// The fake library adds the number of inferences to each of 4 bytes.
TEST_F(AdaptersTest, TfliteCLoadsALibrary) {
  const std::string command = Command(LUTRA_TFLITE_C_ADAPTER, Command(LUTRA_FAKE_LIBRARY) + " --threads 2");
  EXPECT_EQ(AdapterProcess(command, kTimeout).Greeting(), "tflite_c_adapter fake-1");
  WriteCase({'m'}, {{1, 2, 3, 4}}, 3);
  const AdapterAnswer answer = Run(command);
  ASSERT_EQ(answer.kind, AdapterAnswer::kOk) << answer.why;
  EXPECT_EQ(Output(), (host::Bytes{4, 5, 6, 7}));
  WriteCase({'m'}, {{1, 2}});
  EXPECT_EQ(Run(command).kind, AdapterAnswer::kError);
  WriteText(folder_ / "model.tflite", "bad");
  EXPECT_EQ(Run(command).kind, AdapterAnswer::kRefused);
  WriteText(folder_ / "model.tflite", "lacking");
  EXPECT_EQ(Run(command).kind, AdapterAnswer::kUnsupported);
  WriteCase({'f', 'a', 'i', 'l', 'i', 'n', 'g'}, {{1, 2, 3, 4}});
  EXPECT_EQ(Run(command).kind, AdapterAnswer::kRefused);
  EXPECT_EQ(host::RunProgram("/nowhere/libnone.so", LUTRA_TFLITE_C_ADAPTER).code, 3);
}

TEST_F(AdaptersTest, TflmAnswersAsTheRuntime) {
#if !defined(LUTRA_TFLM_ADAPTER) || defined(LUTRA_SINGLE_ROUNDING)
  GTEST_SKIP() << "built without LUTRA_TFLM_DIR, or with another rounding";
#else
  const std::string command = Command(LUTRA_TFLM_ADAPTER);
  WriteConvolutionCase();
  ASSERT_EQ(Run(Command(LUTRA_ADAPTER)).kind, AdapterAnswer::kOk);
  const host::Bytes expected = Output();
  fs::remove(folder_ / "out0.bin");
  const AdapterAnswer answer = Run(command);
  ASSERT_EQ(answer.kind, AdapterAnswer::kOk) << answer.why;
  EXPECT_EQ(Output(), expected);
  ModelBuilder builder;
  const int x = builder.AddTensor({.shape = {4}, .scale = 0.1f});
  builder.AddOperator(static_cast<BuiltinOperator>(69), {x}, {x});  // TILE
  WriteFile(folder_ / "model.tflite", builder.Finish({x}, {x}));
  EXPECT_EQ(Run(command).kind, AdapterAnswer::kUnsupported);
  WriteText(folder_ / "model.tflite", "nothing of the kind");
  EXPECT_EQ(Run(command).kind, AdapterAnswer::kRefused);
  // The index is out of range, which an inference notices.
  ModelBuilder gather;
  const int values = gather.AddTensor({.shape = {4}, .scale = 0.1f});
  const int index =
      gather.AddTensor({.shape = {1, 1}, .type = TensorType::kInt32, .data = BytesOf<int32_t>({9})});
  const int taken = gather.AddTensor({.shape = {1}, .scale = 0.1f});
  gather.AddOperator(BuiltinOperator::kGatherNd, {values, index}, {taken});
  WriteCase(gather.Finish({values}, {taken}), {{1, 2, 3, 4}});
  const AdapterAnswer refused = Run(command);
  EXPECT_EQ(refused.kind, AdapterAnswer::kRefused);
  EXPECT_TRUE(refused.why.starts_with("Invoke: ")) << refused.why;
#endif
}

}  // namespace
}  // namespace lutra::conformance

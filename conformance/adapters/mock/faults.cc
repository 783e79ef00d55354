// SPDX-License-Identifier: Apache-2.0
// Each fault is a function that spoils the outputs of a case.

#include "conformance/adapters/mock/faults.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "conformance/adapters/protocol.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance::mock {
namespace {

namespace fs = std::filesystem;
using oracle::Bytes;

Bytes ReadBytesOf(const fs::path& path) {
  const std::vector<char> bytes = ReadCaseFile(path);
  return {bytes.begin(), bytes.end()};
}

// Names the profile that this build of the runtime follows, and the one with the other rounding.
#if defined(LUTRA_SINGLE_ROUNDING)
constexpr char kOwnProfile[] = "single-rounding", kOtherProfile[] = "tflm";
#else
constexpr char kOwnProfile[] = "tflm", kOtherProfile[] = "single-rounding";
#endif

fs::path FirstOutput(const fs::path& folder) { return folder / "out0.bin"; }

// Returns the outputs that the oracle gives for the case.
std::vector<Bytes> Evaluate(const oracle::ModelObjects& model, const fs::path& folder, const char* profile) {
  std::vector<Bytes> inputs;
  for (const std::vector<char>& input : ReadCaseInputs(folder))
    inputs.emplace_back(input.begin(), input.end());
  oracle::Evaluation evaluation(model, oracle::Following(*oracle::FindProfile(profile)));
  std::vector<Bytes> outputs;
  for (int left = ReadCaseInvokes(folder); left > 0; --left) outputs = evaluation.Invoke(inputs);
  return outputs;
}

void WriteOutputs(const fs::path& folder, const std::vector<Bytes>& outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    WriteCaseOutput(folder, static_cast<int>(i), outputs[i].data(), outputs[i].size());
  }
}

// Evaluates the model after `spoil`, which may change it. A model that the oracle does not know keeps its
// right outputs.
template <typename Spoil>
void SpoilOutputs(const fs::path& folder, const Spoil& spoil) {
  try {
    const auto model = oracle::ReadModel(ReadBytesOf(folder / "model.tflite"));
    WriteOutputs(folder, spoil(model.get()));
  } catch (const oracle::Unspecified&) {
  }
}

void SingleRounding(const fs::path& folder) {
  SpoilOutputs(folder,
               [&](oracle::ModelObjects* model) { return Evaluate(*model, folder, "single-rounding"); });
}

void Legacy16(const fs::path& folder) {
  SpoilOutputs(folder, [&](oracle::ModelObjects* model) { return Evaluate(*model, folder, "vta-legacy16"); });
}

// Moves every int8 element up or, at the end of the range, down.
void MoveCodes(const fs::path& folder, int by) {
  SpoilOutputs(folder, [&](oracle::ModelObjects* model) {
    std::vector<Bytes> outputs = Evaluate(*model, folder, kOwnProfile);
    const edit::SubGraphT& graph = *model->subgraphs[0];
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (graph.tensors[static_cast<size_t>(graph.outputs[k])]->type != oracle::kInt8) continue;
      for (uint8_t& code : outputs[k]) {
        const int right = static_cast<int8_t>(code);
        code = static_cast<uint8_t>(right + by <= 127 ? right + by : right - by);
      }
    }
    return outputs;
  });
}

void OffByOne(const fs::path& folder) { MoveCodes(folder, 1); }
void OffByTwo(const fs::path& folder) { MoveCodes(folder, 2); }

// Moves a code by one in the wrong direction if double and single rounding differ by one: no rule explains
// that.
void OffByOneAtTies(const fs::path& folder) {
  SpoilOutputs(folder, [&](oracle::ModelObjects* model) {
    std::vector<Bytes> outputs = Evaluate(*model, folder, kOwnProfile);
    const std::vector<Bytes> others = Evaluate(*model, folder, kOtherProfile);
    const edit::SubGraphT& graph = *model->subgraphs[0];
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (graph.tensors[static_cast<size_t>(graph.outputs[k])]->type != oracle::kInt8) continue;
      for (size_t i = 0; i < outputs[k].size(); ++i) {
        const int right = static_cast<int8_t>(outputs[k][i]);
        const int other = static_cast<int8_t>(others[k][i]);
        outputs[k][i] = static_cast<uint8_t>(std::clamp(2 * right - other, -128, 127));
      }
    }
    return outputs;
  });
}

void WrongZeroPoint(const fs::path& folder) {
  SpoilOutputs(folder, [&](oracle::ModelObjects* model) {
    edit::SubGraphT& graph = *model->subgraphs[0];
    for (const int32_t input : graph.inputs) {
      edit::TensorT& tensor = *graph.tensors[static_cast<size_t>(input)];
      if (tensor.type != oracle::kInt8 || !tensor.quantization) continue;
      for (int64_t& zero_point : tensor.quantization->zero_point) zero_point += zero_point < 127 ? 1 : -1;
    }
    return Evaluate(*model, folder, kOwnProfile);
  });
}

struct Window {
  int8_t* padding;
  int stride_h, stride_w, dilation_h, dilation_w;
};

template <typename Options>
Window WindowOf(Options* options) {
  return {&options->padding, options->stride_h, options->stride_w, options->dilation_h_factor,
          options->dilation_w_factor};
}

// SAME puts the odd element of padding behind the image; here it comes first.
std::pair<int32_t, int32_t> SwappedPadding(int in, int out, int filter, int stride, int dilation) {
  const int total = std::max(0, (out - 1) * stride + (filter - 1) * dilation + 1 - in);
  return {total - total / 2, total / 2};
}

int32_t AddTensor(edit::ModelT* model, edit::TensorT tensor, Bytes data) {
  tensor.buffer = static_cast<uint32_t>(model->buffers.size());
  model->buffers.push_back(std::make_unique<edit::BufferT>());
  model->buffers.back()->data = std::move(data);
  auto& tensors = model->subgraphs[0]->tensors;
  tensors.push_back(std::make_unique<edit::TensorT>(std::move(tensor)));
  return static_cast<int32_t>(tensors.size()) - 1;
}

// Returns a PAD with the padding of a convolution, whose own becomes VALID.
std::unique_ptr<edit::OperatorT> PadFor(edit::ModelT* model, edit::OperatorT* convolution,
                                        const Window& window) {
  constexpr int8_t kValid = 1;
  auto& tensors = model->subgraphs[0]->tensors;
  const auto tensor = [&](int32_t index) { return tensors.at(static_cast<size_t>(index)).get(); };
  edit::TensorT image = *tensor(convolution->inputs.at(0));
  const auto &filter = tensor(convolution->inputs.at(1))->shape,
             &out = tensor(convolution->outputs.at(0))->shape;
  if (image.shape.size() != 4 || filter.size() != 4 || out.size() != 4) throw oracle::Unspecified("no image");
  const auto rows = SwappedPadding(image.shape[1], out[1], filter[1], window.stride_h, window.dilation_h);
  const auto columns = SwappedPadding(image.shape[2], out[2], filter[2], window.stride_w, window.dilation_w);
  image.shape[1] += rows.first + rows.second;
  image.shape[2] += columns.first + columns.second;
  Bytes numbers(8 * sizeof(int32_t));
  // Numbers are little-endian; paddings are far below 256.
  const int32_t paddings[] = {rows.first, rows.second, columns.first, columns.second};
  for (size_t i = 0; i < 4; ++i) numbers[(2 + i) * sizeof(int32_t)] = static_cast<uint8_t>(paddings[i]);
  edit::TensorT table;
  table.shape = {4, 2};
  table.type = oracle::kInt32;

  auto pad = std::make_unique<edit::OperatorT>();
  pad->opcode_index = static_cast<uint32_t>(model->operator_codes.size());
  model->operator_codes.push_back(std::make_unique<edit::OperatorCodeT>());
  model->operator_codes.back()->builtin_code = static_cast<int32_t>(edit::BuiltinOperator::PAD);
  pad->inputs = {convolution->inputs[0], AddTensor(model, table, numbers)};
  pad->outputs = {AddTensor(model, image, {})};
  convolution->inputs[0] = pad->outputs[0];
  *window.padding = kValid;
  return pad;
}

void SwapPadding(const fs::path& folder) {
  SpoilOutputs(folder, [&](oracle::ModelObjects* model) {
    constexpr int8_t kSame = 0;
    auto& operators = model->subgraphs[0]->operators;
    for (size_t i = 0; i < operators.size(); ++i) {
      edit::OperatorT& op = *operators[i];
      Window window = {};
      if (auto* conv = op.builtin_options.AsConv2DOptions()) window = WindowOf(conv);
      if (auto* depthwise = op.builtin_options.AsDepthwiseConv2DOptions()) window = WindowOf(depthwise);
      if (window.padding == nullptr || *window.padding != kSame) continue;
      operators.insert(operators.begin() + static_cast<std::ptrdiff_t>(i), PadFor(model, &op, window));
      ++i;
    }
    return Evaluate(*model, folder, kOwnProfile);
  });
}

void Crash(const fs::path&) { std::abort(); }

[[noreturn]] void Hang(const fs::path&) {
  for (;;) pause();
}

void PrintGarbage(const fs::path&) { std::cout << "a line that some library prints\n"; }

void RemoveOutput(const fs::path& folder) { fs::remove(FirstOutput(folder)); }

void LengthenOutput(const fs::path& folder) {
  fs::resize_file(FirstOutput(folder), fs::file_size(FirstOutput(folder)) + 1);
}

void AddOutput(const fs::path& folder) {
  int outputs = 0;
  while (fs::exists(folder / ("out" + std::to_string(outputs) + ".bin"))) ++outputs;
  const uint8_t byte = 0;
  WriteCaseOutput(folder, outputs, &byte, sizeof byte);
}

// Replaces the bits of each element of float32 outputs by `change` of them.
template <typename Change>
void ChangeFloats(const fs::path& folder, const Change& change) {
  SpoilOutputs(folder, [&](oracle::ModelObjects* model) {
    std::vector<Bytes> outputs = Evaluate(*model, folder, kOwnProfile);
    const edit::SubGraphT& graph = *model->subgraphs[0];
    for (size_t k = 0; k < outputs.size(); ++k) {
      if (graph.tensors[static_cast<size_t>(graph.outputs[k])]->type != oracle::kFloat32) continue;
      for (size_t i = 0; i + sizeof(uint32_t) <= outputs[k].size(); i += sizeof(uint32_t)) {
        uint32_t bits = 0;
        std::memcpy(&bits, &outputs[k][i], sizeof bits);
        bits = change(bits);
        std::memcpy(&outputs[k][i], &bits, sizeof bits);
      }
    }
    return outputs;
  });
}

void GiveNan(const fs::path& folder) {
  ChangeFloats(folder, [](uint32_t) { return uint32_t{0x7fc00000}; });
}

void GiveInfinity(const fs::path& folder) {
  ChangeFloats(folder, [](uint32_t bits) { return (bits & 0x80000000) | 0x7f800000; });
}

void NegateZero(const fs::path& folder) {
  ChangeFloats(folder, [](uint32_t bits) { return bits == 0 ? uint32_t{0x80000000} : bits; });
}

}  // namespace

const std::vector<Fault>& Faults() {
  static const std::vector<Fault> faults = {
      {"off-by-one-at-ties", "off by one where double and single rounding differ", OffByOneAtTies},
      {"off-by-one", "every int8 code is off by one", OffByOne},
      {"off-by-two", "every int8 code is off by two", OffByTwo},
      {"single-rounding", "requantises with one rounding", SingleRounding},
      {"legacy16", "requantises as the first delegate for VTA", Legacy16},
      {"swapped-padding", "SAME convolutions have the odd border element in front", SwapPadding},
      {"wrong-zero-point", "the inputs' zero points are off by one", WrongZeroPoint},
      {"crash", "the process aborts", Crash},
      {"hang", "no answer comes", Hang},
      {"garbage-line", "a line of something else comes before the answer", PrintGarbage},
      {"missing-output", "out0.bin is not written", RemoveOutput},
      {"wrong-size", "out0.bin is a byte too long", LengthenOutput},
      {"extra-output", "there is an output more than the model has", AddOutput},
      {"nan", "float32 outputs are not numbers", GiveNan},
      {"infinity", "float32 outputs are infinite", GiveInfinity},
      {"negative-zero", "zeros of float32 outputs are negative", NegateZero},
  };
  return faults;
}

}  // namespace lutra::conformance::mock

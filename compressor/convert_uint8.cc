// SPDX-License-Identifier: Apache-2.0
// Converts uint8 with zero points to the int8 specification.

#include "compressor/convert_uint8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "compressor/candidates.h"
#include "compressor/channels.h"
#include "compressor/qsnr.h"
#include "host/json_archive.h"
#include "host/printable.h"
#include "host/progress.h"

namespace lutra::compressor {
namespace {

constexpr int64_t kShift = 128;
constexpr int64_t kLargestWeight = 127;
constexpr auto kUint8 = static_cast<int8_t>(TensorType::kUInt8);
constexpr auto kInt8 = static_cast<int8_t>(TensorType::kInt8);
constexpr auto kInt32 = static_cast<int8_t>(TensorType::kInt32);

// Operators whose input 1 is weights and input 2 the bias, with the dimension of the weights that is the
// output channels, and the versions that these operators have for int8.
struct Int8Operator {
  BuiltinOperator code;
  int version;
  int weights_dimension = -1;  // -1: the operator has no weights.
};
constexpr Int8Operator kOperators[] = {
    {BuiltinOperator::kAdd, 2},
    {BuiltinOperator::kAveragePool2D, 2},
    {BuiltinOperator::kConcatenation, 2},
    {BuiltinOperator::kConv2D, 3, 0},
    {BuiltinOperator::kDepthwiseConv2D, 3, 3},
    {BuiltinOperator::kFullyConnected, 4, 0},
    {BuiltinOperator::kMaxPool2D, 2},
    {BuiltinOperator::kPad, 2},
    {BuiltinOperator::kReshape, 1},
    {BuiltinOperator::kSoftmax, 2},
    {BuiltinOperator::kQuantize, 1},
    {BuiltinOperator::kDequantize, 2},
};

const Int8Operator* Find(BuiltinOperator code) {
  const auto found = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [code](const Int8Operator& op) { return op.code == code; });
  return found == std::end(kOperators) ? nullptr : &*found;
}

class Converter {
 public:
  Converter(const host::ModelFile& file, WeightScales scales) : editor_(file), scales_(scales) {
    result_.path = file.path;
    result_.bytes_before = static_cast<int64_t>(file.bytes.size());
  }

  Uint8Conversion Run() {
    RequireUncompressed(editor_);
    RequireUint8();
    for (int s = 0; s < editor_.subgraph_count(); ++s) {
      CheckOperators(s);
      ConvertLayers(s);
      ShiftTheRest(s);
      RequantizeConcatenated(s);
    }
    SetVersions();
    std::sort(result_.tensors.begin(), result_.tensors.end(),
              [](const ConvertedTensor& a, const ConvertedTensor& b) { return a.id < b.id; });
    result_.file = editor_.Write();
    // Loading the file checks that the runtime takes it.
    (void)LoadModel(result_.file, editor_.path());
    return std::move(result_);
  }

 private:
  [[noreturn]] void Refuse(int s, int t, const std::string& found, const std::string& required,
                           const std::string& next) const {
    throw host::BadInput(fmt::format("{}: tensor {} \"{}\": found {}, required: {}; {}", editor_.path(),
                                     ToText({s, t}), host::Printable(editor_.tensor(s, t).name), found,
                                     required, next));
  }

  bool IsUint8(int s, int t) const { return t >= 0 && editor_.tensor(s, t).type == kUint8; }

  void RequireUint8() const {
    for (int s = 0; s < editor_.subgraph_count(); ++s) {
      for (const auto& tensor : editor_.subgraph(s).tensors) {
        if (tensor->type == kUint8) return;
      }
    }
    throw host::BadInput(
        fmt::format("{}: uint8: found no tensor of it, required: a model of the scheme before int8; "
                    "it needs no conversion",
                    editor_.path()));
  }

  BuiltinOperator CodeOf(const edit::OperatorT& op) const {
    return static_cast<BuiltinOperator>(editor_.CodeOf(op));
  }

  // Checks that each tensor of uint8 has a scale and a zero point, and that each operator that reads one is
  // known.
  void CheckOperators(int s) const {
    const edit::SubGraphT& graph = editor_.subgraph(s);
    for (size_t n = 0; n < graph.operators.size(); ++n) {
      const edit::OperatorT& op = *graph.operators[n];
      for (const auto* list : {&op.inputs, &op.outputs}) {
        for (const int32_t t : *list) {
          if (!IsUint8(s, t)) continue;
          CheckTensor(s, t);
          if (Find(CodeOf(op)) != nullptr) continue;
          Refuse(s, t, fmt::format("uint8 in operator {} ({})", n, host::Printable(editor_.NameOf(op))),
                 "operators whose uint8 has an int8 of the same arithmetic",
                 "convert the original model to int8");
        }
      }
    }
  }

  void CheckTensor(int s, int t) const {
    const auto& q = editor_.tensor(s, t).quantization;
    if (!q || q->scale.size() != 1 || q->zero_point.size() != 1) {
      Refuse(s, t, fmt::format("{} scales", q ? q->scale.size() : 0), "one scale and one zero point",
             "convert the original model to int8");
    }
    if (!(q->scale[0] > 0 && std::isfinite(q->scale[0])) || q->zero_point[0] < 0 || q->zero_point[0] > 255) {
      Refuse(s, t, fmt::format("scale {} and zero point {}", q->scale[0], q->zero_point[0]),
             "a finite scale above 0 and a zero point from 0 to 255", "convert the original model to int8");
    }
  }

  void ConvertLayers(int s) {
    host::Progress progress(editor_.path() + ": requantising");
    const size_t count = editor_.subgraph(s).operators.size();
    for (size_t n = 0; n < count; ++n) {
      progress.Update(static_cast<int64_t>(n), static_cast<int64_t>(count));
      edit::OperatorT& op = *editor_.subgraph(s).operators[n];
      const Int8Operator* const known = Find(CodeOf(op));
      if (known == nullptr || known->weights_dimension < 0 || op.inputs.size() < 2) continue;
      if (!IsUint8(s, op.inputs[0]) || !IsUint8(s, op.inputs[1])) continue;
      ConvertLayer(s, op, static_cast<size_t>(known->weights_dimension));
    }
  }

  void ConvertLayer(int s, edit::OperatorT& op, size_t dimension) {
    if (editor_.data(s, op.inputs[1]).empty()) {
      Refuse(s, op.inputs[1], "weights that are computed", "weights that are constant",
             "the int8 specification has no zero point for them");
    }
    const float in_scale = editor_.tensor(s, op.inputs[0]).quantization->scale[0];
    const float before = editor_.tensor(s, op.inputs[1]).quantization->scale[0];
    const int32_t w = editor_.OwnInput(s, &op, 1);
    const std::vector<float> scales = ConvertWeights(s, w, dimension);
    if (op.inputs.size() < 3 || op.inputs[2] < 0) return;
    const edit::TensorT& bias = editor_.tensor(s, op.inputs[2]);
    if (bias.type != kInt32 || editor_.data(s, op.inputs[2]).empty()) {
      Refuse(s, op.inputs[2], "a bias that is no constant of int32", "one that is",
             "convert the original model to int8");
    }
    ConvertBias(s, editor_.OwnInput(s, &op, 2), double{in_scale} * double{before}, in_scale, scales);
  }

  // Returns the new scales: one, or one for each channel.
  std::vector<float> ConvertWeights(int s, int32_t t, size_t dimension) {
    edit::TensorT& tensor = editor_.tensor(s, t);
    const Bytes codes = editor_.data(s, t);
    const float scale = tensor.quantization->scale[0];
    const int64_t zero_point = tensor.quantization->zero_point[0];
    if (tensor.shape.size() <= dimension) Refuse(s, t, "fewer dimensions", "those of weights", "mend it");
    const bool per_channel = scales_ == WeightScales::kChannel;
    const Channels channels = ChannelsAlong(tensor.shape, per_channel ? static_cast<int>(dimension) : -1);
    std::vector<int64_t> largest(channels.count, 0);
    for (size_t i = 0; i < codes.size(); ++i) {
      int64_t& most = largest[channels.Of(i)];
      most = std::max<int64_t>(most, std::abs(codes[i] - zero_point));
    }
    std::vector<float> scales;
    for (const int64_t most : largest) {
      scales.push_back(most <= kLargestWeight
                           ? scale
                           : static_cast<float>(double{scale} * static_cast<double>(most) / kLargestWeight));
    }
    Bytes converted;
    Qsnr qsnr;
    for (size_t i = 0; i < codes.size(); ++i) {
      const double real = static_cast<double>(codes[i] - zero_point) * double{scale};
      const double after = double{scales[channels.Of(i)]};
      const auto code = std::clamp<int64_t>(std::llround(real / after), -kLargestWeight, kLargestWeight);
      converted.push_back(static_cast<uint8_t>(static_cast<int8_t>(code)));
      qsnr.Add(real, static_cast<double>(code) * after);
    }
    Report(s, t, "weights", *std::max_element(scales.begin(), scales.end()), 0, qsnr.db());
    tensor.type = kInt8;
    tensor.buffer = editor_.AddBuffer(std::move(converted));
    tensor.quantization->scale = scales;
    tensor.quantization->zero_point.assign(scales.size(), 0);
    tensor.quantization->quantized_dimension = static_cast<int32_t>(per_channel ? dimension : 0);
    return scales;
  }

  void ConvertBias(int s, int32_t t, double scale_before, float in_scale, const std::vector<float>& scales) {
    edit::TensorT& tensor = editor_.tensor(s, t);
    const Bytes data = editor_.data(s, t);
    const size_t count = data.size() / 4;
    Bytes converted;
    Qsnr qsnr;
    std::vector<float> after;
    for (const float scale : scales) after.push_back(in_scale * scale);
    if (after.size() > 1 && after.size() != count)
      Refuse(s, t, "another size", "one value for each channel", "mend it");
    for (size_t i = 0; i < count; ++i) {
      uint32_t bits = 0;
      for (size_t b = 0; b < 4; ++b) bits |= uint32_t{data[4 * i + b]} << (8 * b);
      const double real = static_cast<double>(static_cast<int32_t>(bits)) * scale_before;
      const auto to = double{after[after.size() > 1 ? i : 0]};
      // The product of tiny scales may be 0.
      const double code = to > 0 ? std::clamp<double>(std::round(real / to), INT32_MIN, INT32_MAX) : 0;
      const auto value = static_cast<uint32_t>(static_cast<int32_t>(code));
      for (size_t b = 0; b < 4; ++b) converted.push_back(static_cast<uint8_t>(value >> (8 * b)));
      qsnr.Add(real, code * to);
    }
    if (!tensor.quantization) tensor.quantization = std::make_unique<edit::QuantizationParametersT>();
    if (tensor.quantization->scale.empty()) tensor.quantization->scale = {static_cast<float>(scale_before)};
    if (tensor.quantization->zero_point.empty()) tensor.quantization->zero_point = {0};
    Report(s, t, "bias", *std::max_element(after.begin(), after.end()), 0, qsnr.db());
    tensor.buffer = editor_.AddBuffer(std::move(converted));
    tensor.quantization->scale = after;
    tensor.quantization->zero_point.assign(after.size(), 0);
    tensor.quantization->quantized_dimension = 0;
  }

  // Shifts activations, and constants that are read like activations.
  void ShiftTheRest(int s) {
    const auto count = static_cast<int32_t>(editor_.subgraph(s).tensors.size());
    for (int32_t t = 0; t < count; ++t) {
      edit::TensorT& tensor = editor_.tensor(s, t);
      if (tensor.type != kUint8) continue;
      CheckTensor(s, t);
      const int64_t zero_point = tensor.quantization->zero_point[0] - kShift;
      Bytes codes = editor_.data(s, t);
      Report(s, t, codes.empty() ? "activation" : "constant", tensor.quantization->scale[0], zero_point,
             std::numeric_limits<double>::infinity());
      tensor.type = kInt8;
      tensor.quantization->zero_point[0] = zero_point;
      if (codes.empty()) continue;
      for (uint8_t& code : codes) code ^= 0x80;
      tensor.buffer = editor_.AddBuffer(std::move(codes));
    }
  }

  // In the int8 specification the inputs and the output of CONCATENATION have one scale.
  void RequantizeConcatenated(int s) {
    auto& operators = editor_.subgraph(s).operators;
    for (size_t n = 0; n < operators.size(); ++n) {
      if (CodeOf(*operators[n]) != BuiltinOperator::kConcatenation) continue;
      const int32_t out = operators[n]->outputs.empty() ? -1 : operators[n]->outputs[0];
      if (out < 0 || editor_.tensor(s, out).type != kInt8 || !editor_.tensor(s, out).quantization) continue;
      for (size_t i = 0; i < operators[n]->inputs.size(); ++i) {
        const int32_t t = operators[n]->inputs[i];
        if (t < 0 || IsLike(s, t, out)) continue;
        edit::TensorT rescaled = editor_.tensor(s, t);
        rescaled.buffer = 0;
        rescaled.name += "_rescaled";
        rescaled.quantization =
            std::make_unique<edit::QuantizationParametersT>(*editor_.tensor(s, out).quantization);
        auto quantize = std::make_unique<edit::OperatorT>();
        quantize->opcode_index = QuantizeCode();
        quantize->inputs = {t};
        quantize->outputs = {editor_.AddTensor(s, std::move(rescaled))};
        operators[n]->inputs[i] = quantize->outputs[0];
        operators.insert(operators.begin() + static_cast<std::ptrdiff_t>(n), std::move(quantize));
        ++n;
        ++result_.quantize_operators;
      }
    }
  }

  bool IsLike(int s, int32_t a, int32_t b) const {
    const auto& x = editor_.tensor(s, a).quantization;
    const auto& y = editor_.tensor(s, b).quantization;
    return x && y && x->scale == y->scale && x->zero_point == y->zero_point;
  }

  uint32_t QuantizeCode() {
    auto& codes = editor_.model().operator_codes;
    constexpr auto kCode = static_cast<int32_t>(BuiltinOperator::kQuantize);
    for (size_t i = 0; i < codes.size(); ++i) {
      if (static_cast<int32_t>(codes[i]->builtin_code) == kCode) return static_cast<uint32_t>(i);
    }
    auto code = std::make_unique<edit::OperatorCodeT>();
    code->builtin_code = kCode;
    code->deprecated_builtin_code = static_cast<int8_t>(kCode);
    codes.push_back(std::move(code));
    return static_cast<uint32_t>(codes.size() - 1);
  }

  void SetVersions() {
    for (const auto& code : editor_.model().operator_codes) {
      const int32_t number =
          std::max<int32_t>(static_cast<int32_t>(code->builtin_code), code->deprecated_builtin_code);
      const Int8Operator* const known = Find(static_cast<BuiltinOperator>(number));
      if (known != nullptr) code->version = std::max(code->version, known->version);
    }
  }

  void Report(int s, int32_t t, const char* role, float scale, int64_t zero_point, double qsnr_db) {
    const edit::TensorT& tensor = editor_.tensor(s, t);
    result_.tensors.push_back({.id = {s, t},
                               .name = tensor.name,
                               .role = role,
                               .scale_before = tensor.quantization->scale[0],
                               .scale_after = scale,
                               .zero_point_before = tensor.quantization->zero_point[0],
                               .zero_point_after = zero_point,
                               .qsnr_db = qsnr_db});
  }

  ModelEditor editor_;
  WeightScales scales_;
  Uint8Conversion result_;
};

}  // namespace

Uint8Conversion ConvertUint8(const host::ModelFile& file, WeightScales scales) {
  return Converter(file, scales).Run();
}

std::string ConversionTable(const Uint8Conversion& conversion) {
  constexpr size_t kLongestName = 18;
  std::string text = fmt::format("{:>6} {:<18} {:<10} {:>10} {:>5} {:>10} {:>5} {:>9}\n", "tensor", "name",
                                 "role", "scale", "zero", "becomes", "zero", "QSNR dB");
  for (const ConvertedTensor& t : conversion.tensors) {
    text += fmt::format("{:>6} {:<18} {:<10} {:>10.5g} {:>5} {:>10.5g} {:>5} {:>9}\n", ToText(t.id),
                        host::ShortName(t.name, kLongestName), t.role, t.scale_before, t.zero_point_before,
                        t.scale_after, t.zero_point_after,
                        std::isinf(t.qsnr_db) ? "lossless" : fmt::format("{:.2f}", t.qsnr_db));
  }
  if (conversion.quantize_operators > 0) {
    text += fmt::format("{} QUANTIZE added before CONCATENATION\n", conversion.quantize_operators);
  }
  return text;
}

template <typename Archive>
void Fields(Archive& archive, const ConvertedTensor& tensor) {
  archive("subgraph", tensor.id.subgraph);
  archive("index", tensor.id.tensor);
  archive("name", host::Printable(tensor.name));
  archive("role", tensor.role);
  archive("scale_before", tensor.scale_before);
  archive("zero_point_before", tensor.zero_point_before);
  archive("scale_after", tensor.scale_after);
  archive("zero_point_after", tensor.zero_point_after);
  archive("qsnr_db", tensor.qsnr_db);
}

template <typename Archive>
void Fields(Archive& archive, const Uint8Conversion& conversion) {
  archive("schema_version", host::kResultSchemaVersion);
  archive("model", conversion.path);
  archive("bytes_before", conversion.bytes_before);
  archive("bytes_after", conversion.file.size());
  archive("quantize_operators", conversion.quantize_operators);
  archive("tensors", conversion.tensors);
}

std::string ConversionJson(const Uint8Conversion& conversion) {
  return host::JsonText(host::ToJson(conversion), 1);
}

}  // namespace lutra::compressor

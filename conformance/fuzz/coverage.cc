// SPDX-License-Identifier: Apache-2.0
// Sorts the attributes of nodes into buckets.

#include "conformance/fuzz/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

#include "conformance/oracle/model.h"
#include "conformance/oracle/operators.h"
#include "lutra/row_groups.h"

namespace lutra::conformance {
namespace {

// ---- Buckets

constexpr const char* kFlag[] = {"no", "yes"};
constexpr const char* kPadding[] = {"SAME", "VALID"};
constexpr const char* kActivation[] = {"none", "RELU", "RELU_N1_TO_1", "RELU6"};
constexpr const char* kMirror[] = {"REFLECT", "SYMMETRIC"};
constexpr const char* kSmall[] = {"1", "2", "3-4", "5-8", "9+"};
constexpr const char* kStep[] = {"1", "2", "3+"};
constexpr const char* kSize[] = {"1", "2-4", "5-16", "17-64", "65-256", "257+"};
constexpr const char* kElements[] = {"1", "2-16", "17-256", "257-4096", "4097+"};
constexpr const char* kRank[] = {"0-1", "2", "3", "4", "5+"};
constexpr const char* kPlace[] = {"alone", "in a graph", "in a graph with a row plan"};
constexpr const char* kZeroPoint[] = {"-128", "0", "127", "other"};
constexpr const char* kSign[] = {"negative", "0", "positive"};
constexpr const char* kSecondShape[] = {"equal", "one element", "broadcast"};
constexpr const char* kScales[] = {"one", "of each channel"};
constexpr const char* kGroups[] = {"1", "2+", "of one channel each"};
constexpr const char* kSource[] = {"stored", "compressed", "computed"};

using Buckets = std::span<const char* const>;

// Returns the first bucket whose bound is not below `value`; the last one if there is none.
size_t Below(int64_t value, std::initializer_list<int64_t> bounds) {
  size_t bucket = 0;
  for (const int64_t bound : bounds) {
    if (value <= bound) return bucket;
    ++bucket;
  }
  return bucket;
}

// ---- Attributes

// Counts the attributes of one node of a model.
class NodeAttributes {
 public:
  using Sink = std::function<void(const char* attribute, Buckets buckets, size_t bucket)>;
  NodeAttributes(const edit::ModelT& model, const edit::OperatorT& op, const oracle::Operator* row,
                 const Sink& sink)
      : model_(model), graph_(*model.subgraphs[0]), op_(op), row_(row), sink_(sink) {}

  void Tell() {
    sink_("place", kPlace, HasMetadata(kRowPlanName) ? 2 : graph_.operators.size() > 1 ? 1 : 0);
    TellTensors();
    if (row_ != nullptr && row_->operands.inputs.find(oracle::kWeights) != std::string_view::npos) {
      TellWeights();
    }
    TellWindow();
    TellOptions();
  }

 private:
  const edit::TensorT* Tensor(const std::vector<int32_t>& indices, size_t i) const {
    if (i >= indices.size() || indices[i] < 0) return nullptr;
    return graph_.tensors[static_cast<size_t>(indices[i])].get();
  }
  const edit::TensorT* Input(size_t i) const { return Tensor(op_.inputs, i); }
  // Returns the first input that is no shape, axis or index.
  const edit::TensorT* Activation() const {
    const size_t at = row_ == nullptr ? 0 : row_->operands.inputs.find(oracle::kActivation);
    return Input(at == std::string_view::npos ? 0 : at);
  }
  const edit::TensorT* Output(size_t i) const { return Tensor(op_.outputs, i); }

  void Flag(const char* attribute, bool is_set) { sink_(attribute, kFlag, is_set ? 1 : 0); }
  void Small(const char* attribute, int64_t value) { sink_(attribute, kSmall, Below(value, {1, 2, 4, 8})); }
  void Step(const char* attribute, int64_t value) { sink_(attribute, kStep, Below(value, {1, 2})); }
  void Size(const char* attribute, int64_t value) {
    sink_(attribute, kSize, Below(value, {1, 4, 16, 64, 256}));
  }
  void Sign(const char* attribute, double value) {
    sink_(attribute, kSign, value < 0 ? 0 : value > 0 ? 2 : 1);
  }
  void Padding(int8_t padding) { sink_("padding", kPadding, padding == 0 ? 0 : 1); }
  void Fused(int8_t activation) {
    if (activation >= 0 && activation <= 3) sink_("activation", kActivation, static_cast<size_t>(activation));
  }
  void ZeroPoint(const char* attribute, const edit::TensorT* tensor) {
    if (tensor == nullptr || tensor->type != oracle::kInt8 || !tensor->quantization) return;
    if (tensor->quantization->zero_point.size() != 1) return;
    const int64_t point = tensor->quantization->zero_point[0];
    sink_(attribute, kZeroPoint, point == -128 ? 0 : point == 0 ? 1 : point == 127 ? 2 : 3);
  }

  // Returns whether the specification fixes the output's zero point.
  bool HasFixedOutput() const {
    static constexpr const char* kFixed[] = {"LOGISTIC", "TANH", "SOFTMAX", "LOG_SOFTMAX",
                                             "L2_NORMALIZATION"};
    return row_ != nullptr && std::any_of(std::begin(kFixed), std::end(kFixed),
                                          [&](const char* name) { return row_->name() == name; });
  }
  // Returns whether the operator fixes the rank: it reads images, or is SVDF.
  bool HasFixedRank() const {
    const edit::BuiltinOptionsUnion& u = op_.builtin_options;
    return HasWindow() || u.AsSpaceToDepthOptions() != nullptr || u.AsDepthToSpaceOptions() != nullptr ||
           u.AsResizeBilinearOptions() != nullptr || u.AsResizeNearestNeighborOptions() != nullptr ||
           u.AsSVDFOptions() != nullptr;
  }
  bool HasWindow() const {
    return op_.builtin_options.AsConv2DOptions() != nullptr ||
           op_.builtin_options.AsDepthwiseConv2DOptions() != nullptr ||
           op_.builtin_options.AsTransposeConvOptions() != nullptr ||
           op_.builtin_options.AsPool2DOptions() != nullptr;
  }

  void TellTensors() {
    const edit::TensorT* const out = Output(0);
    if (out != nullptr) {
      sink_("output elements", kElements, Below(oracle::ElementCount(out->shape), {1, 16, 256, 4096}));
      if (!out->shape.empty()) Size("last dimension of the output", out->shape.back());
      if (!HasFixedOutput()) ZeroPoint("zero point of the output", out);
    }
    const edit::TensorT* const in = Activation();
    if (in == nullptr) return;
    ZeroPoint("zero point of the first input", in);
    if (row_ != nullptr && !HasFixedRank()) {
      sink_("rank of the first input", kRank, Below(static_cast<int64_t>(in->shape.size()), {1, 2, 3, 4}));
    }
    if (row_ != nullptr && row_->operands.inputs == "xx" && Input(1) != nullptr) TellPair(*in, *Input(1));
  }
  void TellPair(const edit::TensorT& a, const edit::TensorT& b) {
    const auto has_one = [](const edit::TensorT& tensor) { return oracle::ElementCount(tensor.shape) == 1; };
    sink_("shapes of the pair", kSecondShape, a.shape == b.shape ? 0 : has_one(a) || has_one(b) ? 1 : 2);
    Flag("one of the pair is constant",
         !oracle::DataOf(model_, a).empty() || !oracle::DataOf(model_, b).empty());
    Flag("both are one tensor", &a == &b);
  }

  bool HasMetadata(const char* name) const {
    return std::any_of(model_.metadata.begin(), model_.metadata.end(),
                       [name](const auto& metadata) { return metadata->name == name; });
  }

  void TellWeights() {
    const size_t at = row_->operands.inputs.find(oracle::kWeights);
    const edit::TensorT* const weights = Input(at);
    if (weights == nullptr) return;
    const bool is_decoded =
        std::any_of(graph_.operators.begin(), graph_.operators.end(), [&](const auto& op) {
          return oracle::NameOf(model_, *op) != row_->name() &&
                 std::find(op->outputs.begin(), op->outputs.end(), op_.inputs[at]) != op->outputs.end();
        });
    const bool is_packed = HasMetadata("COMPRESSION_METADATA");
    sink_("weights", kSource, is_decoded || is_packed ? 1 : oracle::DataOf(model_, *weights).empty() ? 2 : 0);
    if (weights->quantization && !weights->quantization->scale.empty()) {
      sink_("scales of the weights", kScales, weights->quantization->scale.size() > 1 ? 1 : 0);
    }
    const size_t bias = row_->operands.inputs.find(oracle::kBias);
    if (bias != std::string_view::npos) Flag("bias", Input(bias) != nullptr);
    const edit::TensorT* const in = Activation();
    if (in != nullptr && !in->shape.empty()) Size("input channels", in->shape.back());
  }

  void TellWindow() {
    const edit::TensorT *const in = Activation(), *const filter = Input(1);
    const bool is_layer = op_.builtin_options.AsConv2DOptions() != nullptr ||
                          op_.builtin_options.AsDepthwiseConv2DOptions() != nullptr ||
                          op_.builtin_options.AsTransposeConvOptions() != nullptr;
    if (is_layer && filter != nullptr && filter->shape.size() == 4) {
      Small("rows of the window", filter->shape[1]);
      Small("columns of the window", filter->shape[2]);
    }
    if (op_.builtin_options.AsConv2DOptions() != nullptr && in != nullptr && filter != nullptr &&
        in->shape.size() == 4 && filter->shape.size() == 4 && filter->shape[3] > 0) {
      const int32_t groups = in->shape[3] / filter->shape[3];
      sink_("groups", kGroups, groups == 1 ? 0 : filter->shape[3] > 1 ? 1 : 2);
    }
    if (HasWindow() && in != nullptr && !in->shape.empty()) Step("batches", in->shape[0]);
  }

  template <typename Options>
  void TellSteps(const Options& o) {
    Padding(o.padding);
    Step("stride_h", o.stride_h);
    Step("stride_w", o.stride_w);
    Fused(o.fused_activation_function);
  }
  template <typename Options>
  void TellDilation(const Options& o) {
    Step("dilation_h_factor", o.dilation_h_factor);
    Step("dilation_w_factor", o.dilation_w_factor);
  }

  void TellOptions() {
    const edit::BuiltinOptionsUnion& u = op_.builtin_options;
    if (const auto* o = u.AsConv2DOptions()) TellSteps(*o), TellDilation(*o);
    if (const auto* o = u.AsDepthwiseConv2DOptions()) {
      TellSteps(*o), TellDilation(*o);
      Small("depth_multiplier", o->depth_multiplier);
    }
    if (const auto* o = u.AsTransposeConvOptions()) TellSteps(*o);
    if (const auto* o = u.AsPool2DOptions()) {
      TellSteps(*o);
      Small("rows of the window", o->filter_height);
      Small("columns of the window", o->filter_width);
    }
    if (const auto* o = u.AsFullyConnectedOptions()) {
      Fused(o->fused_activation_function);
      Flag("keep_num_dims", o->keep_num_dims);
    }
    if (const auto* o = u.AsBatchMatMulOptions()) Flag("adj_x", o->adj_x), Flag("adj_y", o->adj_y);
    if (const auto* o = u.AsSVDFOptions()) {
      Small("rank", o->rank);
      Fused(o->fused_activation_function);
    }
    TellSums(u);
    TellMoves(u);
  }

  void TellSums(const edit::BuiltinOptionsUnion& u) {
    if (const auto* o = u.AsAddOptions()) Fused(o->fused_activation_function);
    if (const auto* o = u.AsSubOptions()) Fused(o->fused_activation_function);
    if (const auto* o = u.AsMulOptions()) Fused(o->fused_activation_function);
    if (const auto* o = u.AsDivOptions()) Fused(o->fused_activation_function);
    if (const auto* o = u.AsReducerOptions()) {
      Flag("keep_dims", o->keep_dims);
      if (Input(1) != nullptr) Small("axes", oracle::ElementCount(Input(1)->shape));
    }
    if (const auto* o = u.AsLeakyReluOptions()) Sign("alpha", static_cast<double>(o->alpha));
    if (const auto* o = u.AsGeluOptions()) Flag("approximate", o->approximate);
    if (const auto* o = u.AsResizeBilinearOptions()) {
      Flag("align_corners", o->align_corners), Flag("half_pixel_centers", o->half_pixel_centers);
    }
    if (const auto* o = u.AsResizeNearestNeighborOptions()) {
      Flag("align_corners", o->align_corners), Flag("half_pixel_centers", o->half_pixel_centers);
    }
  }

  void TellMoves(const edit::BuiltinOptionsUnion& u) {
    if (const auto* o = u.AsConcatenationOptions()) {
      Sign("axis", o->axis);
      Small("parts", static_cast<int64_t>(op_.inputs.size()));
    }
    if (const auto* o = u.AsPackOptions()) Sign("axis", o->axis), Small("parts", o->values_count);
    if (const auto* o = u.AsUnpackOptions()) Sign("axis", o->axis), Small("parts", o->num);
    if (const auto* o = u.AsSplitOptions()) Small("parts", o->num_splits);
    if (const auto* o = u.AsSplitVOptions()) Small("parts", o->num_splits);
    if (const auto* o = u.AsGatherOptions()) Sign("axis", o->axis), Step("batch_dims", o->batch_dims + 1);
    if (const auto* o = u.AsMirrorPadOptions()) sink_("mode", kMirror, o->mode == 0 ? 0 : 1);
    if (const auto* o = u.AsSpaceToDepthOptions()) Small("block_size", o->block_size);
    if (const auto* o = u.AsDepthToSpaceOptions()) Small("block_size", o->block_size);
    if (const auto* o = u.AsStridedSliceOptions()) {
      Flag("begin_mask", o->begin_mask != 0), Flag("end_mask", o->end_mask != 0);
      Flag("ellipsis_mask", o->ellipsis_mask != 0), Flag("new_axis_mask", o->new_axis_mask != 0);
      Flag("shrink_axis_mask", o->shrink_axis_mask != 0), Flag("offset", o->offset);
    }
    if (const auto* o = u.AsSqueezeOptions()) Flag("squeeze_dims", !o->squeeze_dims.empty());
  }

  const edit::ModelT& model_;
  const edit::SubGraphT& graph_;
  const edit::OperatorT& op_;
  const oracle::Operator* const row_;
  const Sink& sink_;
};

// Names the buckets of an attribute that were met, and those that were not.
std::string Line(const AttributeCoverage& attribute) {
  std::string met, never;
  for (size_t i = 0; i < attribute.counts.size(); ++i) {
    if (attribute.counts[i] == 0) {
      never += fmt::format("{}{}", never.empty() ? "" : ", ", attribute.buckets[i]);
    } else {
      met += fmt::format("{}{}: {}", met.empty() ? "" : ", ", attribute.buckets[i], attribute.counts[i]);
    }
  }
  return met + (never.empty() ? "" : "; never " + never);
}

}  // namespace

void Coverage::Count(const Case& test) {
  if (!test.must_refuse.empty()) return;
  const auto model = oracle::ReadModel(test.model);
  // The other subgraph only initialises variables.
  for (const auto& op : model->subgraphs[0]->operators) {
    const std::string name = oracle::NameOf(*model, *op);
    auto& attributes = operators_[name];
    const NodeAttributes::Sink sink = [&](const char* attribute, Buckets buckets, size_t bucket) {
      AttributeCoverage& coverage = attributes[attribute];
      if (coverage.buckets.empty()) {
        coverage.buckets.assign(buckets.begin(), buckets.end());
        coverage.counts.resize(buckets.size());
      }
      ++coverage.counts[std::min(bucket, buckets.size() - 1)];
    };
    NodeAttributes(*model, *op, oracle::FindOperator(name), sink).Tell();
  }
}

void Coverage::Add(const Coverage& other) {
  for (const auto& [op, attributes] : other.operators_) {
    for (const auto& [name, theirs] : attributes) {
      AttributeCoverage& ours = operators_[op][name];
      for (size_t i = 0; i < theirs.counts.size(); ++i) {
        const auto found = std::find(ours.buckets.begin(), ours.buckets.end(), theirs.buckets[i]);
        const auto at = static_cast<size_t>(found - ours.buckets.begin());
        if (found == ours.buckets.end()) {
          ours.buckets.push_back(theirs.buckets[i]);
          ours.counts.push_back(0);
        }
        ours.counts[at] += theirs.counts[i];
      }
    }
  }
}

Coverage Coverage::FromJson(const nlohmann::ordered_json& json) {
  Coverage coverage;
  for (const auto& [op, attributes] : json.items()) {
    for (const auto& [name, counts] : attributes.items()) {
      AttributeCoverage& attribute = coverage.operators_[op][name];
      for (const auto& [bucket, count] : counts.items()) {
        attribute.buckets.push_back(bucket);
        attribute.counts.push_back(count.get<int64_t>());
      }
    }
  }
  return coverage;
}

int64_t Coverage::buckets() const {
  int64_t count = 0;
  for (const auto& [op, attributes] : operators_) {
    for (const auto& [name, attribute] : attributes) count += static_cast<int64_t>(attribute.counts.size());
  }
  return count;
}

int64_t Coverage::never() const {
  int64_t count = 0;
  for (const auto& [op, attributes] : operators_) {
    for (const auto& [name, attribute] : attributes) {
      count += std::count(attribute.counts.begin(), attribute.counts.end(), 0);
    }
  }
  return count;
}

std::string Coverage::Text() const {
  std::string text;
  for (const auto& [op, attributes] : operators_) {
    for (const auto& [name, attribute] : attributes) {
      text += fmt::format("{:<26}{:<30}{}\n", op, name, Line(attribute));
    }
  }
  return text + fmt::format("coverage: {} of {} buckets of {} operators were met, {} never\n",
                            buckets() - never(), buckets(), operators_.size(), never());
}

nlohmann::ordered_json Coverage::Json() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [op, attributes] : operators_) {
    for (const auto& [name, attribute] : attributes) {
      auto& counts = json[op][name];
      for (size_t i = 0; i < attribute.counts.size(); ++i) counts[attribute.buckets[i]] = attribute.counts[i];
    }
  }
  return json;
}

}  // namespace lutra::conformance

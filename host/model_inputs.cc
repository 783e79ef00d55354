// SPDX-License-Identifier: Apache-2.0
// Makes inputs of a model: from a seed, or from files that must fit.

#include "host/model_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "host/core/byte_order.h"
#include "host/core/seeded_input.h"
#include "host/npy.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"

namespace lutra::host {

namespace {

using Bytes = std::vector<uint8_t>;

// Returns the file's elements in the machine's byte order: an .npy file has a type, other files are taken as
// bytes.
Bytes ReadInput(const std::string& path, int input, const TensorInfo& info) {
  const auto bytes = static_cast<size_t>(info.bytes);
  NpyArray array;
  AlignedBytes raw;
  const uint8_t* from = nullptr;
  if (path.ends_with(".npy")) {
    array = ReadNpy(path);
    if (array.type != info.type || array.bytes != bytes) {
      throw BadInput(
          fmt::format("{}: input {} needs {} bytes of {}, the file holds {} of {}; check the array", path,
                      input, bytes, ToString(info.type), array.bytes, ToString(array.type)));
    }
    from = array.data;
  } else {
    raw = ReadFileBytes(path);
    if (raw.size() != bytes) {
      throw BadInput(fmt::format("{}: input {} needs {} bytes, the file holds {}; check the file", path,
                                 input, bytes, raw.size()));
    }
    from = raw.data();
  }
  Bytes values(from, from + bytes);
  SwapToOrFromLittleEndian(info.type, values.data(), bytes);
  return values;
}

// Limits of a tensor's values within which no operator refuses them.
struct Limits {
  int64_t below = INT64_MAX;             // Values are indices: not negative, and less than this.
  std::optional<int32_t> at_least = {};  // The zero point, if a root is taken.
  std::optional<int32_t> is_not = {};    // The zero point, if it is a divisor.
  std::optional<Shape> shape = {};       // The values must be these dimensions.

  void Add(const Limits& other) {
    below = std::min(below, other.below);
    if (other.at_least) at_least = std::max(at_least.value_or(*other.at_least), *other.at_least);
    if (other.is_not) is_not = other.is_not;
    if (other.shape) shape = other.shape;
  }
};

// Returns whether the operator copies values of its inputs to its outputs, at any place.
bool MovesValues(BuiltinOperator code) {
  using enum BuiltinOperator;
  static constexpr BuiltinOperator kMovers[] = {
      kBatchToSpaceNd, kBroadcastTo, kCast,    kConcatenation, kDepthToSpace, kExpandDims,     kGather,
      kGatherNd,       kPack,        kReshape, kReverseV2,     kSlice,        kSpaceToBatchNd, kSpaceToDepth,
      kSplit,          kSplitV,      kSqueeze, kStridedSlice,  kTranspose,    kUnpack};
  return std::find(std::begin(kMovers), std::end(kMovers), code) != std::end(kMovers);
}

// Returns the smallest of the dimensions from which the indices of a GATHER or GATHER_ND choose.
int64_t IndexedElements(const Model& model, const NodeInfo& node) {
  const Shape shape = model.tensor(0, node.inputs[0]).shape;
  if (node.code == BuiltinOperator::kGather) {
    AxisOptions options;
    if (!ReadAxisOptions(node, &options)) return 1;
    const int32_t axis = options.axis < 0 ? options.axis + shape.rank : options.axis;
    return axis >= 0 && axis < shape.rank ? shape[axis] : 1;
  }
  int64_t least = INT64_MAX;
  const int depth = std::min(model.tensor(0, node.inputs[1]).shape.Depth(), shape.rank);
  for (int i = 0; i < depth; ++i) least = std::min<int64_t>(least, shape[i]);
  return least;
}

// Returns the smallest number of positions, of all dimensions, at which a SLICE may begin.
int64_t PlacesOfSlice(const Shape& input, const Shape& output) {
  int64_t least = INT64_MAX;
  for (int i = 0; i < std::min(input.rank, output.rank); ++i) {
    least = std::min<int64_t>(least, int64_t{input[i]} - output[i] + 1);
  }
  return least;
}

// Returns the limits that the operator sets to its operand's values. Operand 0 must be there, and operand 1
// unless the operator has only one.
Limits LimitsOfOperand(const Model& model, const NodeInfo& node, int operand) {
  using enum BuiltinOperator;
  if (node.code == kRsqrt) return {.at_least = model.tensor(0, node.inputs[0]).zero_point};
  if (node.inputs.size() < 2) return {};
  const TensorInfo second = model.tensor(0, node.inputs[1]);
  switch (node.code) {
    case kBroadcastArgs:
      // Dimensions of 0 or 1 always broadcast.
      return {.below = 2};
    case kDiv:
      return operand == 1 ? Limits{.is_not = second.zero_point} : Limits{};
    case kEmbeddingLookup:
      return operand == 0 && second.shape.rank > 0 ? Limits{.below = second.shape[0]} : Limits{};
    case kGather:
    case kGatherNd:
      return operand == 1 ? Limits{.below = IndexedElements(model, node)} : Limits{};
    case kSlice: {
      if (operand == 0 || node.outputs.size() == 0) return {};
      const Shape output = model.tensor(0, node.outputs[0]).shape;
      if (operand == 2) return {.shape = output};
      return {.below = PlacesOfSlice(model.tensor(0, node.inputs[0]).shape, output)};
    }
    case kTransposeConv:
      if (operand == 0 && node.outputs.size() > 0) return {.shape = model.tensor(0, node.outputs[0]).shape};
      return {};
    case kCustom:
      if (operand == 1 && std::string_view(node.custom_code) == kSignalFilterBankSquareRoot.custom_code) {
        return {.below = 32};
      }
      return {};
    default:
      return {};
  }
}

// Returns whether a loop may use the tensor as a counter, which should be small.
bool MayCount(const TensorInfo& info) {
  return info.shape.Count() == 1 && (info.type == TensorType::kInt32 || info.type == TensorType::kInt64);
}

// Finds the limits of each tensor of the main graph, from its last node to its first.
std::vector<Limits> LimitsOfTensors(const Model& model) {
  std::vector<Limits> limits(static_cast<size_t>(model.tensor_count(0)));
  const auto of = [&limits](int32_t tensor) -> Limits& { return limits[static_cast<size_t>(tensor)]; };
  for (int n = model.node_count(0) - 1; n >= 0; --n) {
    const NodeInfo node = model.node(0, n);
    if (MovesValues(node.code)) {
      for (int i = 0; i < node.inputs.size(); ++i) {
        for (int o = 0; o < node.outputs.size() && node.inputs[i] >= 0; ++o) {
          of(node.inputs[i]).Add(of(node.outputs[o]));
        }
      }
    }
    for (int i = 0; i < node.inputs.size() && node.code == BuiltinOperator::kWhile; ++i) {
      if (node.inputs[i] >= 0 && MayCount(model.tensor(0, node.inputs[i])))
        of(node.inputs[i]).Add({.below = 10});
    }
    bool are_there = true;
    for (int i = 0; i < std::min(node.inputs.size(), 2); ++i) are_there = are_there && node.inputs[i] >= 0;
    for (int i = 0; i < std::min(node.inputs.size(), 3) && are_there; ++i) {
      if (node.inputs[i] >= 0) of(node.inputs[i]).Add(LimitsOfOperand(model, node, i));
    }
  }
  return limits;
}

// Makes values of an integer type, and changes those that exceed the limits.
template <typename T>
void Keep(const Limits& limits, Bytes* values) {
  if (limits.shape && values->size() == static_cast<size_t>(limits.shape->rank) * sizeof(T)) {
    for (int i = 0; i < limits.shape->rank; ++i) {
      const auto value = static_cast<T>(limits.shape->dims[i]);
      std::memcpy(values->data() + static_cast<size_t>(i) * sizeof value, &value, sizeof value);
    }
    return;
  }
  for (size_t at = 0; at + sizeof(T) <= values->size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, values->data() + at, sizeof value);
    if (limits.below != INT64_MAX) {
      const uint64_t below = std::min(static_cast<uint64_t>(std::max<int64_t>(limits.below, 1)),
                                      static_cast<uint64_t>(std::numeric_limits<T>::max()) + 1);
      value = static_cast<T>(static_cast<std::make_unsigned_t<T>>(value) % below);
    } else if (limits.at_least && value < *limits.at_least) {
      value = static_cast<T>(~value < *limits.at_least ? *limits.at_least : ~value);
    } else if (limits.is_not && value == *limits.is_not) {
      value = static_cast<T>(value ^ 1);
    }
    std::memcpy(values->data() + at, &value, sizeof value);
  }
}

void KeepInside(const Limits& limits, TensorType type, Bytes* values) {
  if (type == TensorType::kInt8) Keep<int8_t>(limits, values);
  if (type == TensorType::kInt16) Keep<int16_t>(limits, values);
  if (type == TensorType::kInt32) Keep<int32_t>(limits, values);
  if (type == TensorType::kInt64) Keep<int64_t>(limits, values);
}

}  // namespace

std::vector<Bytes> SeededInputs(const Model& model, uint64_t seed) {
  SeededInput seeded(seed);
  const std::vector<Limits> limits = LimitsOfTensors(model);
  std::vector<Bytes> inputs;
  for (int i = 0; i < model.inputs(0).size(); ++i) {
    const TensorInfo info = model.tensor(0, model.inputs(0)[i]);
    inputs.emplace_back(static_cast<size_t>(info.bytes));
    FillSeeded(seeded, info.type, inputs.back().data(), inputs.back().size());
    KeepInside(limits[static_cast<size_t>(model.inputs(0)[i])], info.type, &inputs.back());
  }
  return inputs;
}

std::vector<Bytes> ReadInputs(const ModelFile& file, const std::vector<std::string>& paths) {
  const PackedList<int32_t> indices = file.model.inputs(0);
  const auto count = static_cast<size_t>(indices.count);
  if (paths.size() != count) {
    throw BadInput(
        fmt::format("{}: input-count: found {} --input files, required {}; give one for each graph input",
                    file.path, paths.size(), count));
  }
  std::vector<Bytes> inputs;
  for (int i = 0; i < indices.size(); ++i) {
    inputs.push_back(ReadInput(paths[static_cast<size_t>(i)], i, file.model.tensor(0, indices[i])));
  }
  return inputs;
}

void FillInputs(MicroInterpreter& interpreter, const std::vector<std::vector<uint8_t>>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor input = interpreter.input(static_cast<int>(i));
    // A constant lies in the file, and kernels may have packed it.
    if (!input.info.is_constant()) std::memcpy(input.data, inputs[i].data(), inputs[i].size());
  }
}

}  // namespace lutra::host

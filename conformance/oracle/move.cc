// SPDX-License-Identifier: Apache-2.0
// Operators that reorder, join, divide or pick elements.

#include "conformance/oracle/both_schemes.h"
#include "conformance/oracle/broadcast.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {

void ForEachPart(const Node& node, const std::function<void(int input, const Axes& axes)>& f) {
  const auto& options = OptionsOf(node.op().builtin_options.AsConcatenationOptions());
  if (options.fused_activation_function != 0) node.Refuse("a fused activation");
  const Shape& shape = node.output(0).shape;
  const size_t d = Dimension(node, options.axis, shape.size());
  int64_t begin = 0;
  for (int i = 0; i < node.input_count(); ++i) {
    const Shape& part = node.input(i).shape;
    if (part.size() != shape.size()) node.Refuse("an input of another rank");
    Shape expected = shape;
    expected[d] = part[d];
    if (part != expected) node.Refuse("an input of another shape");
    Axes axes = Whole(shape);
    axes[d] = Part(axes[d], begin, part[d]);
    f(i, axes);
    begin += part[d];
  }
  if (begin != shape[d]) node.Refuse("inputs that do not fill the output");
}

namespace {

// ---- CONCATENATION, PACK, SPLIT, SPLIT_V, UNPACK

void EvalConcatenation(const Node& node, const ArithmeticRule&) {
  const Quantization out = QuantizationOf(node.output(0));
  Bytes result = SpaceFor(node, 0, 0);
  ForEachPart(node, [&](int i, const Axes& axes) {
    const edit::TensorT& input = node.input(i);
    const Quantization in = QuantizationOf(input);
    if (input.type != node.output(0).type) node.Refuse("inputs of different types");
    if (input.type == kInt8 && (in.scale != out.scale || in.zero_point != out.zero_point)) {
      node.Refuse("an input with another scale or zero point than the output");
    }
    PlaceIn(node, i, axes, &result);
  });
  node.PutBytes(0, std::move(result));
}

void EvalPack(const Node& node, const ArithmeticRule&) {
  const Shape& shape = node.output(0).shape;
  const size_t d = Dimension(node, OptionsOf(node.op().builtin_options.AsPackOptions()).axis, shape.size());
  if (shape[d] != node.input_count()) node.Refuse("inputs that do not fill the output");
  Shape of_part = shape;
  of_part.erase(of_part.begin() + static_cast<std::ptrdiff_t>(d));
  Bytes result = SpaceFor(node, 0, 0);
  for (int i = 0; i < node.input_count(); ++i) {
    if (node.input(i).type != node.output(0).type) node.Refuse("inputs of different types");
    if (node.input(i).shape != of_part) node.Refuse("an input of another shape");
    Axes axes = Whole(shape);
    axes[d] = Part(axes[d], i, 1);
    PlaceIn(node, i, axes, &result);
  }
  node.PutBytes(0, std::move(result));
}

// Fills the outputs one after the other, with `sizes` positions each.
void Divide(const Node& node, int input, size_t dimension, const Codes& sizes) {
  if (sizes.size() != static_cast<size_t>(node.output_count())) node.Refuse("the number of outputs");
  const Axes whole = Whole(node.input(input).shape);
  int64_t begin = 0;
  for (int i = 0; i < node.output_count(); ++i) {
    const int64_t size = sizes[static_cast<size_t>(i)];
    Axes axes = whole;
    axes[dimension] = Part(whole[dimension], begin, size);
    TakeFrom(node, input, axes, i);
    begin += size;
  }
  if (begin != node.input(input).shape[dimension]) node.Refuse("outputs that do not make up the input");
}

void EvalSplit(const Node& node, const ArithmeticRule&) {
  const Shape& shape = node.input(1).shape;
  const size_t d = Dimension(node, Scalar(node, 0), shape.size());
  const int count = node.output_count();
  if (count == 0 || shape[d] % count != 0) node.Refuse("outputs that do not divide the input");
  Divide(node, 1, d, Codes(static_cast<size_t>(count), shape[d] / count));
}

void EvalSplitV(const Node& node, const ArithmeticRule&) {
  const Shape& shape = node.input(0).shape;
  const size_t d = Dimension(node, Scalar(node, 2), shape.size());
  Codes sizes = node.Get(1);
  // One size may be -1: the elements that the others leave.
  int64_t* rest = nullptr;
  int64_t left = shape[d];
  for (int64_t& size : sizes) {
    if (size == -1 && rest == nullptr) {
      rest = &size;
    } else if (size < 0 || size > left) {
      node.Refuse("sizes that do not make up the input");
    } else {
      left -= size;
    }
  }
  if (rest != nullptr) *rest = left;
  Divide(node, 0, d, sizes);
}

void EvalUnpack(const Node& node, const ArithmeticRule&) {
  const size_t rank = node.input(0).shape.size();
  const int32_t axis = OptionsOf(node.op().builtin_options.AsUnpackOptions()).axis;
  Divide(node, 0, Dimension(node, axis, rank), Codes(static_cast<size_t>(node.output_count()), 1));
}

// ---- TRANSPOSE, REVERSE_V2, SLICE, STRIDED_SLICE

void EvalTranspose(const Node& node, const ArithmeticRule&) {
  const Codes order = node.Get(1);
  const Axes whole = Whole(node.input(0).shape);
  if (order.size() != whole.size()) node.Refuse("not a permutation of the dimensions");
  Axes axes;
  std::vector<bool> used(order.size());
  for (const int64_t dimension : order) {
    const size_t d = Dimension(node, dimension, order.size());
    if (used[d]) node.Refuse("not a permutation of the dimensions");
    used[d] = true;
    axes.push_back(whole[d]);
  }
  TakeFrom(node, 0, axes, 0);
}

void EvalReverseV2(const Node& node, const ArithmeticRule&) {
  Axes axes = Whole(node.input(0).shape);
  std::vector<bool> reversed(axes.size());
  for (const int64_t dimension : node.Get(1)) reversed[Dimension(node, dimension, axes.size())] = true;
  for (size_t d = 0; d < axes.size(); ++d) {
    if (reversed[d]) std::reverse(axes[d].begin(), axes[d].end());
  }
  TakeFrom(node, 0, axes, 0);
}

void EvalSlice(const Node& node, const ArithmeticRule&) {
  const Codes begins = node.Get(1), sizes = node.Get(2);
  Axes axes = Whole(node.input(0).shape);
  if (begins.size() != axes.size() || sizes.size() != axes.size()) {
    node.Refuse("not one begin and size for each dimension");
  }
  for (size_t d = 0; d < axes.size(); ++d) {
    const auto dim = static_cast<int64_t>(axes[d].size());
    if (begins[d] < 0 || begins[d] > dim) node.Refuse("a begin out of range");
    // A size of -1 extends to the end.
    const int64_t size = sizes[d] == -1 ? dim - begins[d] : sizes[d];
    if (size < 0 || size > dim - begins[d]) node.Refuse("a size out of range");
    axes[d] = Part(axes[d], begins[d], size);
  }
  TakeFrom(node, 0, axes, 0);
}

// Returns positions of one dimension. Null begin or end: from the first, or up to and including the last.
Axis StridedPart(const Axis& axis, const int64_t* begin, const int64_t* end, int64_t stride) {
  const auto dim = static_cast<int64_t>(axis.size());
  const int64_t lowest = stride > 0 ? 0 : -1;
  const auto bound = [&](int64_t position) {
    return Clamp(position < 0 ? position + dim : position, lowest, lowest + dim);
  };
  const int64_t first = begin != nullptr ? bound(*begin) : stride > 0 ? 0 : dim - 1;
  const int64_t limit = end != nullptr ? bound(*end) : stride > 0 ? dim : -1;
  Axis part;
  for (int64_t k = first; stride > 0 ? k < limit : k > limit; k += stride) part.push_back(At(axis, k));
  return part;
}

void EvalStridedSlice(const Node& node, const ArithmeticRule&) {
  const auto& options = OptionsOf(node.op().builtin_options.AsStridedSliceOptions());
  if (options.ellipsis_mask != 0 || options.new_axis_mask != 0 || options.offset) {
    node.Refuse("an ellipsis, a new axis or an end that is an offset");
  }
  const Codes begins = node.Get(1), ends = node.Get(2), strides = node.Get(3);
  Axes axes = Whole(node.input(0).shape);
  if (begins.size() > axes.size() || ends.size() != begins.size() || strides.size() != begins.size()) {
    node.Refuse("not one begin, end and stride for each dimension");
  }
  for (size_t d = 0; d < begins.size(); ++d) {
    const auto is_in = [&](int32_t mask) { return d < 32 && (static_cast<uint32_t>(mask) >> d & 1) != 0; };
    if (strides[d] == 0) node.Refuse("a stride of 0");
    // No dimension is longer than this.
    const int64_t stride = Clamp(strides[d], -INT32_MAX, INT32_MAX);
    const int64_t* begin = is_in(options.begin_mask) ? nullptr : &begins[d];
    if (is_in(options.shrink_axis_mask)) {
      // One position is taken, whatever the end.
      const size_t position = begin == nullptr ? 0 : Dimension(node, *begin, axes[d].size());
      axes[d] = {axes[d][position]};
    } else {
      axes[d] = StridedPart(axes[d], begin, is_in(options.end_mask) ? nullptr : &ends[d], stride);
    }
  }
  TakeFrom(node, 0, axes, 0);
}

// ---- BROADCAST_TO, SELECT_V2

void EvalBroadcastTo(const Node& node, const ArithmeticRule&) {
  const Shape& shape = node.output(0).shape;
  const Broadcast of_input(shape, node.input(0).shape);
  std::vector<int64_t> indices(static_cast<size_t>(ElementCount(shape)));
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int64_t>(of_input[i]);
  PutTaken(node, 0, indices, 0);
}

void EvalSelectV2(const Node& node, const ArithmeticRule&) {
  const edit::TensorT& output = node.output(0);
  if (node.input(0).type != kBool) node.Refuse("a condition that is no BOOL");
  if (node.input(1).type != output.type || node.input(2).type != output.type) {
    node.Refuse("inputs of different types");
  }
  const Bytes &condition = node.GetBytes(0), &x = node.GetBytes(1), &y = node.GetBytes(2);
  const Broadcast of_condition(output.shape, node.input(0).shape);
  const Broadcast of_x(output.shape, node.input(1).shape), of_y(output.shape, node.input(2).shape);
  const auto size = static_cast<size_t>(BytesOf(output.type));
  Bytes result(static_cast<size_t>(ElementCount(output.shape)) * size);
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t element = i / size, byte = i % size;
    result[i] = condition[of_condition[element]] != 0 ? x[of_x[element] * size + byte]
                                                      : y[of_y[element] * size + byte];
  }
  node.PutBytes(0, std::move(result));
}

// ---- GATHER, GATHER_ND

// Returns the shape with each run of dimensions that ends before one of `ends` merged into one.
Shape Merged(const Shape& shape, const std::vector<size_t>& ends) {
  const int64_t count = ElementCount(shape);
  if (count == 0 || count > INT32_MAX) throw Unspecified("a shape out of range");
  Shape merged;
  size_t d = 0;
  for (const size_t end : ends) {
    merged.push_back(1);
    for (; d < end; ++d) merged.back() *= shape[d];
  }
  return merged;
}

// The output is [batch..., outer..., the other dimensions of the indices..., inner...].
void EvalGather(const Node& node, const ArithmeticRule&) {
  const auto& options = OptionsOf(node.op().builtin_options.AsGatherOptions());
  const Shape &shape = node.input(0).shape, &picks_shape = node.input(1).shape;
  const size_t d = Dimension(node, options.axis, shape.size());
  const auto picks_rank = static_cast<int64_t>(picks_shape.size());
  const int64_t batch_option = options.batch_dims + (options.batch_dims < 0 ? picks_rank : int64_t{0});
  if (batch_option < 0 || batch_option > picks_rank || batch_option > static_cast<int64_t>(d)) {
    node.Refuse("batch dimensions out of range");
  }
  const auto batch_dims = static_cast<size_t>(batch_option);
  if (!std::equal(shape.begin(), shape.begin() + batch_option, picks_shape.begin())) {
    node.Refuse("batch dimensions that differ");
  }
  const Axes axes = Whole(Merged(shape, {batch_dims, d, d + 1, shape.size()}));
  const Codes picks = node.Get(1);
  const Axes of_picks = Whole(Merged(picks_shape, {batch_dims, picks_shape.size()}));
  const int64_t count = ElementCount(node.output(0).shape);
  const auto batches = static_cast<int64_t>(axes[0].size());
  std::vector<int64_t> indices;
  for (size_t b = 0; b < axes[0].size(); ++b) {
    Axis picked;
    for (const int64_t k : of_picks[1]) {
      picked.push_back(At(axes[2], picks[static_cast<size_t>(of_picks[0][b] + k)]));
    }
    const std::vector<int64_t> of_batch = Indices({{axes[0][b]}, axes[1], picked, axes[3]}, count / batches);
    indices.insert(indices.end(), of_batch.begin(), of_batch.end());
  }
  PutTaken(node, 0, indices, 0);
}

// The last dimension of the indices gives a position in the first dimensions of the input.
void EvalGatherNd(const Node& node, const ArithmeticRule&) {
  const Axes whole = Whole(node.input(0).shape);
  const Shape& picks_shape = node.input(1).shape;
  if (picks_shape.empty()) node.Refuse("indices without a dimension");
  const auto depth = static_cast<size_t>(picks_shape.back());
  if (depth == 0 || depth > whole.size()) node.Refuse("positions of more dimensions than the input");
  const Codes picks = node.Get(1);
  Axis picked(picks.size() / depth);
  for (size_t i = 0; i < picks.size(); ++i) picked[i / depth] += At(whole[i % depth], picks[i]);
  Axes axes = {std::move(picked)};
  axes.insert(axes.end(), whole.begin() + static_cast<std::ptrdiff_t>(depth), whole.end());
  TakeFrom(node, 0, axes, 0);
}

// ---- EMBEDDING_LOOKUP, DYNAMIC_UPDATE_SLICE

// Picks rows of the second input by the ids in the first.
void EvalEmbeddingLookup(const Node& node, const ArithmeticRule&) {
  Axes axes = Whole(node.input(1).shape);
  if (axes.size() < 2) node.Refuse("a table of fewer than 2 dimensions");
  Axis picked;
  for (const int64_t id : node.Get(0)) picked.push_back(At(axes[0], id));
  axes[0] = std::move(picked);
  TakeFrom(node, 1, axes, 0);
}

// Writes the second input into the first, at a start that is moved so that it lies inside.
void EvalDynamicUpdateSlice(const Node& node, const ArithmeticRule&) {
  Axes axes = Whole(node.input(0).shape);
  const Shape& update = node.input(1).shape;
  const Codes start = node.Get(2);
  if (node.input(1).type != node.input(0).type) node.Refuse("inputs of different types");
  if (update.size() != axes.size() || start.size() != axes.size()) node.Refuse("an update of another rank");
  for (size_t d = 0; d < axes.size(); ++d) {
    const int64_t last = static_cast<int64_t>(axes[d].size()) - update[d];
    if (last < 0) node.Refuse("an update that is larger");
    axes[d] = Part(axes[d], Clamp(start[d], 0, last), update[d]);
  }
  Bytes result = node.GetBytes(0);
  PlaceIn(node, 1, axes, &result);
  node.PutBytes(0, std::move(result));
}

// Outputs the latest slices, the oldest first; before the first slice they are code 0.
void EvalCircularBuffer(const Node& node, const ArithmeticRule&) {
  if (node.CustomOption("cycles_max") != 1) node.Refuse("inferences without an output");
  const Codes x = node.Get(0);
  auto& memory = node.memory();
  if (memory.empty()) {
    const auto count = static_cast<size_t>(ElementCount(node.output(0).shape));
    memory.assign(1, Codes(count, QuantizationOf(node.output(0)).zero_point));
  }
  Codes& slices = memory[0];
  if (x.empty() || slices.size() % x.size() != 0) node.Refuse("an output that is no number of slices");
  slices.insert(slices.end(), x.begin(), x.end());
  slices.erase(slices.begin(), slices.begin() + static_cast<std::ptrdiff_t>(x.size()));
  node.Put(0, slices);
}

constexpr Operator kMoveRows[] = {
    Custom("CIRCULAR_BUFFER", {"x", "x"}, EvalCircularBuffer),
    {BuiltinOperator::CONCATENATION, {"x+", "x"}, {kExact}, EvalConcatenation},
    {BuiltinOperator::SPLIT, {"px", "x+"}, {kExact}, EvalSplit},
    {BuiltinOperator::SPLIT_V, {"xpp", "x+"}, {kExact}, EvalSplitV},
    {BuiltinOperator::PACK, {"x+", "x"}, {kExact}, EvalPack},
    {BuiltinOperator::UNPACK, {"x", "x+"}, {kExact}, EvalUnpack},
    {BuiltinOperator::TRANSPOSE, {"xp", "x"}, {kExact}, EvalTranspose},
    {BuiltinOperator::SLICE, {"xpp", "x"}, {kExact}, EvalSlice},
    {BuiltinOperator::STRIDED_SLICE, {"xppp", "x"}, {kExact}, EvalStridedSlice},
    {BuiltinOperator::REVERSE_V2, {"xp", "x"}, {kExact}, EvalReverseV2},
    {BuiltinOperator::BROADCAST_TO, {"xp", "x"}, {kExact}, EvalBroadcastTo},
    {BuiltinOperator::GATHER, {"xp", "x"}, {kExact}, EvalGather},
    {BuiltinOperator::GATHER_ND, {"xp", "x"}, {kExact}, EvalGatherNd},
    {BuiltinOperator::EMBEDDING_LOOKUP, {"-x", "x"}, {kExact}, EvalEmbeddingLookup},
    {BuiltinOperator::DYNAMIC_UPDATE_SLICE, {"xx-", "x"}, {kExact}, EvalDynamicUpdateSlice},
    {BuiltinOperator::SELECT_V2, {"-xx", "x"}, {kExact}, EvalSelectV2},
};

}  // namespace

const OperatorFamily kMoveOperators = kMoveRows;

}  // namespace lutra::conformance::oracle

// SPDX-License-Identifier: Apache-2.0
// Checks shapes, axes, indices and options that an operator needs: wrong ones make it read or write outside
// of tensors, or have no meaning.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "conformance/linter/site.h"

namespace lutra::conformance::linter {
namespace {

// Returns the axis as an index, or -1 if it is out of range.
int64_t Resolve(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) return -1;
  return axis < 0 ? axis + rank : axis;
}

std::string Text(const oracle::Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

void CheckActivation(const Site& site) {
  // Allowed are NONE, RELU, RELU_N1_TO_1 and RELU6.
  if (site.is_int8() && (site.activation() < 0 || site.activation() > 3)) {
    site.Report({}, fmt::format("fused activation {}", site.activation()), "0 to 3");
  }
}

void CheckElements(const Site& site) {
  if (site.input(0).count() == site.output(0).count()) return;
  site.Report(site.output(0), fmt::format("{} elements", site.output(0).count()),
              fmt::format("{}", site.input(0).count()));
}

void CheckSqueezedDims(const Site& site) {
  const auto* options = site.op().builtin_options.AsSqueezeOptions();
  for (const int32_t dim : oracle::OptionsOf(options).squeeze_dims) {
    const int64_t axis = Resolve(dim, site.input(0).rank());
    if (axis >= 0 && site.input(0).dim(static_cast<int>(axis)) == 1) continue;
    site.Report(site.input(0), fmt::format("dimension {} of {}", dim, Text(site.input(0).tensor->shape)),
                "a dimension of size 1");
  }
}

void CheckBroadcast(const Site& site) {
  const Operand a = site.input(0), b = site.input(1), out = site.output(0);
  for (int i = 1; i <= std::max(a.rank(), b.rank()); ++i) {
    const int64_t x = i <= a.rank() ? a.dim(a.rank() - i) : 1;
    const int64_t y = i <= b.rank() ? b.dim(b.rank() - i) : 1;
    const int64_t z = i <= out.rank() ? out.dim(out.rank() - i) : 1;
    if ((x == y || x == 1 || y == 1) && z == (x == 1 ? y : x)) continue;
    return site.Report(
        out,
        fmt::format("{} and {} to {}", Text(a.tensor->shape), Text(b.tensor->shape), Text(out.tensor->shape)),
        "shapes that broadcast");
  }
}

void CheckAxes(const Site& site) {
  const auto axes = site.Integers(site.input(1));
  if (!axes) return;
  for (const int64_t axis : *axes) {
    if (Resolve(axis, site.input(0).rank()) >= 0) continue;
    site.Report(site.input(1), fmt::format("axis {}", axis), fmt::format("of {}", site.input(0).rank()));
  }
}

void CheckGather(const Site& site) {
  const auto* options = site.op().builtin_options.AsGatherOptions();
  const int64_t axis = Resolve(oracle::OptionsOf(options).axis, site.input(0).rank());
  if (axis < 0) {
    return site.Report(site.input(0), fmt::format("axis {}", oracle::OptionsOf(options).axis),
                       fmt::format("of {}", site.input(0).rank()));
  }
  const int64_t size = site.input(0).dim(static_cast<int>(axis));
  const auto indices = site.Integers(site.input(1));
  if (!indices) return;
  for (const int64_t index : *indices) {
    if (index >= 0 && index < size) continue;
    return site.Report(site.input(1), fmt::format("index {}", index), fmt::format("0 to {}", size - 1));
  }
}

void CheckSlice(const Site& site) {
  const auto begin = site.Integers(site.input(1)), size = site.Integers(site.input(2));
  if (!begin || !size) return;
  for (size_t i = 0; i < std::min(begin->size(), size->size()); ++i) {
    const int64_t dim = site.input(0).dim(static_cast<int>(i)), b = (*begin)[i], s = (*size)[i];
    if (b >= 0 && b <= dim && s >= -1 && s <= dim - b) continue;
    return site.Report(site.input(1), fmt::format("{} from {} in dimension {}", s, b, i),
                       fmt::format("within {}", dim));
  }
}

void CheckStrides(const Site& site) {
  const auto strides = site.Integers(site.input(3));
  if (strides && std::count(strides->begin(), strides->end(), 0) != 0) {
    site.Report(site.input(3), "stride 0", "not 0");
  }
}

void CheckSplitSizes(const Site& site) {
  const auto sizes = site.Integers(site.input(1)), axis = site.Integers(site.input(2));
  if (!sizes || !axis || axis->empty()) return;
  const int64_t dim = site.input(0).dim(static_cast<int>(Resolve((*axis)[0], site.input(0).rank())));
  // The sum may wrap, since a file may hold any sizes.
  const auto sum = static_cast<int64_t>(std::accumulate(sizes->begin(), sizes->end(), uint64_t{0}));
  // One size may be left open.
  const bool open = std::count(sizes->begin(), sizes->end(), -1) == 1;
  if (dim > 0 && (open ? sum < dim : sum == dim)) return;
  site.Report(site.input(1), fmt::format("sizes that add up to {}", sum), fmt::format("{}", dim));
}

void CheckPaddedShape(const Site& site) {
  const auto paddings = site.Integers(site.input(1));
  const Operand in = site.input(0), out = site.output(0);
  if (!paddings) return;
  if (static_cast<int>(paddings->size()) != 2 * in.rank() || out.rank() != in.rank()) {
    return site.Report(site.input(1), fmt::format("{} paddings", paddings->size()),
                       fmt::format("{}", 2 * in.rank()));
  }
  for (int i = 0; i < in.rank(); ++i) {
    const auto at = static_cast<size_t>(2 * i);
    const int64_t before = (*paddings)[at], after = (*paddings)[at + 1];
    if (before >= 0 && before <= INT32_MAX && after >= 0 && after <= INT32_MAX &&
        out.dim(i) == in.dim(i) + before + after)
      continue;
    return site.Report(out, fmt::format("{} in dimension {}", out.dim(i), i),
                       fmt::format("{} + {} + {}", before, in.dim(i), after));
  }
}

void CheckPermutation(const Site& site) {
  const auto permutation = site.Integers(site.input(1));
  if (!permutation) return;
  std::set<int64_t> seen;
  for (const int64_t axis : *permutation) seen.insert(Resolve(axis, site.input(0).rank()));
  if (seen.count(-1) == 0 && static_cast<int>(seen.size()) == site.input(0).rank()) return;
  site.Report(site.input(1), fmt::format("[{}]", fmt::join(*permutation, ", ")),
              fmt::format("each of {} dimensions once", site.input(0).rank()));
}

void CheckBlock(const Site& site) {
  const bool to_depth = site.name() == "SPACE_TO_DEPTH";
  const int32_t block = to_depth
                            ? oracle::OptionsOf(site.op().builtin_options.AsSpaceToDepthOptions()).block_size
                            : oracle::OptionsOf(site.op().builtin_options.AsDepthToSpaceOptions()).block_size;
  const Operand wide = to_depth ? site.input(0) : site.output(0);
  const Operand deep = to_depth ? site.output(0) : site.input(0);
  if (block >= 1 && block <= INT16_MAX && wide.dim(1) == deep.dim(1) * block &&
      wide.dim(2) == deep.dim(2) * block && deep.dim(3) == wide.dim(3) * block * block) {
    return;
  }
  site.Report(site.output(0), fmt::format("{}, block {}", Text(site.output(0).tensor->shape), block),
              fmt::format("what the block makes of {}", Text(site.input(0).tensor->shape)));
}

void CheckMatrices(const Site& site) {
  const auto& options = oracle::OptionsOf(site.op().builtin_options.AsBatchMatMulOptions());
  const Operand a = site.input(0), b = site.input(1);
  const int64_t left = a.dim(a.rank() - (options.adj_x ? 2 : 1));
  const int64_t right = b.dim(b.rank() - (options.adj_y ? 1 : 2));
  if (left == 0 || left != right) {
    site.Report(b, fmt::format("{} rows", right), fmt::format("{}: the columns of the first", left));
  }
}

void CheckBlockRank(const Site& site) {
  const int rank = site.input(0).rank();
  if (rank != 3 && rank != 4) site.Report(site.input(0), fmt::format("{} dimensions", rank), "3 or 4");
}

void CheckImageRank(const Site& site) {
  const Operand image = site.FirstInput(kActivation);
  if (image.rank() != 4) site.Report(image, fmt::format("{} dimensions", image.rank()), "4");
}

void CheckResizeMode(const Site& site) {
  const edit::BuiltinOptionsUnion& options = site.op().builtin_options;
  const auto& bilinear = oracle::OptionsOf(options.AsResizeBilinearOptions());
  const auto& nearest = oracle::OptionsOf(options.AsResizeNearestNeighborOptions());
  if ((bilinear.align_corners && bilinear.half_pixel_centers) ||
      (nearest.align_corners && nearest.half_pixel_centers)) {
    site.Report({}, "align_corners and half_pixel_centers", "at most one of them");
  }
}

void CheckDivisor(const Site& site) {
  const Operand divisor = site.input(1);
  if (!site.is_int8()) return;
  const auto zero = static_cast<uint8_t>(divisor.zero_point());
  const oracle::Bytes& codes = site.Constant(divisor);
  const auto count = std::count(codes.begin(), codes.end(), zero);
  if (count != 0) site.Report(divisor, fmt::format("real 0 in {} elements", count), "no real 0");
}

void CheckDepth(const Site& site) {
  const Operand in = site.FirstInput(kActivation), weights = site.FirstInput(kWeights);
  const bool depthwise = site.name() == "DEPTHWISE_CONV_2D";
  const int64_t whole = site.name() == "FULLY_CONNECTED" ? in.count() : in.dim(3);
  const int64_t part = depthwise ? weights.dim(3) : weights.dim(weights.rank() - 1);
  // In a grouped convolution the filter has fewer channels than the input.
  const bool good = depthwise ? whole > 0 && part % whole == 0 : part > 0 && whole % part == 0;
  if (!good)
    site.Report(weights, fmt::format("{}", part), fmt::format("what goes with {} of the input", whole));
}

const char kOutside[] = "kernels would read or write outside, or the result has no meaning";

LintRule ShapeRule(const char* topic, std::vector<std::string> operators, const char* requirement,
                   const char* enforced_by, void (*check)(const Site&)) {
  return {'S', topic, Severity::kError, std::move(operators), requirement, enforced_by, kOutside, check};
}

}  // namespace

const std::vector<LintRule>& ShapeRules() {
  static const std::vector<LintRule> rules = {
      {'S',
       "activation",
       Severity::kError,
       {"ADD", "SUB", "MUL", "DIV", "CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED",
        "AVERAGE_POOL_2D", "MAX_POOL_2D"},
       "NONE, RELU, RELU_N1_TO_1 or RELU6",
       "nobody",
       "int8 kernels treat the others as NONE",
       CheckActivation},
      {'S',
       "activation",
       Severity::kError,
       {"L2_NORMALIZATION"},
       "NONE",
       "TFLM, LiteRT",
       "the fixed output scale leaves nothing to clamp",
       CheckNoActivation},
      ShapeRule("elements", {"RESHAPE", "SQUEEZE", "EXPAND_DIMS"}, "as many elements as the input",
                "TFLM, LiteRT", CheckElements),
      ShapeRule("dims", {"SQUEEZE"}, "dimensions of size 1", "TFLM, LiteRT", CheckSqueezedDims),
      ShapeRule("broadcast",
                {"ADD", "SUB", "MUL", "DIV", "SQUARED_DIFFERENCE", "MAXIMUM", "MINIMUM", "EQUAL", "NOT_EQUAL",
                 "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "PRELU"},
                "shapes that broadcast to the output's", "LiteRT; TFLM runs ADD of any shapes",
                CheckBroadcast),
      ShapeRule("axis",
                {"MEAN", "SUM", "REDUCE_ALL", "REDUCE_MAX", "REDUCE_MIN", "ARG_MAX", "ARG_MIN", "REVERSE_V2"},
                "axes of the input", "TFLM, LiteRT", CheckAxes),
      ShapeRule("indices", {"GATHER"}, "an axis of the input, constant indices within it",
                "LiteRT; TFLM: the axis, indices by assertion", CheckGather),
      ShapeRule("bounds", {"SLICE"}, "begin and size within the input", "LiteRT; TFLM aborts", CheckSlice),
      ShapeRule("strides", {"STRIDED_SLICE"}, "no stride of 0", "TFLM, LiteRT", CheckStrides),
      ShapeRule("sizes", {"SPLIT_V"}, "sizes that add up to the dimension", "LiteRT; TFLM aborts",
                CheckSplitSizes),
      ShapeRule("paddings", {"PAD", "PADV2", "MIRROR_PAD"},
                "two paddings for each dimension, and their output shape", "TFLM, LiteRT", CheckPaddedShape),
      ShapeRule("permutation", {"TRANSPOSE"}, "each dimension once", "TFLM, LiteRT", CheckPermutation),
      ShapeRule("block", {"SPACE_TO_DEPTH", "DEPTH_TO_SPACE"}, "sizes that the block divides", "TFLM, LiteRT",
                CheckBlock),
      ShapeRule("depth", {"BATCH_MATMUL"}, "as many rows as the first has columns", "TFLM, LiteRT",
                CheckMatrices),
      ShapeRule("depth", {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED"},
                "channels of weights and input that go together", "LiteRT; TFLM in part", CheckDepth),
      ShapeRule("rank", {"BATCH_TO_SPACE_ND", "SPACE_TO_BATCH_ND"}, "3 or 4 dimensions", "TFLM, LiteRT",
                CheckBlockRank),
      ShapeRule("rank",
                {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "AVERAGE_POOL_2D", "MAX_POOL_2D",
                 "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "SPACE_TO_DEPTH", "DEPTH_TO_SPACE"},
                "4 dimensions", "LiteRT; TFLM in part, or aborts", CheckImageRank),
      ShapeRule("mode", {"RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"},
                "align_corners and half_pixel_centers not both", "TFLM, LiteRT", CheckResizeMode),
      ShapeRule("divisor", {"DIV"}, "no constant divisor of real 0", "TFLM aborts, LiteRT refuses",
                CheckDivisor),
  };
  return rules;
}

}  // namespace lutra::conformance::linter

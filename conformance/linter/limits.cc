// SPDX-License-Identifier: Apache-2.0
// Limits of single runtimes, which refuse, abort at, or read outside of tensors of models that the
// specification allows. Measured with TensorFlow Lite Micro 90b983c2b and LiteRT 2.3.0.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conformance/linter/site.h"
#include "conformance/oracle/evaluate.h"

namespace lutra::conformance::linter {
namespace {

void CheckNotInTflm(const Site& site) {
  site.Report({}, site.name(), "an operator that TFLM's resolver has");
}

bool AnyInt8(const Site& site) {
  for (int i = 0; i < site.input_count(); ++i) {
    if (site.input(i).is(oracle::kInt8)) return true;
  }
  return false;
}

void CheckFloatOnly(const Site& site) {
  if (AnyInt8(site)) site.Report(site.input(0), "INT8", "FLOAT32");
}

// State and control flow move bytes only.
void CheckUncovered(const Site& site) {
  if (site.signature() != nullptr || site.name() == "IF" || site.name() == "WHILE") return;
  for (const edit::BuiltinOperator code : oracle::StateOperators()) {
    if (oracle::CodeOf(site.model(), site.op()) == code) return;
  }
  site.Report({}, site.name(), "an operator of the int8 specification");
}

void CheckInputCount(const Site& site) {
  if (site.input_count() > 10) site.Report({}, fmt::format("{} inputs", site.input_count()), "at most 10");
}

void CheckRank(const Site& site) {
  static const std::map<std::string, int> most = {
      {"ADD", 6},
      {"BATCH_MATMUL", 5},
      {"BROADCAST_TO", 5},
      {"DIV", 6},
      {"L2_NORMALIZATION", 4},
      {"MAXIMUM", 6},
      {"MINIMUM", 6},
      {"MUL", 6},
      {"PAD", 5},
      {"PADV2", 5},
      {"SLICE", 5},
      {"SQUARED_DIFFERENCE", 6},
      {"SQUEEZE", 8},
      {"STRIDED_SLICE", 4},
      {"SUB", 6},
      {"TRANSPOSE", 5},
  };
  for (const Operand& operand : site.Activations()) {
    const int limit = most.at(site.name());
    if (operand.rank() <= limit) continue;
    return site.Report(operand, fmt::format("{} dimensions", operand.rank()),
                       fmt::format("at most {}", limit));
  }
}

bool IsConstant(const Site& site, const Operand& operand) {
  return !oracle::DataOf(site.model(), *operand.tensor).empty();
}

void CheckConstant(const Site& site) {
  for (const Operand& operand : site.Inputs(kSteering)) {
    if (IsConstant(site, operand) || operand.count() == 0) continue;
    site.Report(operand, "computed", "a constant");
  }
}

void CheckSteeringType(const Site& site) {
  for (const Operand& operand : site.Inputs(kSteering)) {
    if (!operand.is(oracle::kInt32)) site.Report(operand, TypeName(operand.tensor->type), "INT32");
  }
}

void CheckOutputType(const Site& site) {
  const Operand output = site.output(0);
  if (!output.is(oracle::kInt32)) site.Report(output, TypeName(output.tensor->type), "INT32");
}

void CheckType(const Site& site) {
  static const std::map<std::string, std::vector<int8_t>> refused = {
      {"ARG_MAX", {oracle::kInt16}},
      {"ARG_MIN", {oracle::kInt16}},
      {"CAST", {oracle::kUint8}},
      {"ELU", {oracle::kInt16}},
      {"GATHER", {oracle::kInt16}},
      {"MIRROR_PAD", {oracle::kInt16}},
      {"PACK", {oracle::kBool}},
      {"SELECT_V2", {oracle::kInt32}},
      {"SPACE_TO_BATCH_ND", {oracle::kInt16}},
      {"TRANSPOSE", {oracle::kInt32}},
  };
  const Operand operand = site.input(site.name() == "SELECT_V2" ? 1 : 0);
  const std::vector<int8_t>& types = refused.at(site.name());
  if (std::count(types.begin(), types.end(), operand.tensor->type) == 0) return;
  site.Report(operand, TypeName(operand.tensor->type), "a type that TFLM's kernel takes");
}

void CheckCastToBool(const Site& site) {
  if (site.output(0).is(oracle::kBool)) site.Report(site.output(0), "BOOL", "a number");
}

void CheckHybrid(const Site& site) {
  const Operand weights = site.FirstInput(kWeights);
  if (site.FirstInput(kActivation).is(oracle::kFloat32) && weights.is(oracle::kInt8)) {
    site.Report(weights, "INT8 weights with FLOAT32 activations", "one kind for both");
  }
}

void CheckInt4(const Site& site) {
  for (const Operand& weights : site.Inputs(kWeights)) {
    if (weights.is(oracle::kInt4)) site.Report(weights, "INT4", "INT8");
  }
}

void CheckInt4Scales(const Site& site) {
  const Operand weights = site.FirstInput(kWeights);
  const size_t count = weights.scales().size();
  if (weights.is(oracle::kInt4) && count > 1) {
    site.Report(weights, fmt::format("{} scales for INT4", count), "one");
  }
}

void CheckBiasPresent(const Site& site) {
  if (!site.FirstInput(kBias)) site.Report({}, "no bias", "a bias");
}

void CheckPermutationSign(const Site& site) {
  const auto axes = site.Integers(site.input(1));
  if (!axes) return;
  for (const int64_t axis : *axes) {
    if (axis < 0) return site.Report(site.input(1), fmt::format("axis {}", axis), "0 or more");
  }
}

// The sum of exponentials has twelve integer bits, of which its reciprocal takes nine.
void CheckSoftmaxRow(const Site& site) {
  const Operand input = site.input(0);
  if (!site.is_int8() || input.dim(input.rank() - 1) < 512) return;
  site.Report(input, fmt::format("rows of {}", input.dim(input.rank() - 1)), "at most 511");
}

void CheckStateType(const Site& site) {
  const Operand state = site.FirstInput(kState);
  if (state.is(oracle::kInt8)) site.Report(state, "INT8", "INT16");
}

// Returns whether the position of the last output is behind the last input, so that a kernel that does not
// clamp reads outside (int8-ops 2.12).
bool ReadsOutside(int64_t in, int64_t out, bool align_corners, bool half_pixel) {
  if (in <= 0 || out <= 0) return false;
  int64_t scale = (1024 * in + out / 2) / out;
  if (align_corners && out > 1) scale = (1024 * (in - 1) + (out - 1) / 2) / (out - 1);
  const int64_t position = (out - 1) * scale + (half_pixel ? scale / 2 - 512 : 0);
  return position / 1024 > in - 1;
}

void CheckResize(const Site& site) {
  const auto& options = oracle::OptionsOf(site.op().builtin_options.AsResizeBilinearOptions());
  const Operand in = site.input(0), out = site.output(0);
  for (const int i : {1, 2}) {
    if (!site.is_int8() ||
        !ReadsOutside(in.dim(i), out.dim(i), options.align_corners, options.half_pixel_centers)) {
      continue;
    }
    site.Report(in, fmt::format("{} to {} in dimension {}", in.dim(i), out.dim(i), i),
                "sizes whose last position is inside");
  }
}

LintRule Limit(const char* topic, std::vector<std::string> operators, const char* requirement,
               const char* enforced_by, const char* explanation, void (*check)(const Site&)) {
  return {'E', topic, Severity::kWarning, std::move(operators), requirement, enforced_by, explanation, check};
}

const char kRefused[] = "the model does not run there";

}  // namespace

const std::vector<LintRule>& LimitRules() {
  static const std::vector<LintRule> rules = {
      {'S',
       "operator",
       Severity::kNote,
       {"ANY"},
       "an operator of the int8 specification",
       "nobody",
       "no rule covers this operator: it was not checked",
       CheckUncovered},
      Limit("operator",
            {"GELU", "ONE_HOT", "POW", "REDUCE_ANY", "REDUCE_PROD", "RELU_N1_TO_1", "SCATTER_ND", "TILE",
             "TOPK_V2", "WHERE"},
            "an operator that TFLM's resolver has", "TFLM", "TFLM lacks it: the model does not run there",
            CheckNotInTflm),
      Limit("int8",
            {"ADD_N", "CEIL", "COS", "EXP", "FLOOR", "FLOOR_DIV", "FLOOR_MOD", "L2_POOL_2D", "LOG", "NEG",
             "ROUND", "SIN", "SQRT", "SQUARE"},
            "float32, no int8", "TFLM", kRefused, CheckFloatOnly),
      Limit("int8", {"ZEROS_LIKE"}, "no int8", "LiteRT", kRefused, CheckFloatOnly),
      Limit("inputs", {"CONCATENATION"}, "at most 10 inputs", "TFLM", kRefused, CheckInputCount),
      Limit("activation", {"CONCATENATION"}, "no fused activation", "TFLM", kRefused, CheckNoActivation),
      Limit("rank", {"PAD", "PADV2", "SLICE", "TRANSPOSE", "BATCH_MATMUL", "BROADCAST_TO"},
            "at most 5 dimensions", "TFLM", kRefused, CheckRank),
      Limit("rank", {"L2_NORMALIZATION", "STRIDED_SLICE"}, "at most 4 dimensions", "TFLM", kRefused,
            CheckRank),
      Limit("rank", {"ADD", "SUB", "MUL", "DIV", "SQUARED_DIFFERENCE", "MAXIMUM", "MINIMUM"},
            "at most 6 dimensions", "TFLM aborts", "its shapes have six dimensions", CheckRank),
      Limit("rank", {"SQUEEZE"}, "at most 8 dimensions", "TFLM", kRefused, CheckRank),
      Limit("constant",
            {"PAD", "PADV2", "TRANSPOSE", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "BROADCAST_TO",
             "STRIDED_SLICE", "SPLIT", "EXPAND_DIMS", "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"},
            "constant sizes, axes and paddings", "TFLM", "shapes are fixed before the first inference",
            CheckConstant),
      Limit("index-type",
            {"ARG_MAX", "ARG_MIN", "GATHER", "GATHER_ND", "MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "PAD"},
            "axes, indices and paddings of INT32", "TFLM", kRefused, CheckSteeringType),
      Limit("output-type", {"ARG_MAX", "ARG_MIN", "SHAPE"}, "an output of INT32", "TFLM", kRefused,
            CheckOutputType),
      Limit("type",
            {"ARG_MAX", "ARG_MIN", "CAST", "ELU", "GATHER", "MIRROR_PAD", "PACK", "SELECT_V2",
             "SPACE_TO_BATCH_ND", "TRANSPOSE"},
            "a type that the kernel takes", "TFLM", kRefused, CheckType),
      Limit("output-type", {"CAST"}, "an output other than BOOL", "TFLM", kRefused, CheckCastToBool),
      Limit("hybrid", {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED"},
            "int8 weights with int8 activations", "TFLM", kRefused, CheckHybrid),
      Limit("int4", {"TRANSPOSE_CONV", "SVDF"}, "no weights of INT4", "TFLM", kRefused, CheckInt4),
      Limit("int4-scales", {"FULLY_CONNECTED"}, "one scale for weights of INT4", "TFLM", kRefused,
            CheckInt4Scales),
      Limit("bias-present", {"CONV_2D"}, "a bias", "LiteRT", kRefused, CheckBiasPresent),
      Limit("bias-present", {"DEPTHWISE_CONV_2D", "SVDF"}, "a bias", "TFLM aborts or crashes",
            "its kernel reads the bias without looking whether there is one", CheckBiasPresent),
      Limit("permutation", {"TRANSPOSE"}, "no negative dimensions", "TFLM", kRefused, CheckPermutationSign),
      Limit("row", {"SOFTMAX"}, "rows of at most 511", "TFLM and LiteRT's reference kernels abort",
            "the process aborts when the sum of exponentials reaches 512, as with 512 equal inputs",
            CheckSoftmaxRow),
      Limit("state-type", {"SVDF"}, "a state of INT16", "LiteRT corrupts its heap",
            "LiteRT reads and writes an int8 state as 16 bits", CheckStateType),
      Limit("reads-outside", {"RESIZE_BILINEAR"}, "sizes whose last position is inside the input",
            "TFLM and LiteRT read outside the input", "the result depends on what lies behind the input",
            CheckResize),
  };
  return rules;
}

}  // namespace lutra::conformance::linter

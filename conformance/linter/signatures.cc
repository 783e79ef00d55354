// SPDX-License-Identifier: Apache-2.0
// What each operand of each operator is.

#include <algorithm>

#include "conformance/linter/site.h"

namespace lutra::conformance::linter {
namespace {

const std::vector<Signature>& Signatures() {
  static const std::vector<Signature> signatures = {
      {"ABS", "x", "x"},
      {"ADD", "xx", "x"},
      {"ARG_MAX", "xp", "-"},
      {"ARG_MIN", "xp", "-"},
      {"AVERAGE_POOL_2D", "x", "x"},
      {"BATCH_MATMUL", "xx", "x"},
      {"BATCH_TO_SPACE_ND", "xpp", "x"},
      {"BROADCAST_TO", "xp", "x"},
      {"CAST", "-", "-"},
      {"CONCATENATION", "x", "x", true},
      {"CONV_2D", "xwb", "x"},
      {"DEPTH_TO_SPACE", "x", "x"},
      {"DEPTHWISE_CONV_2D", "xwb", "x"},
      {"DEQUANTIZE", "x", "-"},
      {"DIV", "xx", "x"},
      {"ELU", "x", "x"},
      {"EQUAL", "xx", "-"},
      {"EXPAND_DIMS", "xp", "x"},
      {"FULLY_CONNECTED", "xwb", "x"},
      {"GATHER", "xp", "x"},
      {"GATHER_ND", "xp", "x"},
      {"GREATER", "xx", "-"},
      {"GREATER_EQUAL", "xx", "-"},
      {"HARD_SWISH", "x", "x"},
      {"L2_NORMALIZATION", "x", "x"},
      {"LEAKY_RELU", "x", "x"},
      {"LESS", "xx", "-"},
      {"LESS_EQUAL", "xx", "-"},
      {"LOG_SOFTMAX", "x", "x"},
      {"LOGISTIC", "x", "x"},
      {"MAX_POOL_2D", "x", "x"},
      {"MAXIMUM", "xx", "x"},
      {"MEAN", "xp", "x"},
      {"MINIMUM", "xx", "x"},
      {"MIRROR_PAD", "xp", "x"},
      {"MUL", "xx", "x"},
      {"NOT_EQUAL", "xx", "-"},
      {"PACK", "x", "x", true},
      {"PAD", "xp", "x"},
      {"PADV2", "xpx", "x"},
      {"PRELU", "xx", "x"},
      // What is quantised is an activation where it is int8; the other side is not looked at.
      {"QUANTIZE", "x", "x"},
      {"REDUCE_MAX", "xp", "x"},
      {"REDUCE_MIN", "xp", "x"},
      {"RELU", "x", "x"},
      {"RELU6", "x", "x"},
      {"RESHAPE", "x", "x"},
      {"RESIZE_BILINEAR", "xp", "x"},
      {"RESIZE_NEAREST_NEIGHBOR", "xp", "x"},
      {"REVERSE_V2", "xp", "x"},
      {"SELECT_V2", "-xx", "x"},
      {"SHAPE", "-", "-"},
      {"SLICE", "xpp", "x"},
      {"SOFTMAX", "x", "x"},
      {"SPACE_TO_BATCH_ND", "xpp", "x"},
      {"SPACE_TO_DEPTH", "x", "x"},
      {"SPLIT", "px", "x", false, true},
      {"SPLIT_V", "xpp", "x", false, true},
      {"SQUARED_DIFFERENCE", "xx", "x"},
      {"SQUEEZE", "x", "x"},
      {"STRIDED_SLICE", "xppp", "x"},
      {"SUB", "xx", "x"},
      {"SUM", "xp", "x"},
      {"SVDF", "xwwbs", "x"},
      {"TANH", "x", "x"},
      {"TRANSPOSE", "xp", "x"},
      {"TRANSPOSE_CONV", "pwxb", "x"},
      {"UNPACK", "x", "x", false, true},
  };
  return signatures;
}

}  // namespace

const Signature* FindSignature(const std::string& op) {
  for (const Signature& signature : Signatures()) {
    if (signature.name == op) return &signature;
  }
  return nullptr;
}

std::vector<std::string> OperatorsWith(Role role) {
  std::vector<std::string> names;
  for (const Signature& s : Signatures()) {
    const bool in_output = role == kActivation && s.outputs.find(role) != std::string::npos;
    if (in_output || s.inputs.find(role) != std::string::npos) names.push_back(s.name);
  }
  return names;
}

std::vector<std::string> AllSignatureNames() {
  std::vector<std::string> names;
  for (const Signature& s : Signatures()) names.push_back(s.name);
  return names;
}

}  // namespace lutra::conformance::linter

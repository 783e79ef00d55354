// SPDX-License-Identifier: Apache-2.0
// A conformance case: a small model and its inputs. The oracle computes the outputs that it must give.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/generator/random.h"
#include "conformance/oracle/model.h"

namespace lutra::conformance {

// Says whether a case is in the smoke set (runner/freeze.h).
enum class Smoke : uint8_t {
  kMaybe,   // Perhaps, as one of the smallest cases of its operator.
  kNever,   // Never: most cases of real sizes.
  kAlways,  // Always: cases of real sizes that cover much; corners; the first that tell two rules apart.
};

struct Case {
  // int8.<operator>.<what>...<4 digits>: stable for ever; the same bytes on every machine.
  std::string id;
  std::string op;  // The oracle's name of its operator; "composite" for graphs of several.
  oracle::Bytes model;
  std::vector<oracle::Bytes> inputs;
  int invokes = 1;  // Inferences with the same inputs; the outputs are those of the last.
  // The same model without compressed weights, which the oracle evaluates in place of `model`.
  oracle::Bytes plain_model;
  // Not empty: every runtime must refuse this model, for this reason.
  std::string must_refuse;
  // A runtime that refuses it still follows its profile: the case has a codec that only Lutra reads, scales
  // along a dimension, or more dimensions or pieces than TensorFlow Lite Micro has room for.
  bool optional = false;
  std::vector<std::string> tags;
  Smoke smoke = Smoke::kMaybe;
};

using CaseSink = std::function<void(Case)>;

// The cases of one operator, always in the same order.
struct CaseFamily {
  std::string op;      // The oracle's name of the operator.
  std::string prefix;  // Its ids begin with it: "int8.conv_2d."
  std::function<void(const CaseSink& sink)> generate;
  // Generates the cases of real sizes (sizes.h); null: there are none.
  std::function<void(const CaseSink& sink)> real_sizes;
  // Draws one case of any attributes, sizes and data (draw.h), for `conformance fuzz`; null: it draws none.
  std::function<Case(Random& random)> draw = nullptr;
};

// The families of one file, which families.cc names.
using CaseFamilies = std::vector<CaseFamily>;
const std::vector<CaseFamily>& AllFamilies();

// More cases of the family with this prefix: corners.cc.
void GenerateCorners(std::string_view prefix, const CaseSink& sink);

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// A conformance case: a small model, its inputs, and nothing else. What it must give is the oracle's to say.

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
  kMaybe,   // As one of the small ones of its operator.
  kNever,   // Cases of real sizes,
  kAlways,  // but for those of them that cover much; corners; the first that tell two rules apart.
};

struct Case {
  // int8.<operator>.<what>...<4 digits>: stable for ever; the same bytes on every machine.
  std::string id;
  std::string op;  // The oracle's name of its operator; "composite" for graphs of several.
  oracle::Bytes model;
  std::vector<oracle::Bytes> inputs;
  int invokes = 1;  // Inferences with the same inputs; the outputs are those of the last.
  // The oracle evaluates this where it is not `model`: the same without compressed weights.
  oracle::Bytes plain_model;
  // Not empty: no runtime may run this model, and why.
  std::string must_refuse;
  // A runtime may refuse it and follow its profile all the same: codecs that only Lutra reads, scales along a
  // dimension, more dimensions or pieces than TensorFlow Lite Micro has room for.
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
  // Generates those of real sizes (sizes.h); null: none.
  std::function<void(const CaseSink& sink)> real_sizes;
  // Draws one case of any attributes, sizes and data (draw.h), for `conformance fuzz`; null: none.
  std::function<Case(Random& random)> draw = nullptr;
};

// The families of one file, which families.cc names.
using CaseFamilies = std::vector<CaseFamily>;
const std::vector<CaseFamily>& AllFamilies();

// More cases of the family with this prefix: corners.cc.
void GenerateCorners(std::string_view prefix, const CaseSink& sink);

}  // namespace lutra::conformance

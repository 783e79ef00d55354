// SPDX-License-Identifier: Apache-2.0
// A conformance case: a small model, its inputs, and nothing else. What it must give is the oracle's to say.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/oracle/model.h"

namespace lutra::conformance {

struct Case {
  // int8.<operator>.<what>...<4 digits>: stable for ever; the same bytes on every machine.
  std::string id;
  std::string op;  // The oracle's name of its operator; "composite" for graphs of several.
  oracle::Bytes model;
  std::vector<oracle::Bytes> inputs;
  int invokes = 1;  // Inferences with the same inputs; the outputs are those of the last.
  // What the oracle evaluates where it is not `model`: the same without compressed weights.
  oracle::Bytes plain_model;
  // Not empty: no runtime may run this model, and why.
  std::string must_refuse;
  // A runtime may refuse it and follow its profile all the same: codecs that only Lutra reads, scales along a
  // dimension.
  bool optional = false;
  std::vector<std::string> tags;
};

using CaseSink = std::function<void(Case)>;

// The cases of one operator, always in the same order.
struct CaseFamily {
  const char* prefix;  // Its ids begin with it: "int8.conv_2d."
  void (*generate)(const CaseSink& sink);
};

// The families of one file, which names them in families.cc.
using CaseFamilies = std::span<const CaseFamily>;
const std::vector<CaseFamily>& AllFamilies();

// More cases of the family with this prefix: corners.cc.
void GenerateCorners(std::string_view prefix, const CaseSink& sink);

}  // namespace lutra::conformance

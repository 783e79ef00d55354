// SPDX-License-Identifier: Apache-2.0
// Gives the purpose of each operand of each operator, from the oracle's rows.

#include <algorithm>

#include "conformance/linter/site.h"
#include "conformance/oracle/operators.h"

namespace lutra::conformance::linter {
namespace {

// Removes a '+' from the end of the letters; returns whether there was one.
bool TakeVariadic(std::string* letters) {
  if (letters->empty() || letters->back() != '+') return false;
  letters->pop_back();
  return true;
}

const std::vector<Signature>& Signatures() {
  static const std::vector<Signature> signatures = [] {
    std::vector<Signature> made;
    for (const oracle::Operator* op : oracle::BuiltinOperators()) {
      if (!op->variant.empty()) continue;  // The row without a variant has the same operands.
      Signature& signature = made.emplace_back();
      signature.name = op->name();
      signature.inputs = op->operands.inputs;
      signature.outputs = op->operands.outputs;
      signature.variadic_inputs = TakeVariadic(&signature.inputs);
      signature.variadic_outputs = TakeVariadic(&signature.outputs);
    }
    return made;
  }();
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

// SPDX-License-Identifier: Apache-2.0
// Has the list of operators, and finds rows in it.

#include "conformance/oracle/operators.h"

#include <algorithm>
#include <functional>
#include <map>

#include "conformance/oracle/model.h"

namespace lutra::conformance::oracle {
namespace {

constexpr const OperatorFamily* kFamilies[] = {&kActivationOperators,
                                               &kComparisonOperators,
                                               &kConversionOperators,
                                               &kConvolutionOperators,
                                               &kFillOperators,
                                               &kInt16LayerOperators,
                                               &kInt16Operators,
                                               &kInt16TableOperators,
                                               &kLogicalOperators,
                                               &kLstmOperators,
                                               &kMatrixOperators,
                                               &kMoveOperators,
                                               &kPoolOperators,
                                               &kProductOperators,
                                               &kReductionOperators,
                                               &kResizeOperators,
                                               &kShapeOperators,
                                               &kSignalFftOperators,
                                               &kSignalFilterBankOperators,
                                               &kSignalSpectrumOperators,
                                               &kSignalStreamOperators,
                                               &kSoftmaxOperators,
                                               &kSpaceOperators,
                                               &kSumOperators,
                                               &kTableOperators,
                                               &kUint8Operators};

// Compares names word by word: LOG_SOFTMAX precedes LOGISTIC.
bool IsBefore(const Operator* a, const Operator* b) {
  const auto words = [](const Operator* op) {
    std::string name = op->name();
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
  };
  return words(a) < words(b);
}

}  // namespace

std::string Operator::name() const {
  if (!custom_name.empty()) return std::string(custom_name);
  std::string name = edit::EnumNameBuiltinOperator(code);
  if (!variant.empty()) name.append(".").append(variant);
  return name;
}

Role RoleAt(std::string_view letters, size_t i) {
  const bool is_variadic = letters.back() == '+';
  if (is_variadic) letters.remove_suffix(1);
  if (i < letters.size()) return static_cast<Role>(letters[i]);
  return is_variadic ? static_cast<Role>(letters.back()) : kOther;
}

const std::vector<const Operator*>& AllOperators() {
  static const std::vector<const Operator*> operators = [] {
    std::vector<const Operator*> all;
    for (const OperatorFamily* family : kFamilies) {
      for (const Operator& op : *family) all.push_back(&op);
    }
    std::sort(all.begin(), all.end(), IsBefore);
    return all;
  }();
  return operators;
}

const std::vector<const Operator*>& BuiltinOperators() {
  static const std::vector<const Operator*> operators = [] {
    std::vector<const Operator*> all = AllOperators();
    std::erase_if(all, [](const Operator* op) { return op->code == BuiltinOperator::CUSTOM; });
    return all;
  }();
  return operators;
}

const Operator* FindOperator(std::string_view name) {
  static const std::map<std::string, const Operator*, std::less<>> by_name = [] {
    std::map<std::string, const Operator*, std::less<>> all;
    for (const Operator* op : AllOperators()) all.emplace(op->name(), op);
    return all;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const Operator& OperatorOf(const edit::ModelT& model, const Node& node) {
  const BuiltinOperator code = CodeOf(model, node.op());
  const std::string& custom_name = model.operator_codes[node.op().opcode_index]->custom_code;
  // A row that says what it is for precedes one for all other nodes.
  const Operator* found = nullptr;
  for (const Operator* op : AllOperators()) {
    if (op->code != code || (op->is_for != nullptr && !op->is_for(node))) continue;
    if (code == BuiltinOperator::CUSTOM && op->custom_name != custom_name) continue;
    if (found == nullptr || op->is_for != nullptr) found = op;
  }
  if (found != nullptr) return *found;
  throw Unspecified(NameOf(model, node.op()) + " is not among the oracle's operators");
}

const ArithmeticRule* FindRule(const Operator& op, std::string_view rule) {
  for (const ArithmeticRule& candidate : op.rules) {
    if (candidate.name == rule) return &candidate;
  }
  return nullptr;
}

}  // namespace lutra::conformance::oracle

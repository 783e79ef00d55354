// SPDX-License-Identifier: Apache-2.0
// Finds which types of each operator a runtime runs, by running a small model of each, and makes a page of
// two runtimes side by side.
//
//   const RuntimeTypes ours = RunTypes(OwnAdapter(""), 10s, 2), tflm = RunTypes("./my_adapter", 10s, 2);
//   fmt::print("{}", TypesPage(ours, tflm, "TFLM"));

#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace lutra::conformance {

struct OperatorTypes {
  std::string op;
  std::vector<std::string> types;     // "int8": those that the runtime runs, in the order of tables.
  std::vector<std::string> computed;  // Operands that need not be constant: "1 (axes, sizes)".
  std::vector<std::string> constant;  // Operands that converters write as constants, and that must be.
};

struct RuntimeTypes {
  std::string greeting;                  // The adapter's: name and version.
  std::vector<OperatorTypes> operators;  // All of TypedOperators().
};

// Runs every model on the adapter with this command. Throws BadInput if it does not greet.
RuntimeTypes RunTypes(const std::string& adapter, std::chrono::milliseconds timeout, int jobs);

// Returns why this runtime lacks a type that TensorFlow Lite Micro has, or needs a constant where that needs
// none; empty: no reason is known. `what`: "int16", or an operand's number.
std::string_view ReasonToLack(std::string_view op, std::string_view what);

// Markdown. `name`: the other runtime's.
std::string TypesPage(const RuntimeTypes& ours, const RuntimeTypes& theirs, const std::string& name);
std::string TypesJson(const RuntimeTypes& ours, const RuntimeTypes& theirs);

}  // namespace lutra::conformance

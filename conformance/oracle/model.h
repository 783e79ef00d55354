// SPDX-License-Identifier: Apache-2.0
// Models as objects: read, checked and written by what flatc generates from the schema, and by nothing of
// the runtime.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "conformance/oracle/node.h"

namespace lutra::conformance::oracle {

using ModelObjects = edit::ModelT;

// Throws Unspecified for bytes that are no model, or one whose indices lead nowhere.
std::unique_ptr<ModelObjects> ReadModel(const Bytes& bytes);
Bytes WriteModel(const ModelObjects& model);

// The operator's code, whether the file has it in the old field or the new; any number, if the file is odd.
edit::BuiltinOperator CodeOf(const ModelObjects& model, const edit::OperatorT& op);
// The code of a builtin operator. Throws Unspecified if the schema has none of that name.
edit::BuiltinOperator CodeNamed(std::string_view name);
// "CONV_2D"; "CUSTOM:" and the name of a custom operator; "operator 300" for a number that the schema lacks.
std::string NameOf(const ModelObjects& model, const edit::OperatorT& op);
// Bytes of a tensor's buffer; empty for what is computed.
const Bytes& DataOf(const ModelObjects& model, const edit::TensorT& tensor);

}  // namespace lutra::conformance::oracle

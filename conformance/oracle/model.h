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
// Throws Unspecified if its shapes ask for too much memory when it is evaluated: those of a small file can
// ask for gigabytes.
void RequireMemory(const ModelObjects& model);
Bytes WriteModel(const ModelObjects& model);

// Returns the operator's code from the old field or the new one; it may be a number that the schema lacks.
edit::BuiltinOperator CodeOf(const ModelObjects& model, const edit::OperatorT& op);
// The code of a builtin operator. Throws Unspecified if the schema has none of that name.
edit::BuiltinOperator CodeNamed(std::string_view name);
// "CONV_2D"; "CUSTOM:" and the name of a custom operator; "operator 300" for a number that the schema lacks.
std::string NameOf(const ModelObjects& model, const edit::OperatorT& op);
// Returns the bytes of a tensor's buffer; empty for a tensor that is computed.
const Bytes& DataOf(const ModelObjects& model, const edit::TensorT& tensor);

}  // namespace lutra::conformance::oracle

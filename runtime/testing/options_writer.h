// SPDX-License-Identifier: Apache-2.0
// Writes the options table of an operator into a FlatBuffer that model_builder.cc builds.

#pragma once

#include "flatbuffers/flatbuffers.h"
#include "lutra/builtin_operator.h"
#include "runtime/schema/tflite.h"
#include "runtime/testing/operator_options.h"

namespace lutra {

struct WrittenOptions {
  schema::BuiltinOptions type = schema::BuiltinOptions::NONE;
  flatbuffers::Offset<void> offset = 0;
};

// Writes nothing for an operator whose table has no fields.
WrittenOptions WriteOptions(flatbuffers::FlatBufferBuilder& builder, BuiltinOperator code,
                            const OperatorOptions& options);

}  // namespace lutra

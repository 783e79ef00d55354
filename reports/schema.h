// SPDX-License-Identifier: Apache-2.0
// Validates by the part of JSON Schema (draft 2020-12) that schema.json uses: $ref within the file, type,
// const, enum, minimum, properties, required, items, anyOf, if, then.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lutra::reports {

enum class UnknownKeys {
  kAllowed,   // Files may have more keys than are read.
  kReported,  // For tests: all keys that programs write must be in the schema.
};

// Returns a line for each place where `value` breaks `schema`: `/results/0/status: found 3, required: ...`.
std::vector<std::string> SchemaErrors(const nlohmann::json& schema, const nlohmann::json& value,
                                      UnknownKeys unknown = UnknownKeys::kAllowed);

// Return the texts of schema.json, compression_schema.json and accelerator_schema.json.
const char* ResultSchemaText();
const char* CompressionSchemaText();
const char* AcceleratorSchemaText();

}  // namespace lutra::reports

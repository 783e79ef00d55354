// SPDX-License-Identifier: Apache-2.0
// A validator for the part of JSON Schema (draft 2020-12) that schema.json uses: $ref within the file, type,
// const, enum, minimum, properties, required, items, anyOf, if, then.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lutra::reports {

enum class UnknownKeys {
  kAllowed,   // Files may say more than we read.
  kReported,  // Tests: what our programs write is all in the schema.
};

// One line for each place where `value` is not as `schema` says: `/results/0/status: found 3, required: ...`.
std::vector<std::string> SchemaErrors(const nlohmann::json& schema, const nlohmann::json& value,
                                      UnknownKeys unknown = UnknownKeys::kAllowed);

// The texts of schema.json, compression_schema.json and accelerator_schema.json.
const char* ResultSchemaText();
const char* CompressionSchemaText();
const char* AcceleratorSchemaText();

}  // namespace lutra::reports

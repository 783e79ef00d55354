// SPDX-License-Identifier: Apache-2.0
// Finds fields that pass FlatBuffers' verifier although no objects of our schema can be made of them, or
// these objects would lose them.
//
//   const FieldProblems problems = CheckFields(bytes);   // verified
//   if (!problems.broken.empty()) throw BadInput(path + ": " + problems.broken);

#pragma once

#include <cstdint>
#include <string>

namespace lutra::compressor {

// The first of each kind: "<rule>: found ..., required: ...; ...". Empty: none.
struct FieldProblems {
  // A union without the table that it names, or numbers that are not aligned: no objects can be made of it.
  std::string broken;
  // A field or a union's member that the schema does not have: objects lose it.
  std::string unknown;
};
FieldProblems CheckFields(const uint8_t* model);

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// What FlatBuffers' verifier lets pass, and objects of our schema are not made of or do not hold.
//
//   const FieldProblems problems = CheckFields(bytes);   // verified
//   if (!problems.broken.empty()) throw BadInput(path + ": " + problems.broken);

#pragma once

#include <cstdint>
#include <string>

namespace lutra::compressor {

// The first of each kind: "<rule>: found ..., required: ...; ...". Empty: none.
struct FieldProblems {
  std::string broken;  // A union without the table that it names, or numbers that are not aligned: no objects
                       // are made of it.
  std::string unknown;  // A field or a union's member that the schema does not have: objects are without it.
};
FieldProblems CheckFields(const uint8_t* model);

}  // namespace lutra::compressor

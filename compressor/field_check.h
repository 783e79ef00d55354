// SPDX-License-Identifier: Apache-2.0
// Finds fields that pass FlatBuffers' verifier although no objects of our schema can be made of them, or
// these objects would lose them.
//
//   const FieldProblems problems = CheckFields(bytes);   // verified
//   if (!problems.broken.empty()) throw BadInput(path + ": " + problems.broken);

#pragma once

#include <cstdint>
#include <string>

namespace lutra::edit {
struct ModelT;
}

namespace lutra::compressor {

// The first of each kind: "<rule>: found ..., required: ...; ...". Empty: none.
struct FieldProblems {
  // A union, other than an operator's options, without the table that it names, or numbers that are not
  // aligned: no objects can be made of it.
  std::string broken;
  // A field or a union's member that the schema does not have: objects lose it.
  std::string unknown;
};
FieldProblems CheckFields(const uint8_t* model);

// Makes NONE of the kind of operators' options that name a table which is not there: some tools write such
// files, runtimes take the defaults, and the objects of FlatBuffers cannot be written.
void DropEmptyOptions(edit::ModelT* model);

}  // namespace lutra::compressor

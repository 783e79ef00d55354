// SPDX-License-Identifier: Apache-2.0
// Lists of faults for the kernels: small edits of a source, one at a time, that cases should find.
//
//   # What follows # is for readers.
//   file runtime/kernels/conv_2d/conv_2d_ref.cc
//   cases int8.conv_2d.*
//   mutation conv_2d.part_of_long_window
//   why windows of more than 256 values lose their last part
//   - for (int32_t begin = 0; begin < filter_values;) {
//   + for (int32_t begin = 0; begin < 256;) {
//
// The text of the lines that begin with "- " is replaced by that of the lines that begin with "+ ". It is a
// part of one line or some whole lines, and occurs in the file exactly once. `file`, `cases`, `kernels` and
// `delegate` hold for all mutations that follow. `cases` only says which cases are tried first; `kernels
// avx2` says which variants run, whatever --kernels says; `delegate vta threads=2` names a delegate, with
// options, that gets the nodes that it takes. `file` resets the other three.

#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lutra::conformance {

struct Mutation {
  std::string id, file, cases, why;
  std::string kernels;   // Empty: those of the options.
  std::string delegate;  // As in the list; empty: none.
  std::string from, to;
  std::string where;  // Of the list: "mutations/conv_2d.txt:12".
};

// Throws BadInput for what is no list.
std::vector<Mutation> ReadMutations(const std::filesystem::path& list);
std::vector<Mutation> ParseMutations(const std::string& text, const std::string& name);
// Reads all lists of a folder, in the order of their names. Throws BadInput if two mutations have one id.
std::vector<Mutation> MutationsIn(const std::filesystem::path& folder);

// The source with the edit. Throws BadInput if it no longer applies.
std::string Mutated(const std::string& source, const Mutation& mutation);

}  // namespace lutra::conformance

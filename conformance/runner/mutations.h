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
// Lines that begin with "- " are what is replaced, a part of one line or some whole lines, and stand in the
// file exactly once; lines that begin with "+ " are what it becomes. `file`, `cases`, `kernels` and
// `delegate` hold for all that follows; `cases` says which cases are tried first, nothing else; `kernels
// avx2` which variants run, whatever --kernels says; `delegate vta threads=2` who has the nodes that it
// takes, with options. After `file` the other three are as at the beginning.

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
// All lists of a folder, in the order of their names. Throws BadInput if an id stands twice.
std::vector<Mutation> MutationsIn(const std::filesystem::path& folder);

// The source with the edit. Throws BadInput if it no longer applies.
std::string Mutated(const std::string& source, const Mutation& mutation);

}  // namespace lutra::conformance

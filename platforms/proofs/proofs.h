// SPDX-License-Identifier: Apache-2.0
// Proves kernels: every variant of a table against the definition, over all that its arithmetic can be given.
//
//   const Selection all = {};
//   const bool holds = Prove(all);
//
// prints, for each variant of each table that has a proof,
//
//   lutra1 proof <table> <variant> blocks 253952 of 253952 cases 317440000 reference 0 values <8 words> wrong
//   0 lutra1 counterexample <table> <variant> block 17 found -3 required -2      the first few of the wrong
//   ones lutra1 skipped <table> <variant>                                           this processor cannot run
//   it
//
// A proof is cut into blocks, which are the same on every machine: block 17 is block 17 everywhere, and some
// of them can be done again by themselves. `reference`: cases that the variant leaves to the table's
// reference. `values`: a bit for each byte, from 0 on, that is the lowest of a required output. What a proof
// covers, and why that is enough: README.md.

#pragma once

#include <stdint.h>

namespace lutra::platforms {

struct Selection {
  const char* table = nullptr;    // Null: all.
  const char* variant = nullptr;  // Null: all.
  // The proof has `parts` parts, of which this one is made, from 1 on.
  int32_t part = 1;
  int32_t parts = 1;
  // Else one block of so many, drawn by the seed.
  int32_t one_of = 1;
  uint32_t seed = 0;
};

enum class ProofEnd : uint8_t {
  kHolds,
  kFails,    // A variant differs.
  kNothing,  // No such table or variant, or none that this processor can run.
};

ProofEnd Prove(const Selection& selection);

}  // namespace lutra::platforms

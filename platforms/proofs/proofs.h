// SPDX-License-Identifier: Apache-2.0
// Proves kernels: every variant of a table against the definition, over all that its arithmetic can be given.
//
//   const Selection all = {};
//   const bool holds = Prove(all);
//
// prints, for each variant of each table that has a proof,
//
//   lutra1 proof <table> <variant> blocks N of N cases N reference N values <8 words> wrong N
//   lutra1 counterexample <table> <variant> block 17 found -3 required -2    for the first few wrong cases
//   lutra1 skipped <table> <variant>                                         if it cannot run here
//
// A proof is cut into blocks, which have the same numbers and cases on every machine, so that single blocks
// can be repeated. `reference`: cases that the variant leaves to the table's reference. `values`: a bit for
// each byte, from 0 on, that is the lowest of a required output. README.md says what a proof covers, and why
// that is enough.

#pragma once

#include <stdint.h>

namespace lutra::platforms {

struct Selection {
  const char* table = nullptr;    // Null: all.
  const char* variant = nullptr;  // Null: all.
  // The proof is made in `parts` parts; `part`, counted from 1, is this one.
  int32_t part = 1;
  int32_t parts = 1;
  // If it is more than 1, one of so many blocks is tried, drawn by the seed.
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

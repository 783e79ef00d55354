// SPDX-License-Identifier: Apache-2.0
// prove_kernels: every variant of the kernels that have a proof against the definition (proofs/proofs.h).
//
//   prove_kernels [TABLE|all [VARIANT|all [part I N | sample SEED N]]]
//
// `conformance prove` runs it, also in emulators. The first line is `lutra1 build <platform> <rounding>
// <compiler>`; the others, proofs/proofs.h says. `part 2 16`: the second of 16 parts. `sample 7 1000`: about
// one block of a thousand, drawn with the seed 7. Exit codes: 0 all that ran holds; 1 a variant differs; 2
// bad usage; 3 no such table or variant, or none that this processor can run.

#include <string.h>

#include "platforms/common/inference_report.h"
#include "platforms/common/report.h"
#include "platforms/proofs/proofs.h"

namespace lutra::platforms {
namespace {

#ifdef __clang__
constexpr const char* kCompiler = __VERSION__;
#else
constexpr const char* kCompiler = "GCC " __VERSION__;
#endif

constexpr int kExitFails = 1;
constexpr int kExitUsage = 2;
constexpr int kExitNothing = 3;

// A name; "all" is null.
const char* Chosen(const char* word) { return strcmp(word, "all") == 0 ? nullptr : word; }

bool ParseSelection(int count, char** arguments, Selection* selection) {
  if (count > 1) selection->table = Chosen(arguments[1]);
  if (count > 2) selection->variant = Chosen(arguments[2]);
  if (count <= 3) return true;
  uint64_t numbers[2];
  if (count != 6 || !ParseNumber(arguments[4], &numbers[0]) || !ParseNumber(arguments[5], &numbers[1]))
    return false;
  if (numbers[1] < 1 || numbers[1] > INT32_MAX) return false;
  if (strcmp(arguments[3], "sample") == 0) {
    selection->seed = static_cast<uint32_t>(numbers[0]);
    selection->one_of = static_cast<int32_t>(numbers[1]);
    return true;
  }
  if (strcmp(arguments[3], "part") != 0 || numbers[0] < 1 || numbers[0] > numbers[1]) return false;
  selection->part = static_cast<int32_t>(numbers[0]);
  selection->parts = static_cast<int32_t>(numbers[1]);
  return true;
}

int ProveKernels(int count, char** arguments) {
  Selection selection;
  if (!ParseSelection(count, arguments, &selection)) {
    ReportLine("usage").Text("[TABLE|all [VARIANT|all [part I N | sample SEED N]]]");
    return kExitUsage;
  }
#ifdef LUTRA_SINGLE_ROUNDING
  constexpr const char* kRounding = "single";
#else
  constexpr const char* kRounding = "double";
#endif
  ReportLine("build").Text(LUTRA_PLATFORM).Text(kRounding).Text(kCompiler);
  const ProofEnd end = Prove(selection);
  return end == ProofEnd::kHolds ? 0 : end == ProofEnd::kFails ? kExitFails : kExitNothing;
}

}  // namespace
}  // namespace lutra::platforms

int main(int argc, char** argv) { return lutra::platforms::ProveKernels(argc, argv); }

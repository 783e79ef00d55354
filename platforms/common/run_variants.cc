// SPDX-License-Identifier: Apache-2.0
// run_variants: every variant of the kernels' tables that this processor has against the table's reference.
// If all variants are right, it gives exit code 0 and lines
//
//   lutra1 region kernel <table> <variant>
//   lutra1 reference <table> problems N crc32 XXXXXXXX
//   lutra1 variant <table> <variant> problems N different 0
//   lutra1 skipped <table> <variant>                           this processor cannot run it
//
// The first announces what is counted (counter/marks.h), the second is the same on every machine. Exit code
// 1: a variant differs, or one, the reference included, wrote beside its output (different M), or a table has
// no check (lutra1 unchecked <table>).
//
//   run_variants self-test     finds what is wrong with variants that are wrong on purpose
//   run_variants SEED          other random problems

#include <string.h>

#include "lutra/cpu.h"
#include "lutra/kernels/lookup/lookup.h"
#include "platforms/common/inference_report.h"
#include "platforms/common/report.h"
#include "platforms/variants/variants.h"

namespace lutra::platforms {
namespace {

constexpr int kExitOk = 0;
constexpr int kExitDifferent = 1;
constexpr int kExitUsage = 2;

// It is too large for the stack.
VariantChecker checker;

// An instruction set that the program's processors do not have.
#if defined(__x86_64__) || defined(__i386__)
constexpr CpuFeatures kForeignFeatures = kCpuNeon;
#else
constexpr CpuFeatures kForeignFeatures = kCpuAvx2;
#endif

// Each of these variants is wrong in one problem only.
constexpr int32_t kWrongCount = 37;
void LookupWrongByte(const LookupArgs& args, int32_t first, int32_t count) {
  LookupRef(args, first, count);
  if (count == kWrongCount) args.output[first + count / 2] ^= 1;
}
void LookupBehind(const LookupArgs& args, int32_t first, int32_t count) {
  LookupRef(args, first, count);
  if (count == kWrongCount) args.output[first + count] ^= 1;
}
void LookupInFront(const LookupArgs& args, int32_t first, int32_t count) {
  LookupRef(args, first, count);
  if (count == kWrongCount) args.output[first - 1] ^= 1;
}

template <int N>
int FailuresOf(const Variant<LookupFn> (&variants)[N]) {
  Problems<LookupArgs> problems(checker);
  const auto* const table = Filled<uint8_t>(checker, 1, 256);
  for (int32_t count = 1; count <= kMaxCount; ++count) {
    const auto* const input = Filled<uint8_t>(checker, 2, count);
    problems.Add({.args = {table, input, Output<uint8_t>(checker, count)}, .count = count});
  }
  const int before = checker.failures();
  checker.CheckAs("self-test", variants, problems);
  return checker.failures() - before;
}

bool FindsWhatIsWrong() {
  constexpr Variant<LookupFn> kWrongByte[] = {{"wrong-byte", kCpuAny, LookupWrongByte},
                                              {"ref", kCpuAny, LookupRef}};
  constexpr Variant<LookupFn> kBehind[] = {{"behind", kCpuAny, LookupBehind}, {"ref", kCpuAny, LookupRef}};
  constexpr Variant<LookupFn> kInFront[] = {{"in-front", kCpuAny, LookupInFront},
                                            {"ref", kCpuAny, LookupRef}};
  constexpr Variant<LookupFn> kReference[] = {{"ref", kCpuAny, LookupBehind}};
  constexpr Variant<LookupFn> kRight[] = {{"right", kCpuAny, LookupRef}, {"ref", kCpuAny, LookupRef}};
  constexpr Variant<LookupFn> kSkipped[] = {{"foreign", kForeignFeatures, LookupWrongByte},
                                            {"ref", kCpuAny, LookupRef}};
  const int found =
      FailuresOf(kWrongByte) + FailuresOf(kBehind) + FailuresOf(kInFront) + FailuresOf(kReference);
  const int found_in_right = FailuresOf(kRight) + FailuresOf(kSkipped);
  ReportLine("self-test")
      .Text("wrong")
      .Number(4)
      .Text("found")
      .Number(found)
      .Text("right")
      .Number(2)
      .Text("found")
      .Number(found_in_right);
  return found == 4 && found_in_right == 0;
}

int CheckTables() {
  CheckAll(checker);
  const int bad = checker.failures() + checker.CountUnchecked();
  return bad == 0 ? kExitOk : kExitDifferent;
}

int RunVariants(int argument_count, char** arguments) {
  if (argument_count <= 1) return CheckTables();
  if (argument_count == 2 && strcmp(arguments[1], "self-test") == 0) {
    return FindsWhatIsWrong() ? kExitOk : kExitDifferent;
  }
  uint64_t seed = 0;
  if (argument_count == 2 && ParseNumber(arguments[1], &seed)) {
    random_problems_seed = static_cast<uint32_t>(seed);
    return CheckTables();
  }
  ReportLine("usage").Text("[self-test|SEED]");
  return kExitUsage;
}

}  // namespace
}  // namespace lutra::platforms

int main(int argc, char** argv) { return lutra::platforms::RunVariants(argc, argv); }

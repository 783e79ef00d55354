// SPDX-License-Identifier: Apache-2.0
// Tests every table of variants, and that the fixture leaves out what this processor cannot run.

#include "runtime/kernels/tables.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "runtime/testing/kernel_test.h"

namespace lutra {
namespace {

TEST(KernelTables, EachVariantIsTested) {
  VisitTables([](const char* name, const auto& table) {
    for (const auto& variant : table) {
      const std::string tested = std::string(name) + "/" + variant.name;
      EXPECT_EQ(TestedVariants().count(tested), 1u) << tested << " has no test (LUTRA_TEST_TABLE)";
    }
  });
}

// A name must be an instruction set's, so that --kernels can name it, and the variant must need that set.
TEST(KernelTables, NamesAreInstructionSets) {
  VisitTables([](const char* name, const auto& table) {
    int i = 0;
    for (const auto& variant : table) {
      SCOPED_TRACE(std::string(name) + "/" + variant.name);
      EXPECT_NE(variant.run, nullptr);
      const bool is_last = ++i == static_cast<int>(std::size(table));
      EXPECT_EQ(std::string(variant.name) == "ref", is_last);
      if (is_last) {
        EXPECT_EQ(variant.needs, kCpuAny);
        EXPECT_EQ(variant.prepare, nullptr);
        continue;
      }
      bool known = false;
      for (const InstructionSet& set : kInstructionSets) {
        if (std::strcmp(set.name, variant.name) != 0) continue;
        known = true;
        EXPECT_EQ(variant.needs, set.features);
      }
      EXPECT_TRUE(known) << "not in kInstructionSets";
    }
  });
}

TEST(InstructionSets, ImplyTheirLesserOnes) {
  EXPECT_EQ(kCpuAvx2 & kCpuSse41, kCpuSse41);
  EXPECT_EQ(kCpuAvx512Vnni & kCpuAvx2, kCpuAvx2);
  EXPECT_NE(kCpuAvx512Vnni & kCpuAvxVnni, kCpuAvxVnni);
  EXPECT_EQ(kCpuNeonDot & kCpuNeon, kCpuNeon);
  // Each instruction set has its own bit.
  for (const InstructionSet& a : kInstructionSets) {
    for (const InstructionSet& b : kInstructionSets) {
      EXPECT_EQ(a.features == b.features, std::strcmp(a.name, b.name) == 0) << a.name << " " << b.name;
    }
  }
}

void Add1(const LookupArgs& args, int32_t first, int32_t) { args.output[first] = 1; }
void Add2(const LookupArgs& args, int32_t first, int32_t) { args.output[first] = 2; }
int32_t WantNothing(const LookupArgs&, void*) { return 0; }
void Abort(const LookupArgs&, int32_t, int32_t) { std::abort(); }

TEST(Best, IsTheFirstThatTheProcessorCanRun) {
  constexpr Variant<LookupFn> table[] = {
      {"avx2", kCpuAvx2, Abort}, {"sse41", kCpuSse41, Add1}, {"ref", kCpuAny, Add2}};
  EXPECT_STREQ(Best(table, kCpuAvx512Vnni).name, "avx2");
  EXPECT_STREQ(Best(table, kCpuAvx2).name, "avx2");
  EXPECT_STREQ(Best(table, kCpuSse41).name, "sse41");
  EXPECT_STREQ(Best(table, kCpuNeon).name, "ref");
  EXPECT_STREQ(Best(table, kCpuAny).name, "ref");
}

TEST(Best, PassesOverVariantsThatPrepare) {
  constexpr Variant<LookupFn> table[] = {
      {"avx2", kCpuAvx2, Abort, WantNothing}, {"sse41", kCpuSse41, Add1}, {"ref", kCpuAny, Add2}};
  EXPECT_STREQ(Best(table, kCpuAvx2).name, "sse41");
}

// This instruction set belongs to other processors: running its variant would end the program.
#if defined(__x86_64__) || defined(__i386__)
#define LUTRA_FOREIGN_VARIANT \
  { "neon", kCpuNeon, Abort }
#else
#define LUTRA_FOREIGN_VARIANT \
  { "avx2", kCpuAvx2, Abort }
#endif
constexpr Variant<LookupFn> kWithForeign[] = {LUTRA_FOREIGN_VARIANT, {"ref", kCpuAny, Add2}};

class TableWithForeignVariant : public KernelTest<LookupFn> {};
TEST_P(TableWithForeignVariant, RunsTheOthers) {
  uint8_t output = 0;
  Run({.output = &output}, 0, 1);
  EXPECT_EQ(output, 2);
}
LUTRA_TEST_TABLE(TableWithForeignVariant, kWithForeign);

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// What holds for every table of variants; and that the fixture leaves out what this processor cannot run.

#include "runtime/kernels/tables.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "runtime/kernels/missing_variants.h"
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

// A name is an instruction set's, so that --kernels can name it, and what it needs is that set.
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

#if defined(__x86_64__)
constexpr const char* kColumns[] = {"sse41", "avx2", "avxvnni", "avx512vnni", "avx512vbmi"};

// The index of the reason that a cell shows, its own, the column's or the row's; -1: none.
int ReasonOf(const std::string& table, const std::string& column) {
  int of_row = -1, of_column = -1;
  for (int i = 0; i < static_cast<int>(std::size(kMissingVariants)); ++i) {
    const MissingVariant& missing = kMissingVariants[i];
    const bool is_mine = missing.table != nullptr && missing.table == table;
    const bool is_of_column = missing.set != nullptr && missing.set == column;
    if (is_mine && is_of_column) return i;
    if (is_mine && missing.set == nullptr) of_row = i;
    if (missing.table == nullptr && is_of_column) of_column = i;
  }
  return of_column >= 0 ? of_column : of_row;
}

// The rows of VARIANTS.md: a table each, a column for each instruction set of these processors. `used`, if
// not null, gets the reasons that are shown, `empty` the cells that show nothing.
std::string VariantsOfTables(std::set<int>* used = nullptr, std::string* empty = nullptr) {
  std::string page = "| table |";
  for (const char* const column : kColumns) page += std::string(" ") + column + " |";
  page += "\n|---|";
  for (size_t i = 0; i < std::size(kColumns); ++i) page += "---|";
  page += "\n";
  VisitTables([&](const char* name, const auto& table) {
    page += std::string("| `") + name + "` |";
    for (const char* const column : kColumns) {
      std::string cell;
      for (const auto& variant : table) {
        if (std::strcmp(variant.name, column) == 0) cell = variant.prepare != nullptr ? "prepares" : "yes";
      }
      const int reason = cell.empty() ? ReasonOf(name, column) : -1;
      if (reason >= 0) {
        cell = kMissingVariants[reason].reason;
        if (used != nullptr) used->insert(reason);
      }
      if (cell.empty() && empty != nullptr) *empty += std::string(name) + "/" + column + " ";
      page += cell.empty() ? " |" : " " + cell + " |";
    }
    page += "\n";
  });
  return page;
}

TEST(VariantsPage, HasNoReasonWithoutACell) {
  std::set<int> used;
  VariantsOfTables(&used);
  for (int i = 0; i < static_cast<int>(std::size(kMissingVariants)); ++i) {
    const MissingVariant& missing = kMissingVariants[i];
    EXPECT_EQ(used.count(i), 1u) << (missing.table != nullptr ? missing.table : "all") << ", "
                                 << (missing.set != nullptr ? missing.set : "all")
                                 << ": no such cell, or it holds a variant, or another reason";
    EXPECT_LE(std::strlen(missing.reason), 60u) << missing.reason << ": a few words";
    EXPECT_EQ(std::string(missing.reason).find('|'), std::string::npos) << missing.reason;
  }
}

TEST(VariantsPage, EachCellHasAVariantOrAReason) {
  std::string empty;
  VariantsOfTables(nullptr, &empty);
  EXPECT_EQ(empty, "") << "a variant, or a line in missing_variants.h";
}

TEST(VariantsPage, HoldsWhatTheTablesDo) {
  constexpr char kPage[] = LUTRA_SOURCE_DIR "/runtime/kernels/VARIANTS.md", kBegin[] = "| table |";
  std::ifstream file(kPage);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const size_t at = page.find(kBegin);
  ASSERT_NE(at, std::string::npos) << kPage;
  if (std::getenv("LUTRA_WRITE_VARIANTS") != nullptr) {
    std::ofstream(kPage) << page.substr(0, at) << VariantsOfTables();
    GTEST_SKIP() << "it was written";
  }
  EXPECT_EQ(page.substr(at), VariantsOfTables()) << "LUTRA_WRITE_VARIANTS=1 kernel_test writes it";
}
#endif

TEST(InstructionSets, ImplyTheirLesserOnes) {
  EXPECT_EQ(kCpuAvx2 & kCpuSse41, kCpuSse41);
  EXPECT_EQ(kCpuAvx512Vnni & kCpuAvx2, kCpuAvx2);
  EXPECT_NE(kCpuAvx512Vnni & kCpuAvxVnni, kCpuAvxVnni);
  EXPECT_EQ(kCpuNeonDot & kCpuNeon, kCpuNeon);
  // Each has a bit of its own.
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

// An instruction set of other processors: its variant would end the program.
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

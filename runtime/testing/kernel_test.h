// SPDX-License-Identifier: Apache-2.0
// The fixture of all kernels' tests: tests each variant of a table, but skips those that the processor cannot
// run; a variant that prepares is tested with and without its memory.
//
//   class Lookup : public KernelTest<LookupFn> {};
//   TEST_P(Lookup, MapsEachCode) {
//     ...
//     Run({table, input, output}, first, count);
//   }
//   LUTRA_TEST_TABLE(Lookup, kLookup);              // or, of several tables:
//   LUTRA_TEST_TABLES(BinaryInt8, Add, kAddInt8);

#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "lutra/cpu.h"
#include "runtime/kernels/tables.h"
#include "runtime/testing/prepared.h"

namespace lutra {

// Tables and variants that a test covers: "lookup/avx2".
inline std::set<std::string>& TestedVariants() {
  static std::set<std::string> tested;
  return tested;
}

template <typename Fn>
struct TestedVariant {
  VariantUse<Fn> use;
  Variant<Fn> reference;
  const char* table;

  friend void PrintTo(const TestedVariant& tested, std::ostream* stream) {
    *stream << (tested.table != nullptr ? tested.table : "an unlisted table") << "/" << tested.use.name();
  }
};

template <typename Fn, int N>
std::vector<TestedVariant<Fn>> TestedVariantsOf(const Variant<Fn> (&table)[N]) {
  const char* name = TableName(table);
  std::vector<TestedVariant<Fn>> tested;
  for (const VariantUse<Fn>& use : UsesOf(table)) {
    tested.push_back({use, table[N - 1], name});
    if (name != nullptr) TestedVariants().insert(std::string(name) + "/" + use.variant.name);
  }
  return tested;
}

template <typename Fn>
class KernelTest;

template <typename Args, typename... Rest>
class KernelTest<void (*)(const Args&, Rest...)>
    : public testing::TestWithParam<TestedVariant<void (*)(const Args&, Rest...)>> {
  using Fn = void (*)(const Args&, Rest...);

 public:
  // Runs the variant as the interpreter would: the reference runs if the variant does not take the arguments.
  void Run(const Args& args, Rest... rest) const {
    const TestedVariant<Fn>& tested = this->GetParam();
    PreparedArgs<Fn> prepared(tested.use, args);
    EXPECT_TRUE(prepared.is_right()) << "prepare";
    if (!prepared.is_for_variant()) return tested.reference.run(args, rest...);
    ran_ = true;
    tested.use.variant.run(prepared.args(), rest...);
  }
  void RunReference(const Args& args, Rest... rest) const { this->GetParam().reference.run(args, rest...); }
  // Run() as a function object.
  struct Kernel {
    const KernelTest& test;
    void operator()(const Args& args, Rest... rest) const { test.Run(args, rest...); }
    bool is_reference() const { return test.is_reference(); }
  };
  Kernel kernel() const { return {*this}; }
  // Returns the result of Variant::rows_at_once; 1 without it.
  int32_t RowsAtOnce([[maybe_unused]] const Args& args) const {
#if LUTRA_HAVE_PREPARING_LAYERS
    const TestedVariant<Fn>& tested = this->GetParam();
    const Variant<Fn>& variant = tested.use.variant;
    if (variant.rows_at_once == nullptr || !PreparedArgs<Fn>(tested.use, args).is_for_variant()) return 1;
    return variant.rows_at_once(args);
#else
    return 1;
#endif
  }
  // Only the reference is known to be wrong if memory overlaps more than it may.
  bool is_reference() const { return this->GetParam().use.variant.run == this->GetParam().reference.run; }

 protected:
  void SetUp() override {
    const Variant<Fn>& variant = this->GetParam().use.variant;
    if (!CanRun(variant, CpuFeaturesHere())) GTEST_SKIP() << "this processor lacks " << variant.name;
  }
  void TearDown() override {
    EXPECT_TRUE(ran_ || this->IsSkipped() || this->HasFailure()) << "no arguments were the variant's";
  }

 private:
  mutable bool ran_ = false;
};

template <typename Fn>
std::string TestedVariantName(const testing::TestParamInfo<TestedVariant<Fn>>& info) {
  return info.param.use.name();
}

#define LUTRA_TEST_TABLES(suite, prefix, table)                                       \
  INSTANTIATE_TEST_SUITE_P(prefix, suite, testing::ValuesIn(TestedVariantsOf(table)), \
                           [](const auto& info) { return TestedVariantName(info); })
#define LUTRA_TEST_TABLE(suite, table) LUTRA_TEST_TABLES(suite, , table)

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// The cases of one operator, as they are made:
//
//   void GenerateAbs(Series& series) {
//     series.Add("shape", MakeAbs(series.random, ...));   // int8.abs.shape.0000
//   }
//   void GenerateRealAbs(RealSizes& series) {
//     series.AddSmoke("count", MakeAbs(...));             // int8.abs.real.count.0000
//   }
//   Case DrawAbs(Random& random) { ... }                  // any case of it, for `conformance fuzz`
//   extern const CaseFamilies kAbsCases = {Family("ABS", GenerateAbs, GenerateRealAbs, DrawAbs)};

#pragma once

#include "conformance/generator/model_maker.h"
#include "conformance/generator/separate.h"
#include "conformance/generator/sizes.h"

namespace lutra::conformance {

class Series {
 public:
  Series(const char* op, const CaseSink& sink, const std::string& prefix, Smoke smoke)
      : Series(op, sink, prefix, smoke, prefix) {}
  void Add(const std::string& what, Case test, std::vector<std::string> tags = {}) {
    test.id = ids_(what);
    test.op = op_;
    test.tags = std::move(tags);
    if (test.smoke == Smoke::kMaybe) test.smoke = smoke_;
    sink_(std::move(test));
  }
  // Adds a case to the smoke set, because it covers much in little time.
  void AddSmoke(const std::string& what, Case test) {
    test.smoke = Smoke::kAlways;
    Add(what, std::move(test));
  }
  void AddSeparators(int wanted, int tries, const std::function<Case(Random&)>& candidate,
                     const Separation& separation = {}) {
    conformance::AddSeparators(sink_, op_, wanted, tries, candidate, separation);
  }
  const char* op() const { return op_; }

  Random random;

 protected:
  Series(const char* op, const CaseSink& sink, const std::string& prefix, Smoke smoke,
         const std::string& seed)
      : random(seed), op_(op), sink_(sink), ids_(prefix), smoke_(smoke) {}

  const char* op_;
  const CaseSink& sink_;

 private:
  NumberedIds ids_;
  Smoke smoke_;
};

// A case for which TensorFlow Lite Micro has no room: a runtime that refuses it still follows its profile.
inline Case Beyond(Case test) {
  test.optional = true;
  return test;
}
// Does the same if `is_beyond`.
inline Case BeyondIf(bool is_beyond, Case test) { return is_beyond ? Beyond(std::move(test)) : test; }

// Takes the cases of real sizes.
class RealSizes : public Series {
 public:
  RealSizes(const char* op, const CaseSink& sink, const std::string& prefix)
      : Series(op, sink, prefix + "real.", Smoke::kNever), prefix_(prefix + "real.") {}
  // Begins another series of real sizes, whose ids begin with "int8.abs.real.types."
  Series Part(const char* part) const { return {op_, sink_, prefix_ + part, Smoke::kNever}; }

 private:
  std::string prefix_;
};

// The family of the operator `op` that has this prefix. `smoke` is for cases that are not of real sizes.
inline CaseFamily Family(const char* op, const std::string& prefix, std::function<void(Series&)> generate,
                         std::function<void(RealSizes&)> real_sizes, Smoke smoke = Smoke::kMaybe) {
  return {.op = op,
          .prefix = prefix,
          .generate =
              [=](const CaseSink& sink) {
                Series series(op, sink, prefix, smoke);
                generate(series);
              },
          .real_sizes =
              [=](const CaseSink& sink) {
                RealSizes series(op, sink, prefix);
                real_sizes(series);
              }};
}
inline CaseFamily Family(const char* op, std::function<void(Series&)> generate,
                         std::function<void(RealSizes&)> real_sizes, Case (*draw)(Random&) = nullptr) {
  CaseFamily family = Family(op, PrefixOf(op), std::move(generate), std::move(real_sizes));
  family.draw = draw;
  return family;
}

// Shapes of rank 1 to 5 at which blocks of 4, 8 and 16 elements end early, just fill, or spill over.
inline const std::vector<oracle::Shape>& ElementwiseShapes() {
  static const std::vector<oracle::Shape> shapes = {
      {1},          {3},          {1, 4},       {8},          {3, 5},          {1, 2, 8},
      {17},         {1, 31},      {2, 3, 3, 1}, {1, 1, 1, 1}, {3, 11},         {1, 5, 5, 15},
      {2, 3, 1, 7}, {3, 7, 1, 9}, {1, 8, 8, 4}, {2, 257},     {1, 2, 3, 2, 5}, {1, 33}};
  return shapes;
}

}  // namespace lutra::conformance

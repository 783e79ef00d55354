// SPDX-License-Identifier: Apache-2.0
// The cases of one operator, as they are made:
//
//   Series series("ABS", sink);
//   series.Add("shape", MakeAbs(series.random, ...));   // int8.abs.shape.0000
//
//   RealSizes sizes("ABS", sink);
//   sizes.AddSmoke("count", MakeAbs(...));              // int8.abs.real.count.0000

#pragma once

#include "conformance/generator/model_maker.h"
#include "conformance/generator/separate.h"
#include "conformance/generator/sizes.h"

namespace lutra::conformance {

class Series {
 public:
  Series(const char* op, const CaseSink& sink) : Series(op, PrefixOf(op), sink) {}
  // Of an operator that has another family too.
  Series(const char* op, const std::string& prefix, const CaseSink& sink)
      : Series(op, sink, prefix, Smoke::kMaybe) {}
  void Add(const std::string& what, Case test, std::vector<std::string> tags = {}) {
    test.id = ids_(what);
    test.op = op_;
    test.tags = std::move(tags);
    if (test.smoke == Smoke::kMaybe) test.smoke = smoke_;
    sink_(std::move(test));
  }
  // One that covers much with little.
  void AddSmoke(const std::string& what, Case test) {
    test.smoke = Smoke::kAlways;
    Add(what, std::move(test));
  }

  Random random;

 protected:
  Series(const char* op, const CaseSink& sink, const std::string& prefix, Smoke smoke)
      : random(prefix), op_(op), sink_(sink), ids_(prefix), smoke_(smoke) {}

 private:
  std::string op_;
  const CaseSink& sink_;
  NumberedIds ids_;
  Smoke smoke_;
};

// A case for which TensorFlow Lite Micro has no room: who refuses it follows the profile all the same.
inline Case Beyond(Case test) {
  test.optional = true;
  return test;
}
// The same where `is_beyond`.
inline Case BeyondIf(bool is_beyond, Case test) { return is_beyond ? Beyond(std::move(test)) : test; }

// Those of real sizes.
class RealSizes : public Series {
 public:
  // `part`: of an operator whose cases are of several such series.
  RealSizes(const char* op, const CaseSink& sink, const char* part = "")
      : Series(op, sink, PrefixOf(op) + "real." + part, Smoke::kNever) {}
};

// Shapes of rank 1 to 5 at which blocks of 4, 8 and 16 elements end early, just fill, or spill over.
inline const std::vector<oracle::Shape>& ElementwiseShapes() {
  static const std::vector<oracle::Shape> shapes = {
      {1},          {3},          {1, 4},       {8},          {3, 5},          {1, 2, 8},
      {17},         {1, 31},      {2, 3, 3, 1}, {1, 1, 1, 1}, {3, 11},         {1, 5, 5, 15},
      {2, 3, 1, 7}, {3, 7, 1, 9}, {1, 8, 8, 4}, {2, 257},     {1, 2, 3, 2, 5}, {1, 33}};
  return shapes;
}

}  // namespace lutra::conformance

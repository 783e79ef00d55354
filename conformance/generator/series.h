// SPDX-License-Identifier: Apache-2.0
// The cases of one operator, as they are made:
//
//   Series series("ABS", sink);
//   series.Add("shape", MakeAbs(series.random, ...));   // int8.abs.shape.0000

#pragma once

#include "conformance/generator/model_maker.h"
#include "conformance/generator/separate.h"

namespace lutra::conformance {

class Series {
 public:
  Series(const char* op, const CaseSink& sink) : Series(op, PrefixOf(op), sink) {}
  // Of an operator that has another family too.
  Series(const char* op, const std::string& prefix, const CaseSink& sink)
      : random(prefix), op_(op), sink_(sink), ids_(prefix) {}
  void Add(const std::string& what, Case test, std::vector<std::string> tags = {}) {
    test.id = ids_(what);
    test.op = op_;
    test.tags = std::move(tags);
    sink_(std::move(test));
  }

  Random random;

 private:
  std::string op_;
  const CaseSink& sink_;
  NumberedIds ids_;
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

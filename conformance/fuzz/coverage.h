// SPDX-License-Identifier: Apache-2.0
// Counts which attributes the operators of random cases had, in buckets, and which buckets no case met.
//
//   Coverage coverage;
//   coverage.Count(drawn.test);
//   fmt::print("{}", coverage.Text());     // CONV_2D  stride_h  1: 120, 2: 33, 3-4: 5; never 5-8, 9+
//
// An attribute is a field of the operator's options, or what its tensors say: sizes, zero points, scales. Its
// buckets are written down here and not taken from the cases, so that a bucket that nothing draws is seen.

#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/generator/case.h"

namespace lutra::conformance {

struct AttributeCoverage {
  std::vector<std::string> buckets;
  std::vector<int64_t> counts;  // One for each bucket.
};

class Coverage {
 public:
  // Counts each node of the case's model. Models that must be refused are not counted.
  void Count(const Case& test);
  void Add(const Coverage& other);

  // Return the number of buckets of the operators that were met, and of those among them that no case met.
  int64_t buckets() const;
  int64_t never() const;
  // A line for each attribute, and one with the sums.
  std::string Text() const;
  nlohmann::ordered_json Json() const;
  // Reads what Json wrote. Throws what nlohmann::json throws for anything else.
  static Coverage FromJson(const nlohmann::ordered_json& json);

 private:
  std::map<std::string, std::map<std::string, AttributeCoverage>> operators_;
};

}  // namespace lutra::conformance

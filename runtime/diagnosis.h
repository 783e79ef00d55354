// SPDX-License-Identifier: Apache-2.0
// Diagnosis: which rule a model broke, and where. It travels beside a Status.
//
//   Diagnosis diagnosis;
//   if (Model::Load(bytes, &model, &diagnosis) != Status::kOk)
//     printf("rule %d: node %d, tensor %d\n", static_cast<int>(diagnosis.rule), diagnosis.node,
//     diagnosis.tensor);
//
// A Diagnosis consists of numbers, which a device can print. A program that compares rules includes
// rule.h. Names and sentences are in diagnosis_text.h, which takes 9 KB of flash; host tools print them with
// file, node, tensor, the found and the required number, and what to do next, in one line.

#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

namespace lutra {

// The rules by name: rule.h.
enum class Rule : uint8_t;

inline constexpr int32_t kNoValue = INT32_MIN;

struct Diagnosis {
  Rule rule = {};  // Rule::kNone
  int16_t subgraph = -1;
  int32_t node = -1;          // In its subgraph, in file order; -1: no node is to blame.
  int32_t tensor = -1;        // In its subgraph.
  int32_t other_tensor = -1;  // The second tensor of a pair (kOfflinePlanOverlap).
  int32_t found = kNoValue;   // kNoValue: the rule is not about a number.
  int32_t required = kNoValue;
  size_t wanted_bytes = 0;  // kArenaTooSmall: a lower bound of what works at this address.
};

}  // namespace lutra

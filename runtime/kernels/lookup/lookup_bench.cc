// SPDX-License-Identifier: Apache-2.0
// Tables as operators make them, at sizes of small layers and of large ones.

#include <cmath>
#include <string>
#include <vector>

#include "runtime/kernels/lookup/lookup_cases.h"
#include "runtime/testing/kernel_bench.h"

namespace lutra {
namespace {

struct Case {
  std::string name;
  int8_t (*entry)(int code);
  int32_t count;
};

int8_t Relu6(int code) { return static_cast<int8_t>(code < -20 ? -20 : code > 90 ? 90 : code); }
int8_t Logistic(int code) {
  return static_cast<int8_t>(std::fmin(std::round(256 / (1 + std::exp(-0.1 * code)) - 128), 127.0));
}
int8_t Any(int code) { return static_cast<int8_t>(code * 37 + 11); }

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const CountCase& c : ElementCounts()) {
    cases.push_back({"relu6_" + c.name, Relu6, c.count});
    cases.push_back({"logistic_" + c.name, Logistic, c.count});
    cases.push_back({"any_" + c.name, Any, c.count});
  }
  return cases;
}

void Run(benchmark::State& state, const VariantUse<LookupFn>& use, const Case& c) {
  ProblemMemory memory;
  Measure(state, use, LookupProblemOf({c.count, LookupTableOf(memory, c.entry)}, memory));
  state.SetItemsProcessed(state.iterations() * c.count);
}

const bool registered = RegisterKernel(kLookup, Cases(), Run);

}  // namespace
}  // namespace lutra

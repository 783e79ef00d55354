// SPDX-License-Identifier: Apache-2.0
// Compares outputs, and judges a case.

#include "conformance/runner/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

#include "conformance/generator/separate.h"

namespace lutra::conformance {
namespace {

using oracle::Bytes;

// Returns the types of the graph's outputs.
std::vector<int8_t> OutputTypes(const Case& test) {
  std::vector<int8_t> types;
  const auto model = oracle::ReadModel(test.model);
  const edit::SubGraphT& graph = *model->subgraphs[0];
  for (const int32_t tensor : graph.outputs)
    types.push_back(graph.tensors[static_cast<size_t>(tensor)]->type);
  return types;
}

double Element(const uint8_t* bytes, int8_t type) {
  uint64_t bits = 0;
  const int size = oracle::BytesOf(type);
  for (int i = 0; i < size; ++i) bits |= uint64_t{bytes[i]} << (8 * i);
  switch (type) {
    case oracle::kFloat32: {
      const auto low = static_cast<uint32_t>(bits);
      float value;
      std::memcpy(&value, &low, sizeof value);
      return double{value};
    }
    case oracle::kInt8:
      return static_cast<int8_t>(bits);
    case oracle::kInt16:
      return static_cast<int16_t>(bits);
    case oracle::kInt32:
      return static_cast<int32_t>(bits);
    case oracle::kInt64:
      return static_cast<double>(static_cast<int64_t>(bits));
    default:
      return static_cast<double>(bits);
  }
}

// Returns the larger of two magnitudes. NaN exceeds all numbers.
double Larger(double a, double b) { return std::isnan(a) || b <= a ? a : b; }

}  // namespace

std::optional<host::Mismatch> CompareBytes(const Bytes& expected, const Bytes& actual, int8_t type) {
  if (expected == actual) return std::nullopt;
  host::Mismatch mismatch;
  const auto size = static_cast<size_t>(oracle::BytesOf(type));
  for (size_t k = 0; k + size <= expected.size() && k + size <= actual.size(); k += size) {
    ++mismatch.elements;
    if (std::memcmp(&expected[k], &actual[k], size) == 0) continue;
    const double wanted = Element(&expected[k], type), found = Element(&actual[k], type);
    if (mismatch.different++ == 0) {
      mismatch.index = static_cast<int64_t>(k / size);
      mismatch.expected = wanted;
      mismatch.actual = found;
    }
    mismatch.largest = Larger(mismatch.largest, std::abs(wanted - found));
  }
  return mismatch;
}

std::optional<host::Mismatch> CompareOutputs(const Case& test, const std::vector<Bytes>& expected,
                                             const std::vector<Bytes>& actual) {
  std::optional<host::Mismatch> all;
  const std::vector<int8_t> types = OutputTypes(test);
  int64_t elements = 0;
  for (size_t i = 0; i < expected.size() && i < actual.size() && i < types.size(); ++i) {
    elements += static_cast<int64_t>(expected[i].size()) / oracle::BytesOf(types[i]);
    std::optional<host::Mismatch> mismatch = CompareBytes(expected[i], actual[i], types[i]);
    if (!mismatch) continue;
    if (!all) {
      all = mismatch;
      all->output = static_cast<int>(i);
    } else {
      all->different += mismatch->different;
      all->largest = Larger(all->largest, mismatch->largest);
    }
  }
  if (all) all->elements = elements;
  return all;
}

std::vector<std::string> RulesThatGive(const Case& test, const std::vector<Bytes>& actual) {
  std::vector<std::string> names;
  const oracle::Operator* op = oracle::FindOperator(test.op);
  if (op == nullptr) return names;
  Bytes all;
  for (const Bytes& output : actual) all.insert(all.end(), output.begin(), output.end());
  for (const oracle::ArithmeticRule& rule : op->rules) {
    if (OutputsUnder(test, *op, rule) == all) names.emplace_back(rule.name);
  }
  return names;
}

host::CaseResult Judge(const Case& test, const oracle::Profile& profile, int bound,
                       const std::optional<std::vector<Bytes>>& expected, const CaseRun& run) {
  host::CaseResult result = {.id = test.id, .op = test.op, .why = run.answer.why};
  const bool must_refuse = result.must_refuse = !test.must_refuse.empty();
  switch (run.answer.kind) {
    case AdapterAnswer::kCrash:
      result.verdict = host::Verdict::kCrash;
      return result;
    case AdapterAnswer::kTimeout:
      result.verdict = host::Verdict::kTimeout;
      return result;
    case AdapterAnswer::kUnsupported:
      // A runtime that lacks the operator has not run the wrong model either.
      result.verdict = must_refuse ? host::Verdict::kPass : host::Verdict::kUnsupported;
      return result;
    case AdapterAnswer::kRefused:
      result.verdict = must_refuse     ? host::Verdict::kPass
                       : test.optional ? host::Verdict::kUnsupported
                                       : host::Verdict::kFail;
      if (result.verdict == host::Verdict::kFail) result.why = kRefusedWord + result.why;
      return result;
    case AdapterAnswer::kError:
      result.verdict = host::Verdict::kFail;
      return result;
    case AdapterAnswer::kInterrupted:
    case AdapterAnswer::kOk:
      break;
  }
  if (must_refuse) {
    result.verdict = host::Verdict::kFail;
    result.why = "ran, and must be refused: " + test.must_refuse;
    return result;
  }
  if (!expected) {
    result.verdict = host::Verdict::kSkip;
    result.why = fmt::format("profile {} says nothing of this case", profile.name);
    return result;
  }
  if (!run.problem.empty()) {
    result.verdict = host::Verdict::kFail;
    result.why = run.problem;
    return result;
  }
  result.mismatch = CompareOutputs(test, *expected, run.outputs);
  if (!result.mismatch) return result;
  // Without a bound, different bits are a failure even if their values are equal: -0 and 0.
  if (bound > 0 && result.mismatch->largest <= bound) {
    result.why = fmt::format("{} of {} elements differ, by at most {}", result.mismatch->different,
                             result.mismatch->elements, result.mismatch->largest);
    return result;
  }
  result.verdict = host::Verdict::kFail;
  result.mismatch->rules = RulesThatGive(test, run.outputs);
  result.why = fmt::format(
      "output {} [{}]: expected {}, actual {}; {} of {} elements differ, by at most {}; {}",
      result.mismatch->output, result.mismatch->index, result.mismatch->expected, result.mismatch->actual,
      result.mismatch->different, result.mismatch->elements, result.mismatch->largest,
      result.mismatch->rules.empty()
          ? "no other rule gives these bytes"
          : fmt::format("rule {} gives exactly these bytes", fmt::join(result.mismatch->rules, ", ")));
  return result;
}

}  // namespace lutra::conformance

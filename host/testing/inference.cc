// SPDX-License-Identifier: Apache-2.0
// Runs models for tests, in an arena that was not zeroed.

#include "host/testing/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "host/kernels_owner.h"
#include "lutra/ops/ops.h"

namespace lutra::host {
namespace {

constexpr size_t kArenaBytes = size_t{16} << 20;

std::vector<float> AsFloats(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

std::string FloatDifference(const Bytes& actual, const Bytes& expected, double tolerance) {
  const std::vector<float> a = AsFloats(actual);
  const std::vector<float> e = AsFloats(expected);
  double largest = 0;
  for (const float value : e) largest = std::max(largest, std::abs(static_cast<double>(value)));
  for (size_t i = 0; i < e.size(); ++i) {
    if (!(std::abs(static_cast<double>(a[i]) - e[i]) <= tolerance * largest)) {
      return fmt::format("element {}: {} instead of {}", i, a[i], e[i]);
    }
  }
  return "";
}

}  // namespace

Bytes ReadBytes(const std::filesystem::path& path) {
  const AlignedBytes bytes = ReadFileBytes(path);
  return {bytes.data(), bytes.data() + bytes.size()};
}

RunOutcome RunModel(const std::filesystem::path& path, const std::vector<Bytes>& inputs, int invokes,
                    const InterpreterOptions& options, Span<const AlternateMemoryRegion> regions,
                    const DelegateList& delegates) {
  RunOutcome outcome;
  ModelFile file;
  try {
    file = ReadModelFile(path);
  } catch (const BadInput& refusal) {
    outcome.status = Status::kInvalidModel;
    outcome.refusal = refusal.what();
    return outcome;
  }
  const AlignedBytes arena(kArenaBytes);
  // Kernels must not rely on zeroed memory.
  std::memset(arena.data(), 0xA5, arena.size());
  MicroInterpreter interpreter(file.model, AllOps(), arena.span(), options);
  const KernelsOwner owner(&interpreter);
  outcome.status = interpreter.SetDecompressionMemory(regions);
  if (outcome.status == Status::kOk) outcome.status = interpreter.AllocateTensors(delegates);
  for (int i = 0; i < invokes && outcome.status == Status::kOk; ++i) {
    for (int k = 0; k < interpreter.input_count() && k < static_cast<int>(inputs.size()); ++k) {
      const Tensor input = interpreter.input(k);
      if (input.info.is_constant()) continue;
      std::memcpy(input.data, inputs[k].data(),
                  std::min(inputs[k].size(), static_cast<size_t>(input.info.bytes)));
    }
    outcome.status = interpreter.Invoke();
  }
  if (outcome.status != Status::kOk) {
    outcome.refusal = DescribeRefusal(file, outcome.status, interpreter.diagnosis());
    return outcome;
  }
  for (int k = 0; k < interpreter.output_count(); ++k) {
    const Tensor output = interpreter.output(k);
    const auto* data = static_cast<const uint8_t*>(output.data);
    outcome.outputs.emplace_back(data, data + output.info.bytes);
    outcome.types.push_back(output.info.type);
  }
  return outcome;
}

std::string Difference(const Bytes& actual, const Bytes& expected, TensorType type, double tolerance) {
  if (actual.size() != expected.size()) {
    return fmt::format("{} bytes instead of {}", actual.size(), expected.size());
  }
  if (actual == expected) return "";
  if (type == TensorType::kFloat32) return FloatDifference(actual, expected, tolerance);
  size_t count = 0;
  size_t first = actual.size();
  for (size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i]) continue;
    ++count;
    first = std::min(first, i);
  }
  return fmt::format("{} of {} bytes differ, first at {}: {} instead of {}", count, actual.size(), first,
                     static_cast<int>(static_cast<int8_t>(actual[first])),
                     static_cast<int>(static_cast<int8_t>(expected[first])));
}

}  // namespace lutra::host

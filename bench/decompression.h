// SPDX-License-Identifier: Apache-2.0
// Says how long each compressed tensor takes to decode, by name.
//
//   DecodeTimer timer;
//   ... timer.Begin(node, operand) and timer.End(node, operand) from a Profiler's hooks, and
//   ... timer.EndRun() after each inference
//   DecompressionResult result = DescribeDecompression(file.model, interpreter, timer);

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/result.h"
#include "lutra/micro_interpreter.h"
#include "lutra/profiler.h"

namespace lutra::bench {

class DecodeTimer {
 public:
  void Begin(int node, int operand);
  void End(int node, int operand);
  // Ends an inference: all decoding since the last call belongs to it.
  void EndRun();

  // A node's position, and the operand that was decoded for it.
  using Key = std::pair<int, int>;
  const std::map<Key, std::vector<int64_t>>& times() const { return times_; }
  const std::vector<int64_t>& run_totals() const { return run_totals_; }

 private:
  std::map<Key, std::vector<int64_t>> times_;  // One for each run.
  std::map<Key, int64_t> run_times_;           // Of this run: a tensor may be decoded part by part.
  std::vector<int64_t> run_totals_;
  int64_t run_ns_ = 0;
  int64_t begin_ns_ = 0;
};

// Empty if nothing was decoded. Times are medians; the share is left to the caller.
std::optional<host::DecompressionResult> DescribeDecompression(const Model& model,
                                                               const MicroInterpreter& interpreter,
                                                               const DecodeTimer& timer);

// Returns how a tensor is stored: "lut"; empty if it is not compressed. A tensor is compressed if
// COMPRESSION_METADATA lists it or if TFLM_DECODE reads it.
std::string CodecOf(const Model& model, int subgraph, int tensor);

}  // namespace lutra::bench

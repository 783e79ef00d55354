// SPDX-License-Identifier: Apache-2.0
// The result record: what programs measured and tested, on one machine. Measuring fills it, writers print it,
// reports read it back (result_json.h). A figure that does not exist is empty, never 0. Times are
// nanoseconds, sizes bytes.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/conformance_result.h"
#include "host/scores.h"
#include "host/time_ratio.h"

namespace lutra::host {

// The largest figure that files and logs may have: 13 days in nanoseconds, a petabyte. Sums do not overflow.
inline constexpr int64_t kMostFigure = int64_t{1} << 50;

using Figure = std::optional<int64_t>;

// A file of JSON inside another.
struct EmbeddedJson {
  std::string text;
};

struct Environment {
  std::string program;
  std::string version;
  std::string commit;
  std::string date;      // UTC, ISO 8601.
  std::string platform;  // "x86_64"
  std::string cpu;
  std::string compiler;
  std::string build_type;
  std::string rounding;             // "double" or "single"
  std::string clock;                // Empty: there is none.
  std::string command;              // The command that made this record; empty: unknown.
  int64_t clock_resolution_ns = 0;  // The clock's step; 0: not known.
  std::vector<std::string> noise;   // Why figures may be off: load, governor, the clock.
  friend bool operator==(const Environment&, const Environment&) = default;
};

struct RecordResult {
  std::string kind;
  int64_t count = 0;
  int64_t bytes = 0;
  friend bool operator==(const RecordResult&, const RecordResult&) = default;
};

// A place that the memory plan gives, from the start of the arena. Step 0 fills inputs, operator i runs at
// step i + 1.
struct BufferResult {
  Figure tensor;  // Empty: scratch memory of an operator.
  int64_t subgraph = 0;
  std::string name;  // The tensor's.
  int64_t offset_bytes = 0;
  int64_t bytes = 0;
  int64_t first_step = 0;
  int64_t last_step = 0;
  friend bool operator==(const BufferResult&, const BufferResult&) = default;
};

// Operators that run together, row by row, at the step of the last of them.
struct RowGroupResult {
  int64_t first_step = 0;
  int64_t last_step = 0;
  friend bool operator==(const RowGroupResult&, const RowGroupResult&) = default;
};

struct ArenaResult {
  int64_t given_bytes = 0;
  int64_t used_bytes = 0;
  int64_t persistent_bytes = 0;
  int64_t activation_bytes = 0;
  int64_t scratch_bytes = 0;
  int64_t compression_bytes = 0;
  Figure smallest_working_bytes;
  std::vector<RecordResult> records;
  std::vector<BufferResult> buffers;  // Empty: the plan is not known.
  std::vector<RowGroupResult> row_groups;
  friend bool operator==(const ArenaResult&, const ArenaResult&) = default;
};

// The instructions that an emulated processor executed between marks (platforms/counter/). All are empty
// where nothing was counted; vector instructions also where the processor has none.
struct Counts {
  Figure instructions;
  Figure loads;
  Figure stores;
  Figure vector_instructions;

  bool any() const { return instructions || loads || stores || vector_instructions; }
  friend bool operator==(const Counts&, const Counts&) = default;
};

// Times are empty if the clock cannot measure them.
struct InferenceResult {
  int64_t runs = 0;
  Figure min_ns;
  Figure median_ns;
  Figure mad_ns;  // Median absolute deviation from the median.
  Figure p95_ns;
  Counts counts;
  int64_t runs_per_time = 1;  // More where the clock is coarse: each time is the mean of so many runs.
  friend bool operator==(const InferenceResult&, const InferenceResult&) = default;
};

// Returns how far the median of an equal run may be from this one's: kUsualDeviations median deviations, and
// the distance from this median to the quickest inference, since other load on a machine slows down whole
// runs.
inline double DifferenceOfEqualRuns(const InferenceResult& run) {
  const double deviations = kUsualDeviations * static_cast<double>(run.mad_ns.value_or(0));
  if (!run.median_ns || !run.min_ns) return deviations;
  return std::max(deviations, static_cast<double>(*run.median_ns - *run.min_ns));
}

struct OperatorResult {
  int index = 0;       // In the order in which operators run.
  std::string type;    // "CONV_2D"
  std::string name;    // The first output's.
  std::string kernel;  // The variant; empty if the operator has no kernel.
  Figure median_ns;    // Empty: the clock cannot resolve it.
  std::optional<double> share;
  int64_t macs = 0;
  Figure prepared_bytes;  // Packed weights and tables of the variant; empty: it has none.
  Figure ref_median_ns;   // The reference's, measured in turns with it; empty: not asked for, or as above.
  Counts counts;
  std::string delegate;  // The delegate that ran it; empty: this processor did.
  // The operators whose outputs it takes, by their index; empty: not told.
  std::optional<std::vector<int64_t>> reads;
  friend bool operator==(const OperatorResult&, const OperatorResult&) = default;
};

// A delegate's nodes, by their indices in the main graph.
struct PartitionResult {
  std::vector<int64_t> nodes;
  Figure median_ns;  // Empty: the clock cannot resolve it.
  Figure cycles;     // The delegate's count in the last inference; empty: it counted none.
  Figure bytes_moved;
  friend bool operator==(const PartitionResult&, const PartitionResult&) = default;
};

struct DeclinedResult {
  int64_t node = 0;
  std::string reason;
  friend bool operator==(const DeclinedResult&, const DeclinedResult&) = default;
};

struct DelegateResult {
  std::string name;
  std::vector<PartitionResult> partitions;  // In the order in which they run.
  std::vector<DeclinedResult> declined;
  friend bool operator==(const DelegateResult&, const DelegateResult&) = default;
};

// When an operator ran in one inference, from the inference's start. Not in the file.
struct TraceResult {
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  friend bool operator==(const TraceResult&, const TraceResult&) = default;
};

struct DecodedTensorResult {
  int index = 0;  // In its subgraph, of the tensor that is stored.
  std::string name;
  std::string codec;   // "lut"
  int64_t bytes = 0;   // Decoded.
  Figure ns;           // In one inference, or at-init; empty: the clock cannot resolve it.
  int64_t passes = 1;  // How often an inference decodes each value: policy streamed.
  friend bool operator==(const DecodedTensorResult&, const DecodedTensorResult&) = default;
};

struct DecompressionResult {
  std::string policy;
  Figure total_ns;              // In one inference; policy at-init: once, while tensors are allocated.
  std::optional<double> share;  // The share of the inference; empty for at-init.
  std::vector<DecodedTensorResult> tensors;
  Counts counts;
  int64_t outside_bytes = 0;  // Of the regions outside the arena where tensors may be decoded.
  friend bool operator==(const DecompressionResult&, const DecompressionResult&) = default;
};

// The bytes that a layer moves between the memories of a chip: weights from outside (L3) to its memory (L2),
// weights and the layer's inputs to its cluster's memory (L1), outputs back. "plain": if nothing were
// compressed.
struct LayerTraffic {
  int index = 0;  // In the subgraph; of the total 0.
  std::string type;
  std::string name;  // The first output's.
  int64_t l3_l2_plain_bytes = 0;
  int64_t l3_l2_bytes = 0;
  int64_t l2_l1_plain_bytes = 0;
  int64_t l2_l1_bytes = 0;
  int64_t l1_l2_bytes = 0;
  int64_t lut_bytes = 0;         // Written into the engine's tables besides.
  int64_t offset_bytes = 0;      // Of l3_l2_bytes: where tiles begin that cannot be computed.
  int64_t tiles = 0;             // Of weights.
  int64_t commands = 0;          // Of the engine.
  int64_t unaligned_starts = 0;  // Tiles whose first bit is not an address of L2.
  friend bool operator==(const LayerTraffic&, const LayerTraffic&) = default;
};

// A compressed constant that the engine cannot read, so that it counts as not compressed.
struct UnreadTensor {
  int index = 0;
  std::string name;
  std::string codec;
  friend bool operator==(const UnreadTensor&, const UnreadTensor&) = default;
};

struct TrafficResult {
  std::string engine;  // "gap9"
  LayerTraffic total;
  std::vector<LayerTraffic> layers;
  std::vector<UnreadTensor> unread;
  friend bool operator==(const TrafficResult&, const TrafficResult&) = default;
};

// The sections of the smallest program that runs a model, without the model.
struct FlashResult {
  int64_t text_bytes = 0;
  int64_t rodata_bytes = 0;
  int64_t data_bytes = 0;
  int64_t bss_bytes = 0;
  friend bool operator==(const FlashResult&, const FlashResult&) = default;
};

struct StackResult {
  Figure given_bytes;
  int64_t used_bytes = 0;
  friend bool operator==(const StackResult&, const StackResult&) = default;
};

struct TensorResult {
  std::string name;
  std::string type;
  std::vector<int64_t> shape;
  std::string crc32;
  friend bool operator==(const TensorResult&, const TensorResult&) = default;
};

struct EvaluationResult {
  std::string metric;
  std::optional<double> value;  // Empty: there is no such number.
  int64_t count = 0;
  std::optional<Interval> confidence_interval;  // Of accuracy.
  friend bool operator==(const EvaluationResult&, const EvaluationResult&) = default;
};

// Times of this program and of an old one, measured in turns.
struct AgainstResult {
  std::string commit;  // The old program's.
  TimeRatio times;
  friend bool operator==(const AgainstResult&, const AgainstResult&) = default;
};

struct ModelResult {
  std::string path;
  int64_t bytes = 0;
  std::string sha256;
  int operators = 0;
  int64_t macs = 0;
  std::string error;  // Why the model was refused, one line; then nothing below is known. Empty: it ran.
  std::string kernels;
  std::string memory;
  std::string repack = "auto";
  std::string profile;
  std::optional<ArenaResult> arena;
  Figure init_ns;
  Figure prepare_ns;
  InferenceResult inference;
  std::vector<OperatorResult> op_results;
  std::vector<DelegateResult> delegates;
  std::vector<TraceResult> trace;  // One for each of op_results, where the inference was timed.
  std::optional<DecompressionResult> decompression;
  std::optional<TrafficResult> traffic;
  std::vector<TensorResult> inputs;
  std::vector<TensorResult> outputs;
  std::optional<EvaluationResult> evaluation;
  std::optional<FlashResult> flash;
  std::optional<StackResult> stack;
  std::optional<AgainstResult> against;

  bool refused() const { return !error.empty(); }
  friend bool operator==(const ModelResult&, const ModelResult&) = default;
};

// The cost of one variant of a kernel for all problems of its table.
struct KernelResult {
  std::string table;    // "conv_2d_int8"
  std::string variant;  // "ref"
  Counts counts;
  friend bool operator==(const KernelResult&, const KernelResult&) = default;
};

// The tests that CTest ran on a platform.
struct TestsResult {
  int64_t run = 0;  // Without those skipped.
  int64_t passed = 0;
  int64_t failed = 0;
  int64_t skipped = 0;
  std::vector<std::string> why_skipped;
  friend bool operator==(const TestsResult&, const TestsResult&) = default;
};

// One result file: the parts that its program has.
struct ResultFile {
  Environment environment;
  // Empty: nothing was timed, so that the clock is not named.
  std::optional<std::vector<ModelResult>> models;
  std::optional<ConformanceResult> conformance;
  std::optional<std::vector<KernelResult>> kernels;
  std::optional<TestsResult> tests;
  friend bool operator==(const ResultFile&, const ResultFile&) = default;
};

}  // namespace lutra::host

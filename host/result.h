// SPDX-License-Identifier: Apache-2.0
// The result record: what one run of generic_benchmark measured. Measuring fills it, writers only
// print it. A figure that does not exist is empty, never 0. Times are nanoseconds, sizes bytes.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lutra::host {

struct Environment {
  std::string program;
  std::string version;
  std::string commit;
  std::string date;      // UTC, ISO 8601.
  std::string platform;  // "x86_64"
  std::string cpu;
  std::string compiler;
  std::string build_type;
  std::string rounding;  // "double" or "single"
  std::string clock;     // Empty: there is none.
  std::string command;   // What made this record; empty: not known.
  int64_t clock_resolution_ns = 0;
  std::vector<std::string> noise;  // Why figures may be off: load, governor.
};

struct RecordResult {
  std::string kind;
  int count = 0;
  int64_t bytes = 0;
};

struct ArenaResult {
  int64_t given_bytes = 0;
  int64_t used_bytes = 0;
  int64_t persistent_bytes = 0;
  int64_t activation_bytes = 0;
  int64_t scratch_bytes = 0;
  int64_t compression_bytes = 0;
  std::optional<int64_t> smallest_working_bytes;
  std::vector<RecordResult> records;
};

// Of an emulated processor, as counted between marks (platforms/counter/).
struct Counts {
  int64_t instructions = 0;
  int64_t loads = 0;
  int64_t stores = 0;
  std::optional<int64_t> vector_instructions;  // Empty: the processor has none.
};

struct InferenceResult {
  int runs = 0;
  bool timed = true;  // False: no times are figures, here and in the rest of the model's result.
  int64_t min_ns = 0;
  int64_t median_ns = 0;
  int64_t mad_ns = 0;  // Median absolute deviation from the median.
  int64_t p95_ns = 0;
  std::optional<Counts> counts;
};

struct OperatorResult {
  int index = 0;                     // In the order in which operators run.
  std::string type;                  // "CONV_2D"
  std::string name;                  // Of the first output.
  std::string kernel;                // The variant; empty if the operator has no kernel.
  std::optional<int64_t> median_ns;  // Empty: the clock cannot resolve it.
  std::optional<double> share;
  int64_t macs = 0;
  std::optional<Counts> counts;
  int64_t trace_start_ns = 0;  // In one run, from its start.
  int64_t trace_ns = 0;
};

struct DecodedTensorResult {
  int index = 0;  // In its subgraph, of the tensor that is stored.
  std::string name;
  std::string codec;          // "lut"
  int64_t bytes = 0;          // Decoded.
  std::optional<int64_t> ns;  // Of one decoding; empty: the clock cannot resolve it.
};

struct DecompressionResult {
  std::string policy;
  std::optional<int64_t> total_ns;  // In one inference; policy at-init: once, while tensors are allocated.
  std::optional<double> share;      // Of the inference; empty for at-init.
  std::optional<Counts> counts;
  std::vector<DecodedTensorResult> tensors;
};

// The sections of the smallest program that runs a model, without the model.
struct FlashResult {
  int64_t text_bytes = 0;
  int64_t rodata_bytes = 0;
  int64_t data_bytes = 0;
  int64_t bss_bytes = 0;
};

struct StackResult {
  int64_t given_bytes = 0;
  int64_t used_bytes = 0;
};

struct TensorResult {
  std::string name;
  std::string type;
  std::vector<int64_t> shape;
  std::string crc32;
};

struct EvaluationResult {
  std::string metric;
  double value = 0;
  int64_t count = 0;
};

struct ModelResult {
  std::string path;
  int64_t bytes = 0;
  std::string sha256;
  int operators = 0;
  int64_t macs = 0;
  std::string error;  // Empty: the model ran. Else why it was refused, one line.
  std::string kernels;
  std::string memory;
  std::string profile;
  ArenaResult arena;
  std::optional<int64_t> init_ns;
  std::optional<int64_t> prepare_ns;
  InferenceResult inference;
  std::vector<OperatorResult> op_results;
  std::optional<DecompressionResult> decompression;
  std::vector<TensorResult> inputs;
  std::vector<TensorResult> outputs;
  std::optional<EvaluationResult> evaluation;
  std::optional<FlashResult> flash;
  std::optional<StackResult> stack;
};

struct BenchmarkReport {
  Environment environment;
  std::vector<ModelResult> results;
};

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// The reports of `compress pack`, `bin` and `auto`, for the program that writes them and the reports that
// read them. Sizes are bytes, times microseconds.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "host/result.h"
#include "host/scores.h"

namespace lutra::host {

struct CodecUse {
  std::string codec;
  int64_t tensors = 0;
  int64_t original_bytes = 0;
  int64_t bytes = 0;
  double decode_us = 0;
};

// A codec that is not used, because it would have saved too little for its time.
struct LeftOutCodec {
  std::string codec;
  int64_t saved_bytes = 0;
  double decode_us = 0;  // Decoding could take so long with it.
};

// Estimated times in an inference.
struct DecodingSummary {
  double decode_us = 0;
  double inference_us = 0;  // Without decoding.
  std::vector<CodecUse> codecs;
  std::optional<std::vector<LeftOutCodec>> left_out;  // `auto` alone has these.
};

struct PackedConstant {
  int64_t subgraph = 0, index = 0;
  std::string name, type;
  std::vector<int64_t> shape;
  int64_t consumers = 0;
  int64_t bytes = 0;
  // Empty if it is not compressed, and `why_not` says why.
  std::optional<std::string> codec;
  Figure bits, values, stored_bytes;
  std::optional<double> decode_us;
  std::optional<std::string> why_not;
};

struct PackSummary {
  std::string model;
  int64_t bytes_before = 0, bytes_after = 0;
  DecodingSummary decoding;
  std::vector<std::string> warnings;
  std::vector<PackedConstant> tensors;
  std::vector<std::string> stripped;  // A line for each part that stripping removed.
};

struct ByteTotal {
  int64_t original_bytes = 0, compressed_bytes = 0;
};

// The row of nntool's own table.
struct NntoolRow : ByteTotal {
  bool is_added_into_bias = false;
};

struct ConstantPlace {
  int64_t subgraph = 0, index = 0;
  std::string name;
  int64_t step = 0;
  std::string op;
};

struct BinnedConstant : ConstantPlace {
  std::string type;
  std::vector<int64_t> shape;
  int64_t original_bytes = 0, compressed_bytes = 0, table_bytes = 0;
  int64_t bits = 0, tables = 0;
  double qsnr_db = std::numeric_limits<double>::infinity();  // Infinite: nothing is lost.
  bool is_moved = false;                                     // Changed on purpose: qsnr_db is a distance.
  bool is_sparse = false, is_exact = true, is_enabled = true;
  std::string settings;
  bool is_applied = false;
  std::string note;  // Why it was not applied.
  std::optional<NntoolRow> nntool;
};

struct LeftOutConstant : ConstantPlace {
  std::string reason;
};

struct BinSummary {
  std::string model;
  std::vector<BinnedConstant> tensors;
  std::vector<LeftOutConstant> left_out;
  ByteTotal total;
  std::optional<ByteTotal> nntool_total;  // The last line of nntool's own table.
};

// The answers of a model on the same samples, before it was compressed and after, by a metric.
struct AnswerChange {
  int64_t count = 0;
  double value_before = 0;
  double value_after = 0;
  Figure lost;  // With answers: right before, and wrong now.
  // Intervals of 95 % confidence. That of the change follows from the changes of single samples.
  std::optional<Interval> interval_before, interval_after, interval_of_change;
};

struct ChosenTensor {
  int64_t index = 0;
  std::string name;
  int64_t bits = 0;
  std::string codec;
  int64_t original_bytes = 0;
  int64_t bytes = 0;
  double decode_us = 0;                                      // Estimated.
  double qsnr_db = std::numeric_limits<double>::infinity();  // As BinnedConstant has it.
  bool is_moved = false;
};

// A step of a search for one QSNR.
struct SearchStep {
  double qsnr_db = 0;
  double step_db = 0;
  bool is_up = false;
  bool is_final = false;     // All inputs are checked again.
  bool from_memory = false;  // Not run again.
  int64_t inputs = 0;        // That were asked about,
  bool is_good = false;
  int64_t bad = 0;  // and those that are answered wrongly.
};

// A choice that the solver tried: its bytes and the metric's value.
struct ParetoPoint {
  int64_t bytes = 0;               // Of the file, nearly.
  double value = 0;                // On the samples that were fitted on,
  std::optional<double> held_out;  // and on the others.
  std::optional<Interval> confidence_interval, held_out_confidence_interval;
  bool is_result = false;
};

// A tensor alone at one width, as the solver has measured it.
struct WidthSensitivity {
  int64_t bits = 0;  // Of an index; of a value where codec is plain.
  std::string codec;
  double error = 0;  // Squared, of what the network decides by, in squares of its margin; 1: answers change.
  Figure answers_changed;  // Of classifiers: on the samples that were fitted on.
  int64_t bytes = 0;       // Stored, with what its codec costs besides.
  double decode_us = 0;    // Estimated.
};

struct TensorSensitivity {
  int64_t subgraph = 0, index = 0;
  std::string name;
  int64_t original_bytes = 0;
  std::vector<WidthSensitivity> widths;  // The most bytes first.
};

// The file of `auto --sensitivity`.
struct SensitivitySummary {
  std::string model;
  std::string metric;
  int64_t count = 0;  // Samples that it was measured on.
  std::vector<TensorSensitivity> tensors;
};

struct AutoSummary {
  std::string model;
  std::string metric = "accuracy";
  bool reaches_goal = false;
  int64_t bytes_before = 0, bytes_after = 0;
  AnswerChange fitted;
  int64_t evaluations = 0;
  DecodingSummary decoding;
  std::optional<double> decode_us;                     // Measured, where the goal limits it.
  Figure constant_bytes_before, constant_bytes_after;  // Of weights and biases, as GAP9's engine reads them.
  std::optional<AnswerChange> held_out;                // On samples that nothing was fitted on.
  std::vector<ChosenTensor> tensors;
  std::vector<SearchStep> steps;                              // Of nntool's search.
  std::vector<ParetoPoint> pareto;                            // Of the solver.
  std::optional<std::vector<TensorSensitivity>> sensitivity;  // If it was asked for.
  EmbeddedJson settings;                                      // The file for `compress bin --settings`,
  std::string spec;                                           // and that for `compress pack --spec`.
  std::vector<std::string> stripped;                          // A line for each part that stripping removed.
};

}  // namespace lutra::host

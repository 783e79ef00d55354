// SPDX-License-Identifier: Apache-2.0
// What result files hold, as plain data. A figure that a file does not have is empty, never 0.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lutra::reports {

using Figure = std::optional<int64_t>;

struct Context {
  std::string program, version, commit, date, cpu, compiler, build_type, rounding, clock;
  std::string command;  // Empty where the file does not say.
  std::vector<std::string> noise;
};

struct OperatorRun {
  std::string type, kernel;  // The kernel is empty where there is none.
  Figure median_ns, instructions;
};

struct ArenaRecord {
  std::string kind;
  int64_t count = 0, bytes = 0;
};

struct Arena {
  int64_t given_bytes = 0, used_bytes = 0, persistent_bytes = 0, activation_bytes = 0, scratch_bytes = 0,
          compression_bytes = 0;
  Figure smallest_working_bytes;
  std::vector<ArenaRecord> records;
};

struct DecodedTensor {
  std::string name, codec;
  int64_t bytes = 0;  // As decoded.
  Figure ns;
};

struct Decompression {
  std::string policy;
  Figure total_ns, instructions;
  std::optional<double> share;
  std::vector<DecodedTensor> tensors;
};

struct Evaluation {
  std::string metric;
  double value = 0;
  int64_t count = 0;
};

struct Flash {
  int64_t text_bytes = 0, rodata_bytes = 0, data_bytes = 0, bss_bytes = 0;
};

struct Stack {
  Figure given_bytes;
  int64_t used_bytes = 0;
};

struct ModelRun {
  std::string path, name;  // The name is the file's, without its folder and .tflite.
  std::string error;       // Why the model was refused; then nothing below is known.
  std::string sha256, kernels, memory, profile;
  int64_t bytes = 0, macs = 0;
  std::optional<Arena> arena;
  int64_t runs = 0;
  Figure median_ns, mad_ns, instructions, loads, stores, vector_instructions;
  std::vector<OperatorRun> operators;
  std::optional<Decompression> decompression;
  std::string inputs, outputs;  // CRCs, with a space between.
  std::optional<Evaluation> evaluation;
  std::optional<Flash> flash;
  std::optional<Stack> stack;

  bool refused() const { return !error.empty(); }
};

struct CaseRun {
  std::string id, op, verdict, why;

  bool passed() const { return verdict == "pass"; }
  bool bad() const { return verdict == "fail" || verdict == "crash" || verdict == "timeout"; }
};

struct ConformanceRun {
  std::string profile, backend, command;
  std::vector<CaseRun> cases;
};

// What CTest ran on a platform.
struct TestRun {
  int64_t run = 0, passed = 0, failed = 0, skipped = 0;
  std::vector<std::string> why_skipped;
};

// One variant of a kernel, on all test problems of its table.
struct KernelRun {
  std::string table, variant;
  int64_t instructions = 0;
};

struct CompressedTensor {
  std::string name, codec;
  int64_t before = 0, after = 0;  // Bytes.
  Figure bits;                    // Of an index.
  std::optional<double> qsnr_db;  // Empty: nothing was lost.
};

// A report of `compress`, on one model.
struct CompressionReport {
  std::string model;
  bool of_file = false;  // Whether the bytes are those of whole files; else of these tensors.
  int64_t before = 0, after = 0;
  std::vector<CompressedTensor> tensors;
};

struct ResultFile {
  std::string path, platform;  // A report of `compress` has no platform.
  Context context;
  std::vector<ModelRun> models;
  std::optional<ConformanceRun> conformance;
  std::optional<TestRun> tests;
  std::vector<KernelRun> kernels;
  std::optional<CompressionReport> compression;
};

}  // namespace lutra::reports

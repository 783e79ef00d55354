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
  std::string type;
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
  Figure total_ns;
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
  Figure median_ns, mad_ns, instructions, vector_instructions;
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

struct ResultFile {
  std::string path, platform;
  Context context;
  std::vector<ModelRun> models;
  std::optional<ConformanceRun> conformance;
};

}  // namespace lutra::reports

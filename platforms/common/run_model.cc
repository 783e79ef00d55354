// SPDX-License-Identifier: Apache-2.0
// run_model MODEL [SEED [small|fast [per-use|at-init|streamed [OUTSIDE]]]]: any model that the runtime can
// run. Compressed tensors are decoded with that policy, into OUTSIDE bytes beside the arena as far as they
// fit there. A second interpreter then runs it operator by operator: each operator, and each decoding of a
// compressed tensor outside one, lies between the marks of counter/marks.h. Before each a line, and one for
// the kernel of each operator:
//
//   lutra1 region operator <node> <name>
//   lutra1 region decode <node> <name of the operator>
//   lutra1 kernel <node> <variant>
//
// Between the two it tries an arena of exactly the bytes that are said to be used, which must work, and one
// of a byte less, which must not; else the program fails:
//
//   lutra1 smallest arena <bytes>
//
// If there is a real clock, the inference is then repeated and timed:
//
//   lutra1 time invoke runs <N> min <ns> median <ns> mad <ns> p95 <ns>
//   lutra1 time operator <node> runs <N> min <ns> median <ns> mad <ns> p95 <ns>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lutra/graph.h"
#include "lutra/node_info.h"
#include "lutra/profiler.h"
#include "platforms/common/all_operators.h"
#include "platforms/common/inference_report.h"
#include "platforms/common/linked_kernels.h"
#include "platforms/common/model_memory.h"
#include "platforms/common/report.h"
#include "platforms/common/semihosting.h"
#include "platforms/counter/marks.h"

namespace lutra::platforms {
namespace {

// Memory for decoded tensors, which a linker script may put where it is fast: into tightly coupled memory,
// for example.
constexpr size_t kMostOutsideBytes = 16 * 1024;
[[gnu::section(".bss.decoded")]] alignas(16) uint8_t decoded_memory[kMostOutsideBytes];
AlternateMemoryRegion decoded_region = {decoded_memory, 0};  // The part of it that is used.

Status UseDecodedMemory(MicroInterpreter& interpreter) {
  if (decoded_region.bytes == 0) return Status::kOk;
  return interpreter.SetDecompressionMemory({&decoded_region, 1});
}

constexpr const char* kDecompressionNames[] = {"per-use", "at-init", "streamed"};

Status ReportDecompression(MicroInterpreter& interpreter, const InterpreterOptions& options) {
  ReportLine("decompression")
      .Text(kDecompressionNames[static_cast<int>(options.decompression)])
      .Bytes("outside", decoded_region.bytes);
  return UseDecodedMemory(interpreter);
}

// Marks each operator. Lines are printed outside the regions.
struct OperatorMarks {
  const Model& model;
  const MicroInterpreter& interpreter;
  bool inside = false;  // An operator runs: decoding inside is a part of it.

  void PrintRegion(const char* kind, int node) const {
    const Node& in_graph = interpreter.node(node);
    const NodeInfo info = model.node(in_graph.subgraph, in_graph.index);
    const char* const name = info.code == BuiltinOperator::kCustom ? info.custom_code : ToString(info.code);
    ReportLine("region").Text(kind).Number(node).Text(name);
  }
  static void Begin(void* user, int node) {
    auto& marks = *static_cast<OperatorMarks*>(user);
    marks.PrintRegion("operator", node);
    marks.inside = true;
    lutra_count_begin();
  }
  static void End(void* user, int) {
    lutra_count_end();
    static_cast<OperatorMarks*>(user)->inside = false;
  }
  static void BeginDecode(void* user, int node, int) {
    const auto& marks = *static_cast<const OperatorMarks*>(user);
    if (marks.inside) return;
    marks.PrintRegion("decode", node);
    lutra_count_begin();
  }
  static void EndDecode(void* user, int, int) {
    if (!static_cast<const OperatorMarks*>(user)->inside) lutra_count_end();
  }
};

// Times of an inference or an operator, in ascending order.
class Times {
 public:
  void Add(uint64_t ns) {
    if (count_ == kCapacity) return;
    int at = count_++;
    for (; at > 0 && ns_[at - 1] > ns; --at) ns_[at] = ns_[at - 1];
    ns_[at] = ns;
  }
  int count() const { return count_; }
  void Report(TextLine& line) const {
    Times deviations;
    for (int i = 0; i < count_; ++i) deviations.Add(i < count_ / 2 ? Median() - ns_[i] : ns_[i] - Median());
    line.Text("runs").Number(count_).Text("min").Number(Whole(ns_[0])).Text("median").Number(Whole(Median()));
    line.Text("mad").Number(Whole(deviations.Median())).Text("p95").Number(Whole(ns_[count_ * 95 / 100]));
  }
  static constexpr int kCapacity = 101;

 private:
  uint64_t Median() const { return ns_[count_ / 2]; }
  static intptr_t Whole(uint64_t ns) { return static_cast<intptr_t>(ns); }

  uint64_t ns_[kCapacity];
  int count_ = 0;
};

constexpr int kMostTimedNodes = 128;
Times invoke_times;
Times node_times[kMostTimedNodes];
uint64_t node_began_ns = 0;

bool timing_nodes = false;

void BeginTimed(void*, int) { node_began_ns = semihosting::ClockNs(); }
void EndTimed(void*, int node) {
  const uint64_t ns = semihosting::ClockNs() - node_began_ns;
  if (timing_nodes && node < kMostTimedNodes) node_times[node].Add(ns);
}

// Times whole inferences, then each operator: a fifth of a second to warm up, for code that is compiled while
// it runs, then at least ten runs and one second, as far as Times has room.
Status TimeModel(MicroInterpreter& interpreter, uint64_t seed) {
  constexpr uint64_t kWarmUpNs = 200000000;
  constexpr uint64_t kLeastNs = 1000000000;
  constexpr int kLeastRuns = 10;
  constexpr Profiler kTimer = {nullptr, BeginTimed, EndTimed, nullptr, nullptr};
  for (int pass = 0; pass < 2; ++pass) {
    const bool by_operator = pass == 1;
    interpreter.set_profiler(by_operator ? &kTimer : nullptr);
    timing_nodes = false;
    const uint64_t start_ns = semihosting::ClockNs();
    uint64_t spent_ns = 0;
    for (int runs = 0; runs < Times::kCapacity && (runs < kLeastRuns || spent_ns < kWarmUpNs + kLeastNs);) {
      FillInputs(interpreter, seed);
      const uint64_t began_ns = semihosting::ClockNs();
      const bool warm = began_ns - start_ns >= kWarmUpNs;
      timing_nodes = warm;
      const Status status = interpreter.Invoke();
      if (!HasRun(status)) return status;
      const uint64_t ended_ns = semihosting::ClockNs();
      spent_ns = ended_ns - start_ns;
      if (!warm) continue;
      if (!by_operator) invoke_times.Add(ended_ns - began_ns);
      ++runs;
    }
  }
  {
    ReportLine line("time");
    invoke_times.Report(line.Text("invoke"));
  }
  for (int node = 0; node < kMostTimedNodes; ++node) {
    if (node_times[node].count() == 0) continue;
    ReportLine line("time");
    node_times[node].Report(line.Text("operator").Number(node));
  }
  return Status::kOk;
}

// Checks that used_bytes is an arena that works, and that one byte less is too little.
Status CheckUsedArena(const Model& model, const RunAndReportOptions& options) {
  MicroInterpreter plenty(model, options.ops, arena_memory, options.interpreter);
  LUTRA_TRY(UseDecodedMemory(plenty));
  LUTRA_TRY(plenty.AllocateTensors());
  const size_t bytes = plenty.memory().used_bytes;
  MicroInterpreter exact(model, options.ops, {arena_memory, bytes}, options.interpreter);
  LUTRA_TRY(UseDecodedMemory(exact));
  LUTRA_TRY(exact.AllocateTensors());
  MicroInterpreter less(model, options.ops, {arena_memory, bytes - 1}, options.interpreter);
  LUTRA_TRY(UseDecodedMemory(less));
  if (less.AllocateTensors() != Status::kArenaTooSmall) return Status::kInvalidArgument;
  ReportLine("smallest").Bytes("arena", bytes);
  return Status::kOk;
}

Status RunByOperator(const Model& model, const RunAndReportOptions& options, uint64_t seed) {
  LUTRA_TRY(CheckUsedArena(model, options));
  MicroInterpreter interpreter(model, options.ops, arena_memory, options.interpreter);
  LUTRA_TRY(UseDecodedMemory(interpreter));
  interpreter.set_visitor({.kernel = [](void*, int node, const char* kernel) {
    ReportLine("kernel").Number(node).Text(kernel);
  }});
  Status status = interpreter.AllocateTensors();
  if (status != Status::kOk) return status;
  FillInputs(interpreter, seed);
  OperatorMarks marks{model, interpreter};
  const Profiler profiler = {&marks, OperatorMarks::Begin, OperatorMarks::End, OperatorMarks::BeginDecode,
                             OperatorMarks::EndDecode};
  interpreter.set_profiler(&profiler);
  status = interpreter.Invoke();
  if (!HasRun(status) || semihosting::ClockNs() == 0) return status;
  return TimeModel(interpreter, seed);
}

// Returns the index of `word` in `names`, or their count if it is not among them.
template <int N>
int IndexOf(const char* const (&names)[N], const char* word) {
  int i = 0;
  while (i < N && strcmp(names[i], word) != 0) ++i;
  return i;
}

// Reads the arguments behind MODEL and SEED. Returns false if a word is invalid.
bool ParseSettings(int count, char** words, InterpreterOptions* options) {
  static constexpr const char* kPolicyNames[] = {"small", "fast"};
  if (count > 3) return false;
  if (count > 0) {
    const int policy = IndexOf(kPolicyNames, words[0]);
    if (policy == 2) return false;
    options->policy = static_cast<MemoryPolicy>(policy);
  }
  if (count > 1) {
    const int decompression = IndexOf(kDecompressionNames, words[1]);
    if (decompression == 3) return false;
    options->decompression = static_cast<DecompressionPolicy>(decompression);
  }
  uint64_t outside_bytes = 0;
  if (count > 2 && (!ParseNumber(words[2], &outside_bytes) || outside_bytes > kMostOutsideBytes))
    return false;
  decoded_region.bytes = static_cast<size_t>(outside_bytes);
  return true;
}

}  // namespace
}  // namespace lutra::platforms

int main(int argc, char** argv) {
  namespace platforms = lutra::platforms;
  constexpr int kSettingsAt = 3;  // Behind the program, MODEL and SEED.
  platforms::RunAndReportOptions options = platforms::AllOperators();
  options.before_allocation = platforms::ReportDecompression;
  options.then = platforms::RunByOperator;
  if (argc > kSettingsAt) {
    if (!platforms::ParseSettings(argc - kSettingsAt, argv + kSettingsAt, &options.interpreter)) {
      platforms::ReportLine("usage").Text("MODEL [SEED [small|fast [per-use|at-init|streamed [OUTSIDE]]]]");
      return platforms::kExitUsage;
    }
    argc = kSettingsAt;
  }
  if (!platforms::UseLinkedKernels(&options.interpreter)) {
    platforms::ReportLine("usage").Text("LUTRA_KERNELS is made for another version");
    return platforms::kExitUsage;
  }
  return platforms::RunAndReport(argc, argv, options);
}

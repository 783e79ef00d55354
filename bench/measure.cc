// SPDX-License-Identifier: Apache-2.0
// Fills the result record of one model: arena, times, outputs, operators.

#include "bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "bench/decompression.h"
#include "bench/macs.h"
#include "bench/times.h"
#include "host/core/byte_order.h"
#include "host/core/crc32.h"
#include "host/environment.h"
#include "host/model_inputs.h"
#include "host/output_file.h"
#include "host/prepared_model.h"
#include "host/progress.h"
#include "host/sha256.h"
#include "host/statistics.h"
#include "lutra/ops/ops.h"

namespace lutra::bench {
namespace {

// Without a number of runs: at least this many and this long.
constexpr int kLeastRuns = 10;
constexpr int64_t kLeastNs = 1'000'000'000;
constexpr int kMostRuns = 1'000'000;
constexpr int64_t kLargestArena = int64_t{1} << 32;

host::InferenceResult Summarize(const std::vector<int64_t>& run_ns) {
  const Times times = Resolve(run_ns, host::ClockResolutionNs());
  const int64_t median_ns = host::Quantile(times.ns, 0.5);
  std::vector<int64_t> deviations;
  for (const int64_t time : times.ns) deviations.push_back(std::abs(time - median_ns));
  return {.runs = static_cast<int64_t>(run_ns.size()),
          .min_ns = *std::min_element(times.ns.begin(), times.ns.end()),
          .median_ns = median_ns,
          .mad_ns = host::Quantile(deviations, 0.5),
          .p95_ns = host::Quantile(times.ns, 0.95),
          .runs_per_time = times.runs_each};
}

// Whether to go on after `runs` runs since `start_ns`.
bool GoesOn(const MeasureOptions& options, int64_t start_ns, int runs) {
  const int64_t spent_ns = host::NowNs() - start_ns;
  if (options.runs) return runs < *options.runs;
  if (static_cast<double>(spent_ns) >= options.max_seconds * 1e9 && runs > 0) return false;
  return runs < kLeastRuns || (spent_ns < kLeastNs && runs < kMostRuns);
}

// As in a file.
std::vector<uint8_t> LittleEndianBytes(const TensorInfo& info, const void* data) {
  const auto* begin = static_cast<const uint8_t*>(data);
  std::vector<uint8_t> bytes(begin, begin + info.bytes);
  host::SwapToOrFromLittleEndian(info.type, bytes.data(), bytes.size());
  return bytes;
}

// `bytes` are little-endian.
host::TensorResult DescribeTensor(const TensorInfo& info, const std::vector<uint8_t>& bytes) {
  host::TensorResult result = {.name = info.name, .type = ToString(info.type)};
  for (int i = 0; i < info.shape.rank; ++i) result.shape.push_back(info.shape[i]);
  result.crc32 = fmt::format("{:08x}", host::Crc32(bytes.data(), bytes.size()));
  return result;
}

// Times each operator and each decoding through the profiler's hooks.
struct NodeTimer {
  DecodeTimer decode;
  std::vector<std::vector<int64_t>> times;
  std::vector<int64_t> starts;
  int64_t begin_ns = 0;

  static void Begin(void* user, int node) {
    auto& timer = *static_cast<NodeTimer*>(user);
    timer.begin_ns = host::NowNs();
    timer.starts[node] = timer.begin_ns;
  }
  static void End(void* user, int node) {
    const int64_t end_ns = host::NowNs();
    auto& timer = *static_cast<NodeTimer*>(user);
    timer.times[node].push_back(end_ns - timer.begin_ns);
  }
  static void BeginDecode(void* user, int node, int operand) {
    static_cast<NodeTimer*>(user)->decode.Begin(node, operand);
  }
  static void EndDecode(void* user, int node, int operand) {
    static_cast<NodeTimer*>(user)->decode.End(node, operand);
  }
};

// Fills op_results and trace; `run_start_ns`: when the last inference began.
void DescribeOperators(const host::ModelFile& file, const MicroInterpreter& interpreter,
                       const std::vector<std::string>& kernels, const NodeTimer& timer, int64_t run_start_ns,
                       host::ModelResult* model_result) {
  const size_t count = timer.times.size();
  const int64_t resolution_ns = host::ClockResolutionNs();
  std::vector<host::OperatorResult>& results = model_result->op_results;
  results.resize(count);
  model_result->trace.resize(count);
  int64_t total_ns = 0;
  for (size_t i = 0; i < count; ++i) {
    const Node& node = interpreter.node(static_cast<int>(i));
    host::OperatorResult& result = results[i];
    result.index = static_cast<int>(i);
    result.type = NameOf(node.op->code, node.op->custom_code);
    if (node.output_count > 0) {
      const int32_t tensor = file.model.node(node.subgraph, node.index).outputs[0];
      result.name = file.model.tensor(node.subgraph, tensor).name;
    }
    result.kernel = kernels[i];
    result.macs = CountMacs(file.model, node.subgraph, node.index);
    if (timer.times[i].empty()) continue;
    // Nearer to zero than the clock can tell is not a figure.
    if (host::Quantile(timer.times[i], 0.5) >= 2 * resolution_ns) {
      result.median_ns = host::Quantile(Resolve(timer.times[i], resolution_ns).ns, 0.5);
      total_ns += *result.median_ns;
    }
    model_result->trace[i] = {timer.starts[i] - run_start_ns, timer.times[i].back()};
  }
  for (host::OperatorResult& result : results) {
    if (result.median_ns && total_ns > 0) {
      result.share = static_cast<double>(*result.median_ns) / static_cast<double>(total_ns);
    }
  }
}

// Fills op_results, trace and decompression.
void MeasureOperators(const host::ModelFile& file, const MeasureOptions& options,
                      const std::vector<std::vector<uint8_t>>& inputs, size_t arena_bytes,
                      host::ModelResult* model_result) {
  std::vector<std::string> kernels;
  const MicroInterpreter::Visitor visitor = {
      .user = &kernels, .kernel = [](void* user, int node, const char* kernel) {
        auto& names = *static_cast<std::vector<std::string>*>(user);
        names.resize(std::max(names.size(), static_cast<size_t>(node) + 1));
        names[static_cast<size_t>(node)] = kernel;
      }};
  NodeTimer timer;
  const Profiler profiler = {&timer, NodeTimer::Begin, NodeTimer::End, NodeTimer::BeginDecode,
                             NodeTimer::EndDecode};
  // Policy at-init decodes here.
  host::PreparedModel prepared(file, options.interpreter, arena_bytes, visitor, &profiler);
  const bool at_init = options.interpreter.decompression == DecompressionPolicy::kAtInit;
  if (at_init) timer.decode.EndRun();
  prepared->set_profiler(nullptr);
  const auto count = static_cast<size_t>(prepared->node_count());
  kernels.resize(count);
  timer.times.resize(count);
  timer.starts.resize(count);
  // Warm-up without the hooks.
  for (int i = 0; i < options.warmup; ++i) {
    host::FillInputs(*prepared, inputs);
    prepared.Invoke();
  }
  prepared->set_profiler(&profiler);
  int64_t run_start_ns = 0;
  const int64_t start_ns = host::NowNs();
  for (int runs = 0; GoesOn(options, start_ns, runs); ++runs) {
    host::FillInputs(*prepared, inputs);
    run_start_ns = host::NowNs();
    prepared.Invoke();
    if (!at_init) timer.decode.EndRun();
  }

  DescribeOperators(file, *prepared, kernels, timer, run_start_ns, model_result);
  std::optional<host::DecompressionResult>& decompression = model_result->decompression;
  decompression = DescribeDecompression(file.model, *prepared, timer.decode);
  if (!decompression) return;
  decompression->policy = at_init ? "at-init" : "per-use";
  const int64_t inference_ns = model_result->inference.median_ns.value_or(0);
  if (!at_init && inference_ns > 0) {
    decompression->share = static_cast<double>(*decompression->total_ns) / static_cast<double>(inference_ns);
  }
}

host::ArenaResult DescribeArena(const MicroInterpreter& interpreter, size_t given_bytes) {
  const MemoryUse memory = interpreter.memory();
  host::ArenaResult arena;
  arena.given_bytes = static_cast<int64_t>(given_bytes);
  arena.used_bytes = static_cast<int64_t>(memory.used_bytes);
  arena.persistent_bytes = static_cast<int64_t>(memory.persistent_bytes);
  arena.activation_bytes = static_cast<int64_t>(memory.activation_bytes);
  arena.scratch_bytes = static_cast<int64_t>(memory.scratch_bytes);
  arena.compression_bytes = static_cast<int64_t>(interpreter.record(RecordKind::kCompression).bytes);
  for (int kind = 0; kind < static_cast<int>(RecordKind::kCount); ++kind) {
    const RecordUse use = interpreter.record(static_cast<RecordKind>(kind));
    if (use.count == 0) continue;
    arena.records.push_back(
        {ToString(static_cast<RecordKind>(kind)), use.count, static_cast<int64_t>(use.bytes)});
  }
  return arena;
}

// The arena to run in: what was asked for, or what the search finds, or plenty.
size_t ChooseArena(const host::ModelFile& file, const MeasureOptions& options,
                   std::optional<int64_t>* smallest) {
  if (options.arena_search) {
    host::Progress progress(file.path + ": searching the smallest arena");
    *smallest = static_cast<int64_t>(host::SmallestArena(file, options.interpreter));
  }
  if (!options.arena_bytes) {
    if (*smallest) return static_cast<size_t>(**smallest);
    for (size_t bytes = size_t{1} << 20;; bytes *= 2) {
      const host::AlignedBytes memory(bytes);
      MicroInterpreter interpreter(file.model, AllOps(), memory.span(), options.interpreter);
      const Status status = interpreter.AllocateTensors();
      if (status == Status::kArenaTooSmall && bytes < kLargestArena) continue;
      if (status != Status::kOk)
        throw host::BadInput(host::DescribeRefusal(file, status, interpreter.diagnosis()));
      return bytes;
    }
  }
  if (*smallest && static_cast<int64_t>(*options.arena_bytes) < **smallest) {
    throw host::BadInput(
        fmt::format("{}: arena-too-small: {} bytes were given, {} bytes work; use --arena-bytes {}",
                    file.path, *options.arena_bytes, **smallest, **smallest));
  }
  return *options.arena_bytes;
}

}  // namespace

void RemoveTimes(host::ModelResult* result) {
  result->inference = {.runs = result->inference.runs};
  result->trace.clear();
  for (host::OperatorResult& op : result->op_results) {
    op.median_ns.reset();
    op.share.reset();
  }
  result->init_ns.reset();
  result->prepare_ns.reset();
  if (!result->decompression) return;
  result->decompression->total_ns.reset();
  result->decompression->share.reset();
  for (host::DecodedTensorResult& tensor : result->decompression->tensors) tensor.ns.reset();
}

std::string ClockNote(const host::ModelResult& result, int64_t step_ns) {
  const host::InferenceResult& inference = result.inference;
  if (!inference.median_ns) return "";
  const std::string name = std::filesystem::path(result.path).filename().string();
  const std::string steps = fmt::format("clock steps of {} ns: times of {}", step_ns, name);
  if (inference.runs_per_time > 1)
    return fmt::format("{} are means of {} inferences", steps, inference.runs_per_time);
  return IsCoarse(step_ns, *inference.median_ns) ? steps + " are no nearer" : "";
}

host::ModelResult Measure(const host::ModelFile& file, const MeasureOptions& options) {
  host::ModelResult result;
  result.path = file.path;
  result.bytes = static_cast<int64_t>(file.bytes.size());
  result.sha256 = host::Sha256(file.bytes.data(), file.bytes.size());
  result.kernels = options.kernels;
  result.memory = options.interpreter.policy == MemoryPolicy::kFast ? "fast" : "small";
#if defined(LUTRA_SINGLE_ROUNDING)
  result.profile = "single-rounding";
#else
  result.profile = "tflm";
#endif
  const std::vector<std::vector<uint8_t>> inputs = options.input_files.empty()
                                                       ? host::SeededInputs(file.model, options.seed)
                                                       : host::ReadInputs(file, options.input_files);
  std::optional<int64_t> smallest;
  const size_t arena_bytes = ChooseArena(file, options, &smallest);

  host::PreparedModel prepared(file, options.interpreter, arena_bytes);
  result.init_ns = prepared.init_ns();
  result.prepare_ns = prepared.prepare_ns();
  result.arena = DescribeArena(*prepared, arena_bytes);
  result.arena->smallest_working_bytes = smallest;
  result.operators = prepared->node_count();
  {
    host::Progress progress(file.path + ": measuring");
    for (int i = 0; i < options.warmup; ++i) {
      host::FillInputs(*prepared, inputs);
      prepared.Invoke();
    }
    std::vector<int64_t> times;
    const int64_t start_ns = host::NowNs();
    while (GoesOn(options, start_ns, static_cast<int>(times.size()))) {
      host::FillInputs(*prepared, inputs);
      const int64_t run_ns = host::NowNs();
      prepared.Invoke();
      times.push_back(host::NowNs() - run_ns);
    }
    result.inference = Summarize(times);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorInfo info = prepared->input(static_cast<int>(i)).info;
    result.inputs.push_back(DescribeTensor(info, LittleEndianBytes(info, inputs[i].data())));
  }
  for (int i = 0; i < prepared->output_count(); ++i) {
    const Tensor output = prepared->output(i);
    const std::vector<uint8_t> bytes = LittleEndianBytes(output.info, output.data);
    result.outputs.push_back(DescribeTensor(output.info, bytes));
    if (!options.output_prefix.empty()) {
      host::WriteFileBytes(fmt::format("{}.{}.bin", options.output_prefix, i), bytes.data(), bytes.size());
    }
  }
  {
    // In an interpreter of its own: state must not see more inferences than were asked for.
    host::Progress progress(file.path + ": measuring each operator");
    MeasureOperators(file, options, inputs, arena_bytes, &result);
  }
  for (const host::OperatorResult& op : result.op_results) result.macs += op.macs;
  if (!host::Emulator().empty()) RemoveTimes(&result);
  if (!options.data_file.empty()) result.evaluation = Evaluate(file, options, arena_bytes);
  return result;
}

}  // namespace lutra::bench

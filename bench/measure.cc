// SPDX-License-Identifier: Apache-2.0
// Fills the result record of one model: arena, times, outputs, operators.

#include "bench/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "bench/decompression.h"
#include "bench/macs.h"
#include "bench/times.h"
#include "host/core/byte_order.h"
#include "host/core/crc32.h"
#include "host/decompression_policy.h"
#include "host/environment.h"
#include "host/kernels_owner.h"
#include "host/model_inputs.h"
#include "host/output_file.h"
#include "host/prepared_model.h"
#include "host/progress.h"
#include "host/sha256.h"
#include "host/statistics.h"
#include "lutra/arena.h"
#include "lutra/cpu.h"
#include "lutra/delegate.h"
#include "lutra/graph.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"
#include "lutra/profiler.h"

namespace lutra::bench {
namespace {

// Without a number of runs, it takes at least this many and this long.
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

// Decides when there were enough runs. Their number is limited, even if the clock stands still.
class Runs {
 public:
  explicit Runs(const MeasureOptions& options)
      : options_(options), most_(MostRuns(options)), start_ns_(host::NowNs()) {}

  // Returns whether to go on after so many runs.
  bool GoOn(int runs) const {
    if (runs == 0) return true;
    if (runs >= most_) return false;
    const int64_t spent_ns = host::NowNs() - start_ns_;
    const bool is_limited = options_.max_seconds || !options_.runs;
    if (is_limited && static_cast<double>(spent_ns) >= options_.max_seconds.value_or(kMostSeconds) * 1e9)
      return false;
    return options_.runs || runs < kLeastRuns || spent_ns < kLeastNs;
  }

 private:
  static int MostRuns(const MeasureOptions& options) {
    if (options.runs) return *options.runs;
    return host::ClockResolutionNs() > 0 ? kMostRuns : kLeastRuns;
  }

  const MeasureOptions& options_;
  int most_;
  int64_t start_ns_;
};

// Returns the bytes as a file has them.
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
  std::vector<int64_t> run_ns;  // In this inference, all turns of a loop together; kNotRun: not run.
  int64_t begin_ns = 0;
  static constexpr int64_t kNotRun = -1;

  void Grow(size_t count) {
    times.resize(count);
    starts.resize(count);
    run_ns.resize(count, kNotRun);
  }
  void EndRun() {
    for (size_t i = 0; i < times.size(); ++i) {
      if (run_ns[i] != kNotRun) times[i].push_back(run_ns[i]);
      run_ns[i] = kNotRun;
    }
  }

  static void Begin(void* user, int node) {
    auto& timer = *static_cast<NodeTimer*>(user);
    timer.begin_ns = host::NowNs();
    if (timer.run_ns[node] != kNotRun) return;
    timer.starts[node] = timer.begin_ns;
    timer.run_ns[node] = 0;
  }
  static void End(void* user, int node) {
    const int64_t end_ns = host::NowNs();
    auto& timer = *static_cast<NodeTimer*>(user);
    timer.run_ns[node] += end_ns - timer.begin_ns;
  }
  static void BeginDecode(void* user, int node, int operand) {
    static_cast<NodeTimer*>(user)->decode.Begin(node, operand);
  }
  static void EndDecode(void* user, int node, int operand) {
    static_cast<NodeTimer*>(user)->decode.End(node, operand);
  }
};

// Each operator's variant, and what it prepared.
struct KernelNotes {
  std::vector<std::string> names;
  std::vector<host::Figure> prepared_bytes;

  MicroInterpreter::Visitor visitor() {
    return {.user = this,
            .kernel =
                [](void* user, int node, const char* kernel) {
                  static_cast<KernelNotes*>(user)->Grow(node).names[node] = kernel;
                },
            .prepared =
                [](void* user, int node, int32_t bytes) {
                  host::Figure& figure = static_cast<KernelNotes*>(user)->Grow(node).prepared_bytes[node];
                  figure = figure.value_or(0) + bytes;
                }};
  }
  KernelNotes& Grow(int last_node) {
    const size_t count = std::max(names.size(), static_cast<size_t>(last_node) + 1);
    names.resize(count);
    prepared_bytes.resize(count);
    return *this;
  }
};

// The nodes that delegates did not take, and why.
struct DeclinedNodes {
  std::vector<std::vector<host::DeclinedResult>> by_delegate;
  DelegateObserver observer = {.user = this,
                               .declined = [](void* user, int delegate, int node, const char* reason) {
                                 auto& nodes = static_cast<DeclinedNodes*>(user)->by_delegate;
                                 const auto number = static_cast<size_t>(delegate);
                                 if (nodes.size() <= number) nodes.resize(number + 1);
                                 nodes[number].push_back({node, reason});
                               }};
};

// A model whose operators are timed.
class TimedOperators {
 public:
  TimedOperators(const host::ModelFile& file, const InterpreterOptions& options,
                 const std::vector<std::vector<uint8_t>>& inputs, size_t arena_bytes, int warmup,
                 Span<const AlternateMemoryRegion> regions = {}, Span<const Delegate* const> delegates = {})
      : inputs_(inputs),
        at_init_(options.decompression == DecompressionPolicy::kAtInit),
        prepared_(file, options, arena_bytes, notes_.visitor(), &profiler_, regions,
                  {delegates, &declined_.observer}) {
    // Policy at-init has decoded by now.
    if (at_init_) timer_.decode.EndRun();
    prepared_->set_profiler(nullptr);
    const int count = prepared_->node_count();
    notes_.Grow(count - 1);
    timer_.Grow(static_cast<size_t>(count));
    // Warm-up without the hooks.
    for (int i = 0; i < warmup; ++i) {
      host::FillInputs(*prepared_, inputs);
      prepared_.Invoke();
    }
    prepared_->set_profiler(&profiler_);
  }
  void Run() {
    host::FillInputs(*prepared_, inputs_);
    run_start_ns_ = host::NowNs();
    prepared_.Invoke();
    timer_.EndRun();
    if (!at_init_) timer_.decode.EndRun();
  }
  // Times below the clock's resolution are null.
  host::Figure MedianNs(size_t node, int64_t resolution_ns) const {
    const std::vector<int64_t>& times = timer_.times[node];
    if (times.empty() || host::Quantile(times, 0.5) < 2 * resolution_ns) return {};
    return host::Quantile(Resolve(times, resolution_ns).ns, 0.5);
  }
  // Says when the node ran in the last inference, and how long.
  host::TraceResult Trace(size_t node) const {
    if (timer_.times[node].empty()) return {};
    return {timer_.starts[node] - run_start_ns_, timer_.times[node].back()};
  }
  const MicroInterpreter& interpreter() { return *prepared_; }
  // Delegates change the order of nodes.
  size_t PositionOf(const Node& node) {
    int position = 0;
    while (prepared_->node(position).subgraph != node.subgraph ||
           prepared_->node(position).index != node.index) {
      ++position;
    }
    return static_cast<size_t>(position);
  }
  const KernelNotes& notes() const { return notes_; }
  const DecodeTimer& decode() const { return timer_.decode; }
  // The nodes that the delegate of this number declined.
  std::vector<host::DeclinedResult> Declined(size_t number) const {
    return number < declined_.by_delegate.size() ? declined_.by_delegate[number]
                                                 : std::vector<host::DeclinedResult>();
  }

 private:
  const std::vector<std::vector<uint8_t>>& inputs_;
  bool at_init_;
  KernelNotes notes_;
  NodeTimer timer_;
  Profiler profiler_ = {&timer_, NodeTimer::Begin, NodeTimer::End, NodeTimer::BeginDecode,
                        NodeTimer::EndDecode};
  int64_t run_start_ns_ = 0;
  DeclinedNodes declined_;
  host::PreparedModel prepared_;
};

// The operator that wrote each tensor, by (subgraph, tensor).
using Writers = std::map<std::pair<int, int32_t>, int64_t>;

// The operators whose outputs a node takes, each once; the node's own outputs are `writers`' from then on.
std::vector<int64_t> ReadsOf(const Node& node, const NodeInfo& info, int64_t position, Writers* writers) {
  std::set<int64_t> reads;
  for (int32_t i = 0; i < info.inputs.count; ++i) {
    const auto writer = writers->find({node.subgraph, info.inputs[i]});
    if (writer != writers->end()) reads.insert(writer->second);
  }
  for (int32_t i = 0; i < info.outputs.count; ++i) (*writers)[{node.subgraph, info.outputs[i]}] = position;
  return {reads.begin(), reads.end()};
}

// Fills op_results and trace. `reference` may be null.
void DescribeOperators(const host::ModelFile& file, TimedOperators* timed, TimedOperators* reference,
                       host::ModelResult* model_result) {
  const auto count = static_cast<size_t>(timed->interpreter().node_count());
  const int64_t resolution_ns = host::ClockResolutionNs();
  std::vector<host::OperatorResult>& results = model_result->op_results;
  results.resize(count);
  model_result->trace.resize(count);
  int64_t total_ns = 0;
  Writers writers;
  for (size_t i = 0; i < count; ++i) {
    const Node& node = timed->interpreter().node(static_cast<int>(i));
    const NodeInfo info = file.model.node(node.subgraph, node.index);
    host::OperatorResult& result = results[i];
    result.index = static_cast<int>(i);
    result.type = NameOf(info.code, info.custom_code);
    if (info.outputs.count > 0) result.name = file.model.tensor(node.subgraph, info.outputs[0]).name;
    const DelegatePartition* const partition = PartitionOf(node);
    if (partition != nullptr) result.delegate = partition->delegate->Name(partition->delegate->state);
    result.kernel = timed->notes().names[i];
    result.prepared_bytes = timed->notes().prepared_bytes[i];
    result.macs = CountMacs(file.model, node.subgraph, node.index);
    result.reads = ReadsOf(node, info, static_cast<int64_t>(i), &writers);
    // The time of a partition is that of its first node.
    if (partition == nullptr || RunsPartition(node)) result.median_ns = timed->MedianNs(i, resolution_ns);
    if (reference != nullptr) {
      result.ref_median_ns = reference->MedianNs(reference->PositionOf(node), resolution_ns);
    }
    total_ns += result.median_ns.value_or(0);
    model_result->trace[i] = timed->Trace(i);
  }
  for (host::OperatorResult& result : results) {
    if (result.median_ns && total_ns > 0) {
      result.share = static_cast<double>(*result.median_ns) / static_cast<double>(total_ns);
    }
  }
}

void DescribeDelegates(const MeasureOptions& options, TimedOperators* timed, host::ModelResult* result) {
  const Span<const Delegate* const> delegates = options.delegates.delegates;
  const auto figure = [](int64_t counted) { return counted < 0 ? host::Figure() : host::Figure(counted); };
  for (size_t d = 0; d < delegates.size(); ++d) {
    host::DelegateResult& delegate = result->delegates.emplace_back();
    delegate.name = delegates[d]->Name(delegates[d]->state);
    delegate.declined = timed->Declined(d);
    for (size_t i = 0; i < result->op_results.size(); ++i) {
      const Node& node = timed->interpreter().node(static_cast<int>(i));
      const DelegatePartition* const partition = PartitionOf(node);
      if (!RunsPartition(node) || partition->delegate != delegates[d]) continue;
      const DelegateKernel& kernel = partition->kernel;
      const DelegateCounters counters =
          kernel.Counters != nullptr ? kernel.Counters(kernel.state) : DelegateCounters();
      const Span<const int32_t> nodes = partition->params.nodes_to_replace;
      delegate.partitions.push_back({.nodes = {nodes.begin(), nodes.end()},
                                     .median_ns = result->op_results[i].median_ns,
                                     .cycles = figure(counters.cycles),
                                     .bytes_moved = figure(counters.bytes_moved)});
    }
  }
}

// Fills op_results, delegates, trace and decompression.
void MeasureOperators(const host::ModelFile& file, const MeasureOptions& options,
                      const std::vector<std::vector<uint8_t>>& inputs, size_t arena_bytes,
                      host::ModelResult* model_result) {
  TimedOperators timed(file, options.interpreter, inputs, arena_bytes, options.warmup, options.regions,
                       options.delegates.delegates);
  std::unique_ptr<TimedOperators> reference;
  if (options.against_ref) {
    // Without regions, which the other interpreter uses, and without delegates.
    InterpreterOptions plain = options.interpreter;
    plain.cpu_features = kCpuAny;
    plain.replacement = nullptr;
    reference = std::make_unique<TimedOperators>(file, plain, inputs, host::SmallestArena(file, plain),
                                                 options.warmup);
  }
  const Runs enough(options);
  for (int runs = 0; enough.GoOn(runs); ++runs) {
    timed.Run();
    if (reference != nullptr) reference->Run();
  }
  DescribeOperators(file, &timed, reference.get(), model_result);
  DescribeDelegates(options, &timed, model_result);
  std::optional<host::DecompressionResult>& decompression = model_result->decompression;
  decompression = DescribeDecompression(file.model, timed.interpreter(), timed.decode());
  if (!decompression) return;
  const bool at_init = options.interpreter.decompression == DecompressionPolicy::kAtInit;
  decompression->policy = host::NameOf(options.interpreter.decompression);
  for (const AlternateMemoryRegion& region : options.regions) {
    decompression->outside_bytes += static_cast<int64_t>(region.bytes);
  }
  const int64_t inference_ns = model_result->inference.median_ns.value_or(0);
  if (!at_init && inference_ns > 0) {
    decompression->share = static_cast<double>(*decompression->total_ns) / static_cast<double>(inference_ns);
  }
}

// Writes the plan into an ArenaResult as AllocateTensors tells it.
struct PlanListener {
  const Model& model;
  host::ArenaResult plan;

  MicroInterpreter::Visitor Visitor() {
    return {.user = this, .buffer = AddBuffer, .row_group = AddRowGroup};
  }

 private:
  static void AddBuffer(void* user, const PlannedBuffer& buffer) {
    auto& [model, plan] = *static_cast<PlanListener*>(user);
    host::BufferResult& result = plan.buffers.emplace_back();
    if (buffer.tensor >= 0) {
      result.tensor = buffer.tensor;
      result.name = model.tensor(buffer.subgraph, buffer.tensor).name;
    }
    result.subgraph = buffer.subgraph;
    result.offset_bytes = buffer.offset;
    result.bytes = buffer.bytes;
    result.first_step = buffer.first_step;
    result.last_step = buffer.last_step;
  }
  static void AddRowGroup(void* user, int first_node, int nodes) {
    static_cast<PlanListener*>(user)->plan.row_groups.push_back({first_node + 1, first_node + nodes});
  }
};

// With the plan that the listener was told.
host::ArenaResult DescribeArena(const MicroInterpreter& interpreter, size_t given_bytes,
                                const PlanListener& listener) {
  const MemoryUse memory = interpreter.memory();
  host::ArenaResult arena = listener.plan;
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

// Returns the size of the arena to run in: the one asked for, the smallest that the search finds, or a large
// one.
size_t ChooseArena(const host::ModelFile& file, const MeasureOptions& options,
                   std::optional<int64_t>* smallest) {
  if (options.arena_search) {
    host::Progress progress(file.path + ": searching the smallest arena");
    *smallest = static_cast<int64_t>(
        host::SmallestArena(file, options.interpreter, options.regions, options.delegates));
  }
  if (!options.arena_bytes) {
    if (*smallest) return static_cast<size_t>(**smallest);
    for (size_t bytes = size_t{1} << 20;; bytes *= 2) {
      const host::AlignedBytes memory(bytes);
      MicroInterpreter interpreter(file.model, AllOps(), memory.span(), options.interpreter);
      const host::KernelsOwner owner(&interpreter);
      const Status status = interpreter.AllocateTensors(options.delegates);
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
    op.ref_median_ns.reset();
    op.share.reset();
  }
  for (host::DelegateResult& delegate : result->delegates) {
    for (host::PartitionResult& partition : delegate.partitions) partition.median_ns.reset();
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

host::ArenaResult PlanArena(const host::ModelFile& file, const MeasureOptions& options) {
  PlanListener listener = {file.model, {}};
  const size_t arena_bytes =
      host::SmallestArena(file, options.interpreter, options.regions, options.delegates);
  host::PreparedModel prepared(file, options.interpreter, arena_bytes, listener.Visitor(), nullptr,
                               options.regions, options.delegates);
  return DescribeArena(*prepared, arena_bytes, listener);
}

host::ModelResult Measure(const host::ModelFile& file, const MeasureOptions& options) {
  host::ModelResult result;
  result.path = file.path;
  result.bytes = static_cast<int64_t>(file.bytes.size());
  result.sha256 = host::Sha256(file.bytes.data(), file.bytes.size());
  result.kernels = options.kernels;
  result.repack = options.interpreter.repack ? "auto" : "never";
  result.memory = options.interpreter.policy == MemoryPolicy::kFast ? "fast" : "small";
#if defined(LUTRA_SINGLE_ROUNDING)
  result.profile = "single-rounding";
#else
  result.profile = "tflm";
#endif
  // Before inputs are read, as no output may replace one of them, and before the work.
  std::vector<host::OutputFile> outputs;
  for (int i = 0; !options.output_prefix.empty() && i < file.model.outputs(0).count; ++i)
    outputs.emplace_back(fmt::format("{}.{}.bin", options.output_prefix, i));
  host::RefuseToReadOutput(file.path);
  const std::vector<std::vector<uint8_t>> inputs = options.input_files.empty()
                                                       ? host::SeededInputs(file.model, options.seed)
                                                       : host::ReadInputs(file, options.input_files);
  std::optional<int64_t> smallest;
  const size_t arena_bytes = ChooseArena(file, options, &smallest);

  PlanListener listener = {file.model, {}};
  host::PreparedModel prepared(file, options.interpreter, arena_bytes, listener.Visitor(), nullptr,
                               options.regions, options.delegates);
  result.init_ns = prepared.init_ns();
  result.prepare_ns = prepared.prepare_ns();
  result.arena = DescribeArena(*prepared, arena_bytes, listener);
  result.arena->smallest_working_bytes = smallest;
  result.operators = prepared->node_count();
  {
    host::Progress progress(file.path + ": measuring");
    for (int i = 0; i < options.warmup; ++i) {
      host::FillInputs(*prepared, inputs);
      prepared.Invoke();
    }
    std::vector<int64_t> times;
    const Runs enough(options);
    while (enough.GoOn(static_cast<int>(times.size()))) {
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
    if (!outputs.empty()) outputs[static_cast<size_t>(i)].Write(bytes);
  }
  {
    // In a new interpreter: with more inferences than were asked for, the first one's state would change.
    host::Progress progress(file.path + ": measuring each operator");
    MeasureOperators(file, options, inputs, arena_bytes, &result);
  }
  for (const host::OperatorResult& op : result.op_results) result.macs += op.macs;
  if (!host::Emulator().empty() || host::ClockResolutionNs() == 0) RemoveTimes(&result);
  if (!options.data_file.empty()) result.evaluation = Evaluate(file, options, arena_bytes);
  return result;
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// Runs the interpreter with the delegate and without it; makes tables and JSON of the counted figures.

#include "delegates/vta/program/model_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "delegates/vta/driver/delegate.h"
#include "delegates/vta/simulator/device.h"
#include "host/accelerator_fields.h"
#include "host/core/crc32.h"
#include "host/kernels_owner.h"
#include "host/model_inputs.h"
#include "host/prepared_model.h"
#include "host/wrap.h"
#include "lutra/delegate.h"
#include "lutra/ops/ops.h"

namespace lutra::vta::sim {
namespace {

constexpr size_t kFirstArena = size_t{64} << 20, kLastArena = size_t{4} << 30;

// The delegate's hooks write their notes here.
struct Recorder {
  const host::ModelFile& file;
  SimulatedDevice& device;
  const LayerVisitor& visit;
  ModelRun& run;

  std::string OpOf(int node) const { return ToString(file.model.node(0, node).code); }

  static void LayerRan(void* user, const LayerReport& report) {
    auto& self = *static_cast<Recorder*>(user);
    const Result& result = self.device.last();
    LayerRun layer = {.index = report.node, .op = self.OpOf(report.node), .bound = report.bound};
    layer.cycles = result.timing.cycles;
    for (const uint64_t bytes : result.timing.bytes) layer.bytes += bytes;
    layer.instructions = report.stream.size();
    layer.gemm_cycles = result.timing.gemm_cycles;
    layer.alu_cycles = result.timing.alu_cycles;
    self.run.layers.push_back(layer);
    if (self.visit) self.visit(layer, result, report.stream);
  }
  static void LayoutChanged(void* user, int32_t, uint64_t bytes) {
    static_cast<Recorder*>(user)->run.copied_bytes += bytes;
  }
  static void Declined(void* user, int, int node, const char* reason) {
    auto& self = *static_cast<Recorder*>(user);
    self.run.declined.push_back({node, self.OpOf(node), reason == nullptr ? "" : reason});
  }
};

std::vector<std::vector<uint8_t>> OutputsOf(const MicroInterpreter& interpreter) {
  std::vector<std::vector<uint8_t>> outputs;
  for (int i = 0; i < interpreter.output_count(); ++i) {
    const Tensor tensor = interpreter.output(i);
    const auto* const bytes = static_cast<const uint8_t*>(tensor.data);
    outputs.emplace_back(bytes, bytes + tensor.info.bytes);
  }
  return outputs;
}

std::string DeviceFault(const host::ModelFile& file, const SimulatedDevice& device) {
  const std::vector<Finding>& findings = device.last().findings;
  return fmt::format("{}: {}", file.path, findings.empty() ? "the device failed" : findings.back().text);
}

// Returns false if the arena is too small.
bool RunInArena(const host::ModelFile& file, const Options& options, uint64_t seed,
                const RunOptions& run_options, const LayerVisitor& visit, size_t arena_bytes, ModelRun* run) {
  const host::AlignedBytes arena(arena_bytes);
  SimulatedDevice device(options.driver.config, run_options);
  *run = {};
  Recorder recorder = {file, device, visit, *run};
  VtaDelegate state = {
      .options = options.driver, .device = device.device(), .partitions = options.partitions};
  state.user = &recorder;
  state.layer_ran = Recorder::LayerRan;
  state.layout_changed = Recorder::LayoutChanged;
  const Delegate delegate = MakeDelegate(&state);
  const Delegate* const list[] = {&delegate};
  const DelegateObserver observer = {.user = &recorder, .declined = Recorder::Declined};
  MicroInterpreter interpreter(file.model, AllOps(), arena.span());
  const host::KernelsOwner owner(&interpreter);
  const Status status = interpreter.AllocateTensors({.delegates = list, .observer = &observer});
  if (status == Status::kArenaTooSmall && arena_bytes < kLastArena) return false;
  if (status != Status::kOk) {
    throw host::BadInput(host::DescribeRefusal(file, status, interpreter.diagnosis()));
  }
  host::FillInputs(interpreter, host::SeededInputs(file.model, seed));
  if (interpreter.Invoke() != Status::kOk) throw host::WrongResult(DeviceFault(file, device));
  run->nodes = interpreter.node_count();
  for (int n = 0; n < run->nodes; ++n) run->partitions += RunsPartition(interpreter.node(n)) ? 1 : 0;
  run->simulated_ns = device.run_ns();
  run->outputs = OutputsOf(interpreter);
  return true;
}

ModelRun RunOnVta(const host::ModelFile& file, const Options& options, uint64_t seed,
                  const RunOptions& run_options, const LayerVisitor& visit) {
  ModelRun run;
  size_t bytes = kFirstArena;
  while (!RunInArena(file, options, seed, run_options, visit, bytes, &run)) bytes *= 4;
  return run;
}

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

host::AcceleratorCost CostOf(const Config& config, const ModelRun& run) {
  return {static_cast<int64_t>(run.cycles()), static_cast<int64_t>(run.bytes()),
          static_cast<int64_t>(run.copied_bytes), static_cast<int64_t>(run.CyclesWithCopies(config))};
}

std::string GainsText(const Config& config, const Gains& gains) {
  std::string text = fmt::format("\n{:20} {:>12} {:>12} {:>12} {:>12}\n", "", "cycles", "bytes",
                                 "copied bytes", "with copies");
  const std::pair<const char*, const ModelRun*> rows[] = {{"one part of SRAM", &gains.threads[0]},
                                                          {"two parts of SRAM", &gains.threads[1]},
                                                          {"nodes apart", &gains.apart}};
  for (const auto& [name, run] : rows) {
    text += fmt::format("{:20} {:12} {:12} {:12} {:12}\n", name, run->cycles(), run->bytes(),
                        run->copied_bytes, run->CyclesWithCopies(config));
  }
  return text;
}

// Sums over layers.
LayerRun Total(const ModelRun& run, uint64_t* bound_cycles) {
  LayerRun total;
  *bound_cycles = 0;
  for (const LayerRun& layer : run.layers) {
    total.cycles += layer.cycles;
    total.bytes += layer.bytes;
    total.instructions += layer.instructions;
    total.gemm_cycles += layer.gemm_cycles;
    total.alu_cycles += layer.alu_cycles;
    total.bound.macs += layer.bound.macs;
    *bound_cycles += layer.bound.cycles();
  }
  return total;
}

}  // namespace

double LayerRun::Utilisation(const Config& config) const {
  return Ratio(bound.macs, cycles * config.lanes() * config.block());
}

uint64_t ModelRun::cycles() const {
  uint64_t sum = 0;
  for (const LayerRun& layer : layers) sum += layer.cycles;
  return sum;
}

uint64_t ModelRun::bytes() const {
  uint64_t sum = 0;
  for (const LayerRun& layer : layers) sum += layer.bytes;
  return sum;
}

uint64_t ModelRun::CyclesWithCopies(const Config& config) const {
  return cycles() + (copied_bytes + config.bus_bytes() - 1) / config.bus_bytes();
}

uint64_t ModelRun::differences() const {
  uint64_t count = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t k = 0; k < outputs[i].size(); ++k) count += outputs[i][k] != cpu_outputs[i][k] ? 1 : 0;
  }
  return count;
}

ModelRun RunModel(const host::ModelFile& file, const Options& options, uint64_t seed,
                  const RunOptions& run_options, const LayerVisitor& visit) {
  ModelRun run = RunOnVta(file, options, seed, run_options, visit);
  host::PreparedModel cpu(file, {}, host::SmallestArena(file, {}));
  host::FillInputs(*cpu, host::SeededInputs(file.model, seed));
  cpu.Invoke();
  run.cpu_outputs = OutputsOf(*cpu);
  return run;
}

Gains MeasureGains(const host::ModelFile& file, Options options, uint64_t seed, const RunOptions& run_options,
                   const ModelRun& run) {
  const auto measure = [&](ModelRun* other) {
    *other = RunOnVta(file, options, seed, run_options, nullptr);
    if (other->outputs != run.outputs) {
      throw host::WrongResult(fmt::format("{}: outputs depend on threads or partitions", file.path));
    }
  };
  Gains gains;
  const uint32_t asked = options.driver.threads;
  for (const uint32_t threads : {1u, 2u}) {
    options.driver.threads = threads;
    measure(&gains.threads[threads - 1]);
  }
  options.driver.threads = asked;
  options.partitions = {.max_nodes_per_partition = 1};
  measure(&gains.apart);
  return gains;
}

std::string RunText(const Config& config, const ModelRun& run, const Gains* gains) {
  std::string text = fmt::format("{:>5} {:20.20} {:>9} {:>9} {:>9} {:>9} {:>6} {:>6}\n", "node", "operator",
                                 "cycles", "GEMM", "ALU", "bytes", "bound", "MACs");
  const auto line = [&](const std::string& node, const std::string& op, const LayerRun& layer,
                        uint64_t bound) {
    return fmt::format("{:>5} {:20.20} {:9} {:9} {:9} {:9} {:6.3f} {:6.3f}\n", node, op, layer.cycles,
                       layer.gemm_cycles, layer.alu_cycles, layer.bytes, Ratio(bound, layer.cycles),
                       layer.Utilisation(config));
  };
  for (const LayerRun& layer : run.layers) {
    text += line(std::to_string(layer.index), layer.op, layer, layer.bound.cycles());
  }
  uint64_t bound = 0;
  const LayerRun total = Total(run, &bound);
  text += line("", "all", total, bound);
  text += fmt::format(
      "\n{} of {} nodes on VTA, partitions: {}\nbytes of outputs that differ from the CPU's: {}\n",
      run.layers.size(), run.nodes, run.partitions, run.differences());
  text += fmt::format("between layouts the processor moves {} bytes, {} cycles of the bus or more\n",
                      run.copied_bytes, run.CyclesWithCopies(config) - run.cycles());
  const double seconds = static_cast<double>(run.simulated_ns) / 1e9;
  if (seconds > 0) {
    text += fmt::format("simulated in {:.3f} s: {:.0f} instructions and {:.3g} MACs a second\n", seconds,
                        static_cast<double>(total.instructions) / seconds,
                        static_cast<double>(total.bound.macs) / seconds);
  }
  if (gains != nullptr) text += GainsText(config, *gains);
  for (const DeclinedNode& node : run.declined) {
    text += fmt::format("node {} ({}) on the CPU: {}\n", node.index, node.op, node.reason);
  }
  return host::Wrapped(text);
}

std::string RunJson(const std::string& path, const Options& options, const ModelRun& run,
                    const Gains* gains) {
  const Config& config = options.driver.config;
  uint64_t bound = 0;
  const LayerRun total = Total(run, &bound);
  host::AcceleratedRun result = {.accelerator = "vta",
                                 .model = path,
                                 .config = NameOf(config),
                                 .mode = FactsOf(options.driver.mode).name,
                                 .threads = options.driver.threads,
                                 .nodes_taken = static_cast<int64_t>(run.layers.size()),
                                 .nodes = run.nodes,
                                 .partitions = run.partitions,
                                 .cost = CostOf(config, run),
                                 .utilisation = total.Utilisation(config),
                                 .instructions = static_cast<int64_t>(total.instructions),
                                 .macs = static_cast<int64_t>(total.bound.macs),
                                 .simulated_ns = run.simulated_ns,
                                 .differences = static_cast<int64_t>(run.differences())};
  for (const std::vector<uint8_t>& output : run.outputs) {
    result.outputs.push_back({fmt::format("{:08x}", host::Crc32(output.data(), output.size()))});
  }
  for (const LayerRun& layer : run.layers) {
    result.layers.push_back({.index = layer.index,
                             .op = layer.op,
                             .cycles = static_cast<int64_t>(layer.cycles),
                             .gemm_cycles = static_cast<int64_t>(layer.bound.gemm_cycles),
                             .alu_cycles = static_cast<int64_t>(layer.bound.alu_cycles),
                             .bus_cycles = static_cast<int64_t>(layer.bound.bus_cycles),
                             .bytes = static_cast<int64_t>(layer.bytes),
                             .utilisation = layer.Utilisation(config)});
  }
  for (const DeclinedNode& node : run.declined) result.declined.push_back({node.index, node.op, node.reason});
  if (gains != nullptr) {
    result.gains = {CostOf(config, gains->threads[0]), CostOf(config, gains->threads[1]),
                    CostOf(config, gains->apart)};
  }
  return host::JsonText(host::ToJson(result), 1);
}

std::string RooflineText(const Config& config, const ModelRun& run) {
  std::string text = fmt::format("{:>5} {:18.18} {:>8} {:>8} {:>8} {:>8} {:>5} {:>6} {:>6}\n", "node",
                                 "operator", "MAC/byte", "GEMM", "ALU", "bus", "bound", "MAC/cy", "of it");
  for (const LayerRun& layer : run.layers) {
    const LayerBound& bound = layer.bound;
    const char* const by = bound.cycles() == bound.gemm_cycles  ? "GEMM"
                           : bound.cycles() == bound.alu_cycles ? "ALU"
                                                                : "bus";
    text += fmt::format("{:5} {:18.18} {:8.2f} {:8} {:8} {:8} {:>5} {:6.1f} {:6.3f}\n", layer.index, layer.op,
                        Ratio(bound.macs, bound.bytes), bound.gemm_cycles, bound.alu_cycles, bound.bus_cycles,
                        by, Ratio(bound.macs, layer.cycles), Ratio(bound.cycles(), layer.cycles));
  }
  uint64_t bound = 0;
  const LayerRun total = Total(run, &bound);
  return host::Wrapped(text) + fmt::format(
                                   "\nall layers: {} cycles, {} by their bounds ({:.3f})\n"
                                   "{:.1f} of {} MAC/cycle; {} bytes a cycle on the bus\n",
                                   total.cycles, bound, Ratio(bound, total.cycles),
                                   Ratio(total.bound.macs, total.cycles), config.lanes() * config.block(),
                                   config.bus_bytes());
}

}  // namespace lutra::vta::sim

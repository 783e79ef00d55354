// SPDX-License-Identifier: Apache-2.0
// Traces and summaries. Their texts are constants, so nothing needs quoting.

#include "delegates/vta/simulator/trace.h"

#include <fmt/format.h>

#include <string_view>

#include "delegates/vta/simulator/disassemble.h"

namespace lutra::vta::sim {
namespace {

std::string NameOf(const Instruction& instruction) {
  if (instruction.IsNoOp()) return "no-op";
  std::string name = ToString(instruction.opcode);
  if (instruction.opcode == Opcode::kAlu) name += fmt::format(" {}", ToString(instruction.alu_opcode));
  if (instruction.IsTransfer()) name += fmt::format(" {}", ToString(instruction.memory));
  return name;
}

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

TraceWriter::TraceWriter() {
  text_ = "{\"otherData\": {\"unit\": \"a microsecond is a cycle\", \"cycles\": \"estimated\"},\n";
  text_ += "\"traceEvents\": [\n";
  for (int stage = 0; stage <= 3; ++stage) {
    text_ += fmt::format(
        "{}{{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 0, \"tid\": {}, \"args\": {{\"name\": "
        "\"{}\"}}}}",
        stage == 0 ? "" : ",\n", stage, stage == 0 ? "layer" : ToString(static_cast<Stage>(stage)));
  }
}

void TraceWriter::Add(const Config& config, const Result& result, const std::string& name) {
  if (!name.empty()) {
    text_ +=
        fmt::format(",\n{{\"ph\": \"X\", \"name\": \"{}\", \"pid\": 0, \"tid\": 0, \"ts\": {}, \"dur\": {}}}",
                    name, begin_, result.timing.cycles);
  }
  for (size_t i = 0; i < result.stream.size(); ++i) {
    const Instruction& instruction = result.stream[i];
    const InstructionTime& time = result.timing.instructions[i];
    text_ += fmt::format(
        ",\n{{\"ph\": \"X\", \"name\": \"{}\", \"pid\": 0, \"tid\": {}, \"ts\": {}, \"dur\": {}, "
        "\"args\": {{\"instruction\": {}, \"text\": \"{}\"}}}}",
        NameOf(instruction), static_cast<int>(StageOf(instruction)), begin_ + time.begin,
        time.end - time.begin, i, Disassemble(config, instruction));
  }
  begin_ += result.timing.cycles;
}

std::string ChromeTrace(const Config& config, const Result& result) {
  TraceWriter writer;
  writer.Add(config, result, "");
  return writer.Finish();
}

std::string Summary(const Config& config, const Result& result) {
  const Timing& timing = result.timing;
  const Counters& counters = result.counters;
  std::string text =
      fmt::format("{} instructions, {} cycles, estimated\n\n", result.stream.size(), timing.cycles);
  text +=
      fmt::format("{:8} {:>6} {:>8} {:>6}  {}\n", "module", "busy %", "waits %", "idle %", "waits most for");
  for (int module = 0; module < 3; ++module) {
    const ModuleCycles& one = timing.modules[static_cast<size_t>(module)];
    uint64_t blocked = 0;
    int most = 0;
    for (int queue = 0; queue < kQueueCount; ++queue) {
      blocked += one.blocked[static_cast<size_t>(queue)];
      if (one.blocked[static_cast<size_t>(queue)] > one.blocked[static_cast<size_t>(most)]) most = queue;
    }
    text += fmt::format("{:8} {:6.1f} {:8.1f} {:6.1f}  {}\n", ToString(static_cast<Stage>(module + 1)),
                        Percent(one.busy, timing.cycles), Percent(blocked, timing.cycles),
                        Percent(one.idle, timing.cycles),
                        blocked == 0 ? "-" : fmt::format("tokens {}", ToString(static_cast<Queue>(most))));
  }
  text += "\n";
  constexpr std::string_view kClients[] = {"instructions", "load", "compute", "store"};
  for (size_t client = 0; client < kClientCount; ++client) {
    text += fmt::format("{:12} {:10} bytes, {:5.1f} % of the bus\n", kClients[client], timing.bytes[client],
                        Percent(timing.beats[client], timing.cycles));
  }
  text += fmt::format("\nGEMM {} micro-ops, {:.1f} % of the cycles; {} multiply-adds; reset {}\n",
                      counters.gemm_uops, Percent(counters.gemm_uops, timing.cycles), counters.macs,
                      counters.reset_uops);
  text += fmt::format("ALU {} micro-ops, {:.1f} % of the cycles\n", counters.alu_uops,
                      Percent(timing.alu_cycles, timing.cycles));
  text +=
      fmt::format("{} x {} lanes, a bus of {} bytes\n", config.batch(), config.block(), config.bus_bytes());
  return text;
}

}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// vta: models on VTA's simulator, and streams of its instructions as text and run.
//
// Parses the command line, reads, runs, writes. Exit codes: 0 success, 1 the stream or a result is
// wrong, 2 bad usage, 3 bad input.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string_view>

#include "delegates/vta/program/model_run.h"
#include "delegates/vta/program/options.h"
#include "delegates/vta/program/stream_file.h"
#include "delegates/vta/simulator/disassemble.h"
#include "delegates/vta/simulator/trace.h"
#include "host/command_line.h"
#include "host/environment.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/run_main.h"
#include "host/sign_checks.h"

namespace lutra::vta::sim {
namespace {

constexpr char kProgram[] = "vta";

struct CommandLine {
  std::string file, output, profile = kProfileNames[0];
  std::string mode = kModes[0].name, config = kConfigs[0].name;
  std::string add = kAddScalingNames[static_cast<int>(DriverOptions().add)];
  uint32_t threads = 2;
  SimpleDelegateOptions partitions;
  uint64_t seed = 0;
  bool json = false, gains = false;
};

StreamFile Read(const std::string& path) {
  const host::AlignedBytes bytes = host::ReadFileBytes(path);
  return ParseStream(bytes.span(), path);
}

// Decides by the file's ending, or by the word that .tflite files have behind four bytes; other files are
// streams.
bool IsModel(const std::string& path) {
  constexpr std::string_view kWord = "TFL3";
  constexpr size_t kAt = 4;
  if (path.ends_with(".tflite")) return true;
  const host::AlignedBytes bytes = host::ReadFileBytes(path);
  return bytes.size() >= kAt + kWord.size() && std::equal(kWord.begin(), kWord.end(), bytes.data() + kAt);
}

Options OptionsOf(const CommandLine& line) {
  Options options = ParseOptions({{"mode", line.mode},
                                  {"add", line.add},
                                  {"threads", std::to_string(line.threads)},
                                  {"config", line.config},
                                  {"profile", line.profile}},
                                 "--");
  options.partitions = line.partitions;
  return options;
}

void PrintInstruction(const Config& config, size_t number, const EncodedInstruction& instruction) {
  Instruction decoded;
  (void)Decode(config, instruction, &decoded);
  fmt::print("{:6} {:8} {}\n", number, ToString(StageOf(decoded)), Disassemble(config, instruction));
}

int DisasmModel(const CommandLine& line) {
  const Options options = OptionsOf(line);
  const host::ModelFile file = host::ReadModelFile(line.file);
  fmt::print("{}: {}, mode {}, {} threads\n", line.file, line.config, line.mode, line.threads);
  RunModel(file, options, line.seed, {.finds_races = false},
           [&](const LayerRun& layer, const Result&, Span<const EncodedInstruction> stream) {
             fmt::print("node {} ({}): {} instructions\n", layer.index, layer.op, stream.size());
             for (size_t i = 0; i < stream.size(); ++i) PrintInstruction(options.driver.config, i, stream[i]);
           });
  return host::kExitOk;
}

int TraceModel(const CommandLine& line) {
  const Options options = OptionsOf(line);
  const host::OutputFile output(line.output);
  const host::ModelFile file = host::ReadModelFile(line.file);
  TraceWriter trace;
  const ModelRun run =
      RunModel(file, options, line.seed, {.finds_races = false},
               [&](const LayerRun& layer, const Result& result, Span<const EncodedInstruction>) {
                 trace.Add(options.driver.config, result, fmt::format("node {} {}", layer.index, layer.op));
               });
  output.Write(trace.Finish());
  fmt::print("{}", RunText(options.driver.config, run));
  return host::kExitOk;
}

// Runs `run` and `roofline`. A difference in mode exact is a fault.
int Run(const CommandLine& line, bool roofline) {
  const Options options = OptionsOf(line);
  const host::ModelFile file = host::ReadModelFile(line.file);
  const RunOptions run_options = {.finds_races = false};
  const ModelRun run = RunModel(file, options, line.seed, run_options);
  std::optional<Gains> gains;
  if (line.gains) gains = MeasureGains(file, options, line.seed, run_options, run);
  const Config& config = options.driver.config;
  const Gains* const measured = gains ? &*gains : nullptr;
  fmt::print("{}", line.json  ? RunJson(line.file, options, run, measured)
                   : roofline ? RooflineText(config, run)
                              : RunText(config, run, measured));
  if (options.driver.mode == Mode::kExact && run.differences() != 0) {
    throw host::WrongResult(
        fmt::format("{}: {} bytes of outputs are not the CPU's", line.file, run.differences()));
  }
  return host::kExitOk;
}

int Disasm(const CommandLine& line) {
  if (IsModel(line.file)) return DisasmModel(line);
  const StreamFile file = Read(line.file);
  fmt::print("{}: {}, {} instructions\n", line.file, NameOf(file.config), file.stream.size());
  uint32_t wrong = 0;
  for (size_t i = 0; i < file.stream.size(); ++i) {
    Instruction instruction;
    InstructionFault fault = Decode(file.config, file.stream[i], &instruction);
    const bool is_decoded = fault == InstructionFault::kNone;
    if (is_decoded) fault = Check(file.config, instruction);
    fmt::print("{:6} {:8} {}{}\n", i, is_decoded ? ToString(StageOf(instruction)) : "?",
               Disassemble(file.config, file.stream[i]),
               is_decoded && fault != InstructionFault::kNone
                   ? fmt::format("; wrong: {}", vta::ToString(fault))
                   : std::string());
    if (fault != InstructionFault::kNone) ++wrong;
  }
  if (wrong != 0) throw host::WrongResult(fmt::format("{}: {} instructions are wrong", line.file, wrong));
  return host::kExitOk;
}

int Trace(const CommandLine& line) {
  if (IsModel(line.file)) return TraceModel(line);
  const host::OutputFile output(line.output);
  StreamFile file = Read(line.file);
  Profile profile = Profile::kReference;
  for (int i = 0; i < kProfileCount; ++i) {
    if (line.profile == kProfileNames[i]) profile = static_cast<Profile>(i);
  }
  Simulator simulator(file.config, profile);
  const Result result =
      simulator.Run({file.stream.data(), file.stream.size()}, file.dram, {.seed = line.seed});
  if (!result.ok()) {
    throw host::WrongResult(fmt::format("{}: {}", line.file, result.findings.back().text));
  }
  for (const Finding& finding : result.findings) {
    fmt::print(stderr, "{}: warning: {}\n", line.file, finding.text);
  }
  output.Write(ChromeTrace(file.config, result));
  fmt::print("{}: {}", line.file, Summary(file.config, result));
  return host::kExitOk;
}

template <typename Names>
CLI::IsMember NamesOf(const Names& names) {
  return CLI::IsMember(std::vector<std::string>(std::begin(names), std::end(names)));
}

void AddDelegateOptions(CLI::App* verb, CommandLine& line) {
  verb->add_option("--threads", line.threads, "Parts of SRAM: of two, one computes while the other is loaded")
      ->capture_default_str()
      ->check(CLI::Range(1, 2));
  verb->add_option("--mode", line.mode, "Requantisation: as specified, with one product, or as it once was")
      ->capture_default_str()
      ->check(CLI::IsMember(RowNames(kModes)));
  verb->add_option("--add", line.add, "Who scales ADD's operands: the CPU, the CPU as it packs them, VTA")
      ->capture_default_str()
      ->check(NamesOf(kAddScalingNames));
  verb->add_option("--config", line.config, "Which VTA it is")
      ->capture_default_str()
      ->check(CLI::IsMember(RowNames(kConfigs)));
  const struct {
    const char* name;
    int32_t* count;
    const char* help;
  } counts[] = {{"--max-delegated-partitions", &line.partitions.max_delegated_partitions,
                 "So many partitions at most, the largest ones; 0: all"},
                {"--min-nodes-per-partition", &line.partitions.min_nodes_per_partition,
                 "Leave smaller partitions to the CPU"},
                {"--max-nodes-per-partition", &line.partitions.max_nodes_per_partition,
                 "Cut larger partitions in pieces, between which tensors have the plain layout; 0: none"}};
  for (const auto& one : counts)
    verb->add_option(one.name, *one.count, one.help)->check(host::NonNegativeNumber());
  verb->add_option("--seed", line.seed, "Of a model's inputs; of the order of a stream's modules")
      ->default_val(0);
  verb->add_option("--profile", line.profile, "Implementation of VTA to follow")
      ->default_val(line.profile)
      ->check(NamesOf(kProfileNames));
}

int Main(int argc, char** argv) {
  CLI::App app("Models and streams of instructions on VTA, the Versatile Tensor Accelerator.", kProgram);
  app.footer(
      "Example:\n  vta run models/kws.tflite --threads 2\n"
      "  vta trace delegates/vta/program/examples/conv.vta -o conv.trace.json\n\n"
      "Exit codes: 0 success, 1 the stream or a result is wrong, 2 bad usage, 3 bad input.");
  app.set_version_flag("--version", host::VersionText(kProgram));
  app.require_subcommand(1);
  CommandLine line;
  CLI::App* run = app.add_subcommand("run", "A model, what VTA cannot do on the CPU");
  CLI::App* roofline =
      app.add_subcommand("roofline", "Operations per byte and bounds of each layer of a model");
  CLI::App* disasm = app.add_subcommand("disasm", "Each instruction as a line of text");
  CLI::App* trace = app.add_subcommand("trace", "Run it, and tell where its cycles went (an estimate)");
  for (CLI::App* verb : {run, roofline}) {
    verb->add_option("MODEL", line.file, "A .tflite file")->required();
  }
  for (CLI::App* verb : {disasm, trace}) {
    verb->add_option("FILE", line.file, "A .tflite file, or one of a stream and the memory that it works on")
        ->required();
  }
  for (CLI::App* verb : {run, roofline, disasm, trace}) AddDelegateOptions(verb, line);
  run->add_flag("--json", line.json, "JSON instead of a table");
  run->add_flag("--gains", line.gains,
                "Run it three times more: with one part of SRAM, with two, and with each node apart");
  trace->add_option("-o,--output", line.output, "Trace to write, for chrome://tracing or ui.perfetto.dev");
  return host::ParseAndRun(app, argc, argv, [&] {
    if (disasm->parsed()) return Disasm(line);
    return trace->parsed() ? Trace(line) : Run(line, roofline->parsed());
  });
}

}  // namespace
}  // namespace lutra::vta::sim

int main(int argc, char** argv) {
  return lutra::host::RunMain(lutra::vta::sim::kProgram, lutra::vta::sim::Main, argc, argv);
}

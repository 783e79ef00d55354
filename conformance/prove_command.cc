// SPDX-License-Identifier: Apache-2.0
// The verb `prove` compares every variant of a kernel with the definition, over all inputs that its
// arithmetic can have.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <random>
#include <sstream>

#include "conformance/commands.h"
#include "conformance/prove/proof_file.h"
#include "conformance/prove/sources.h"
#include "host/environment.h"
#include "host/failures.h"
#include "host/install_paths.h"
#include "host/interrupt.h"
#include "host/jobs.h"
#include "host/model_file.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "host/shard.h"

namespace lutra::conformance {
namespace {

constexpr int kNotOnThisMachine = 77;

struct ProveArguments {
  std::string table = "all", variant = "all";
  std::string program, shard, sources, against, output;
  int jobs = 0, sample = 1;
  std::optional<uint32_t> seed;
  bool fresh = false;
};

// Returns the program's path: where the build puts it, or beside the installed program.
std::string OurProgram() {
  const auto found = host::FindAdapter("prove_kernels");
  if (!found) throw host::BadInput("prove: found no prove_kernels beside the program, required: --program");
  return "'" + found->string() + "'";
}

// Shortens each absolute path to its last name: a certificate should not tell where files lie.
std::string WithoutFolders(const std::string& command) {
  std::istringstream words(command);
  std::string text, word;
  while (words >> word) {
    std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
    if (word.starts_with("/")) word = word.substr(word.rfind('/') + 1);
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

void RequireName(const std::string& option, const std::string& name) {
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos) return;
  throw host::BadUsage(
      fmt::format("{}: found \"{}\", required: a name, as generic_benchmark --kernels=list prints", option,
                  host::Printable(name, 40)));
}

std::string SuffixOf(const ProofFile& file) {
  if (file.sample > 1) return fmt::format(", one block of {}, seed {}", file.sample, file.seed);
  return host::ShardSuffix(file.shard);
}

void Print(const ProofFile& file) {
  fmt::print("{:<25}{:<12}{:>14}{:>10}{:>9}{:>8}\n", "table", "variant", "cases", "reference", "values",
             "wrong");
  int64_t cases = 0, wrong = 0;
  for (const Proof& proof : file.run.proofs) {
    fmt::print("{:<25}{:<12}{:>14}{:>10}{:>9}{:>8}\n", host::Printable(proof.table, 24),
               host::Printable(proof.variant, 11), proof.cases, proof.reference, proof.DistinctValues(),
               proof.wrong);
    cases += proof.cases;
    wrong += proof.wrong;
  }
  for (const std::string& text : file.run.counterexamples) fmt::print("wrong: {}\n", host::Printable(text));
  if (!file.run.skipped.empty()) {
    std::string names;
    for (const auto& [table, variant] : file.run.skipped) {
      names += fmt::format("{}{} {}", names.empty() ? "" : ", ", table, variant);
    }
    fmt::print("not proved, as this processor cannot run them: {}\n", host::Printable(names, 2000));
  }
  fmt::print("{} proofs: {} cases, {} wrong ({}, {} rounding, {}){}\n", file.run.proofs.size(), cases, wrong,
             host::Printable(file.run.platform), host::Printable(file.run.rounding),
             host::Printable(file.run.compiler), SuffixOf(file));
}

// Reads the file of --against. Without a proof in it, none could be stale.
ProofFile ReadEarlier(const ProveArguments& line) {
  ProofFile earlier = ParseProofJson(host::ReadInputText(line.against), line.against);
  if (earlier.run.proofs.empty()) {
    throw host::BadInput(line.against, "no proof",
                         "one or more; name a file that `prove -o` wrote where kernels ran");
  }
  return earlier;
}

// Prints proofs of the earlier file whose sources have changed. Returns how many.
int PrintStale(const ProveArguments& line, const ProofFile& earlier) {
  int stale = 0;
  for (const Proof& proof : earlier.run.proofs) {
    const auto known = earlier.sources.find(proof);
    const bool same = known != earlier.sources.end() &&
                      known->second == HashOfSources(proof.table, proof.variant, line.sources);
    if (same && proof.IsWhole() && proof.wrong == 0) continue;
    ++stale;
    fmt::print("stale: {} {}: {}\n", host::Printable(proof.table, 40), host::Printable(proof.variant, 40),
               !same ? "its sources have changed since" : "not all of it was proved");
  }
  const size_t skipped = earlier.run.skipped.size();
  fmt::print("{}: {} of {} proofs are stale{}{}\n", line.against, stale, earlier.run.proofs.size(),
             stale > 0 ? "; ./dev prove renews them" : "",
             skipped > 0 ? fmt::format("; variants that its machine could not run: {}", skipped) : "");
  return stale;
}

void Run(const ProveArguments& line, int* exit_code) {
  RequireName("TABLE", line.table);
  RequireName("VARIANT", line.variant);
  if (!line.against.empty() && line.sources.empty())
    throw host::BadUsage("--against: found no --sources, required: a source tree");
  if (line.fresh && line.against.empty())
    throw host::BadUsage("--fresh: found no --against, required: a file of an earlier run");
  const host::OutputFile output(line.output, line.against);
  std::optional<ProofFile> earlier;
  if (!line.against.empty()) earlier = ReadEarlier(line);
  const host::Shard shard = host::ChosenShard(line.shard);
  if (line.sample > 1 && shard.count > 1)
    throw host::BadUsage("--sample: found a shard as well, required: one of them");
  ProofFile file = {
      .command = line.program.empty() ? OurProgram() : line.program, .shard = shard, .sample = line.sample};
  if (line.sample > 1) file.seed = line.seed ? *line.seed : std::random_device()();
  const host::InterruptScope scope;
  file.run = RunProofProgram({.command = file.command,
                              .table = line.table,
                              .variant = line.variant,
                              .shard = shard,
                              .jobs = host::JobCount(line.jobs),
                              .sample = line.sample,
                              .seed = file.seed});
  if (host::InterruptSignal() != 0) return;
  file.command = line.program.empty() ? "prove_kernels" : WithoutFolders(line.program);
  if (!line.sources.empty()) {
    for (const Proof& proof : file.run.proofs) {
      file.sources[proof] = HashOfSources(proof.table, proof.variant, line.sources);
    }
  }
  if (file.run.proofs.empty() && file.run.skipped.empty()) {
    throw host::BadInput(
        fmt::format("prove: found no proof of {} {}, required: a table and a variant that has one",
                    line.table, line.variant));
  }
  Print(file);
  bool holds = true;
  for (const Proof& proof : file.run.proofs) holds = holds && proof.wrong == 0;
  *exit_code = !holds ? 1 : file.run.proofs.empty() ? kNotOnThisMachine : 0;
  if (output.wanted()) output.Write(ProofJson(file, host::DescribeEnvironment("conformance")));
  if (earlier && PrintStale(line, *earlier) > 0 && line.fresh) *exit_code = 1;
}

}  // namespace

void MergeProofFiles(const std::vector<std::string>& paths, const host::OutputFile& output,
                     const MergeOptions& options, int* exit_code) {
  const MergedProofs merged = MergeProofs(paths, options);
  output.Write(merged.json);
  Print(merged.whole);
  for (const Proof& proof : merged.whole.run.proofs) {
    if (proof.wrong > 0) *exit_code = 1;
  }
}

void AddProveCommand(CLI::App& app, int* exit_code) {
  const auto line = std::make_shared<ProveArguments>();
  CLI::App* verb =
      app.add_subcommand("prove", "Do kernels compute what the specification says, whatever they are given?");
  verb->add_option("TABLE", line->table, "A table of kernels: lookup, conv_2d_int8; without: all");
  verb->add_option("VARIANT", line->variant, "One of its variants: ref, avx2; without: all");
  verb->add_option("--program", line->program,
                   "What runs the kernels, for the shell: prove_kernels.elf in an emulator, for example");
  verb->add_option("--shard", line->shard, "i/n: the i-th of n parts; `merge` puts them together");
  verb->add_option("--jobs", line->jobs, "Processes at a time; without: one for each processor")
      ->check(CLI::Range(1, 1024));
  verb->add_option("--sample", line->sample,
                   "One block of so many, drawn with --seed; the last line says which")
      ->check(CLI::Range(2, 1 << 30));
  verb->add_option("--seed", line->seed, "Of --sample; without: another one each time");
  verb->add_option("--sources", line->sources, "Lutra's source tree, whose hashes are noted")
      ->check(CLI::ExistingDirectory);
  verb->add_option("--against", line->against,
                   "Say which proofs of an earlier -o are of other code than the sources'");
  verb->add_flag("--fresh", line->fresh, "Fail if one is");
  verb->add_option("-o,--output,--results", line->output,
                   "Write what was proved as JSON; also by the name of run and fuzz");
  verb->footer(
      "Example:\n"
      "  conformance prove lookup\n"
      "What a proof covers, and why that is enough: platforms/proofs/README.md.");
  verb->callback([line, exit_code] { Run(*line, exit_code); });
}

}  // namespace lutra::conformance

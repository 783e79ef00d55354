// SPDX-License-Identifier: Apache-2.0
// conformance spec: writes the specification as a document.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "conformance/commands.h"
#include "conformance/specification.h"
#include "host/failures.h"
#include "host/install_paths.h"
#include "host/output_file.h"

namespace lutra::conformance {
namespace {

struct SpecArguments {
  std::string output;
  std::string golden = host::GoldenFolder();
  bool json = false;
};

void Run(const SpecArguments& line) {
  const host::OutputFile output(line.output);
  const std::filesystem::path file = std::filesystem::path(line.golden) / "manifest.jsonl";
  const Manifest manifest(file);
  if (manifest.empty()) {
    throw host::BadInput(
        fmt::format("{}: golden: found no cases, required: what `conformance freeze` writes; name the folder "
                    "with --golden",
                    file.string()));
  }
  const std::vector<OperatorSpecification> operators = CollectSpecification(manifest);
  const std::string text = line.json ? SpecificationJson(operators) : SpecificationText(operators);
  output.WriteOrPrint(text);
}

}  // namespace

void AddSpecCommand(CLI::App& app) {
  const auto line = std::make_shared<SpecArguments>();
  CLI::App* verb = app.add_subcommand(
      "spec", "The int8 specification, and beside it what profiles, linter, corpus and runtime make of it");
  verb->add_option("--golden", line->golden, "Folder with the frozen corpus, whose cases are counted")
      ->capture_default_str();
  verb->add_option("-o,--output", line->output, "Write it there instead of printing it");
  verb->add_flag("--json", line->json, "As JSON; otherwise Markdown");
  verb->callback([line] { Run(*line); });
}

}  // namespace lutra::conformance

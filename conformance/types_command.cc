// SPDX-License-Identifier: Apache-2.0
// conformance types: writes the page of types.

#include <CLI/CLI.hpp>
#include <memory>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/operator_types.h"
#include "host/interrupt.h"
#include "host/output_file.h"

namespace lutra::conformance {
namespace {

struct TypesArguments {
  AdapterOptions adapter;
  std::string name, output;
  bool json = false;
};

void Run(const TypesArguments& line) {
  const host::OutputFile output(line.output);
  const std::chrono::milliseconds timeout(line.adapter.timeout_ms);
  const int jobs = JobsOf(line.adapter);
  const RuntimeTypes ours = RunTypes(OwnAdapter(""), timeout, jobs);
  const RuntimeTypes theirs = RunTypes(AdapterCommand(line.adapter), timeout, jobs);
  // An interrupted run must not count models that it has not run as lacking.
  if (host::InterruptSignal() != 0) return;
  const std::string name = line.name.empty() ? theirs.greeting : line.name;
  const std::string text = line.json ? TypesJson(ours, theirs) : TypesPage(ours, theirs, name);
  output.WriteOrPrint(text);
}

}  // namespace

void AddTypesCommand(CLI::App& app) {
  const auto line = std::make_shared<TypesArguments>();
  CLI::App* verb = app.add_subcommand("types", "Which types of each operator a runtime runs, beside Lutra's");
  DeclareAdapterOptions(*verb, &line->adapter);
  verb->add_option("--name", line->name, "What the page calls the runtime; default: what it greets with");
  verb->add_option("-o,--output", line->output, "Write it there instead of printing it");
  verb->add_flag("--json", line->json, "As JSON; otherwise Markdown");
  verb->footer("Example:\n  conformance types --runner ./my_adapter --name mine -o TYPES.md");
  verb->callback([line] { Run(*line); });
}

}  // namespace lutra::conformance

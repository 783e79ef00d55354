// SPDX-License-Identifier: Apache-2.0
// conformance identify.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "conformance/case_options.h"
#include "conformance/commands.h"
#include "conformance/runner/identify.h"
#include "host/failures.h"

namespace lutra::conformance {

void AddIdentifyCommand(CLI::App& app, int* exit_code) {
  struct Arguments {
    CaseOptions cases;
    AdapterOptions adapter;
    bool json = false;
  };
  const auto line = std::make_shared<Arguments>();
  CLI::App* verb = app.add_subcommand("identify", "Which exact rules does a runtime follow?");
  DeclareCaseOptions(*verb, &line->cases);
  DeclareAdapterOptions(*verb, &line->adapter);
  verb->add_flag("--json", line->json, "Print JSON")->group("Output");
  verb->footer(
      R"(For each operator the rule that reproduces all outputs of the runtime, or which rule where; "or": no case
tells them apart; "=": no input does; unknown: the nearest, and cases that speak against it. Models
outside the specification are set apart. Composite cases (several operators) and models that must be
refused are not weighed: `run` judges them, `model` names the rule of each layer. Rules:
conformance/RULES.md.
Exit codes: 0 every operator that ran is explained, 1 not every one, or none ran, 2 bad usage, 3 bad input.

Example:
  conformance identify --runner './tflite_c_adapter libtensorflowlite_c.so')");
  verb->callback([line, exit_code] {
    const SelectedCases selected = SelectCases(line->cases);
    TellNotFrozen(selected);
    const Fingerprint fingerprint =
        Identify(selected.cases, AdapterCommand(line->adapter),
                 std::chrono::milliseconds(line->adapter.timeout_ms), JobsOf(line->adapter));
    fmt::print("{}", line->json ? FingerprintJson(fingerprint) : FingerprintTable(fingerprint));
    // If any case can be weighed, some operator must have run.
    const bool has_run = fingerprint.NeverRan().size() < fingerprint.operators.size();
    const bool is_all_refused = fingerprint.operators.empty() && fingerprint.composites == 0;
    if (fingerprint.CountUnknown() > 0 || !(has_run || is_all_refused)) *exit_code = host::kExitWrong;
  });
}

}  // namespace lutra::conformance

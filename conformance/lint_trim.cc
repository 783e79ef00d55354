// SPDX-License-Identifier: Apache-2.0
// Trims the model, and reports what would be removed.

#include "conformance/lint_trim.h"

#include <fmt/format.h>

#include <algorithm>

#include "compressor/trim.h"

namespace lutra::conformance {
namespace {

std::vector<linter::Finding> FindChannelsToTrim(const std::string& path) {
  compressor::TrimResult trimmed;
  try {
    trimmed = compressor::Trim(host::ReadModelFile(path));
  } catch (const host::BadInput&) {
    return {};  // The rules report what is wrong, and trim cannot make smaller what it refuses.
  }
  if (trimmed.removed() == 0) return {};
  const auto first = std::find_if(trimmed.layers.begin(), trimmed.layers.end(),
                                  [](const auto& layer) { return layer.removed > 0; });
  return {
      {.rule = "S-ANY-idle-channels",
       .severity = linter::Severity::kNote,
       .subgraph = 0,
       .node = first->node,
       .op = first->type,
       .tensor = -1,
       .tensor_name = "",
       .found = fmt::format("{} of {} channels that decide nothing", trimmed.removed(), trimmed.channels()),
       .required = "none",
       .explanation =
           fmt::format("compress trim makes {} bytes of {}, {} multiply-accumulates of {}, with "
                       "the same outputs",
                       trimmed.file.size(), trimmed.bytes_before, trimmed.macs_after, trimmed.macs_before)}};
}

}  // namespace

LintExtension TrimLint() { return {.declare = {}, .findings = FindChannelsToTrim}; }

}  // namespace lutra::conformance

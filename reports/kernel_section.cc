// SPDX-License-Identifier: Apache-2.0
// Shows kernels: the variants of each table beside its reference.

#include <fmt/format.h>

#include <algorithm>

#include "reports/views.h"

namespace lutra::reports {
namespace {

constexpr char kReference[] = "ref";

// Shows the instructions of the reference, and a line for each other variant.
Cell KernelCell(const std::vector<host::KernelResult>& kernels, const std::string& table) {
  const auto reference = std::find_if(kernels.begin(), kernels.end(), [&](const host::KernelResult& k) {
    return k.table == table && k.variant == kReference;
  });
  if (reference == kernels.end()) return TextCell("-", Tone::kQuiet);
  Cell cell = ShortCell(reference->counts.instructions, "instructions");
  for (const host::KernelResult& kernel : kernels) {
    if (kernel.table != table || kernel.variant == kReference || reference->counts.instructions == 0)
      continue;
    cell.text += fmt::format("\n{} {:.3f}", kernel.variant,
                             static_cast<double>(*kernel.counts.instructions) /
                                 static_cast<double>(*reference->counts.instructions));
  }
  return cell;
}

}  // namespace

Section KernelSection(const std::vector<ResultFile>& files) {
  Section section = {.id = "kernels",
                     .title = "Kernels",
                     .text =
                         "Instructions of each reference kernel for the same set of test problems on every "
                         "platform; and what "
                         "an optimised variant takes of them. Less is better."};
  Table table = {
      .title = "Kernels, down; platforms, across", .columns = {"Kernel"}, .rows = {}, .folded = true};
  std::vector<const ResultFile*> counted;
  std::vector<std::string> names;
  for (const ResultFile& file : files) {
    if (file.kernels().empty()) continue;
    counted.push_back(&file);
    table.columns.push_back(file.platform);
    for (const host::KernelResult& kernel : file.kernels()) {
      if (std::find(names.begin(), names.end(), kernel.table) == names.end()) names.push_back(kernel.table);
    }
  }
  for (const std::string& name : names) {
    std::vector<Cell> row = {TextCell(name)};
    for (const ResultFile* file : counted) row.push_back(KernelCell(file->kernels(), name));
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  return section;
}

}  // namespace lutra::reports

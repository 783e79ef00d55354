// SPDX-License-Identifier: Apache-2.0
// Puts the report together from the sections of result files.

#include "reports/report.h"

#include <fmt/format.h>

#include "reports/views.h"

namespace lutra::reports {

Report BuildReport(const std::vector<ResultFile>& files) {
  Report report = {.title = "Lutra: results"};
  for (Section (*build)(const std::vector<ResultFile>&) :
       {PlatformSection, ConformanceSection, SpeedSection, OperatorSection, KernelSection, SizeSection,
        CompressionSection, TrafficSection, AcceleratorSection, OutputSection, EnvironmentSection}) {
    Section section = build(files);
    if (!section.tables.empty()) report.sections.push_back(std::move(section));
  }
  int failing = 0;
  if (!Platforms(files).empty()) {
    for (const auto& row : report.sections.front().tables.front().rows) {
      failing += row[1].tone == Tone::kBad ? 1 : 0;
    }
  }
  report.summary =
      fmt::format("{}, {} failing; {}", Counted(static_cast<int64_t>(Platforms(files).size()), "platform"),
                  failing, Counted(static_cast<int64_t>(files.size()), "result file"));
  return report;
}

}  // namespace lutra::reports

// SPDX-License-Identifier: Apache-2.0
// The memory plan of the only model, as SVG.

#include <fmt/format.h>

#include "bench/writers.h"
#include "host/markup.h"
#include "host/plan_picture.h"

namespace lutra::bench {

std::string WritePlan(const host::ResultFile& file) {
  const host::ModelResult& result = file.models->front();
  if (result.arena) return host::PlanSvg(*result.arena, host::PictureFor::kFile);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"40\"><text x=\"8\" "
      "y=\"24\">{}</text></svg>\n",
      host::Markup(result.error));
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// Draws a memory plan in SVG.
//
//   output.Write(PlanSvg(*result.arena, PictureFor::kFile));

#pragma once

#include <string>

#include "host/result.h"

namespace lutra::host {

enum class PictureFor {
  kPage,  // Part of a page, in its colours.
  kFile,  // A file of its own.
};

// Returns a rectangle for each buffer: the steps of an inference go from left to right, the bytes of the
// arena from bottom to top. A band marks the steps of a row group, of whose tensors only the kept rows are
// drawn. Pointing at a rectangle shows its figures. Empty if the result has no plan.
std::string PlanSvg(const ArenaResult& arena, PictureFor use);

}  // namespace lutra::host

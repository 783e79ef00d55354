// SPDX-License-Identifier: Apache-2.0
// A memory plan as a drawing in SVG.
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

// A rectangle for each buffer: from left to right the steps of an inference, from below the bytes of the
// arena. A band marks the steps of a row group, whose tensors are the kept rows alone. Pointing at a
// rectangle shows its figures. Empty if the result does not tell its plan.
std::string PlanSvg(const ArenaResult& arena, PictureFor use);

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of resize. Needs no C++ library.

#pragma once

#include "lutra/kernels/resize/resize.h"
#include "runtime/kernels/problem.h"

namespace lutra {

// The sizes of an image's side in the input and in the output.
struct ResizedSide {
  int32_t in;
  int32_t out;
};

struct ResizeCase {
  const char* name;
  int32_t batches;
  ResizedSide rows;
  ResizedSide columns;
  int32_t channels;  // Bytes of a pixel.
  bool align_corners = false;
  bool half_pixel_centers = false;
};

// Returns false if the rule refuses the sides.
bool MakeResizeBilinearProblem(const ResizeCase& c, auto& memory, Problem<ResizeBilinearArgs>* problem) {
  ResizeBilinearArgs args = {.batches = c.batches, .channels = c.channels};
  if (!MakeBilinearAxis(c.rows.in, c.rows.out, c.align_corners, c.half_pixel_centers, &args.rows) ||
      !MakeBilinearAxis(c.columns.in, c.columns.out, c.align_corners, c.half_pixel_centers, &args.columns)) {
    return false;
  }
  args.input = Filled<int8_t>(memory, 5, c.batches * c.rows.in * c.columns.in * c.channels);
  args.output = Output<int8_t>(memory, c.batches * c.rows.out * c.columns.out * c.channels);
  *problem = {.args = args};
  return true;
}

Problem<ResizeBilinearFloatArgs> ResizeBilinearFloatProblemOf(const ResizeCase& c, auto& memory) {
  return {.args = {Filled<float>(memory, 5, c.batches * c.rows.in * c.columns.in * c.channels),
                   Output<float>(memory, c.batches * c.rows.out * c.columns.out * c.channels), c.batches,
                   MakeBilinearFloatAxis(c.rows.in, c.rows.out, c.align_corners, c.half_pixel_centers),
                   MakeBilinearFloatAxis(c.columns.in, c.columns.out, c.align_corners, c.half_pixel_centers),
                   c.channels}};
}

Problem<ResizeNearestArgs> ResizeNearestProblemOf(const ResizeCase& c, auto& memory) {
  return {.args = {Filled<uint8_t>(memory, 6, c.batches * c.rows.in * c.columns.in * c.channels),
                   Output<uint8_t>(memory, c.batches * c.rows.out * c.columns.out * c.channels),
                   c.batches,
                   {c.rows.in, c.rows.out, c.align_corners, c.half_pixel_centers},
                   {c.columns.in, c.columns.out, c.align_corners, c.half_pixel_centers},
                   c.channels}};
}

// The sides of an image of so many channels.
inline ResizeCase ResizeCaseOf(int32_t channels) {
  constexpr ResizedSide kSides[] = {{1, 3}, {4, 9}, {7, 3}, {5, 5}};
  return {"",
          2,
          kSides[channels % 4],
          kSides[(channels + 1) % 4],
          channels,
          channels % 3 == 1,
          channels % 3 == 2};
}

inline constexpr auto kResizeBilinearProblems = [](auto& memory, auto& problems) {
  for (int32_t channels = 1; channels <= kMaxCount; ++channels) {
    Problem<ResizeBilinearArgs> problem = {};
    if (MakeResizeBilinearProblem(ResizeCaseOf(channels), memory, &problem)) problems.Add(problem);
  }
};

inline constexpr auto kResizeBilinearFloatProblems = [](auto& memory, auto& problems) {
  for (int32_t channels = 1; channels <= kMaxCount; ++channels) {
    problems.Add(ResizeBilinearFloatProblemOf(ResizeCaseOf(channels), memory));
  }
};

inline constexpr auto kResizeNearestProblems = [](auto& memory, auto& problems) {
  for (int32_t bytes = 1; bytes <= kMaxCount; ++bytes) {
    problems.Add(ResizeNearestProblemOf(ResizeCaseOf(bytes), memory));
  }
};

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// The memory planner: gives each activation and scratch buffer a place in the arena's head.
//
//   PlanBuffer buffers[] = {{.bytes = 640, .first = 0, .last = 1}, {.bytes = 640, .first = 1, .last = 2}};
//   PlanOverlap overlaps[] = {{.input = 0, .output = 1, .forward = 0, .reverse = 0}};
//   PlanResult result = PlanMemory(buffers, overlaps, {}, workspace);   // peak_bytes: 640
//
// Every conflict is a forbidden interval of start addresses, so letting an output overlap an input
// that dies at its node costs the planner nothing: see SafeDistance.

#pragma once

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "lutra/kernels/rows.h"
#include "lutra/options.h"
#include "lutra/span.h"

namespace lutra {

// Says how far an output must stay from the input whose rows it reads (addresses: I of the input, O of the
// output; `in` and `out` are their sizes). Computing the rows upwards is exact iff I - O >= forward,
// downwards iff (O + out) - (I + in) >= reverse. With a distance of `out`, both are disjoint.
struct Overlap {
  int32_t forward = INT32_MAX;  // INT32_MAX: they must be disjoint.
  int32_t reverse = INT32_MAX;
};

Overlap SafeDistance(const RowMap& map);

inline constexpr int32_t kNoOffset = -1;

struct PlanBuffer {
  int32_t bytes = 0;
  int32_t offset = kNoOffset;  // In: a fixed offset or kNoOffset. Out: the offset.
  uint16_t first = 0;          // Steps at which it is alive, both inclusive.
  uint16_t last = 0;
};

// An output and an input that dies where the output is computed, as indices of buffers. A list of these is
// sorted by output.
struct PlanOverlap {
  uint16_t input = 0;
  uint16_t output = 0;
  // The planner does not read this: bytes of an element if output element i needs input element i alone, else
  // 0.
  uint8_t element_bytes = 0;
  int32_t forward = INT32_MAX;
  int32_t reverse = INT32_MAX;
};

struct PlanResult {
  bool ok = false;                  // False: the workspace is too small, or fixed places collide.
  int32_t peak_bytes = 0;           // A multiple of 16.
  int32_t bound_bytes = 0;          // No plan can be smaller.
  int32_t collision[2] = {-1, -1};  // Buffers with fixed places that collide.
};

// Bytes of workspace (aligned to 4) that PlanMemory needs for this many buffers.
size_t PlanWorkspaceBytes(size_t buffer_count);

PlanResult PlanMemory(Span<PlanBuffer> buffers, Span<const PlanOverlap> overlaps, const PlanOptions& options,
                      Span<uint8_t> workspace);

// Returns a bound for any plan at this step: the bytes alive there, less the bytes that overlaps can save.
int64_t StepBound(Span<const PlanBuffer> buffers, Span<const PlanOverlap> overlaps, uint16_t step);

// The direction in which a placed pair is exact.
struct RowOrder {
  bool ok = false;        // False: the pair is too close for either direction.
  bool disjoint = false;  // Any order will do.
  bool upwards = false;
  bool downwards = false;
};
RowOrder OrderOf(const PlanBuffer& input, const PlanBuffer& output, int32_t forward, int32_t reverse);

}  // namespace lutra

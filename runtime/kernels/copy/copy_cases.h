// SPDX-License-Identifier: Apache-2.0
// Problems for the tests and benchmarks of the copy kernel. Needs no C++ library.

#pragma once

#include <string.h>

#include "lutra/kernels/copy/copy.h"
#include "runtime/kernels/problem.h"

namespace lutra {

// A tensor of shape `dims` is read in the order of `axes`, from `begin` on, with steps of `step` elements;
// step 0 repeats one element. The output is dense.
struct CopyCase {
  const char* name;
  int32_t rank;
  int32_t dims[4];
  int32_t axes[4];   // Output dimension i walks along input dimension axes[i].
  int32_t begin[4];  // This and the next lists are by output dimension.
  int32_t step[4];
  int32_t count[4];
  int32_t before[4];
  int32_t after[4];
};

inline constexpr CopyCase kCopyCases[] = {
    {"one_element", 1, {1}, {0}, {0}, {1}, {1}, {0}, {0}},
    {"as_it_is", 3, {3, 4, 5}, {0, 1, 2}, {}, {1, 1, 1}, {3, 4, 5}, {}, {}},
    {"transposed", 2, {7, 19}, {1, 0}, {}, {1, 1}, {19, 7}, {}, {}},
    {"channels_first", 4, {2, 3, 5, 4}, {0, 3, 1, 2}, {}, {1, 1, 1, 1}, {2, 4, 3, 5}, {}, {}},
    {"slice", 3, {6, 5, 8}, {0, 1, 2}, {1, 2, 3}, {1, 1, 1}, {4, 3, 5}, {}, {}},
    {"steps", 3, {6, 5, 8}, {0, 1, 2}, {1, 0, 1}, {2, 3, 2}, {3, 2, 4}, {}, {}},
    {"reversed", 3, {4, 3, 5}, {0, 1, 2}, {3, 0, 4}, {-1, 1, -1}, {4, 3, 5}, {}, {}},
    {"broadcast", 3, {1, 4, 1}, {0, 1, 2}, {}, {0, 1, 0}, {3, 4, 6}, {}, {}},
    {"padded", 4, {2, 3, 4, 5}, {0, 1, 2, 3}, {}, {1, 1, 1, 1}, {2, 3, 4, 5}, {0, 2, 1, 0}, {1, 0, 3, 0}},
    {"padded_channels", 2, {6, 3}, {0, 1}, {}, {1, 1}, {6, 3}, {2, 1}, {0, 4}},
    {"one_padded_element", 2, {1, 5}, {0, 1}, {}, {1, 1}, {1, 5}, {2, 0}, {1, 0}},
    {"fill_only", 2, {3, 4}, {0, 1}, {}, {1, 1}, {0, 4}, {2, 1}, {1, 0}},
};

struct CopyBenchmark {
  const char* name;
  CopyCase copy;
  int32_t element_bytes;
};

inline constexpr CopyBenchmark kCopyBenchmarks[] = {
    {"transpose_96x96", {"", 2, {96, 96}, {1, 0}, {}, {1, 1}, {96, 96}, {}, {}}, 1},
    {"transpose_96x96_4_bytes", {"", 2, {96, 96}, {1, 0}, {}, {1, 1}, {96, 96}, {}, {}}, 4},
    {"transpose_49x10", {"", 2, {49, 10}, {1, 0}, {}, {1, 1}, {10, 49}, {}, {}}, 1},
    {"transpose_64x125", {"", 2, {64, 125}, {1, 0}, {}, {1, 1}, {125, 64}, {}, {}}, 1},
    {"channels_first_48x48x16", {"", 3, {48, 48, 16}, {2, 0, 1}, {}, {1, 1, 1}, {16, 48, 48}, {}, {}}, 1},
    {"channels_first_96x96x3", {"", 3, {96, 96, 3}, {2, 0, 1}, {}, {1, 1, 1}, {3, 96, 96}, {}, {}}, 1},
    {"channels_last_3x96x96", {"", 3, {3, 96, 96}, {1, 2, 0}, {}, {1, 1, 1}, {96, 96, 3}, {}, {}}, 1},
    {"heads_32x4x16", {"", 3, {32, 4, 16}, {1, 0, 2}, {}, {1, 1, 1}, {4, 32, 16}, {}, {}}, 1},
    {"pad_1_48x48x16",
     {"", 3, {48, 48, 16}, {0, 1, 2}, {}, {1, 1, 1}, {48, 48, 16}, {1, 1, 0}, {1, 1, 0}},
     1},
    {"pad_1_6x6x128", {"", 3, {6, 6, 128}, {0, 1, 2}, {}, {1, 1, 1}, {6, 6, 128}, {1, 1, 0}, {1, 1, 0}}, 1},
    {"pad_channels_8x8x32", {"", 2, {64, 32}, {0, 1}, {}, {1, 1}, {64, 32}, {0, 16}, {0, 16}}, 1},
    {"slice_24x24x16", {"", 3, {48, 48, 16}, {0, 1, 2}, {12, 12, 0}, {1, 1, 1}, {24, 24, 16}, {}, {}}, 1},
    {"slice_8_of_16_channels", {"", 2, {2304, 16}, {0, 1}, {0, 4}, {1, 1}, {2304, 8}, {}, {}}, 1},
    {"slice_30_of_64_channels", {"", 2, {256, 64}, {0, 1}, {0, 4}, {1, 1}, {256, 30}, {}, {}}, 1},
    {"every_other_pixel_48x48x16", {"", 3, {48, 48, 16}, {0, 1, 2}, {}, {2, 2, 1}, {24, 24, 16}, {}, {}}, 1},
    {"repeat_1_of_12x12x64", {"", 2, {144, 1}, {0, 1}, {}, {1, 0}, {144, 64}, {}, {}}, 1},
    {"repeat_64_of_12x12x64", {"", 2, {1, 64}, {0, 1}, {}, {0, 1}, {144, 64}, {}, {}}, 1},
    {"channels_first_17x3", {"", 2, {17, 3}, {1, 0}, {}, {1, 1}, {3, 17}, {}, {}}, 1},
    {"reverse_3x17", {"", 2, {3, 17}, {0, 1}, {0, 16}, {1, -1}, {3, 17}, {}, {}}, 1},
    {"reverse_32x64", {"", 2, {32, 64}, {0, 1}, {0, 63}, {1, -1}, {32, 64}, {}, {}}, 1},
};

static inline int32_t InputElements(const CopyCase& c) {
  int32_t elements = 1;
  for (int32_t i = 0; i < c.rank; ++i) elements *= c.dims[i];
  return elements;
}
static inline int32_t OutputElements(const CopyCase& c, int32_t first) {
  int32_t elements = 1;
  for (int32_t i = first; i < c.rank; ++i) elements *= c.before[i] + c.count[i] + c.after[i];
  return elements;
}

// Fills `dims` and returns the offset of the first element of the box in the input, in bytes.
static inline int32_t CopyDimsOf(const CopyCase& c, int32_t element_bytes, CopyDim* dims) {
  int32_t offset = 0;
  for (int32_t i = 0; i < c.rank; ++i) {
    int32_t stride = element_bytes;
    for (int32_t k = c.axes[i] + 1; k < c.rank; ++k) stride *= c.dims[k];
    dims[i] = {c.count[i], c.step[i] * stride, OutputElements(c, i + 1) * element_bytes, c.before[i],
               c.after[i]};
    offset += c.begin[i] * stride;
  }
  return offset;
}

// Leaves the outermost `fixed` dimensions as they are.
Problem<CopyArgs> CopyProblemOf(const CopyCase& c, int32_t element_bytes, int32_t fixed, auto& memory) {
  auto* const dims = Data<CopyDim>(memory, kMaxCopyRank);
  const int32_t offset = CopyDimsOf(c, element_bytes, dims);
  CopyArgs args = {.input = memory.TakeFilled(1, InputElements(c), element_bytes) + offset,
                   .output = memory.TakeOutput(OutputElements(c, 0), element_bytes),
                   .dims = dims,
                   .rank = MergeCopyDims(dims, c.rank, fixed, element_bytes),
                   .element_bytes = element_bytes};
  memcpy(args.fill, memory.TakeFilled(2, 1, element_bytes), static_cast<size_t>(element_bytes));
  return {.args = args, .count = dims[0].before + dims[0].count + dims[0].after};
}

inline constexpr auto kCopyProblems = [](auto& memory, auto& problems) {
  // Sizes are near those of vectors that are transposed at once.
  constexpr int32_t kSides[] = {2, 3, 8, 15, 16, 17, 33};
  const auto add = [&](const CopyCase& c, int32_t element_bytes, int32_t fixed) {
    Problem<CopyArgs> problem = CopyProblemOf(c, element_bytes, fixed, memory);
    problem.first = FirstRow(problems.count(), problem.count);
    problem.count -= problem.first;
    problems.Add(problem);
  };
  for (const int32_t element_bytes : kElementSizes) {
    for (const CopyCase& c : kCopyCases) {
      add(c, element_bytes, 0);
      add(c, element_bytes, 1);
    }
    for (int32_t count = 1; count <= kMaxCount; count += 3) {
      add({"transposed", 2, {5, count}, {1, 0}, {}, {1, 1}, {count, 5}, {}, {}}, element_bytes, 0);
      add({"padded", 2, {3, count}, {0, 1}, {}, {1, 1}, {3, count}, {1, 2}, {0, 1}}, element_bytes, 0);
      add({"repeated", 2, {3, 1}, {0, 1}, {}, {1, 0}, {3, count}, {0, 1}, {1, 0}}, element_bytes, 0);
    }
    for (const int32_t side : kSides) {
      add({"square", 2, {side, side}, {1, 0}, {}, {1, 1}, {side, side}, {}, {}}, element_bytes, 0);
      add({"all_reversed", 3, {side, 2, 5}, {2, 1, 0}, {}, {1, 1, 1}, {5, 2, side}, {}, {}}, element_bytes,
          1);
    }
  }
};

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Kernels that move elements, or mix neighbours.

#include <string.h>

#include "lutra/kernels/gather/gather.h"
#include "lutra/kernels/resize/resize.h"
#include "platforms/variants/variants.h"
#include "runtime/kernels/copy/copy_cases.h"

namespace lutra::platforms {
namespace {

// Around what vectors of elements transpose at once.
constexpr int32_t kCopySides[] = {2, 3, 8, 15, 16, 17, 33};

void CheckCopy(VariantChecker& checker) {
  Problems<CopyArgs> problems(checker);
  // With the outermost `fixed` dimensions left as they are.
  const auto add = [&](const CopyCase& c, int32_t element_bytes, int32_t fixed) {
    auto* const dims = checker.Data<CopyDim>(kMaxCopyRank);
    const int32_t offset = CopyDimsOf(c, element_bytes, dims);
    CopyArgs args = {.input = checker.TakeFilled(1, InputElements(c), element_bytes) + offset,
                     .output = checker.TakeOutput(OutputElements(c, 0), element_bytes),
                     .dims = dims,
                     .rank = MergeCopyDims(dims, c.rank, fixed, element_bytes),
                     .element_bytes = element_bytes};
    memcpy(args.fill, checker.TakeFilled(2, 1, element_bytes), static_cast<size_t>(element_bytes));
    const int32_t rows = dims[0].before + dims[0].count + dims[0].after;
    const int32_t first = rows > 1 ? problems.count() % 2 : 0;
    problems.Add({.args = args, .first = first, .count = rows - first});
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
    for (const int32_t side : kCopySides) {
      add({"square", 2, {side, side}, {1, 0}, {}, {1, 1}, {side, side}, {}, {}}, element_bytes, 0);
      add({"all_reversed", 3, {side, 2, 5}, {2, 1, 0}, {}, {1, 1, 1}, {5, 2, side}, {}, {}}, element_bytes,
          1);
    }
  }
  checker.Check(kCopy, problems);
}

// `count` indices into `size` elements, as int32 or int64.
IndexList Indices(VariantChecker& checker, int32_t count, int32_t size, bool wide) {
  const auto* const random = checker.Filled<uint8_t>(static_cast<uint32_t>(count), count);
  auto* const values = checker.Data<int64_t>(count);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t index = random[i] % size;
    if (wide) {
      values[i] = index;
    } else {
      memcpy(reinterpret_cast<uint8_t*>(values) + i * 4, &index, sizeof(index));
    }
  }
  return {values, wide};
}

void CheckGather(VariantChecker& checker) {
  Problems<GatherArgs> problems(checker);
  const auto add = [&](int32_t axis, int32_t count, int32_t block) {
    constexpr int32_t kBatches = 2;
    constexpr int32_t kOuter = 3;
    problems.Add({.args = {checker.Filled<uint8_t>(3, kBatches * kOuter * axis * block),
                           checker.Output<uint8_t>(kBatches * kOuter * count * block),
                           Indices(checker, kBatches * count, axis, count % 2 == 0), kBatches, kOuter, axis,
                           count, block}});
  };
  for (int32_t i = 1; i <= kMaxCount; ++i) {
    add(5, 4, i);
    add(i, 7, 1);
    add(3, i, 2);
  }
  checker.Check(kGatherBlocks, problems);
}

void CheckGatherNd(VariantChecker& checker) {
  Problems<GatherNdArgs> problems(checker);
  static constexpr int32_t kSizes[] = {3, 3, 3};
  const auto add = [&](int32_t tuples, int32_t depth, int32_t block) {
    const int32_t elements = depth == 1 ? 3 : depth == 2 ? 9 : 27;
    problems.Add(
        {.args = {checker.Filled<uint8_t>(4, elements * block), checker.Output<uint8_t>(tuples * block),
                  Indices(checker, tuples * depth, 3, tuples % 2 == 0), tuples, depth, kSizes, block}});
  };
  for (int32_t i = 1; i <= kMaxCount; ++i) {
    add(i, 1 + i % 3, 1);
    add(4, 2, i);
  }
  checker.Check(kGatherNdBlocks, problems);
}

constexpr struct {
  int32_t in;
  int32_t out;
} kSides[] = {{1, 3}, {4, 9}, {7, 3}, {5, 5}};

void CheckResizeBilinear(VariantChecker& checker) {
  Problems<ResizeBilinearArgs> problems(checker);
  const auto add = [&](int32_t side, int32_t channels, bool align_corners, bool half_pixel_centers) {
    const auto& rows = kSides[side % 4];
    const auto& columns = kSides[(side + 1) % 4];
    ResizeBilinearArgs args = {.batches = 2, .channels = channels};
    if (!MakeBilinearAxis(rows.in, rows.out, align_corners, half_pixel_centers, &args.rows) ||
        !MakeBilinearAxis(columns.in, columns.out, align_corners, half_pixel_centers, &args.columns)) {
      return;
    }
    args.input = checker.Filled<int8_t>(5, args.batches * rows.in * columns.in * channels);
    args.output = checker.Output<int8_t>(args.batches * rows.out * columns.out * channels);
    problems.Add({.args = args});
  };
  for (int32_t channels = 1; channels <= kMaxCount; ++channels) {
    add(channels, channels, channels % 3 == 1, channels % 3 == 2);
  }
  checker.Check(kResizeBilinearInt8, problems);
}

void CheckResizeNearest(VariantChecker& checker) {
  Problems<ResizeNearestArgs> problems(checker);
  for (int32_t bytes = 1; bytes <= kMaxCount; ++bytes) {
    constexpr int32_t kBatches = 2;
    const auto& rows = kSides[bytes % 4];
    const auto& columns = kSides[(bytes + 1) % 4];
    const bool align_corners = bytes % 3 == 1;
    const bool half_pixel_centers = bytes % 3 == 2;
    problems.Add({.args = {checker.Filled<uint8_t>(6, kBatches * rows.in * columns.in * bytes),
                           checker.Output<uint8_t>(kBatches * rows.out * columns.out * bytes),
                           kBatches,
                           {rows.in, rows.out, align_corners, half_pixel_centers},
                           {columns.in, columns.out, align_corners, half_pixel_centers},
                           bytes}});
  }
  checker.Check(kResizeNearestPixels, problems);
}

}  // namespace

void CheckMovers(VariantChecker& checker) {
  CheckCopy(checker);
  CheckGather(checker);
  CheckGatherNd(checker);
  CheckResizeBilinear(checker);
  CheckResizeNearest(checker);
}

}  // namespace lutra::platforms

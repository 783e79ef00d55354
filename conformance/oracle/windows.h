// SPDX-License-Identifier: Apache-2.0
// Images, and the windows through which the elements of an output see them.
//
//   const Windows windows(options, in, filter.height, filter.width);
//   node.Put(0, ElementsOf(out, [&](int b, int y, int x, int c) {
//     int64_t sum = 0;
//     windows.ForEachTap(y, x, [&](int iy, int ix, int, int) { sum += codes[in.At(b, iy, ix, c)]; });
//     return sum;
//   }));

#pragma once

#include "conformance/oracle/node.h"

namespace lutra::conformance::oracle {

struct Image {
  int batches, height, width, channels;
  size_t At(int b, int y, int x, int c) const {
    return static_cast<size_t>(((b * height + y) * width + x) * channels + c);
  }
};

inline Image ImageOf(const Node& node, const edit::TensorT& tensor) {
  if (tensor.shape.size() != 4) node.Refuse("\"" + tensor.name + "\" has not four dimensions");
  return {tensor.shape[0], tensor.shape[1], tensor.shape[2], tensor.shape[3]};
}

// Gives the codes f(b, y, x, c) of an image.
template <typename F>
Codes ElementsOf(const Image& image, F&& f) {
  Codes codes;
  for (int b = 0; b < image.batches; ++b) {
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        for (int c = 0; c < image.channels; ++c) codes.push_back(f(b, y, x, c));
      }
    }
  }
  return codes;
}

class Windows {
 public:
  // `options` are those of a convolution or of a pool.
  template <typename Options>
  Windows(const Options& options, const Image& in, int filter_height, int filter_width)
      : down_{in.height, filter_height, options.stride_h}, across_{in.width, filter_width, options.stride_w} {
    if constexpr (requires { options.dilation_h_factor; }) {
      down_.dilation = options.dilation_h_factor;
      across_.dilation = options.dilation_w_factor;
    }
    for (const Side& side : {down_, across_}) {
      if (side.stride < 1 || side.dilation < 1) throw Unspecified("a step or a dilation below 1");
    }
    constexpr int8_t kSame = 0;
    if (static_cast<int8_t>(options.padding) != kSame) return;
    down_.before = PaddingBefore(down_);
    across_.before = PaddingBefore(across_);
  }
  // Calls visit(iy, ix, fy, fx) for each tap of the output's pixel that lies inside the input.
  template <typename Visit>
  void ForEachTap(int oy, int ox, Visit&& visit) const {
    ForEachTapOf(down_, oy, [&](int iy, int fy) {
      ForEachTapOf(across_, ox, [&](int ix, int fx) { visit(iy, ix, fy, fx); });
    });
  }

 private:
  // Along one side.
  struct Side {
    int64_t in, filter, stride, dilation = 1, before = 0;
  };
  // Skips taps outside the image at once: a filter may be far larger than the image.
  template <typename Visit>
  static void ForEachTapOf(const Side& side, int out, Visit&& visit) {
    const int64_t begin = out * side.stride - side.before;
    const int64_t first = begin < 0 ? (side.dilation - 1 - begin) / side.dilation : 0;
    for (int64_t f = first; f < side.filter && begin + f * side.dilation < side.in; ++f) {
      visit(static_cast<int>(begin + f * side.dilation), static_cast<int>(f));
    }
  }
  // SAME puts an odd element behind the image: total = max(0, (out - 1) * stride + extent - in).
  static int64_t PaddingBefore(const Side& side) {
    const int64_t out = (side.in + side.stride - 1) / side.stride;
    const int64_t total = (out - 1) * side.stride + (side.filter - 1) * side.dilation + 1 - side.in;
    return total > 0 ? total / 2 : 0;
  }

  Side down_, across_;
};

// Gives the windows of a convolution, whose filter is input 1.
template <typename Options>
Windows WindowsOfFilter(const Node& node, const Options& options) {
  const Image filter = ImageOf(node, node.input(1));
  return {options, ImageOf(node, node.input(0)), filter.height, filter.width};
}

}  // namespace lutra::conformance::oracle

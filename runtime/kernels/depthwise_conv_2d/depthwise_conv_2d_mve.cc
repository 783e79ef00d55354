// SPDX-License-Identifier: Apache-2.0
// Filters of 3 x 3 taps: four channels of a few rows of output at a time. Four rows and four columns of an
// input channel become one vector, from which four outputs take four products: 17 instructions with their
// codes. The variant armdsp computes other windows.

#include <arm_mve.h>
#include <string.h>

#include "lutra/kernels/depthwise_conv_2d/depthwise_conv_2d.h"
#include "runtime/kernels/codes_mve.h"
#include "runtime/kernels/depthwise_conv_2d/depthwise_conv_2d_portions.h"
#include "runtime/kernels/scratch_mve.h"

namespace lutra {
namespace {

constexpr int32_t kTaps = 3;
constexpr int32_t kChannels = 4;
constexpr int32_t kColumnBytes = 16;  // Four rows of each channel.
constexpr int32_t kMostListed = 40;

// Tiles at equal distances from each other.
struct Run {
  int32_t count;
  int32_t from_step;
  int32_t output_step;
};

// Runs of tiles, each run at equal distances from the next.
struct Tiles {
  Run outer;
  Run inner;
  int32_t from;    // The first tile's offset in the strips.
  int32_t output;  // The first tile's offset in the output.
};

// A single tile: its offsets in the strips and in the output.
struct Tile {
  int32_t from;
  int32_t output;
};

// Some strips of four channels.
struct GroupJob {
  const int8_t* strip;
  const Tiles* runs;
  int32_t runs_count;
  const Tile* list;
  int32_t list_count;
  const int8_t* weights;  // A column of zeros, the columns of taps, a column of zeros.
  const int32_t* biases;  // May be null.
  uint32_t offset;        // Of the input.
  const Multiplier* multipliers;
  int32_t zero_point;
  int8_t* output;
  int32_t step;  // From pixel to pixel.
  int32_t pitch;
  mve_pred16_t lanes;  // The outputs of a tile that exist.
};

// Returns a predicate. Without this function, GCC 12 would take it for one of all lanes.
[[gnu::always_inline]] inline mve_pred16_t Lanes(uint32_t bits) {
  asm("" : "+r"(bits));
  return static_cast<mve_pred16_t>(bits);
}

// Returns an address that the compiler keeps in a register instead of computing it again.
[[gnu::always_inline]] inline const int8_t* Kept(const int8_t* from) {
  asm("" : "+r"(from));
  return from;
}

// VST4. GCC 12 would add a register to the address, which the instruction does not allow.
[[gnu::always_inline]] inline void StoreFour(int8_t* to, int8x16x4_t values) {
#if !defined(__clang__)
  asm("" : "+r"(to));
#endif
  vst4q_s8(to, values);
}

[[gnu::always_inline]] inline int8x16_t Gather(const int8_t* from, uint32x4_t columns) {
  return vreinterpretq_s8_s32(vldrwq_gather_offset_s32(reinterpret_cast<const int32_t*>(from), columns));
}

[[gnu::always_inline]] inline int32x4_t Put(int32_t a, int32_t b, int32_t c, int32_t d) {
  int32x4_t sums = vuninitializedq_s32();
  sums = vsetq_lane_s32(a, sums, 0);
  sums = vsetq_lane_s32(b, sums, 1);
  sums = vsetq_lane_s32(c, sums, 2);
  return vsetq_lane_s32(d, sums, 3);
}

// Computes the codes of four sums of a channel, in the lowest byte of each lane.
template <CodeSteps kSteps>
struct ChannelCodes {
  int32_t first_sum;
  int32_t multiplier;
  int32_t shift;
  int32_t zero_point;

  [[gnu::always_inline]] int32x4_t Of(int32x4_t sums) const {
    sums = vaddq_n_s32(sums, first_sum);
    if (kSteps == CodeSteps::kAny) {
      sums = MultiplyAny(sums, {vdupq_n_s32(multiplier), vdupq_n_s32(shift)});
    } else {
      sums = vqrdmulhq_n_s32(sums, multiplier);
      if (kSteps == CodeSteps::kSigned) sums = vaddq_s32(sums, vshrq_n_s32(sums, 31));
      sums = vrshlq_n_s32(sums, shift);
    }
    sums = vaddq_n_s32(sums, zero_point);
    const int16x8_t halves = vqmovnbq_s32(vreinterpretq_s16_s32(sums), sums);
    return vreinterpretq_s32_s8(vqmovnbq_s16(vreinterpretq_s8_s16(halves), halves));
  }
};

template <CodeSteps kSteps>
[[gnu::always_inline]] inline ChannelCodes<kSteps> CodesOf(const GroupJob& job, int channel,
                                                           int8x16_t weights) {
  const uint32_t sum = static_cast<uint32_t>(vaddvq_s8(weights)) * job.offset;
  const uint32_t bias = job.biases != nullptr ? static_cast<uint32_t>(job.biases[channel]) : 0;
  const Multiplier multiplier = job.multipliers[channel];
  return {static_cast<int32_t>(bias + sum), multiplier.value, multiplier.shift, job.zero_point};
}

// Returns the offsets of a tile's outputs. With strides of one, a tile is two columns of two rows; with
// strides of two, a row of four.
template <int kStride>
[[gnu::always_inline]] inline uint32x4_t PlacesOf(const GroupJob& job) {
  const uint32x4_t steps = vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(job.step));
  if (kStride == 2) return steps;
  const auto step = static_cast<uint32_t>(job.step);
  const auto pitch = static_cast<uint32_t>(job.pitch);
  const uint32_t places[4] = {0, pitch, step, step + pitch};
  return vldrwq_u32(places);
}

// The sums of a tile's outputs.
template <int kStride>
struct TileWeights {
  uint32x4_t columns;
  int8x16_t left;
  int8x16_t left_below;
  int8x16_t right;
  int8x16_t right_below;

  explicit TileWeights(const int8_t* weights) {
    columns = vmulq_n_u32(vidupq_n_u32(0, 1), kColumnBytes);
    left = Gather(weights + kColumnBytes, columns);
    if (kStride == 2) return;
    right = Gather(weights, columns);
    left_below = vreinterpretq_s8_u32(vshlq_n_u32(vreinterpretq_u32_s8(left), 8));
    right_below = vreinterpretq_s8_u32(vshlq_n_u32(vreinterpretq_u32_s8(right), 8));
  }

  [[gnu::always_inline]] int32x4_t SumsAt(const int8_t* from) const {
    if (kStride == 2) {
      const auto sum = [&](int32_t at) {
        return vmladavq_s8(left, Gather(from + at * 2 * kColumnBytes, columns));
      };
      return Put(sum(0), sum(1), sum(2), sum(3));
    }
    const int8x16_t values = Gather(from, columns);
    return Put(vmladavq_s8(left, values), vmladavq_s8(left_below, values), vmladavq_s8(right, values),
               vmladavq_s8(right_below, values));
  }
};

// The tiles that MakeTiles makes.
enum class TilesOf {
  kList,
  kRuns,
  kPartRuns,  // Tiles lack some of their outputs.
};

template <int kStride, CodeSteps kSteps, TilesOf kTiles>
[[gnu::noinline]] void MakeTiles(const GroupJob& job) {
  const uint32x4_t places = PlacesOf<kStride>(job);
  const mve_pred16_t lanes = job.lanes;
  for (int i = 0; i < kChannels; ++i) {
    const TileWeights<kStride> weights(job.weights + 4 * i);
    const ChannelCodes<kSteps> codes = CodesOf<kSteps>(job, i, weights.left);
    const int8_t* const first = job.strip + 4 * i;
    int8_t* const output = job.output + i;
    const auto make = [&](const int8_t* from, int8_t* to) {
      const int32x4_t bytes = codes.Of(weights.SumsAt(from));
      if (kTiles == TilesOf::kPartRuns) {
        vstrbq_scatter_offset_p_s32(to, places, bytes, lanes);
      } else {
        vstrbq_scatter_offset_s32(to, places, bytes);
      }
    };
    if (kTiles == TilesOf::kList) {
      const Tile* tile = job.list;
      for (int32_t n = job.list_count; n > 0; --n, ++tile) make(first + tile->from, output + tile->output);
      continue;
    }
    const Tiles* tiles = job.runs;
    for (int32_t k = job.runs_count; k > 0; --k, ++tiles) {
      const Run outer = tiles->outer;
      const Run inner = tiles->inner;
      const int8_t* run_from = first + tiles->from;
      int8_t* run_output = output + tiles->output;
      for (int32_t m = outer.count; m > 0;
           --m, run_from += outer.from_step, run_output += outer.output_step) {
        const int8_t* from = run_from;
        int8_t* to = run_output;
        for (int32_t n = inner.count; n > 0; --n, from += inner.from_step, to += inner.output_step)
          make(from, to);
      }
    }
  }
}

template <int kStride, TilesOf kTiles>
[[gnu::always_inline]] inline void MakeTiles(CodeSteps steps, const GroupJob& job) {
  switch (steps) {
    case CodeSteps::kAny:
      return MakeTiles<kStride, CodeSteps::kAny, kTiles>(job);
    case CodeSteps::kSigned:
      return MakeTiles<kStride, CodeSteps::kSigned, kTiles>(job);
    case CodeSteps::kFromZero:
      return MakeTiles<kStride, CodeSteps::kFromZero, kTiles>(job);
  }
}

template <int kStride>
[[gnu::always_inline]] inline void MakeTiles(TilesOf tiles, CodeSteps steps, const GroupJob& job) {
  switch (tiles) {
    case TilesOf::kList:
      return MakeTiles<kStride, TilesOf::kList>(steps, job);
    case TilesOf::kRuns:
      return MakeTiles<kStride, TilesOf::kRuns>(steps, job);
    case TilesOf::kPartRuns:
      return MakeTiles<kStride, CodeSteps::kAny, TilesOf::kPartRuns>(job);
  }
}

// The columns of strips that the image fills. The columns of padding are not written.
struct StripColumns {
  int32_t pixels;
  int32_t channels;
  int8x16_t padding;

  // Fills some strips whose four rows lie in the image, two rows apart.
  [[gnu::always_inline]] void FillInner(const int8_t* from, int32_t pitch, int32_t strips, int8_t* strip,
                                        int32_t strip_bytes) const {
    const uint32x4_t places = Places();
    const auto fill_four = [&](const int8_t* values, int8_t* to, auto load) {
      const int8_t* const second = values + pitch;
      const int8_t* const third = second + pitch;
      const int8x16x4_t rows = {{load(values), load(second), load(third), load(third + pitch)}};
      StoreFour(to, rows);
    };
    if (pixels < 4) {
      const auto load = [&](const int8_t* values) { return LoadFew(values, places); };
      for (; strips > 0; --strips, from += 2 * pitch, strip += strip_bytes) fill_four(from, strip, load);
      return;
    }
    const auto load = [&](const int8_t* values) { return Gather(values, places); };
    // The last four pixels may overlap the four before.
    const int32_t fours = (pixels - 1) / 4;
    const int32_t back = pixels - 4 - 4 * fours;
    for (; strips > 0; --strips, from += 2 * pitch, strip += strip_bytes) {
      const int8_t* values = Kept(from);
      int8_t* to = strip;
      for (int32_t n = fours; n > 0; --n, values += 4 * channels, to += 4 * kColumnBytes) {
        fill_four(values, to, load);
      }
      fill_four(values + back * channels, to + back * kColumnBytes, load);
    }
  }

  // Fills one strip, whose first row is `row` of the `height` rows of `image`.
  [[gnu::noinline]] void FillEdge(const int8_t* image, int32_t pitch, int32_t row, int32_t height,
                                  int8_t* strip) const {
    const uint32x4_t places = Places();
    int32_t column = 0;
    for (;;) {
      int8x16x4_t rows;
      for (int i = 0; i < 4; ++i) {
        const int32_t y = row + i;
        const int8_t* const values = image + y * pitch + column * channels;
        if (y < 0 || y >= height) {
          rows.val[i] = padding;
        } else {
          rows.val[i] = pixels < 4 ? LoadFew(values, places) : Gather(values, places);
        }
      }
      StoreFour(strip + column * kColumnBytes, rows);
      if (column + 4 >= pixels) return;
      column = column + 8 <= pixels ? column + 4 : pixels - 4;
    }
  }

 private:
  uint32x4_t Places() const { return vmulq_n_u32(vidupq_n_u32(0, 1), static_cast<uint32_t>(channels)); }
  // Loads fewer than four pixels, and padding.
  [[gnu::always_inline]] int8x16_t LoadFew(const int8_t* values, uint32x4_t places) const {
    const mve_pred16_t lanes = vctp32q(static_cast<uint32_t>(pixels));
    const int32x4_t loaded =
        vldrwq_gather_offset_z_s32(reinterpret_cast<const int32_t*>(values), places, lanes);
    return vpselq_s8(vreinterpretq_s8_s32(loaded), padding, lanes);
  }
};

// Tiles that cover a stretch of outputs. The last may begin within the one before; a single one may end
// behind the stretch.
struct Spans {
  int32_t count = 0;
  int32_t first[2];
  int32_t tiles[2];

  Spans(int32_t outputs, int32_t tile) {
    if (outputs >= tile) Add(0, outputs / tile);
    if (outputs % tile != 0) Add(outputs >= tile ? outputs - tile : 0, 1);
  }

 private:
  void Add(int32_t output, int32_t tiles_count) {
    first[count] = output;
    tiles[count++] = tiles_count;
  }
};

class Portion {
 public:
  Portion(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output)
      : args_(args),
        shape_(*args.shape),
        input_(input),
        output_(output),
        layout_(MveDepthwiseLayoutOf(shape_)) {
    weights_ = static_cast<int8_t*>(args.scratch);
    strips_ = weights_ + kMveDepthwiseFilterBytes;
    memset(weights_, 0, kColumnBytes);
    const int32_t room = layout_.columns - shape_.pad_left;
    pixels_ = shape_.in_width < room ? shape_.in_width : room;
    padding_ = vdupq_n_s8(static_cast<int8_t>(-args.quantization.input_offset));
  }

  // Computes rows [row, end).
  void MakeAll(int32_t row, int32_t end) {
    int32_t capacity = MveDepthwiseRows(shape_, args_.scratch_bytes);
    if (OverwritesOthers(args_, input_, output_, row, end)) capacity = 1;
    if (capacity > end - row) capacity = end - row;
    FillPadding((capacity + layout_.rows - 1) / layout_.rows);
    for (Portions portions(args_, row, end, capacity); portions.Next();) Make(portions.row, portions.count);
  }

 private:
  void FillPadding(int32_t strips) const {
    int8_t* to = strips_;
    for (int32_t n = strips * layout_.columns; n > 0; --n, to += kColumnBytes) vstrbq_s8(to, padding_);
  }

  void Make(int32_t row, int32_t rows) {
    const int32_t image = row / shape_.out_height;
    const int32_t top = (row - image * shape_.out_height) * shape_.stride_h - shape_.pad_top;
    auto* const output = reinterpret_cast<int8_t*>(output_.Row(row));
    PlaceTiles(rows);
    for (int32_t channel = 0; channel < args_.channel_count; channel += kChannels) {
      ExpandFilter(args_.filter + channel);
      FillStrips(image * shape_.in_height, top, args_.first_channel + channel, rows);
      MakeGroup(channel, output);
    }
    ClampPixels(args_.quantization, rows * shape_.out_width, args_.channel_count, shape_.out_channels,
                output);
  }

  // Places tiles over all outputs of some rows.
  void PlaceTiles(int32_t rows) {
    const int32_t stride = shape_.stride_w;
    const int32_t tile_width = stride == 1 ? 2 : 4;
    const int32_t tile_height = layout_.rows;
    const Spans across(shape_.out_width, tile_width);
    const Spans down(rows, tile_height);
    const bool is_whole = shape_.out_width >= tile_width && rows >= tile_height;
    if (stride == 2) {
      lanes_ = vctp32q(static_cast<uint32_t>(shape_.out_width));
    } else {
      lanes_ = Lanes((rows == 1 ? 0x0F0F : 0xFFFF) & (shape_.out_width == 1 ? 0x00FF : 0xFFFF));
    }
    runs_count_ = 0;
    list_count_ = 0;
    for (int32_t y = 0; y < down.count; ++y) {
      const Run strips = {down.tiles[y], layout_.strip_bytes, tile_height * output_.row_bytes};
      for (int32_t x = 0; x < across.count; ++x) {
        const Run columns = {across.tiles[x], tile_width * stride * kColumnBytes,
                             tile_width * shape_.out_channels};
        // The longer one is the inner loop.
        const bool is_high = strips.count > columns.count;
        runs_[runs_count_++] = {
            .outer = is_high ? columns : strips,
            .inner = is_high ? strips : columns,
            .from = y * down.tiles[0] * layout_.strip_bytes + across.first[x] * stride * kColumnBytes,
            .output = down.first[y] * output_.row_bytes + across.first[x] * shape_.out_channels};
        ListTiles(runs_[runs_count_ - 1]);
      }
    }
    tiles_ = !is_whole ? TilesOf::kPartRuns : list_count_ > kMostListed ? TilesOf::kRuns : TilesOf::kList;
  }

  // Lists the tiles of some runs one by one, unless there are too many.
  void ListTiles(const Tiles& tiles) {
    const int32_t count = tiles.outer.count * tiles.inner.count;
    if (list_count_ + count > kMostListed) {
      list_count_ = kMostListed + 1;
      return;
    }
    for (int32_t m = 0; m < tiles.outer.count; ++m) {
      Tile tile = {tiles.from + m * tiles.outer.from_step, tiles.output + m * tiles.outer.output_step};
      for (int32_t n = tiles.inner.count; n > 0; --n) {
        list_[list_count_++] = tile;
        tile.from += tiles.inner.from_step;
        tile.output += tiles.inner.output_step;
      }
    }
  }

  // Stores columns of four channels, three rows and a 0 in each, then a column of zeros.
  void ExpandFilter(const int8_t* filter) const {
    uint32_t taps[kTaps][4];
    for (int ky = 0; ky < kTaps; ++ky) {
      for (int kx = 0; kx < kTaps; ++kx, filter += args_.channel_count) {
        __builtin_memcpy(&taps[ky][kx], filter, 4);
      }
      taps[ky][kTaps] = 0;
    }
    int8x16x4_t rows;
    for (int ky = 0; ky < kTaps; ++ky) rows.val[ky] = vreinterpretq_s8_u32(vldrwq_u32(taps[ky]));
    rows.val[kTaps] = vdupq_n_s8(0);
    vst4q_s8(weights_ + kColumnBytes, rows);
  }

  // Fills strips of four rows of the image. Each begins two rows below the one before, whatever the stride
  // is; the last may begin earlier, if its tiles do.
  [[gnu::noinline]] void FillStrips(int32_t image_row, int32_t y, int32_t channel, int32_t rows) const {
    const int32_t pitch = input_.row_bytes;
    const int32_t height = shape_.in_height;
    const int32_t strip_bytes = layout_.strip_bytes;
    const StripColumns columns = {.pixels = pixels_, .channels = shape_.in_channels, .padding = padding_};
    const int8_t* const image = reinterpret_cast<const int8_t*>(input_.Row(image_row)) + channel;
    int8_t* strip = strips_ + shape_.pad_left * kColumnBytes;
    const int32_t whole = rows / layout_.rows;
    for (int32_t left = whole; left > 0;) {
      int32_t some = 1;
      if (y >= 0 && y + 3 < height) {
        some = (height - 4 - y) / 2 + 1;
        if (some > left) some = left;
        columns.FillInner(image + y * pitch, pitch, some, strip, strip_bytes);
      } else {
        columns.FillEdge(image, pitch, y, height, strip);
      }
      left -= some;
      y += 2 * some;
      strip += some * strip_bytes;
    }
    if (rows % layout_.rows == 0) return;
    columns.FillEdge(image, pitch, whole > 0 ? y - 1 : y, height, strip);
  }

  void MakeGroup(int32_t channel, int8_t* output) const {
    const GroupJob job = {.strip = strips_,
                          .runs = runs_,
                          .runs_count = runs_count_,
                          .list = list_,
                          .list_count = list_count_,
                          .weights = weights_,
                          .biases = args_.bias != nullptr ? args_.bias + channel : nullptr,
                          .offset = static_cast<uint32_t>(args_.quantization.input_offset),
                          .multipliers = args_.multipliers + channel,
                          .zero_point = args_.quantization.output_offset,
                          .output = output + channel,
                          .step = shape_.out_channels,
                          .pitch = output_.row_bytes,
                          .lanes = lanes_};
    const CodeSteps steps = CodeStepsOf(args_.quantization, job.multipliers, kChannels);
    if (shape_.stride_w == 1) return MakeTiles<1>(tiles_, steps, job);
    MakeTiles<2>(tiles_, steps, job);
  }

  const DepthwiseConv2DArgs& args_;
  const ConvShape& shape_;
  const Rows& input_;
  const Rows& output_;
  MveDepthwiseLayout layout_;
  int8_t* weights_;
  int8_t* strips_;
  int32_t pixels_;  // Pixels of a row in a strip.
  int8x16_t padding_;
  TilesOf tiles_ = TilesOf::kRuns;
  Tiles runs_[4];
  int32_t runs_count_ = 0;
  Tile list_[kMostListed];
  int32_t list_count_ = 0;
  mve_pred16_t lanes_ = 0;  // The outputs of a tile that is not whole.
};

}  // namespace

void DepthwiseConv2DMve(const DepthwiseConv2DArgs& args, const Rows& input, const Rows& output,
                        int32_t first_row, int32_t row_count) {
  const bool has_fours = args.first_channel % kChannels == 0 && args.channel_count % kChannels == 0;
  const bool is_made_here = args.scratch != nullptr && has_fours && HasMveDepthwise(*args.shape) &&
                            MveDepthwiseRows(*args.shape, args.scratch_bytes) > 0 &&
                            reinterpret_cast<uintptr_t>(input.base) % 4 == 0;
  if (!is_made_here) return DepthwiseConv2DArmdsp(args, input, output, first_row, row_count);
  Portion(args, input, output).MakeAll(first_row, first_row + row_count);
}

int32_t DepthwiseConv2DRowsAtOnceMve(const DepthwiseConv2DArgs& args) {
  if (!HasMveDepthwise(*args.shape)) return DepthwiseConv2DRowsAtOnceArmdsp(args);
  const bool has_room = args.scratch != nullptr && MakesAllChannels(args) &&
                        MveDepthwiseRows(*args.shape, args.scratch_bytes) > 0;
  return has_room ? args.shape->out_height : 1;
}

ScratchBytes DepthwiseConv2DScratchMve(const DepthwiseConv2DArgs& args, int32_t rows) {
  return MveDepthwiseScratch(*args.shape, rows);
}

}  // namespace lutra

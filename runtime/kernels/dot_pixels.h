// SPDX-License-Identifier: Apache-2.0
// All pixels of a layer of dot products (dot_layer.h) by all its channels: the loops over tiles
// (dot_tiles.h), over blocks of channels, and over rows of pixels.

#pragma once

#include <stdint.h>

#include "lutra/kernels/rows.h"
#include "runtime/kernels/dot_layer.h"
#include "runtime/kernels/dot_nibbles.h"
#include "runtime/kernels/dot_tiles.h"

namespace lutra {
namespace {

// Heights of tiles, in pixels.
struct TileHeights {
  int32_t least;
  int32_t usual;
  int32_t most;
};

// Calls make(first, height) for tiles that cover `pixels` pixels. Where pixels are left over, a tile makes
// some again rather than fewer at a time; only less than the least height in all are made by a tile that is
// too high.
template <typename Make>
[[gnu::always_inline]] inline void ForEachTile(int32_t pixels, TileHeights heights, const Make& make) {
  int32_t tiles = pixels / heights.usual;
  if (tiles * heights.most < pixels) tiles = (pixels + heights.most - 1) / heights.most;
  for (int32_t pixel = 0; tiles > 0; --tiles) {
    int32_t height = pixels - pixel - (tiles - 1) * heights.least;
    if (height > heights.most) height = heights.most;
    if (height < heights.least) height = heights.least;
    int32_t first = pixel;
    if (first + height > pixels) first = pixels > height ? pixels - height : 0;
    make(first, height);
    pixel += height;
  }
}

// Makes all pixels of a strip, two to a vector.
template <typename Set, bool kSigned, bool kGuarded>
void ComputePairs(const DotLayer& layer, const PackedHeader& header, const PackedBlock<Set>& block,
                  const DotStrip<Set>& strip, int8_t* output) {
  DotArea area = AreaOf(layer, header);
  area.channels = area.pixel_step = Set::kLanes;
  const int32_t pairs = strip.pixels / 2;
  const auto make = [&](int32_t first, int32_t height) {
    area.output = output + static_cast<intptr_t>(first) * Set::kLanes;
    area.pixels = height;
    if (height == 1) {
      ComputeTile<Set, 1, 1, kSigned, kGuarded, Tile::kPairs>(layer, block, strip, 2 * first, 0, area);
    } else {
      ComputeTile<Set, Set::kPairTile, 1, kSigned, kGuarded, Tile::kPairs>(layer, block, strip, 2 * first, 0,
                                                                           area);
    }
  };
  if (pairs < Set::kPairTile) {
    for (int32_t pair = 0; pair < pairs; ++pair) make(pair, 1);
  } else {
    constexpr int32_t kHeight = Set::kPairTile;
    ForEachTile(pairs, {kHeight, kHeight, kHeight}, make);
  }
  if (strip.pixels % 2 == 0) return;
  const int32_t last = strip.pixels - 1;
  area.output = output + static_cast<intptr_t>(last) * layer.channels;
  area.pixels = 1;
  area.channels = layer.channels;
  ComputeTile<Set, 1, 1, kSigned, kGuarded>(layer, block, strip, last, 0, area);
}

// Returns whether tiles of columns can make the strip.
template <typename Set>
bool TakesColumns(const DotLayer& layer, const DotStrip<Set>& strip) {
  if constexpr (requires { Set::kColumnTile; }) {
    return strip.pixels >= Set::kColumnTile && strip.pixel_step % Set::kStep == 0 && layer.lines == 1 &&
           layer.tap_values == 3 * strip.pixel_step;
  }
  return false;
}

// Makes the channels of one block for all pixels of a strip of several rows, as many as a low tile has or
// more.
template <typename Set, int kVectors, bool kSigned, bool kGuarded>
void ComputeScattered(const DotLayer& layer, const PackedHeader& header, const PackedBlock<Set>& block,
                      const DotStrip<Set>& strip, int32_t first_channel, int8_t* output) {
  constexpr int32_t kMost = Set::TilePixels(kVectors);
  intptr_t places[kMost];
  DotStrip<Set> tile = strip;
  tile.places = places;
  DotArea area = AreaOf(layer, header);
  area.channels = layer.channels - first_channel;
  if (area.channels > kVectors * Set::kLanes) area.channels = kVectors * Set::kLanes;
  area.output = output + first_channel;
  intptr_t place = 0;
  int32_t column = 0;
  const intptr_t next_row = strip.row_step - intptr_t{strip.row_pixels} * strip.pixel_step;
  ForEachTile(strip.pixels, {ShortTilePixels<Set>(kVectors), UsualTilePixels<Set>(kVectors), kMost},
              [&](int32_t, int32_t height) LUTRA_INLINE_LAMBDA {
                for (int32_t p = 0; p < height; ++p) {
                  places[p] = place;
                  place += strip.pixel_step;
                  if (++column == strip.row_pixels) {
                    column = 0;
                    place += next_row;
                  }
                }
                area.pixels = height;
                ComputeTileOf<Set, kMost, kVectors, kSigned, kGuarded, Tile::kScattered>(
                    height, layer, block, tile, 0, first_channel, area);
                area.output += intptr_t{height} * area.pixel_step;
              });
}

// Makes the channels of one block for all pixels of a strip.
template <typename Set, int kVectors, bool kSigned, bool kGuarded>
void ComputeBlock(const DotLayer& layer, const PackedHeader& header, const PackedBlock<Set>& block,
                  const DotStrip<Set>& strip, int32_t first_channel, int8_t* output) {
  constexpr int32_t kMost = Set::TilePixels(kVectors);
  constexpr int32_t kLeast = ShortTilePixels<Set>(kVectors);
  static_assert(kMost <= kMaxTilePixels);
  if constexpr (kVectors == 1 && kHasPairs<Set>) {
    if (TakesPairs<Set>(layer))
      return ComputePairs<Set, kSigned, kGuarded>(layer, header, block, strip, output);
  }
  DotArea area = AreaOf(layer, header);
  area.channels = layer.channels - first_channel;
  if (area.channels > kVectors * Set::kLanes) area.channels = kVectors * Set::kLanes;
  const auto make = [&](int32_t first, int32_t height, const auto& tile) LUTRA_INLINE_LAMBDA {
    area.output = output + first_channel + static_cast<intptr_t>(first) * area.pixel_step;
    area.pixels = strip.pixels - first < height ? strip.pixels - first : height;
    tile(layer, block, strip, first, first_channel, area);
  };
  if constexpr (kVectors == 1 && requires { Set::kColumnTile; }) {
    if (TakesColumns<Set>(layer, strip)) {
      constexpr int32_t kHeight = Set::kColumnTile;
      return ForEachTile(strip.pixels, {kHeight, kHeight, kHeight}, [&](int32_t first, int32_t height) {
        make(first, height, ComputeTile<Set, kHeight, 1, kSigned, kGuarded, Tile::kColumns>);
      });
    }
  }
  // The sums of single pixels are split, and a tile with mostly pixels of others takes longer.
  if (2 * strip.pixels <= kLeast || strip.pixels == 1 || strip.readable_pixels < kLeast) {
    for (int32_t pixel = 0; pixel < strip.pixels; ++pixel) {
      make(pixel, 1, [&](const auto&... tile) LUTRA_INLINE_LAMBDA {
        ComputeTileHere<Set, 1, kVectors, kSigned, kGuarded, Tile::kPlain>(tile...);
      });
    }
    return;
  }
  ForEachTile(strip.pixels, {kLeast, UsualTilePixels<Set>(kVectors), kMost},
              [&](int32_t first, int32_t height) {
                make(first, height, [&](const auto&... tile) {
                  ComputeTileOf<Set, kMost, kVectors, kSigned, kGuarded>(height, tile...);
                });
              });
}

template <typename Set, int kVectors>
void ComputeBlock(const DotLayer& layer, const PackedHeader& header, const PackedBlock<Set>& block,
                  const DotStrip<Set>& strip, int32_t first_channel, int8_t* output) {
  if constexpr (kProves<Set>) {
    if (block.is_proved) {
      const auto make = header.is_signed ? ComputeBlock<Set, kVectors, true, false>
                                         : ComputeBlock<Set, kVectors, false, false>;
      return make(layer, header, block, strip, first_channel, output);
    }
  }
  const auto make =
      header.is_signed ? ComputeBlock<Set, kVectors, true, true> : ComputeBlock<Set, kVectors, false, true>;
  make(layer, header, block, strip, first_channel, output);
}

// Makes the channels of one block for a strip of several rows.
template <typename Set, int kVectors>
[[gnu::noinline]] void ComputeBlockOfRows(const DotLayer& layer, const PackedHeader& header,
                                          const PackedBlock<Set>& block, const DotStrip<Set>& strip,
                                          int32_t first_channel, int8_t* output) {
  if constexpr (kScatters<Set, kVectors>) {
    if (strip.pixels >= ShortTilePixels<Set>(kVectors)) {
      const bool is_signed = header.is_signed;
      const auto make = block.is_proved ? (is_signed ? ComputeScattered<Set, kVectors, true, false>
                                                     : ComputeScattered<Set, kVectors, false, false>)
                                        : (is_signed ? ComputeScattered<Set, kVectors, true, true>
                                                     : ComputeScattered<Set, kVectors, false, true>);
      return make(layer, header, block, strip, first_channel, output);
    }
  }
  DotStrip<Set> row = strip;
  row.pixels = strip.row_pixels;
  row.row_pixels = 0;
  for (int32_t done = 0; done < strip.pixels; done += row.pixels, row.values += strip.row_step) {
    ComputeBlock<Set, kVectors>(layer, header, block, row, first_channel,
                                output + intptr_t{done} * OutputStep(layer));
  }
}

// Makes all channels of one pixel, with little code around the products, which take little time.
template <typename Set>
[[gnu::noinline]] void ComputePixel(const DotLayer& layer, PackedHeader* header, const DotStrip<Set>& strip,
                                    int8_t* output) {
  DotArea area = AreaOf(layer, *header);
  area.pixels = 1;
  const bool is_signed = header->is_signed;
  ForEachBlock<Set>(layer, header, layer.channels,
                    [&](auto vectors, const PackedBlock<Set>& block, int32_t first) LUTRA_INLINE_LAMBDA {
                      constexpr int kVectors = decltype(vectors)::kCount;
                      const int32_t left = layer.channels - first;
                      area.channels = left < kVectors * Set::kLanes ? left : kVectors * Set::kLanes;
                      area.output = output + first;
                      const auto make = [&](auto sign, auto guard) LUTRA_INLINE_LAMBDA {
                        ComputeTileHere<Set, 1, kVectors, sign == 1, guard == 1, Tile::kPlain>(
                            layer, block, strip, 0, first, area);
                      };
                      if constexpr (kProves<Set>) {
                        if (block.is_proved)
                          return is_signed ? make(Index<1>(), Index<0>()) : make(Index<0>(), Index<0>());
                      }
                      return is_signed ? make(Index<1>(), Index<1>()) : make(Index<0>(), Index<1>());
                    });
}

// A tile of one pixel and one line, of nibbles that share a table: each is used once, and never stored.
template <typename Set, int kVectors, bool kSigned>
void ComputeNibblePixel(const DotLayer& layer, const PackedBlock<Set>& block,
                        const typename Set::Value* values, int32_t first_channel, const DotArea& area) {
  typename Set::Sums sums[kVectors];
#pragma GCC unroll 16
  for (int v = 0; v < kVectors; ++v) sums[v] = Set::LoadSums(block.starts + v * Set::kLanes);
  const NibbleLayout<Set> layout = NibblesOfBlock<Set>(layer, PackedFilters::kOneTable, kVectors);
  const typename Set::Nibbles table = Set::LoadTable(block.nibbles);
  const uint8_t* nibbles = block.nibbles + layout.TableBytes();
  // One vector: of two steps.
  constexpr int kSteps = kVectors == 1 ? 2 : 1;
  for (int32_t step = 0; step < layout.steps; step += kSteps, values += kSteps * Set::kStep) {
    const typename Set::Sums repeated = Set::Repeat(values);
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; v += 2, nibbles += layout.kVector) {
      const typename Set::Nibbles both = Set::LoadNibbles(nibbles);
      sums[v] = Set::Dot(sums[v], repeated, Set::LowWeights(both, table));
      if constexpr (kVectors > 1) {
        sums[v + 1] = Set::Dot(sums[v + 1], repeated, Set::HighWeights(both, table));
      } else if (step + 1 < layout.steps) {
        sums[v] = Set::Dot(sums[v], Set::Repeat(values + Set::kStep), Set::HighWeights(both, table));
      }
    }
  }
  FinishTile<Set, 1, kVectors, kSigned>(layer, block, sums, first_channel, area);
}

// Makes all channels of one pixel of a layer of such nibbles.
template <typename Set>
void ComputeNibblePixels(const DotLayer& layer, PackedHeader* header, const DotStrip<Set>& strip,
                         int8_t* output) {
  DotArea area = AreaOf(layer, *header);
  area.pixels = 1;
  ForEachBlock<Set>(layer, header, layer.channels,
                    [&](auto vectors, const PackedBlock<Set>& block, int32_t first) {
                      constexpr int kVectors = decltype(vectors)::kCount;
                      const int32_t left = layer.channels - first;
                      area.channels = left < kVectors * Set::kLanes ? left : kVectors * Set::kLanes;
                      area.output = output + first;
                      if (header->is_signed) {
                        ComputeNibblePixel<Set, kVectors, true>(layer, block, strip.values, first, area);
                      } else {
                        ComputeNibblePixel<Set, kVectors, false>(layer, block, strip.values, first, area);
                      }
                    });
}

// Makes all channels of a strip's pixels, of blocks that it decodes first.
template <typename Set>
[[gnu::noinline]] void ComputeDecodedPixels(const DotLayer& layer, PackedHeader* header,
                                            const DotStrip<Set>& strip, int8_t* output) {
  using Weight = typename Set::Weight;
  alignas(kPackedAlignment) Weight weights[kDecodedBytes / sizeof(Weight)];
  ForEachBlock<Set>(layer, header, layer.channels, [&](auto vectors, PackedBlock<Set> block, int32_t first) {
    constexpr int kVectors = decltype(vectors)::kCount;
    NibblesOfBlock<Set>(layer, header->filters, kVectors).Decode(block.nibbles, weights);
    block.weights = weights;
    if (strip.row_pixels != 0) {
      return ComputeBlockOfRows<Set, kVectors>(layer, *header, block, strip, first, output);
    }
    ComputeBlock<Set, kVectors>(layer, *header, block, strip, first, output);
  });
}

// Makes all channels of a strip's pixels. It and its callers are inline, since a call takes a part of the
// time of one pixel.
template <typename Set>
[[gnu::always_inline]] inline void ComputePixels(const DotLayer& layer, const void* prepared,
                                                 const DotStrip<Set>& strip, int8_t* output) {
  PackedHeader* const header = PackedHeaderAt(prepared);
  if constexpr (Set::kTakesNibbles) {
    if (header->filters != PackedFilters::kWeights) {
      const bool once =
          strip.pixels == 1 && layer.lines * layer.taps == 1 && header->filters == PackedFilters::kOneTable;
      return once ? ComputeNibblePixels<Set>(layer, header, strip, output)
                  : ComputeDecodedPixels<Set>(layer, header, strip, output);
    }
  }
  if (strip.pixels == 1) return ComputePixel<Set>(layer, header, strip, output);
  ForEachBlock<Set>(
      layer, header, layer.channels, [&](auto vectors, const PackedBlock<Set>& block, int32_t first) {
        constexpr int kVectors = decltype(vectors)::kCount;
        const auto make =
            strip.row_pixels != 0 ? ComputeBlockOfRows<Set, kVectors> : ComputeBlock<Set, kVectors>;
        make(layer, *header, block, strip, first, output);
      });
}

// Returns whether ComputeRun can take the layer.
template <typename Set>
bool FitsRun(int32_t depth) {
  return depth <= kStripValues<Set> - Set::kStep;
}

// Returns how many pixels of `depth` values ComputeRun reads before it writes the first. If 24 or more, they
// are a multiple of 24, which most tiles' heights divide.
template <typename Set>
int32_t PixelsOfRun(int32_t depth) {
  constexpr int32_t kTiles = 24;
  const int32_t capacity = (kStripValues<Set> - Set::kStep) / depth;
  return capacity >= kTiles ? capacity / kTiles * kTiles : capacity;
}

// Returns how many rows of `row_pixels` such pixels ComputeRows reads before it writes, if rows lie one after
// the other.
template <typename Set>
int32_t RowsOfRun(int32_t depth, int32_t row_pixels) {
  const int32_t rows = PixelsOfRun<Set>(depth) / row_pixels;
  return rows > 1 ? rows : 1;
}

// Makes pixels of `layer.tap_values` values. fill(first, count, values) converts `count` of them from pixel
// `first` on.
template <typename Set, typename Fill>
[[gnu::always_inline]] inline void ComputeFilledRun(const DotLayer& layer, const void* prepared,
                                                    int32_t pixels, int8_t* output, const Fill& fill) {
  alignas(kPackedAlignment) typename Set::Value buffer[kStripValues<Set>];
  const int32_t depth = layer.tap_values;
  // Divisions are a part of what a layer of one pixel costs.
  const int32_t capacity = pixels == 1 ? 1 : (kStripValues<Set> - Set::kStep) / depth;
  const int32_t part = pixels == 1 ? 1 : PixelsOfRun<Set>(depth);
  for (int32_t done = 0; done < pixels; done += part) {
    const int32_t count = pixels - done < part ? pixels - done : part;
    int32_t readable = count < kMaxTilePixels ? kMaxTilePixels : count;
    if (count == 1 || readable > capacity) readable = count;
    fill(done, count, buffer);
    if (readable > count || depth % Set::kStep != 0) {
      Set::Pad(buffer + count * depth, (readable - count) * depth + Set::kStep,
               layer.quantization.input_offset);
    }
    ComputePixels<Set>(layer, prepared, {buffer, depth, 0, count, readable},
                       output + static_cast<intptr_t>(done) * OutputStep(layer));
  }
}

// Makes pixels that lie one after the other in the input.
template <typename Set>
[[gnu::always_inline]] inline void ComputeRun(const DotLayer& layer, const void* prepared,
                                              const int8_t* input, int32_t pixels, int8_t* output) {
  const intptr_t depth = layer.tap_values;
  ComputeFilledRun<Set>(layer, prepared, pixels, output,
                        [&](int32_t first, int32_t count, typename Set::Value* values) {
                          Set::Convert(input + first * depth, count * layer.tap_values,
                                       layer.quantization.input_offset, values);
                        });
}

// Makes rows of `row_pixels` such pixels; if rows lie one after the other, all at once.
template <typename Set>
[[gnu::always_inline]] inline void ComputeRows(const DotLayer& layer, const void* prepared,
                                               int32_t row_pixels, const Rows& input, const Rows& output,
                                               int32_t first_row, int32_t row_count) {
  const bool dense =
      input.row_bytes == row_pixels * layer.tap_values && output.row_bytes == row_pixels * OutputStep(layer);
  const int32_t step = dense ? row_count : 1;
  for (int32_t row = first_row; row < first_row + row_count; row += step) {
    ComputeRun<Set>(layer, prepared, reinterpret_cast<const int8_t*>(input.Row(row)), step * row_pixels,
                    reinterpret_cast<int8_t*>(output.Row(row)));
  }
}

}  // namespace
}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Blocks of decoded filters: some output channels of a layer, which are then made for all rows of a call.

#pragma once

#include <stdint.h>

#include "lutra/compression/decode.h"
#include "lutra/kernels/streamed_rows.h"
#include "lutra/micro_context.h"
#include "runtime/ops/prepared_layer.h"
#include "runtime/ops/streamed_layer.h"

namespace lutra {

// Decodes filters of a layer into its block.
class BlockDecoder {
 public:
  // Filters of up to 4 x 4 taps have a stream position for each tap; others are read anew for each block.
  static constexpr int32_t kMaxWalks = 16;

  // `bias_in_blocks`: the bias is compressed, too, and does not fit as a whole.
  BlockDecoder(const EvalContext& context, const LayerInputs& inputs, int channels, bool bias_in_blocks)
      : context_(context),
        input_(inputs.weights),
        encoding_(context.StreamedEncoding(input_)),
        rows_(StreamedRowsOf(context.Input(input_).shape, channels, encoding_, context.cpu_features())),
        values_(context.StreamedValues<int8_t>(input_)) {
    bias_.plain = bias_in_blocks ? nullptr : context.InputData<int32_t>(inputs.bias);
    if (!bias_in_blocks) return;
    bias_.input = inputs.bias;
    bias_.encoding = context.StreamedEncoding(inputs.bias);
    bias_.capacity_bytes = context.Streamed(inputs.bias).bytes;
  }

  const StreamedRows& rows() const { return rows_; }
  int32_t capacity_bytes() const { return context_.Streamed(input_).bytes; }
  int32_t capacity_bytes_of_bias() const { return bias_.capacity_bytes; }
  const int32_t* Bias(int32_t first, int32_t count) { return bias_.Values(context_, first, count); }
  // Rows [first, first + count).
  const int8_t* Rows(int32_t first, int32_t count) {
    context_.DecodeStreamed(input_, [&] { rows_.Decode(first, count, &position_, values_); });
    return values_;
  }
  // Decodes values [first, first + count) of every row, one row after the other. Each row has its own stream
  // position, which begins at that of the row before, so that a stream that is read from its start is read
  // twice, not once for each block.
  const int8_t* Columns(int32_t first, int32_t count) {
    context_.DecodeStreamed(input_, [&] {
      for (int32_t row = 0; row < rows_.count; ++row) {
        StreamPosition* position = &position_;
        if (rows_.count <= kMaxWalks) {
          position = &walks_[row];
          if (first == 0) *position = row > 0 ? walks_[row - 1] : StreamPosition();
        }
        rows_.decode(encoding_, rows_.features, row * rows_.row_values + first, count, position,
                     values_ + row * count);
      }
    });
    return values_;
  }

 private:
  struct Biases {
    const int32_t* plain = nullptr;
    int input = -1;  // Of biases that are decoded in blocks.
    Encoding encoding = {};
    int32_t capacity_bytes = INT32_MAX;
    StreamPosition position = {};

    const int32_t* Values(const EvalContext& context, int32_t first, int32_t count) {
      if (input < 0) return plain == nullptr ? nullptr : plain + first;
      auto* const values = context.StreamedValues<int32_t>(input);
      context.DecodeStreamed(
          input, [&] { DecodePart(encoding, context.cpu_features(), first, count, &position, values); });
      return values;
    }
  };

  const EvalContext& context_;
  int input_;
  Encoding encoding_;
  StreamedRows rows_;
  Biases bias_;
  StreamPosition position_;
  StreamPosition walks_[kMaxWalks];
  int8_t* values_;
};

// Returns how many of `all` output channels, with weights of `channel_bytes` each, are made of a block of so
// many bytes: all, or a multiple of four if more than four.
inline int32_t ChannelsInBlock(int32_t all, int32_t channel_bytes, int32_t weight_bytes, int32_t bias_bytes) {
  const int32_t of_bias = bias_bytes / static_cast<int32_t>(sizeof(int32_t));
  int32_t fit = weight_bytes / channel_bytes;
  if (of_bias < fit) fit = of_bias;
  if (fit >= all) return all;
  return fit > 4 ? fit & ~3 : fit < 1 ? 1 : fit;
}

// Calls make(first, count) for the blocks of all output channels, whose weights are `channel_bytes` each.
template <typename Make>
void ForEachBlock(const BlockDecoder& decoder, int32_t all, int32_t channel_bytes, const Make& make) {
  const int32_t in_block =
      ChannelsInBlock(all, channel_bytes, decoder.capacity_bytes(), decoder.capacity_bytes_of_bias());
  for (int32_t first = 0; first < all; first += in_block) {
    make(first, all - first < in_block ? all - first : in_block);
  }
}

}  // namespace lutra

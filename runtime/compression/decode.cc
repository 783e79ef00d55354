// SPDX-License-Identifier: Apache-2.0
// From the type of an encoding to its decoder.

#include "lutra/compression/decode.h"

#include "lutra/kernels/bit_unpack/bit_unpack.h"
#include "lutra/kernels/huffman_decode/huffman_decode.h"
#include "lutra/kernels/lut_decode/lut_decode.h"
#include "lutra/kernels/prune_decode/prune_decode.h"
#include "lutra/kernels/sparse_lut_decode/sparse_lut_decode.h"

namespace lutra {
namespace {

void RunHuffman(const Encoding& e, CpuFeatures features, void* output) {
  const HuffmanDecodeArgs args = {
      .stream = e.stream.data(),
      .stream_bytes = e.stream.size(),
      .codes = e.codes.data(),
      .wide_codes = e.wide_codes,
      .first_bits = e.width,
      .count = e.elements,
      .output = output,
      .values = e.lut.value_table,
      .stride = e.lut.value_table_channel_stride,
      .channels = e.channels,
      .inner = e.inner,
  };
  if (e.type == DecodeType::kHuffman) {
    return (e.element_bytes == 1 ? Best(kHuffmanDecode8, features) : Best(kHuffmanDecode16, features))
        .run(args);
  }
  switch (e.element_bytes) {
    case 1:
      return Best(kHuffmanLutDecode8, features).run(args);
    case 2:
      return Best(kHuffmanLutDecode16, features).run(args);
    case 4:
      return Best(kHuffmanLutDecode32, features).run(args);
    default:
      return Best(kHuffmanLutDecode64, features).run(args);
  }
}

void RunPrune(const Encoding& e, CpuFeatures features, void* output) {
  const PruneDecodeArgs args = {
      .map = e.stream.data(),
      .values = e.kept.data(),
      .zero_points = e.zero_points,
      .channels = e.channels,
      .inner = e.inner,
      .count = e.elements,
      .output = output,
  };
  switch (e.element_bytes) {
    case 1:
      return Best(kPruneDecode8, features).run(args);
    case 2:
      return Best(kPruneDecode16, features).run(args);
    case 4:
      return Best(kPruneDecode32, features).run(args);
    default:
      return Best(kPruneDecode64, features).run(args);
  }
}

void RunBitUnpack(const Encoding& e, CpuFeatures features, void* output) {
  const BitUnpackArgs args = {
      .stream = e.stream.data(),
      .stream_bytes = e.stream.size(),
      .order = e.order,
      .width = e.width,
      .sign_extend = e.sign_extend,
      .first_bit = 0,
      .output = output,
  };
  switch (e.element_bytes) {
    case 1:
      return Best(kBitUnpack8, features).run(args, 0, e.elements);
    case 2:
      return Best(kBitUnpack16, features).run(args, 0, e.elements);
    default:
      return Best(kBitUnpack32, features).run(args, 0, e.elements);
  }
}

void RunSparseLut(const Encoding& e, CpuFeatures features, void* output) {
  const SparseLutDecodeArgs args = {
      .stream = e.stream.data(),
      .stream_bytes = e.stream.size(),
      .order = e.order,
      .width = e.width,
      .first_bit = 0,
      .values = e.lut.value_table,
      .special = e.special,
      .count = e.elements,
      .output = output,
  };
  switch (e.element_bytes) {
    case 1:
      return Best(kSparseLutDecode8, features).run(args);
    case 2:
      return Best(kSparseLutDecode16, features).run(args);
    default:
      return Best(kSparseLutDecode32, features).run(args);
  }
}

}  // namespace

void DecodeLut(const Encoding& e, CpuFeatures features, void* output) {
  const LutDecodeArgs args = {
      .stream = e.stream.data(),
      .stream_bytes = e.stream.size(),
      .order = e.order,
      .width = e.width,
      .values = e.lut.value_table,
      .stride = e.lut.value_table_channel_stride,
      .channels = e.channels,
      .inner = e.inner,
      .output = output,
  };
  switch (e.element_bytes) {
    case 1:
      return Best(kLutDecode8, features).run(args, 0, e.elements);
    case 2:
      return Best(kLutDecode16, features).run(args, 0, e.elements);
    case 4:
      return Best(kLutDecode32, features).run(args, 0, e.elements);
    default:
      return Best(kLutDecode64, features).run(args, 0, e.elements);
  }
}

void Decode(const Encoding& e, CpuFeatures features, void* output) {
  switch (e.type) {
    case DecodeType::kLut:
    case DecodeType::kWideLut:
      return DecodeLut(e, features, output);
    case DecodeType::kHuffman:
    case DecodeType::kHuffmanLut:
      return RunHuffman(e, features, output);
    case DecodeType::kPrune:
      return RunPrune(e, features, output);
    case DecodeType::kBitPack:
      return RunBitUnpack(e, features, output);
    case DecodeType::kSparseLut:
      return RunSparseLut(e, features, output);
  }
}

}  // namespace lutra

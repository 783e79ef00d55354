// SPDX-License-Identifier: Apache-2.0
// Streams for tests, with what they must leave in DRAM by plain loops: an addition of vectors, a product of
// matrices, a convolution in tiles.

#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "delegates/vta/driver/command_stream.h"
#include "delegates/vta/simulator/simulator.h"

namespace lutra::vta::sim {

struct Program {
  Config config;
  std::vector<EncodedInstruction> stream;
  Dram dram;
  uint64_t output = 0;
  std::vector<int8_t> expected;

  // The output that a run leaves in memory.
  std::vector<int8_t> OutputOf(Dram& after) const {
    const Span<uint8_t> bytes = after.Bytes(output, expected.size());
    return {bytes.begin(), bytes.end()};
  }
};

// A CommandStream with room, and the DRAM that it is about.
class ProgramWriter {
 public:
  explicit ProgramWriter(const Config& config)
      : stream_(4096),
        uops_(4 * 512),
        recorded_(config.Depth(Memory::kUop)),
        kernels_(64),
        uop_address_(program_.dram.Allocate(uops_.size())),
        commands(config, Buffers()) {
    program_.config = config;
  }

  // Allocates for values, and writes them; returns the index of its first element of `memory`.
  template <typename T>
  uint32_t Put(const std::vector<T>& values, Memory memory) {
    const uint64_t address = program_.dram.Allocate(values.size() * sizeof(T));
    uint8_t* bytes = program_.dram.Bytes(address, values.size() * sizeof(T)).data();
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (sizeof(T) == 4)
        StoreWord(bytes + 4 * i, static_cast<uint32_t>(values[i]));
      else
        bytes[i] = static_cast<uint8_t>(values[i]);
    }
    return static_cast<uint32_t>(address >> program_.config.LogElementBytes(memory));
  }
  uint32_t Expect(const std::vector<int8_t>& expected) {
    program_.expected = expected;
    const uint32_t element = Put(std::vector<int8_t>(expected.size(), 0x55), Memory::kOut);
    program_.output = uint64_t{element} << program_.config.LogElementBytes(Memory::kOut);
    return element;
  }

  Program Finish() {
    EXPECT_EQ(commands.Synchronize(), Status::kOk) << vta::ToString(commands.fault());
    stream_.resize(commands.instruction_count());
    program_.stream = stream_;
    const Span<uint8_t> to = program_.dram.Bytes(uop_address_, uops_.size());
    std::copy(uops_.begin(), uops_.end(), to.begin());
    return std::move(program_);
  }

 private:
  CommandBuffers Buffers() {
    return {.instructions = {stream_.data(), stream_.size()},
            .uops = {uops_.data(), uops_.size()},
            .uop_dram_index = static_cast<uint32_t>(uop_address_ / 4),
            .recorded = {recorded_.data(), recorded_.size()},
            .kernels = {kernels_.data(), kernels_.size()}};
  }

  Program program_;
  std::vector<EncodedInstruction> stream_;
  std::vector<uint8_t> uops_;
  std::vector<uint32_t> recorded_;
  std::vector<UopKernel> kernels_;
  uint64_t uop_address_;

 public:
  CommandStream commands;
};

template <typename T>
std::vector<T> RandomValues(size_t count, int64_t least, int64_t most, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T& value : values) {
    value = static_cast<T>(least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1)));
  }
  return values;
}

// One stage after the other has ended.
inline void Order(CommandStream& commands, Stage from, Stage to) {
  (void)commands.DepPush(from, to);
  (void)commands.DepPop(from, to);
}

// An ALU instruction on `count` accumulators from `first`, with an immediate.
inline void AluOnRange(CommandStream& commands, AluOpcode opcode, uint32_t first, uint32_t count,
                       int32_t immediate) {
  (void)commands.UopLoopBegin(count, 1, 1, 0);
  (void)commands.UopPush({first, first, 0});
  (void)commands.UopLoopEnd();
  (void)commands.PushAluImmediateOp(opcode, immediate);
}

// a + b, cut off to 8 bits.
inline Program VectorAdd(const Config& config, uint32_t vectors) {
  ProgramWriter writer(config);
  const size_t values = size_t{vectors} * config.lanes();
  const auto a = RandomValues<int32_t>(values, -1000, 1000, 1),
             b = RandomValues<int32_t>(values, -1000, 1000, 2);
  std::vector<int8_t> sum(values);
  for (size_t i = 0; i < values; ++i) sum[i] = static_cast<int8_t>(a[i] + b[i]);
  CommandStream& commands = writer.commands;
  const uint32_t at_a = writer.Put(a, Memory::kAcc), at_b = writer.Put(b, Memory::kAcc);
  const uint32_t out = writer.Expect(sum);
  (void)commands.LoadBuffer2D({.memory = Memory::kAcc, .dram_index = at_a, .x_size = vectors});
  (void)commands.LoadBuffer2D(
      {.memory = Memory::kAcc, .sram_index = vectors, .dram_index = at_b, .x_size = vectors});
  (void)commands.UopLoopBegin(vectors, 1, 1, 0);
  (void)commands.UopPush({0, vectors, 0});
  (void)commands.UopLoopEnd();
  (void)commands.PushAluOp(AluOpcode::kAdd);
  Order(commands, Stage::kCompute, Stage::kStore);
  (void)commands.StoreBuffer2D({.memory = Memory::kOut, .dram_index = out, .x_size = vectors});
  return writer.Finish();
}

// [rows, blocks] of BLOCK inputs times one [BLOCK x blocks] matrix of weights, cut off to 8 bits.
inline Program MatrixProduct(const Config& config, uint32_t rows, uint32_t blocks) {
  ProgramWriter writer(config);
  const uint32_t block = config.block(), batch = config.batch();
  const auto inp = RandomValues<int8_t>(size_t{rows} * blocks * config.lanes(), -128, 127, 3);
  const auto wgt = RandomValues<int8_t>(size_t{blocks} * block * block, -128, 127, 4);
  std::vector<int8_t> product(size_t{rows} * config.lanes());
  for (uint32_t r = 0; r < rows; ++r) {
    for (uint32_t b = 0; b < batch; ++b) {
      for (uint32_t j = 0; j < block; ++j) {
        int32_t sum = 0;
        for (uint32_t i = 0; i < blocks; ++i) {
          for (uint32_t k = 0; k < block; ++k) {
            sum += inp[((r * blocks + i) * batch + b) * block + k] * wgt[(i * block + j) * block + k];
          }
        }
        product[(r * batch + b) * block + j] = static_cast<int8_t>(sum);
      }
    }
  }
  CommandStream& commands = writer.commands;
  const uint32_t at_inp = writer.Put(inp, Memory::kInp), at_wgt = writer.Put(wgt, Memory::kWgt);
  const uint32_t out = writer.Expect(product);
  (void)commands.LoadBuffer2D({.memory = Memory::kInp, .dram_index = at_inp, .x_size = rows * blocks});
  (void)commands.LoadBuffer2D({.memory = Memory::kWgt, .dram_index = at_wgt, .x_size = blocks});
  for (uint32_t r = 0; r < rows; ++r) (void)commands.UopPush({r, 0, 0});
  (void)commands.PushGemmOp(true);
  Order(commands, Stage::kLoad, Stage::kCompute);
  (void)commands.UopLoopBegin(blocks, 0, 1, 1);
  for (uint32_t r = 0; r < rows; ++r) (void)commands.UopPush({r, r * blocks, 0});
  (void)commands.UopLoopEnd();
  (void)commands.PushGemmOp();
  Order(commands, Stage::kCompute, Stage::kStore);
  (void)commands.StoreBuffer2D({.memory = Memory::kOut, .dram_index = out, .x_size = rows});
  return writer.Finish();
}

// A convolution of [blocks][height][width] vectors with zeros around it, stride 1, by
// [blocks][blocks][size][size] blocks of weights, a bias, a shift and a clamp; a row of outputs at a time, in
// `buffers` parts of SRAM.
struct Convolution {
  uint32_t height = 6, width = 6, in_blocks = 2, out_blocks = 2, size = 3, shift = 8, buffers = 2;

  std::vector<int8_t> Plain(const Config& config, const std::vector<int8_t>& inp,
                            const std::vector<int8_t>& wgt, const std::vector<int32_t>& bias) const {
    const uint32_t block = config.block();
    std::vector<int8_t> out(size_t{out_blocks} * height * width * block);
    for (uint32_t ob = 0; ob < out_blocks; ++ob) {
      for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
          for (uint32_t j = 0; j < block; ++j) {
            int32_t sum = bias[ob * block + j];
            for (uint32_t ib = 0; ib < in_blocks; ++ib) {
              for (uint32_t tap = 0; tap < size * size; ++tap) {
                const int32_t iy = static_cast<int32_t>(y + tap / size) - static_cast<int32_t>(size / 2);
                const int32_t ix = static_cast<int32_t>(x + tap % size) - static_cast<int32_t>(size / 2);
                if (iy < 0 || ix < 0 || iy >= static_cast<int32_t>(height) ||
                    ix >= static_cast<int32_t>(width))
                  continue;
                const size_t pixel =
                    (size_t{ib} * height + static_cast<uint32_t>(iy)) * width + static_cast<uint32_t>(ix);
                const size_t weights = (size_t{ob} * in_blocks + ib) * size * size + tap;
                for (uint32_t k = 0; k < block; ++k) {
                  sum += inp[pixel * block + k] * wgt[(weights * block + j) * block + k];
                }
              }
            }
            const int32_t shifted = sum >> shift;
            out[((size_t{ob} * height + y) * width + x) * block + j] =
                static_cast<int8_t>(shifted > 127    ? 127
                                    : shifted < -128 ? -128
                                                     : shifted);
          }
        }
      }
    }
    return out;
  }

  // Rows of inputs around the y-th row of outputs.
  Transfer2D InputRows(uint32_t y, uint32_t first_element, uint32_t sram_index) const {
    const uint32_t half = size / 2, top = y < half ? half - y : 0;
    const uint32_t below = y + half + 1 > height ? y + half + 1 - height : 0;
    return {.memory = Memory::kInp,
            .sram_index = sram_index,
            .dram_index = first_element + (y + top - half) * width,
            .x_size = width,
            .y_size = size - top - below,
            .x_stride = width,
            .x_pad_before = half,
            .y_pad_before = top,
            .x_pad_after = half,
            .y_pad_after = below};
  }

  Program Make(const Config& config) const {
    ProgramWriter writer(config);
    CommandStream& commands = writer.commands;
    const uint32_t block = config.block(), taps = size * size;
    const auto inp = RandomValues<int8_t>(size_t{in_blocks} * height * width * block, -128, 127, 5);
    const auto wgt =
        RandomValues<int8_t>(size_t{out_blocks} * in_blocks * taps * block * block, -128, 127, 6);
    const auto bias = RandomValues<int32_t>(size_t{out_blocks} * block, -20000, 20000, 7);
    const uint32_t at_inp = writer.Put(inp, Memory::kInp), at_wgt = writer.Put(wgt, Memory::kWgt);
    const uint32_t at_bias = writer.Put(bias, Memory::kAcc);
    const uint32_t at_out = writer.Expect(Plain(config, inp, wgt, bias));
    for (uint32_t i = 0; i < buffers; ++i) {
      (void)commands.DepPush(Stage::kCompute, Stage::kLoad);
      (void)commands.DepPush(Stage::kStore, Stage::kCompute);
    }
    const uint32_t inp_part = config.Depth(Memory::kInp) / buffers,
                   wgt_part = config.Depth(Memory::kWgt) / buffers;
    const uint32_t acc_part = config.Depth(Memory::kAcc) / buffers;
    uint32_t step = 0;
    for (uint32_t tile = 0; tile < out_blocks * height; ++tile) {
      const uint32_t ob = tile / height, y = tile % height, acc = tile % buffers * acc_part;
      for (uint32_t ib = 0; ib < in_blocks; ++ib, ++step) {
        const uint32_t from = step % buffers * inp_part, weights = step % buffers * wgt_part;
        (void)commands.DepPop(Stage::kCompute, Stage::kLoad);
        (void)commands.LoadBuffer2D(InputRows(y, at_inp + ib * height * width, from));
        (void)commands.LoadBuffer2D({.memory = Memory::kWgt,
                                     .sram_index = weights,
                                     .dram_index = at_wgt + (ob * in_blocks + ib) * taps,
                                     .x_size = taps});
        (void)commands.DepPush(Stage::kLoad, Stage::kCompute);
        (void)commands.DepPop(Stage::kLoad, Stage::kCompute);
        if (ib == 0) {
          (void)commands.DepPop(Stage::kStore, Stage::kCompute);
          (void)commands.LoadBuffer2D(
              {.memory = Memory::kAcc, .sram_index = acc, .dram_index = at_bias + ob, .y_size = width});
        }
        (void)commands.UopLoopBegin(size, 0, width + 2 * (size / 2), size);
        (void)commands.UopLoopBegin(size, 0, 1, 1);
        for (uint32_t x = 0; x < width; ++x) (void)commands.UopPush({acc + x, from + x, weights});
        (void)commands.UopLoopEnd();
        (void)commands.UopLoopEnd();
        (void)commands.PushGemmOp();
        (void)commands.DepPush(Stage::kCompute, Stage::kLoad);
      }
      AluOnRange(commands, AluOpcode::kShr, acc, width, static_cast<int32_t>(shift));
      AluOnRange(commands, AluOpcode::kMin, acc, width, 127);
      AluOnRange(commands, AluOpcode::kMax, acc, width, -128);
      Order(commands, Stage::kCompute, Stage::kStore);
      (void)commands.StoreBuffer2D(
          {.memory = Memory::kOut, .sram_index = acc, .dram_index = at_out + tile * width, .x_size = width});
      (void)commands.DepPush(Stage::kStore, Stage::kCompute);
    }
    for (uint32_t i = 0; i < buffers; ++i) {
      (void)commands.DepPop(Stage::kCompute, Stage::kLoad);
      (void)commands.DepPop(Stage::kStore, Stage::kCompute);
    }
    return writer.Finish();
  }
};

}  // namespace lutra::vta::sim

// SPDX-License-Identifier: Apache-2.0
// Weights in VTA's layout, and the steps of a plan.

#include "delegates/vta/driver/lower_conv.h"

#include "delegates/vta/driver/conv_plan.h"

namespace lutra::vta {
namespace {

constexpr uint32_t kMostFrame = 1 << 15;

struct BlockRange {
  uint32_t first, count;
};
BlockRange BlocksOf(const Config& config, const ConvProblem& problem, uint32_t out_block) {
  const uint32_t first = out_block << config.log_block;
  const uint32_t last = Least(first + config.block(), Unsigned(problem.shape.out_channels)) - 1;
  const Channels low = ChannelsOf(problem, first), high = ChannelsOf(problem, last);
  const uint32_t begin = low.first >> config.log_block;
  return {begin, ((high.first + high.width - 1) >> config.log_block) - begin + 1};
}

void PackWeights(const Config& config, const ConvPlan& plan) {
  const ConvProblem& problem = plan.problem;
  const uint32_t block = config.block(), taps = Taps(problem.shape);
  for (uint32_t out = 0; out < Unsigned(problem.shape.out_channels); ++out) {
    const uint32_t out_block = out >> config.log_block;
    const Channels channels = ChannelsOf(problem, out);
    const uint32_t first = plan.FirstInBlock(config, out_block);
    for (uint32_t i = 0; i < channels.width; ++i) {
      const uint32_t in = channels.first + i;
      const uint64_t column = uint64_t{out_block} * plan.in_blocks + (in >> config.log_block) - first;
      for (uint32_t tap = 0; tap < taps; ++tap) {
        const uint64_t at = ((column * taps + tap) * block + out % block) * block + in % block;
        plan.weights.bytes[at] = static_cast<uint8_t>(FilterValue(problem, out, i, tap));
      }
    }
  }
}

LayerBound BoundOf(const Driver& driver, const ConvPlan& plan) {
  const Config& config = driver.config();
  const ConvShape& shape = plan.problem.shape;
  const uint64_t pixels =
      uint64_t{plan.output.groups} * Unsigned(shape.out_height) * Unsigned(shape.out_width);
  LayerBound bound;
  bound.gemm_cycles = pixels * plan.out_blocks * plan.in_blocks * Taps(shape);
  for (const RequantizePlan& requantize : plan.requantize) bound.alu_cycles += pixels * AluCycles(requantize);
  const uint64_t inputs = uint64_t{plan.input.groups} * plan.input.Blocks(config) * plan.input.height *
                          plan.input.width * config.ElementBytes(Memory::kInp);
  const uint64_t outputs = pixels * plan.out_blocks * config.ElementBytes(Memory::kOut);
  const uint64_t reads = inputs + plan.weights.size + plan.constants.size;
  bound.bus_cycles = (reads > outputs ? reads : outputs) / config.bus_bytes();
  bound.bytes = reads + outputs;
  const uint64_t filter_channels = plan.problem.is_depthwise ? 1 : Unsigned(shape.filter_channels);
  bound.macs = plan.output.count * filter_channels * Taps(shape);
  return bound;
}

bool IsInRange(const ConvPlan& plan) {
  const ConvShape& shape = plan.problem.shape;
  const uint64_t stride = uint64_t{plan.input.columns} * Unsigned(shape.stride_h);
  return stride <= kMostStride && plan.output.columns <= kMostStride;
}

}  // namespace

Channels ChannelsOf(const ConvProblem& problem, uint32_t out_channel) {
  const ConvShape& shape = problem.shape;
  const uint32_t width = problem.is_depthwise ? 1 : Unsigned(shape.filter_channels);
  const uint32_t groups = Unsigned(shape.in_channels) / width;
  const uint32_t out_per_group = Unsigned(shape.out_channels) / groups;
  return {out_channel / out_per_group * width, width};
}

int32_t FilterValue(const ConvProblem& problem, uint32_t out, uint32_t in_group, uint32_t tap) {
  const ConvShape& shape = problem.shape;
  const size_t taps = Taps(shape);
  if (problem.is_depthwise) return problem.filter[size_t{tap} * Unsigned(shape.out_channels) + out];
  return problem.filter[(out * taps + tap) * Unsigned(shape.filter_channels) + in_group];
}

uint32_t ConvPlan::FirstInBlock(const Config& config, uint32_t out_block) const {
  return Least(BlocksOf(config, problem, out_block).first, input.Blocks(config) - in_blocks);
}

Status WidenForConv(const ConvShape& shape, Image* input) {
  const auto end = [](int32_t out, int32_t stride, int32_t taps, int32_t dilation, int32_t pad) {
    return (int64_t{out} - 1) * stride + (int64_t{taps} - 1) * dilation + 1 - pad;
  };
  const int64_t bottom =
      end(shape.out_height, shape.stride_h, shape.filter_height, shape.dilation_h, shape.pad_top);
  const int64_t right =
      end(shape.out_width, shape.stride_w, shape.filter_width, shape.dilation_w, shape.pad_left);
  if (shape.pad_top > int32_t{kMostFrame} || shape.pad_left > int32_t{kMostFrame} ||
      bottom > int64_t{shape.in_height} + kMostFrame || right > int64_t{shape.in_width} + kMostFrame) {
    return Status::kUnsupported;
  }
  WidenImage(*input, Unsigned(shape.pad_top), Unsigned(shape.pad_left),
             bottom > 0 ? static_cast<uint32_t>(bottom) : 0, right > 0 ? static_cast<uint32_t>(right) : 0);
  return Status::kOk;
}

Status LowerConv(const Driver& driver, const ConvProblem& problem, const Image& input, const Image& output,
                 LoweredLayer* layer) {
  const Config& config = driver.config();
  ConvPlan plan = {.problem = problem, .input = input, .output = output};
  plan.out_blocks = output.Blocks(config);
  for (uint32_t i = 0; i < plan.out_blocks; ++i) {
    plan.in_blocks = Most(plan.in_blocks, BlocksOf(config, problem, i).count);
  }
  if (!IsInRange(plan)) return layer->Decline("a row too long for a transfer's stride");
  LUTRA_TRY(PlanConstants(driver, &plan, layer));
  const uint64_t blocks = uint64_t{plan.out_blocks} * plan.in_blocks;
  if (blocks > UINT32_MAX / Taps(problem.shape)) return layer->Decline("weights too large");
  LUTRA_TRY(
      AllocateDram(driver, blocks * Taps(problem.shape) * config.ElementBytes(Memory::kWgt), &plan.weights));
  PackWeights(config, plan);
  if (!ChooseTile(driver, &plan)) return layer->Decline("buffers too small for one pixel");
  layer->bound = BoundOf(driver, plan);
  return WriteStream(
      driver, [&](CommandStream& commands) { return WriteConvStream(driver, plan, commands); },
      &layer->stream);
}

}  // namespace lutra::vta

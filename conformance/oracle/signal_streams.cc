// SPDX-License-Identifier: Apache-2.0
// SignalDelay, SignalFramer, SignalStacker and SignalOverlapAdd are custom operators of TensorFlow Lite Micro
// that remember int16 samples from one inference to the next. Rows of the input are streams, each with a
// memory.

#include "conformance/oracle/operators.h"

namespace lutra::conformance::oracle {
namespace {

// Returns an option from `least` to 2^20, for which memory suffices. Refuses any other value.
size_t SizeOption(const Node& node, const char* name, int64_t least = 1) {
  const int64_t size = node.CustomOption(name);
  if (size < least || size > 1 << 20) node.Refuse(std::string(name) + " out of range");
  return static_cast<size_t>(size);
}

// Returns the input, which must have samples in each row.
Codes Samples(const Node& node) {
  const Codes samples = node.Get(0);
  if (samples.empty() || node.input(0).shape.empty()) node.Refuse("no samples");
  return samples;
}
size_t LastOf(const Shape& shape) { return static_cast<size_t>(shape.back()); }

// Appends the first `count` samples of a queue.
void Append(const Codes& queue, size_t count, Codes* to) {
  to->insert(to->end(), queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(count));
}
void Drop(Codes* queue, size_t count) {
  queue->erase(queue->begin(), queue->begin() + static_cast<std::ptrdiff_t>(count));
}

void EvalDelay(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kInt16}, {kInt16});
  const size_t delay = SizeOption(node, "delay_length", 0);
  const Codes x = Samples(node);
  const size_t size = LastOf(node.input(0).shape), streams = x.size() / size;
  auto& memory = node.memory();
  if (memory.empty()) memory.assign(streams, Codes(delay, 0));
  Codes y;
  for (size_t stream = 0; stream < streams; ++stream) {
    Codes& queue = memory[stream];
    for (size_t i = 0; i < size; ++i) queue.push_back(x[stream * size + i]);
    Append(queue, size, &y);
    Drop(&queue, size);
  }
  node.Put(0, y);
}

// Missing frames are zeros.
void EvalFramer(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kInt16}, {kInt16, kBool});
  const size_t size = SizeOption(node, "frame_size"), step = SizeOption(node, "frame_step");
  const bool prefill = node.CustomOption("prefill") != 0;
  const Codes x = Samples(node);
  const size_t depth = LastOf(node.input(0).shape), streams = x.size() / depth;
  if (depth % step != 0 || (prefill && size < step)) node.Refuse("frames that do not fit the input");
  auto& memory = node.memory();
  if (memory.empty()) memory.assign(streams, Codes(prefill ? size - step : 0, 0));
  Codes frames;
  bool has_all = true;
  for (size_t stream = 0; stream < streams; ++stream) {
    Codes& queue = memory[stream];
    for (size_t i = 0; i < depth; ++i) {
      queue.push_back(x[stream * depth + i]);
      if ((i + 1) % step != 0) continue;
      if (queue.size() >= size) {
        Append(queue, size, &frames);
        Drop(&queue, step);
      } else {
        frames.insert(frames.end(), size, 0);
        has_all = false;
      }
    }
  }
  node.Put(0, frames);
  node.Put(1, {has_all ? 1 : 0});
}

// The first frame also stands for the missing ones of the left context.
void EvalStacker(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kInt16}, {kInt16, kBool});
  const size_t channels = SizeOption(node, "num_channels");
  const size_t left = SizeOption(node, "stacker_left_context", 0);
  const size_t right = SizeOption(node, "stacker_right_context", 0);
  const size_t step = SizeOption(node, "stacker_step");
  const size_t stack = (left + right + 1) * channels;
  if (step > left + right + 1) node.Refuse("a step beyond the stack");
  const Codes x = Samples(node);
  auto& memory = node.memory();
  const size_t copies = memory.empty() ? left + 1 : 1;
  memory.resize(1);
  Codes& queue = memory[0];
  for (size_t copy = 0; copy < copies; ++copy) queue.insert(queue.end(), x.begin(), x.end());
  const bool has_all = queue.size() >= stack;
  Codes y;
  if (has_all) {
    Append(queue, stack, &y);
    Drop(&queue, step * channels);
  } else {
    y.assign(stack, 0);
  }
  node.Put(0, y);
  node.Put(1, {has_all ? 1 : 0});
}

void EvalOverlapAdd(const Node& node, const ArithmeticRule&) {
  node.RequireTypes({kInt16}, {kInt16});
  if (node.CustomOption("T") != kInt16) node.Refuse("OverlapAdd of another type than int16");
  const size_t step = SizeOption(node, "frame_step");
  const Codes x = Samples(node);
  const Shape& shape = node.input(0).shape;
  if (shape.size() < 2) node.Refuse("no frames");
  const size_t size = LastOf(shape), frames = static_cast<size_t>(shape[shape.size() - 2]);
  if (step > size) node.Refuse("a step beyond the frame");
  const size_t streams = x.size() / (size * frames);
  auto& memory = node.memory();
  if (memory.empty()) memory.assign(streams, Codes(size, 0));
  Codes y;
  for (size_t row = 0; row < streams * frames; ++row) {
    Codes& sums = memory[row / frames];
    for (size_t i = 0; i < size; ++i) {
      sums[i] = Clamp(sums[i] + x[row * size + i], INT16_MIN, INT16_MAX);
    }
    Append(sums, step, &y);
    Drop(&sums, step);
    sums.resize(size, 0);
  }
  node.Put(0, y);
}

constexpr Operator kStreamRows[] = {
    Custom("SignalDelay", {"-", "-"}, EvalDelay),
    Custom("SignalFramer", {"-", "--"}, EvalFramer),
    Custom("SignalOverlapAdd", {"-", "-"}, EvalOverlapAdd),
    Custom("SignalStacker", {"-", "--"}, EvalStacker),
};

}  // namespace

const OperatorFamily kSignalStreamOperators = kStreamRows;

}  // namespace lutra::conformance::oracle

// SPDX-License-Identifier: Apache-2.0
// SignalDelay, SignalFramer, SignalStacker, SignalOverlapAdd, CIRCULAR_BUFFER: operators that remember
// samples, over several inferences. While samples are missing, TensorFlow Lite Micro does not write the
// frames: then they are no output of the model, but the flag that says so is.

#include "conformance/generator/signal.h"

namespace lutra::conformance {
namespace {

using oracle::Shape;

// ---- SignalDelay

Case MakeDelay(Random& random, const Shape& shape, int delay, int invokes) {
  ModelMaker maker;
  const int x = maker.Operand(Plain(shape, oracle::kInt16), Samples(random, oracle::ElementCount(shape)));
  maker.CustomOp("SignalDelay", {x}, {maker.Output(Plain(shape, oracle::kInt16))}, {{"delay_length", delay}});
  Case test = maker.Made();
  test.invokes = invokes;
  return test;
}
Case DrawDelay(Random& random) {
  const int32_t depth = DrawSize(random, 200);
  const Shape shape = random.OneIn(3) ? Shape{random.Int(1, 4), depth} : Shape{depth};
  // TensorFlow Lite Micro has a ring of the samples of both.
  const int delay = random.OneIn(3) ? random.Int(1, 300) : random.Int(1, depth);
  const int invokes = random.Int(1, 4);
  return MakeDelay(random, shape, delay, invokes);
}
void GenerateDelay(Series& series) {
  for (const int delay : {1, 2, 3, 4, 5, 8, 9}) {
    for (const int invokes : {1, 2, 4}) series.Add("delay", MakeDelay(series.random, {4}, delay, invokes));
  }
  for (const int invokes : {1, 3}) series.Add("streams", MakeDelay(series.random, {2, 3, 5}, 7, invokes));
}
void GenerateRealDelay(RealSizes& series) { series.Add("size", MakeDelay(series.random, {2, 480}, 160, 3)); }

// ---- SignalFramer

struct Framer {
  int32_t size = 3, step = 2, frames = 1;
  bool prefill = false;
  Shape streams = {};
  int invokes = 2;

  // Returns whether the last inference makes all frames.
  bool HasAll() const {
    const int32_t before = (prefill ? size - step : 0) + (invokes - 1) * frames * step;
    return before + step >= size;
  }
};

Case MakeFramer(Random& random, const Framer& f) {
  Shape in = f.streams, out = f.streams;
  in.push_back(f.frames * f.step);
  out.insert(out.end(), {f.frames, f.size});
  ModelMaker maker;
  const int x = maker.Operand(Plain(in, oracle::kInt16), Samples(random, oracle::ElementCount(in)));
  const MadeTensor frames = Plain(out, oracle::kInt16);
  const int y = f.HasAll() ? maker.Output(frames) : maker.Activation(frames);
  const int has_all = maker.Output(Plain({}, oracle::kBool));
  maker.CustomOp("SignalFramer", {x}, {y, has_all},
                 {{"frame_size", f.size}, {"frame_step", f.step}, {"prefill", f.prefill ? 1 : 0}});
  Case test = maker.Made();
  test.invokes = f.invokes;
  return test;
}
Case DrawFramer(Random& random) {
  Framer f;
  f.step = DrawSize(random, 60);
  f.prefill = random.OneIn(2);
  f.size = random.Int(f.prefill ? f.step : 1, 4 * f.step);
  f.frames = random.Int(1, 3);
  if (random.OneIn(3)) f.streams = {random.Int(1, 3)};
  f.invokes = random.Int(1, 5);
  return MakeFramer(random, f);
}
void GenerateFramer(Series& series) {
  for (const bool prefill : {false, true}) {
    for (const int32_t size : {2, 3, 4, 5, 7}) {
      for (const int invokes : {1, 2, 4}) {
        series.Add("size", MakeFramer(series.random, {.size = size, .prefill = prefill, .invokes = invokes}));
      }
    }
    series.Add("streams", MakeFramer(series.random, {5, 2, 3, prefill, {2, 2}, 3}));
  }
  series.Add("apart", MakeFramer(series.random, {.size = 2, .step = 5, .invokes = 3}));
}
void GenerateRealFramer(RealSizes& series) {
  for (const bool prefill : {false, true}) {
    series.Add("size", MakeFramer(series.random, {480, 320, 2, prefill, {}, 3}));
  }
}

// ---- SignalStacker

struct Stacker {
  int32_t channels = 3, left = 1, right = 1, step = 1;
  int invokes = 3;

  bool HasAll() const {
    int32_t stored = left;
    bool has_all = false;
    for (int i = 0; i < invokes; ++i) {
      has_all = ++stored >= left + right + 1;
      if (has_all) stored -= step;
    }
    return has_all;
  }
};

Case MakeStacker(Random& random, const Stacker& s) {
  ModelMaker maker;
  const int x = maker.Operand(Plain({s.channels}, oracle::kInt16), Samples(random, s.channels));
  const MadeTensor stack = Plain({s.channels * (s.left + s.right + 1)}, oracle::kInt16);
  const int y = s.HasAll() ? maker.Output(stack) : maker.Activation(stack);
  const int has_all = maker.Output(Plain({}, oracle::kBool));
  maker.CustomOp("SignalStacker", {x}, {y, has_all},
                 {{"num_channels", s.channels},
                  {"stacker_left_context", s.left},
                  {"stacker_right_context", s.right},
                  {"stacker_step", s.step}});
  Case test = maker.Made();
  test.invokes = s.invokes;
  return test;
}
Case DrawStacker(Random& random) {
  Stacker s;
  s.channels = DrawSize(random, 50);
  s.left = random.Int(0, 4);
  s.right = random.Int(0, 4);
  s.step = random.Int(1, s.left + s.right + 1);
  s.invokes = random.Int(1, 9);
  return MakeStacker(random, s);
}
void GenerateStacker(Series& series) {
  for (const int32_t left : {0, 1, 3}) {
    for (const int32_t right : {0, 2}) {
      for (int32_t step = 1; step <= left + right + 1; step += 2) {
        for (const int invokes : {1, 4, 7}) {
          series.Add("context", MakeStacker(series.random, {2, left, right, step, invokes}));
        }
      }
    }
  }
}
void GenerateRealStacker(RealSizes& series) {
  series.Add("size", MakeStacker(series.random, {40, 1, 1, 2, 5}));
}

// ---- SignalOverlapAdd

struct OverlapAdd {
  int32_t size = 4, step = 2, frames = 2;
  Shape streams = {};
  int invokes = 2;
};

Case MakeOverlapAdd(Random& random, const OverlapAdd& o) {
  Shape in = o.streams, out = o.streams;
  in.insert(in.end(), {o.frames, o.size});
  out.push_back(o.frames * o.step);
  ModelMaker maker;
  const int x = maker.Operand(Plain(in, oracle::kInt16), Samples(random, oracle::ElementCount(in)));
  maker.CustomOp("SignalOverlapAdd", {x}, {maker.Output(Plain(out, oracle::kInt16))},
                 {{"T", oracle::kInt16}, {"frame_step", o.step}});
  Case test = maker.Made();
  test.invokes = o.invokes;
  return test;
}
Case DrawOverlapAdd(Random& random) {
  OverlapAdd o;
  o.size = DrawSize(random, 100);
  o.step = random.Int(1, o.size);
  o.frames = random.Int(1, 4);
  if (random.OneIn(3)) o.streams = {random.Int(1, 3)};
  o.invokes = random.Int(1, 4);
  return MakeOverlapAdd(random, o);
}
void GenerateOverlapAdd(Series& series) {
  for (int32_t step = 1; step <= 5; ++step) {
    for (const int invokes : {1, 2, 4}) {
      series.Add("step", MakeOverlapAdd(series.random, {.size = 5, .step = step, .invokes = invokes}));
    }
  }
  series.Add("streams", MakeOverlapAdd(series.random, {6, 2, 3, {2, 2}, 3}));
}
void GenerateRealOverlapAdd(RealSizes& series) {
  series.Add("size", MakeOverlapAdd(series.random, {512, 160, 3, {}, 3}));
}

// ---- CIRCULAR_BUFFER

struct CircularBuffer {
  int32_t slices = 3, height = 1, width = 2;
  int invokes = 2;
};

// Makes a buffer with an output at each inference.
Case MakeCircularBuffer(Random& random, const CircularBuffer& c) {
  const int64_t zero_point = random.ZeroPoint();
  const auto tensor = [&](int32_t slices, bool is_variable) {
    return MadeTensor{.shape = {1, slices, c.height, c.width},
                      .scale = 0.5f,
                      .zero_point = zero_point,
                      .is_variable = is_variable};
  };
  ModelMaker maker;
  const int x = maker.Operand(tensor(1, false),
                              MakeCodes(random, int64_t{c.height} * c.width, Values::kRandom, zero_point));
  maker.CustomOp("CIRCULAR_BUFFER", {x}, {maker.Output(tensor(c.slices, true))}, {{"cycles_max", 1}});
  Case test = maker.Made();
  test.invokes = c.invokes;
  return test;
}
Case DrawCircularBuffer(Random& random) {
  CircularBuffer c;
  c.slices = random.Int(1, 9);
  c.height = random.Int(1, 4);
  c.width = DrawSize(random, 96);
  c.invokes = random.Int(1, 10);
  return MakeCircularBuffer(random, c);
}
void GenerateCircularBuffer(Series& series) {
  for (int32_t slices = 1; slices <= 5; ++slices) {
    for (const int invokes : {1, 2, 6}) {
      series.Add("slices", MakeCircularBuffer(series.random, {.slices = slices, .invokes = invokes}));
    }
  }
}
void GenerateRealCircularBuffer(RealSizes& series) {
  series.Add("size", MakeCircularBuffer(series.random, {25, 2, 96, 27}));
}

}  // namespace

extern const CaseFamilies kSignalStreamCases = {
    SignalFamily("SignalDelay", DrawDelay, GenerateDelay, GenerateRealDelay),
    SignalFamily("SignalFramer", DrawFramer, GenerateFramer, GenerateRealFramer),
    SignalFamily("SignalStacker", DrawStacker, GenerateStacker, GenerateRealStacker),
    SignalFamily("SignalOverlapAdd", DrawOverlapAdd, GenerateOverlapAdd, GenerateRealOverlapAdd),
    SignalFamily("CIRCULAR_BUFFER", DrawCircularBuffer, GenerateCircularBuffer, GenerateRealCircularBuffer),
};

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Shared by lowered operators: the device behind the driver, memory that both see, tensors in VTA's layout,
// and streams that are counted, allocated and written.
//
//   Driver driver = {.options = options, .device = device, .memory = memory};
//   LUTRA_TRY(PrepareDriver(driver));
//   Image input = {.groups = 1, .height = 8, .width = 8, .channels = 3, ...};
//   LUTRA_TRY(AllocateImage(driver, &input));             // filled with its fill
//   LUTRA_TRY(WriteStream(driver, [&](CommandStream& commands) { return Emit(plan, commands); }, &stream));
//   ...
//   PackImage(config, input, nhwc);                       // at each inference
//   LUTRA_TRY(device.run(device.user, config, stream, &counters));
//   UnpackImage(config, output, nhwc);
//
// An operator is a pair of files, lower_<op>.h and .cc: a struct of the problem, a plan of tiles,
// and the stream. It knows images, not tensors; delegate.cc knows both.

#pragma once

#include <stddef.h>
#include <stdint.h>

#include "delegates/vta/driver/command_stream.h"
#include "delegates/vta/driver/requantize.h"
#include "lutra/tensor_info.h"

namespace lutra::vta {

// exact: the int8 specification, bit for bit. fast: one multiplier of 15 bits or less. legacy16: the first
// delegate's rule.
enum class Mode : uint8_t { kExact, kFast, kLegacy16 };
struct ModeFacts {
  const char* name;
  // Plans how accumulators become codes; any status but kOk: no sequence of instructions does.
  Status (*requantize)(const RequantizeProblem& problem, RequantizePlan* plan);
  bool (*has)(BuiltinOperator code) = nullptr;  // Null: it has every operator.
};
inline constexpr ModeFacts kModes[] = {{"exact", PlanRequantize},
                                       {"fast", PlanFastRequantize},
                                       {"legacy16", PlanLegacy16Requantize, Legacy16Has}};
inline const ModeFacts& FactsOf(Mode mode) { return kModes[static_cast<int>(mode)]; }

// Says what scales ADD's operands: the CPU, which gives VTA values of 32 bits to load (kCpu); the CPU for
// operands that it packs, and VTA for those that a layer left there (kLoad); or VTA (kVta). Results are
// equal.
enum class AddScaling : uint8_t { kCpu, kLoad, kVta };
inline constexpr const char* kAddScalingNames[] = {"cpu", "load", "vta"};
inline constexpr int kAddScalingCount = 3;

// The largest stride of a transfer, in elements.
inline constexpr uint32_t kMostStride = 0xFFFF;

inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }
inline uint32_t Most(uint32_t a, uint32_t b) { return a > b ? a : b; }
inline uint32_t CeilDivide(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
inline uint32_t Unsigned(int32_t value) { return static_cast<uint32_t>(value); }

struct DriverOptions {
  Config config;  // Valid.
  Mode mode = Mode::kExact;
  AddScaling add = AddScaling::kVta;
  uint32_t threads = 2;  // 1 or 2: with two, one computes while the other loads and stores.
};

// Memory that the host and the device see.
struct DramBuffer {
  uint8_t* bytes = nullptr;
  uint64_t size = 0;
  uint64_t address = 0;  // The device's; a multiple of kDramAlignment.

  uint32_t Index(const Config& config, Memory memory) const {
    return static_cast<uint32_t>(address >> config.LogElementBytes(memory));
  }
};
inline constexpr uint64_t kDramAlignment = 4096;

// The cost of a run; -1: the device does not count it.
struct RunCounters {
  int64_t cycles = -1, bytes_moved = -1;

  void Add(const RunCounters& more) {
    cycles = cycles < 0 || more.cycles < 0 ? -1 : cycles + more.cycles;
    bytes_moved = bytes_moved < 0 || more.bytes_moved < 0 ? -1 : bytes_moved + more.bytes_moved;
  }
};

// The device, real or simulated: a table of functions.
struct Device {
  void* user = nullptr;
  // Allocates zeroed memory that the device sees. Null: the driver requests its own memory, and maps it.
  Status (*allocate)(void* user, uint64_t bytes, DramBuffer* buffer) = nullptr;
  // Sets the device's address of buffer->bytes, which keep their address.
  Status (*map)(void* user, DramBuffer* buffer) = nullptr;
  // Runs a stream to its FINISH. The device has to flush caches if necessary.
  Status (*run)(void* user, const Config& config, Span<const EncodedInstruction> stream,
                RunCounters* counters) = nullptr;
};

// Says where persistent memory comes from: it is zeroed and aligned to 16.
struct PersistentMemory {
  void* user = nullptr;
  Status (*allocate)(void* user, uint64_t bytes, void** memory) = nullptr;
};

struct Driver {
  DriverOptions options;
  Device device;
  PersistentMemory memory;
  // Set by PrepareDriver, for streams that are being written.
  Span<uint32_t> recorded = {};
  Span<UopKernel> kernels = {};

  const Config& config() const { return options.config; }
};
Status PrepareDriver(Driver& driver);
Status AllocateDram(const Driver& driver, uint64_t bytes, DramBuffer* buffer);
template <typename T>
Status AllocateArray(const Driver& driver, uint64_t count, Span<T>* array) {
  void* memory = nullptr;
  LUTRA_TRY(driver.memory.allocate(driver.memory.user, count * sizeof(T), &memory));
  *array = {static_cast<T*>(memory), static_cast<size_t>(count)};
  return Status::kOk;
}

// A tensor of int8 in VTA's layout: [group][channel block][row][column][BATCH][BLOCK], with a frame around
// each plane that windows may read. Producers write only the inside, so the frame keeps its fill.
struct Image {
  uint32_t groups = 1;  // Of BATCH lanes each.
  uint32_t height = 1, width = 1, channels = 1;
  // The frame: rows above and columns to the left, then the rows and columns in all.
  uint32_t top = 0, left = 0, rows = 1, columns = 1;
  int8_t fill = 0;
  // The plain tensor: its element (lane, y, x, channel) is at lane * lane_stride + y * row_stride + x *
  // column_stride + channel * channel_stride; `lane` counts through all groups. Elements from `count` on do
  // not exist. A stride of 0 repeats a value: such images are packed, never unpacked.
  uint64_t lane_stride = 0, row_stride = 0, column_stride = 0, channel_stride = 1, count = 0;
  // Lanes of several dimensions with strides of their own, the outermost first, instead of lane_stride.
  struct OuterAxis {
    uint32_t size;
    uint64_t stride;
  };
  uint32_t outer_count = 0;
  OuterAxis outer[kMaxRank - 3] = {};
  // Null, or 256 values of 32 bits that the image has in place of the codes from -128 on.
  const int32_t* table = nullptr;
  DramBuffer buffer;

  Memory memory() const { return table == nullptr ? Memory::kInp : Memory::kAcc; }
  uint64_t LaneOffset(uint32_t lane) const;

  uint32_t Blocks(const Config& config) const { return CeilDivide(channels, config.block()); }
  // Returns the number of elements of memory().
  uint64_t Elements(const Config& config) const { return uint64_t{groups} * Blocks(config) * rows * columns; }
  // Returns the index in memory of pixel (y, x) of the frame.
  uint32_t Index(const Config& config, uint32_t group, uint32_t block, uint32_t y, uint32_t x) const {
    const uint64_t plane = uint64_t{group} * Blocks(config) + block;
    return buffer.Index(config, memory()) + static_cast<uint32_t>((plane * rows + y) * columns + x);
  }
};
// Returns the image of [images, height, width, channels], with images as lanes and without a frame.
Image ImageOfNhwc(const Config& config, uint32_t images, uint32_t height, uint32_t width, uint32_t channels);
// Returns the image of [count, channels] as one row of pixels, with BATCH of them as lanes.
Image ImageOfRows(const Config& config, uint32_t count, uint32_t channels);
// Makes the frame large enough for windows from (-top, -left) to before (bottom, right).
void WidenImage(Image& image, uint32_t top, uint32_t left, uint32_t bottom, uint32_t right);
Status AllocateImage(const Driver& driver, Image* image);
void PackImage(const Config& config, const Image& image, const int8_t* plain);
void UnpackImage(const Config& config, const Image& image, int8_t* plain);

// The least cycles of a layer, separately for micro-ops of GEMM, those of the ALU in the mode, and beats of
// the bus if all data is moved once.
struct LayerBound {
  uint64_t gemm_cycles = 0, alu_cycles = 0, bus_cycles = 0;
  uint64_t macs = 0;   // Of the model, without padding.
  uint64_t bytes = 0;  // Moved once.

  uint64_t cycles() const {
    const uint64_t compute = gemm_cycles > alu_cycles ? gemm_cycles : alu_cycles;
    return compute > bus_cycles ? compute : bus_cycles;
  }
};

// A partition's operator, ready to run. `reason`: why not, if it was declined (kUnsupported).
struct LoweredLayer {
  Span<const EncodedInstruction> stream;
  LayerBound bound;
  const char* reason = nullptr;

  Status Decline(const char* why) {
    reason = why;
    return Status::kUnsupported;
  }
};

// Tokens of `threads` parts of SRAM (vta.md's double buffering): each step waits until its part has been
// given back.
inline void BeginThreads(CommandStream& commands, uint32_t threads) {
  for (uint32_t i = 0; i < threads; ++i) {
    (void)commands.DepPush(Stage::kCompute, Stage::kLoad);
    (void)commands.DepPush(Stage::kStore, Stage::kCompute);
  }
}
inline Status EndThreads(CommandStream& commands, uint32_t threads) {
  for (uint32_t i = 0; i < threads; ++i) {
    (void)commands.DepPop(Stage::kCompute, Stage::kLoad);
    (void)commands.DepPop(Stage::kStore, Stage::kCompute);
  }
  return commands.Synchronize();
}

// `emit` is called twice, to count and to write; it has to end the stream.
template <typename Emit>
Status WriteStream(const Driver& driver, const Emit& emit, Span<const EncodedInstruction>* stream) {
  CommandBuffers buffers = {.recorded = driver.recorded, .kernels = driver.kernels, .counts = true};
  CommandStream counted(driver.config(), buffers);
  LUTRA_TRY(emit(counted));
  if (counted.uop_count() <= driver.config().Depth(Memory::kUop)) {
    buffers.preloaded_uops = counted.uop_count();
    counted = CommandStream(driver.config(), buffers);
    LUTRA_TRY(emit(counted));
  }
  DramBuffer uops;
  LUTRA_TRY(AllocateDram(driver, uint64_t{counted.uop_count()} * 4, &uops));
  Span<EncodedInstruction> instructions;
  DramBuffer code;
  LUTRA_TRY(AllocateDram(driver, uint64_t{counted.instruction_count()} * kInstructionBytes, &code));
  instructions = {reinterpret_cast<EncodedInstruction*>(code.bytes), counted.instruction_count()};
  buffers.instructions = instructions;
  buffers.uops = {uops.bytes, static_cast<size_t>(uops.size)};
  buffers.uop_dram_index = uops.Index(driver.config(), Memory::kUop);
  buffers.counts = false;
  CommandStream written(driver.config(), buffers);
  LUTRA_TRY(emit(written));
  *stream = instructions;
  return Status::kOk;
}

}  // namespace lutra::vta

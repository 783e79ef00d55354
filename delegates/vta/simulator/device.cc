// SPDX-License-Identifier: Apache-2.0
// The driver's table of functions over the simulator.

#include "delegates/vta/simulator/device.h"

#include "host/environment.h"

namespace lutra::vta::sim {

Device SimulatedDevice::device(bool owns_memory) {
  return {.user = this, .allocate = owns_memory ? Allocate : nullptr, .map = Map, .run = Run};
}

Status SimulatedDevice::Allocate(void* user, uint64_t bytes, DramBuffer* buffer) {
  auto* const self = static_cast<SimulatedDevice*>(user);
  std::vector<uint8_t>& memory = self->memory_.emplace_back(static_cast<size_t>(bytes));
  *buffer = {memory.data(), bytes, 0};
  return Map(user, buffer);
}

Status SimulatedDevice::Map(void* user, DramBuffer* buffer) {
  auto* const self = static_cast<SimulatedDevice*>(user);
  buffer->address = self->dram_.Map({buffer->bytes, static_cast<size_t>(buffer->size)});
  return Status::kOk;
}

Status SimulatedDevice::Run(void* user, const Config&, Span<const EncodedInstruction> stream,
                            RunCounters* counters) {
  auto* const self = static_cast<SimulatedDevice*>(user);
  const int64_t start_ns = host::NowNs();
  self->last_ = self->simulator_.Run(stream, self->dram_, self->options_);
  self->run_ns_ += host::NowNs() - start_ns;
  if (self->last_.ok() && self->options_.estimates_cycles) {
    uint64_t bytes = 0;
    for (const uint64_t count : self->last_.timing.bytes) bytes += count;
    *counters = {static_cast<int64_t>(self->last_.timing.cycles), static_cast<int64_t>(bytes)};
  }
  return self->last_.ok() ? Status::kOk : Status::kInvalidInput;
}

}  // namespace lutra::vta::sim

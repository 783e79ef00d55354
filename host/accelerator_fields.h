// SPDX-License-Identifier: Apache-2.0
// Names the keys of the report of `vta run` once, for writing and reading.
//
//   fmt::print("{}", JsonText(ToJson(run), 1));

#pragma once

#include "host/accelerator_result.h"
#include "host/json_archive.h"

namespace lutra::host {

template <typename Archive, Is<AcceleratorCost> Record>
void Fields(Archive& archive, Record& cost) {
  archive("cycles", cost.cycles);
  archive("bytes", cost.bytes);
  archive("copied_bytes", cost.copied_bytes);
  archive("cycles_with_copies", cost.cycles_with_copies);
}

template <typename Archive, Is<AcceleratorGains> Record>
void Fields(Archive& archive, Record& gains) {
  archive("one_thread", gains.one_thread);
  archive("two_threads", gains.two_threads);
  archive("nodes_apart", gains.nodes_apart);
}

template <typename Archive, Is<AcceleratorOutput> Record>
void Fields(Archive& archive, Record& output) {
  archive("crc32", output.crc32);
}

template <typename Archive, Is<AcceleratedLayer> Record>
void Fields(Archive& archive, Record& layer) {
  archive("index", layer.index);
  archive("op", layer.op);
  archive("cycles", layer.cycles);
  archive("gemm_cycles", layer.gemm_cycles);
  archive("alu_cycles", layer.alu_cycles);
  archive("bus_cycles", layer.bus_cycles);
  archive("bytes", layer.bytes);
  archive("utilisation", layer.utilisation);
}

template <typename Archive, Is<DeclinedNode> Record>
void Fields(Archive& archive, Record& node) {
  archive("node", node.index);
  archive("op", node.op);
  archive("reason", node.reason);
}

template <typename Archive, Is<AcceleratedRun> Record>
void Fields(Archive& archive, Record& run) {
  archive.Derived("schema_version", kResultSchemaVersion);
  archive("accelerator", run.accelerator);
  archive("model", run.model);
  archive("config", run.config);
  archive("mode", run.mode);
  archive("threads", run.threads);
  archive("outputs", run.outputs);
  archive("nodes_taken", run.nodes_taken);
  archive("nodes", run.nodes);
  archive("partitions", run.partitions);
  Fields(archive, run.cost);
  archive("utilisation", run.utilisation);
  archive("instructions", run.instructions);
  archive("macs", run.macs);
  archive("simulated_ns", run.simulated_ns);
  archive("layers", run.layers);
  archive("declined", run.declined);
  archive("differences", run.differences);
  archive.IfAny("gains", run.gains);
}

}  // namespace lutra::host

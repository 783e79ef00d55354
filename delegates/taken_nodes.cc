// SPDX-License-Identifier: Apache-2.0
// Offers nodes to delegates in an arena in which nothing runs.

#include "delegates/taken_nodes.h"

#include <algorithm>

#include "host/kernels_owner.h"
#include "host/prepared_model.h"
#include "lutra/cpu.h"
#include "lutra/graph.h"
#include "lutra/micro_interpreter.h"
#include "lutra/ops/ops.h"

namespace lutra::delegates {
namespace {

constexpr size_t kFirstArena = size_t{1} << 20;

CodecSet AllCodecSets() {
  CodecSet set;
  for (const CodecFacts& codec : AllCodecs()) set.Add(codec.type);
  return set;
}

// A delegate's probe, with a list of the constants that its nodes read.
struct Noting {
  const Delegate* delegate;
  std::vector<CompressedOperand>* operands;

  static bool Probe(const void* state, const DelegateNode& node, const char** reason) {
    const Noting& own = *static_cast<const Noting*>(state);
    if (!own.delegate->IsNodeSupportedByDelegate(own.delegate->state, node, reason)) return false;
    for (int i = 0; i < node.input_count(); ++i) {
      if (!node.IsCompressed(i)) continue;
      const DecodeType codec = node.InputEncoding(i).type;
      if (own.delegate->compressed.Contains(codec)) continue;
      own.operands->push_back({node.index(), node.InputTensor(i), codec, own.delegate});
    }
    return true;
  }
};

}  // namespace

std::map<int, size_t> TakenNodes(const Model& model, const std::vector<const Delegate*>& tables) {
  std::map<int, size_t> taken;
  const DelegateList list = {.delegates = {tables.data(), tables.size()}};
  InterpreterOptions options;
  options.plan.search_moves = 0;
  const auto attempt = [&](size_t bytes) {
    const host::AlignedBytes memory(bytes);
    MicroInterpreter interpreter(model, AllOps(), memory.span(), options);
    const host::KernelsOwner owner(&interpreter);
    const Status status = interpreter.AllocateTensors(list);
    if (status == Status::kArenaTooSmall) return std::max(bytes + 1, interpreter.diagnosis().wanted_bytes);
    for (int n = 0; status == Status::kOk && n < interpreter.node_count(); ++n) {
      const DelegatePartition* const partition = PartitionOf(interpreter.node(n));
      if (partition == nullptr) continue;
      const auto at = std::find(tables.begin(), tables.end(), partition->delegate);
      taken[interpreter.node(n).index] = static_cast<size_t>(at - tables.begin());
    }
    return size_t{0};
  };
  (void)host::GrowArena(kFirstArena, attempt);
  return taken;
}

std::vector<CompressedOperand> KeptByCompression(const Model& model,
                                                 const std::vector<const Delegate*>& tables) {
  std::vector<CompressedOperand> operands;
  for (const Delegate* const delegate : tables) {
    Noting noting = {delegate, &operands};
    // This delegate is probed, and gets no node.
    const Delegate table = {
        .state = &noting,
        .Name = [](const void*) { return ""; },
        .IsNodeSupportedByDelegate = Noting::Probe,
        .CreateDelegateKernelInterface = [](void*, DelegatePrepareContext& context,
                                            DelegateKernel*) { return context.Decline(""); },
        .compressed = AllCodecSets()};
    if (delegate->Initialize != nullptr) (void)delegate->Initialize(delegate->state, CpuFeaturesHere());
    const size_t before = operands.size();
    (void)TakenNodes(model, {&table});
    // The same operands are noted again for a larger arena.
    const auto key = [](const CompressedOperand& o) { return std::pair(o.node, o.tensor); };
    const auto first = operands.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(first, operands.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    operands.erase(
        std::unique(first, operands.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
        operands.end());
  }
  return operands;
}

std::string NamesOf(const CodecSet& codecs) {
  std::string names;
  for (const CodecFacts& codec : AllCodecs()) {
    if (codecs.Contains(codec.type)) names += (names.empty() ? "" : ", ") + std::string(codec.name);
  }
  return names.empty() ? "none" : names;
}

}  // namespace lutra::delegates

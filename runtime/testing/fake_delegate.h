// SPDX-License-Identifier: Apache-2.0
// A delegate for tests: it takes RELU, MAXIMUM, MINIMUM and the custom operator LARGER of int8, as far as its
// members say, and makes false claims on request.
//
//   FakeDelegate fake{.takes = {true, false, true}};
//   const Delegate delegate = fake.Table();

#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lutra/delegate.h"

namespace lutra {

enum class Lie {
  kNone,
  kInitialize,      // Fails in Initialize.
  kCreate,          // Fails in Create.
  kNoEval,          // The kernel has no eval.
  kInit,            // Fails.
  kPrepare,         // Declines with a reason.
  kPrepareQuietly,  // Fails without a reason.
  kSaysArena,       // Says that the arena is too small, without having requested memory.
  kPersistent,      // Requests more than any arena has.
  kSwallows,        // Requests the same, and returns kOk.
  kNegative,        // Requests a negative number of bytes.
  kScratch,         // Requests scratch without end.
  kForeignNode,     // Hands back nodes that are not its own.
  kActivation,      // Reads the values of an operand that is not constant.
  kEval,            // Fails at run time.
};

class FakeDelegate {
 public:
  std::string name = "fake";
  std::vector<bool> takes;   // By the node's index; other nodes are taken.
  std::set<int> hands_back;  // Nodes that Prepare hands back.
  Lie lie = Lie::kNone;
  SimpleDelegateOptions options;
  CodecSet compressed;
  // Counts of calls.
  int initialized = 0;
  int kernels = 0;  // Kernels that were created.
  int freed = 0;
  int evals = 0;

  Delegate Table() {
    return {.state = this,
            .Name = [](const void* state) { return Of(state).name.c_str(); },
            .Initialize =
                [](void* state, CpuFeatures) {
                  ++Of(state).initialized;
                  return Of(state).lie == Lie::kInitialize ? Status::kUnsupported : Status::kOk;
                },
            .IsNodeSupportedByDelegate = IsSupported,
            .CreateDelegateKernelInterface = CreateKernel,
            .DelegateOptions = [](const void* state) { return Of(state).options; },
            .compressed = compressed};
  }

 private:
  // A tensor that a node of the partition computes, in the kernel's own memory.
  struct Made {
    int32_t tensor;
    int8_t* values;
  };
  struct Kernel {
    FakeDelegate* fake;
    Made* made;
    int made_count;
    int scratch;
  };

  static FakeDelegate& Of(const void* state) { return *static_cast<FakeDelegate*>(const_cast<void*>(state)); }

  static bool IsSupported(const void* state, const DelegateNode& node, const char** reason) {
    const FakeDelegate& fake = Of(state);
    const bool known =
        node.code() == BuiltinOperator::kRelu || node.code() == BuiltinOperator::kMaximum ||
        node.code() == BuiltinOperator::kMinimum ||
        (node.code() == BuiltinOperator::kCustom && std::string(node.custom_name()) == "LARGER");
    if (!known) {
      *reason = "no such operator";
      return false;
    }
    if (static_cast<size_t>(node.index()) < fake.takes.size() && !fake.takes[node.index()]) return false;
    return node.Output(0).type == TensorType::kInt8;
  }

  static Status CreateKernel(void* state, DelegatePrepareContext& context, DelegateKernel* kernel) {
    FakeDelegate& fake = Of(state);
    if (fake.lie == Lie::kCreate) return Status::kUnsupported;
    Kernel* own = nullptr;
    LUTRA_TRY(context.AllocateArray(1, &own));
    ++fake.kernels;
    own->fake = &fake;
    *kernel = {.state = own,
               .Init = Init,
               .Prepare = Prepare,
               .Eval = fake.lie == Lie::kNoEval ? nullptr : Eval,
               .Free = [](void* s) { ++static_cast<Kernel*>(s)->fake->freed; },
               .Counters = [](const void*) { return DelegateCounters{.cycles = 7, .bytes_moved = 11}; }};
    return Status::kOk;
  }

  static Status Init(void* state, DelegatePrepareContext&, const DelegateParams&) {
    return static_cast<Kernel*>(state)->fake->lie == Lie::kInit ? Status::kInvalidModel : Status::kOk;
  }

  static Status TellLie(Lie lie, DelegatePrepareContext& context, int* scratch) {
    void* memory = nullptr;
    const int8_t* values = nullptr;
    switch (lie) {
      case Lie::kPrepare:
        return context.Decline("changed its mind");
      case Lie::kPrepareQuietly:
        return Status::kInvalidModel;
      case Lie::kSaysArena:
        return Status::kArenaTooSmall;
      case Lie::kPersistent:
        return context.AllocatePersistent(INT32_MAX, &memory);
      case Lie::kSwallows:
        (void)context.AllocatePersistent(INT32_MAX, &memory);
        return Status::kOk;
      case Lie::kNegative:
        return context.AllocatePersistent(-1, &memory);
      case Lie::kScratch:
        for (int i = 0; i < 3; ++i) LUTRA_TRY(context.RequestScratch(INT32_MAX / 2, scratch));
        return Status::kOk;
      case Lie::kForeignNode:
        return context.DeclineNode(context.node_count(), "not mine");
      case Lie::kActivation:
        return context.ConstantInput(context.node(0), 0, &values);
      default:
        return Status::kOk;
    }
  }

  static Status Prepare(void* state, DelegatePrepareContext& context) {
    Kernel& kernel = *static_cast<Kernel*>(state);
    LUTRA_TRY(TellLie(kernel.fake->lie, context, &kernel.scratch));
    bool handed_back = false;
    for (int k = 0; k < context.node_count(); ++k) {
      if (kernel.fake->hands_back.count(context.node(k).index()) == 0) continue;
      handed_back = true;
      (void)context.DeclineNode(k, "not this one");
    }
    if (handed_back) return Status::kUnsupported;
    kernel.made_count = context.node_count();
    LUTRA_TRY(context.AllocateArray(kernel.made_count, &kernel.made));
    for (int k = 0; k < kernel.made_count; ++k) {
      kernel.made[k].tensor = context.node(k).OutputTensor(0);
      LUTRA_TRY(context.AllocateArray(context.node(k).Output(0).bytes, &kernel.made[k].values));
    }
    LUTRA_TRY(context.RequestScratch(24, &kernel.scratch));
    int values = 0;  // The decoded values behind it.
    return context.RequestScratch(context.node(0).Output(0).bytes, &values);
  }

  static const int8_t* Find(const Kernel& kernel, const DelegateEvalContext& context,
                            const DelegateNode& node, int i) {
    const int32_t tensor = node.InputTensor(i);
    for (int m = 0; m < kernel.made_count; ++m) {
      if (kernel.made[m].tensor == tensor) return kernel.made[m].values;
    }
    if (node.IsCompressed(i)) {
      int8_t* const values = context.Scratch<int8_t>(kernel.scratch + 32);
      return context.DecodeInput(node, i, values) == Status::kOk ? values : nullptr;
    }
    if (node.IsConstant(i)) return reinterpret_cast<const int8_t*>(node.Input(i).data.data());
    return static_cast<const int8_t*>(context.TensorData(tensor));
  }

  static Status Eval(void* state, DelegateEvalContext& context) {
    Kernel& kernel = *static_cast<Kernel*>(state);
    ++kernel.fake->evals;
    if (kernel.fake->lie == Lie::kEval) return Status::kUnsupported;
    // The scratch exists, and belongs to the kernel alone.
    std::fill_n(context.Scratch<uint8_t>(kernel.scratch), 24, uint8_t{0xEE});
    // Outputs belong to the kernel from the start.
    for (size_t i = 0; i < context.params().output_tensors.size(); ++i) {
      std::fill_n(context.Output<int8_t>(static_cast<int>(i)),
                  context.tensor(context.params().output_tensors[i]).bytes, int8_t{0x55});
    }
    for (int k = 0; k < kernel.made_count; ++k) {
      const DelegateNode node = context.node(k);
      const int8_t* const a = Find(kernel, context, node, 0);
      const int8_t* const b = node.input_count() > 1 ? Find(kernel, context, node, 1) : nullptr;
      const auto zero = static_cast<int8_t>(node.Output(0).zero_point);
      for (int i = 0; i < node.Output(0).bytes; ++i) {
        const int8_t other = b != nullptr ? b[i] : zero;
        kernel.made[k].values[i] =
            node.code() == BuiltinOperator::kMinimum ? std::min(a[i], other) : std::max(a[i], other);
      }
    }
    for (int k = 0; k < kernel.made_count; ++k) {
      auto* const out = static_cast<int8_t*>(context.TensorData(kernel.made[k].tensor));
      if (out != nullptr) std::copy_n(kernel.made[k].values, context.node(k).Output(0).bytes, out);
    }
    return Status::kOk;
  }
};

}  // namespace lutra

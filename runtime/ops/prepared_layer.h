// SPDX-License-Identifier: Apache-2.0
// For operators with weights: the choice of a variant by the layer's arguments, and what the variant made of
// them beforehand. Where no variant of the build prepares, the kernel's Args have no member `prepared`, and
// nothing of this costs a byte or an instruction.

#pragma once

#include "lutra/cpu.h"
#include "lutra/micro_context.h"

namespace lutra {

template <typename Args>
inline constexpr bool kTakesPrepared = requires(Args args) {
  args.prepared;
};

// What a node keeps of it.
template <typename Args, bool = kTakesPrepared<Args>>
struct PreparedMemory {
  void GiveTo(Args*) const {}
};
template <typename Args>
struct PreparedMemory<Args, true> {
  const void* memory;
  void GiveTo(Args* args) const { args->prepared = memory; }
};
template <typename Fn>
struct LayerKernel {
  Fn run;
  [[no_unique_address]] PreparedMemory<KernelArgs<Fn>> prepared;
};

// The values of input i, if eval will find the same there; else null.
template <typename T>
const T* KnownInput(const PrepareContext& context, int i) {
  if (!context.HasInput(i) || context.Input(i).is_compressed) return nullptr;
  return context.ConstantInput<T>(i);
}

// The weights of a layer, if they are known and so is the bias, which may be left out.
inline const int8_t* KnownWeights(const PrepareContext& context, int weights, int bias) {
  if (context.HasInput(bias) && KnownInput<int32_t>(context, bias) == nullptr) return nullptr;
  return KnownInput<int8_t>(context, weights);
}

// The choice that needs no arguments; null where there will be a ChooseByArgs.
template <typename Fn, int N>
Fn ChooseAtOnce(const PrepareContext& context, const Variant<Fn> (&variants)[N]) {
  if constexpr (kTakesPrepared<KernelArgs<Fn>>) {
    return nullptr;
  } else {
    return context.Choose(variants);
  }
}

// make_args() returns the arguments as far as they are known.
template <typename Fn, int N, typename MakeArgs>
Status ChooseByArgs(PrepareContext& context, const Variant<Fn> (&variants)[N], const MakeArgs& make_args,
                    LayerKernel<Fn>* kernel) {
  if constexpr (kTakesPrepared<KernelArgs<Fn>>) {
    KernelArgs<Fn> args = make_args();
    LUTRA_TRY(context.ChooseFor(variants, &args, &kernel->run));
    kernel->prepared.memory = args.prepared;
  }
  return Status::kOk;
}

}  // namespace lutra

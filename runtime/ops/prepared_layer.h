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

// make_args() returns the arguments as far as they are known.
template <typename Fn, int N, typename MakeArgs>
Status ChooseForLayer(PrepareContext& context, const Variant<Fn> (&variants)[N], const MakeArgs& make_args,
                      Fn* run, PreparedMemory<KernelArgs<Fn>>* prepared) {
  if constexpr (kTakesPrepared<KernelArgs<Fn>>) {
    KernelArgs<Fn> args = make_args();
    LUTRA_TRY(context.ChooseFor(variants, &args, run));
    prepared->memory = args.prepared;
  } else {
    *run = context.Choose(variants);
  }
  return Status::kOk;
}

}  // namespace lutra

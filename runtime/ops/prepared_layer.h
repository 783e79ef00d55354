// SPDX-License-Identifier: Apache-2.0
// For operators with weights: chooses a variant by the layer's arguments, and keeps the memory that it
// prepares from them. In builds whose variants do not prepare, the kernel's Args have no member `prepared`,
// and this costs no byte and no instruction.

#pragma once

#include "lutra/cpu.h"
#include "lutra/micro_context.h"
#include "runtime/ops/board_scratch.h"
#include "runtime/ops/rows_of_calls.h"

namespace lutra {

template <typename Args>
inline constexpr bool kTakesPrepared = requires(Args args) {
  args.prepared;
};

template <typename Args>
inline constexpr bool kTakesStreamed = requires(Args args) {
  args.streamed;
};

template <typename Args>
inline constexpr bool kTakesScratch = requires(Args args) {
  args.scratch;
};

// Weights whose dimension `channels`, the first or the last, is that of output channels.
inline StreamedRows StreamedRowsOf(const Shape& weights, int channels, const Encoding& encoding,
                                   CpuFeatures features) {
  const int32_t rows = channels == 0 ? weights[0] : weights.OuterCount();
  return {&encoding, features, DecodePart, rows, rows == 0 ? 0 : encoding.elements / rows};
}

// An encoding with the context and input for which decoding of its parts is profiled.
struct NotedEncoding : Encoding {
  const MicroContext* context = nullptr;
  int input = 0;
};

// A StreamedRows::DecodeFn for a NotedEncoding.
inline void DecodeNotedPart(const Encoding& encoding, CpuFeatures features, int32_t first, int32_t count,
                            StreamPosition* position, void* output) {
  const auto& noted = static_cast<const NotedEncoding&>(encoding);
  noted.context->DecodeStreamed(noted.input,
                                [&] { DecodePart(encoding, features, first, count, position, output); });
}

// What a node keeps of its prepared memory.
template <typename Args, bool = kTakesPrepared<Args>>
struct PreparedMemory {
  void GiveTo(Args*) const {}
  bool Has() const { return false; }
};
template <typename Args>
struct PreparedMemory<Args, true> {
  const void* memory;
  void GiveTo(Args* args) const { args->prepared = memory; }
  bool Has() const { return memory != nullptr; }
};
// See Variant::rows_at_once; 1 if the layer has several images. It is no member of LayerKernel, so that a
// node's data can have it where alignment leaves room.
template <typename Args, bool = kTakesStreamed<Args>>
struct RowsAtOnce {
  static constexpr int32_t rows = 1;
};
template <typename Args>
struct RowsAtOnce<Args, true> {
  int32_t rows;
};
// What a node keeps of its variant's scratch.
template <typename Fn, bool = kTakesScratch<KernelArgs<Fn>>>
struct LayerScratch {
  void GiveTo(const EvalContext&, KernelArgs<Fn>*) const {}
  static constexpr int32_t RowsAtOnce(const KernelArgs<Fn>&) { return 1; }
};
#if LUTRA_HAVE_SCRATCH_LAYERS
template <typename Fn>
struct LayerScratch<Fn, true> {
  typename Variant<Fn>::RowsAtOnceFn rows_at_once;  // Null: one.
  int32_t certain_bytes;                            // 0: none.
  int index;

  Status Request(PrepareContext& context, const Variant<Fn>& variant, const KernelArgs<Fn>& args,
                 int32_t images) {
    if (variant.scratch == nullptr) return Status::kOk;
    const ScratchBytes bytes = variant.scratch(args, RowsOfCalls(context, args));
    if (bytes.most == 0) return Status::kOk;
    if (images == 1) rows_at_once = variant.rows_at_once;
    return context.RequestGrowingScratch(bytes, &certain_bytes, &index);
  }
  void GiveTo(const EvalContext& context, KernelArgs<Fn>* args) const {
    if (certain_bytes == 0) return;
    args->scratch = context.ScratchData<void>(index);
    args->scratch_bytes = certain_bytes + context.MoreScratchBytes();
    if constexpr (requires { args->downwards; }) args->downwards = context.MakesRowsDownwards();
  }
  int32_t RowsAtOnce(const KernelArgs<Fn>& args) const {
    return rows_at_once != nullptr ? rows_at_once(args) : 1;
  }
};
#endif
template <typename Fn>
struct LayerKernel {
  Fn run;
  [[no_unique_address]] PreparedMemory<KernelArgs<Fn>> prepared;
  [[no_unique_address]] LayerScratch<Fn> scratch;
};

// The values of input i, if eval will find the same there; else null.
template <typename T>
const T* KnownInput(const PrepareContext& context, int i) {
  if (!context.HasInput(i)) return nullptr;
  const void* const decoded = context.DecodedInput(i);
  if (decoded != nullptr || context.Input(i).is_compressed) return static_cast<const T*>(decoded);
  return context.ConstantInput<T>(i);
}

// The values of a layer that prepare knows: weights only if the bias, which may be left out, is known, too.
struct KnownValues {
  const int8_t* weights;
  const int32_t* bias;
};

// Chooses a variant without arguments; returns null if ChooseByArgs will choose.
template <typename Fn, int N>
Fn ChooseAtOnce(const PrepareContext& context, const Variant<Fn> (&variants)[N]) {
  if constexpr (kTakesPrepared<KernelArgs<Fn>>) {
    return nullptr;
  } else {
    return context.Choose(variants);
  }
}

// The weights and the bias of a layer, by their inputs.
struct LayerOperands {
  int weights;
  int bias;
  int channels;  // The dimension of the weights that has one index for each output channel.
};

inline KnownValues KnownValuesOf(const PrepareContext& context, const LayerOperands& operands) {
  KnownValues known = {nullptr, KnownInput<int32_t>(context, operands.bias)};
  if (!context.HasInput(operands.bias) || known.bias != nullptr) {
    known.weights = KnownInput<int8_t>(context, operands.weights);
  }
  return known;
}

// PrepareContext::ChooseFor of a layer, whose operands may be streamed: its variants see the weights'
// encoding, and all values of the bias, while they prepare.
template <typename Fn, int N, typename MakeArgs>
Status ChooseForStreamed(PrepareContext& context, const Variant<Fn> (&variants)[N],
                         const LayerOperands& operands, const MakeArgs& make_args, KernelArgs<Fn>* args,
                         Fn* run, int* chosen) {
  constexpr int32_t kMostBiases = 1024;
  int32_t biases[kMostBiases];
  KnownValues known = {nullptr, KnownInput<int32_t>(context, operands.bias)};
  if (context.IsStreamed(operands.bias) && context.Input(operands.bias).shape.Count() <= kMostBiases) {
    const Encoding encoding = context.StreamedEncoding(operands.bias);
    const auto decode = [&] { Decode(encoding, context.cpu_features(), biases); };
    context.decodes_at_init() ? context.DecodeStreamed(operands.bias, decode) : decode();
    known.bias = biases;
  }
  const bool bias_known = !context.HasInput(operands.bias) || known.bias != nullptr;
  if (bias_known) known.weights = KnownInput<int8_t>(context, operands.weights);
  *args = make_args(known);
  NotedEncoding encoding;
  StreamedRows rows;
  if (bias_known && context.IsStreamed(operands.weights)) {
    static_cast<Encoding&>(encoding) = context.StreamedEncoding(operands.weights);
    encoding.context = &context;
    encoding.input = operands.weights;
    rows = StreamedRowsOf(context.Input(operands.weights).shape, operands.channels, encoding,
                          context.cpu_features());
    rows.only_once = context.decodes_at_init();
    if (rows.only_once) rows.decode = DecodeNotedPart;
    args->streamed = &rows;
  }
  LUTRA_TRY(context.ChooseFor(variants, args, run, chosen));
  args->streamed = nullptr;
  args->bias = nullptr;
  return Status::kOk;
}

// make_args(KnownValues) returns the arguments as far as they are known, without streamed weights. `images`:
// how many images the output has, each with rows of its own.
template <typename Fn, int N, typename MakeArgs>
Status ChooseByArgs(PrepareContext& context, const Variant<Fn> (&variants)[N], const LayerOperands& operands,
                    const MakeArgs& make_args, int32_t images, LayerKernel<Fn>* kernel,
                    RowsAtOnce<KernelArgs<Fn>>* at_once) {
  [[maybe_unused]] int chosen = 0;
  if constexpr (kTakesStreamed<KernelArgs<Fn>>) {
    KernelArgs<Fn> args = {};
    LUTRA_TRY(ChooseForStreamed(context, variants, operands, make_args, &args, &kernel->run, &chosen));
    const bool streams = context.IsStreamed(operands.weights) || context.IsStreamed(operands.bias);
    if (args.prepared == nullptr && streams && context.decodes_at_init()) {
      // No variant has prepared all that it needs: runs read weights and bias.
      LUTRA_TRY(context.DecodeStreamedAtInit(operands.weights));
      LUTRA_TRY(context.DecodeStreamedAtInit(operands.bias));
      LUTRA_TRY(ChooseForStreamed(context, variants, operands, make_args, &args, &kernel->run, &chosen));
    }
    kernel->prepared.memory = args.prepared;
    const auto rows_at_once = variants[chosen].rows_at_once;
    at_once->rows = rows_at_once != nullptr && images == 1 ? rows_at_once(args) : 1;
  } else if constexpr (kTakesPrepared<KernelArgs<Fn>>) {
    KernelArgs<Fn> args = make_args(KnownValuesOf(context, operands));
    LUTRA_TRY(context.ChooseFor(variants, &args, &kernel->run, &chosen));
    kernel->prepared.memory = args.prepared;
  }
#if LUTRA_HOSTED
  LUTRA_TRY(RequestBoardScratch(context, make_args(KnownValuesOf(context, operands))));
#elif LUTRA_HAVE_SCRATCH_LAYERS
  if constexpr (kTakesScratch<KernelArgs<Fn>>) {
    const Variant<Fn>& variant =
        kTakesPrepared<KernelArgs<Fn>> ? variants[chosen] : Best(variants, context.cpu_features());
    return kernel->scratch.Request(context, variant, make_args({nullptr, nullptr}), images);
  }
#endif
  return Status::kOk;
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0
// Readers: runtime/model.cc runtime/model_options.cc runtime/model_verifier.cc
// Fuzz target: a .tflite file, loaded, prepared and run, on the CPU and with delegates, which must compute
// the same.

#include <cstdlib>
#include <iterator>

#include "delegates/delegates.h"
#include "lutra/compression/decode.h"
#include "lutra/rule.h"
#include "runtime/testing/try_to_run.h"

namespace {

using lutra::delegates::ChosenDelegates;

const lutra::DelegateList& DelegatesOf(int choice) {
  static const ChosenDelegates chosen[] = {
      {"", ""}, {"example", ""}, {"vta", ""}, {"vta", "threads=2"}, {"vta,example", ""}};
  return chosen[choice % static_cast<int>(std::size(chosen))].list();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The arena is small, so that no model takes long.
  constexpr size_t kArenaBytes = 32 * 1024;
  // The last byte of a file, which is padding or part of a constant, chooses the options.
  const uint8_t choice = size == 0 ? uint8_t{0} : data[size - 1];
  lutra::InterpreterOptions options = {
      .policy = choice % 2 == 0 ? lutra::MemoryPolicy::kFast : lutra::MemoryPolicy::kSmall,
      .decompression = static_cast<lutra::DecompressionPolicy>(choice / 2 % 3)};
  const lutra::Trial trial = lutra::Try({data, size}, options, {}, kArenaBytes);
  if (trial.status != lutra::Status::kOk && trial.rule == lutra::Rule::kNone) abort();  // It names no rule.

  // Delegates decode TFLM_DECODE's tensors with the application's decoder: for all codecs, for tables, or
  // none.
  constexpr lutra::DecodeFn kDecoders[] = {lutra::Decode, lutra::DecodeLut, nullptr};
  if (trial.status == lutra::Status::kOk) options.decode = kDecoders[choice / 30 % 3];
  const lutra::DelegateList& delegates = DelegatesOf(choice / 6);
  if (delegates.delegates.empty()) return 0;
  const lutra::Trial delegated = lutra::Try({data, size}, options, {}, kArenaBytes, delegates);
  if (delegated.status != lutra::Status::kOk && delegated.rule == lutra::Rule::kNone) abort();
  // If the CPU refuses a model, a delegate must not run it.
  if (trial.status == lutra::Status::kInvalidModel && delegated.status == lutra::Status::kOk) abort();
  const bool ran = trial.status == lutra::Status::kOk && delegated.status == lutra::Status::kOk;
  if (ran && trial.outputs != delegated.outputs) abort();  // Outputs must be equal.
  return 0;
}

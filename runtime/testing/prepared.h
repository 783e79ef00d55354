// SPDX-License-Identifier: Apache-2.0
// For tests and benchmarks of kernels: does what MicroContext::ChooseFor does for a variant that prepares.
//
//   const PreparedArgs<LookupFn> prepared({variant, may_prepare}, args);
//   if (prepared.is_for_variant()) variant.run(prepared.args(), first, count);

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lutra/cpu.h"

namespace lutra {

// How the interpreter may use a variant: with the memory it requests, or without.
template <typename Fn>
struct VariantUse {
  Variant<Fn> variant;
  bool may_prepare = true;

  std::string name() const { return std::string(variant.name) + (may_prepare ? "" : "_unprepared"); }
};

template <typename Fn, int N>
std::vector<VariantUse<Fn>> UsesOf(const Variant<Fn> (&table)[N]) {
  std::vector<VariantUse<Fn>> uses;
  for (const Variant<Fn>& variant : table) {
    uses.push_back({variant, true});
    if (variant.prepare != nullptr && variant.unprepared == Unprepared::kRuns)
      uses.push_back({variant, false});
  }
  return uses;
}

template <typename Fn>
class PreparedArgs {
 public:
  PreparedArgs(const VariantUse<Fn>& use, const KernelArgs<Fn>& args) : args_(args) {
    const Variant<Fn>& variant = use.variant;
    if (variant.prepare == nullptr) return;
    bytes_ = variant.prepare(args_, nullptr);
    if (bytes_ <= 0 || !use.may_prepare) return;
    memory_.resize(static_cast<size_t>(bytes_) / sizeof(Block) + 3);
    std::fill_n(bytes_of_memory(), memory_.size() * sizeof(Block), kGuard);
    agrees_ = variant.prepare(args_, &memory_[1]) == bytes_;
    if constexpr (requires { args_.prepared; }) args_.prepared = &memory_[1];
  }

  bool is_for_variant() const { return bytes_ >= 0; }
  const KernelArgs<Fn>& args() const { return args_; }
  int32_t bytes() const { return bytes_; }
  // Returns whether prepare wrote nothing around its memory, and returned the same number both times.
  bool is_right() {
    for (size_t i = 0; i < memory_.size() * sizeof(Block); ++i) {
      const bool inside = i >= sizeof(Block) && i < sizeof(Block) + static_cast<size_t>(bytes_);
      if (!inside && bytes_of_memory()[i] != kGuard) return false;
    }
    return agrees_;
  }

 private:
  struct alignas(16) Block {  // As memory is aligned in the arena.
    uint8_t bytes[16];
  };
  static constexpr uint8_t kGuard = 0x5A;
  uint8_t* bytes_of_memory() { return memory_.data()->bytes; }

  KernelArgs<Fn> args_;
  std::vector<Block> memory_;  // A block of guards, the prepared memory, and guards behind it.
  int32_t bytes_ = 0;
  bool agrees_ = true;
};

}  // namespace lutra

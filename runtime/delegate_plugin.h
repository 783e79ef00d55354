// SPDX-License-Identifier: Apache-2.0
// A delegate as a shared library, which the programs load by its path: --delegate ./npu.so.
//
//   #include "lutra/delegate_plugin.h"
//   #include "lutra/delegates/example/example_delegate.h"
//
//   LUTRA_DELEGATE_PLUGIN(lutra::kExampleDelegate);
//
// delegates/README.md says how it is built. The library calls the runtime's functions in the program, so that
// both must be of one version.

#pragma once

#include <stdint.h>

#include "lutra/delegate.h"

namespace lutra {

// A library and the program that loads it have to agree on these numbers.
struct DelegateLayout {
  uint32_t version;
  uint32_t delegate_bytes;
  uint32_t kernel_bytes;
  uint32_t node_bytes;
  uint32_t tensor_info_bytes;
  uint32_t graph_bytes;
  friend constexpr bool operator==(const DelegateLayout&, const DelegateLayout&) = default;
};

inline constexpr DelegateLayout kDelegateLayout = {1,
                                                   static_cast<uint32_t>(sizeof(Delegate)),
                                                   static_cast<uint32_t>(sizeof(DelegateKernel)),
                                                   static_cast<uint32_t>(sizeof(DelegateNode)),
                                                   static_cast<uint32_t>(sizeof(TensorInfo)),
                                                   static_cast<uint32_t>(sizeof(Graph))};

// The one function that a library exports. Fills in `delegate`, and returns 0; or else returns its own
// version and leaves `delegate` as it is.
using DelegatePluginFn = uint32_t (*)(const DelegateLayout* program, Delegate* delegate);
inline constexpr char kDelegatePluginName[] = "lutra_delegate_plugin";

}  // namespace lutra

#define LUTRA_DELEGATE_PLUGIN(table)                                                  \
  extern "C" [[gnu::visibility("default")]] uint32_t lutra_delegate_plugin(           \
      const lutra::DelegateLayout* program, lutra::Delegate* delegate) {              \
    if (!(*program == lutra::kDelegateLayout)) return lutra::kDelegateLayout.version; \
    *delegate = (table);                                                              \
    return 0;                                                                         \
  }

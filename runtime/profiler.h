// SPDX-License-Identifier: Apache-2.0
// Profiler: a hook that Invoke calls around each operator.
//
//   struct Timer { uint64_t started; uint64_t ticks[100]; };
//   const Profiler profiler = {&timer, BeginNode, EndNode};
//
// Called with the position of the node in MicroInterpreter::node(). A CALL_ONCE node's own time
// does not contain that of the nodes it runs.

#pragma once

namespace lutra {

struct Profiler {
  void* user = nullptr;
  void (*begin)(void* user, int node) = nullptr;
  void (*end)(void* user, int node) = nullptr;
};

}  // namespace lutra

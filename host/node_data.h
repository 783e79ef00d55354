// SPDX-License-Identifier: Apache-2.0
// Model Explorer's node data: one quantity of a graph's nodes, which the viewer shows on the nodes and in
// their colours.
//
//   WriteFileBytes("kws.explorer.json", ...NodeDataText("main", "median us", {{"MobileNet/conv1", 12.5}}));

#pragma once

#include <string>
#include <vector>

namespace lutra::host {

// The ending of its files.
inline constexpr char kNodeDataEnding[] = ".explorer.json";

struct NodeValue {
  std::string tensor;  // The name of an output of the node, by which the viewer finds it.
  double value = 0;
};

// `graph`: the subgraph's name; empty: main. `name`: what the values are, with their unit.
std::string NodeDataText(const std::string& graph, const std::string& name,
                         const std::vector<NodeValue>& nodes);

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Models and memory plans as text.

#include "bench/inspect.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/decompression.h"
#include "bench/macs.h"
#include "bench/measure.h"
#include "host/prepared_model.h"
#include "host/printable.h"
#include "host/wrap.h"
#include "lutra/graph.h"
#include "lutra/node_info.h"
#include "lutra/ops/ops.h"
#include "runtime/find_op.h"

namespace lutra::bench {
namespace {

std::string ShapeText(const Shape& shape) {
  std::string text = "[";
  for (int i = 0; i < shape.rank; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  return text + "]";
}

// Long names are cut to this many characters. Where a tensor's line continues behind its shape's column.
constexpr size_t kMostOfName = 54, kTensorIndent = 24;

std::string TensorText(const Model& model, int subgraph, int32_t index) {
  if (index < 0) return "(left out)";
  const TensorInfo info = model.tensor(subgraph, index);
  std::string text = fmt::format("{:>4} {:<7} {:<18}", index, ToString(info.type), ShapeText(info.shape));
  if (info.scales.count == 1) {
    // The zero point is written as the file has it, in 64 bits: it may be out of its type's range.
    text += fmt::format(" scale {:.6g} zero point {}", info.scale, info.zero_points[0]);
  } else if (info.scales.count > 1) {
    float low = info.scales[0];
    float high = low;
    for (int i = 1; i < info.scales.count; ++i) {
      low = std::min(low, info.scales[i]);
      high = std::max(high, info.scales[i]);
    }
    text += fmt::format(" {} scales {:.3g}..{:.3g} on axis {}", info.scales.count, low, high,
                        info.quantized_dimension);
  }
  if (info.is_constant()) text += fmt::format(" constant, {} bytes", info.data.size());
  if (const std::string codec = CodecOf(model, subgraph, index); !codec.empty()) {
    text += fmt::format(", compressed ({})", codec);
  }
  if (info.is_variable) text += " variable";
  return text + fmt::format(" \"{}\"", host::ShortName(info.name, kMostOfName));
}

std::string TensorLine(const char* role, const Model& model, int subgraph, int32_t index) {
  return host::Wrapped(fmt::format("       {:<3} {}\n", role, TensorText(model, subgraph, index)),
                       kTensorIndent);
}

// A custom operator's name is the model's.
std::string OperatorName(BuiltinOperator code, const char* custom_code) {
  return host::Printable(NameOf(code, custom_code));
}

std::string NameOfBuffer(const Model& model, const PlannedBuffer& buffer) {
  constexpr size_t kMost = 28;
  const std::string name = host::Printable(model.tensor(buffer.subgraph, buffer.tensor).name);
  return std::string(host::Beginning(name, kMost));
}

std::string NameOfNode(const Model& model, const Node& node) {
  const NodeInfo info = model.node(node.subgraph, node.index);
  return OperatorName(info.code, info.custom_code);
}

std::string CompressionText(const Model& model) {
  int count = 0;
  int64_t stored_bytes = 0;
  for (int s = 0; s < model.subgraph_count(); ++s) {
    for (int t = 0; t < model.tensor_count(s); ++t) {
      if (CodecOf(model, s, t).empty()) continue;
      ++count;
      stored_bytes += static_cast<int64_t>(model.tensor(s, t).data.size());
    }
  }
  if (count == 0) return "no compressed tensors";
  return fmt::format("{} compressed tensors in {} bytes", count, stored_bytes);
}

size_t SmallestArena(const host::ModelFile& file, const MeasureOptions& options) {
  return host::SmallestArena(file, options.interpreter, options.regions, options.delegates);
}

}  // namespace

std::string InspectModel(const host::ModelFile& file, const MeasureOptions& options) {
  const Model& model = file.model;
  std::string text = host::Wrapped(fmt::format("{}: {} bytes, {} subgraph{}\n", host::Printable(file.path),
                                               file.bytes.size(), model.subgraph_count(),
                                               model.subgraph_count() == 1 ? "" : "s"));
  int64_t macs = 0;
  int64_t weights = 0;
  for (int s = 0; s < model.subgraph_count(); ++s) {
    text += fmt::format("\nsubgraph {}: {} tensors, {} operators\n", s, model.tensor_count(s),
                        model.node_count(s));
    for (int t = 0; t < model.tensor_count(s); ++t)
      weights += static_cast<int64_t>(model.tensor(s, t).data.size());
    for (int n = 0; n < model.node_count(s); ++n) {
      const NodeInfo node = model.node(s, n);
      const int64_t node_macs = CountMacs(model, s, n);
      macs += node_macs;
      text += host::Wrapped(
          fmt::format(
              "\n{:>4} {} version {}{}{}\n", n, OperatorName(node.code, node.custom_code), node.version,
              node_macs > 0 ? fmt::format(", {} MACs", node_macs) : "",
              FindOp(AllOps(), node) != nullptr ? "" : "  UNSUPPORTED: no such operator in this runtime"),
          5);
      for (int i = 0; i < node.inputs.count; ++i) text += TensorLine("in", model, s, node.inputs[i]);
      for (int i = 0; i < node.outputs.count; ++i) text += TensorLine("out", model, s, node.outputs[i]);
    }
  }
  text += fmt::format("\n{} MACs, {} bytes of constants, {}\n", macs, weights, CompressionText(model));
  try {
    const size_t arena_bytes = SmallestArena(file, options);
    text += fmt::format("runs in an arena of {} bytes\n", arena_bytes);
  } catch (const host::BadInput& refusal) {
    text += host::Wrapped(fmt::format("does not run: {}\n", refusal.what()));
  }
  return text;
}

std::string DrawMemoryPlan(const host::ModelFile& file, const MeasureOptions& options) {
  constexpr int kColumns = 56;
  struct Plan {
    std::vector<PlannedBuffer> buffers;
    std::vector<bool> in_group;  // Indexed by node.
    std::string groups;
  } plan;
  const MicroInterpreter::Visitor visitor = {
      .user = &plan,
      .buffer = [](void* user, const PlannedBuffer& b) { static_cast<Plan*>(user)->buffers.push_back(b); },
      .row_group =
          [](void* user, int first, int count) {
            Plan& seen = *static_cast<Plan*>(user);
            seen.in_group.resize(static_cast<size_t>(first + count));
            std::fill(seen.in_group.begin() + first, seen.in_group.end(), true);
            seen.groups += fmt::format("steps {} to {} run together, row by row, when step {} is due\n",
                                       first + 1, first + count, first + count);
          }};
  host::PreparedModel prepared(file, options.interpreter, SmallestArena(file, options), visitor, nullptr,
                               options.regions, options.delegates);
  const MemoryUse memory = prepared->memory();
  std::string text = host::Wrapped(fmt::format(
      "{}: {} bytes for activations and scratch (no plan can be below {}), overlap {}\n"
      "one line for each step; a letter marks a buffer's bytes, * bytes that two share,\n"
      "< a node that makes its output's rows from the last to the first\n"
      "{}0 {:>{}}\n",
      host::Printable(file.path), memory.head_bytes, memory.bound_bytes,
      options.interpreter.overlap ? "on" : "off",
      plan.groups.empty() ? "" : "| a node of a group\n" + plan.groups, memory.head_bytes, kColumns + 18));
  const std::vector<PlannedBuffer>& buffers = plan.buffers;
  const auto name_of = [](size_t i) {
    constexpr char kNames[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return kNames[i % (sizeof(kNames) - 1)];
  };
  const double scale =
      memory.head_bytes == 0 ? 0 : static_cast<double>(kColumns) / static_cast<double>(memory.head_bytes);
  for (int step = 0; step <= prepared->node_count() + 1; ++step) {
    std::string row(kColumns, '.');
    for (size_t i = 0; i < buffers.size(); ++i) {
      const PlannedBuffer& b = buffers[i];
      if (b.first_step > step || b.last_step < step || b.bytes == 0) continue;
      const int from = std::min(kColumns - 1, static_cast<int>(b.offset * scale));
      const int to =
          std::max(from + 1, std::min(kColumns, static_cast<int>((b.offset + b.bytes) * scale + 0.5)));
      for (int c = from; c < to; ++c)
        row[static_cast<size_t>(c)] = row[static_cast<size_t>(c)] == '.' ? name_of(i) : '*';
    }
    const std::string what = step == 0 ? "inputs"
                             : step > prepared->node_count()
                                 ? "outputs"
                                 : NameOfNode(file.model, prepared->node(step - 1));
    const bool down = step > 0 && step <= prepared->node_count() && prepared->node(step - 1).rows_downwards;
    const auto node = static_cast<size_t>(step - 1);
    const bool grouped = step > 0 && node < plan.in_group.size() && plan.in_group[node];
    text += fmt::format("{:<18.18} {} {}{}\n", fmt::format("{} {}", step, what), row, grouped ? "|" : "",
                        down ? "<" : "");
  }
  text += "\n     offset      bytes  steps      buffer\n";
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PlannedBuffer& b = buffers[i];
    text += fmt::format(
        "{:>2} {:>8} {:>10}  {:>3}..{:<3}   {}\n", name_of(i), b.offset, b.bytes, b.first_step, b.last_step,
        b.tensor < 0 ? "scratch" : fmt::format("tensor {} \"{}\"", b.tensor, NameOfBuffer(file.model, b)));
  }
  return text;
}

}  // namespace lutra::bench

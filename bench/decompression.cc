// SPDX-License-Identifier: Apache-2.0
// Gathers the times of decoding by node and operand, and describes them by tensor.

#include "bench/decompression.h"

#include "bench/times.h"
#include "host/environment.h"
#include "host/statistics.h"
#include "lutra/compression/format.h"
#include "lutra/graph.h"
#include "lutra/node_info.h"
#include "runtime/decoders.h"

namespace lutra::bench {
namespace {

std::string CodecOfPair(const Model& model, int subgraph, const NodeInfo& node, int pair) {
  const TensorInfo ancillary = model.tensor(subgraph, node.inputs[2 * pair + 1]);
  if (ancillary.data.empty()) return "";
  return ToString(static_cast<DecodeType>(ancillary.data[kDecodeTypeByte]));
}

// Returns the tensor that a TFLM_DECODE decodes to this one; if there is none, the tensor itself.
int EncodedTensor(const Model& model, int subgraph, int tensor) {
  const Decoder decoder = FindDecoder(model, subgraph, tensor);
  if (decoder.node < 0) return tensor;
  const NodeInfo node = model.node(subgraph, decoder.node);
  int pair = 0;
  while (node.outputs[pair] != tensor) ++pair;
  return node.inputs[2 * pair];
}

}  // namespace

void DecodeTimer::Begin(int, int) { begin_ns_ = host::NowNs(); }

void DecodeTimer::End(int node, int operand) {
  const int64_t ns = host::NowNs() - begin_ns_;
  run_times_[{node, operand}] += ns;
  run_ns_ += ns;
}

void DecodeTimer::EndRun() {
  for (const auto& [key, ns] : run_times_) times_[key].push_back(ns);
  run_times_.clear();
  run_totals_.push_back(run_ns_);
  run_ns_ = 0;
}

std::optional<host::DecompressionResult> DescribeDecompression(const Model& model,
                                                               const MicroInterpreter& interpreter,
                                                               const DecodeTimer& timer) {
  if (timer.times().empty()) return std::nullopt;
  host::DecompressionResult result;
  const int64_t step_ns = host::ClockResolutionNs();
  const auto median = [step_ns](const std::vector<int64_t>& run_ns) {
    return host::Quantile(Resolve(run_ns, step_ns).ns, 0.5);
  };
  result.total_ns = median(timer.run_totals());
  for (const auto& [key, times] : timer.times()) {
    const Node& node = interpreter.node(key.first);
    const NodeInfo info = model.node(node.subgraph, node.index);
    host::DecodedTensorResult tensor;
    const bool is_input = key.second < OutputOperand(0);
    const int pair = key.second - OutputOperand(0);
    // The tool that compressed the model keeps the tensor's index and name for the encoded one.
    tensor.index =
        is_input ? EncodedTensor(model, node.subgraph, info.inputs[key.second]) : info.inputs[2 * pair];
    tensor.name = model.tensor(node.subgraph, tensor.index).name;
    tensor.codec = CodecOf(model, node.subgraph, tensor.index);
    tensor.bytes = model.tensor(node.subgraph, is_input ? info.inputs[key.second] : info.outputs[pair]).bytes;
    if (host::Quantile(times, 0.5) >= 2 * step_ns) tensor.ns = median(times);
    tensor.passes = is_input ? interpreter.decoding_passes(key.first, key.second) : 1;
    result.tensors.push_back(tensor);
  }
  return result;
}

std::string CodecOf(const Model& model, int subgraph, int tensor) {
  const TensorInfo info = model.tensor(subgraph, tensor);
  if (info.is_compressed) return info.is_int4 ? "int4" : ToString(kMetadataCodec);
  for (int n = 0; n < model.node_count(subgraph); ++n) {
    const NodeInfo node = model.node(subgraph, n);
    if (!IsDecoder(node)) continue;
    for (int i = 0; 2 * i + 1 < node.inputs.size(); ++i) {
      if (node.inputs[2 * i] == tensor && node.inputs[2 * i + 1] >= 0) {
        return CodecOfPair(model, subgraph, node, i);
      }
    }
  }
  return "";
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// This runtime, in the smallest arena.

#include "bench/compare/peer.h"
#include "host/environment.h"
#include "host/model_inputs.h"
#include "host/prepared_model.h"

namespace lutra::bench {
namespace {

class LutraPeer : public Peer {
 public:
  LutraPeer(const host::ModelFile& file, const InterpreterOptions& options)
      : prepared_(file, options, host::SmallestArena(file, options)) {}
  void Fill(const std::vector<Bytes>& inputs) override { host::FillInputs(*prepared_, inputs); }
  // Runs without the check for bytes that a kernel wrote behind the arena, which takes long beside small
  // models.
  void Run() override {
    if (!HasRun(prepared_->Invoke())) throw Unfit("the inference failed");
  }
  std::vector<Bytes> Outputs() override {
    prepared_.CheckGuard();
    std::vector<Bytes> outputs;
    for (int i = 0; i < prepared_->output_count(); ++i) {
      const Tensor tensor = prepared_->output(i);
      const auto* const begin = static_cast<const uint8_t*>(tensor.data);
      outputs.emplace_back(begin, begin + tensor.info.bytes);
    }
    return outputs;
  }

 private:
  host::PreparedModel prepared_;
};

}  // namespace

Runtime LutraRuntime(const std::string& name, const std::string& kernels) {
  return {name, LUTRA_VERSION, [kernels](const host::ModelFile& file, const std::vector<Bytes>&) {
            InterpreterOptions options;
            options.policy = MemoryPolicy::kFast;
            options.cpu_features = host::KernelFeatures(kernels);
            return std::make_unique<LutraPeer>(file, options);
          }};
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// XNNPACK as Debian has it, through the adapter of the conformance suite.

#include "bench/compare/peer.h"
#include "conformance/adapters/xnnpack/run.h"

namespace lutra::bench {
namespace {

// What it throws says why.
template <typename Function>
auto Attempt(const Function& function) {
  try {
    return function();
  } catch (const std::runtime_error& error) {
    throw Unfit(error.what());
  }
}

class XnnpackPeer : public Peer {
 public:
  XnnpackPeer(const host::ModelFile& file, const std::vector<Bytes>& inputs)
      : model_(Bytes(file.bytes.data(), file.bytes.data() + file.bytes.size()), inputs,
               /*stand_ins=*/true) {}
  void Fill(const std::vector<Bytes>& inputs) override {
    Attempt([&] { model_.Fill(inputs); });
  }
  void Run() override {
    Attempt([&] { model_.Run(); });
  }
  std::vector<Bytes> Outputs() override { return model_.Outputs(); }
  std::string Note() const override {
    const int count = model_.stand_in_count();
    return count == 0 ? "" : std::to_string(count) + " operators by others of XNNPACK's";
  }

 private:
  conformance::xnnpack::XnnpackModel model_;
};

}  // namespace

Runtime XnnpackRuntime() {
  return {"xnnpack", LUTRA_XNNPACK_VERSION,
          [](const host::ModelFile& file, const std::vector<Bytes>& inputs) {
            return Attempt([&] { return std::make_unique<XnnpackPeer>(file, inputs); });
          }};
}

}  // namespace lutra::bench

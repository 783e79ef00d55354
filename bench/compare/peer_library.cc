// SPDX-License-Identifier: Apache-2.0
// A shared library with TensorFlow Lite's C API, or LiteRT's.

#include <dlfcn.h>

#include "bench/compare/peer.h"
#include "bench/compare/peer_litert.h"
#include "conformance/adapters/tflite_c/c_api.h"

namespace lutra::bench {
namespace {

namespace tflite_c = conformance::tflite_c;

class TflitePeer : public Peer {
 public:
  TflitePeer(const tflite_c::Api& api, const host::ModelFile& file, size_t inputs)
      : session_(api, file.bytes.data(), file.bytes.size(), /*threads=*/1),
        output_count_(file.model.outputs(0).size()) {
    if (session_.input_count() != static_cast<int>(inputs)) {
      throw Unfit("found " + std::to_string(session_.input_count()) + " inputs, required " +
                  std::to_string(inputs));
    }
    if (session_.output_count() != output_count_) {
      throw Unfit("found " + std::to_string(session_.output_count()) + " outputs, required " +
                  std::to_string(output_count_));
    }
  }
  void Fill(const std::vector<Bytes>& inputs) override {
    try {
      for (size_t i = 0; i < inputs.size(); ++i) {
        session_.Fill(static_cast<int>(i), inputs[i].data(), inputs[i].size());
      }
    } catch (const tflite_c::Failure& failure) {
      throw Unfit(failure.what());
    }
  }
  void Run() override {
    try {
      session_.Invoke();
    } catch (const tflite_c::Failure& failure) {
      throw Unfit(failure.what());
    }
  }
  std::vector<Bytes> Outputs() override {
    std::vector<Bytes> outputs;
    try {
      for (int i = 0; i < output_count_; ++i) {
        const tflite_c::Session::Values values = session_.Output(i);
        const auto* const begin = static_cast<const uint8_t*>(values.data);
        outputs.emplace_back(begin, begin + values.bytes);
      }
    } catch (const tflite_c::Failure& failure) {
      throw Unfit(failure.what());
    }
    return outputs;
  }

 private:
  tflite_c::Session session_;
  int output_count_;
};

}  // namespace

Runtime LibraryRuntime(const std::string& path) {
  tflite_c::Api api;
  try {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr && IsLitert(library)) return LitertRuntime(library);
    api = tflite_c::LoadApi(path.c_str());
  } catch (const std::runtime_error& error) {
    throw host::BadInput("--against " + path + ": " + error.what() +
                         "; required: a shared library with TensorFlow Lite's C API or LiteRT's");
  }
  const char* const version = api.version();
  return {"tflite", version == nullptr ? "unknown" : version,
          [api](const host::ModelFile& file, const std::vector<Bytes>& inputs) -> std::unique_ptr<Peer> {
            try {
              return std::make_unique<TflitePeer>(api, file, inputs.size());
            } catch (const tflite_c::Failure& failure) {
              throw Unfit(failure.what());
            }
          }};
}

}  // namespace lutra::bench

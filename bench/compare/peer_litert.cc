// SPDX-License-Identifier: Apache-2.0
// LiteRT through the C API of libLiteRt.so, as in release 2.3 (the Python package ai-edge-litert contains
// one). Its functions return 0 for success.

#include "bench/compare/peer_litert.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace lutra::bench {
namespace {

using Code = int;
// A pointer to an object of the library.
using Handle = void*;
// The library writes a tensor's type here, 72 bytes; it is not read.
struct alignas(8) TypeBlob {
  uint8_t bytes[256] = {};
};

struct Api {
  Code (*create_environment)(int options, const void* option, Handle* environment);
  Code (*create_model)(Handle environment, const void* bytes, size_t count, Handle* model);
  Code (*create_options)(Handle* options);
  Code (*set_accelerators)(Handle options, int accelerators);
  Code (*create_opaque)(const char* identifier, void* payload, void (*destroy)(void*), Handle* opaque);
  Code (*add_opaque)(Handle options, Handle opaque);
  Code (*create_compiled)(Handle environment, Handle model, Handle options, Handle* compiled);
  Code (*signature)(Handle model, size_t index, Handle* signature);
  Code (*count_inputs)(Handle signature, size_t* count);
  Code (*count_outputs)(Handle signature, size_t* count);
  Code (*input_tensor)(Handle signature, size_t index, Handle* tensor);
  Code (*output_tensor)(Handle signature, size_t index, Handle* tensor);
  Code (*tensor_type)(Handle tensor, TypeBlob* type);
  Code (*input_requirements)(Handle compiled, size_t signature, size_t index, Handle* requirements);
  Code (*output_requirements)(Handle compiled, size_t signature, size_t index, Handle* requirements);
  Code (*create_buffer)(Handle environment, const TypeBlob* type, Handle requirements, Handle* buffer);
  Code (*packed_size)(Handle buffer, size_t* bytes);
  Code (*lock)(Handle buffer, void** bytes, int mode);
  Code (*unlock)(Handle buffer);
  Code (*run)(Handle compiled, size_t signature, size_t inputs, Handle* input, size_t outputs,
              Handle* output);
  void (*destroy_environment)(Handle);
  void (*destroy_model)(Handle);
  void (*destroy_options)(Handle);
  void (*destroy_compiled)(Handle);
  void (*destroy_buffer)(Handle);
};

constexpr int kCpu = 1;
constexpr int kReads = 0, kWrites = 1;

template <typename Function>
void Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  if (*function == nullptr) throw std::runtime_error(std::string("the library has no function ") + name);
}

Api FindAll(void* library) {
  Api api;
  Find(library, "LiteRtCreateEnvironment", &api.create_environment);
  Find(library, "LiteRtCreateModelFromBuffer", &api.create_model);
  Find(library, "LiteRtCreateOptions", &api.create_options);
  Find(library, "LiteRtSetOptionsHardwareAccelerators", &api.set_accelerators);
  Find(library, "LiteRtCreateOpaqueOptions", &api.create_opaque);
  Find(library, "LiteRtAddOpaqueOptions", &api.add_opaque);
  Find(library, "LiteRtCreateCompiledModel", &api.create_compiled);
  Find(library, "LiteRtGetModelSignature", &api.signature);
  Find(library, "LiteRtGetNumSignatureInputs", &api.count_inputs);
  Find(library, "LiteRtGetNumSignatureOutputs", &api.count_outputs);
  Find(library, "LiteRtGetSignatureInputTensorByIndex", &api.input_tensor);
  Find(library, "LiteRtGetSignatureOutputTensorByIndex", &api.output_tensor);
  Find(library, "LiteRtGetRankedTensorType", &api.tensor_type);
  Find(library, "LiteRtGetCompiledModelInputBufferRequirements", &api.input_requirements);
  Find(library, "LiteRtGetCompiledModelOutputBufferRequirements", &api.output_requirements);
  Find(library, "LiteRtCreateManagedTensorBufferFromRequirements", &api.create_buffer);
  Find(library, "LiteRtGetTensorBufferPackedSize", &api.packed_size);
  Find(library, "LiteRtLockTensorBuffer", &api.lock);
  Find(library, "LiteRtUnlockTensorBuffer", &api.unlock);
  Find(library, "LiteRtRunCompiledModel", &api.run);
  Find(library, "LiteRtDestroyEnvironment", &api.destroy_environment);
  Find(library, "LiteRtDestroyModel", &api.destroy_model);
  Find(library, "LiteRtDestroyOptions", &api.destroy_options);
  Find(library, "LiteRtDestroyCompiledModel", &api.destroy_compiled);
  Find(library, "LiteRtDestroyTensorBuffer", &api.destroy_buffer);
  return api;
}

void Require(Code status, const char* function) {
  if (status != 0) throw Unfit(std::string(function) + ": status " + std::to_string(status));
}

using Owned = std::unique_ptr<void, void (*)(Handle)>;

// Sets one thread, on the processor. The library takes over the text, which has the form of its option files.
Owned MakeOptions(const Api& api) {
  Handle options = nullptr, opaque = nullptr;
  Require(api.create_options(&options), "LiteRtCreateOptions");
  Owned owned(options, api.destroy_options);
  Require(api.set_accelerators(options, kCpu), "LiteRtSetOptionsHardwareAccelerators");
  char* const payload = strdup("num_threads = 1\n");
  Require(api.create_opaque("xnnpack", payload, std::free, &opaque), "LiteRtCreateOpaqueOptions");
  Require(api.add_opaque(options, opaque), "LiteRtAddOpaqueOptions");
  return owned;
}

class LitertPeer : public Peer {
 public:
  LitertPeer(const Api& api, Handle environment, const host::ModelFile& file, size_t inputs)
      : api_(api),
        model_(nullptr, api.destroy_model),
        options_(MakeOptions(api)),
        compiled_(nullptr, api.destroy_compiled) {
    Handle made = nullptr;
    Require(api.create_model(environment, file.bytes.data(), file.bytes.size(), &made),
            "LiteRtCreateModelFromBuffer");
    model_.reset(made);
    made = nullptr;
    Require(api.create_compiled(environment, model_.get(), options_.get(), &made),
            "LiteRtCreateCompiledModel");
    compiled_.reset(made);
    Handle signature = nullptr;
    Require(api.signature(model_.get(), 0, &signature), "LiteRtGetModelSignature");
    size_t input_count = 0, output_count = 0;
    Require(api.count_inputs(signature, &input_count), "LiteRtGetNumSignatureInputs");
    Require(api.count_outputs(signature, &output_count), "LiteRtGetNumSignatureOutputs");
    const auto outputs = static_cast<size_t>(file.model.outputs(0).size());
    if (input_count != inputs || output_count != outputs) {
      throw Unfit("found " + std::to_string(input_count) + " inputs and " + std::to_string(output_count) +
                  " outputs, required " + std::to_string(inputs) + " and " + std::to_string(outputs));
    }
    for (size_t i = 0; i < inputs; ++i) {
      AddBuffer(environment, signature, i, api.input_tensor, api.input_requirements, &inputs_);
    }
    for (size_t i = 0; i < outputs; ++i) {
      AddBuffer(environment, signature, i, api.output_tensor, api.output_requirements, &outputs_);
    }
  }
  ~LitertPeer() override {
    for (const Handle buffer : inputs_) api_.destroy_buffer(buffer);
    for (const Handle buffer : outputs_) api_.destroy_buffer(buffer);
  }
  LitertPeer(const LitertPeer&) = delete;
  LitertPeer& operator=(const LitertPeer&) = delete;

  void Fill(const std::vector<Bytes>& inputs) override {
    for (size_t i = 0; i < inputs.size(); ++i) {
      size_t bytes = 0;
      Require(api_.packed_size(inputs_[i], &bytes), "LiteRtGetTensorBufferPackedSize");
      if (bytes != inputs[i].size()) {
        throw Unfit("input " + std::to_string(i) + ": found " + std::to_string(bytes) + " bytes, required " +
                    std::to_string(inputs[i].size()));
      }
      void* memory = nullptr;
      Require(api_.lock(inputs_[i], &memory, kWrites), "LiteRtLockTensorBuffer");
      if (memory == nullptr) throw Unfit("LiteRtLockTensorBuffer: no memory");
      std::memcpy(memory, inputs[i].data(), bytes);
      Require(api_.unlock(inputs_[i]), "LiteRtUnlockTensorBuffer");
    }
  }
  void Run() override {
    Require(api_.run(compiled_.get(), 0, inputs_.size(), inputs_.data(), outputs_.size(), outputs_.data()),
            "LiteRtRunCompiledModel");
  }
  std::vector<Bytes> Outputs() override {
    std::vector<Bytes> outputs;
    for (const Handle buffer : outputs_) {
      size_t bytes = 0;
      Require(api_.packed_size(buffer, &bytes), "LiteRtGetTensorBufferPackedSize");
      void* memory = nullptr;
      Require(api_.lock(buffer, &memory, kReads), "LiteRtLockTensorBuffer");
      if (memory == nullptr) throw Unfit("LiteRtLockTensorBuffer: no memory");
      const auto* const begin = static_cast<const uint8_t*>(memory);
      outputs.emplace_back(begin, begin + bytes);
      Require(api_.unlock(buffer), "LiteRtUnlockTensorBuffer");
    }
    return outputs;
  }

 private:
  template <typename TensorOf, typename RequirementsOf>
  void AddBuffer(Handle environment, Handle signature, size_t index, TensorOf tensor_of,
                 RequirementsOf requirements_of, std::vector<Handle>* buffers) {
    Handle tensor = nullptr, requirements = nullptr, buffer = nullptr;
    TypeBlob type;
    Require(tensor_of(signature, index, &tensor), "LiteRtGetSignatureTensorByIndex");
    Require(api_.tensor_type(tensor, &type), "LiteRtGetRankedTensorType");
    Require(requirements_of(compiled_.get(), 0, index, &requirements),
            "LiteRtGetCompiledModelBufferRequirements");
    Require(api_.create_buffer(environment, &type, requirements, &buffer),
            "LiteRtCreateManagedTensorBufferFromRequirements");
    buffers->push_back(buffer);
  }

  const Api api_;
  Owned model_, options_, compiled_;
  std::vector<Handle> inputs_, outputs_;
};

}  // namespace

bool IsLitert(void* library) { return dlsym(library, "LiteRtCreateCompiledModel") != nullptr; }

Runtime LitertRuntime(void* library) {
  const Api api = FindAll(library);
  Handle made = nullptr;
  if (api.create_environment(0, nullptr, &made) != 0) throw std::runtime_error("LiteRtCreateEnvironment");
  const std::shared_ptr<void> environment(made, api.destroy_environment);
  return {"litert", "its C API of 2.3",
          [api, environment](const host::ModelFile& file, const std::vector<Bytes>& inputs) {
            return std::make_unique<LitertPeer>(api, environment.get(), file, inputs.size());
          }};
}

}  // namespace lutra::bench

// SPDX-License-Identifier: Apache-2.0
// A runtime that takes part in a comparison; Lutra is one of them. Each runs on one thread of this process.
//
//   for (const Runtime& runtime : runtimes) {
//     const std::unique_ptr<Peer> peer = runtime.prepare(file, inputs);   // throws Unfit
//     peer->Fill(inputs);
//     peer->Run();
//   }

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/model_file.h"

namespace lutra::bench {

using Bytes = std::vector<uint8_t>;

// The runtime does not take the model, or failed. what() says why.
class Unfit : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A model in a runtime, ready to run. Every function throws Unfit.
class Peer {
 public:
  virtual ~Peer() = default;
  // `inputs`: bytes for each input, of its size. Call it before each Run whose outputs are read.
  virtual void Fill(const std::vector<Bytes>& inputs) = 0;
  virtual void Run() = 0;
  virtual std::vector<Bytes> Outputs() = 0;
};

struct Runtime {
  std::string name;
  std::string version;
  std::function<std::unique_ptr<Peer>(const host::ModelFile& file, const std::vector<Bytes>& inputs)> prepare;
};

// Lutra with these kernels, as --kernels names them.
Runtime LutraRuntime(const std::string& name, const std::string& kernels);
// A shared library with TensorFlow Lite's C API, or LiteRT's. Throws BadInput if it is neither.
Runtime LibraryRuntime(const std::string& path);

}  // namespace lutra::bench

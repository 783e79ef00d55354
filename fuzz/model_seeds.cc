// SPDX-License-Identifier: Apache-2.0
// model_seeds FOLDER: writes seeds of model_fuzz: small models of the float32 kernels, of custom operators
// and one of uint8, which golden/smoke lacks. Each is run first, as a seed that is refused would be of no
// use.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lutra/diagnosis_text.h"
#include "lutra/node_info.h"
#include "runtime/testing/custom_models.h"
#include "runtime/testing/model_builder.h"
#include "runtime/testing/try_to_run.h"
#include "runtime/testing/uint8_network.h"

namespace {

using lutra::BuiltinOperator;
using lutra::OperatorOptions;
using Bytes = std::vector<uint8_t>;
using Dims = std::vector<int32_t>;

// Returns a float32 constant with these dimensions, and values between -1 and 1.
lutra::TensorSpec Weights(const Dims& shape) {
  size_t count = 1;
  for (const int32_t dim : shape) count *= static_cast<size_t>(dim);
  std::vector<float> values(count);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(static_cast<int>(i % 9) - 4) / 4;
  return {.shape = shape, .type = lutra::TensorType::kFloat32, .data = lutra::BytesOf(values)};
}

lutra::TensorSpec Activation(const Dims& shape) {
  return {.shape = shape, .type = lutra::TensorType::kFloat32};
}

// One operator with a float32 input and a float32 output, and constants before and after the input.
struct Seed {
  std::string name;
  BuiltinOperator code;
  Dims input;
  Dims output;
  std::vector<lutra::TensorSpec> before = {};
  std::vector<lutra::TensorSpec> behind = {};
  OperatorOptions options = {};
};

Bytes ModelOf(const Seed& seed) {
  lutra::ModelBuilder builder;
  std::vector<int> operands;
  if (seed.code == BuiltinOperator::kTransposeConv) {
    const lutra::TensorSpec shape = {.shape = {static_cast<int32_t>(seed.output.size())},
                                     .type = lutra::TensorType::kInt32,
                                     .data = lutra::BytesOf(seed.output)};
    operands.push_back(builder.AddTensor(shape));
  }
  for (const auto& spec : seed.before) operands.push_back(builder.AddTensor(spec));
  const int input = builder.AddTensor(Activation(seed.input));
  operands.push_back(input);
  for (const auto& spec : seed.behind) operands.push_back(builder.AddTensor(spec));
  const int output = builder.AddTensor(Activation(seed.output));
  builder.AddOperator(seed.code, operands, {output}, seed.options);
  return builder.Finish({input}, {output});
}

std::vector<Seed> Seeds() {
  return {
      {.name = "conv_2d",
       .code = BuiltinOperator::kConv2D,
       .input = {1, 4, 4, 2},
       .output = {1, 2, 2, 3},
       .behind = {Weights({3, 2, 2, 2}), Weights({3})},
       .options = {.stride = 2, .activation = 1}},
      {.name = "conv_2d_dilated",
       .code = BuiltinOperator::kConv2D,
       .input = {1, 5, 5, 1},
       .output = {1, 3, 3, 2},
       .behind = {Weights({2, 2, 2, 1}), Weights({2})},
       .options = {.padding = 1, .dilation = 2}},
      {.name = "depthwise_conv_2d",
       .code = BuiltinOperator::kDepthwiseConv2D,
       .input = {1, 4, 4, 2},
       .output = {1, 4, 4, 4},
       .behind = {Weights({1, 3, 3, 4}), Weights({4})},
       .options = {.depth_multiplier = 2, .activation = 3}},
      {.name = "fully_connected",
       .code = BuiltinOperator::kFullyConnected,
       .input = {2, 6},
       .output = {2, 3},
       .behind = {Weights({3, 6}), Weights({3})}},
      {.name = "transpose_conv",
       .code = BuiltinOperator::kTransposeConv,
       .input = {1, 2, 2, 2},
       .output = {1, 4, 4, 3},
       .before = {Weights({3, 2, 2, 2})},
       .behind = {Weights({3})},
       .options = {.stride = 2}},
      {.name = "batch_matmul",
       .code = BuiltinOperator::kBatchMatmul,
       .input = {2, 2, 3},
       .output = {2, 2, 4},
       .behind = {Weights({2, 3, 4})}},
      {.name = "average_pool_2d",
       .code = BuiltinOperator::kAveragePool2D,
       .input = {1, 4, 4, 2},
       .output = {1, 2, 2, 2},
       .options = {.stride = 2, .filter = 2}},
      {.name = "max_pool_2d",
       .code = BuiltinOperator::kMaxPool2D,
       .input = {1, 4, 4, 2},
       .output = {1, 2, 2, 2},
       .options = {.stride = 2, .filter = 2}},
      {.name = "softmax", .code = BuiltinOperator::kSoftmax, .input = {2, 5}, .output = {2, 5}},
      {.name = "add",
       .code = BuiltinOperator::kAdd,
       .input = {2, 5},
       .output = {2, 5},
       .behind = {Weights({5})}},
      {.name = "logistic", .code = BuiltinOperator::kLogistic, .input = {7}, .output = {7}},
  };
}

bool Write(const std::filesystem::path& folder, const std::string& name, const Bytes& model) {
  const lutra::Trial trial = lutra::Try({model.data(), model.size()});
  if (trial.status != lutra::Status::kOk) {
    std::fprintf(stderr, "model_seeds: %s: found rule %s, required: a model that runs; mend the seed\n",
                 name.c_str(), lutra::Describe(trial.rule).name);
    return false;
  }
  std::ofstream file(folder / name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(model.data()), static_cast<std::streamsize>(model.size()));
  return file.flush().good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: model_seeds FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  std::filesystem::create_directories(folder);
  for (const Seed& seed : Seeds()) {
    if (!Write(folder, "float32." + seed.name, ModelOf(seed))) return 3;
  }
  for (const lutra::CustomModel& model : lutra::CustomModels()) {
    if (!Write(folder, "custom." + model.name, model.file)) return 3;
  }
  return Write(folder, "uint8.network", lutra::Uint8Network(false)) ? 0 : 3;
}

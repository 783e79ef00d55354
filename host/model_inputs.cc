// SPDX-License-Identifier: Apache-2.0
// Input values of a model: from a seed, or from files that must fit.

#include "host/model_inputs.h"

#include <fmt/format.h>

#include <cstring>

#include "host/core/byte_order.h"
#include "host/core/seeded_input.h"
#include "host/npy.h"

namespace lutra::host {

namespace {

using Bytes = std::vector<uint8_t>;

// The file's bytes in the machine's order: an .npy file has a type, any other is taken as it is.
Bytes ReadInput(const std::string& path, int input, const TensorInfo& info) {
  const auto bytes = static_cast<size_t>(info.bytes);
  NpyArray array;
  AlignedBytes raw;
  const uint8_t* from = nullptr;
  if (path.ends_with(".npy")) {
    array = ReadNpy(path);
    if (array.type != info.type || array.bytes != bytes) {
      throw BadInput(
          fmt::format("{}: input {} needs {} bytes of {}, the file holds {} of {}; check the array", path,
                      input, bytes, ToString(info.type), array.bytes, ToString(array.type)));
    }
    from = array.data;
  } else {
    raw = ReadFileBytes(path);
    if (raw.size() != bytes) {
      throw BadInput(fmt::format("{}: input {} needs {} bytes, the file holds {}; check the file", path,
                                 input, bytes, raw.size()));
    }
    from = raw.data();
  }
  Bytes values(from, from + bytes);
  SwapToOrFromLittleEndian(info.type, values.data(), bytes);
  return values;
}

}  // namespace

std::vector<Bytes> SeededInputs(const Model& model, uint64_t seed) {
  SeededInput seeded(seed);
  std::vector<Bytes> inputs;
  for (int i = 0; i < model.inputs(0).size(); ++i) {
    const TensorInfo info = model.tensor(0, model.inputs(0)[i]);
    inputs.emplace_back(static_cast<size_t>(info.bytes));
    FillSeeded(seeded, info.type, inputs.back().data(), inputs.back().size());
  }
  return inputs;
}

std::vector<Bytes> ReadInputs(const ModelFile& file, const std::vector<std::string>& paths) {
  const PackedList<int32_t> indices = file.model.inputs(0);
  const auto count = static_cast<size_t>(indices.count);
  if (paths.size() != count) {
    throw BadInput(
        fmt::format("{}: input-count: found {} --input files, required {}; give one for each graph input",
                    file.path, paths.size(), count));
  }
  std::vector<Bytes> inputs;
  for (int i = 0; i < indices.size(); ++i) {
    inputs.push_back(ReadInput(paths[static_cast<size_t>(i)], i, file.model.tensor(0, indices[i])));
  }
  return inputs;
}

void FillInputs(MicroInterpreter& interpreter, const std::vector<std::vector<uint8_t>>& inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::memcpy(interpreter.input(static_cast<int>(i)).data, inputs[i].data(), inputs[i].size());
  }
}

}  // namespace lutra::host

// SPDX-License-Identifier: Apache-2.0
// Writes and reads two .npy files for each tensor.

#include "compressor/clusters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>

#include "compressor/channels.h"
#include "host/npy.h"
#include "host/output_file.h"
#include "host/scores.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

constexpr char kValuesEnding[] = ".values.npy", kIndicesEnding[] = ".indices.npy";

fs::path PathOf(const std::string& folder, TensorId id, const char* ending) {
  return fs::path(folder) / fmt::format("{}_{}{}", id.subgraph, id.tensor, ending);
}

[[noreturn]] void Refuse(const fs::path& path, const std::string& found, const std::string& required) {
  throw host::BadInput(
      fmt::format("{}: clusters: found {}, required: {}; export them again with compress bin "
                  "--export-clusters",
                  path.string(), found, required));
}

template <typename Number>
void WriteNpy(const fs::path& path, const char* type, const std::vector<int32_t>& shape,
              const std::vector<Number>& elements) {
  constexpr size_t kPreamble = 10, kAlignment = 64;
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({},), }}", type,
                                   fmt::join(shape, ", "));
  header.resize((kPreamble + header.size() + kAlignment) / kAlignment * kAlignment - kPreamble - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(Number));
  host::WriteFileBytes(path, bytes.data(), bytes.size());
}

// Returns the values as the tensor's own codes.
std::vector<double> CodesOf(const TensorInfo& tensor, const uint8_t* bytes) {
  TensorInfo codes = tensor;
  codes.scales = {};
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.shape.Count(); ++i) values.push_back(host::RealValue(codes, bytes, i));
  return values;
}

std::vector<int32_t> ShapeOf(const TensorInfo& tensor) {
  std::vector<int32_t> shape;
  for (int d = 0; d < tensor.shape.rank; ++d) shape.push_back(tensor.shape[d]);
  return shape;
}

size_t TableOf(const Channels& channels, size_t tables, size_t element) {
  return tables == 1 ? 0 : static_cast<size_t>(channels.Of(element));
}

void ExportTensor(const std::string& folder, TensorId id, const TensorInfo& tensor, const Bytes& bytes,
                  const std::vector<std::vector<double>>& tables) {
  size_t longest = 0;
  for (const auto& table : tables) longest = std::max(longest, table.size());
  std::vector<double> values;
  for (std::vector<double> table : tables) {
    table.resize(longest, table.back());
    values.insert(values.end(), table.begin(), table.end());
  }
  std::vector<int32_t> shape = {static_cast<int32_t>(longest)};
  if (tables.size() > 1) shape.insert(shape.begin(), static_cast<int32_t>(tables.size()));
  const fs::path path = PathOf(folder, id, kValuesEnding);
  if (tensor.type == TensorType::kFloat32) {
    WriteNpy(path, "<f4", shape, std::vector<float>(values.begin(), values.end()));
  } else {
    WriteNpy(path, "<i4", shape, std::vector<int32_t>(values.begin(), values.end()));
  }
  const Channels channels = ScaleChannels(tensor);
  const std::vector<double> codes = CodesOf(tensor, bytes.data());
  std::vector<int32_t> indices;
  for (size_t i = 0; i < codes.size(); ++i) {
    const std::vector<double>& table = tables[TableOf(channels, tables.size(), i)];
    indices.push_back(
        static_cast<int32_t>(std::lower_bound(table.begin(), table.end(), codes[i]) - table.begin()));
  }
  WriteNpy(PathOf(folder, id, kIndicesEnding), "<i4", ShapeOf(tensor), indices);
}

// Returns the tensor's elements by the arrays.
Bytes ElementsOf(const TensorInfo& tensor, const host::NpyArray& indices, const fs::path& path,
                 const std::vector<std::vector<double>>& tables) {
  const Channels channels = ScaleChannels(tensor);
  Bytes bytes;
  for (int64_t i = 0; i < tensor.shape.Count(); ++i) {
    const std::vector<double>& table = tables[TableOf(channels, tables.size(), static_cast<size_t>(i))];
    const double index = indices.At(i);
    if (!(index >= 0 && index < static_cast<double>(table.size()) && index == std::floor(index))) {
      Refuse(path, fmt::format("the index {:g}", index), fmt::format("0 to {}", table.size() - 1));
    }
    WithElement(tensor.type, [&]<typename Element>() {
      const auto element = static_cast<Element>(table[static_cast<size_t>(index)]);
      const auto* const begin = reinterpret_cast<const uint8_t*>(&element);
      bytes.insert(bytes.end(), begin, begin + sizeof element);
    });
  }
  return bytes;
}

// Reads one list for the tensor, or one for each channel.
std::vector<std::vector<double>> ReadTables(const fs::path& path, const TensorInfo& tensor) {
  const host::NpyArray array = host::ReadNpy(path);
  const auto channels = static_cast<int64_t>(ScaleChannels(tensor).count);
  const bool per_channel = array.shape.size() == 2 && array.shape[0] == channels && channels > 1;
  if ((array.shape.size() != 1 && !per_channel) || array.count() == 0) {
    Refuse(path, fmt::format("the shape [{}]", fmt::join(array.shape, ", ")),
           fmt::format("[k], or [{}, k]", channels));
  }
  std::vector<std::vector<double>> tables(per_channel ? static_cast<size_t>(channels) : 1);
  for (int64_t i = 0; i < array.count(); ++i) {
    const double value = array.At(i);
    const bool fits = WithElement(tensor.type, [&]<typename Element>() {
      using Limits = std::numeric_limits<Element>;
      const bool is_whole = std::is_floating_point_v<Element> || value == std::floor(value);
      return is_whole && value >= static_cast<double>(Limits::lowest()) &&
             value <= static_cast<double>(Limits::max());
    });
    if (!fits) Refuse(path, fmt::format("the value {:g}", value), "values that the tensor's type holds");
    tables[static_cast<size_t>(i) / (static_cast<size_t>(array.count()) / tables.size())].push_back(value);
  }
  return tables;
}

// Returns the tensor that a file of clusters is of; none: the file has another name. Sets `*ending`.
std::optional<TensorId> TensorOf(const std::string& name, const char** ending) {
  for (const char* const one : {kValuesEnding, kIndicesEnding}) {
    if (!name.ends_with(one)) continue;
    *ending = one;
    TensorId id;
    const bool is_id = std::sscanf(name.c_str(), "%d_%d", &id.subgraph, &id.tensor) == 2 &&
                       name == fmt::format("{}_{}{}", id.subgraph, id.tensor, one);
    if (is_id && id.subgraph >= 0 && id.tensor >= 0) return id;
  }
  return std::nullopt;
}

// --import would apply the arrays of an earlier export, too.
void RefuseOtherTensors(const std::string& folder, const std::set<TensorId>& exported) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const char* ending = nullptr;
    const std::optional<TensorId> id = TensorOf(entry.path().filename().string(), &ending);
    if (!id || exported.contains(*id)) continue;
    throw host::BadInput(fmt::format(
        "{}: --export-clusters: found a file of tensor {}, which is not exported now, required: no "
        "such file; remove it, or name another folder",
        entry.path().string(), ToText(*id)));
  }
}

PlannedTensor ImportTensor(const std::string& folder, TensorId id, const Model& model) {
  const fs::path values_path = PathOf(folder, id, kValuesEnding),
                 indices_path = PathOf(folder, id, kIndicesEnding);
  if (id.subgraph >= model.subgraph_count() || id.tensor >= model.tensor_count(id.subgraph)) {
    Refuse(values_path, "no such tensor in the model", "the model that they were exported of");
  }
  const TensorInfo tensor = model.tensor(id.subgraph, id.tensor);
  try {
    if (!tensor.is_constant()) throw std::invalid_argument("no constant");
    std::vector<std::vector<double>> tables = ReadTables(values_path, tensor);
    const host::NpyArray indices = host::ReadNpy(indices_path);
    const std::vector<int32_t> shape = ShapeOf(tensor);
    if (!std::equal(shape.begin(), shape.end(), indices.shape.begin(), indices.shape.end())) {
      Refuse(indices_path, fmt::format("the shape [{}]", fmt::join(indices.shape, ", ")),
             fmt::format("the tensor's, [{}]", fmt::join(shape, ", ")));
    }
    const Bytes wanted = ElementsOf(tensor, indices, indices_path, tables);
    BinSettings settings = {.per = tables.size() > 1 ? TableScope::kChannel : TableScope::kTensor};
    for (std::vector<double>& table : tables) {
      std::sort(table.begin(), table.end());
      table.erase(std::unique(table.begin(), table.end()), table.end());
    }
    settings = SettingsFor(tensor, settings, std::move(tables), wanted);
    if (BinTensor(tensor, settings).bytes != wanted)
      throw std::invalid_argument("values that are not the nearest");
    return {tensor.name, settings};
  } catch (const std::invalid_argument& failure) {
    Refuse(values_path, failure.what(), "a constant of the model, and values that its elements can have");
  }
}

}  // namespace

BinSettings SettingsFor(const TensorInfo& tensor, BinSettings settings,
                        std::vector<std::vector<double>> values, const Bytes& wanted) {
  settings.bits.reset();
  settings.threshold = 0;
  settings.values = std::move(values);
  settings.add.clear();
  const Bytes nearest = BinTensor(tensor, settings).bytes;
  if (nearest == wanted) return settings;
  const std::vector<double> before = CodesOf(tensor, tensor.data.data()),
                            near = CodesOf(tensor, nearest.data()), after = CodesOf(tensor, wanted.data());
  for (size_t i = 0; i < before.size(); ++i) {
    settings.add.push_back(near[i] == after[i] ? 0 : std::llround(after[i] - before[i]));
  }
  return settings;
}

void ExportClusters(const std::string& folder, const host::ModelFile& file, const BinReport& report,
                    const ModelEditor& editor) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw host::BadInput(
        fmt::format("{}: --export-clusters: {}; name another folder", folder, error.message()));
  }
  const auto is_exported = [](const BinRow& row) { return row.applied && !row.binned.values.empty(); };
  std::set<TensorId> exported;
  for (const BinRow& row : report.rows) {
    if (is_exported(row)) exported.insert(row.candidate.id);
  }
  RefuseOtherTensors(folder, exported);
  for (const BinRow& row : report.rows) {
    if (!is_exported(row)) continue;
    const TensorId id = row.candidate.id;
    ExportTensor(folder, id, file.model.tensor(id.subgraph, id.tensor), editor.data(id.subgraph, id.tensor),
                 row.binned.values);
  }
}

BinPlan ImportClusters(const std::string& folder, const Model& model) {
  if (!fs::is_directory(folder)) {
    throw host::BadInput(folder + ": --import: it is no folder; name one of compress bin --export-clusters");
  }
  BinPlan plan;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const char* ending = nullptr;
    const std::optional<TensorId> id = TensorOf(name, &ending);
    if (ending == nullptr) continue;
    if (!id) Refuse(entry.path(), "this name", fmt::format("SUBGRAPH_TENSOR{}", ending));
    if (ending == kValuesEnding) {
      plan[*id] = ImportTensor(folder, *id, model);
    } else if (const fs::path values = PathOf(folder, *id, kValuesEnding); !fs::exists(values)) {
      Refuse(entry.path(), fmt::format("no {} beside it", values.filename().string()), "both");
    }
  }
  if (plan.empty()) Refuse(folder, "no SUBGRAPH_TENSOR.values.npy", "at least one");
  return plan;
}

}  // namespace lutra::compressor

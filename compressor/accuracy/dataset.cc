// SPDX-License-Identifier: Apache-2.0
// Reads arrays, folders and pictures as inputs of a model.

#include "compressor/accuracy/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "compressor/accuracy/pictures.h"
#include "host/core/byte_order.h"
#include "host/npy.h"

namespace lutra::compressor {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Refuse(const std::string& file, const std::string& what) {
  throw host::BadInput(fmt::format("{}: {}", file, what));
}

int64_t QuantizedCode(double value, const TensorInfo& info, int64_t min, int64_t max) {
  const double code = std::round(value / info.scale) + info.zero_point;
  return code <= static_cast<double>(min)   ? min
         : code >= static_cast<double>(max) ? max
                                            : static_cast<int64_t>(code);
}

template <typename T>
void Append(T value, std::vector<uint8_t>* to) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
  to->insert(to->end(), bytes, bytes + sizeof value);
}

// Appends a real value in the input's type.
void AppendReal(double value, const TensorInfo& input, std::vector<uint8_t>* to) {
  switch (input.type) {
    case TensorType::kInt8:
      return Append(static_cast<int8_t>(QuantizedCode(value, input, INT8_MIN, INT8_MAX)), to);
    case TensorType::kUInt8:
      return Append(static_cast<uint8_t>(QuantizedCode(value, input, 0, UINT8_MAX)), to);
    case TensorType::kInt16:
      return Append(static_cast<int16_t>(QuantizedCode(value, input, INT16_MIN, INT16_MAX)), to);
    default:
      return Append(static_cast<float>(value), to);
  }
}

bool TakesReals(const TensorInfo& input) {
  const bool is_code =
      input.type == TensorType::kInt8 || input.type == TensorType::kUInt8 || input.type == TensorType::kInt16;
  return input.type == TensorType::kFloat32 || (is_code && input.is_quantized());
}

// Returns whether an array has samples in a row, or in its last dimensions.
bool HoldsSamples(const std::vector<int64_t>& shape, int64_t elements) {
  int64_t count = 1;
  for (size_t i = shape.size(); i-- > 0 && count < elements;) count *= shape[i];
  return elements > 0 && (count == elements || (shape.size() == 1 && shape[0] % elements == 0));
}

void AppendPicture(const std::string& name, const Picture& picture, const DatasetSource& source,
                   const TensorInfo& input, Dataset* data) {
  const int rank = input.shape.rank;
  const bool is_picture = rank >= 3 && input.shape.Count() == input.shape.Count(rank - 3, rank);
  const int64_t height = is_picture ? input.shape[rank - 3] : 0,
                width = is_picture ? input.shape[rank - 2] : 0,
                channels = is_picture ? input.shape[rank - 1] : 0;
  const bool has_channels = channels == picture.channels || (source.resize && picture.channels == 1);
  const bool has_size = (height == picture.height && width == picture.width) || source.resize;
  if (!is_picture || !has_channels || !has_size || !TakesReals(input)) {
    Refuse(name,
           fmt::format("picture: found {} x {} pixels of {} channels, required: the model's input; scale the "
                       "picture to its size, or give --resize",
                       picture.width, picture.height, picture.channels));
  }
  for (const double pixel : Scaled(picture, height, width, channels)) {
    AppendReal(pixel * source.pixel_scale + source.pixel_offset, input, &data->samples);
  }
}

// Appends the samples of an array, or the one of a file. Returns how many there are, including unused ones.
int64_t AppendArray(const std::string& name, const DatasetSource& source, const TensorInfo& input,
                    Dataset* data) {
  const host::NpyArray array = host::ReadNpy(name);
  if (source.resize) {
    const std::vector<Picture> pictures = PicturesOf(array);
    if (pictures.empty()) {
      Refuse(name,
             "data: found another array than of pictures, required for --resize: int8 or uint8, samples x "
             "height x width x channels; check the array");
    }
    const size_t used = std::min(pictures.size(), static_cast<size_t>(source.first));
    for (size_t i = 0; i < used; ++i) AppendPicture(name, pictures[i], source, input, data);
    return static_cast<int64_t>(pictures.size());
  }
  const int64_t elements = input.shape.Count();
  const bool is_real = array.type == TensorType::kFloat32 || array.type == TensorType::kFloat64;
  if (array.type != input.type && !(is_real && TakesReals(input))) {
    Refuse(name, fmt::format("data: found elements of {}, required: {} or float32; check the array",
                             ToString(array.type), ToString(input.type)));
  }
  if (array.count() == 0 || !HoldsSamples(array.shape, elements)) {
    Refuse(name, fmt::format("data: found the shape ({}), required: samples of {} elements; check the array",
                             fmt::join(array.shape, ", "), elements));
  }
  const int64_t all = array.count() / elements;
  const int64_t used = std::min(all, source.first);
  if (array.type == input.type) {
    const size_t before = data->samples.size();
    const size_t bytes = static_cast<size_t>(used) * data->sample_bytes;
    data->samples.insert(data->samples.end(), array.data, array.data + bytes);
    host::SwapToOrFromLittleEndian(input.type, data->samples.data() + before, bytes);
    return all;
  }
  for (int64_t i = 0; i < used * elements; ++i) {
    const double value = array.At(i);
    if (!std::isfinite(value)) {
      Refuse(name,
             fmt::format("data: found {} at element {}, required: a number; check the array", value, i));
    }
    AppendReal(value, input, &data->samples);
  }
  return all;
}

// Returns the number that a name is, or that precedes its first '_' or '.'.
std::optional<double> LabelOf(const fs::path& file, const fs::path& root) {
  const auto number = [](const std::string& text) -> std::optional<double> {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || (end != text.data() + text.size() && *end != '_' && *end != '.'))
      return std::nullopt;
    return static_cast<double>(value);
  };
  if (file.parent_path() != root) return number(file.parent_path().filename().string());
  return number(file.filename().string());
}

// Works as AppendArray does, but each file is one sample.
int64_t ReadFolder(const std::string& folder, const DatasetSource& source, const TensorInfo& input,
                   Dataset* data) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".npy" || extension == ".ppm" || extension == ".pgm") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  const auto all = static_cast<int64_t>(files.size());
  files.resize(std::min(files.size(), static_cast<size_t>(source.first)));
  int64_t labelled = 0;
  const size_t labels_before = data->labels.size();
  for (const fs::path& file : files) {
    const size_t before = data->samples.size();
    if (file.extension() == ".npy") {
      AppendArray(file.string(), source, input, data);
    } else {
      AppendPicture(file.string(), ReadPixmap(file.string()), source, input, data);
    }
    if (data->samples.size() - before != data->sample_bytes) {
      Refuse(file.string(),
             "data: found several samples, required: one in each file of a folder; split the array");
    }
    data->names.push_back(file.string());
    const std::optional<double> label = LabelOf(file, folder);
    data->labels.push_back(label.value_or(0));
    labelled += label ? 1 : 0;
  }
  if (labelled == 0) data->labels.resize(labels_before);
  if (labelled != 0 && labelled != static_cast<int64_t>(files.size())) {
    Refuse(folder,
           fmt::format("labels: found them in the names of {} of {} files, required: in all or in none; "
                       "name files LABEL_... or their folders LABEL",
                       labelled, files.size()));
  }
  return all;
}

// Turns one-hot rows into the index of the 1; returns false if a row is not one-hot.
bool TakeOneHot(const std::vector<double>& rows, size_t classes, std::vector<double>* labels) {
  std::vector<double> found;
  for (size_t row = 0; row < rows.size(); row += classes) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(row),
               last = first + static_cast<std::ptrdiff_t>(classes);
    const auto one = std::find(first, last, 1.0);
    if (one == last || std::count(first, last, 0.0) != static_cast<std::ptrdiff_t>(classes) - 1) return false;
    found.push_back(static_cast<double>(one - first));
  }
  *labels = std::move(found);
  return true;
}

// The number of samples that one of a source's files holds, and how many of them are used.
struct Part {
  int64_t all;
  int64_t used;
};

// How many samples an array of labels is for, and how many labels each has.
struct LabelRows {
  int64_t samples;
  int64_t each;
};

// Labels are for all samples of the data, or for the `used` ones; each has one, or `values`. 1000 labels may
// be those of 1000 samples or of 100 with 10 values: the first axis decides, else each sample has one.
std::optional<LabelRows> RowsOf(const host::NpyArray& array, int64_t all, int64_t used, int64_t values) {
  for (const bool by_axis : {true, false}) {
    for (const int64_t each : {int64_t{1}, values}) {
      for (const int64_t samples : {all, used}) {
        const bool is_axis = array.shape.size() < 2 || array.shape[0] == samples;
        if (array.count() == samples * each && (is_axis || !by_axis)) return LabelRows{samples, each};
      }
    }
  }
  return std::nullopt;
}

void ReadLabels(const std::string& file, const TensorInfo& output, const std::vector<Part>& parts,
                Dataset* data) {
  const host::NpyArray array = host::ReadNpy(file);
  const int64_t values = output.shape.Count();
  const int64_t used = data->count();
  int64_t all = 0;
  for (const Part& part : parts) all += part.all;
  const std::optional<LabelRows> rows = RowsOf(array, all, used, values);
  if (!rows) {
    Refuse(file, fmt::format("labels: found {}, required: {} or {} for {} samples{}; check the array",
                             array.count(), used, used * values, used,
                             all == used ? "" : fmt::format(", or those of all {}", all)));
  }
  data->labels.clear();
  int64_t begin = 0;
  for (const Part& part : parts) {
    for (int64_t i = begin; i < begin + part.used * rows->each; ++i) data->labels.push_back(array.At(i));
    begin += (rows->samples == all ? part.all : part.used) * rows->each;
  }
  data->label_type = array.type;
  if (values > 1 && rows->each == values &&
      TakeOneHot(data->labels, static_cast<size_t>(values), &data->labels)) {
    data->label_type = TensorType::kInt32;
  }
}

}  // namespace

Dataset ReadDataset(const DatasetSource& source, const TensorInfo& input, const TensorInfo& output) {
  Dataset data;
  data.type = input.type;
  data.sample_bytes = static_cast<size_t>(input.bytes);
  std::vector<Part> parts;
  for (const std::string& name : source.data) {
    const int64_t before = data.count();
    const int64_t all = fs::is_directory(name) ? ReadFolder(name, source, input, &data)
                                               : AppendArray(name, source, input, &data);
    parts.push_back({all, data.count() - before});
    if (parts.back().used == 0)
      Refuse(name, "data: found no sample, required: .npy or .ppm files; check the folder");
  }
  if (!data.labels.empty() && static_cast<int64_t>(data.labels.size()) != data.count()) {
    Refuse(source.data.back(),
           fmt::format("labels: found them for {} of {} samples of all --data, required: all or "
                       "none; name files LABEL_... or their folders LABEL",
                       data.labels.size(), data.count()));
  }
  if (!source.labels.empty()) ReadLabels(source.labels, output, parts, &data);
  return data;
}

Dataset Spread(const Dataset& data, int64_t wanted) {
  const int64_t count = data.count();
  if (wanted == 0 || wanted >= count) return data;
  Dataset some = data;
  some.samples.clear();
  some.names.clear();
  some.labels.clear();
  for (int64_t i = 0; i < wanted; ++i) {
    const uint8_t* const sample = data.sample(i * count / wanted);
    some.samples.insert(some.samples.end(), sample, sample + data.sample_bytes);
  }
  return some;
}

}  // namespace lutra::compressor

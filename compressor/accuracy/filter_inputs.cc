// SPDX-License-Identifier: Apache-2.0
// Sums activations over the places that each tap of a filter meets.

#include "compressor/accuracy/filter_inputs.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "compressor/accuracy/codes.h"
#include "host/scores.h"
#include "lutra/node_info.h"

namespace lutra::compressor {
namespace {

constexpr int64_t kSamples = 512;
// Products take at most so many places of all samples together, and keep so many values of each operator.
constexpr int64_t kPlaces = 32768, kValues = 1 << 23;
// The most inputs of one output: products of more take too much time and memory.
constexpr size_t kMostInputs = 1152;

// A filter, and the places at which its operator reads inputs. FULLY_CONNECTED is a window of one pixel.
struct Reader {
  FilterInputs inputs;
  int input = 0;
  bool is_of_8_bits = false;  // The filter and its input have 8 bits.
  // The sizes of input and output; a row of FULLY_CONNECTED is one pixel.
  int64_t rows = 1, columns = 1, channels = 1, output_rows = 1, output_columns = 1;
  int64_t filter_rows = 1, filter_columns = 1;
  int64_t stride_rows = 1, stride_columns = 1, dilation_rows = 1, dilation_columns = 1;
  int64_t pad_rows = 0, pad_columns = 0;
  std::vector<int64_t> taps;  // Each element's index of place and channel, (y, x, c).
  int64_t groups = 1;         // Of outputs; a group reads the same channels.

  int64_t outputs() const { return 1 + *std::max_element(inputs.outputs.begin(), inputs.outputs.end()); }
  bool has_products() const {
    return is_of_8_bits && inputs.outputs.size() / static_cast<size_t>(outputs()) <= kMostInputs;
  }
  size_t tap_count() const { return static_cast<size_t>(filter_rows * filter_columns * channels); }
};

int64_t PadBefore(int64_t input, int64_t output, int64_t filter, int64_t stride, int64_t dilation) {
  return std::max<int64_t>(0, (output - 1) * stride + (filter - 1) * dilation + 1 - input) / 2;
}

template <typename Options>
void SetWindow(const Options& options, Reader* reader) {
  reader->stride_rows = options.stride_h;
  reader->stride_columns = options.stride_w;
  reader->dilation_rows = options.dilation_h_factor;
  reader->dilation_columns = options.dilation_w_factor;
  constexpr int kSame = 0;  // SAME in the format.
  if (options.padding != kSame) return;
  reader->pad_rows = PadBefore(reader->rows, reader->output_rows, reader->filter_rows, reader->stride_rows,
                               reader->dilation_rows);
  reader->pad_columns = PadBefore(reader->columns, reader->output_columns, reader->filter_columns,
                                  reader->stride_columns, reader->dilation_columns);
}

// Returns false for shapes that the operator would refuse, or that are unknown here.
bool SetShapes(const TensorInfo& input, const TensorInfo& filter, const TensorInfo& output, Reader* reader) {
  if (input.shape.rank != 4 || filter.shape.rank != 4 || output.shape.rank != 4) return false;
  reader->rows = input.shape[1];
  reader->columns = input.shape[2];
  reader->channels = input.shape[3];
  reader->output_rows = output.shape[1];
  reader->output_columns = output.shape[2];
  reader->filter_rows = filter.shape[1];
  reader->filter_columns = filter.shape[2];
  return true;
}

// Sets the tap and the output channel of each element of the filter.
void SetElements(BuiltinOperator code, const TensorInfo& filter, Reader* reader) {
  const int64_t count = filter.shape.Count();
  const int64_t last = filter.shape[filter.shape.rank - 1];
  reader->groups = code == BuiltinOperator::kFullyConnected ? 1
                   : code == BuiltinOperator::kDepthwiseConv2D
                       ? reader->channels
                       : std::max<int64_t>(1, reader->channels / last);
  for (int64_t i = 0; i < count; ++i) {
    int64_t tap = 0, output = 0;
    if (code == BuiltinOperator::kDepthwiseConv2D) {
      output = i % last;
      tap = i / last * reader->channels + output / std::max<int64_t>(1, last / reader->channels);
    } else {
      const int64_t of_filter = count / filter.shape[0];
      const int64_t filters_of_group = std::max<int64_t>(1, filter.shape[0] / reader->groups);
      output = i / of_filter;
      const int64_t in_filter = i % of_filter;
      tap = in_filter / last * reader->channels + output / filters_of_group * last + in_filter % last;
    }
    reader->taps.push_back(tap % static_cast<int64_t>(reader->tap_count()));
    reader->inputs.outputs.push_back(static_cast<int32_t>(output));
  }
}

// Counts how often tensors are read, and how many have their constant at one place.
struct Uses {
  explicit Uses(const host::ModelFile& file) {
    for (int n = 0; n < file.model.node_count(0); ++n) {
      const NodeInfo node = file.model.node(0, n);
      for (int32_t i = 0; i < node.inputs.size(); ++i) ++reads[node.inputs[i]];
    }
    for (int subgraph = 0; subgraph < file.model.subgraph_count(); ++subgraph) {
      for (int t = 0; t < file.model.tensor_count(subgraph); ++t) {
        ++places[file.model.tensor(subgraph, t).data.data()];
      }
    }
  }
  std::map<int, int> reads;
  std::map<const uint8_t*, int> places;
};

std::vector<Reader> FindReaders(const host::ModelFile& file) {
  const ModelEditor editor(file);
  const Uses uses(file);
  std::vector<Reader> readers;
  for (int n = 0; n < file.model.node_count(0); ++n) {
    const NodeInfo node = file.model.node(0, n);
    if (node.inputs.size() < 2 || node.inputs[0] < 0 || node.inputs[1] < 0) continue;
    const TensorInfo input = file.model.tensor(0, node.inputs[0]);
    const TensorInfo filter = file.model.tensor(0, node.inputs[1]);
    const TensorInfo output = file.model.tensor(0, node.outputs[0]);
    if (!filter.is_constant() || input.is_constant() || filter.shape.rank < 2) continue;
    if (filter.shape.Count() == 0 || input.shape.Count() == 0) continue;
    Reader reader;
    reader.inputs.filter = {0, node.inputs[1]};
    reader.input = node.inputs[0];
    const auto& options = editor.subgraph(0).operators[static_cast<size_t>(n)]->builtin_options;
    if (node.code == BuiltinOperator::kFullyConnected) {
      reader.channels = filter.shape[filter.shape.rank - 1];
      reader.output_rows = reader.rows = input.shape.Count() / reader.channels;
    } else if (node.code == BuiltinOperator::kConv2D && options.AsConv2DOptions() != nullptr) {
      if (!SetShapes(input, filter, output, &reader)) continue;
      SetWindow(*options.AsConv2DOptions(), &reader);
    } else if (node.code == BuiltinOperator::kDepthwiseConv2D &&
               options.AsDepthwiseConv2DOptions() != nullptr) {
      if (!SetShapes(input, filter, output, &reader)) continue;
      SetWindow(*options.AsDepthwiseConv2DOptions(), &reader);
    } else {
      continue;
    }
    SetElements(node.code, filter, &reader);
    if (input.is_quantized()) reader.inputs.input_scale = input.scale;
    reader.is_of_8_bits = Is8Bits(filter) && Is8Bits(input);
    if (node.inputs.size() > 2 && node.inputs[2] >= 0 && reader.is_of_8_bits) {
      const TensorInfo bias = file.model.tensor(0, node.inputs[2]);
      const bool is_alone =
          uses.reads.at(node.inputs[2]) == 1 && bias.is_constant() && uses.places.at(bias.data.data()) == 1;
      const bool fits = bias.type == TensorType::kInt32 && bias.shape.Count() == reader.outputs();
      if (is_alone && fits) reader.inputs.bias = TensorId{0, node.inputs[2]};
    }
    readers.push_back(std::move(reader));
  }
  return readers;
}

struct Sums {
  std::vector<double> values;
  std::vector<double> squares;
};

Sums SumsOver(const Reader& reader, const Tensor& input) {
  Sums sums = {std::vector<double>(reader.tap_count()), std::vector<double>(reader.tap_count())};
  const auto* const data = static_cast<const uint8_t*>(input.data);
  const int64_t images = input.info.shape.Count() / (reader.rows * reader.columns * reader.channels);
  std::vector<double> real(static_cast<size_t>(input.info.shape.Count()));
  for (size_t i = 0; i < real.size(); ++i) {
    real[i] = host::RealValue(input.info, data, static_cast<int64_t>(i));
  }
  for (int64_t image = 0; image < images; ++image) {
    for (int64_t y = 0; y < reader.filter_rows; ++y) {
      for (int64_t x = 0; x < reader.filter_columns; ++x) {
        const auto tap = static_cast<size_t>((y * reader.filter_columns + x) * reader.channels);
        for (int64_t row = 0; row < reader.output_rows; ++row) {
          const int64_t in_row = row * reader.stride_rows - reader.pad_rows + y * reader.dilation_rows;
          if (in_row < 0 || in_row >= reader.rows) continue;
          for (int64_t column = 0; column < reader.output_columns; ++column) {
            const int64_t in_column =
                column * reader.stride_columns - reader.pad_columns + x * reader.dilation_columns;
            if (in_column < 0 || in_column >= reader.columns) continue;
            const double* const pixel =
                real.data() + ((image * reader.rows + in_row) * reader.columns + in_column) * reader.channels;
            for (size_t c = 0; c < static_cast<size_t>(reader.channels); ++c) {
              sums.values[tap + c] += pixel[c];
              sums.squares[tap + c] += pixel[c] * pixel[c];
            }
          }
        }
      }
    }
  }
  const auto places =
      static_cast<double>(std::max<int64_t>(1, images * reader.output_rows * reader.output_columns));
  for (size_t tap = 0; tap < reader.tap_count(); ++tap) {
    sums.values[tap] /= places;
    sums.squares[tap] /= places;
  }
  return sums;
}

// The inputs at some places of one sample, less the zero point: [place][tap].
using Patches = std::vector<int16_t>;

Patches PatchesOf(const Reader& reader, const Tensor& input, int64_t sample, int64_t samples) {
  const auto* const data = static_cast<const uint8_t*>(input.data);
  const bool is_signed = input.info.type == TensorType::kInt8;
  const int64_t image_places = reader.output_rows * reader.output_columns;
  const int64_t places =
      input.info.shape.Count() / (reader.rows * reader.columns * reader.channels) * image_places;
  const int64_t wanted = std::min(kPlaces, kValues / static_cast<int64_t>(reader.tap_count()));
  const int64_t taken = std::min(places, std::max<int64_t>(1, wanted / samples));
  Patches patches(static_cast<size_t>(taken) * reader.tap_count());
  auto at = patches.begin();
  for (int64_t i = 0; i < taken; ++i) {
    const int64_t place = i * places / taken + sample % std::max<int64_t>(1, places / taken);
    const int64_t image = place / image_places;
    const int64_t row = place % image_places / reader.output_columns, column = place % reader.output_columns;
    for (int64_t y = 0; y < reader.filter_rows; ++y) {
      const int64_t in_row = row * reader.stride_rows - reader.pad_rows + y * reader.dilation_rows;
      for (int64_t x = 0; x < reader.filter_columns; ++x, at += reader.channels) {
        const int64_t in_column =
            column * reader.stride_columns - reader.pad_columns + x * reader.dilation_columns;
        if (in_row < 0 || in_row >= reader.rows || in_column < 0 || in_column >= reader.columns) continue;
        const uint8_t* const pixel =
            data + ((image * reader.rows + in_row) * reader.columns + in_column) * reader.channels;
        for (int64_t c = 0; c < reader.channels; ++c) {
          const int code = is_signed ? static_cast<int8_t>(pixel[c]) : pixel[c];
          at[c] = static_cast<int16_t>(code - input.info.zero_point);
        }
      }
    }
  }
  return patches;
}

// The sum is exact, so its order does not matter; blocks of a fixed length let compilers use vectors.
int64_t Dot(const int16_t* a, const int16_t* b, size_t count) {
  constexpr size_t kBlock = 512;
  int64_t sum = 0;
  for (; count >= kBlock; count -= kBlock, a += kBlock, b += kBlock) {
    int32_t block = 0;
    for (size_t i = 0; i < kBlock; ++i) block += a[i] * b[i];
    sum += block;
  }
  for (size_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Sums the products of all samples' patches.
void SetProducts(const std::vector<const Patches*>& by_sample, Reader* reader) {
  const size_t taps = reader->tap_count();
  std::vector<std::vector<int16_t>> met(taps);
  for (const Patches* patches : by_sample) {
    for (size_t i = 0; i < patches->size(); ++i) met[i % taps].push_back((*patches)[i]);
  }
  if (met[0].empty()) return;
  const auto places = static_cast<double>(met[0].size());
  const double scale = reader->inputs.input_scale;
  const auto outputs = static_cast<size_t>(reader->outputs());
  for (size_t group = 0; group < static_cast<size_t>(reader->groups); ++group) {
    // All outputs of a group have the inputs of its first output.
    std::vector<const std::vector<int16_t>*> inputs;
    const auto first = static_cast<int32_t>(group * outputs / static_cast<size_t>(reader->groups));
    for (size_t i = 0; i < reader->taps.size(); ++i) {
      if (reader->inputs.outputs[i] == first) inputs.push_back(&met[static_cast<size_t>(reader->taps[i])]);
    }
    InputProducts& of = reader->inputs.products.emplace_back();
    const size_t size = inputs.size();
    of.products.resize(size * size);
    for (size_t i = 0; i < size; ++i) {
      const std::vector<int16_t>& values = *inputs[i];
      of.means.push_back(
          scale * static_cast<double>(std::accumulate(values.begin(), values.end(), int64_t{0})) / places);
      for (size_t j = 0; j <= i; ++j) {
        const auto sum = static_cast<double>(Dot(values.data(), inputs[j]->data(), values.size()));
        of.products[i * size + j] = of.products[j * size + i] = scale * scale * sum / places;
      }
    }
  }
}

}  // namespace

std::vector<FilterInputs> MeasureFilterInputs(const host::ModelFile& file, const Evaluator& evaluator) {
  std::vector<Reader> readers = FindReaders(file);
  std::vector<FilterInputs> all;
  if (readers.empty()) return all;
  std::vector<int> tensors;
  for (const Reader& reader : readers) tensors.push_back(reader.input);
  const Evaluator some(Spread(evaluator.data(), kSamples), evaluator.jobs(), true);
  const int64_t samples = some.data().count();
  // Each sample is summed by itself and all in the order of samples, so that threads do not change the
  // result.
  std::vector<std::vector<Sums>> by_sample(static_cast<size_t>(samples));
  std::vector<std::vector<Patches>> patches(static_cast<size_t>(samples));
  some.ForEachActivations(file, tensors, [&](int64_t sample, const std::vector<Tensor>& values) {
    for (size_t r = 0; r < readers.size(); ++r) {
      by_sample[static_cast<size_t>(sample)].push_back(SumsOver(readers[r], values[r]));
      patches[static_cast<size_t>(sample)].push_back(
          readers[r].has_products() ? PatchesOf(readers[r], values[r], sample, samples) : Patches());
    }
  });
  for (size_t r = 0; r < readers.size(); ++r) {
    Sums means = {std::vector<double>(readers[r].tap_count()), std::vector<double>(readers[r].tap_count())};
    for (const std::vector<Sums>& sums : by_sample) {
      for (size_t tap = 0; tap < means.values.size(); ++tap) {
        means.values[tap] += sums[r].values[tap] / static_cast<double>(samples);
        means.squares[tap] += sums[r].squares[tap] / static_cast<double>(samples);
      }
    }
    for (const int64_t tap : readers[r].taps) {
      readers[r].inputs.means.push_back(means.values[static_cast<size_t>(tap)]);
      readers[r].inputs.squares.push_back(means.squares[static_cast<size_t>(tap)]);
    }
    if (readers[r].has_products()) {
      std::vector<const Patches*> of_reader;
      for (const std::vector<Patches>& of_sample : patches) of_reader.push_back(&of_sample[r]);
      SetProducts(of_reader, &readers[r]);
    }
    all.push_back(std::move(readers[r].inputs));
  }
  return all;
}

}  // namespace lutra::compressor

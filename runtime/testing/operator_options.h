// SPDX-License-Identifier: Apache-2.0
// The options of every operator that has any, in one struct for tests. Host only.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lutra {

// The options table of an operator in a test model: of its own kind, none, or one of another operator's kind.
enum class OptionsTable : uint8_t { kOwn, kNone, kForeign };

// Names and defaults are the file format's, if it has them. Options that an operator lacks are ignored.
struct OperatorOptions {
  OptionsTable table = OptionsTable::kOwn;
  // Windows. The values for rows hold for columns, too, unless columns have their own.
  int padding = 0;  // 0 SAME, 1 VALID.
  int stride = 1;
  std::optional<int> stride_w;
  int dilation = 1;
  std::optional<int> dilation_w;
  int filter = 1;
  std::optional<int> filter_w;
  int depth_multiplier = 1;
  int activation = 0;
  // FULLY_CONNECTED, SVDF, SOFTMAX, LEAKY_RELU, GELU.
  int weights_format = 0;
  bool keep_num_dims = false;
  int rank = 1;
  float beta = 1;
  float alpha = 0;
  bool approximate = false;
  // UNIDIRECTIONAL_SEQUENCE_LSTM.
  float cell_clip = 0;
  bool time_major = false;
  // CONCATENATION, GATHER, PACK, UNPACK, SPLIT, SPLIT_V.
  int axis = 0;
  int batch_dims = 0;
  int count = 0;
  // Moves, reductions and resizing.
  std::vector<int32_t> dims;  // New shape of RESHAPE, axes of SQUEEZE.
  int block_size = 0;
  int mirror_mode = 0;  // 0 REFLECT, 1 SYMMETRIC.
  int begin_mask = 0;
  int end_mask = 0;
  int ellipsis_mask = 0;
  int new_axis_mask = 0;
  int shrink_axis_mask = 0;
  bool offset = false;
  bool keep_dims = false;
  bool exclusive = false;
  bool reverse = false;
  bool align_corners = false;
  bool half_pixel_centers = false;
  // BATCH_MATMUL.
  bool adj_x = false;
  bool adj_y = false;
  // CALL_ONCE, VAR_HANDLE.
  int init_subgraph = 1;
  // IF: then and else. WHILE: cond and body.
  int called[2] = {1, 2};
  std::string container;
  std::string shared_name = "v";
};

}  // namespace lutra

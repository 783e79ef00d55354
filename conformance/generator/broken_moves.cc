// SPDX-License-Identifier: Apache-2.0
// Cases that must be refused: operators that move bytes.

#include "conformance/generator/broken.h"

namespace lutra::conformance {
namespace {

const Refusal kShapes[] = {
    {"RESHAPE", "element_count", "12 elements become 10", OutputShape({2, 5})},
    {"SQUEEZE", "dimension_not_one", "a dimension of 2 is taken away",
     [](Broken& m) {
       m.options<edit::SqueezeOptionsT>().squeeze_dims = {1};
       m.out().shape = {1, 1, 5};
     }},
    {"SQUEEZE", "axis_range", "axis 4 of 4 dimensions",
     [](Broken& m) {
       m.options<edit::SqueezeOptionsT>().squeeze_dims = {0, 4};
     }},
    {"EXPAND_DIMS", "axis_range", "axis 4 of 2 dimensions", Integers(1, {4}, {})},
    {"EXPAND_DIMS", "axis_range", "axis -4 of 2 dimensions", Integers(1, {-4}, {})},
    {"CONCATENATION", "scales_differ", "another scale of an input", [](Broken& m) { m.Scale(m.in(1)) *= 2; }},
    {"CONCATENATION", "scales_differ", "another scale of the output",
     [](Broken& m) { m.Scale(m.out()) *= 0.5f; }},
    {"CONCATENATION", "zero_points_differ", "another zero point of an input",
     [](Broken& m) { m.ZeroPoint(m.in(0)) = m.ZeroPoint(m.out()) == 7 ? 8 : 7; }},
    {"CONCATENATION", "scales_differ_late", "another scale of the third input",
     [](Broken& m) {
       const edit::TensorT like = m.in(1);
       m.op().inputs.push_back(m.AddTensor(like));
       m.graph().inputs.push_back(m.op().inputs.back());
       m.Scale(m.in(2)) *= 2;
       m.out().shape[1] += like.shape[1];
     }},
    {"CONCATENATION", "axis_range", "axis 2 of 2 dimensions",
     [](Broken& m) { m.options<edit::ConcatenationOptionsT>().axis = 2; }},
    {"CONCATENATION", "axis_range", "axis -3 of 2 dimensions",
     [](Broken& m) { m.options<edit::ConcatenationOptionsT>().axis = -3; }},
    {"CONCATENATION", "shapes", "2 rows and 3 rows, side by side", InputShape(1, {3, 6})},
    {"CONCATENATION", "ranks", "2 dimensions and 3", InputShape(1, {1, 2, 6})},
    {"CONCATENATION", "types", "int8 and int16", InputType(1, oracle::kInt16)},
    {"CONCATENATION", "activation", "a fused RELU",
     [](Broken& m) { m.options<edit::ConcatenationOptionsT>().fused_activation_function = 1; }},
    {"SPLIT", "axis_range", "axis 2 of 2 dimensions", Integers(0, {2}, {})},
    {"SPLIT", "not_divisible", "6 columns in 4 parts",
     [](Broken& m) {
       m.options<edit::SplitOptionsT>().num_splits = 4;
       const edit::TensorT like = m.out();
       for (int i = 0; i < 2; ++i) {
         m.op().outputs.push_back(m.AddTensor(like));
         m.graph().outputs.push_back(m.op().outputs.back());
       }
     }},
    {"SPLIT", "part_count", "3 parts for 2 outputs",
     [](Broken& m) { m.options<edit::SplitOptionsT>().num_splits = 3; }},
    {"SPLIT_V", "sizes", "sizes of 2 and 4 for 5 columns", Integers(1, {2, 4})},
    {"SPLIT_V", "sizes", "a size of -3", Integers(1, {8, -3})},
    {"SPLIT_V", "sizes_open", "two sizes of -1", Integers(1, {-1, -1})},
    {"SPLIT_V", "size_count", "3 sizes for 2 outputs", Integers(1, {2, 2, 1})},
    {"SPLIT_V", "axis_range", "axis -3 of 2 dimensions", Integers(2, {-3}, {})},
    {"PACK", "shapes", "rows of 5 and of 4", InputShape(1, {2, 4})},
    {"PACK", "axis_range", "axis 3 of 3 dimensions",
     [](Broken& m) { m.options<edit::PackOptionsT>().axis = 3; }},
    {"PACK", "types", "int8 and int32", InputType(1, oracle::kInt32)},
    {"PACK", "value_count", "3 values of 2 inputs",
     [](Broken& m) { m.options<edit::PackOptionsT>().values_count = 3; }},
    {"UNPACK", "axis_range", "axis 2 of 2 dimensions",
     [](Broken& m) { m.options<edit::UnpackOptionsT>().axis = 2; }},
    {"UNPACK", "value_count", "3 values of 2 rows",
     [](Broken& m) { m.options<edit::UnpackOptionsT>().num = 3; }},
    {"BROADCAST_TO", "shape", "5 columns become 4", All({Integers(1, {3, 4}), OutputShape({3, 4})})},
    {"BROADCAST_TO", "rank", "2 dimensions become 1", All({Integers(1, {5}), OutputShape({5})})},
};

const Refusal kPlaces[] = {
    {"TRANSPOSE", "permutation", "an axis occurs twice", Integers(1, {0, 3, 1, 1})},
    {"TRANSPOSE", "permutation", "axis 4 of 4 dimensions", Integers(1, {0, 4, 1, 2})},
    {"TRANSPOSE", "permutation_size", "3 axes for 4 dimensions", Integers(1, {0, 2, 1})},
    {"TRANSPOSE", "permutation_truncated", "a byte of the axes is missing", ByteMissing(1)},
    {"SLICE", "range", "rows 1 to 3 of 3", All({Integers(2, {3, 3}), OutputShape({3, 3})})},
    {"SLICE", "range", "from row -1", Integers(1, {-1, 2})},
    {"SLICE", "range", "from column 6 of 5, to the end", All({Integers(1, {1, 6}), Integers(2, {2, -1})})},
    {"SLICE", "size_negative", "a size of -2", Integers(2, {2, -2})},
    {"SLICE", "count", "a start for one dimension of two", Integers(1, {1})},
    {"STRIDED_SLICE", "stride_zero", "a stride of 0", Integers(3, {1, 0})},
    {"STRIDED_SLICE", "dropped_range", "row 3 of 3, alone",
     [](Broken& m) {
       m.options<edit::StridedSliceOptionsT>().shrink_axis_mask = 1;
       m.SetInt32(1, {3, 1});
       m.out().shape = {2};
     }},
    {"STRIDED_SLICE", "count", "3 starts for 2 dimensions", Integers(1, {0, 1, 0})},
    {"REVERSE_V2", "axis_range", "axis 2 of 2 dimensions", Integers(1, {2})},
    {"REVERSE_V2", "axis_range", "axis -3 of 2 dimensions", Integers(1, {-3})},
    {"GATHER", "index_range", "column 5 of 5", Integers(1, {2, 5})},
    {"GATHER", "index_range", "column -1", Integers(1, {-1, 0})},
    {"GATHER", "index_range", "column 1000000", Integers(1, {2, 1000000})},
    {"GATHER", "axis_range", "axis 2 of 2 dimensions",
     [](Broken& m) { m.options<edit::GatherOptionsT>().axis = 2; }},
    {"GATHER", "axis_range", "axis -3 of 2 dimensions",
     [](Broken& m) { m.options<edit::GatherOptionsT>().axis = -3; }},
    {"GATHER", "batch_dims", "2 batch dimensions of indices with 1",
     [](Broken& m) { m.options<edit::GatherOptionsT>().batch_dims = 2; }},
    {"GATHER", "batch_size", "a batch of 3 and indices of 2",
     [](Broken& m) {
       m.options<edit::GatherOptionsT>().batch_dims = 1;
       m.SetInt32(1, {2, 0}, {2, 1});
       m.out().shape = {3, 1};
     }},
    {"GATHER", "index_type", "indices of float32", InputType(1, oracle::kFloat32)},
    {"GATHER_ND", "index_range", "column 5 of 5", Integers(1, {0, 1, 2, 5}, {2, 2})},
    {"GATHER_ND", "index_range", "row -1", Integers(1, {-1, 1, 2, 4}, {2, 2})},
    {"GATHER_ND", "index_depth", "indices of 3 numbers for 2 dimensions",
     Integers(1, {0, 1, 0, 2, 4, 0}, {2, 3})},
};

const Refusal kSpaces[] = {
    {"PAD", "padding_negative", "a padding of -1",
     All({Integers(1, {0, 0, -1, 1, 1, 1, 0, 0}, {4, 2}), OutputShape({1, 4, 6, 3})})},
    {"PAD", "padding_shape", "paddings for 3 dimensions of 4", Integers(1, {0, 0, 1, 1, 1, 1}, {3, 2})},
    {"PAD", "padding_truncated", "half of the paddings are missing",
     [](Broken& m) { m.Data(m.in(1)).resize(16); }},
    {"PAD", "padding_type", "paddings of int8",
     [](Broken& m) {
       m.in(1).type = oracle::kInt8;
       m.Data(m.in(1)) = {0, 0, 1, 1, 1, 1, 0, 0};
     }},
    {"PADV2", "value_scale", "the value has another scale than the output",
     [](Broken& m) { m.Scale(m.in(2)) = 0.5f; }},
    {"PADV2", "value_zero_point", "the value has another zero point than the output",
     [](Broken& m) { m.ZeroPoint(m.in(2)) = 0; }},
    {"PADV2", "value_type", "the value is int16",
     [](Broken& m) {
       m.in(2).type = oracle::kInt16;
       m.Data(m.in(2)) = {9, 0};
     }},
    {"PADV2", "value_count", "two values",
     [](Broken& m) {
       m.in(2).shape = {2};
       m.Data(m.in(2)) = {9, 9};
     }},
    {"PADV2", "padding_negative", "a padding of -1",
     All({Integers(1, {1, 0, -1, 2}, {2, 2}), OutputShape({3, 4})})},
    {"MIRROR_PAD", "padding_large", "2 rows reflected of 2",
     All({Integers(1, {2, 0, 0, 2}, {2, 2}), OutputShape({4, 5})})},
    {"MIRROR_PAD", "padding_large", "3 rows mirrored of 2",
     [](Broken& m) {
       m.options<edit::MirrorPadOptionsT>().mode = 1;
       m.SetInt32(1, {3, 0, 0, 2}, {2, 2});
       m.out().shape = {5, 5};
     }},
    {"MIRROR_PAD", "padding_negative", "a padding of -1",
     All({Integers(1, {-1, 0, 0, 2}, {2, 2}), OutputShape({1, 5})})},
    {"MIRROR_PAD", "padding_behind", "2 rows reflected behind 2",
     All({Integers(1, {0, 2, 0, 0}, {2, 2}), OutputShape({4, 3})})},
    {"SPACE_TO_DEPTH", "block_zero", "a block of 0",
     [](Broken& m) { m.options<edit::SpaceToDepthOptionsT>().block_size = 0; }},
    {"SPACE_TO_DEPTH", "not_divisible", "blocks of 2 on 5 columns", InputShape(0, {1, 4, 5, 2})},
    {"SPACE_TO_DEPTH", "block_negative", "a block of -2",
     [](Broken& m) { m.options<edit::SpaceToDepthOptionsT>().block_size = -2; }},
    {"DEPTH_TO_SPACE", "block_zero", "a block of 0",
     [](Broken& m) { m.options<edit::DepthToSpaceOptionsT>().block_size = 0; }},
    {"DEPTH_TO_SPACE", "not_divisible", "blocks of 2 of 6 channels", InputShape(0, {1, 2, 3, 6})},
    {"SPACE_TO_BATCH_ND", "not_divisible", "blocks of 2 on 5 columns", InputShape(0, {1, 4, 5, 2})},
    {"SPACE_TO_BATCH_ND", "block_zero", "a block of 0", Integers(1, {2, 0})},
    {"SPACE_TO_BATCH_ND", "padding_negative", "a padding of -2",
     All({Integers(2, {0, 0, -2, 0}, {2, 2}), OutputShape({4, 2, 2, 2})})},
    {"SPACE_TO_BATCH_ND", "rank", "2 dimensions", InputShape(0, {4, 12})},
    {"BATCH_TO_SPACE_ND", "not_divisible", "blocks of 2 by 2 of 6 batches", InputShape(0, {6, 2, 3, 2})},
    {"BATCH_TO_SPACE_ND", "crop_negative", "a crop of -1",
     All({Integers(2, {0, 0, -1, 0}, {2, 2}), OutputShape({1, 4, 7, 2})})},
    {"BATCH_TO_SPACE_ND", "crop_large", "5 rows of 4 are cropped", Integers(2, {5, 0, 0, 0}, {2, 2})},
    {"BATCH_TO_SPACE_ND", "rank", "2 dimensions", InputShape(0, {4, 12})},
};

const Refusal kUpdates[] = {
    {"EMBEDDING_LOOKUP", "table_rank", "a table of 1 dimension",
     All({InputShape(1, {15}), OutputShape({2})})},
    {"EMBEDDING_LOOKUP", "id_range", "row 3 of 3", Integers(0, {2, 3})},
    {"EMBEDDING_LOOKUP", "id_range", "row -1", Integers(0, {-1, 0})},
    {"EMBEDDING_LOOKUP", "id_type", "ids of int16", InputType(0, oracle::kInt16)},
    {"EMBEDDING_LOOKUP", "rows", "3 rows for 2 ids", OutputShape({3, 5})},
    {"EMBEDDING_LOOKUP", "types", "int8 and int16", OutputType(oracle::kInt16)},
    {"DYNAMIC_UPDATE_SLICE", "update_large", "4 rows into 3", InputShape(1, {4, 2})},
    {"DYNAMIC_UPDATE_SLICE", "ranks", "3 dimensions into 2", InputShape(1, {1, 2, 2})},
    {"DYNAMIC_UPDATE_SLICE", "start_count", "a start of 3 dimensions", Integers(2, {1, 2, 0})},
    {"DYNAMIC_UPDATE_SLICE", "types", "int8 and int16", InputType(1, oracle::kInt16)},
    {"DYNAMIC_UPDATE_SLICE", "shape", "5 columns become 4", OutputShape({3, 4})},
};

// Operators that fill, or take truth values.
const Refusal kFills[] = {
    {"FILL", "shape", "dimensions of 2 and 4, an output of 2 and 5", Integers(0, {2, 4})},
    {"FILL", "dims_rank", "dimensions in a tensor of 2 dimensions", Integers(0, {2, 5}, {1, 2})},
    {"FILL", "value_rank", "2 values", InputShape(1, {2})},
    {"FILL", "types", "int8 and int32", OutputType(oracle::kInt32)},
    {"ZEROS_LIKE", "shape", "5 columns become 4", OutputShape({2, 4})},
    {"ZEROS_LIKE", "types", "int8 and int32", OutputType(oracle::kInt32)},
    {"BROADCAST_ARGS", "types", "int32 and int64", InputType(1, oracle::kInt64)},
    {"BROADCAST_ARGS", "length", "2 dimensions become 1", OutputShape({1})},
    {"BROADCAST_ARGS", "length", "2 dimensions become 3", OutputShape({3})},
    {"LOGICAL_AND", "type", "int8", InputType(0, oracle::kInt8)},
    {"LOGICAL_AND", "broadcast", "5 and 4 columns", InputShape(1, {2, 4})},
    {"LOGICAL_OR", "type", "int8", InputType(1, oracle::kInt8)},
    {"LOGICAL_OR", "broadcast", "5 and 4 columns", InputShape(0, {2, 4})},
    {"LOGICAL_NOT", "type", "int8", InputType(0, oracle::kInt8)},
    {"LOGICAL_NOT", "shape", "5 columns become 4", OutputShape({2, 4})},
    {"REDUCE_ALL", "type", "int8", InputType(0, oracle::kInt8)},
    {"REDUCE_ALL", "axis_range", "axis 2 of 2 dimensions", Integers(1, {2})},
    {"REDUCE_ALL", "shape", "rows and columns change places", OutputShape({5})},
};

}  // namespace

void RefuseMoves(Refuser& refuser) {
  refuser.Add(kShapes);
  refuser.Add(kPlaces);
  refuser.Add(kSpaces);
  refuser.Add(kUpdates);
  refuser.Add(kFills);
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// The tables and fields that the runtime reads, as data, and one walk over a file that checks them.

#include "runtime/model_verifier.h"

#include "compression_generated.h"
#include "runtime/schema/read.h"
#include "runtime/schema/tflite.h"

namespace lutra {
namespace {

// More tables than any real model has, and few enough to check quickly: offsets of a hostile file may lead to
// the same tables again and again.
constexpr uint32_t kMostTables = 1000000;

// The kind of a field. Its low two bits are the logarithm of a width in bytes: of the number, or of a list's
// element.
enum Kind : uint8_t {
  kByte = 0,
  kWord = 2,
  kLong = 3,
  kBytes = 4 + 0,
  kWords = 4 + 2,
  kLongs = 4 + 3,
  kTables = 8 + 2,  // A list of offsets.
  kText = 12 + 0,   // Bytes, and a zero.
  kTable = 13,
  kOptions = 14,  // A table of the type that the field before says.
};

enum TableId : uint8_t {
  kNoTable,
  kModel,
  kOperatorCode,
  kSubGraph,
  kTensor,
  kQuantization,
  kOperator,
  kBuffer,
  kMetadata,
  kCompression,
  kCompressedSubgraph,
  kLutTensor,
  kFirstOptions,  // And the number of the type.
};

struct Field {
  uint8_t table;
  uint8_t slot;  // In the vtable, in bytes.
  uint8_t kind : 4;
  uint8_t child : 4;  // The table that it leads to.
};

constexpr uint8_t Options(uint8_t type) { return static_cast<uint8_t>(kFirstOptions + type); }

#define LUTRA_OPTION(name, field, kind) \
  { Options(static_cast<uint8_t>(schema::BuiltinOptions::name)), schema::name::field, kind, kNoTable }

// In the order of their tables. Every getter that model.cc, model_options.cc and lut_metadata.cc call has its
// line: a number whose field is missing here may be read outside the file.
constexpr Field kFields[] = {
    {kModel, schema::Model::VT_VERSION, kWord, kNoTable},
    {kModel, schema::Model::VT_OPERATOR_CODES, kTables, kOperatorCode},
    {kModel, schema::Model::VT_SUBGRAPHS, kTables, kSubGraph},
    {kModel, schema::Model::VT_BUFFERS, kTables, kBuffer},
    {kModel, schema::Model::VT_METADATA, kTables, kMetadata},
    {kOperatorCode, schema::OperatorCode::VT_DEPRECATED_BUILTIN_CODE, kByte, kNoTable},
    {kOperatorCode, schema::OperatorCode::VT_CUSTOM_CODE, kText, kNoTable},
    {kOperatorCode, schema::OperatorCode::VT_VERSION, kWord, kNoTable},
    {kOperatorCode, schema::OperatorCode::VT_BUILTIN_CODE, kWord, kNoTable},
    {kSubGraph, schema::SubGraph::VT_TENSORS, kTables, kTensor},
    {kSubGraph, schema::SubGraph::VT_INPUTS, kWords, kNoTable},
    {kSubGraph, schema::SubGraph::VT_OUTPUTS, kWords, kNoTable},
    {kSubGraph, schema::SubGraph::VT_OPERATORS, kTables, kOperator},
    {kTensor, schema::Tensor::VT_SHAPE, kWords, kNoTable},
    {kTensor, schema::Tensor::VT_TYPE, kByte, kNoTable},
    {kTensor, schema::Tensor::VT_BUFFER, kWord, kNoTable},
    {kTensor, schema::Tensor::VT_NAME, kText, kNoTable},
    {kTensor, schema::Tensor::VT_QUANTIZATION, kTable, kQuantization},
    {kTensor, schema::Tensor::VT_IS_VARIABLE, kByte, kNoTable},
    {kTensor, schema::Tensor::VT_SPARSITY, kWord, kNoTable},  // Refused if there is one.
    {kTensor, schema::Tensor::VT_EXTERNAL_BUFFER, kWord, kNoTable},
    {kQuantization, schema::QuantizationParameters::VT_SCALE, kWords, kNoTable},
    {kQuantization, schema::QuantizationParameters::VT_ZERO_POINT, kLongs, kNoTable},
    {kQuantization, schema::QuantizationParameters::VT_DETAILS_TYPE, kByte, kNoTable},
    {kQuantization, schema::QuantizationParameters::VT_QUANTIZED_DIMENSION, kWord, kNoTable},
    {kOperator, schema::Operator::VT_OPCODE_INDEX, kWord, kNoTable},
    {kOperator, schema::Operator::VT_INPUTS, kWords, kNoTable},
    {kOperator, schema::Operator::VT_OUTPUTS, kWords, kNoTable},
    {kOperator, schema::Operator::VT_BUILTIN_OPTIONS_TYPE, kByte, kNoTable},
    {kOperator, schema::Operator::VT_BUILTIN_OPTIONS, kOptions, kNoTable},
    {kOperator, schema::Operator::VT_CUSTOM_OPTIONS, kBytes, kNoTable},
    {kBuffer, schema::Buffer::VT_DATA, kBytes, kNoTable},
    {kBuffer, schema::Buffer::VT_OFFSET, kLong, kNoTable},
    {kMetadata, schema::Metadata::VT_NAME, kText, kNoTable},
    {kMetadata, schema::Metadata::VT_BUFFER, kWord, kNoTable},
    {kCompression, compression_schema::Metadata::VT_SCHEMA_VERSION, kWord, kNoTable},
    {kCompression, compression_schema::Metadata::VT_SUBGRAPHS, kTables, kCompressedSubgraph},
    {kCompressedSubgraph, compression_schema::Subgraph::VT_LUT_TENSORS, kTables, kLutTensor},
    {kLutTensor, compression_schema::LutTensor::VT_TENSOR, kWord, kNoTable},
    {kLutTensor, compression_schema::LutTensor::VT_VALUE_BUFFER, kWord, kNoTable},
    {kLutTensor, compression_schema::LutTensor::VT_INDEX_BITWIDTH, kByte, kNoTable},
    // Options, by the number of their type.
    LUTRA_OPTION(Conv2DOptions, VT_PADDING, kByte),
    LUTRA_OPTION(Conv2DOptions, VT_STRIDE_W, kWord),
    LUTRA_OPTION(Conv2DOptions, VT_STRIDE_H, kWord),
    LUTRA_OPTION(Conv2DOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(Conv2DOptions, VT_DILATION_W_FACTOR, kWord),
    LUTRA_OPTION(Conv2DOptions, VT_DILATION_H_FACTOR, kWord),
    LUTRA_OPTION(DepthwiseConv2DOptions, VT_PADDING, kByte),
    LUTRA_OPTION(DepthwiseConv2DOptions, VT_STRIDE_W, kWord),
    LUTRA_OPTION(DepthwiseConv2DOptions, VT_STRIDE_H, kWord),
    LUTRA_OPTION(DepthwiseConv2DOptions, VT_DEPTH_MULTIPLIER, kWord),
    LUTRA_OPTION(DepthwiseConv2DOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(DepthwiseConv2DOptions, VT_DILATION_W_FACTOR, kWord),
    LUTRA_OPTION(DepthwiseConv2DOptions, VT_DILATION_H_FACTOR, kWord),
    LUTRA_OPTION(Pool2DOptions, VT_PADDING, kByte),
    LUTRA_OPTION(Pool2DOptions, VT_STRIDE_W, kWord),
    LUTRA_OPTION(Pool2DOptions, VT_STRIDE_H, kWord),
    LUTRA_OPTION(Pool2DOptions, VT_FILTER_WIDTH, kWord),
    LUTRA_OPTION(Pool2DOptions, VT_FILTER_HEIGHT, kWord),
    LUTRA_OPTION(Pool2DOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(SVDFOptions, VT_RANK, kWord),
    LUTRA_OPTION(SVDFOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(FullyConnectedOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(FullyConnectedOptions, VT_WEIGHTS_FORMAT, kByte),
    LUTRA_OPTION(FullyConnectedOptions, VT_KEEP_NUM_DIMS, kByte),
    LUTRA_OPTION(SoftmaxOptions, VT_BETA, kWord),
    LUTRA_OPTION(ConcatenationOptions, VT_AXIS, kWord),
    LUTRA_OPTION(ConcatenationOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(AddOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(L2NormOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(ResizeBilinearOptions, VT_ALIGN_CORNERS, kByte),
    LUTRA_OPTION(ResizeBilinearOptions, VT_HALF_PIXEL_CENTERS, kByte),
    LUTRA_OPTION(ReshapeOptions, VT_NEW_SHAPE, kWords),
    LUTRA_OPTION(SpaceToDepthOptions, VT_BLOCK_SIZE, kWord),
    LUTRA_OPTION(MulOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(GatherOptions, VT_AXIS, kWord),
    LUTRA_OPTION(GatherOptions, VT_BATCH_DIMS, kWord),
    LUTRA_OPTION(ReducerOptions, VT_KEEP_DIMS, kByte),
    LUTRA_OPTION(SubOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(DivOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(SqueezeOptions, VT_SQUEEZE_DIMS, kWords),
    LUTRA_OPTION(StridedSliceOptions, VT_BEGIN_MASK, kWord),
    LUTRA_OPTION(StridedSliceOptions, VT_END_MASK, kWord),
    LUTRA_OPTION(StridedSliceOptions, VT_ELLIPSIS_MASK, kWord),
    LUTRA_OPTION(StridedSliceOptions, VT_NEW_AXIS_MASK, kWord),
    LUTRA_OPTION(StridedSliceOptions, VT_SHRINK_AXIS_MASK, kWord),
    LUTRA_OPTION(StridedSliceOptions, VT_OFFSET, kByte),
    LUTRA_OPTION(SplitOptions, VT_NUM_SPLITS, kWord),
    LUTRA_OPTION(TransposeConvOptions, VT_PADDING, kByte),
    LUTRA_OPTION(TransposeConvOptions, VT_STRIDE_W, kWord),
    LUTRA_OPTION(TransposeConvOptions, VT_STRIDE_H, kWord),
    LUTRA_OPTION(TransposeConvOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(PackOptions, VT_VALUES_COUNT, kWord),
    LUTRA_OPTION(PackOptions, VT_AXIS, kWord),
    LUTRA_OPTION(UnpackOptions, VT_NUM, kWord),
    LUTRA_OPTION(UnpackOptions, VT_AXIS, kWord),
    LUTRA_OPTION(UnidirectionalSequenceLSTMOptions, VT_FUSED_ACTIVATION_FUNCTION, kByte),
    LUTRA_OPTION(UnidirectionalSequenceLSTMOptions, VT_CELL_CLIP, kWord),
    LUTRA_OPTION(UnidirectionalSequenceLSTMOptions, VT_TIME_MAJOR, kByte),
    LUTRA_OPTION(ResizeNearestNeighborOptions, VT_ALIGN_CORNERS, kByte),
    LUTRA_OPTION(ResizeNearestNeighborOptions, VT_HALF_PIXEL_CENTERS, kByte),
    LUTRA_OPTION(LeakyReluOptions, VT_ALPHA, kWord),
    LUTRA_OPTION(MirrorPadOptions, VT_MODE, kByte),
    LUTRA_OPTION(SplitVOptions, VT_NUM_SPLITS, kWord),
    LUTRA_OPTION(IfOptions, VT_THEN_SUBGRAPH_INDEX, kWord),
    LUTRA_OPTION(IfOptions, VT_ELSE_SUBGRAPH_INDEX, kWord),
    LUTRA_OPTION(WhileOptions, VT_COND_SUBGRAPH_INDEX, kWord),
    LUTRA_OPTION(WhileOptions, VT_BODY_SUBGRAPH_INDEX, kWord),
    LUTRA_OPTION(DepthToSpaceOptions, VT_BLOCK_SIZE, kWord),
    LUTRA_OPTION(BatchMatMulOptions, VT_ADJ_X, kByte),
    LUTRA_OPTION(BatchMatMulOptions, VT_ADJ_Y, kByte),
    LUTRA_OPTION(CumsumOptions, VT_EXCLUSIVE, kByte),
    LUTRA_OPTION(CumsumOptions, VT_REVERSE, kByte),
    LUTRA_OPTION(CallOnceOptions, VT_INIT_SUBGRAPH_INDEX, kWord),
    LUTRA_OPTION(VarHandleOptions, VT_CONTAINER, kText),
    LUTRA_OPTION(VarHandleOptions, VT_SHARED_NAME, kText),
    LUTRA_OPTION(GeluOptions, VT_APPROXIMATE, kByte),
};
#undef LUTRA_OPTION
constexpr const Field* kFieldsEnd = kFields + sizeof kFields / sizeof kFields[0];

constexpr bool AreInOrder() {
  for (const Field* field = kFields + 1; field < kFieldsEnd; ++field) {
    if (field[-1].table > field->table) return false;
  }
  return true;
}
static_assert(AreInOrder());

// Returns the table's first field. For a table without fields that the runtime reads, it is another table's.
constexpr const Field* FirstField(uint8_t table) {
  const Field* low = kFields;
  for (auto count = static_cast<int>(kFieldsEnd - kFields); count > 0;) {
    const int half = count / 2;
    if (low[half].table < table) {
      low += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return low;
}

constexpr bool IsReadFrom(const Field* field, uint8_t table) {
  return field < kFieldsEnd && field->table == table;
}

// Returns whether the runtime reads options of this type.
constexpr bool AreRead(uint8_t type) {
  constexpr int kMostTypes = UINT8_MAX - kFirstOptions;
  return type <= kMostTypes && IsReadFrom(FirstField(Options(type)), Options(type));
}

// Counts how many tables lie inside each other, this one included.
constexpr int LevelsOf(uint8_t table) {
  int levels = 0;
  for (const Field* field = FirstField(table); IsReadFrom(field, table); ++field) {
    const int below = field->kind == kOptions ? 1 : field->child != kNoTable ? LevelsOf(field->child) : 0;
    if (levels < below) levels = below;
  }
  return levels + 1;
}
constexpr int kLevels = LevelsOf(kModel);
static_assert(kLevels >= LevelsOf(kCompression));

class Walk {
 public:
  explicit Walk(Span<const uint8_t> bytes)
      : bytes_(bytes.data()), size_(static_cast<uint32_t>(bytes.size())) {}

  bool Run(uint8_t root) {
    if (!Enter(0, root)) return false;
    while (depth_ > 0) {
      Level& level = levels_[depth_ - 1];
      if (level.elements_left > 0) {
        const uint32_t at = level.element;
        level.element += sizeof(uint32_t);
        --level.elements_left;
        if (!Enter(at, level.child)) return false;
      } else if (IsReadFrom(level.field, level.id)) {
        if (!Check(*level.field++, &level)) return false;
      } else {
        --depth_;
      }
    }
    return true;
  }

 private:
  // A table that is being checked.
  struct Level {
    uint32_t table;
    uint32_t vtable;
    const Field* field;  // What comes next, after
    uint32_t element;    // the tables of this list.
    uint32_t elements_left;
    uint8_t id;
    uint8_t child;
  };

  template <typename T>
  uint32_t Read(uint32_t at) const {
    return flatbuffers::ReadScalar<T>(bytes_ + at);
  }
  // Returns whether there are `width` bytes, a power of two, at `at`, a multiple of it.
  bool IsInside(uint32_t at, uint32_t width) const {
    return (at & (width - 1)) == 0 && at < size_ && width <= size_ - at;
  }
  // Follows the offset at `at`, which leads to four bytes of its own.
  bool Follow(uint32_t at, uint32_t* target) const {
    if (!IsInside(at, sizeof(uint32_t))) return false;
    *target = at + Read<uint32_t>(at);
    return *target >= at && IsInside(*target, sizeof(uint32_t));
  }

  // Begins with the table that the offset at `at` leads to.
  bool Enter(uint32_t at, uint8_t id) {
    Level& level = levels_[depth_];
    if (tables_++ == kMostTables || !Follow(at, &level.table)) return false;
    // The offset is signed; what is negative becomes too large.
    level.vtable = level.table - Read<uint32_t>(level.table);
    if (!IsInside(level.vtable, sizeof(uint16_t))) return false;
    const uint32_t vtable_bytes = Read<uint16_t>(level.vtable);
    if (vtable_bytes % sizeof(uint16_t) != 0 || vtable_bytes > size_ - level.vtable) return false;
    level.field = FirstField(id);
    level.elements_left = 0;
    level.id = id;
    ++depth_;
    return true;
  }

  bool Check(Field field, Level* level) {
    const uint8_t type = byte_before_;
    byte_before_ = 0;
    if (field.slot >= Read<uint16_t>(level->vtable)) return true;
    const uint32_t offset = Read<uint16_t>(level->vtable + field.slot);
    if (offset == 0) return true;
    const uint32_t at = level->table + offset;
    const uint32_t log2_width = field.kind & 3;
    if (field.kind <= kLong) {
      if (!IsInside(at, 1u << log2_width)) return false;
      byte_before_ = bytes_[at];
      return true;
    }
    if (field.kind == kTable) return Enter(at, field.child);
    if (field.kind == kOptions) return !AreRead(type) || Enter(at, Options(type));
    return CheckList(field, at, log2_width, level);
  }

  bool CheckList(Field field, uint32_t at, uint32_t log2_width, Level* level) {
    uint32_t list = 0;
    if (!Follow(at, &list)) return false;
    const uint32_t count = Read<uint32_t>(list);
    list += sizeof(uint32_t);
    const uint32_t room = size_ - list;
    if (count > room >> log2_width) return false;
    if (field.kind == kText) return count < room && bytes_[list + count] == 0;
    if (field.kind == kTables) {
      level->element = list;
      level->elements_left = count;
      level->child = field.child;
    }
    return true;
  }

  const uint8_t* const bytes_;
  const uint32_t size_;
  uint32_t tables_ = 0;
  int depth_ = 0;
  uint8_t byte_before_ = 0;  // The field before, if it is a number: its lowest byte.
  Level levels_[kLevels];
};

bool Verify(Span<const uint8_t> bytes, uint8_t root) {
  // Sums of two positions fit 32 bits.
  return bytes.size() <= INT32_MAX && Walk(bytes).Run(root);
}

}  // namespace

bool VerifyModel(Span<const uint8_t> bytes) { return Verify(bytes, kModel); }

bool VerifyCompressionMetadata(Span<const uint8_t> bytes) { return Verify(bytes, kCompression); }

}  // namespace lutra

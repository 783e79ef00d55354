// SPDX-License-Identifier: Apache-2.0
// Reads and checks a model file; together with model_options.cc and model_verifier.cc the only code that sees
// FlatBuffers.

#include "lutra/model.h"

#include <limits.h>

#include "lutra/compression/encoding.h"
#include "lutra/compression/format.h"
#include "lutra/compression/lut_metadata.h"
#include "lutra/diagnosis.h"
#include "lutra/node_info.h"
#include "lutra/rule.h"
#include "runtime/model_verifier.h"
#include "runtime/schema/read.h"
#include "runtime/schema/tflite.h"
#include "runtime/text.h"

namespace lutra {
namespace {

constexpr uint32_t kSchemaVersion = 3;
// Tensors and nodes are numbered with 16 bits after loading; two values are kept free.
constexpr uint32_t kMaxCount = 65534;
// Compressed tensors are found by walking their list.
constexpr int kMaxCompressed = 4096;

const schema::Model* Root(const void* root) { return static_cast<const schema::Model*>(root); }

// Old files hold the operator in deprecated_builtin_code, new ones in builtin_code and, where it fits,
// in both: the larger one is meant.
BuiltinOperator OperatorOf(const schema::OperatorCode& code) {
  const int32_t old_code = code.deprecated_builtin_code();
  const int32_t new_code = code.builtin_code();
  return static_cast<BuiltinOperator>(old_code > new_code ? old_code : new_code);
}

// Empty for a buffer that is empty or does not exist.
Span<const uint8_t> BufferBytes(const schema::Model& model, uint32_t buffer) {
  if (buffer >= Size(model.buffers())) return {};
  const auto* data = model.buffers()->Get(buffer)->data();
  if (data == nullptr) return {};
  return {data->Data(), data->size()};
}

// The first metadata entry of this name.
const schema::Metadata* FindMetadata(const schema::Model& model, const char* name) {
  for (uint32_t i = 0; i < Size(model.metadata()); ++i) {
    const schema::Metadata* entry = model.metadata()->Get(i);
    if (SameText(Text(entry->name()), name)) return entry;
  }
  return nullptr;
}

// Null if the tensor is not quantised.
const schema::QuantizationParameters* QuantizationOf(const schema::Tensor& tensor) {
  const auto* quantization = tensor.quantization();
  const bool is_quantized = quantization != nullptr &&
                            quantization->details_type() == schema::QuantizationDetails::NONE &&
                            Size(quantization->scale()) > 0 && Size(quantization->zero_point()) > 0;
  return is_quantized ? quantization : nullptr;
}

Shape ShapeOf(const schema::Tensor& tensor) {
  const PackedList<int32_t> dims = List(tensor.shape());
  Shape shape;
  shape.rank = dims.count;
  for (int i = 0; i < dims.count; ++i) shape.dims[i] = dims[i];
  return shape;
}

TensorInfo InfoOf(const schema::Tensor& tensor, const schema::Model& model) {
  TensorInfo info;
  info.type = static_cast<TensorType>(tensor.type());
  info.name = Text(tensor.name());
  info.shape = ShapeOf(tensor);
  const int32_t elements = info.shape.Count();
  const bool nibbles = info.type == TensorType::kInt4 || info.type == TensorType::kUInt4;
  info.bytes = nibbles ? elements / 2 + elements % 2 : elements * ElementBytes(info.type);
  info.data = BufferBytes(model, tensor.buffer());
  // A tensor with data is a constant even if the file calls it variable: it is never written.
  info.is_variable = tensor.is_variable() && info.data.empty();
  if (const auto* quantization = QuantizationOf(tensor)) {
    info.scales = List(quantization->scale());
    info.zero_points = List(quantization->zero_point());
    info.scale = info.scales[0];
    info.zero_point = static_cast<int32_t>(info.zero_points[0]);
    info.quantized_dimension = quantization->quantized_dimension();
  }
  return info;
}

// Returns whether it is a constant of int4: codes of int8 in four bits each, which are compressed ones to all
// readers.
bool IsInt4Constant(const TensorInfo& info) { return info.type == TensorType::kInt4 && info.is_constant(); }

// Checks what the file says, so that no later code has to.
class Checker {
 public:
  Checker(const schema::Model& model, const LutMetadata& compression, Diagnosis* diagnosis)
      : model_(model), compression_(compression), diagnosis_(*diagnosis) {}

  Status Check() {
    if (model_.version() != kSchemaVersion) {
      return Refuse(Rule::kFileVersion, static_cast<int32_t>(model_.version()), kSchemaVersion);
    }
    if (Size(model_.subgraphs()) == 0) return Refuse(Rule::kSubgraphCount, 0, 1);
    if (Size(model_.subgraphs()) > UINT8_MAX) return Refuse(Rule::kTooMany);
    if (!compression_.empty()) LUTRA_TRY(CheckCompressionLists());
    uint32_t tensors = 0;
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < model_.subgraphs()->size(); ++i) {
      diagnosis_.subgraph = static_cast<int16_t>(i);
      const schema::SubGraph* subgraph = model_.subgraphs()->Get(i);
      tensors += Size(subgraph->tensors());
      nodes += Size(subgraph->operators());
      if (tensors > kMaxCount || nodes > kMaxCount) return Refuse(Rule::kTooMany);
      LUTRA_TRY(CheckSubgraph(*subgraph));
    }
    return Status::kOk;
  }

 private:
  Status Refuse(Rule rule, int32_t found = kNoValue, int32_t required = kNoValue) {
    diagnosis_.rule = rule;
    diagnosis_.found = found;
    diagnosis_.required = required;
    return Status::kInvalidModel;
  }

  Status CheckSubgraph(const schema::SubGraph& subgraph) {
    const auto tensors = static_cast<int32_t>(Size(subgraph.tensors()));
    for (int32_t i = 0; i < tensors; ++i) {
      diagnosis_.tensor = i;
      LutTensorInfo entry;
      const bool compressed = compression_.Find(diagnosis_.subgraph, i, &entry);
      LUTRA_TRY(CheckTensor(*subgraph.tensors()->Get(i), compressed));
      if (compressed) LUTRA_TRY(CheckCompressed(*subgraph.tensors()->Get(i), entry));
    }
    diagnosis_.tensor = -1;
    LUTRA_TRY(CheckUsed(subgraph, List(subgraph.inputs()), 0));
    LUTRA_TRY(CheckUsed(subgraph, List(subgraph.outputs()), 0));
    for (uint32_t i = 0; i < Size(subgraph.operators()); ++i) {
      diagnosis_.node = static_cast<int32_t>(i);
      const schema::Operator* node = subgraph.operators()->Get(i);
      const uint32_t codes = Size(model_.operator_codes());
      if (node->opcode_index() >= codes) {
        return Refuse(Rule::kOperatorCodeIndex, static_cast<int32_t>(node->opcode_index()),
                      static_cast<int32_t>(codes));
      }
      const BuiltinOperator op = OperatorOf(*model_.operator_codes()->Get(node->opcode_index()));
      // RESHAPE's sizes are not read; those of a scalar have no elements.
      const int32_t unread = op == BuiltinOperator::kReshape ? 1 : -1;
      LUTRA_TRY(CheckUsed(subgraph, List(node->inputs()), -1, unread));  // -1: left out.
      LUTRA_TRY(CheckUsed(subgraph, List(node->outputs()), 0));
      if (Size(node->inputs()) > kMaxCount || Size(node->outputs()) > kMaxCount) {
        return Refuse(Rule::kTooMany);
      }
    }
    diagnosis_.node = -1;
    return Status::kOk;
  }

  // Tensors that a node or, outside of nodes, a caller reads and writes: each exists and has elements, and a
  // caller's is not compressed. Converters leave unused tensors without elements, for example the
  // `intermediates` of an int8 LSTM; the one at position `unread` of the list may be such a tensor.
  Status CheckUsed(const schema::SubGraph& subgraph, PackedList<int32_t> indices, int32_t lowest,
                   int32_t unread = -1) {
    const auto tensors = static_cast<int32_t>(Size(subgraph.tensors()));
    for (int32_t i = 0; i < indices.count; ++i) {
      const int32_t index = indices[i];
      if (index < lowest || index >= tensors) return Refuse(Rule::kTensorIndex, index, tensors);
      if (index < 0) continue;
      const TensorInfo info = InfoOf(*subgraph.tensors()->Get(static_cast<uint32_t>(index)), model_);
      const bool empty = info.shape.Count() == 0 && i != unread;
      LutTensorInfo entry;
      const bool compressed = diagnosis_.node < 0 &&
                              (IsInt4Constant(info) || compression_.Find(diagnosis_.subgraph, index, &entry));
      if (!empty && !compressed) continue;
      diagnosis_.tensor = index;
      return empty ? Refuse(Rule::kTensorDimension, 0, 1) : Refuse(Rule::kCompressionConstant);
    }
    return Status::kOk;
  }

  Status CheckTensor(const schema::Tensor& tensor, bool compressed) {
    if (tensor.type() < 0 || tensor.type() > static_cast<int>(TensorType::kFloat8E5M2)) {
      return Refuse(Rule::kTensorType, tensor.type());
    }
    const PackedList<int32_t> shape = List(tensor.shape());
    if (shape.count > kMaxRank) return Refuse(Rule::kTensorRank, shape.count, kMaxRank);
    int64_t elements = 1;
    for (int i = 0; i < shape.count; ++i) {
      const int32_t least = compressed ? 1 : 0;
      if (shape[i] < least) return Refuse(Rule::kTensorDimension, shape[i], 1);
      elements *= shape[i];
      if (elements > INT32_MAX / 16) return Refuse(Rule::kTensorSize);  // 16: the widest element.
    }
    if (tensor.sparsity() != nullptr) return Refuse(Rule::kSparse);
    if (tensor.external_buffer() != 0) return Refuse(Rule::kBufferExternal);
    const uint32_t buffers = Size(model_.buffers());
    if (tensor.buffer() >= buffers) {
      return Refuse(Rule::kBufferIndex, static_cast<int32_t>(tensor.buffer()), static_cast<int32_t>(buffers));
    }
    const schema::Buffer* buffer = model_.buffers()->Get(tensor.buffer());
    // An offset of 0 or 1 stands for "none" in files that never held large buffers.
    if (Long(*buffer, schema::Buffer::VT_OFFSET) > 1) return Refuse(Rule::kBufferExternal);
    const uint32_t held = Size(buffer->data());
    const TensorInfo info = InfoOf(tensor, model_);
    if (!compressed && held > 0 && held < static_cast<uint32_t>(info.bytes)) {
      return Refuse(Rule::kConstantSize, static_cast<int32_t>(held), info.bytes);
    }
    return Status::kOk;
  }

  // That each listed tensor exists, and is listed once.
  Status CheckCompressionLists() {
    const auto subgraphs = static_cast<int32_t>(model_.subgraphs()->size());
    const int32_t listed = compression_.subgraph_count();
    if (listed < 1 || listed > subgraphs) return Refuse(Rule::kCompressionSubgraphs, listed, subgraphs);
    for (int s = 0; s < listed; ++s) {
      diagnosis_.subgraph = static_cast<int16_t>(s);
      const auto tensors =
          static_cast<int32_t>(Size(model_.subgraphs()->Get(static_cast<uint32_t>(s))->tensors()));
      const int count = compression_.tensor_count(s);
      if (count == 0) return Refuse(Rule::kCompressionTensors, 0, 1);
      if (count > kMaxCompressed) return Refuse(Rule::kTooMany, count, kMaxCompressed);
      for (int i = 0; i < count; ++i) {
        const int32_t tensor = compression_.tensor(s, i).tensor;
        if (tensor < 0 || tensor >= tensors) return Refuse(Rule::kCompressionTensorIndex, tensor, tensors);
      }
      const int32_t twice = ListedTwice(s, count, tensors);
      if (twice < 0) continue;
      diagnosis_.tensor = twice;
      return Refuse(Rule::kCompressionDuplicate);
    }
    return Status::kOk;
  }

  // Returns a tensor that is twice in the list of a subgraph with `tensors` tensors, or -1. There is no
  // memory to mark all tensors, and comparing each entry with each would take minutes for a hostile list, so
  // it marks some tensors at a time.
  int32_t ListedTwice(int subgraph, int count, int32_t tensors) const {
    constexpr int32_t kAtATime = 1024;
    for (int32_t first = 0; first < tensors; first += kAtATime) {
      uint8_t seen[kAtATime / 8] = {};
      for (int i = 0; i < count; ++i) {
        const int32_t at = compression_.tensor(subgraph, i).tensor - first;
        if (at < 0 || at >= kAtATime) continue;
        const auto bit = static_cast<uint8_t>(1 << at % 8);
        if ((seen[at / 8] & bit) != 0) return first + at;
        seen[at / 8] |= bit;
      }
    }
    return -1;
  }

  Status CheckCompressed(const schema::Tensor& tensor, const LutTensorInfo& entry) {
    const TensorInfo info = InfoOf(tensor, model_);
    if (!info.is_constant()) return Refuse(Rule::kCompressionConstant);
    Encoding encoding;
    Fault fault = ReadLutTensor(info.data, BufferBytes(model_, entry.value_buffer), entry.index_bitwidth,
                                info, &encoding);
    if (fault.rule == Rule::kNone) fault = CheckLut(encoding);
    return fault.rule == Rule::kNone ? Status::kOk : Refuse(fault.rule, fault.found, fault.required);
  }

  const schema::Model& model_;
  const LutMetadata& compression_;
  Diagnosis& diagnosis_;
};

}  // namespace

Status Model::Load(Span<const uint8_t> bytes, Model* model, Diagnosis* diagnosis) {
  *model = Model();
  *diagnosis = Diagnosis();
  // Root offset, identifier, and the smallest table.
  constexpr size_t kSmallest = 16;
  const auto refuse = [diagnosis](Rule rule) {
    diagnosis->rule = rule;
    return Status::kInvalidModel;
  };
  if (const size_t past = reinterpret_cast<uintptr_t>(bytes.data()) % kModelAlignment; past != 0) {
    diagnosis->rule = Rule::kModelAlignment;
    diagnosis->found = static_cast<int32_t>(past % 2 == 0 ? 2 : 1);
    diagnosis->required = kModelAlignment;
    return Status::kInvalidArgument;
  }
  if (bytes.size() < kSmallest) {
    diagnosis->found = static_cast<int32_t>(bytes.size());
    diagnosis->required = kSmallest;
    return refuse(Rule::kFileTooShort);
  }
  constexpr uint32_t kTfl3 = 0x334C4654;
  if (flatbuffers::ReadScalar<uint32_t>(bytes.data() + 4) != kTfl3) return refuse(Rule::kFileIdentifier);
  if (bytes.size() > INT32_MAX) return refuse(Rule::kFlatbuffer);
#if defined(LUTRA_VERIFY_MODEL)
  if (!VerifyModel(bytes)) return refuse(Rule::kFlatbuffer);
#endif
  const schema::Model* root = schema::GetModel(bytes.data());
  LutMetadata compression;
  if (const schema::Metadata* entry = FindMetadata(*root, kCompressionMetadataName)) {
    const Rule rule = compression.Read(BufferBytes(*root, entry->buffer()));
    if (rule != Rule::kNone) return refuse(rule);
  }
  LUTRA_TRY(Checker(*root, compression, diagnosis).Check());
  diagnosis->subgraph = -1;
  model->bytes_ = bytes;
  model->root_ = root;
  model->compression_root_ = compression.root();
  return Status::kOk;
}

int Model::subgraph_count() const {
  return root_ == nullptr ? 0 : static_cast<int>(Root(root_)->subgraphs()->size());
}

int Model::tensor_count(int subgraph) const {
  return static_cast<int>(Size(Root(root_)->subgraphs()->Get(subgraph)->tensors()));
}

int Model::node_count(int subgraph) const {
  return static_cast<int>(Size(Root(root_)->subgraphs()->Get(subgraph)->operators()));
}

PackedList<int32_t> Model::inputs(int subgraph) const {
  return List(Root(root_)->subgraphs()->Get(subgraph)->inputs());
}

PackedList<int32_t> Model::outputs(int subgraph) const {
  return List(Root(root_)->subgraphs()->Get(subgraph)->outputs());
}

TensorInfo Model::tensor(int subgraph, int index) const {
  TensorInfo info = InfoOf(*Root(root_)->subgraphs()->Get(subgraph)->tensors()->Get(index), *Root(root_));
  LutTensorInfo entry;
  info.is_compressed = LutMetadata::Find(compression_root_, subgraph, index, &entry);
  if (IsInt4Constant(info)) {
    info.type = TensorType::kInt8;
    info.bytes = info.shape.Count();
    info.is_compressed = info.is_int4 = true;
  }
  return info;
}

Shape Model::shape(int subgraph, int index) const {
  return ShapeOf(*Root(root_)->subgraphs()->Get(subgraph)->tensors()->Get(index));
}

PackedList<float> Model::scales(int subgraph, int index) const {
  const schema::SubGraph* const graph = Root(root_)->subgraphs()->Get(static_cast<uint32_t>(subgraph));
  const auto* quantization = QuantizationOf(*graph->tensors()->Get(static_cast<uint32_t>(index)));
  return quantization != nullptr ? List(quantization->scale()) : PackedList<float>{};
}

Encoding Model::encoding(int subgraph, int index) const {
  const TensorInfo info = tensor(subgraph, index);
  LutTensorInfo entry;
  Encoding encoding;
  if (info.is_int4) {
    encoding.type = DecodeType::kBitPack;
    encoding.order = BitOrder::kLsbFirst;
    encoding.element_bytes = 1;
    encoding.width = 4;
    encoding.sign_extend = true;
    encoding.elements = info.bytes;
    encoding.stream = info.data;
  } else if (LutMetadata::Find(compression_root_, subgraph, index, &entry)) {
    (void)ReadLutTensor(info.data, BufferBytes(*Root(root_), entry.value_buffer), entry.index_bitwidth, info,
                        &encoding);
  }
  return encoding;
}

NodeInfo Model::node(int subgraph, int index) const {
  const schema::Operator* node = Root(root_)->subgraphs()->Get(subgraph)->operators()->Get(index);
  const schema::OperatorCode* code = Root(root_)->operator_codes()->Get(node->opcode_index());
  NodeInfo info;
  info.code = OperatorOf(*code);
  info.version = code->version();
  info.custom_code = Text(code->custom_code());
  info.inputs = List(node->inputs());
  info.outputs = List(node->outputs());
  info.schema_operator = node;
  return info;
}

Span<const uint8_t> Model::Metadata(const char* name) const {
  const schema::Metadata* entry = FindMetadata(*Root(root_), name);
  return entry == nullptr ? Span<const uint8_t>() : BufferBytes(*Root(root_), entry->buffer());
}

}  // namespace lutra

// SPDX-License-Identifier: Apache-2.0

#include "runtime/model.h"

#include <limits.h>
#include <string.h>

#include "flatbuffers/flatbuffers.h"
#include "tflite_generated.h"

namespace lutra {
namespace {

constexpr uint32_t kSchemaVersion = 3;
// Tables a verifier may visit and how deep; far above any real model, far below a hang.
constexpr int kVerifierDepth = 16;
constexpr int kVerifierTables = 1000000;
// Tensors and nodes are numbered with 16 bits after loading; two values are kept free.
constexpr uint32_t kMaxCount = 65534;

template <typename T>
PackedList<T> List(const flatbuffers::Vector<T>* vector) {
  if (vector == nullptr) return {};
  return {vector->Data(), static_cast<int32_t>(vector->size())};
}

const char* Text(const flatbuffers::String* string) { return string == nullptr ? "" : string->c_str(); }

// C libraries for microcontrollers have a strcmp of 700 bytes.
bool SameText(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b) {
    if (*a == '\0') return true;
  }
  return false;
}

template <typename T>
uint32_t Size(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

const schema::Model* Root(const void* root) { return static_cast<const schema::Model*>(root); }

const schema::Operator* SchemaOperator(const NodeInfo& node) {
  return static_cast<const schema::Operator*>(node.schema_operator);
}

// Old files hold the operator in deprecated_builtin_code, new ones in builtin_code and, where it fits,
// in both: the larger one is meant.
BuiltinOperator OperatorOf(const schema::OperatorCode& code) {
  const int32_t old_code = code.deprecated_builtin_code();
  const int32_t new_code = code.builtin_code();
  return static_cast<BuiltinOperator>(old_code > new_code ? old_code : new_code);
}

TensorInfo InfoOf(const schema::Tensor& tensor, const schema::Model& model) {
  TensorInfo info;
  info.type = static_cast<TensorType>(tensor.type());
  info.name = Text(tensor.name());
  const PackedList<int32_t> shape = List(tensor.shape());
  info.shape.rank = shape.count;
  for (int i = 0; i < shape.count; ++i) info.shape.dims[i] = shape[i];
  const int32_t elements = info.shape.Count();
  const bool nibbles = info.type == TensorType::kInt4 || info.type == TensorType::kUInt4;
  info.bytes = nibbles ? elements / 2 + elements % 2 : elements * ElementBytes(info.type);
  if (const auto* data = model.buffers()->Get(tensor.buffer())->data()) {
    info.data = {data->Data(), data->size()};
  }
  // A constant stays one whatever else the file calls it: it is never written.
  info.is_variable = tensor.is_variable() && info.data.empty();
  if (const auto* quantization = tensor.quantization()) {
    if (quantization->details_type() == 0 && Size(quantization->scale()) > 0 &&
        Size(quantization->zero_point()) > 0) {
      info.scales = List(quantization->scale());
      info.zero_points = List(quantization->zero_point());
      info.scale = info.scales[0];
      info.zero_point = static_cast<int32_t>(info.zero_points[0]);
      info.quantized_dimension = quantization->quantized_dimension();
    }
  }
  return info;
}

// Checks what the file says, so that no later code has to.
class Checker {
 public:
  Checker(const schema::Model& model, Diagnosis* diagnosis) : model_(model), diagnosis_(*diagnosis) {}

  Status Check() {
    if (model_.version() != kSchemaVersion) {
      return Refuse(Rule::kFileVersion, static_cast<int32_t>(model_.version()), kSchemaVersion);
    }
    if (Size(model_.subgraphs()) == 0) return Refuse(Rule::kSubgraphCount, 0, 1);
    if (Size(model_.subgraphs()) > UINT8_MAX) return Refuse(Rule::kTooMany);
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
      LUTRA_TRY(CheckTensor(*subgraph.tensors()->Get(i)));
    }
    diagnosis_.tensor = -1;
    LUTRA_TRY(CheckIndices(List(subgraph.inputs()), 0, tensors));
    LUTRA_TRY(CheckIndices(List(subgraph.outputs()), 0, tensors));
    for (uint32_t i = 0; i < Size(subgraph.operators()); ++i) {
      diagnosis_.node = static_cast<int32_t>(i);
      const schema::Operator* node = subgraph.operators()->Get(i);
      const uint32_t codes = Size(model_.operator_codes());
      if (node->opcode_index() >= codes) {
        return Refuse(Rule::kOperatorCodeIndex, static_cast<int32_t>(node->opcode_index()),
                      static_cast<int32_t>(codes));
      }
      LUTRA_TRY(CheckIndices(List(node->inputs()), -1, tensors));  // -1: left out.
      LUTRA_TRY(CheckIndices(List(node->outputs()), 0, tensors));
      if (Size(node->inputs()) > kMaxCount || Size(node->outputs()) > kMaxCount) {
        return Refuse(Rule::kTooMany);
      }
      if (const auto* call = node->builtin_options_as_CallOnceOptions()) {
        const int32_t index = call->init_subgraph_index();
        const auto subgraphs = static_cast<int32_t>(model_.subgraphs()->size());
        if (index < 0 || index >= subgraphs) return Refuse(Rule::kSubgraphCount, index, subgraphs);
      }
    }
    diagnosis_.node = -1;
    return Status::kOk;
  }

  Status CheckIndices(PackedList<int32_t> indices, int32_t lowest, int32_t tensors) {
    for (int32_t i = 0; i < indices.count; ++i) {
      if (indices[i] < lowest || indices[i] >= tensors) {
        return Refuse(Rule::kTensorIndex, indices[i], tensors);
      }
    }
    return Status::kOk;
  }

  Status CheckTensor(const schema::Tensor& tensor) {
    if (tensor.type() < 0 || tensor.type() > static_cast<int>(TensorType::kFloat8E5M2)) {
      return Refuse(Rule::kTensorType, tensor.type());
    }
    const PackedList<int32_t> shape = List(tensor.shape());
    if (shape.count > kMaxRank) return Refuse(Rule::kTensorRank, shape.count, kMaxRank);
    int64_t elements = 1;
    for (int i = 0; i < shape.count; ++i) {
      if (shape[i] < 1) return Refuse(Rule::kTensorDimension, shape[i], 1);
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
    if (buffer->offset() > 1) return Refuse(Rule::kBufferExternal);
    const uint32_t held = Size(buffer->data());
    const TensorInfo info = InfoOf(tensor, model_);
    if (held > 0 && held < static_cast<uint32_t>(info.bytes)) {
      return Refuse(Rule::kConstantSize, static_cast<int32_t>(held), info.bytes);
    }
    return Status::kOk;
  }

  const schema::Model& model_;
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
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kModelAlignment != 0) {
    return Status::kInvalidArgument;
  }
  if (bytes.size() < kSmallest) {
    diagnosis->found = static_cast<int32_t>(bytes.size());
    diagnosis->required = kSmallest;
    return refuse(Rule::kFileTooShort);
  }
  if (memcmp(bytes.data() + 4, "TFL3", 4) != 0) return refuse(Rule::kFileIdentifier);
  if (bytes.size() > INT32_MAX) return refuse(Rule::kFlatbuffer);
#if defined(LUTRA_VERIFY_MODEL)
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kVerifierDepth, kVerifierTables);
  if (!schema::VerifyModelBuffer(verifier)) return refuse(Rule::kFlatbuffer);
#endif
  const schema::Model* root = schema::GetModel(bytes.data());
  LUTRA_TRY(Checker(*root, diagnosis).Check());
  diagnosis->subgraph = -1;
  model->bytes_ = bytes;
  model->root_ = root;
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
  return InfoOf(*Root(root_)->subgraphs()->Get(subgraph)->tensors()->Get(index), *Root(root_));
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
  const auto* entries = Root(root_)->metadata();
  for (uint32_t i = 0; i < Size(entries); ++i) {
    const schema::Metadata* entry = entries->Get(i);
    if (!SameText(Text(entry->name()), name)) continue;
    if (entry->buffer() >= Size(Root(root_)->buffers())) continue;
    const auto* data = Root(root_)->buffers()->Get(entry->buffer())->data();
    if (data != nullptr) return {data->Data(), data->size()};
  }
  return {};
}

namespace {

bool IsActivation(int value) { return value >= 0 && value <= static_cast<int>(Activation::kSignBit); }

bool HasNoOptions(const NodeInfo& node) {
  return SchemaOperator(node)->builtin_options_type() == schema::BuiltinOptions::NONE;
}

// Stores a number from the file as an enumerator, if it is one.
bool StoreActivation(int value, Activation* activation) {
  if (!IsActivation(value)) return false;
  *activation = static_cast<Activation>(value);
  return true;
}

bool StorePadding(int value, Padding* padding) {
  if (value != 0 && value != 1) return false;
  *padding = static_cast<Padding>(value);
  return true;
}

}  // namespace

bool ReadWindowOptions(const NodeInfo& node, WindowOptions* options) {
  const schema::Operator* op = SchemaOperator(node);
  const auto common = [options](const auto& o) {
    options->stride_h = o.stride_h();
    options->stride_w = o.stride_w();
    return StorePadding(o.padding(), &options->padding) &&
           StoreActivation(o.fused_activation_function(), &options->activation);
  };
  if (const auto* o = op->builtin_options_as_Conv2DOptions()) {
    options->dilation_h = o->dilation_h_factor();
    options->dilation_w = o->dilation_w_factor();
    return common(*o);
  }
  if (const auto* o = op->builtin_options_as_DepthwiseConv2DOptions()) {
    options->dilation_h = o->dilation_h_factor();
    options->dilation_w = o->dilation_w_factor();
    options->depth_multiplier = o->depth_multiplier();
    return common(*o);
  }
  if (const auto* o = op->builtin_options_as_Pool2DOptions()) {
    options->filter_h = o->filter_height();
    options->filter_w = o->filter_width();
    return common(*o);
  }
  if (const auto* o = op->builtin_options_as_TransposeConvOptions()) return common(*o);
  return HasNoOptions(node);
}

bool ReadActivation(const NodeInfo& node, Activation* activation) {
  const schema::Operator* op = SchemaOperator(node);
  const auto read = [activation](const auto* o) {
    return StoreActivation(o->fused_activation_function(), activation);
  };
  if (const auto* o = op->builtin_options_as_AddOptions()) return read(o);
  if (const auto* o = op->builtin_options_as_SubOptions()) return read(o);
  if (const auto* o = op->builtin_options_as_MulOptions()) return read(o);
  if (const auto* o = op->builtin_options_as_DivOptions()) return read(o);
  if (const auto* o = op->builtin_options_as_L2NormOptions()) return read(o);
  return HasNoOptions(node);
}

bool ReadFullyConnectedOptions(const NodeInfo& node, FullyConnectedOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_FullyConnectedOptions();
  if (o == nullptr) return HasNoOptions(node);
  options->shuffled_weights = o->weights_format() != 0;
  options->keep_num_dims = o->keep_num_dims();
  return StoreActivation(o->fused_activation_function(), &options->activation);
}

bool ReadSvdfOptions(const NodeInfo& node, SvdfOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_SVDFOptions();
  if (o == nullptr) return HasNoOptions(node);
  options->rank = o->rank();
  return StoreActivation(o->fused_activation_function(), &options->activation);
}

bool ReadSoftmaxBeta(const NodeInfo& node, float* beta) {
  const auto* o = SchemaOperator(node)->builtin_options_as_SoftmaxOptions();
  if (o == nullptr) return HasNoOptions(node);
  *beta = o->beta();
  return true;
}

bool ReadLeakyReluAlpha(const NodeInfo& node, float* alpha) {
  const auto* o = SchemaOperator(node)->builtin_options_as_LeakyReluOptions();
  if (o == nullptr) return HasNoOptions(node);
  *alpha = o->alpha();
  return true;
}

bool ReadAxisOptions(const NodeInfo& node, AxisOptions* options) {
  const schema::Operator* op = SchemaOperator(node);
  if (const auto* o = op->builtin_options_as_ConcatenationOptions()) {
    options->axis = o->axis();
    return StoreActivation(o->fused_activation_function(), &options->activation);
  }
  if (const auto* o = op->builtin_options_as_GatherOptions()) {
    options->axis = o->axis();
    options->batch_dims = o->batch_dims();
    return true;
  }
  if (const auto* o = op->builtin_options_as_PackOptions()) {
    options->axis = o->axis();
    options->count = o->values_count();
    return true;
  }
  if (const auto* o = op->builtin_options_as_UnpackOptions()) {
    options->axis = o->axis();
    options->count = o->num();
    return true;
  }
  return HasNoOptions(node);
}

bool ReadResizeOptions(const NodeInfo& node, ResizeOptions* options) {
  const auto read = [options](const auto* o) {
    options->align_corners = o->align_corners();
    options->half_pixel_centers = o->half_pixel_centers();
    return true;
  };
  const schema::Operator* op = SchemaOperator(node);
  if (const auto* o = op->builtin_options_as_ResizeBilinearOptions()) return read(o);
  if (const auto* o = op->builtin_options_as_ResizeNearestNeighborOptions()) return read(o);
  return HasNoOptions(node);
}

bool ReadBlockSize(const NodeInfo& node, int32_t* block_size) {
  const schema::Operator* op = SchemaOperator(node);
  if (const auto* o = op->builtin_options_as_SpaceToDepthOptions()) {
    *block_size = o->block_size();
    return true;
  }
  if (const auto* o = op->builtin_options_as_DepthToSpaceOptions()) {
    *block_size = o->block_size();
    return true;
  }
  return HasNoOptions(node);
}

bool ReadKeepDims(const NodeInfo& node, bool* keep_dims) {
  const auto* o = SchemaOperator(node)->builtin_options_as_ReducerOptions();
  if (o == nullptr) return HasNoOptions(node);
  *keep_dims = o->keep_dims();
  return true;
}

bool ReadDimensionList(const NodeInfo& node, PackedList<int32_t>* dims) {
  const schema::Operator* op = SchemaOperator(node);
  if (const auto* o = op->builtin_options_as_ReshapeOptions()) {
    *dims = List(o->new_shape());
    return true;
  }
  if (const auto* o = op->builtin_options_as_SqueezeOptions()) {
    *dims = List(o->squeeze_dims());
    return true;
  }
  return HasNoOptions(node);
}

bool ReadStridedSliceOptions(const NodeInfo& node, StridedSliceOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_StridedSliceOptions();
  if (o == nullptr) return HasNoOptions(node);
  *options = {o->begin_mask(),    o->end_mask(),         o->ellipsis_mask(),
              o->new_axis_mask(), o->shrink_axis_mask(), o->offset()};
  return true;
}

bool ReadSplitCount(const NodeInfo& node, int32_t* count) {
  const schema::Operator* op = SchemaOperator(node);
  if (const auto* o = op->builtin_options_as_SplitOptions()) {
    *count = o->num_splits();
    return true;
  }
  if (const auto* o = op->builtin_options_as_SplitVOptions()) {
    *count = o->num_splits();
    return true;
  }
  return HasNoOptions(node);
}

bool ReadMirrorPadSymmetric(const NodeInfo& node, bool* symmetric) {
  const auto* o = SchemaOperator(node)->builtin_options_as_MirrorPadOptions();
  if (o == nullptr) return HasNoOptions(node);
  *symmetric = o->mode() == 1;
  return o->mode() == 0 || o->mode() == 1;
}

bool ReadBatchMatMulOptions(const NodeInfo& node, BatchMatMulOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_BatchMatMulOptions();
  if (o == nullptr) return HasNoOptions(node);
  *options = {o->adj_x(), o->adj_y()};
  return true;
}

bool ReadInitSubgraph(const NodeInfo& node, int32_t* subgraph) {
  const auto* o = SchemaOperator(node)->builtin_options_as_CallOnceOptions();
  if (o == nullptr) return false;
  *subgraph = o->init_subgraph_index();
  return true;
}

bool ReadVarHandleOptions(const NodeInfo& node, VarHandleOptions* options) {
  const auto* o = SchemaOperator(node)->builtin_options_as_VarHandleOptions();
  if (o == nullptr) return HasNoOptions(node);
  *options = {Text(o->container()), Text(o->shared_name())};
  return true;
}

}  // namespace lutra

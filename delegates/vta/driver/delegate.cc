// SPDX-License-Identifier: Apache-2.0
// Decides which nodes VTA takes and which images their tensors become, and makes the steps of a partition.

#include "delegates/vta/driver/delegate.h"

#include <string.h>

namespace lutra::vta {
namespace {

// A tensor in a layout. A tensor's first image is filled from outside, or by its producer.
struct TensorImage {
  int32_t tensor;
  bool is_outside;  // Packed from the plain tensor.
  bool is_ready;    // While steps are laid out: it has been packed, converted or computed.
  int32_t home;     // The tensor's first image.
  Image image;
};

struct Step {
  enum class Kind : uint8_t { kPack, kConvert, kRun, kUnpack };
  Kind kind;
  int32_t image;  // kRun: the node's index in the file.
  LoweredLayer layer;
};

struct Partition {
  VtaDelegate* delegate;
  Driver driver;
  Span<TensorImage> images;
  int32_t image_count;
  Span<Step> steps;
  int32_t step_count;
  int scratch;  // For a plain tensor.
  int64_t scratch_bytes;
  RunCounters counters;
};

bool HasFrame(const Image& image) { return image.rows != image.height || image.columns != image.width; }

bool HasSameOuterAxes(const Image& a, const Image& b) {
  bool same = a.outer_count == b.outer_count;
  for (uint32_t i = 0; same && i < a.outer_count; ++i) {
    same = a.outer[i].size == b.outer[i].size && a.outer[i].stride == b.outer[i].stride;
  }
  return same;
}

bool IsSameLayout(const Image& a, const Image& b) {
  return a.groups == b.groups && a.height == b.height && a.width == b.width && a.channels == b.channels &&
         a.lane_stride == b.lane_stride && a.row_stride == b.row_stride &&
         a.column_stride == b.column_stride && a.channel_stride == b.channel_stride && a.count == b.count &&
         a.table == b.table && HasSameOuterAxes(a, b) && (a.fill == b.fill || !HasFrame(a) || !HasFrame(b));
}

// The strides of dimensions of size one do not matter.
void Normalize(Image& image, const Config& config) {
  if (image.height == 1) image.row_stride = 0;
  if (image.width == 1) image.column_stride = 0;
  if (image.groups == 1 && config.batch() == 1) image.lane_stride = 0;
}

// Returns the image for a tensor in this layout, with its frame widened to the wanted one.
int32_t FindOrAdd(Partition& partition, int32_t tensor, Image wanted, bool is_made) {
  Normalize(wanted, partition.driver.config());
  int32_t home = -1;
  for (int32_t i = 0; i < partition.image_count; ++i) {
    TensorImage& known = partition.images[static_cast<size_t>(i)];
    if (known.tensor != tensor) continue;
    if (home < 0) home = i;
    if (!IsSameLayout(known.image, wanted)) continue;
    if (HasFrame(wanted)) known.image.fill = wanted.fill;
    const uint32_t bottom = wanted.rows - wanted.top, right = wanted.columns - wanted.left;
    WidenImage(known.image, wanted.top, wanted.left, bottom, right);
    return i;
  }
  const int32_t index = partition.image_count++;
  partition.images[static_cast<size_t>(index)] = {.tensor = tensor,
                                                  .is_outside = !is_made && home < 0,
                                                  .is_ready = false,
                                                  .home = home < 0 ? index : home,
                                                  .image = wanted};
  if (home >= 0) {
    partition.images[static_cast<size_t>(index)].is_outside =
        partition.images[static_cast<size_t>(home)].is_outside;
  }
  return index;
}

Image& ImageAt(Partition& partition, int32_t index) {
  return partition.images[static_cast<size_t>(index)].image;
}

void AddStep(Partition& partition, Step::Kind kind, int32_t image, const LoweredLayer& layer = {}) {
  partition.steps[static_cast<size_t>(partition.step_count++)] = {kind, image, layer};
}

// Packs or converts an image that is not ready yet.
void MakeReady(Partition& partition, int32_t index) {
  TensorImage& image = partition.images[static_cast<size_t>(index)];
  if (image.is_ready) return;
  image.is_ready = true;
  AddStep(partition, image.is_outside ? Step::Kind::kPack : Step::Kind::kConvert, index);
  const auto bytes = static_cast<int64_t>(image.image.count);
  if (!image.is_outside && bytes > partition.scratch_bytes) partition.scratch_bytes = bytes;
}

// Returns whether an earlier node makes the tensor.
bool IsMade(const Partition& partition, int32_t tensor) {
  for (int32_t i = 0; i < partition.image_count; ++i) {
    const TensorImage& known = partition.images[static_cast<size_t>(i)];
    if (known.tensor == tensor) return !known.is_outside;
  }
  return false;
}

// The images of a node, as numbers in the partition; -1: none.
struct NodePlaces {
  int32_t inputs[kMostVtaInputs];
  int32_t output;
};

Status FindImages(Partition& partition, DelegatePrepareContext& context, Span<NodePlaces> places) {
  for (int k = 0; k < context.node_count(); ++k) {
    const DelegateNode node = context.node(k);
    NodeImages images;
    for (int i = 0; i < kMostVtaInputs; ++i) {
      images.is_made[i] = node.HasInput(i) && IsMade(partition, node.InputTensor(i));
    }
    if (FindOperator(node.code())->images(partition.driver, node, &images) != Status::kOk) {
      return context.DeclineNode(k, "its images are too large");
    }
    NodePlaces& place = places[static_cast<size_t>(k)];
    for (int i = 0; i < kMostVtaInputs; ++i) {
      place.inputs[i] =
          images.has_input[i] ? FindOrAdd(partition, node.InputTensor(i), images.inputs[i], false) : -1;
    }
    place.output = FindOrAdd(partition, node.OutputTensor(0), images.output, true);
  }
  for (int32_t i = 0; i < partition.image_count; ++i) {
    if (AllocateImage(partition.driver, &ImageAt(partition, i)) != Status::kOk) {
      return context.Decline("its images are too large");
    }
  }
  return Status::kOk;
}

Status LowerNode(Partition& partition, DelegatePrepareContext& context, int k, const NodePlaces& place) {
  const DelegateNode node = context.node(k);
  NodeImages images;
  for (int i = 0; i < kMostVtaInputs; ++i) {
    if (place.inputs[i] < 0) continue;
    images.has_input[i] = true;
    images.inputs[i] = ImageAt(partition, place.inputs[i]);
    MakeReady(partition, place.inputs[i]);
  }
  images.output = ImageAt(partition, place.output);
  LoweredLayer layer;
  const Status status = FindOperator(node.code())->lower(partition.driver, context, node, images, &layer);
  if (status != Status::kOk) {
    return context.DeclineNode(k, layer.reason != nullptr ? layer.reason : "its stream cannot be written");
  }
  AddStep(partition, Step::Kind::kRun, node.index(), layer);
  partition.images[static_cast<size_t>(place.output)].is_ready = true;
  if (context.IsOutput(node.OutputTensor(0))) AddStep(partition, Step::Kind::kUnpack, place.output);
  return Status::kOk;
}

Status AllocateFromContext(void* user, uint64_t bytes, void** memory) {
  if (bytes > INT64_MAX) return Status::kUnsupported;
  return static_cast<DelegatePrepareContext*>(user)->AllocatePersistent(static_cast<int64_t>(bytes), memory);
}

Status Prepare(void* state, DelegatePrepareContext& context) {
  Partition& partition = *static_cast<Partition*>(state);
  Driver& driver = partition.driver;
  driver.options = partition.delegate->options;
  driver.device = partition.delegate->device;
  driver.memory = {&context, AllocateFromContext};
  LUTRA_TRY(PrepareDriver(driver));
  const auto nodes = static_cast<uint64_t>(context.node_count());
  Span<NodePlaces> places;
  LUTRA_TRY(AllocateArray(driver, nodes, &places));
  LUTRA_TRY(AllocateArray(driver, nodes * (kMostVtaInputs + 1), &partition.images));
  LUTRA_TRY(AllocateArray(driver, nodes * (kMostVtaInputs + 2), &partition.steps));
  LUTRA_TRY(FindImages(partition, context, places));
  for (int k = 0; k < context.node_count(); ++k) {
    LUTRA_TRY(LowerNode(partition, context, k, places[static_cast<size_t>(k)]));
  }
  return partition.scratch_bytes == 0 ? Status::kOk
                                      : context.RequestScratch(partition.scratch_bytes, &partition.scratch);
}

Status RunLayer(Partition& partition, const Step& step) {
  VtaDelegate& delegate = *partition.delegate;
  const Device& device = partition.driver.device;
  RunCounters counters;
  LUTRA_TRY(device.run(device.user, partition.driver.config(), step.layer.stream, &counters));
  partition.counters.Add(counters);
  if (delegate.layer_ran != nullptr) {
    delegate.layer_ran(
        delegate.user,
        {.node = step.image, .bound = step.layer.bound, .counters = counters, .stream = step.layer.stream});
  }
  return Status::kOk;
}

void CountLayoutChange(const VtaDelegate& delegate, const TensorImage& image, Step::Kind kind) {
  if (delegate.layout_changed == nullptr) return;
  const uint64_t moves = kind == Step::Kind::kConvert ? 2 : 1;
  delegate.layout_changed(delegate.user, image.tensor, 2 * moves * image.image.count);
}

Status Eval(void* state, DelegateEvalContext& context) {
  Partition& partition = *static_cast<Partition*>(state);
  const Config& config = partition.driver.config();
  partition.counters = {.cycles = 0, .bytes_moved = 0};
  for (int32_t i = 0; i < partition.step_count; ++i) {
    const Step& step = partition.steps[static_cast<size_t>(i)];
    if (step.kind == Step::Kind::kRun) {
      LUTRA_TRY(RunLayer(partition, step));
      continue;
    }
    const TensorImage& image = partition.images[static_cast<size_t>(step.image)];
    CountLayoutChange(*partition.delegate, image, step.kind);
    if (step.kind == Step::Kind::kConvert) {
      auto* const plain = context.Scratch<int8_t>(partition.scratch);
      UnpackImage(config, ImageAt(partition, image.home), plain);
      PackImage(config, image.image, plain);
      continue;
    }
    auto* const plain = static_cast<int8_t*>(context.TensorData(image.tensor));
    if (step.kind == Step::Kind::kPack)
      PackImage(config, image.image, plain);
    else
      UnpackImage(config, image.image, plain);
  }
  return Status::kOk;
}

DelegateCounters Counters(const void* state) {
  const RunCounters& counters = static_cast<const Partition*>(state)->counters;
  return {.cycles = counters.cycles, .bytes_moved = counters.bytes_moved};
}

const char* Name(const void*) { return "vta"; }

bool IsNodeSupported(const void* state, const DelegateNode& node, const char** reason) {
  const DriverOptions& options = static_cast<const VtaDelegate*>(state)->options;
  const VtaOperator* const one = FindOperator(node.code());
  const ModeFacts& mode = FactsOf(options.mode);
  if (one == nullptr)
    *reason = "VTA has no such operator";
  else if (mode.has != nullptr && !mode.has(node.code()))
    *reason = "the mode has no such operator";
  else
    *reason = one->refusal(options, node);
  return *reason == nullptr;
}

Status CreateKernel(void* state, DelegatePrepareContext& context, DelegateKernel* kernel) {
  Partition* partition = nullptr;
  LUTRA_TRY(context.AllocateArray(1, &partition));
  partition->delegate = static_cast<VtaDelegate*>(state);
  *kernel = {.state = partition, .Prepare = Prepare, .Eval = Eval, .Counters = Counters};
  return Status::kOk;
}

}  // namespace

Delegate MakeDelegate(VtaDelegate* state) {
  return {.state = state,
          .Name = Name,
          .IsNodeSupportedByDelegate = IsNodeSupported,
          .CreateDelegateKernelInterface = CreateKernel,
          .DelegateOptions =
              [](const void* delegate) { return static_cast<const VtaDelegate*>(delegate)->partitions; },
          .compressed =
              CodecSet::Of(DecodeType::kLut, DecodeType::kWideLut, DecodeType::kBitPack, DecodeType::kPrune,
                           DecodeType::kSparseLut, DecodeType::kHuffman, DecodeType::kHuffmanLut)};
}

}  // namespace lutra::vta

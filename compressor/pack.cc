// SPDX-License-Identifier: Apache-2.0
// Chooses tensors and codecs by the size of the resulting file.

#include "compressor/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compressor/decoding_cost.h"
#include "compressor/strip.h"
#include "compressor/unpack.h"
#include "host/progress.h"
#include "lutra/compression/format.h"

namespace lutra::compressor {
namespace {

bool MayUse(const CodecFacts& codec, const PackOptions& options) {
  if (options.codec) return codec.type == *options.codec;
  if (options.form == Form::kMetadata) return codec.type == kMetadataCodec;
  return options.target == Target::kLutra || codec.read_by_tflm;
}

// Lists the ways in which value tables may be stored.
std::vector<SpecEntry> Layouts(const ModelEditor& editor, TensorId id, const CodecFacts& codec,
                               const PackOptions& options) {
  SpecEntry entry = {.id = id, .codec = codec.type};
  std::vector<SpecEntry> entries = {entry};
  const bool is_choice = codec.tables == ValueTables::kPerChannel && options.target == Target::kLutra &&
                         options.form == Form::kDecode;
  if (!is_choice) return entries;
  entry.tables = TableChoice::kPerTensor;
  entries.push_back(entry);
  const auto rank = static_cast<int>(editor.tensor(id.subgraph, id.tensor).shape.size());
  entry.tables = TableChoice::kPerChannel;
  for (const int axis : {0, rank - 1}) {
    entry.axis = axis;
    entries.push_back(entry);
  }
  return entries;
}

// Returns whether a delegate's node would stay the delegate's with this codec.
bool IsTaken(TensorId id, DecodeType codec, const PackOptions& options) {
  const auto taken = options.delegated.find(id);
  return taken == options.delegated.end() || taken->second.codecs.Contains(codec);
}

Obstacle NotTaken(const std::string& delegate) {
  return {Obstacle::kCodec, fmt::format("delegate: {} takes it in no codec that would do", delegate)};
}

// Returns the smallest form of one tensor. The framing around it is the same for all.
std::optional<CodedTensor> EncodeSmallest(const ModelEditor& editor, TensorId id, const PackOptions& options,
                                          Obstacle* obstacle) {
  std::optional<CodedTensor> smallest;
  bool is_left_out = false;
  for (const CodecFacts& codec : AllCodecs()) {
    if (!MayUse(codec, options) || !IsTaken(id, codec.type, options)) continue;
    if (options.may_take_time && !options.may_take_time(id, codec.type)) {
      is_left_out = true;
      continue;
    }
    for (const SpecEntry& entry : Layouts(editor, id, codec, options)) {
      Obstacle found;
      std::optional<CodedTensor> coded = EncodeTensor(editor, entry, options.form, &found);
      if (!*obstacle) *obstacle = found;
      const Placement placement = options.placement;
      if (coded && (!smallest || coded->stored_bytes(placement) < smallest->stored_bytes(placement)))
        smallest = std::move(coded);
    }
  }
  if (smallest) *obstacle = {};
  const auto taken = options.delegated.find(id);
  if (!smallest && !*obstacle && taken != options.delegated.end()) {
    *obstacle = NotTaken(taken->second.delegate);
  }
  if (!smallest && !*obstacle && is_left_out) {
    *obstacle = {Obstacle::kCodec, "time: decoding would take more of it than the bytes are worth"};
  }
  return smallest;
}

class Packer {
 public:
  Packer(const host::ModelFile& file, const PackOptions& options)
      : file_(file),
        named_(file),
        editor_(options.strip ? Stripped(file, options.stripping, &result_.stripped) : ModelEditor(file)),
        options_(options) {
    result_.path = file.path;
    result_.bytes_before = static_cast<int64_t>(file.bytes.size());
    result_.inference_us = InferenceUs(file.model);
  }

  PackResult Run() {
    RequireUncompressed(editor_);
    result_.aligned_bytes = static_cast<int64_t>(editor_.Write(Placement::kAligned, options_.parts).size());
    for (Constant& constant : FindConstants(editor_, options_.form)) {
      constant.name = named_.tensor(constant.id.subgraph, constant.id.tensor).name;
      result_.tensors.push_back({.constant = std::move(constant)});
    }
    if (options_.target == Target::kTflm) LeaveUint8();
    options_.spec ? TakeSpec() : ChooseTensors();
    std::vector<CodedTensor> coded;
    for (const PackedTensor& tensor : result_.tensors) {
      if (tensor.coded) coded.push_back(*tensor.coded);
    }
    result_.file = WriteWith(coded);
    const bool may_grow = options_.spec || options_.min_saving < 0;
    if (!may_grow && result_.file.size() > file_.bytes.size()) LeaveAll();
    CheckLossless();
    return std::move(result_);
  }

 private:
  // TensorFlow Lite Micro has no operator with weights of the older scheme.
  void LeaveUint8() {
    for (PackedTensor& tensor : result_.tensors) {
      Constant& constant = tensor.constant;
      if (constant.type != TensorType::kUInt8 || constant.obstacle) continue;
      constant.obstacle = {
          Obstacle::kType,
          "type: uint8 is not compressed for TFLM, which does not run it; --target=lutra, or "
          "convert-uint8 first"};
    }
  }

  PackedTensor* Find(TensorId id) {
    for (PackedTensor& tensor : result_.tensors) {
      if (tensor.constant.id == id) return &tensor;
    }
    return nullptr;
  }

  std::string Name(TensorId id) const {
    return fmt::format("tensor {} \"{}\"", ToText(id), named_.tensor(id.subgraph, id.tensor).name);
  }

  [[noreturn]] void Refuse(TensorId id, const std::string& found, const std::string& next) const {
    throw host::BadInput(fmt::format("{}: {}: found {}, required: a tensor that can be compressed so; {}",
                                     editor_.path(), Name(id), found, next));
  }

  Bytes WriteWith(const std::vector<CodedTensor>& coded) const {
    if (coded.empty()) return editor_.Write(Placement::kAligned, options_.parts);
    ModelEditor copy(editor_);
    Apply(&copy, options_.form, coded, options_.parts);
    return copy.Write(options_.placement, options_.parts);
  }

  // ---- A spec chooses all tensors and codecs.

  void TakeSpec() {
    std::set<TensorId> named;
    for (const SpecEntry& entry : *options_.spec) {
      const bool exists =
          entry.id.subgraph < editor_.subgraph_count() &&
          entry.id.tensor < static_cast<int>(editor_.subgraph(entry.id.subgraph).tensors.size());
      if (!exists) {
        throw host::BadInput(
            fmt::format("{}: spec: found tensor {}, required: one of the model's; "
                        "generic_benchmark --inspect lists them",
                        editor_.path(), ToText(entry.id)));
      }
      if (!named.insert(entry.id).second) Refuse(entry.id, "two entries in the spec", "keep one of them");
      PackedTensor* tensor = Find(entry.id);
      if (tensor == nullptr) Refuse(entry.id, "no data in the tensor", "take it out of the spec");
      if (options_.target == Target::kTflm && !FactsOf(entry.codec).read_by_tflm) {
        Refuse(entry.id, fmt::format("codec {}, which TFLM lacks", ToString(entry.codec)),
               "use --target=lutra");
      }
      TakeEntry(entry, tensor);
    }
    for (PackedTensor& tensor : result_.tensors) {
      if (!tensor.coded && !tensor.obstacle) tensor.obstacle = {Obstacle::kUnlisted, "spec: not listed"};
    }
    DropUncoveredAliases();
  }

  void TakeEntry(const SpecEntry& entry, PackedTensor* tensor) {
    const Constant& constant = tensor->constant;
    // A spec is not refused for a tensor that can stay uncompressed without harm.
    if (constant.obstacle.kind == Obstacle::kAlias || constant.obstacle.kind == Obstacle::kUnread) {
      LeaveWithWarning(constant.obstacle, tensor);
      return;
    }
    if (constant.obstacle) Refuse(entry.id, constant.obstacle.text, "take it out of the spec");
    Obstacle obstacle;
    tensor->coded = EncodeTensor(editor_, entry, options_.form, &obstacle);
    if (!tensor->coded) {
      Refuse(entry.id, obstacle.text, "mend the spec, or bin the tensor first (compress bin)");
    }
    if (!IsTaken(entry.id, entry.codec, options_)) {
      result_.warnings.push_back(
          fmt::format("{}: delegate {} does not take codec {}: its node runs on the CPU", Name(entry.id),
                      options_.delegated.at(entry.id).delegate, ToString(entry.codec)));
    }
    if (tensor->coded->bytes() > constant.bytes) {
      result_.warnings.push_back(
          fmt::format("{}: {} bytes become {}", Name(entry.id), constant.bytes, tensor->coded->bytes()));
    }
    if (entry.codec == DecodeType::kLut && tensor->coded->distinct <= 1 << (tensor->coded->bits - 1) &&
        tensor->coded->bits > 1) {
      result_.warnings.push_back(fmt::format("{}: {} bits are more than its {} values need", Name(entry.id),
                                             tensor->coded->bits, tensor->coded->distinct));
    }
  }

  void LeaveWithWarning(const Obstacle& obstacle, PackedTensor* tensor) {
    tensor->obstacle = obstacle;
    tensor->coded.reset();
    result_.warnings.push_back(
        fmt::format("{}: left as it is, {}", Name(tensor->constant.id), obstacle.text));
  }

  // A buffer is removed only if all its tensors are compressed.
  void DropUncoveredAliases() {
    for (PackedTensor& tensor : result_.tensors) {
      if (!tensor.coded) continue;
      for (const TensorId alias : tensor.constant.aliases) {
        const bool same_buffer =
            editor_.tensor(alias.subgraph, alias.tensor).buffer ==
            editor_.tensor(tensor.constant.id.subgraph, tensor.constant.id.tensor).buffer;
        if (!same_buffer || Find(alias)->coded) continue;
        LeaveWithWarning(
            {Obstacle::kAlias,
             fmt::format("alias: tensor {} shares its buffer and is not compressed", ToText(alias))},
            &tensor);
        break;
      }
    }
  }

  // ---- Automatic choice.

  void ChooseTensors() {
    const std::set<TensorId> excluded = SelectAll(options_.exclude);
    const std::set<TensorId> only = SelectAll(options_.only);
    // Tensors of the same bytes are compressed together or not at all.
    std::vector<std::vector<PackedTensor*>> groups;
    host::Progress progress(editor_.path() + ": encoding");
    int64_t done = 0;
    for (PackedTensor& tensor : result_.tensors) {
      progress.Update(done++, static_cast<int64_t>(result_.tensors.size()));
      const TensorId id = tensor.constant.id;
      tensor.obstacle = tensor.constant.obstacle;
      if (excluded.count(id) != 0) {
        tensor.obstacle = {Obstacle::kExcluded, "excluded"};
      } else if (!only.empty() && only.count(id) == 0) {
        tensor.obstacle = {Obstacle::kExcluded, "excluded: not among --only"};
      } else if (tensor.obstacle && only.count(id) != 0) {
        Refuse(id, tensor.obstacle.text, "leave it out of --only");
      }
      if (tensor.obstacle) continue;
      tensor.coded = EncodeSmallest(editor_, id, options_, &tensor.obstacle);
      if (!tensor.coded && only.count(id) != 0) {
        Refuse(id, tensor.obstacle.text, "leave it out of --only, or bin it first (compress bin)");
      }
    }
    std::set<TensorId> grouped;
    for (PackedTensor& tensor : result_.tensors) {
      if (!tensor.coded || grouped.count(tensor.constant.id) != 0) continue;
      std::vector<PackedTensor*> group = {&tensor};
      for (const TensorId alias : tensor.constant.aliases) group.push_back(Find(alias));
      for (const PackedTensor* member : group) grouped.insert(member->constant.id);
      groups.push_back(group);
    }
    KeepWhatPays(groups);
  }

  std::set<TensorId> SelectAll(const std::vector<std::string>& selectors) const {
    std::set<TensorId> ids;
    for (const std::string& selector : selectors) {
      for (const TensorId id : SelectTensors(named_, selector)) ids.insert(id);
    }
    return ids;
  }

  // Writes the file with each group added; groups that do not make it smaller are left out.
  void KeepWhatPays(std::vector<std::vector<PackedTensor*>>& groups) {
    const Placement placement = options_.placement;
    const auto estimate = [placement](const std::vector<PackedTensor*>& group) {
      int64_t saving = group[0]->constant.bytes;
      for (const PackedTensor* member : group)
        saving -= member->coded ? member->coded->stored_bytes(placement) : 0;
      return saving;
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const auto& a, const auto& b) { return estimate(a) > estimate(b); });
    std::vector<CodedTensor> kept;
    auto file_bytes = result_.aligned_bytes;
    host::Progress progress(editor_.path() + ": choosing tensors");
    int64_t done = 0;
    for (const std::vector<PackedTensor*>& group : groups) {
      progress.Update(done++, static_cast<int64_t>(groups.size()));
      Obstacle obstacle;
      std::vector<CodedTensor> trial = kept;
      for (const PackedTensor* member : group) {
        if (member->coded) {
          trial.push_back(*member->coded);
        } else {
          obstacle = {Obstacle::kAlias,
                      fmt::format("alias: tensor {} cannot be compressed", ToText(member->constant.id))};
        }
      }
      // If the bytes do not shrink, the file need not be written.
      int64_t saving = estimate(group);
      if (!obstacle && saving >= options_.min_saving) {
        saving = file_bytes - static_cast<int64_t>(WriteWith(trial).size());
      }
      if (!obstacle && saving >= options_.min_saving) {
        kept = std::move(trial);
        file_bytes -= saving;
        continue;
      }
      for (PackedTensor* member : group) {
        member->obstacle = obstacle ? obstacle : NoGain(*member, saving);
        member->coded.reset();
      }
    }
  }

  static Obstacle NoGain(const PackedTensor& tensor, int64_t saving) {
    return {Obstacle::kNoGain,
            fmt::format("no-gain: {} bytes become {}, the file {} {} bytes", tensor.constant.bytes,
                        tensor.coded->bytes(), saving < 0 ? "grows by" : "shrinks by only",
                        saving < 0 ? -saving : saving)};
  }

  // Keeps the file as it was read: if its buffers lie at other places than multiples of 16, aligning them may
  // take more than all groups save.
  void LeaveAll() {
    const int64_t growth = static_cast<int64_t>(result_.file.size()) - result_.bytes_before;
    for (PackedTensor& tensor : result_.tensors) {
      if (tensor.coded) tensor.obstacle = NoGain(tensor, -growth);
      tensor.coded.reset();
    }
    result_.file.assign(file_.bytes.data(), file_.bytes.data() + file_.bytes.size());
    result_.stripped.clear();
  }

  // Checks that the file decodes to the original bytes.
  void CheckLossless() const {
    const host::ModelFile packed = LoadModel(result_.file, editor_.path() + " (compressed)");
    const UnpackResult unpacked = Unpack(packed);
    for (const PackedTensor& tensor : result_.tensors) {
      const TensorId id = tensor.constant.id;
      // A buffer may be longer than its tensor.
      const auto bytes = static_cast<size_t>(file_.model.tensor(id.subgraph, id.tensor).bytes);
      Bytes decoded = unpacked.editor.data(id.subgraph, id.tensor),
            given = editor_.data(id.subgraph, id.tensor);
      decoded.resize(std::min(decoded.size(), bytes));
      given.resize(std::min(given.size(), bytes));
      if (decoded == given) continue;
      throw std::logic_error(
          fmt::format("{}: {}: decodes to other bytes; nothing was written", editor_.path(), Name(id)));
    }
  }

  PackResult result_;
  const host::ModelFile& file_;
  ModelEditor named_;   // The model as it was read.
  ModelEditor editor_;  // The model to compress: stripped, if asked for.
  PackOptions options_;
};

}  // namespace

std::optional<CodedTensor> SmallestCoding(const ModelEditor& editor, TensorId id,
                                          const PackOptions& options) {
  Obstacle unused;
  return EncodeSmallest(editor, id, options, &unused);
}

double PackedTensor::decode_us() const {
  if (!coded) return 0;
  return DecodingUs(coded->entry.codec, coded->distinct, constant.bytes) *
         static_cast<double>(constant.uses.size());
}

PackResult Pack(const host::ModelFile& file, const PackOptions& options) {
  return Packer(file, options).Run();
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Bins every tensor at every width, and measures how many bytes each codec takes for it.

#include "compressor/accuracy/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "compressor/accuracy/codec_choice.h"
#include "compressor/channels.h"
#include "compressor/clusters.h"
#include "compressor/decoding_cost.h"
#include "host/environment.h"
#include "host/progress.h"
#include "host/scores.h"
#include "host/sha256.h"
#include "lutra/compression/decode.h"
#include "lutra/compression/encoding.h"
#include "lutra/compression/format.h"
#include "lutra/cpu.h"
#include "lutra/rule.h"
#include "runtime/compression/tiles.h"

namespace lutra::compressor {
namespace {

int64_t AlignedBytes(int64_t bytes) { return PlacedBytes(static_cast<size_t>(bytes), true); }

// The bytes of a compressed tensor besides its stream and tables: an operator, two tensors and their buffers.
int64_t FramingBytes(const host::ModelFile& file, const std::vector<TensorChoice>& tensors, Target target) {
  for (const TensorChoice& choice : tensors) {
    ModelEditor editor(file);
    const TensorId id = choice.ids[0];
    const TensorInfo tensor = file.model.tensor(id.subgraph, id.tensor);
    if (tensor.type != TensorType::kInt8 || choice.ids.size() > 1) continue;
    editor.tensor(id.subgraph, id.tensor).buffer = editor.AddBuffer(BinTensor(tensor, {.bits = 1}).bytes);
    const host::ModelFile binned = LoadModel(editor.Write(), file.path);
    const std::optional<CodedTensor> coded =
        SmallestCoding(ModelEditor(binned), id, {.target = target, .placement = PlacementFor(target)});
    if (!coded) continue;
    Apply(&editor, Form::kDecode, {*coded}, Parts::kShared);
    const auto with = static_cast<int64_t>(editor.Write(PlacementFor(target)).size());
    return std::max<int64_t>(0, with - static_cast<int64_t>(binned.bytes.size()) +
                                    AlignedBytes(choice.original_bytes) -
                                    coded->stored_bytes(PlacementFor(target)));
  }
  return 0;
}

// Returns the candidates, those whose constant lies at one place as one choice.
std::vector<TensorChoice> FindTensors(const host::ModelFile& file) {
  std::vector<TensorChoice> tensors;
  std::map<const uint8_t*, size_t> places;
  const ModelEditor editor(file);
  std::map<TensorId, bool> may_be_packed;
  for (const Constant& constant : FindConstants(editor, Form::kDecode)) {
    may_be_packed[constant.id] = !constant.obstacle || constant.obstacle.kind == Obstacle::kAlias;
  }
  for (const BinCandidate& candidate : BinCandidates(file.model)) {
    const TensorInfo tensor = file.model.tensor(candidate.id.subgraph, candidate.id.tensor);
    if (!candidate.reason.empty() || !candidate.left_out_by_default.empty() || !may_be_packed[candidate.id])
      continue;
    const auto [at, is_new] = places.try_emplace(tensor.data.data(), tensors.size());
    if (is_new) {
      tensors.push_back({.candidate = candidate, .ids = {}, .original_bytes = tensor.bytes, .options = {}});
    }
    tensors[at->second].ids.push_back(candidate.id);
  }
  return tensors;
}

// Keeps the options of which no smaller one is as good and as fast; `plain` comes first, the smallest last.
std::vector<TensorOption> Undominated(TensorOption plain, std::vector<TensorOption> options) {
  std::stable_sort(options.begin(), options.end(), [](const TensorOption& a, const TensorOption& b) {
    return a.stored_bytes != b.stored_bytes ? a.stored_bytes > b.stored_bytes : a.error > b.error;
  });
  std::vector<TensorOption> kept;
  for (auto option = options.rbegin(); option != options.rend(); ++option) {
    const bool dominated = std::any_of(kept.begin(), kept.end(), [&](const TensorOption& smaller) {
      return smaller.error <= option->error && smaller.decode_us <= option->decode_us;
    });
    if (dominated || option->stored_bytes >= plain.stored_bytes) continue;
    kept.push_back(std::move(*option));
  }
  kept.push_back(std::move(plain));
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// If `importance` is null, an element counts by its scale.
double ErrorOf(const TensorInfo& tensor, const Bytes& bytes, const std::vector<double>* importance) {
  const Channels channels = ScaleChannels(tensor);
  double sum = 0;
  TensorInfo codes = tensor;
  codes.scales = {};
  const auto count = static_cast<size_t>(tensor.shape.Count());
  for (size_t i = 0; i < count; ++i) {
    const auto at = static_cast<int64_t>(i);
    const double error =
        host::RealValue(codes, bytes.data(), at) - host::RealValue(codes, tensor.data.data(), at);
    double counts = 1;
    if (importance != nullptr) {
      counts = (*importance)[i];
    } else if (tensor.scales.size() > 0) {
      const double scale = tensor.scales[channels.Of(i)];
      counts = scale * scale;
    }
    sum += counts * error * error;
  }
  return sum;
}

TensorOption OptionOf(const BinSettings& settings, BinnedTensor binned, double error) {
  TensorOption option = {.settings = settings,
                         .bytes = std::move(binned.bytes),
                         .lut_bytes = binned.size.total_bytes,
                         .qsnr_db = binned.qsnr_db,
                         .is_sparse = binned.size.sparse,
                         .error = error};
  option.bits = binned.bits;
  return option;
}

TensorOption Assigned(const TensorInfo& tensor, const BinSettings& base, const BinnedTensor& binned,
                      const Assigner& assigner) {
  const Assignment assignment = assigner.Assign(binned, base.pin_zero);
  const BinSettings settings = SettingsFor(tensor, base, assignment.values, assignment.bytes);
  return OptionOf(settings, BinTensor(tensor, settings), assigner.ErrorOf(assignment.bytes));
}

// Adds these widths of `settings`. If importance is known, values are chosen by it.
void AddWidths(const TensorInfo& tensor, const BinSettings& base, const std::vector<int>& widths,
               const std::vector<double>* importance, const Assigner* assigner,
               std::vector<TensorOption>* options) {
  TensorBinner binner(tensor, base, importance != nullptr ? *importance : std::vector<double>());
  for (const int bits : widths) {
    BinSettings settings = base;
    settings.bits = bits;
    BinnedTensor binned = binner.Bin(bits);
    if (importance != nullptr) {
      settings.bits.reset();
      settings.values = binned.values;
      binned = BinTensor(tensor, settings);
    }
    if (assigner != nullptr) {
      options->push_back(Assigned(tensor, base, binned, *assigner));
    } else {
      const double error = ErrorOf(tensor, binned.bytes, importance);
      options->push_back(OptionOf(settings, std::move(binned), error));
    }
  }
}

// Returns the magnitudes, in real units, below which a tenth, two tenths... of the elements lie.
std::vector<double> Deciles(const TensorInfo& tensor) {
  std::vector<double> magnitudes = RealValues(tensor);
  for (double& magnitude : magnitudes) magnitude = std::fabs(magnitude);
  std::sort(magnitudes.begin(), magnitudes.end());
  std::set<double> deciles;
  constexpr size_t kParts = 10;
  for (size_t part = 1; part < kParts; ++part) deciles.insert(magnitudes[magnitudes.size() * part / kParts]);
  deciles.erase(0);
  return {deciles.begin(), deciles.end()};
}

// Returns the widths up to `most`, the widest first.
std::vector<int> WidthsUpTo(int most) {
  std::vector<int> widths(static_cast<size_t>(most));
  std::iota(widths.rbegin(), widths.rend(), 1);
  return widths;
}

// Adds pruned options: the smallest weights, at least half, are zero, and the others keep their value or have
// one of 16.
void AddPruned(const TensorInfo& tensor, const std::vector<double>* importance, const Assigner* assigner,
               std::vector<TensorOption>* options) {
  constexpr size_t kFirst = 4;  // The first decile: below, a bit for each weight takes what zeros save.
  const std::vector<double> deciles = Deciles(tensor);
  for (size_t i = kFirst; i < deciles.size(); ++i) {
    AddWidths(tensor, {.threshold = deciles[i], .pin_zero = true}, {kMaxBinBits, 4}, importance, assigner,
              options);
  }
}

// Returns all widths of one tensor, with one table or a table for each channel, and pruned options; none if
// no table can hold the values, as with NaN.
std::vector<TensorOption> OptionsOf(const TensorInfo& tensor, Widths widths,
                                    const std::vector<double>* importance, const Assigner* assigner) {
  std::vector<TensorOption> options;
  try {
    AddWidths(tensor, {.per = TableScope::kTensor}, WidthsUpTo(kMaxBinBits), importance, assigner, &options);
    if (widths == Widths::kUseful && tensor.scales.size() > 1 && tensor.shape.rank > 1) {
      AddWidths(tensor, {.per = TableScope::kChannel}, WidthsUpTo(kMaxBinBits), importance, assigner,
                &options);
    }
    if (widths == Widths::kUseful && tensor.shape.rank > 1) AddPruned(tensor, importance, assigner, &options);
    if (widths != Widths::kEngine) return options;
    constexpr int kMostSparseBits = 5;  // Above, a flag for each element costs more than zeros save.
    for (const double threshold : Deciles(tensor)) {
      AddWidths(tensor, {.threshold = threshold, .sparse = SparseUse::kForce, .pin_zero = true},
                WidthsUpTo(kMostSparseBits), importance, assigner, &options);
    }
  } catch (const std::invalid_argument&) {
    return {};
  }
  return options;
}

// Stores the option as the engine reads it, if that is smaller than the tensor itself.
TensorOption InEngine(TensorOption option, int64_t original_bytes, const TensorInfo& tensor) {
  const bool is_plain = !option.settings || option.lut_bytes >= original_bytes;
  option.stored_bytes = is_plain ? original_bytes : option.lut_bytes;
  if (is_plain) {
    option.bits = 8 * ElementBytes(tensor.type);
    return option;
  }
  const DecodeType codec = option.is_sparse ? DecodeType::kSparseLut : DecodeType::kWideLut;
  option.entry = SpecEntry{.codec = codec, .tables = TableChoice::kPerTensor};
  // The sparse form stores the places of tiles, as they cannot be computed.
  const int64_t filters = tensor.shape.rank == 0 ? 1 : tensor.shape[0];
  const int64_t rows = RowsOfTile(filters, tensor.bytes, kGap9TileBytes);
  if (option.is_sparse && rows < filters && rows <= kMostTileRows) {
    option.entry->tile_rows = static_cast<int>(rows);
    option.stored_bytes += ((filters - 1) / rows + 1) * kTileOffsetBytes;
  }
  option.codec = ToString(codec);
  return option;
}

TensorOption Stored(TensorOption option, const Coding& coding) {
  static_cast<Coding&>(option) = coding;
  return option;
}

// Adds the changes of biases that each option of the filters asks for.
void AddShifts(const TensorInfo& filter, const BiasCorrection& correction, TensorChoice* choice) {
  for (TensorOption& option : choice->options) {
    if (!option.settings) continue;
    for (const TensorId id : choice->ids) {
      for (BiasShift& shift : correction.ShiftsFor(id, filter, option.bytes)) {
        option.shifts.push_back(std::move(shift));
      }
    }
  }
}

}  // namespace

// Returns the shortest of a few times.
double MeasuredDecodeUs(const CodedTensor& coded, const TensorInfo& tensor) {
  Encoding encoding;
  const Fault fault = ReadDecodePair({coded.stream.data(), coded.stream.size()},
                                     {coded.tables.data(), coded.tables.size()}, tensor, &encoding);
  if (fault.rule != Rule::kNone) throw std::logic_error("a stream that is not read");
  host::AlignedBytes values(static_cast<size_t>(tensor.bytes));
  constexpr int kRuns = 5;
  int64_t least_ns = INT64_MAX;
  for (int i = 0; i < kRuns; ++i) {
    const int64_t start_ns = host::NowNs();
    Decode(encoding, CpuFeaturesHere(), values.data());
    least_ns = std::min(least_ns, host::NowNs() - start_ns);
  }
  return static_cast<double>(least_ns) / 1e3;
}

Choices::Choices(const host::ModelFile& file, Target target, Widths widths, const Calibration& calibration,
                 const DecodeTimer& timer)
    : base_(LoadModel(ModelEditor(file).Write(), file.path)) {
  ModelEditor editor(base_);
  RequireUncompressed(editor);
  tensors_ = FindTensors(base_);
  const Placement placement = PlacementFor(target);
  const int64_t framing = FramingBytes(base_, tensors_, target);
  host::Progress progress(file.path + ": trying widths");
  int64_t done = 0;
  const bool counts_file = widths != Widths::kEngine;
  if (counts_file) other_bytes_ = static_cast<int64_t>(base_.bytes.size());
  Bytes all_values;
  for (TensorChoice& choice : tensors_) {
    progress.Update(done++, static_cast<int64_t>(tensors_.size()));
    const TensorId id = choice.ids[0];
    const TensorInfo tensor = base_.model.tensor(id.subgraph, id.tensor);
    const Coding unpacked = {.stored_bytes = AlignedBytes(choice.original_bytes),
                             .bits = 8 * ElementBytes(tensor.type)};
    // Lists codings that are smaller than the tensor as it is, the smallest first.
    const auto codings_of = [&](const Bytes& bytes) {
      edit::TensorT& edited = editor.tensor(id.subgraph, id.tensor);
      const uint32_t original = edited.buffer;
      edited.buffer = editor.AddBuffer(bytes);
      std::vector<Coding> codings;
      for (const CodecFacts& codec : AllCodecs()) {
        if (target == Target::kTflm && !codec.read_by_tflm) continue;
        const std::optional<CodedTensor> coded =
            SmallestCoding(editor, id, {.target = target, .placement = placement, .codec = codec.type});
        // All uses share the constant's stream, but each has framing of its own.
        const auto uses = static_cast<int64_t>(choice.ids.size());
        if (!coded || coded->stored_bytes(placement) + framing * uses >= unpacked.stored_bytes) continue;
        codings.push_back({.entry = coded->entry,
                           .codec = codec.name,
                           .stored_bytes = coded->stored_bytes(placement) + framing * uses,
                           .decode_us = static_cast<double>(uses) *
                                        (timer ? timer(*coded, tensor)
                                               : DecodingUs(codec.type, coded->distinct, tensor.bytes)),
                           .bits = coded->bits});
      }
      edited.buffer = original;
      editor.model().buffers.pop_back();
      std::stable_sort(codings.begin(), codings.end(),
                       [](const Coding& a, const Coding& b) { return a.stored_bytes < b.stored_bytes; });
      return codings;
    };
    if (counts_file) other_bytes_ -= unpacked.stored_bytes;
    TensorOption plain = Stored({}, unpacked);
    plain.bytes = Bytes(tensor.data.begin(), tensor.data.end());
    plain.lut_bytes = choice.original_bytes;
    plain.qsnr_db = std::numeric_limits<double>::infinity();
    const auto weights = calibration.importance.find(id);
    const auto assigner = calibration.assigners.find(id);
    // Tensors that share a constant have different inputs.
    const bool is_alone = choice.ids.size() == 1;
    std::vector<TensorOption> values =
        OptionsOf(tensor, widths, weights == calibration.importance.end() ? nullptr : &weights->second,
                  assigner == calibration.assigners.end() || !is_alone ? nullptr : &assigner->second);
    for (size_t v = 0; v < values.size(); ++v) {
      values[v].values = static_cast<int>(v) + 1;
      all_values.insert(all_values.end(), values[v].bytes.begin(), values[v].bytes.end());
    }
    if (widths == Widths::kEngine) {
      for (TensorOption& option : values) option = InEngine(option, choice.original_bytes, tensor);
      choice.options = Undominated(InEngine(plain, choice.original_bytes, tensor), std::move(values));
    } else if (widths == Widths::kUniform) {
      values.insert(values.begin(), plain);
      for (TensorOption& option : values) {
        option.codings = codings_of(option.bytes);
        option.codings.push_back(unpacked);
      }
      choice.options = std::move(values);
    } else {
      values.push_back(plain);
      std::vector<TensorOption> options;
      for (const TensorOption& option : values) {
        for (const Coding& coding : codings_of(option.bytes)) options.push_back(Stored(option, coding));
      }
      choice.options = Undominated(plain, std::move(options));
    }
    AddShifts(tensor, calibration.correction, &choice);
  }
  fingerprint_ = host::Sha256(all_values.data(), all_values.size());
  if (widths == Widths::kUniform) StoreIn(AllCodecsOf(target));
}

void Choices::StoreIn(const CodecSet& codecs) {
  for (TensorChoice& choice : tensors_) {
    for (TensorOption& option : choice.options) {
      const auto coding = std::find_if(option.codings.begin(), option.codings.end(), [&](const Coding& c) {
        return !c.entry || codecs.Contains(c.entry->codec);
      });
      static_cast<Coding&>(option) = *coding;
    }
  }
}

int64_t Choices::BytesOf(const std::vector<int>& chosen) const {
  int64_t bytes = other_bytes_;
  for (size_t i = 0; i < tensors_.size(); ++i)
    bytes += tensors_[i].options[static_cast<size_t>(chosen[i])].stored_bytes;
  return bytes;
}

double Choices::MostDecodeUs(const CodecSet& codecs) const {
  double us = 0;
  for (const TensorChoice& choice : tensors_) {
    double most = 0;
    for (const TensorOption& option : choice.options) {
      if (option.entry && codecs.Contains(option.entry->codec)) most = std::max(most, option.decode_us);
    }
    us += most;
  }
  return us;
}

bool Choices::AreOf(const CodecSet& codecs, const std::vector<int>& chosen) const {
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const std::optional<SpecEntry>& entry = tensors_[i].options[static_cast<size_t>(chosen[i])].entry;
    if (entry && !codecs.Contains(entry->codec)) return false;
  }
  return true;
}

std::vector<int> Choices::ValuesOf(const std::vector<int>& chosen) const {
  std::vector<int> values;
  for (size_t i = 0; i < tensors_.size(); ++i)
    values.push_back(tensors_[i].options[static_cast<size_t>(chosen[i])].values);
  return values;
}

double Choices::DecodeUsOf(const std::vector<int>& chosen) const {
  double us = 0;
  for (size_t i = 0; i < tensors_.size(); ++i)
    us += tensors_[i].options[static_cast<size_t>(chosen[i])].decode_us;
  return us;
}

std::vector<SpecEntry> Choices::SpecOf(const std::vector<int>& chosen) const {
  std::vector<SpecEntry> entries;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const TensorOption& option = tensors_[i].options[static_cast<size_t>(chosen[i])];
    if (!option.entry) continue;
    for (const TensorId id : tensors_[i].ids) {
      entries.push_back(*option.entry);
      entries.back().id = id;
    }
  }
  return entries;
}

std::map<TensorId, std::vector<int64_t>> Choices::ShiftsOf(const std::vector<int>& chosen) const {
  std::map<TensorId, std::vector<int64_t>> shifts;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    for (const BiasShift& shift : tensors_[i].options[static_cast<size_t>(chosen[i])].shifts) {
      const bool moves = std::any_of(shift.add.begin(), shift.add.end(), [](int64_t by) { return by != 0; });
      if (moves) shifts[shift.bias] = shift.add;
    }
  }
  return shifts;
}

host::ModelFile Choices::ApplyTo(const host::ModelFile& other, const std::vector<int>& chosen) const {
  Bytes bytes(other.bytes.data(), other.bytes.data() + other.bytes.size());
  std::map<TensorId, const BinSettings*> binned;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const TensorOption& option = tensors_[i].options[static_cast<size_t>(chosen[i])];
    if (!option.settings) continue;
    const TensorId id = tensors_[i].ids[0];
    binned[id] = &*option.settings;
    const TensorInfo tensor = other.model.tensor(id.subgraph, id.tensor);
    std::copy(option.bytes.begin(), option.bytes.end(),
              bytes.begin() + (tensor.data.data() - other.bytes.data()));
  }
  // A bias that is moved shares its constant with no other tensor, so it is the first of its choice.
  for (const auto& [id, add] : ShiftsOf(chosen)) {
    const auto found = binned.find(id);
    BinSettings settings = found == binned.end() ? BinSettings() : *found->second;
    settings.add = add;
    const TensorInfo bias = other.model.tensor(id.subgraph, id.tensor);
    const Bytes moved = BinTensor(bias, settings).bytes;
    std::copy(moved.begin(), moved.end(), bytes.begin() + (bias.data.data() - other.bytes.data()));
  }
  return LoadModel(bytes, other.path);
}

BinPlan Choices::PlanOf(const std::vector<int>& chosen) const {
  BinPlan plan;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    const TensorOption& option = tensors_[i].options[static_cast<size_t>(chosen[i])];
    if (!option.settings) continue;
    for (const TensorId id : tensors_[i].ids) {
      plan[id] = {base_.model.tensor(id.subgraph, id.tensor).name, *option.settings};
    }
  }
  for (auto& [id, add] : ShiftsOf(chosen)) {
    PlannedTensor& bias = plan[id];
    bias.name = base_.model.tensor(id.subgraph, id.tensor).name;
    bias.settings.add = add;
  }
  return plan;
}

}  // namespace lutra::compressor

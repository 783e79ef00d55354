// SPDX-License-Identifier: Apache-2.0
// spot_keyword PREPROCESSOR NETWORK [SEED]: from samples of audio to scores of words, in two models that
// share an arena. The preprocessor makes the features of 30 ms of samples of int16 at 16 kHz, every 20 ms;
// when there are as many as the network reads, it runs once. The samples are made from the seed: noise and a
// tone that rises. Prints, for platforms/README.md:
//
//   lutra1 arena given <bytes> used <bytes of both>
//   lutra1 region preprocess <frame>
//   lutra1 region network
//   lutra1 output <index> crc32 <crc>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "host/core/crc32.h"
#include "host/core/seeded_input.h"
#include "lutra/micro_interpreter.h"
#include "lutra/model.h"
#include "lutra/ops/int8_ops.h"
#include "lutra/ops/ops.h"
#include "platforms/common/inference_report.h"
#include "platforms/common/model_memory.h"
#include "platforms/common/report.h"
#include "platforms/common/semihosting.h"
#include "platforms/counter/marks.h"

namespace lutra::platforms {
namespace {

// The operators of TensorFlow Lite Micro's micro_speech: its preprocessor's, then its network's.
constexpr Op kOps[] = {kSignalWindow,
                       kReshape,
                       kSignalFftAutoScale,
                       kSignalRfft,
                       kSignalEnergy,
                       kCast,
                       kStridedSlice,
                       kConcatenation,
                       kSignalFilterBank,
                       kSignalFilterBankSquareRoot,
                       kSignalFilterBankSpectralSubtraction,
                       kSignalPcan,
                       kSignalFilterBankLog,
                       kMul,
                       kAdd,
                       kDiv,
                       kMinimum,
                       kMaximum,
                       kDepthwiseConv2DInt8Only,
                       kFullyConnectedInt8Only,
                       kSoftmaxInt8Only};

constexpr int32_t kStep = 320;  // Samples from one frame to the next.

// Returns samples as from a microphone.
class Audio {
 public:
  explicit Audio(uint64_t seed) : noise_(seed) {}

  void Read(int16_t* samples, int32_t count) {
    for (int32_t i = 0; i < count; ++i, ++time_) {
      uint8_t noise = 0;
      noise_.Fill(&noise, 1);
      // A triangle wave, faster with time.
      phase_ = static_cast<uint16_t>(phase_ + 1000 + time_ / 4);
      const int32_t tone = phase_ < 32768 ? phase_ - 16384 : 49152 - phase_;
      samples[i] = static_cast<int16_t>(tone / 2 + (noise - 128) * 16);
    }
  }

 private:
  host::SeededInput noise_;
  uint16_t phase_ = 0;
  int32_t time_ = 0;
};

int Refuse(const char* what) {
  ReportLine("refused").Text(what);
  return kExitBadInput;
}

// Reads a model to the front of `room`, which becomes the remaining memory.
bool LoadModel(const char* path, Span<uint8_t>* room, Model* model) {
  const intptr_t bytes = semihosting::ReadFile(path, room->data(), room->size());
  if (bytes <= 0) return false;
  Diagnosis diagnosis;
  if (Model::Load({room->data(), static_cast<size_t>(bytes)}, model, &diagnosis) != Status::kOk) return false;
  const size_t taken = (static_cast<size_t>(bytes) + 15) / 16 * 16;
  *room = taken < room->size() ? room->Subspan(taken, room->size() - taken) : Span<uint8_t>();
  return true;
}

// Computes the frames of one input of the network.
bool Preprocess(MicroInterpreter& preprocessor, uint64_t seed, const Tensor& features) {
  const Tensor input = preprocessor.input(0);
  const int32_t frame_samples = input.info.bytes / static_cast<int32_t>(sizeof(int16_t));
  const int32_t frame_features = preprocessor.output(0).info.bytes;
  static int16_t samples[1024];
  if (frame_samples < kStep || frame_samples > 1024 || features.info.bytes % frame_features != 0)
    return false;
  const int32_t frames = features.info.bytes / frame_features;
  Audio audio(seed);
  audio.Read(samples, frame_samples - kStep);
  for (int32_t frame = 0; frame < frames; ++frame) {
    audio.Read(samples + frame_samples - kStep, kStep);
    memcpy(input.data, samples, static_cast<size_t>(input.info.bytes));
    ReportLine("region").Text("preprocess").Number(frame);
    lutra_count_begin();
    const Status status = preprocessor.Invoke();
    lutra_count_end();
    if (status != Status::kOk) return false;
    memcpy(static_cast<uint8_t*>(features.data) + frame * frame_features, preprocessor.output(0).data,
           static_cast<size_t>(frame_features));
    memmove(samples, samples + kStep, static_cast<size_t>(frame_samples - kStep) * sizeof(int16_t));
  }
  return true;
}

int Main(int argument_count, char** arguments) {
  uint64_t seed = 1;
  if (argument_count < 3 || argument_count > 4 ||
      (argument_count == 4 && !ParseNumber(arguments[3], &seed))) {
    ReportLine("usage").Text("PREPROCESSOR NETWORK [SEED]");
    return kExitUsage;
  }
  Span<uint8_t> room = model_memory;
  Model preprocessor_model;
  Model network_model;
  if (!LoadModel(arguments[1], &room, &preprocessor_model)) return Refuse("preprocessor");
  if (!LoadModel(arguments[2], &room, &network_model)) return Refuse("network");
  MicroInterpreter preprocessor(preprocessor_model, kOps, arena_memory);
  if (preprocessor.AllocateTensors() != Status::kOk) return Refuse("preprocessor");
  // The network's input is filled while the preprocessor runs, so both need memory of their own.
  const size_t first = (preprocessor.memory().used_bytes + 15) / 16 * 16;
  MicroInterpreter measured(preprocessor_model, kOps, {arena_memory, first});
  if (measured.AllocateTensors() != Status::kOk) return Refuse("preprocessor");
  MicroInterpreter network(network_model, kOps, {arena_memory + first, sizeof arena_memory - first});
  if (network.AllocateTensors() != Status::kOk) return Refuse("network");
  ReportLine("arena").Bytes("given", sizeof arena_memory).Bytes("used", first + network.memory().used_bytes);
  if (preprocessor_model.inputs(0).count != 1 || network_model.inputs(0).count != 1 ||
      !Preprocess(measured, seed, network.input(0))) {
    return Refuse("features");
  }
  ReportLine("region").Text("network");
  lutra_count_begin();
  const Status status = network.Invoke();
  lutra_count_end();
  if (status != Status::kOk) return Refuse("network");
  for (int i = 0; i < network.output_count(); ++i) {
    const Tensor output = network.output(i);
    ReportLine("output").Number(i).Text("crc32").Hex(
        host::Crc32(static_cast<const uint8_t*>(output.data), static_cast<size_t>(output.info.bytes)));
  }
  return kExitOk;
}

}  // namespace
}  // namespace lutra::platforms

int main(int argc, char** argv) { return lutra::platforms::Main(argc, argv); }

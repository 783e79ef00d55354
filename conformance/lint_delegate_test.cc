// SPDX-License-Identifier: Apache-2.0
// Tests conformance lint --delegate on models packed in codecs that a delegate takes, and in others.

#include "compressor/model_editor.h"
#include "compressor/pack.h"
#include "host/output_file.h"
#include "host/testing/program.h"
#include "lutra/compression/format.h"

namespace lutra::conformance {
namespace {

// Packs the weights of FULLY_CONNECTED alone in a model for keyword spotting.
std::string Packed(const host::ScratchFolder& folder, DecodeType codec) {
  const host::ModelFile file = host::ReadModelFile(LUTRA_SOURCE_DIR "/models/kws_clustered.tflite");
  const auto packed = compressor::Pack(
      file, {.target = compressor::Target::kLutra, .codec = codec, .only = {"2"}, .min_saving = INT32_MIN});
  const std::string path = folder / "packed.tflite";
  host::WriteFileBytes(path, packed.file.data(), packed.file.size());
  return path;
}

TEST(LintDelegate, NamesTheNodesThatACodecKeepsFromADelegate) {
  const host::ScratchFolder folder;
  const std::string lint = "lint " + Packed(folder, DecodeType::kHuffman);
  const host::Outcome warned = host::RunProgram(lint + " --delegate example");
  EXPECT_EQ(warned.code, 0) << "a warning: " << warned.err;
  for (const char* const text :
       {"E-delegate-codec", "FULLY_CONNECTED", "codec huffman", "a codec that delegate example takes: lut",
        "the node runs on the CPU; compress pack --delegate keeps it the delegate's"}) {
    EXPECT_NE(warned.out.find(text), std::string::npos) << text << ": " << warned.out;
  }
  EXPECT_EQ(host::RunProgram(lint + " --delegate example --strict").code, 1);
  // VTA takes every codec; without --delegate no delegate is asked.
  for (const char* const options : {" --delegate vta --strict", " --strict"}) {
    const host::Outcome outcome = host::RunProgram(lint + options);
    EXPECT_EQ(outcome.out.find("E-delegate-codec"), std::string::npos) << outcome.out;
  }
  EXPECT_EQ(host::RunProgram(lint + " --delegate npu").code, 2);
  const host::Outcome taken =
      host::RunProgram("lint " + Packed(folder, DecodeType::kLut) + " --delegate example");
  EXPECT_EQ(taken.code, 0) << taken.err;
  EXPECT_EQ(taken.out.find("E-delegate-codec"), std::string::npos) << taken.out;
}

}  // namespace
}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Embed: writes the sources of a firmware that runs models, for a board's installed library.
//
//   const Firmware firmware = Embed({ReadModelFile("kws.tflite")}, {.board = "cortex-m4"});
//   WriteFolder("firmware", firmware);   // throws BadInput
//
// The arena is the smallest in which each model works, counted for the board: host/firmware.h. Models share
// it, one after the other.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/firmware.h"
#include "host/model_file.h"
#include "lutra/options.h"

namespace lutra::compressor {

struct EmbedOptions {
  std::string board = "32";  // One of host::BoardNames().
  MemoryPolicy policy = MemoryPolicy::kSmall;
  bool array = false;  // Models as C arrays instead of .incbin.
};

struct Firmware {
  std::map<std::string, std::string> files;  // By their names: model.h, main.cc...
  std::vector<std::string> operators;        // kConv2D
  size_t arena_bytes = 0;
  host::BoardOptions needs;
};

// Throws BadInput for a model that such a firmware would refuse, and for two models of one name.
Firmware Embed(const std::vector<host::ModelFile>& models, const EmbedOptions& options);

// Writes all files of the folder or none. Throws BadInput if the folder has a file that this function did not
// write, or cannot be written.
void WriteFolder(const std::string& folder, const Firmware& firmware);

}  // namespace lutra::compressor

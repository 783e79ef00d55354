// SPDX-License-Identifier: Apache-2.0
// The verb embed of the program `compress`.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "compressor/commands.h"
#include "compressor/embed.h"
#include "host/failures.h"
#include "host/firmware.h"
#include "host/printable.h"

namespace lutra::compressor {
namespace {

struct EmbedArguments {
  std::vector<std::string> models;
  std::string folder;
  std::string memory = "small";
  EmbedOptions options;
};

// The folder is replaced, and with it a model in it.
void RefuseModelInFolder(const std::string& model, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::equivalent(fs::weakly_canonical(model, error).parent_path(), folder, error)) return;
  throw host::BadUsage(
      fmt::format("{}: is read, and --output replaces its folder; name another folder", model));
}

void Run(EmbedArguments& line) {
  line.options.policy = line.memory == "fast" ? MemoryPolicy::kFast : MemoryPolicy::kSmall;
  std::vector<host::ModelFile> models;
  for (const std::string& path : line.models) RefuseModelInFolder(path, line.folder);
  for (const std::string& path : line.models) models.push_back(host::ReadModelFile(path));
  const Firmware firmware = Embed(models, line.options);
  WriteFolder(line.folder, firmware);
  std::vector<std::string> names;
  for (const auto& [name, text] : firmware.files) names.push_back(name);
  fmt::print("{}: {}\n  operators {}\n  arena {} bytes, {}, memory policy {}\n{}",
             host::Printable(line.folder), fmt::join(names, ", "), fmt::join(firmware.operators, ", "),
             firmware.arena_bytes, line.options.board == "32" ? "any board of 32 bits" : line.options.board,
             line.memory, host::LibraryText(firmware.needs));
}

}  // namespace

void AddEmbedCommand(CLI::App& app) {
  const auto line = std::make_shared<EmbedArguments>();
  CLI::App* const verb = app.add_subcommand("embed", "Write the sources of a firmware that runs the models");
  verb->footer(HelpFooter(
      R"(Example:
  compress embed models/kws.tflite -o firmware --platform cortex-m4

model.S (or model.c) with the models, model.h, model_ops.h with operators, arena and shapes, main.cc
and CMakeLists.txt, for a board's library (platforms/example/README.md). Several models share the
arena, one after the other. A file that was changed keeps the folder from being replaced, once its
first line is gone.)"));
  verb->add_option("MODEL", line->models, "One .tflite file or several")->required();
  verb->add_option("-o,--output", line->folder, "Folder to write")->required()->allow_extra_args(false);
  verb->add_option("--platform", line->options.board,
                   "Whose arena: a platform, or 32, which fits all of these")
      ->capture_default_str()
      ->check(CLI::IsMember(host::BoardNames()));
  verb->add_option("--memory", line->memory, "small: recompute multipliers at each run; fast: store them")
      ->capture_default_str()
      ->check(CLI::IsMember({"small", "fast"}));
  verb->add_flag("--array", line->options.array, "The models as C arrays, model.c, instead of .incbin");
  verb->callback([line] { Run(*line); });
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// unpack, convert, convert-uint8, align, strip: the same model in another form.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "compressor/commands.h"
#include "compressor/convert_uint8.h"
#include "compressor/pack.h"
#include "compressor/strip.h"
#include "compressor/unpack.h"
#include "host/output_file.h"

namespace lutra::compressor {
namespace {

struct UnpackArguments {
  std::string input;
  std::string output;
  std::string format;
};

CLI::App* Declare(CLI::App& app, const std::string& name, const std::string& help,
                  const std::shared_ptr<UnpackArguments>& line) {
  CLI::App* verb = app.add_subcommand(name, help);
  verb->add_option("IN", line->input, "Model")->required();
  verb->add_option("OUT", line->output, "Model to write")->required();
  return verb;
}

void Save(const host::OutputFile& output, const host::ModelFile& file, const Bytes& bytes,
          const std::string& what) {
  output.Write(bytes);
  fmt::print("{}: {} bytes become {}; {}\n", file.path, file.bytes.size(), bytes.size(), what);
}

}  // namespace

void AddUnpackCommand(CLI::App& app) {
  const auto line = std::make_shared<UnpackArguments>();
  Declare(app, "unpack", "Undo pack: the weights as they were", line)->callback([line] {
    const host::OutputFile output(line->output, line->input);
    const host::ModelFile file = host::ReadModelFile(line->input);
    const UnpackResult plain = Unpack(file);
    Save(output, file, plain.editor.Write(), fmt::format("{} tensors decoded", plain.entries.size()));
  });
}

void AddConvertCommand(CLI::App& app) {
  const auto line = std::make_shared<UnpackArguments>();
  CLI::App* verb = Declare(app, "convert", "From COMPRESSION_METADATA to TFLM_DECODE, or back", line);
  verb->add_option("--format", line->format, "decode or metadata (lookup tables only)")
      ->required()
      ->check(CLI::IsMember({"decode", "metadata"}));
  verb->callback([line] {
    const host::OutputFile output(line->output, line->input);
    const host::ModelFile file = host::ReadModelFile(line->input);
    const UnpackResult unpacked = Unpack(file);
    const host::ModelFile plain = LoadModel(unpacked.editor.Write(), file.path);
    PackOptions options;
    options.form = line->format == "decode" ? Form::kDecode : Form::kMetadata;
    options.target = Target::kLutra;  // Whatever the file holds already.
    options.placement = PlacementOf(file);
    options.spec = unpacked.entries;
    const PackResult packed = Pack(plain, options);
    for (const std::string& warning : packed.warnings) fmt::print(stderr, "compress: {}\n", warning);
    Save(output, file, packed.file,
         fmt::format("{} tensors in the {} form", unpacked.entries.size(), line->format));
  });
}

void AddConvertUint8Command(CLI::App& app) {
  struct Arguments : UnpackArguments {
    std::string per = "tensor";
    bool json = false;
  };
  const auto line = std::make_shared<Arguments>();
  CLI::App* verb = Declare(app, "convert-uint8", "From uint8, the scheme before int8, to int8", line);
  verb->add_option("--per", line->per, "The weights' scales: one for the tensor, or for each channel")
      ->capture_default_str()
      ->check(CLI::IsMember({"tensor", "channel"}));
  verb->add_flag("--json", line->json, "The report as JSON");
  verb->callback([line] {
    const host::OutputFile output(line->output, line->input);
    const Uint8Conversion converted =
        ConvertUint8(host::ReadModelFile(line->input),
                     line->per == "channel" ? WeightScales::kChannel : WeightScales::kTensor);
    output.Write(converted.file);
    if (line->json) return fmt::print("{}", ConversionJson(converted));
    fmt::print("{}: {} bytes become {}\n{}", converted.path, converted.bytes_before, converted.file.size(),
               ConversionTable(converted));
  });
}

void AddAlignCommand(CLI::App& app) {
  const auto line = std::make_shared<UnpackArguments>();
  Declare(app, "align", "Write the model again with every buffer at a multiple of 16", line)
      ->callback([line] {
        const host::OutputFile output(line->output, line->input);
        const host::ModelFile file = host::ReadModelFile(line->input);
        Save(output, file, ModelEditor(file).Write(), "aligned to 16");
      });
}

void AddStripCommand(CLI::App& app) {
  const auto line = std::make_shared<UnpackArguments>();
  Declare(app, "strip", "Remove names, descriptions and metadata that no runtime needs", line)
      ->callback([line] {
        const host::OutputFile output(line->output, line->input);
        const StripResult stripped = Strip(host::ReadModelFile(line->input));
        output.Write(stripped.file);
        fmt::print("{}", StripTable(stripped));
      });
}

}  // namespace lutra::compressor

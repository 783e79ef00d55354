// SPDX-License-Identifier: Apache-2.0
// The verbs unpack, convert, convert-uint8, align, strip, plan and trim write the same model in another form.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "compressor/commands.h"
#include "compressor/convert_uint8.h"
#include "compressor/pack.h"
#include "compressor/row_plan.h"
#include "compressor/strip.h"
#include "compressor/trim.h"
#include "compressor/unpack.h"
#include "host/firmware.h"
#include "host/output_file.h"
#include "host/printable.h"

namespace lutra::compressor {
namespace {

struct UnpackArguments {
  std::string input;
  std::string output;
  std::string format;
};

// `footer`: as HelpFooter takes it.
CLI::App* Declare(CLI::App& app, const std::string& name, const std::string& help, const std::string& footer,
                  const std::shared_ptr<UnpackArguments>& line) {
  CLI::App* verb = app.add_subcommand(name, help);
  verb->footer(HelpFooter(footer));
  verb->add_option("IN", line->input, "Model")->required();
  verb->add_option("OUT", line->output, "Model to write")->required();
  return verb;
}

void Save(const host::OutputFile& output, const host::ModelFile& file, const Bytes& bytes,
          const std::string& what) {
  output.Write(bytes);
  fmt::print("{}: {} bytes become {}; {}\n", host::Printable(file.path), file.bytes.size(), bytes.size(),
             what);
}

}  // namespace

void AddUnpackCommand(CLI::App& app) {
  const auto line = std::make_shared<UnpackArguments>();
  const char* const footer =
      R"(Example:
  compress unpack packed.tflite plain.tflite

Decodes the tensors of both forms, and takes out the operators and metadata that decoded them. Binned
weights stay binned. The file becomes as large as before pack.)";
  Declare(app, "unpack", "Undo pack: the weights as they were", footer, line)->callback([line] {
    const host::OutputFile output(line->output, line->input);
    const host::ModelFile file = host::ReadModelFile(line->input);
    const UnpackResult plain = Unpack(file);
    Save(output, file, plain.editor.Write(), fmt::format("{} tensors decoded", plain.entries.size()));
  });
}

void AddConvertCommand(CLI::App& app) {
  const auto line = std::make_shared<UnpackArguments>();
  const char* const footer =
      "Example:\n  compress convert packed.tflite metadata.tflite --format=metadata\n\n"
      "Both forms are those of pack. The same tensors stay compressed, each in its codec; metadata holds\n"
      "lookup tables only, so that a model with another codec is refused.";
  CLI::App* verb = Declare(app, "convert", "From COMPRESSION_METADATA to TFLM_DECODE, or back", footer, line);
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
    for (const std::string& warning : packed.warnings)
      fmt::print(stderr, "compress: {}\n", host::Printable(warning));
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
  const char* const footer =
      "Example:\n  compress convert-uint8 uint8.tflite int8.tflite --per=channel\n\n"
      "Activations move by 128, weights get a zero point of 0 and perhaps another scale, biases follow. The\n"
      "table says what that changes in each tensor, which is seldom nothing: compare with compress evaluate\n"
      "--reference.";
  CLI::App* verb = Declare(app, "convert-uint8", "From uint8, the scheme before int8, to int8", footer, line);
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
    fmt::print("{}: {} bytes become {}\n{}", host::Printable(converted.path), converted.bytes_before,
               converted.file.size(), ConversionTable(converted));
  });
}

void AddAlignCommand(CLI::App& app) {
  const auto line = std::make_shared<UnpackArguments>();
  const char* const footer =
      R"(Example:
  compress align in.tflite aligned.tflite

TensorFlow Lite Micro reads constants where they lie in the file, and int32 or float32 at other places
than multiples of 4 stop some processors.)";
  Declare(app, "align", "Write the model again with every buffer at a multiple of 16", footer, line)
      ->callback([line] {
        const host::OutputFile output(line->output, line->input);
        const host::ModelFile file = host::ReadModelFile(line->input);
        Save(output, file, ModelEditor(file).Write(), "aligned to 16");
      });
}

void AddStripCommand(CLI::App& app) {
  struct Arguments : UnpackArguments {
    bool keep_names = false, keep_bias_scales = false;
  };
  const auto line = std::make_shared<Arguments>();
  const char* const footer =
      R"(Example:
  compress strip in.tflite stripped.tflite

Names of the graph's inputs and outputs, signatures and what changes results stay; outputs are the
same, byte for byte. compress pack --strip does it, too, and chooses codecs for the stripped file.
Scales and zero points of biases go where this runtime, TensorFlow Lite Micro and LiteRT's reference
kernels take biases without. Those of XNNPACK do not take such a layer, and leave it to LiteRT's own:
--keep-bias-scales. Bin before: compress bin weighs what it does to biases by their scales.)";
  CLI::App* verb =
      Declare(app, "strip", "Remove names, descriptions and metadata that no runtime needs", footer, line);
  verb->add_flag("--keep-names", line->keep_names, "Names and descriptions stay");
  verb->add_flag("--keep-bias-scales", line->keep_bias_scales, "Scales and zero points of biases stay");
  verb->callback([line] {
    const host::OutputFile output(line->output, line->input);
    const StripResult stripped =
        Strip(host::ReadModelFile(line->input),
              {.names = !line->keep_names, .bias_quantization = !line->keep_bias_scales});
    output.Write(stripped.file);
    fmt::print("{}", StripTable(stripped));
  });
}

void AddPlanCommand(CLI::App& app) {
  struct Arguments : UnpackArguments {
    RowPlanOptions options;
    bool json = false;
  };
  const auto line = std::make_shared<Arguments>();
  const char* const footer =
      R"(Example:
  compress plan in.tflite planned.tflite

Operators of a group run together, row by row, so that what lies between them takes a few rows. The
groups and the tensors' places become the metadata LUTRA_PLAN; outputs are the same, byte for byte. A
runtime that does not know it runs the file as before.

With --tables the metadata has multiplier and shift of each channel, too, 8 bytes: a device reads them
in flash, in place of keeping them in its arena (policy fast) or making them at each inference (small).

Without --platform the plan is for kernels that need no scratch, as the reference kernels. It runs on
every platform, but where kernels need more the device may find other places for tensors.)";
  CLI::App* verb = Declare(app, "plan", "Plan groups of operators for less activation memory", footer, line);
  verb->add_option("--longest", line->options.longest, "The most operators in a group")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  verb->add_flag("--tables", line->options.tables, "Also store the multipliers of channels");
  verb->add_option(
          "--platform", line->options.board,
          "Leave out groups that do not make the arena of this platform smaller, and say what it takes: "
          "cortex-m4; 32: any of 32 bits")
      ->check(CLI::IsMember(host::BoardNames()));
  verb->add_option(
          "--arena-bytes", line->options.most_arena_bytes,
          "The fewest operators in groups with which --platform's arena is at most so large; without: the "
          "smallest arena")
      ->check(CLI::Range(int64_t{1}, int64_t{INT32_MAX}));
  verb->add_flag("--json", line->json, "The report as JSON");
  verb->callback([line] {
    if (line->options.most_arena_bytes > 0 && line->options.board.empty())
      throw host::BadUsage("--arena-bytes: found no --platform, required: whose arena it is");
    const host::OutputFile output(line->output, line->input);
    const RowPlanResult planned = PlanRows(host::ReadModelFile(line->input), line->options);
    output.Write(planned.file);
    fmt::print("{}", line->json ? RowPlanJson(planned) : RowPlanTable(planned));
  });
}

void AddTrimCommand(CLI::App& app) {
  struct Arguments : UnpackArguments {
    bool report = false;
    bool json = false;
  };
  const auto line = std::make_shared<Arguments>();
  const char* const footer =
      R"(Example:
  compress trim in.tflite trimmed.tflite --report

A channel goes if no input of the model can change it, by bounds from layer to layer; what it gives to
later layers becomes a part of their biases. Channels that nothing reads go, too. Outputs are the same,
byte for byte, with double, single and XNNPACK's rounding. A model without such channels comes out as it
is. Run it before bin, pack, auto and plan.)";
  CLI::App* verb = Declare(app, "trim", "Remove channels that decide nothing", footer, line);
  verb->add_flag("--report", line->report, "Print what each layer lost, and why the rest stays");
  verb->add_flag("--json", line->json, "The report as JSON");
  verb->callback([line] {
    const host::OutputFile output(line->output, line->input);
    const TrimResult trimmed = Trim(host::ReadModelFile(line->input));
    output.Write(trimmed.file);
    fmt::print("{}", line->json ? TrimJson(trimmed) : line->report ? TrimTable(trimmed) : TrimLine(trimmed));
  });
}

}  // namespace lutra::compressor

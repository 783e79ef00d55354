// SPDX-License-Identifier: Apache-2.0
// compress pack, and the command line without a verb that TFLM's tool has.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "compressor/commands.h"
#include "compressor/pack.h"
#include "delegates/delegates.h"
#include "delegates/taken_nodes.h"
#include "host/output_file.h"
#include "host/printable.h"
#include "lutra/node_info.h"

namespace lutra::compressor {
struct PackArguments {
  std::string input;
  std::string output;
  std::string spec;
  std::string format = "decode";
  std::string target = "tflm";
  std::string codec = "auto";
  std::string write_spec;
  std::string report;
  std::string delegate;
  std::string delegate_options;
  bool no_strip = false;
  bool keep_names = false;
  bool json = false;
  PackOptions options;
};

namespace {

std::vector<std::string> CodecNames() {
  std::vector<std::string> names;
  for (const CodecFacts& codec : AllCodecs()) names.emplace_back(codec.name);
  std::sort(names.begin(), names.end());
  names.insert(names.begin(), "auto");
  return names;
}

const CodecFacts& CodecOf(const std::string& name) {
  return *std::find_if(AllCodecs().begin(), AllCodecs().end(),
                       [&name](const CodecFacts& codec) { return codec.name == name; });
}

constexpr char kFooter[] =
    R"(Example:
  compress pack binned.tflite compressed.tflite --spec=spec.yaml

Lossless; nothing is binned (compress bin does that before). decode, the default form, puts a TFLM_DECODE
operator before each consumer: any operator can follow it, no build flag is needed, and it holds every
codec. metadata is TFLM's older form: lookup tables only, and only for FULLY_CONNECTED, CONV_2D,
DEPTHWISE_CONV_2D, TRANSPOSE_CONV, CONCATENATION and ASSIGN_VARIABLE; its files are a little smaller.
Without a spec every tensor is compressed that makes the file smaller, with the codec that makes it
smallest. A tensor T is an index (3, 1:3), a name, a pattern (conv*) or op:TYPE.)";

void DeclareOptions(CLI::App& app, PackArguments* line) {
  const std::string choice = "Choice";
  app.add_option("--spec", line->spec, "Compress what this YAML file lists")->group(choice);
  app.add_option("--only", line->options.only, "Compress this tensor T (repeatable)")
      ->allow_extra_args(false)
      ->group(choice);
  app.add_option("--exclude", line->options.exclude, "Leave this tensor T as it is (repeatable)")
      ->allow_extra_args(false)
      ->group(choice);
  app.add_option("--min-saving", line->options.min_saving,
                 "Bytes by which a tensor must make the file smaller")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{1}, INT64_MAX))
      ->group(choice);
  app.add_option("--codec", line->codec, "How to store them; auto takes the smallest")
      ->capture_default_str()
      ->check(CLI::IsMember(CodecNames()))
      ->group(choice);
  app.add_option("--delegate", line->delegate,
                 "What its nodes read is compressed as it can take it, or not. " + delegates::DelegateHelp())
      ->group(choice);
  app.add_option("--delegate-options", line->delegate_options, "Options of the delegate: k=v,...")
      ->group(choice);
  const std::string file = "File";
  app.add_option("--format", line->format, "decode or metadata")
      ->capture_default_str()
      ->check(CLI::IsMember({"decode", "metadata"}))
      ->group(file);
  app.add_option("--target", line->target, "tflm: only what TFLM reads; lutra: every codec")
      ->capture_default_str()
      ->check(CLI::IsMember({"tflm", "lutra"}))
      ->group(file);
  CLI::Option* strip = app.add_flag("--strip", line->options.strip,
                                    "Leave out what no runtime needs, as compress strip does; the default of "
                                    "--target=lutra")
                           ->group(file);
  CLI::Option* no_strip =
      app.add_flag("--no-strip", line->no_strip, "Leave out nothing")->group(file)->excludes(strip);
  app.add_flag("--keep-names", line->keep_names, "Strip all but names and descriptions")
      ->group(file)
      ->excludes(no_strip);
  const std::string output = "Output";
  app.add_option("--write-spec", line->write_spec, "Write the YAML that makes this file again")
      ->group(output);
  app.add_option("--report", line->report, "Also write the report as JSON")->group(output);
  app.add_flag("--json", line->json, "Print the report as JSON")->group(output);
}

// Returns the constants that nodes of delegates read. If several nodes read one, all must take it.
std::map<TensorId, PackOptions::TakenBy> ReadByDelegates(const Model& model,
                                                         const delegates::ChosenDelegates& chosen) {
  std::map<TensorId, PackOptions::TakenBy> read;
  if (chosen.empty()) return read;
  for (const auto& [index, number] : delegates::TakenNodes(model, chosen.tables())) {
    const Delegate& delegate = *chosen.tables()[number];
    const NodeInfo node = model.node(0, index);
    for (int i = 0; i < node.inputs.count; ++i) {
      const int32_t tensor = node.inputs[i];
      if (tensor < 0 || !model.tensor(0, tensor).is_constant()) continue;
      const PackOptions::TakenBy taken = {delegate.Name(delegate.state), delegate.compressed};
      const auto [place, is_new] = read.emplace(TensorId{0, tensor}, taken);
      if (is_new) continue;
      CodecSet both;
      for (const CodecFacts& codec : AllCodecs()) {
        const bool all = place->second.codecs.Contains(codec.type) && taken.codecs.Contains(codec.type);
        if (all) both.Add(codec.type);
      }
      place->second.codecs = both;
    }
  }
  return read;
}

void RunPack(PackArguments line) {
  line.options.form = line.format == "decode" ? Form::kDecode : Form::kMetadata;
  line.options.target = line.target == "tflm" ? Target::kTflm : Target::kLutra;
  line.options.placement = PlacementFor(line.options.target);
  const bool strips_by_default = line.options.target == Target::kLutra && !line.no_strip;
  line.options.strip = line.options.strip || line.keep_names || strips_by_default;
  line.options.stripping.names = !line.keep_names;
  if (line.codec != "auto") {
    const CodecFacts& codec = CodecOf(line.codec);
    line.options.codec = codec.type;
    if (!codec.read_by_tflm && line.options.target == Target::kTflm) {
      throw CLI::ValidationError(fmt::format("--codec={} is not for TFLM; add --target=lutra", line.codec));
    }
    if (line.options.form == Form::kMetadata && codec.type != kMetadataCodec) {
      throw CLI::ValidationError(
          fmt::format("--format=metadata holds lookup tables only, not {}", line.codec));
    }
  }
  if (!line.spec.empty()) {
    const bool chosen = !line.options.only.empty() || !line.options.exclude.empty() || line.codec != "auto";
    if (chosen) throw CLI::ValidationError("--spec says it all: leave out --only, --exclude and --codec");
    line.options.spec = ReadSpec(line.spec);
  }
  const delegates::ChosenDelegates chosen(line.delegate, line.delegate_options);
  const host::OutputFile output(line.output, line.input);
  const host::OutputFile spec(line.write_spec), report(line.report);
  const host::ModelFile model = host::ReadModelFile(line.input);
  line.options.delegated = ReadByDelegates(model.model, chosen);
  const PackResult result = Pack(model, line.options);
  for (const std::string& warning : result.warnings)
    fmt::print(stderr, "compress: {}\n", host::Printable(warning));
  output.Write(result.file);
  if (spec.wanted()) spec.Write(PackSpec(result));
  if (report.wanted()) report.Write(PackJson(result));
  fmt::print("{}", line.json ? PackJson(result) : PackTable(result));
}

}  // namespace

struct PackWithoutVerb::Arguments : PackArguments {};

PackWithoutVerb::PackWithoutVerb(CLI::App& app) : app_(app), arguments_(std::make_unique<Arguments>()) {
  app.add_option("--input", arguments_->input, "Model")->group("TFLM's line, the same as pack");
  app.add_option("--output", arguments_->output, "Model to write")->group("TFLM's line, the same as pack");
  DeclareOptions(app, arguments_.get());
  CLI::App* verb = app.add_subcommand("pack", "Compress constants, lossless");
  verb->footer(HelpFooter(kFooter));
  const auto line = std::make_shared<PackArguments>();
  verb->add_option("IN", line->input, "Model")->required();
  verb->add_option("OUT", line->output, "Model to write")->required();
  DeclareOptions(*verb, line.get());
  verb->callback([line] { RunPack(*line); });
  // This runs before the verb's own callback.
  app.parse_complete_callback([&app] {
    if (app.get_subcommands().empty()) return;
    for (const CLI::Option* option : app.get_options()) {
      if (option->count() == 0) continue;
      throw CLI::ValidationError(
          fmt::format("{} stands without a verb; leave it out, or give it behind {} if that has it",
                      option->get_name(), app.get_subcommands().front()->get_name()));
    }
  });
}

PackWithoutVerb::~PackWithoutVerb() = default;

void PackWithoutVerb::Run() {
  if (!app_.get_subcommands().empty()) return;
  if (arguments_->input.empty() || arguments_->output.empty()) {
    throw CLI::ValidationError("either a verb, or --input and --output");
  }
  RunPack(*arguments_);
}

}  // namespace lutra::compressor

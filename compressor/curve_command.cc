// SPDX-License-Identifier: Apache-2.0
// compress curve: quality and bytes for each number of bits.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "compressor/bin_options.h"
#include "compressor/commands.h"
#include "compressor/curve.h"
#include "host/compression_fields.h"
#include "host/csv.h"
#include "host/printable.h"
#include "host/progress.h"
#include "host/wrap.h"

namespace lutra::compressor {
namespace {

struct CurveArguments {
  std::string input;
  std::string format = "table";
  BinOptions options;
};

struct TensorCurve {
  BinCandidate candidate;
  std::vector<CurvePoint> points;
};

struct CurveReport {
  std::string model;
  std::vector<TensorCurve> tensors;
};

template <typename Archive>
void Fields(Archive& archive, const TensorCurve& curve) {
  const host::ConstantPlace place = PlaceOf(curve.candidate);
  PlaceFields(archive, place);
  archive("original_bytes", curve.points[0].size.original_bytes);
  archive("points", curve.points);
}

template <typename Archive>
void Fields(Archive& archive, const CurveReport& report) {
  archive("schema_version", host::kResultSchemaVersion);
  archive("model", report.model);
  archive("tensors", report.tensors);
}

std::string QsnrText(const CurvePoint& point, const char* lossless) {
  return std::isinf(point.qsnr_db) ? lossless : fmt::format("{:.2f}", point.qsnr_db);
}

std::string WriteTable(const std::vector<TensorCurve>& curves) {
  std::string text;
  for (const TensorCurve& curve : curves) {
    const BinCandidate& candidate = curve.candidate;
    text +=
        host::Wrapped(fmt::format("tensor {} \"{}\", step {} ({}), {} bytes\n", ToText(candidate.id),
                                  host::Printable(candidate.name), candidate.step,
                                  host::Printable(candidate.op_name), curve.points[0].size.original_bytes),
                      2);
    text += fmt::format("{:>6} {:>10} {:>10} {:>12} {:>7}\n", "bits", "QSNR dB", "bytes", "of original",
                        "sparse");
    for (const CurvePoint& point : curve.points) {
      const LutSize& size = point.size;
      text += fmt::format(
          "{:>6} {:>10} {:>10} {:>10.1f} % {:>7}\n", point.bits, QsnrText(point, "lossless"),
          size.total_bytes,
          100.0 * static_cast<double>(size.total_bytes) / static_cast<double>(size.original_bytes),
          size.sparse ? "yes" : "no");
    }
  }
  return text;
}

std::string WriteCsv(const std::vector<TensorCurve>& curves) {
  std::string text = "subgraph,index,name,bits,qsnr_db,bytes,original_bytes,sparse\n";
  for (const TensorCurve& curve : curves) {
    const std::string name = host::CsvField(curve.candidate.name);
    for (const CurvePoint& point : curve.points) {
      text += fmt::format("{},{},{},{},{},{},{},{}\n", curve.candidate.id.subgraph, curve.candidate.id.tensor,
                          name, point.bits, QsnrText(point, "inf"), point.size.total_bytes,
                          point.size.original_bytes, point.size.sparse ? 1 : 0);
    }
  }
  return text;
}

void Run(const CLI::App& verb, const CurveArguments& line) {
  BinSettings settings;
  ApplyTo(verb, line.options, &settings);
  const host::ModelFile file = host::ReadModelFile(line.input);
  std::vector<TensorCurve> curves;
  {
    host::Progress progress("Curves");
    const auto chosen = ChooseTensors(ModelEditor(file), BinCandidates(file.model), line.options);
    for (const BinCandidate& candidate : chosen) {
      progress.Update(static_cast<int64_t>(curves.size()), static_cast<int64_t>(chosen.size()));
      try {
        const TensorInfo tensor = file.model.tensor(candidate.id.subgraph, candidate.id.tensor);
        curves.push_back({candidate, QsnrCurve(tensor, settings)});
      } catch (const std::invalid_argument& refusal) {
        throw host::BadInput(DescribeBinRefusal(file.path, candidate.id, candidate.name, refusal.what()));
      }
    }
  }
  fmt::print("{}", line.format == "json"  ? host::JsonText(host::ToJson(CurveReport{file.path, curves}), 1)
                   : line.format == "csv" ? WriteCsv(curves)
                                          : WriteTable(curves));
}

}  // namespace

void AddCurveCommand(CLI::App& app) {
  const auto line = std::make_shared<CurveArguments>();
  CLI::App* verb = app.add_subcommand("curve", "Bits of binned weights against their quality and bytes");
  verb->footer(HelpFooter(
      R"(Example:
  compress curve in.tflite --tensor=op:CONV_2D

For each tensor what `compress bin` would give at 1 to 8 bits: QSNR (see `compress bin --help`) and the
bytes of indices and tables.)"));
  verb->add_option("IN", line->input, "Model")->required();
  AddBinOptions(*verb, &line->options);
  verb->add_option("--format", line->format, "What to print")
      ->capture_default_str()
      ->check(CLI::IsMember({"table", "json", "csv"}))
      ->group("Output");
  verb->callback([verb, line] { Run(*verb, *line); });
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Shows what compression saves, and what it costs.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/scores.h"
#include "reports/models.h"
#include "reports/pareto_picture.h"
#include "reports/sensitivity_picture.h"

namespace lutra::reports {
namespace {

constexpr char kDecodeOperator[] = "TFLM_DECODE";

Cell ShareCell(Figure part, Figure whole) {
  if (!part || !whole || *whole == 0) return TextCell("-", Tone::kQuiet);
  return TextCell(Percent(static_cast<double>(*part) / static_cast<double>(*whole)));
}

std::string Codecs(const host::DecompressionResult& decompression) {
  std::map<std::string, int> counts;
  for (const host::DecodedTensorResult& tensor : decompression.tensors) ++counts[tensor.codec];
  std::string text;
  for (const auto& [codec, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, codec);
  return text;
}

std::vector<std::string> TensorDetails(const host::DecompressionResult& decompression) {
  std::vector<std::string> lines;
  for (const host::DecodedTensorResult& t : decompression.tensors) {
    lines.push_back(fmt::format("{}: {}, {} bytes{}", t.name, t.codec, Grouped(t.bytes),
                                t.ns ? ", " + Duration(*t.ns) : ""));
  }
  return lines;
}

// Returns any uncompressed run of the group: its file is the one that was compressed, with the same outputs.
const host::ModelResult* PlainModelOf(const Model& model, const std::vector<Model>& models) {
  for (const Model& other : models) {
    if (other.group == model.group && !other.compressed) return other.runs.front().run;
  }
  return nullptr;
}

std::vector<Cell> FileRow(const Model& model, const std::vector<Model>& models) {
  const host::ModelResult& run = *model.runs.front().run;
  const host::ModelResult* plain = PlainModelOf(model, models);
  const Figure before = plain != nullptr ? Figure(plain->bytes) : Figure();
  Cell tensors = TextCell(Codecs(*run.decompression));
  tensors.details = TensorDetails(*run.decompression);
  return {TextCell(model.name),
          NumberCell(before),
          NumberCell(run.bytes),
          ShareCell(run.bytes, before),
          plain != nullptr ? TextCell("lossless: outputs equal", Tone::kGood) : TextCell("-", Tone::kQuiet),
          tensors};
}

// Returns the cost of operators that only decode; empty if other operators decode.
Figure DecodeCost(const host::ModelResult& run, Figure (*cost_of)(const host::OperatorResult& op)) {
  Figure sum;
  for (const host::OperatorResult& op : run.op_results) {
    if (op.type != kDecodeOperator) continue;
    if (const Figure cost = cost_of(op)) sum = sum.value_or(0) + *cost;
  }
  return sum;
}

Figure InstructionsOf(const host::OperatorResult& op) { return op.counts.instructions; }
Figure TimeOf(const host::OperatorResult& op) { return op.median_ns; }

// Shows how many more (or fewer) instructions it takes than the uncompressed model; without counts, how much
// more time.
Cell MoreCell(const host::ModelResult& run, const host::ModelResult* plain) {
  if (plain == nullptr) return TextCell("-", Tone::kQuiet);
  const bool counted = Instructions(run) && Instructions(*plain);
  const Figure is = counted ? Instructions(run) : run.inference.median_ns;
  const Figure was = counted ? Instructions(*plain) : plain->inference.median_ns;
  if (!is || !was || *was == 0) return TextCell("-", Tone::kQuiet);
  const int64_t more = *is - *was;
  Cell cell = TextCell(fmt::format("{:+.1f} %", 100 * static_cast<double>(more) / static_cast<double>(*was)));
  cell.exact = std::to_string(more);
  cell.unit = counted ? "instructions" : "ns";
  return cell;
}

Table CostTable(const Model& model, const std::vector<Model>& models) {
  Table table = {.title = model.name + ": decoding in one inference",
                 .columns = {"Platform", "Kernels", "Decoding: instructions", "Decoding: time", "Share",
                             "Inference against uncompressed"},
                 .rows = {},
                 .folded = true};
  for (const RunOfModel& r : model.runs) {
    const host::ModelResult& run = *r.run;
    const Figure counted = run.decompression->counts.instructions;
    const Figure instructions = counted ? counted : DecodeCost(run, InstructionsOf);
    const Figure measured = run.decompression->total_ns;
    const Figure time = measured ? measured : DecodeCost(run, TimeOf);
    Cell share = ShareCell(instructions, Instructions(run));
    if (!instructions && !measured) share = ShareCell(time, run.inference.median_ns);
    if (run.decompression->share) share = TextCell(Percent(*run.decompression->share));
    table.rows.push_back({TextCell(r.platform), TextCell(r.setting), NumberCell(instructions, "instructions"),
                          DurationCell(time), share,
                          MoreCell(run, PlainRunOf(model, r, run.kernels, models))});
  }
  return table;
}

// Rows are platforms, columns are compressed models.
Table OverheadTable(const std::vector<Model>& models, const std::vector<std::string>& platforms) {
  Table table = {.title = "What decoding adds to one inference, against the uncompressed model",
                 .columns = {"Platform"}};
  for (const std::string& platform : platforms) table.rows.push_back({TextCell(platform)});
  for (const Model& model : models) {
    if (!model.compressed) continue;
    table.columns.push_back(model.name);
    for (size_t i = 0; i < platforms.size(); ++i) {
      Cell cell = TextCell("-", Tone::kQuiet);
      for (const RunOfModel& r : model.runs) {
        if (r.platform == platforms[i]) cell = MoreCell(*r.run, PlainRunOf(model, r, r.run->kernels, models));
      }
      table.rows[i].push_back(cell);
    }
  }
  std::erase_if(table.rows, [](const auto& row) {
    return std::all_of(row.begin() + 1, row.end(), [](const Cell& cell) { return cell.text == "-"; });
  });
  return table;
}

std::string Decibel(double value) { return fmt::format("{:.2f} dB", value); }

// Shows the quality of a model's worst tensor; "lossless" if nothing was lost.
Cell QsnrCell(const CompressionReport& report) {
  double least = std::numeric_limits<double>::infinity();
  for (const CompressedTensor& t : report.tensors) {
    if (!t.is_moved) least = std::min(least, t.qsnr_db.value_or(least));
  }
  if (least == std::numeric_limits<double>::infinity()) return TextCell("lossless", Tone::kGood);
  return TextCell(Decibel(least));
}

Table ReportTable(const CompressionReport& report) {
  Table table = {
      .title = report.model + ": tensors as compress reports them",
      .columns = {"Tensor", "Codec", "Bits of an index", "Before", "After", "After / before", "QSNR"},
      .rows = {},
      .folded = true};
  for (const CompressedTensor& t : report.tensors) {
    table.rows.push_back({TextCell(t.name), TextCell(t.codec), NumberCell(t.bits, "bits"),
                          NumberCell(t.before), NumberCell(t.after), ShareCell(t.after, t.before),
                          t.is_moved  ? TextCell("moved")
                          : t.qsnr_db ? TextCell(Decibel(*t.qsnr_db))
                                      : TextCell("lossless", Tone::kGood)});
  }
  return table;
}

// Adds the answers that compress auto reports, on the samples on which it fitted and on others.
void AddAnswers(const CompressionReport& report, Table* table) {
  const auto value = [&](double value, const std::optional<host::Interval>& interval) {
    const std::string text = MetricText(report.metric, value);
    return interval ? fmt::format("{} ({} to {})", text, MetricText(report.metric, interval->low),
                                  MetricText(report.metric, interval->high))
                    : text;
  };
  const auto add = [&](const host::AnswerChange& change, const std::string& samples) {
    table->rows.push_back(
        {TextCell(report.model), TextCell(samples), TextCell(Grouped(change.count)), TextCell(report.metric),
         TextCell(value(change.value_before, change.interval_before)),
         TextCell(value(change.value_after, change.interval_after)),
         change.lost ? TextCell(Grouped(*change.lost), change.lost == 0 ? Tone::kGood : Tone::kPlain)
                     : TextCell("-", Tone::kQuiet)});
  };
  if (report.fitted) add(*report.fitted, "fitted on");
  if (report.held_out) add(*report.held_out, "held out");
}

Cell FileCell(const std::string& how, const std::string& file) {
  Cell text = TextCell(how);
  std::string line;
  for (const char c : file + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    text.details.push_back(line);
    line.clear();
  }
  return text;
}

Table SettingsTable(const CompressionReport& report) {
  Table table = {.title = report.model + ": the files that make it again",
                 .columns = {"Model", "File"},
                 .rows = {{TextCell(report.model), FileCell("compress bin --settings", report.settings)}},
                 .folded = true};
  if (!report.spec.empty()) {
    table.rows.push_back({TextCell(report.model), FileCell("then compress pack --spec", report.spec)});
  }
  return table;
}

void AddReports(const std::vector<ResultFile>& files, Section* section) {
  Table answers = {.title = "Answers before and after, as compress auto reports them",
                   .columns = {"Model", "Samples", "Count", "Metric", "Before (95 % confidence)",
                               "After (95 % confidence)", "No longer right"}};
  Table table = {.title = "Models as compress reports them, in bytes",
                 .columns = {"Model", "Of", "Before", "After", "After / before", "Lowest QSNR", "Tensors"}};
  std::vector<Table> tensors;
  for (const ResultFile& file : files) {
    if (!file.compression) continue;
    const CompressionReport& report = *file.compression;
    table.rows.push_back({TextCell(report.model), TextCell(report.of_file ? "the file" : "the tensors"),
                          NumberCell(report.before), NumberCell(report.after),
                          ShareCell(report.after, report.before), QsnrCell(report),
                          TextCell(Grouped(static_cast<int64_t>(report.tensors.size())))});
    tensors.push_back(ReportTable(report));
    AddAnswers(report, &answers);
    if (!report.settings.empty()) tensors.push_back(SettingsTable(report));
    if (report.pareto.size() > 1) {
      section->pictures.push_back({report.model + ": bytes of the file against " + report.metric,
                                   ParetoSvg(report.pareto, report.metric)});
    }
    if (!report.sensitivity.empty()) {
      section->pictures.push_back(
          {report.model + ": error of each tensor alone at each width", SensitivitySvg(report.sensitivity)});
    }
  }
  if (table.rows.empty()) return;
  section->tables.push_back(std::move(table));
  if (!answers.rows.empty()) section->tables.push_back(std::move(answers));
  section->tables.insert(section->tables.end(), tensors.begin(), tensors.end());
}

}  // namespace

Section CompressionSection(const std::vector<ResultFile>& files) {
  Section section = {
      .id = "compression",
      .title = "Compression",
      .text =
          "Before: the uncompressed model among these results that does the same work with the same "
          "outputs. Decoding happens in each inference or (at-init) once before; its instructions are known"
          " where operators of their own decode. QSNR: power of the weights over that of their error; more "
          "is better."};
  const std::vector<Model> models = Models(files);
  Table table = {.title = "Compressed models, in bytes",
                 .columns = {"Model", "Before", "After", "After / before", "Loss", "Tensors"}};
  std::vector<Table> costs;
  for (const Model& model : models) {
    if (!model.compressed) continue;
    table.rows.push_back(FileRow(model, models));
    costs.push_back(WithoutEmptyColumns(CostTable(model, models)));
  }
  if (!table.rows.empty()) section.tables.push_back(std::move(table));
  Table overhead = OverheadTable(models, Platforms(files));
  if (!overhead.rows.empty()) section.tables.push_back(std::move(overhead));
  section.tables.insert(section.tables.end(), costs.begin(), costs.end());
  AddReports(files, &section);
  return section;
}

}  // namespace lutra::reports

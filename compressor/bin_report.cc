// SPDX-License-Identifier: Apache-2.0
// Reports what bin did, as a table and as JSON.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "compressor/bin_model.h"
#include "host/compression_fields.h"
#include "host/printable.h"
#include "host/wrap.h"

namespace lutra::compressor {
namespace {

std::string PercentText(int64_t part, int64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

constexpr size_t kLongestName = 28;

// nntool does not count tensors that do not become smaller.
bool CountsInTotal(const BinRow& row) { return row.applied || row.settings.rules == nullptr; }

const char* YesNo(bool value) { return value ? "yes" : "no"; }

// Right-aligns columns under their heads; the second column is text.
std::string Columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t c = 0; c < row.size(); ++c) {
      line +=
          c == 1 ? fmt::format("{:<{}}  ", row[c], widths[c]) : fmt::format("{:>{}}  ", row[c], widths[c]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace

host::ConstantPlace PlaceOf(const BinCandidate& candidate) {
  return {candidate.id.subgraph, candidate.id.tensor, candidate.name, candidate.step, candidate.op_name};
}

std::string QsnrText(double qsnr_db, bool is_moved) {
  return std::isinf(qsnr_db) ? "lossless" : is_moved ? "moved" : fmt::format("{:.2f}", qsnr_db);
}

namespace {

// The sums of a report's rows, as the file stores them and as nntool's table counts.
struct Totals {
  int64_t original_bytes = 0, compressed_bytes = 0;
  NntoolCount nntool;
  bool has_nntool = false;

  void Add(const BinRow& row) {
    if (CountsInTotal(row)) {
      original_bytes += row.binned.size.original_bytes;
      compressed_bytes += row.compressed_bytes();
    }
    has_nntool = has_nntool || row.settings.rules != nullptr;
    if (!row.nntool) return;
    nntool.original_bytes += row.nntool->original_bytes;
    nntool.compressed_bytes += row.nntool->compressed_bytes;
    nntool.original_bytes_in_total += row.nntool->original_bytes_in_total;
  }
};

std::string ReasonOf(const BinCandidate& left_out) {
  const std::string& reason = left_out.reason.empty() ? left_out.left_out_by_default : left_out.reason;
  return reason.empty() ? "not chosen" : reason;
}

std::string NntoolNotes(const BinReport& report, const Totals& totals) {
  std::string notes;
  for (const BinRow& row : report.rows) {
    if (!row.nntool || !row.nntool->is_added_into_bias) continue;
    notes += fmt::format(
        "nntool's figures: {} is added to a bias of zeros, so nntool makes it the bias, of 4 bytes for a "
        "value\n",
        host::Printable(row.candidate.name));
  }
  return notes +
         fmt::format(
             "nntool's figures: its last line counts 1 byte for a value of a bias, {} in all; at 4 bytes "
             "they are {}\n",
             totals.nntool.original_bytes_in_total, totals.nntool.original_bytes);
}

}  // namespace

std::string WriteBinTable(const BinReport& report) {
  std::vector<std::vector<std::string>> sizes = {
      {"step", "name", "shape", "original B", "binned B", "of it"}};
  std::vector<std::vector<std::string>> rows = {
      {"step", "settings", "bits", "tables", "QSNR dB", "sparse", "enabled"}};
  std::vector<std::vector<std::string>> nntool = {{"step", "nntool's: original B", "compressed B"}};
  Totals totals;
  for (const BinRow& row : report.rows) totals.Add(row);
  std::string notes;
  for (const BinRow& row : report.rows) {
    const BinCandidate& candidate = row.candidate;
    const LutSize& size = row.binned.size;
    sizes.push_back({std::to_string(candidate.step), host::ShortName(candidate.name, kLongestName),
                     fmt::format("{}", fmt::join(row.shape, "x")), std::to_string(size.original_bytes),
                     std::to_string(size.total_bytes), PercentText(size.total_bytes, size.original_bytes)});
    rows.push_back({std::to_string(candidate.step), Describe(row.settings),
                    fmt::format("{} of {}", row.binned.bits, row.element_bits),
                    std::to_string(row.binned.tables), QsnrText(row.binned.qsnr_db, row.is_moved()),
                    YesNo(size.sparse), YesNo(row.applied)});
    nntool.push_back({std::to_string(candidate.step),
                      row.nntool ? std::to_string(row.nntool->original_bytes) : "-",
                      row.nntool ? std::to_string(row.nntool->compressed_bytes) : "-"});
    if (!row.applied)
      notes += fmt::format("kept as it was: {}: {}\n", host::Printable(candidate.name), row.note);
    if (!row.binned.exact) {
      notes += fmt::format("{}: so many distinct values that clusters were only improved locally\n",
                           host::Printable(candidate.name));
    }
  }
  if (report.rows.empty()) return "no tensors binned\n";
  sizes.push_back({"total", "", "", std::to_string(totals.original_bytes),
                   std::to_string(totals.compressed_bytes),
                   PercentText(totals.compressed_bytes, totals.original_bytes)});
  nntool.push_back({"total", std::to_string(totals.nntool.original_bytes_in_total),
                    std::to_string(totals.nntool.compressed_bytes)});
  if (totals.has_nntool) notes += NntoolNotes(report, totals);
  std::map<std::string, int> left_out;
  for (const BinCandidate& candidate : report.left_out) {
    ++left_out[ReasonOf(candidate)];
  }
  for (const auto& [reason, count] : left_out) {
    notes += fmt::format("left out: {} constant{}: {}\n", count, count == 1 ? "" : "s", reason);
  }
  const std::string as_nntool = totals.has_nntool ? Columns(nntool) + "\n" : "";
  return host::Wrapped(Columns(sizes) + "\n" + as_nntool + Columns(rows) + notes);
}

namespace {

host::BinnedConstant Summarize(const BinRow& row, host::ConstantPlace place) {
  const LutSize& size = row.binned.size;
  host::BinnedConstant tensor = {std::move(place)};
  tensor.type = row.type;
  tensor.shape = {row.shape.begin(), row.shape.end()};
  tensor.original_bytes = size.original_bytes;
  tensor.compressed_bytes = size.total_bytes;
  tensor.table_bytes = size.table_bytes;
  tensor.bits = row.binned.bits;
  tensor.tables = row.binned.tables;
  tensor.qsnr_db = row.binned.qsnr_db;
  tensor.is_moved = row.is_moved();
  tensor.is_sparse = size.sparse;
  tensor.is_exact = row.binned.exact;
  tensor.is_enabled = row.settings.enabled;
  tensor.settings = Describe(row.settings);
  tensor.is_applied = row.applied;
  tensor.note = row.note;
  if (row.nntool) {
    tensor.nntool = {{row.nntool->original_bytes, row.nntool->compressed_bytes},
                     row.nntool->is_added_into_bias};
  }
  return tensor;
}

}  // namespace

std::string WriteBinJson(const BinReport& report) {
  host::BinSummary summary = {.model = report.path};
  Totals totals;
  for (const BinRow& row : report.rows) {
    summary.tensors.push_back(Summarize(row, PlaceOf(row.candidate)));
    totals.Add(row);
  }
  for (const BinCandidate& candidate : report.left_out) {
    summary.left_out.push_back({PlaceOf(candidate), ReasonOf(candidate)});
  }
  summary.total = {totals.original_bytes, totals.compressed_bytes};
  if (totals.has_nntool) {
    summary.nntool_total = {totals.nntool.original_bytes_in_total, totals.nntool.compressed_bytes};
  }
  return host::JsonText(host::ToJson(summary), 1);
}

}  // namespace lutra::compressor

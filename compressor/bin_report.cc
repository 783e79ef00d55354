// SPDX-License-Identifier: Apache-2.0
// Reports what bin did, as a table and as JSON.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "compressor/bin_model.h"
#include "host/printable.h"
#include "host/wrap.h"

namespace lutra::compressor {
namespace {

std::string PercentText(int64_t part, int64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

constexpr size_t kLongestName = 28;

// nntool forgets what does not become smaller.
bool CountsInTotal(const BinRow& row) { return row.applied || row.settings.rules == nullptr; }

const char* YesNo(bool value) { return value ? "yes" : "no"; }

// Right-aligned columns under their heads; the second is text.
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
    const std::string& reason = candidate.reason.empty() ? candidate.left_out_by_default : candidate.reason;
    ++left_out[reason.empty() ? "not chosen" : reason];
  }
  for (const auto& [reason, count] : left_out) {
    notes += fmt::format("left out: {} constant{}: {}\n", count, count == 1 ? "" : "s", reason);
  }
  const std::string as_nntool = totals.has_nntool ? Columns(nntool) + "\n" : "";
  return host::Wrapped(Columns(sizes) + "\n" + as_nntool + Columns(rows) + notes);
}

std::string WriteBinJson(const BinReport& report) {
  using Json = nlohmann::ordered_json;
  const auto identity = [](const BinCandidate& candidate) {
    return Json{{"subgraph", candidate.id.subgraph},
                {"index", candidate.id.tensor},
                {"name", candidate.name},
                {"step", candidate.step},
                {"operator", candidate.op_name}};
  };
  Json tensors = Json::array(), left_out = Json::array(), nntool_total;
  Totals totals;
  for (const BinRow& row : report.rows) {
    const LutSize& size = row.binned.size;
    Json object = identity(row.candidate);
    object["type"] = row.type;
    object["shape"] = row.shape;
    object["original_bytes"] = size.original_bytes;
    object["compressed_bytes"] = size.total_bytes;
    object["table_bytes"] = size.table_bytes;
    object["bits"] = row.binned.bits;
    object["tables"] = row.binned.tables;
    object["lossless"] = std::isinf(row.binned.qsnr_db);
    object["qsnr_db"] = std::isinf(row.binned.qsnr_db) ? Json() : Json(row.binned.qsnr_db);
    object["moved"] = row.is_moved();
    object["sparse"] = size.sparse;
    object["exact"] = row.binned.exact;
    object["enabled"] = row.settings.enabled;
    object["settings"] = Describe(row.settings);
    object["applied"] = row.applied;
    object["note"] = row.note.empty() ? Json() : Json(row.note);
    object["nntool"] = Json();
    if (row.nntool) {
      object["nntool"] = {{"original_bytes", row.nntool->original_bytes},
                          {"compressed_bytes", row.nntool->compressed_bytes},
                          {"added_into_bias", row.nntool->is_added_into_bias}};
    }
    tensors.push_back(object);
    totals.Add(row);
  }
  for (const BinCandidate& candidate : report.left_out) {
    Json object = identity(candidate);
    const std::string& reason = candidate.reason.empty() ? candidate.left_out_by_default : candidate.reason;
    object["reason"] = reason.empty() ? "not chosen" : reason;
    left_out.push_back(object);
  }
  if (totals.has_nntool) {
    nntool_total = {{"original_bytes", totals.nntool.original_bytes_in_total},
                    {"compressed_bytes", totals.nntool.compressed_bytes}};
  }
  const Json file = {
      {"schema_version", 1},
      {"model", report.path},
      {"tensors", tensors},
      {"left_out", left_out},
      {"total", {{"original_bytes", totals.original_bytes}, {"compressed_bytes", totals.compressed_bytes}}},
      {"nntool_total", nntool_total}};
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// One rectangular table, a line for each operator.

#include <fmt/format.h>

#include "bench/writers.h"
#include "host/printable.h"

namespace lutra::bench {
namespace {

// RFC 4180: quoted where needed, quotes doubled. A name is one line here.
std::string Field(const std::string& name) {
  const std::string text = host::Printable(name);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string FigureField(const host::Figure& figure) { return figure ? std::to_string(*figure) : ""; }

}  // namespace

std::string WriteCsv(const host::ResultFile& file) {
  std::string csv =
      "model,index,type,name,kernel,median_ns,share,macs,prepared_bytes,ref_median_ns,delegate\n";
  for (const host::ModelResult& r : *file.models) {
    for (const host::OperatorResult& op : r.op_results) {
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", Field(r.path), op.index, Field(op.type),
                         Field(op.name), op.kernel, FigureField(op.median_ns),
                         op.share ? fmt::format("{:.6f}", *op.share) : "", op.macs,
                         FigureField(op.prepared_bytes), FigureField(op.ref_median_ns), Field(op.delegate));
    }
  }
  return csv;
}

}  // namespace lutra::bench

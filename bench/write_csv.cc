// SPDX-License-Identifier: Apache-2.0
// One rectangular table, a line for each operator.

#include <fmt/format.h>

#include "bench/writers.h"
#include "host/csv.h"

namespace lutra::bench {
namespace {

std::string FigureField(const host::Figure& figure) { return figure ? std::to_string(*figure) : ""; }

}  // namespace

std::string WriteCsv(const host::ResultFile& file) {
  std::string csv =
      "model,index,type,name,kernel,median_ns,share,macs,prepared_bytes,ref_median_ns,delegate\n";
  for (const host::ModelResult& r : *file.models) {
    for (const host::OperatorResult& op : r.op_results) {
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", host::CsvField(r.path), op.index,
                         host::CsvField(op.type), host::CsvField(op.name), op.kernel,
                         FigureField(op.median_ns), op.share ? fmt::format("{:.6f}", *op.share) : "", op.macs,
                         FigureField(op.prepared_bytes), FigureField(op.ref_median_ns),
                         host::CsvField(op.delegate));
    }
  }
  return csv;
}

}  // namespace lutra::bench

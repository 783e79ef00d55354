// SPDX-License-Identifier: Apache-2.0
// What pack did, as a table, as JSON and as a spec.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "compressor/pack.h"
#include "host/printable.h"
#include "host/wrap.h"
#include "lutra/compression/encoding.h"

namespace lutra::compressor {
namespace {

std::string ShapeText(const std::vector<int32_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

double Percent(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// A tensor's index, and as much of its name as leaves room for the rest of a line.
std::string TensorText(const Constant& c) {
  return fmt::format("{:>6} {:<24}", ToText(c.id), host::ShortName(c.name, 24));
}

}  // namespace

std::string PackTable(const PackResult& result) {
  const auto bytes = static_cast<int64_t>(result.file.size());
  std::string compressed;
  std::string others;
  int64_t before = 0;
  int64_t after = 0;
  int count = 0;
  for (const PackedTensor& t : result.tensors) {
    if (!t.coded) {
      others += host::Wrapped(fmt::format("{} {:<7} {:<17} {:>8}\n", TensorText(t.constant),
                                          ToString(t.constant.type), ShapeText(t.constant.shape),
                                          t.constant.bytes)) +
                host::Wrapped(fmt::format("       {}\n", host::Printable(t.obstacle.text)), 7);
      continue;
    }
    ++count;
    before += t.constant.bytes;
    after += t.coded->bytes();
    compressed += fmt::format("{} {:>8} {:>8} {:>6.1f} {:<11} {:>4} {:>6}\n", TensorText(t.constant),
                              t.constant.bytes, t.coded->bytes(), Percent(t.coded->bytes(), t.constant.bytes),
                              ToString(t.coded->entry.codec), t.coded->bits, t.coded->distinct);
  }
  std::string text = host::Wrapped(fmt::format(
      "{}: {} bytes become {} ({:.1f} %); {} of {} constants compressed\n", host::Printable(result.path),
      result.bytes_before, bytes, Percent(bytes, result.bytes_before), count, result.tensors.size()));
  const std::string columns = fmt::format("{:>6} {:<24}", "tensor", "name");
  if (!compressed.empty()) {
    text += fmt::format("\n{} {:>8} {:>8} {:>6} {:<11} {:>4} {:>6}\n{}", columns, "bytes", "stored", "%",
                        "codec", "bits", "values", compressed);
    text += fmt::format("{:>6} {:<24} {:>8} {:>8} {:>6.1f}\n", "", "total", before, after,
                        Percent(after, before));
  }
  if (!others.empty()) {
    text += fmt::format("\nleft as they are, and why\n{} {:<7} {:<17} {:>8}\n{}", columns, "type", "shape",
                        "bytes", others);
  }
  return text;
}

std::string PackJson(const PackResult& result) {
  nlohmann::ordered_json tensors = nlohmann::ordered_json::array();
  for (const PackedTensor& t : result.tensors) {
    nlohmann::ordered_json tensor = {{"subgraph", t.constant.id.subgraph},
                                     {"index", t.constant.id.tensor},
                                     {"name", t.constant.name},
                                     {"type", ToString(t.constant.type)},
                                     {"shape", t.constant.shape},
                                     {"consumers", t.constant.uses.size()},
                                     {"bytes", t.constant.bytes},
                                     {"compressed", t.coded.has_value()},
                                     {"codec", nullptr},
                                     {"bits", nullptr},
                                     {"values", nullptr},
                                     {"stored_bytes", nullptr},
                                     {"why_not", nullptr}};
    if (t.coded) {
      tensor["codec"] = ToString(t.coded->entry.codec);
      tensor["bits"] = t.coded->bits;
      tensor["values"] = t.coded->distinct;
      tensor["stored_bytes"] = t.coded->bytes();
    } else {
      tensor["why_not"] = t.obstacle.text;
    }
    tensors.push_back(tensor);
  }
  const nlohmann::ordered_json json = {{"schema_version", 1},
                                       {"model", result.path},
                                       {"bytes_before", result.bytes_before},
                                       {"bytes_after", result.file.size()},
                                       {"warnings", result.warnings},
                                       {"tensors", tensors}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string PackSpec(const PackResult& result) {
  std::vector<SpecEntry> entries;
  for (const PackedTensor& t : result.tensors) {
    if (t.coded) entries.push_back(t.coded->entry);
  }
  return WriteSpec(entries, fmt::format("# How {} was compressed.\n", result.path));
}

}  // namespace lutra::compressor

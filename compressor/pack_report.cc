// SPDX-License-Identifier: Apache-2.0
// Reports what pack did: a table, JSON and a spec.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "compressor/pack.h"
#include "host/compression_fields.h"
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

// Returns a tensor's index, and as much of its name as leaves room for the rest of a line.
std::string TensorText(const Constant& c) {
  return fmt::format("{:>6} {:<20}", ToText(c.id), host::ShortName(c.name, 20));
}

}  // namespace

host::DecodingSummary SummarizeDecoding(const PackResult& result) {
  host::DecodingSummary summary = {.inference_us = result.inference_us};
  // Codecs come in the order of their costs.
  for (const CodecFacts& codec : AllCodecs()) {
    host::CodecUse use = {.codec = codec.name};
    for (const PackedTensor& t : result.tensors) {
      if (!t.coded || t.coded->entry.codec != codec.type) continue;
      ++use.tensors;
      use.original_bytes += t.constant.bytes;
      use.bytes += t.coded->bytes();
      use.decode_us += t.decode_us();
    }
    summary.decode_us += use.decode_us;
    if (use.tensors > 0) summary.codecs.push_back(use);
  }
  return summary;
}

std::string DecodingText(const host::DecodingSummary& summary) {
  if (summary.codecs.empty()) return "";
  std::vector<std::string> parts;
  for (const host::CodecUse& use : summary.codecs) {
    parts.push_back(fmt::format("{} {:.1f} us for {} tensor{}", use.codec, use.decode_us, use.tensors,
                                use.tensors == 1 ? "" : "s"));
  }
  return fmt::format("decoding: about {:.1f} us of each inference, beside {:.1f} us for its sums: {}\n",
                     summary.decode_us, summary.inference_us, fmt::join(parts, ", "));
}

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
    compressed +=
        fmt::format("{} {:>8} {:>8} {:>5.1f} {:<11} {:>4} {:>6} {:>7.2f}\n", TensorText(t.constant),
                    t.constant.bytes, t.coded->bytes(), Percent(t.coded->bytes(), t.constant.bytes),
                    ToString(t.coded->entry.codec), t.coded->bits, t.coded->distinct, t.decode_us());
  }
  std::string text = host::Wrapped(fmt::format(
      "{}: {} bytes become {} ({:.1f} %); {} of {} constants compressed\n", host::Printable(result.path),
      result.bytes_before, bytes, Percent(bytes, result.bytes_before), count, result.tensors.size()));
  text += StrippedText(result.stripped);
  const std::string columns = fmt::format("{:>6} {:<20}", "tensor", "name");
  if (!compressed.empty()) {
    text += fmt::format("\n{} {:>8} {:>8} {:>5} {:<11} {:>4} {:>6} {:>7}\n{}", columns, "bytes", "stored",
                        "%", "codec", "bits", "values", "dec. us", compressed);
    text += fmt::format("{:>6} {:<20} {:>8} {:>8} {:>5.1f}\n", "", "total", before, after,
                        Percent(after, before));
    text += DecodingText(SummarizeDecoding(result));
  }
  if (!others.empty()) {
    text += fmt::format("\nleft as they are, and why\n{} {:<7} {:<17} {:>8}\n{}", columns, "type", "shape",
                        "bytes", others);
  }
  return text;
}

std::string PackJson(const PackResult& result) {
  host::PackSummary summary = {.model = result.path,
                               .bytes_before = result.bytes_before,
                               .bytes_after = static_cast<int64_t>(result.file.size()),
                               .decoding = SummarizeDecoding(result),
                               .warnings = result.warnings,
                               .tensors = {},
                               .stripped = result.stripped};
  for (const PackedTensor& t : result.tensors) {
    host::PackedConstant tensor = {.subgraph = t.constant.id.subgraph,
                                   .index = t.constant.id.tensor,
                                   .name = t.constant.name,
                                   .type = ToString(t.constant.type),
                                   .shape = {t.constant.shape.begin(), t.constant.shape.end()},
                                   .consumers = static_cast<int64_t>(t.constant.uses.size()),
                                   .bytes = t.constant.bytes};
    if (t.coded) {
      tensor.codec = ToString(t.coded->entry.codec);
      tensor.bits = t.coded->bits;
      tensor.values = t.coded->distinct;
      tensor.stored_bytes = t.coded->bytes();
      tensor.decode_us = t.decode_us();
    } else {
      tensor.why_not = t.obstacle.text;
    }
    summary.tensors.push_back(tensor);
  }
  return host::JsonText(host::ToJson(summary));
}

std::string PackSpec(const PackResult& result) {
  std::vector<SpecEntry> entries;
  for (const PackedTensor& t : result.tensors) {
    if (t.coded) entries.push_back(t.coded->entry);
  }
  return WriteSpec(entries, fmt::format("# How {} was compressed.\n", host::Printable(result.path)));
}

}  // namespace lutra::compressor

// SPDX-License-Identifier: Apache-2.0
// Text for people: one model in detail, several as a comparison.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "bench/writers.h"
#include "host/printable.h"
#include "host/scores.h"
#include "host/wrap.h"

namespace lutra::bench {
namespace {

constexpr int kBarCells = 10;

using host::Grouped;

// Three or four digits and a unit.
std::string Duration(int64_t ns) {
  const auto value = static_cast<double>(ns);
  if (ns < 1000) return fmt::format("{} ns", ns);
  if (ns < 1'000'000) return fmt::format("{:.2f} us", value / 1e3);
  if (ns < 1'000'000'000) return fmt::format("{:.3f} ms", value / 1e6);
  return fmt::format("{:.3f} s", value / 1e9);
}

std::string Rate(int64_t macs, int64_t ns) {
  return macs == 0 || ns == 0 ? ""
                              : fmt::format("{:.2f}", static_cast<double>(macs) / static_cast<double>(ns));
}

std::string FileName(const std::string& path) {
  return host::Printable(std::filesystem::path(path).filename().string());
}

// Names of models too.
std::string Cut(const std::string& name, size_t width) {
  const std::string text = host::Printable(name);
  return text.size() <= width ? text : std::string(host::Beginning(text, width - 1)) + "~";
}

std::string Bar(double share) {
  const int cells = static_cast<int>(share * kBarCells + 0.5);
  return std::string(static_cast<size_t>(cells), '#');
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// Returns whether ClockNote wrote this note: times are right, but their precision is limited.
bool IsOfClock(const std::string& noise) { return noise.starts_with("clock "); }

std::string Header(const host::Environment& e) {
  std::string text = fmt::format("{} {} ({}) on {}, {}\n{}, {}, {} rounding\n", e.program, e.version,
                                 e.commit, e.platform, Cut(e.cpu, 40), e.compiler, e.build_type, e.rounding);
  if (e.clock.empty()) text += "no real processor, or a clock that stands still: nothing is timed\n";
  for (const std::string& noise : e.noise) {
    text += IsOfClock(noise) ? host::Printable(noise) + "\n"
                             : "noisy machine: " + noise + "; times may be too high\n";
  }
  return text + "\n";
}

std::string MemoryText(const host::ModelResult& r) {
  const host::ArenaResult& arena = *r.arena;
  std::string text = fmt::format("  arena       {} bytes given, {} used\n", Grouped(arena.given_bytes),
                                 Grouped(arena.used_bytes));
  if (arena.smallest_working_bytes) {
    text +=
        fmt::format("              {} is the smallest that works{}\n", Grouped(*arena.smallest_working_bytes),
                    *arena.smallest_working_bytes == arena.given_bytes ? "; this run used exactly that" : "");
  }
  text += fmt::format("              activations {}, scratch {}, persistent {}\n",
                      Grouped(arena.activation_bytes), Grouped(arena.scratch_bytes),
                      Grouped(arena.persistent_bytes));
  std::string line = "             ";
  for (const host::RecordResult& record : arena.records) {
    const std::string item = fmt::format(" {} {} ({} x)", record.kind, Grouped(record.bytes), record.count);
    if (line.size() + item.size() > 79) {
      text += line + "\n";
      line = "             ";
    }
    line += item;
  }
  return text + line + "\n";
}

// Microseconds; without a figure, an upper bound by the clock's resolution, if that is known.
std::string Microseconds(const std::optional<int64_t>& ns, int64_t resolution_ns) {
  if (ns) return fmt::format("{:.2f}", static_cast<double>(*ns) / 1e3);
  return resolution_ns == 0 ? "-" : fmt::format("<{:.2f}", 2e-3 * static_cast<double>(resolution_ns));
}

// The line of an operator or a type. The reference's times, where there are any, stand in place of the bar.
std::string OperatorLine(const std::string& number, const std::string& type, const std::string& kernel,
                         const std::string& packed, const std::string& time, const std::string& share,
                         const std::string& bar, const std::string& rate) {
  return fmt::format("{:>4} {:<20} {:<10} {:>9} {:>9} {:>5} {:<10} {:>6}\n", number, Cut(type, 20), kernel,
                     packed, time, share, bar, rate);
}

bool IsAgainstReference(const host::ModelResult& r) {
  return std::any_of(r.op_results.begin(), r.op_results.end(),
                     [](const host::OperatorResult& op) { return op.ref_median_ns.has_value(); });
}

std::string KernelText(const host::OperatorResult& op) {
  if (!op.delegate.empty()) return Cut(op.delegate, 10);
  return op.kernel.empty() ? "-" : op.kernel;
}

std::string OperatorLine(const host::OperatorResult& op, bool against_ref, int64_t resolution_ns) {
  const std::string time = Microseconds(op.median_ns, resolution_ns);
  const std::string share = op.share ? fmt::format("{:.1f}", *op.share * 100) : "";
  const std::string bar = against_ref ? fmt::format("{:>10}", Microseconds(op.ref_median_ns, resolution_ns))
                          : op.share  ? Bar(*op.share)
                                      : "";
  return OperatorLine(std::to_string(op.index), op.type, KernelText(op),
                      op.prepared_bytes ? Grouped(*op.prepared_bytes) : "", time, share, bar,
                      op.median_ns ? Rate(op.macs, *op.median_ns) : "");
}

std::string OperatorTables(const host::ModelResult& r, int64_t resolution_ns) {
  const bool against_ref = IsAgainstReference(r);
  std::string text = "\n" + OperatorLine("#", "operator", "kernel", "packed", "median us", "%",
                                         against_ref ? "    ref us" : "", "MAC/ns");
  struct Total {
    int count = 0;
    int64_t ns = 0;
    int64_t ref_ns = 0;
    int64_t packed_bytes = 0;
    int64_t macs = 0;
    double share = 0;
  };
  std::map<std::string, Total> totals;
  bool unresolved = false;
  for (const host::OperatorResult& op : r.op_results) {
    text += OperatorLine(op, against_ref, resolution_ns);
    Total& total = totals[op.type];
    ++total.count;
    total.ns += op.median_ns.value_or(0);
    total.ref_ns += op.ref_median_ns.value_or(0);
    total.packed_bytes += op.prepared_bytes.value_or(0);
    total.macs += op.macs;
    total.share += op.share.value_or(0);
    unresolved = unresolved || !op.median_ns;
  }
  std::vector<std::pair<std::string, Total>> sorted(totals.begin(), totals.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  text += "\n     by type\n";
  for (const auto& [type, total] : sorted) {
    if (resolution_ns == 0) {
      text += fmt::format("{:>4} {:<20} x\n", total.count, Cut(type, 20));
      continue;
    }
    text += OperatorLine(
        std::to_string(total.count), type, "x", total.packed_bytes == 0 ? "" : Grouped(total.packed_bytes),
        Microseconds(total.ns, resolution_ns), fmt::format("{:.1f}", total.share * 100),
        against_ref ? fmt::format("{:>10}", Microseconds(total.ref_ns, resolution_ns)) : Bar(total.share),
        Rate(total.macs, total.ns));
  }
  if (unresolved && resolution_ns > 0) {
    text += fmt::format("\n  < : below what the clock can tell ({} ns a step)\n", resolution_ns);
  }
  return text;
}

// The nodes that each delegate took, and why not the rest: nodes of one reason in one line.
std::string DelegateTable(const host::DelegateResult& delegate, int64_t resolution_ns) {
  const auto list = [](const std::vector<int64_t>& nodes) {
    return fmt::format("{}", fmt::join(nodes, " "));
  };
  size_t taken = 0;
  for (const host::PartitionResult& p : delegate.partitions) taken += p.nodes.size();
  std::string text = fmt::format("\n  delegate {}: {} nodes in {} partitions\n",
                                 host::Printable(delegate.name), taken, delegate.partitions.size());
  for (const host::PartitionResult& p : delegate.partitions) {
    text += fmt::format("    nodes {}: {} us", list(p.nodes), Microseconds(p.median_ns, resolution_ns));
    if (p.cycles) text += fmt::format(", {} cycles", Grouped(*p.cycles));
    if (p.bytes_moved) text += fmt::format(", {} bytes moved", Grouped(*p.bytes_moved));
    text += "\n";
  }
  std::map<std::string, std::vector<int64_t>> reasons;
  for (const host::DeclinedResult& d : delegate.declined) reasons[d.reason].push_back(d.node);
  for (const auto& [reason, nodes] : reasons) {
    text += fmt::format("    declined {}: {}\n", list(nodes), host::Printable(reason));
  }
  return text;
}

// MB/s.
std::string DecodingRate(int64_t bytes, int64_t ns) {
  return fmt::format("{:.0f}", 1e3 * static_cast<double>(bytes) / static_cast<double>(ns));
}

std::string DecompressionTable(const host::ModelResult& r, int64_t resolution_ns) {
  const host::DecompressionResult& d = *r.decompression;
  int64_t bytes = 0;
  for (const host::DecodedTensorResult& t : d.tensors) bytes += t.bytes;
  std::string text = fmt::format("\n  decompression {}: ", d.policy);
  if (d.total_ns) {
    text += Duration(*d.total_ns);
    text += d.share ? fmt::format(", {:.1f} % of an inference; ", *d.share * 100) : " once, at the start; ";
  }
  text += fmt::format("{} bytes in {} tensors", Grouped(bytes), d.tensors.size());
  if (d.total_ns.value_or(0) > 0) text += fmt::format(", {} MB/s", DecodingRate(bytes, *d.total_ns));
  text += fmt::format("\n\n{:>4} {:<36} {:<11} {:>8} {:>9} {:>7}\n", "#", "tensor", "codec", "bytes",
                      "median us", "MB/s");
  bool repeats = false;
  for (const host::DecodedTensorResult& t : d.tensors) {
    repeats = repeats || t.passes > 1;
    const std::string codec = t.passes > 1 ? fmt::format("{} x{}", t.codec, t.passes) : t.codec;
    text += fmt::format("{:>4} {:<36} {:<11} {:>8} {:>9} {:>7}\n", t.index, Cut(t.name, 36), codec,
                        Grouped(t.bytes), Microseconds(t.ns, resolution_ns),
                        t.ns ? DecodingRate(t.bytes * t.passes, *t.ns) : "");
  }
  if (repeats) text += "  xN: an inference decodes the tensor N times, since it makes rows in N portions\n";
  return text;
}

std::string TrafficTable(const host::TrafficResult& traffic) {
  std::string moved = fmt::format(
      "\n  traffic {}, bytes: weights L3-L2, weights and inputs L2-L1, plain and\n"
      "  as stored; outputs L1-L2\n\n{:>4} {:<20} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
      traffic.engine, "#", "operator", "L3-L2 pl.", "stored", "L2-L1 pl.", "stored", "L1-L2");
  std::string besides = fmt::format("\n{:>4} {:<20} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "#", "operator", "LUT",
                                    "offsets", "tiles", "commands", "unaligned");
  const auto line = [&](const host::LayerTraffic& t, const std::string& index) {
    moved += fmt::format("{:>4} {:<20} {:>9} {:>9} {:>9} {:>9} {:>9}\n", index, Cut(t.type, 20),
                         Grouped(t.l3_l2_plain_bytes), Grouped(t.l3_l2_bytes), Grouped(t.l2_l1_plain_bytes),
                         Grouped(t.l2_l1_bytes), Grouped(t.l1_l2_bytes));
    besides +=
        fmt::format("{:>4} {:<20} {:>9} {:>9} {:>9} {:>9} {:>9}\n", index, Cut(t.type, 20),
                    Grouped(t.lut_bytes), Grouped(t.offset_bytes), t.tiles, t.commands, t.unaligned_starts);
  };
  for (const host::LayerTraffic& layer : traffic.layers) line(layer, std::to_string(layer.index));
  line(traffic.total, "");
  if (traffic.unread.empty()) return moved + besides;
  std::map<std::string, int> codecs;
  for (const host::UnreadTensor& tensor : traffic.unread) ++codecs[tensor.codec];
  std::string counts;
  for (const auto& [codec, count] : codecs) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, host::Printable(codec));
  }
  return moved + besides +
         fmt::format(
             "  the engine cannot read {} of the compressed tensors ({}): they count as not compressed;\n"
             "  compress pack --target=lutra --codec=wide-lut stores what it reads\n",
             traffic.unread.size(), counts);
}

std::string TensorLines(const char* title, const std::vector<host::TensorResult>& tensors) {
  std::string text;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const host::TensorResult& t = tensors[i];
    text += fmt::format("  {:<11} {} {} {} crc32 {} \"{}\"\n", i == 0 ? title : "", i, t.type,
                        ShapeText(t.shape), t.crc32, Cut(t.name, 24));
  }
  return text;
}

std::string Detail(const host::ModelResult& r, const host::Environment& environment) {
  std::string text = fmt::format("{}\n  model       {} bytes, {} operators, {} MACs\n",
                                 host::Printable(r.path), Grouped(r.bytes), r.operators, Grouped(r.macs));
  text += fmt::format("  settings    kernels {}, memory {}{}, profile {}\n", r.kernels, r.memory,
                      r.repack == "auto" ? "" : ", repack " + r.repack, r.profile);
  const host::InferenceResult& inference = r.inference;
  if (inference.median_ns) {
    const std::string rate = Rate(r.macs, *inference.median_ns);
    text +=
        fmt::format("  inference   median {} +/- {}, min {}, p95 {}\n", Duration(*inference.median_ns),
                    Duration(*inference.mad_ns), Duration(*inference.min_ns), Duration(*inference.p95_ns));
    text += fmt::format("              {} runs{}; init {}, prepare {}\n", inference.runs,
                        rate.empty() ? "" : ", " + rate + " MAC/ns", Duration(*r.init_ns),
                        Duration(*r.prepare_ns));
  }
  text += MemoryText(r);
  text += TensorLines("inputs", r.inputs) + TensorLines("outputs", r.outputs);
  if (r.evaluation) {
    const std::optional<double> value = r.evaluation->value;
    text += fmt::format("  evaluation  {} {} over {} samples\n", r.evaluation->metric,
                        value ? fmt::format("{:.6f}", *value) : "has no value", r.evaluation->count);
    if (r.evaluation->confidence_interval) {
      text += fmt::format("              95 % confidence {}\n",
                          host::ConfidenceText(*value, r.evaluation->count));
    }
  }
  text += OperatorTables(r, environment.clock_resolution_ns);
  for (const host::DelegateResult& d : r.delegates) text += DelegateTable(d, environment.clock_resolution_ns);
  if (r.decompression) text += DecompressionTable(r, environment.clock_resolution_ns);
  if (r.traffic) text += TrafficTable(*r.traffic);
  return text;
}

// Tensors that take the same data.
bool AreAlike(const std::vector<host::TensorResult>& a, const std::vector<host::TensorResult>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.type == y.type && x.shape == y.shape; });
}

// Compares with the first model that this one could replace, as it has the same inputs and outputs. Empty if
// there is none.
std::string Ratio(const host::ModelResult& r, const std::vector<host::ModelResult>& results) {
  const auto first = std::find_if(results.begin(), results.end(), [&r](const host::ModelResult& other) {
    return !other.refused() && AreAlike(other.inputs, r.inputs) && AreAlike(other.outputs, r.outputs);
  });
  if (&*first == &r || !r.inference.median_ns || first->inference.median_ns.value_or(0) == 0) return "";
  return fmt::format(
      "{}: {:.2f} x the time, {:.2f} x the bytes of {}\n", FileName(r.path),
      static_cast<double>(*r.inference.median_ns) / static_cast<double>(*first->inference.median_ns),
      static_cast<double>(r.bytes) / static_cast<double>(first->bytes), FileName(first->path));
}

std::string Comparison(const std::vector<host::ModelResult>& results) {
  std::string text = fmt::format("{:<25}{:>10}{:>10}{:>12}{:>9}  {:<8}\n", "model", "bytes", "arena",
                                 "median", "MAC/ns", "output");
  std::string ratios;
  for (const host::ModelResult& r : results) {
    if (r.refused()) {
      text += fmt::format("{:<25}  refused\n", Cut(FileName(r.path), 24));
      continue;
    }
    const host::Figure median_ns = r.inference.median_ns;
    text += fmt::format("{:<25}{:>10}{:>10}{:>12}{:>9}  {:<8}\n", Cut(FileName(r.path), 24), Grouped(r.bytes),
                        Grouped(r.arena->smallest_working_bytes.value_or(r.arena->given_bytes)),
                        median_ns ? Duration(*median_ns) : "-", median_ns ? Rate(r.macs, *median_ns) : "",
                        r.outputs.empty() ? "" : r.outputs[0].crc32);
    ratios += Ratio(r, results);
  }
  return text + (ratios.empty() ? "" : "\n" + ratios);
}

}  // namespace

std::string WriteTable(const host::ResultFile& file) {
  const std::vector<host::ModelResult>& models = *file.models;
  if (models.size() == 1 && models[0].refused()) return "";
  return host::Wrapped(Header(file.environment) +
                       (models.size() == 1 ? Detail(models[0], file.environment) : Comparison(models)));
}

}  // namespace lutra::bench

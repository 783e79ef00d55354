// SPDX-License-Identifier: Apache-2.0
// Gets cases from the generator and from folders, writes their files, and computes their outputs by the
// oracle.

#include "conformance/runner/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>

#include "conformance/runner/expected_outputs.h"
#include "conformance/runner/manifest.h"
#include "host/glob.h"
#include "host/model_file.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

namespace fs = std::filesystem;
using oracle::Bytes;

Bytes ReadFile(const fs::path& path) {
  const host::AlignedBytes bytes = host::ReadFileBytes(path);
  return {bytes.span().begin(), bytes.span().end()};
}

void WriteFile(const fs::path& path, const Bytes& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    std::error_code ignored;
    fs::remove(path, ignored);
    throw host::BadInput(fmt::format(
        "{}: cannot write the file; check the folder, its permissions and its space", path.string()));
  }
}

// Returns a line of text as bytes.
Bytes TextBytes(const std::string& text) {
  Bytes bytes(text.begin(), text.end());
  bytes.push_back('\n');
  return bytes;
}

// Reads the number of inferences of a case.
int ReadInvokes(const fs::path& path) {
  constexpr int kMost = 10000;
  const Bytes bytes = ReadFile(path);
  const auto* const begin = reinterpret_cast<const char*>(bytes.data());
  const auto* const end = begin + bytes.size();
  int invokes = 0;
  const auto [next, error] = std::from_chars(begin, end, invokes);
  const std::string_view rest(next, static_cast<size_t>(end - next));
  if (error == std::errc() && invokes >= 1 && invokes <= kMost &&
      rest.find_first_not_of("\r\n") == std::string_view::npos) {
    return invokes;
  }
  throw host::BadInput(fmt::format("{}: found \"{}\", required: a number from 1 to {}", path.string(),
                                   host::Printable({begin, bytes.size()}, 40), kMost));
}

// Writes NumPy's format, version 1.0: magic, length of the header, a Python dictionary, the elements.
Bytes NpyBytes(const Bytes& data, int8_t type, const oracle::Shape& shape) {
  const std::map<int8_t, const char*> types = {
      {oracle::kFloat32, "<f4"}, {oracle::kInt32, "<i4"},  {oracle::kUint8, "|u1"},
      {oracle::kInt64, "<i8"},   {oracle::kBool, "|b1"},   {oracle::kInt16, "<i2"},
      {oracle::kInt8, "|i1"},    {oracle::kUint64, "<u8"}, {oracle::kUint32, "<u4"}};
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (", types.at(type));
  for (const int32_t dim : shape) header += fmt::format("{},", dim);
  header += "), }";
  constexpr size_t kAlignment = 64, kBefore = 10;
  while ((kBefore + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  Bytes bytes = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  bytes.push_back(static_cast<uint8_t>(header.size()));
  bytes.push_back(static_cast<uint8_t>(header.size() >> 8));
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), data.begin(), data.end());
  return bytes;
}

}  // namespace

std::string OperatorIn(const Bytes& bytes) {
  try {
    const auto model = oracle::ReadModel(bytes);
    const edit::SubGraphT& graph = *model->subgraphs[0];
    if (graph.operators.size() != 1) return "composite";
    std::vector<Bytes> values(graph.tensors.size());
    return oracle::OperatorOf(*model, oracle::Node(graph, *graph.operators[0], &values)).name();
  } catch (const oracle::Unspecified&) {
    return "unknown";
  }
}

std::vector<Case> GeneratedCases(const std::string& pattern) { return GeneratedCases(pattern, FoundCases()); }

std::vector<Case> GeneratedCases(const std::string& pattern, const std::vector<FoundCase>& found) {
  std::vector<Case> cases;
  // Most families are excluded by the text before the first wildcard.
  const std::string fixed = pattern.substr(0, pattern.find_first_of("*?"));
  for (const CaseFamily& family : AllFamilies()) {
    const std::string_view prefix = family.prefix;
    const size_t common = std::min(prefix.size(), fixed.size());
    if (prefix.substr(0, common) != std::string_view(fixed).substr(0, common)) continue;
    const CaseSink sink = [&](Case test) {
      if (host::Matches(pattern, test.id)) cases.push_back(std::move(test));
    };
    family.generate(sink);
    GenerateCorners(prefix, sink);
    if (family.real_sizes != nullptr) family.real_sizes(sink);
    GenerateFound(family, found, sink);
  }
  return cases;
}

namespace {

// Throws BadInput if the folder has a manifest, and other cases than it lists.
void RequireWhatIsListed(const fs::path& folder) {
  const fs::path path = folder / "manifest.jsonl";
  if (!fs::exists(path)) return;  // A corpus that no `export` wrote.
  const Manifest manifest(path);
  for (const std::string& id : manifest.ids()) {
    if (fs::is_directory(folder / "cases" / id)) continue;
    throw host::BadInput(fmt::format("{}: found no cases/{}, required: every case of {}; export it again",
                                     folder.string(), host::Printable(id), path.filename().string()));
  }
  for (const auto& entry : fs::directory_iterator(folder / "cases")) {
    const std::string id = entry.path().filename();
    if (manifest.Has(id)) continue;
    throw host::BadInput(
        fmt::format("{}: found cases/{}, which {} lacks, required: what one `conformance export` writes; a "
                    "corpus of one's "
                    "own has no such file",
                    folder.string(), host::Printable(id), path.filename().string()));
  }
}

}  // namespace

std::vector<Case> CasesIn(const fs::path& folder, const std::string& pattern) {
  std::vector<Case> cases;
  if (!fs::is_directory(folder / "cases")) {
    throw host::BadInput(fmt::format(
        "{}: found no folder \"cases\", required: what `conformance export` writes", folder.string()));
  }
  RequireWhatIsListed(folder);
  for (const auto& entry : fs::directory_iterator(folder / "cases")) {
    Case test;
    test.id = entry.path().filename();
    if (!host::Matches(pattern, test.id)) continue;
    test.model = ReadFile(entry.path() / "model.tflite");
    const fs::path plain = entry.path() / "plain.tflite";
    if (fs::exists(plain)) test.plain_model = ReadFile(plain);
    for (int i = 0; fs::exists(entry.path() / fmt::format("in{}.bin", i)); ++i) {
      test.inputs.push_back(ReadFile(entry.path() / fmt::format("in{}.bin", i)));
    }
    test.invokes = ReadInvokes(entry.path() / "invokes");
    std::ifstream refuse(entry.path() / "refuse");
    std::getline(refuse, test.must_refuse);
    test.optional = fs::exists(entry.path() / "optional");
    test.op = OperatorIn(test.plain_model.empty() ? test.model : test.plain_model);
    cases.push_back(std::move(test));
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.id < b.id; });
  return cases;
}

void WriteCase(const fs::path& folder, const Case& test) {
  fs::create_directories(folder);
  WriteFile(folder / "model.tflite", test.model);
  if (!test.plain_model.empty()) WriteFile(folder / "plain.tflite", test.plain_model);
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    WriteFile(folder / fmt::format("in{}.bin", i), test.inputs[i]);
  }
  WriteFile(folder / "invokes", TextBytes(std::to_string(test.invokes)));
  if (test.optional) {
    WriteFile(folder / "optional", TextBytes(test.plain_model.empty() ? "what some runtimes lack"
                                                                      : "codecs that only Lutra reads"));
  }
  if (!test.must_refuse.empty()) WriteFile(folder / "refuse", TextBytes(test.must_refuse));
}

void ExportCase(const fs::path& folder, const Case& test) {
  WriteCase(folder, test);
  if (!test.must_refuse.empty()) return;  // The file may be no model.
  const auto model = oracle::ReadModel(test.model);
  const edit::SubGraphT& graph = *model->subgraphs[0];
  const auto write = [&](const std::string& name, const Bytes& bytes, int32_t index, bool raw) {
    const edit::TensorT& tensor = *graph.tensors[static_cast<size_t>(index)];
    if (raw) WriteFile(folder / (name + ".bin"), bytes);
    WriteFile(folder / (name + ".npy"), NpyBytes(bytes, tensor.type, tensor.shape));
  };
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    write(fmt::format("in{}", i), test.inputs[i], graph.inputs[i], false);
  }
  std::optional<std::vector<Bytes>> first;
  for (const oracle::Profile& profile : oracle::Profiles()) {
    const auto expected = ExpectedOutputs(test, profile);
    if (!expected || expected == first) continue;
    for (size_t i = 0; i < expected->size(); ++i) {
      write(fmt::format("{}.out{}", profile.name, i), (*expected)[i], graph.outputs[i], true);
    }
    if (!first) first = expected;
  }
}

}  // namespace lutra::conformance

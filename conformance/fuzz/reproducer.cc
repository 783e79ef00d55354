// SPDX-License-Identifier: Apache-2.0
// Reads the README.txt of a reproducer.

#include "conformance/fuzz/reproducer.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "conformance/fuzz/draw_case.h"
#include "host/failures.h"
#include "host/model_file.h"
#include "host/printable.h"

namespace lutra::conformance {
namespace {

// Cases of more choices are not shrunk.
constexpr size_t kMostDraws = 4096;

FoundCase ParseChoices(const std::filesystem::path& path) {
  const std::string text = host::ReadInputText(path);
  const size_t at = text.rfind(kChoicesLine);
  if (at == std::string::npos)
    throw host::BadInput(path.string(), "no choices", "README.txt of a failure of `conformance fuzz`");
  if (text.find("conformance fuzz --invalid ") != std::string::npos) {
    throw host::BadInput(path.string(), "a model that must be refused",
                         "a valid one; broken_*.cc has rows for the others");
  }
  std::istringstream line(text.substr(text.find('\n', at) + 1));
  FoundCase found;
  line >> found.op;
  for (uint64_t draw = 0; line >> draw;) found.draws.push_back(draw);
  if (!line.eof())
    throw host::BadInput(path.string(), "choices that are no numbers", "an operator and numbers");
  if (found.draws.size() > kMostDraws) {
    throw host::BadInput(path.string(), fmt::format("{} choices", found.draws.size()),
                         fmt::format("at most {}; let `conformance fuzz` shrink it", kMostDraws));
  }
  return found;
}

}  // namespace

FoundCase ReadReproducer(const std::filesystem::path& folder) {
  const FoundCase found = ParseChoices(folder / "README.txt");
  const std::vector<std::string> known = CaseDrawer("").ops();
  if (std::find(known.begin(), known.end(), found.op) == known.end()) {
    throw host::BadInput((folder / "README.txt").string(), "\"" + host::Printable(found.op, 60) + "\"",
                         "an operator that is drawn");
  }
  Draws made;
  const std::optional<DrawnCase> drawn = CaseDrawer("").Redraw(found.op, found.draws, &made);
  const host::AlignedBytes model = host::ReadFileBytes(folder / "model.tflite");
  if (!drawn || !std::equal(drawn->test.model.begin(), drawn->test.model.end(), model.span().begin(),
                            model.span().end())) {
    throw host::BadInput((folder / "model.tflite").string(), "another model than its choices give",
                         "what this version of `conformance fuzz` has written");
  }
  return found;
}

}  // namespace lutra::conformance

// SPDX-License-Identifier: Apache-2.0
// Finds the tensors and operators of a model that a selector names.

#include "compressor/tensor_selector.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "host/glob.h"

namespace lutra::compressor {
namespace {

constexpr char kOperatorPrefix[] = "op:";

std::optional<int> ParseInt(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// Parses "3" or "1:3".
std::optional<TensorId> ParseIndex(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) {
    const auto tensor = ParseInt(text);
    return tensor ? std::optional<TensorId>({0, *tensor}) : std::nullopt;
  }
  const auto subgraph = ParseInt(std::string_view(text).substr(0, colon));
  const auto tensor = ParseInt(std::string_view(text).substr(colon + 1));
  return subgraph && tensor ? std::optional<TensorId>({*subgraph, *tensor}) : std::nullopt;
}

[[noreturn]] void Refuse(const ModelEditor& editor, const std::string& selector, const std::string& found,
                         const std::string& next) {
  throw host::BadInput(fmt::format("{}: tensor \"{}\": found {}, required: a tensor of the model; {}",
                                   editor.path(), selector, found, next));
}

bool IsConstant(const ModelEditor& editor, TensorId id) {
  return !editor.data(id.subgraph, id.tensor).empty() && !editor.tensor(id.subgraph, id.tensor).is_variable;
}

void AddConstantInputs(const ModelEditor& editor, int subgraph, const edit::OperatorT& op,
                       std::set<TensorId>* tensors) {
  for (const int32_t input : op.inputs) {
    if (input >= 0 && IsConstant(editor, {subgraph, input})) tensors->insert({subgraph, input});
  }
}

std::vector<TensorId> SelectByOperator(const ModelEditor& editor, const std::string& selector) {
  const std::string type = selector.substr(sizeof(kOperatorPrefix) - 1);
  std::set<TensorId> tensors;
  for (int s = 0; s < editor.subgraph_count(); ++s) {
    for (const auto& op : editor.subgraph(s).operators) {
      if (editor.NameOf(*op) == type) AddConstantInputs(editor, s, *op, &tensors);
    }
  }
  if (tensors.empty()) {
    Refuse(editor, selector, "no constant input of such an operator",
           "generic_benchmark --inspect lists them");
  }
  return {tensors.begin(), tensors.end()};
}

}  // namespace

std::string ToText(TensorId id) {
  return id.subgraph == 0 ? fmt::format("{}", id.tensor) : fmt::format("{}:{}", id.subgraph, id.tensor);
}

std::vector<TensorId> SelectTensors(const ModelEditor& editor, const std::string& selector) {
  if (selector.starts_with(kOperatorPrefix)) return SelectByOperator(editor, selector);
  if (const auto id = ParseIndex(selector)) {
    const bool exists = id->subgraph >= 0 && id->subgraph < editor.subgraph_count() && id->tensor >= 0 &&
                        id->tensor < static_cast<int>(editor.subgraph(id->subgraph).tensors.size());
    if (!exists)
      Refuse(editor, selector, "no tensor of this index", "generic_benchmark --inspect lists them");
    return {*id};
  }
  const bool pattern = selector.find_first_of("*?") != std::string::npos;
  std::vector<TensorId> tensors;
  for (int s = 0; s < editor.subgraph_count(); ++s) {
    for (int t = 0; t < static_cast<int>(editor.subgraph(s).tensors.size()); ++t) {
      const std::string& name = editor.tensor(s, t).name;
      const bool chosen =
          pattern ? host::Matches(selector, name) && IsConstant(editor, {s, t}) : name == selector;
      if (chosen) tensors.push_back({s, t});
    }
  }
  if (tensors.empty()) {
    Refuse(editor, selector, pattern ? "no constant whose name matches" : "no tensor of this name",
           "generic_benchmark --inspect lists them");
  }
  if (!pattern && tensors.size() > 1) {
    Refuse(editor, selector, fmt::format("{} tensors of this name", tensors.size()),
           fmt::format("name it by its index, {}", ToText(tensors[0])));
  }
  return tensors;
}

std::vector<TensorId> SelectSteps(const ModelEditor& editor, const std::string& step) {
  const auto& operators = editor.subgraph(0).operators;
  const auto count = static_cast<int64_t>(operators.size());
  const auto refuse = [&] {
    throw host::BadInput(
        fmt::format("{}: step \"{}\": found {} operators, required: N or N:M among them, negative "
                    "numbers from the end; generic_benchmark --inspect lists them",
                    editor.path(), step, count));
  };
  // The numbers have 64 bits, so that the one after the largest int32 does not overflow.
  const auto place = [&](std::string_view text, int64_t if_empty) {
    if (text.empty()) return if_empty;
    const auto number = ParseInt(text);
    if (!number) refuse();
    return *number < 0 ? *number + count : int64_t{*number};
  };
  const size_t colon = step.find(':');
  const bool range = colon != std::string::npos;
  const std::string_view text(step);
  const int64_t first = place(text.substr(0, colon), range ? 0 : -1);
  const int64_t end = range ? place(text.substr(colon + 1), count) : first + 1;
  if (first < 0 || end > count || first >= end) refuse();
  std::set<TensorId> tensors;
  for (int64_t i = first; i < end; ++i)
    AddConstantInputs(editor, 0, *operators[static_cast<size_t>(i)], &tensors);
  return {tensors.begin(), tensors.end()};
}

}  // namespace lutra::compressor

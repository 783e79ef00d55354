// SPDX-License-Identifier: Apache-2.0
// Writes a report as Markdown.

#include <fmt/format.h>

#include "host/printable.h"
#include "reports/writers.h"

namespace lutra::reports {
namespace {

// Escapes bars, which would end a cell.
std::string EscapedLine(const std::string& line) {
  std::string escaped;
  for (const char c : host::Printable(line)) {
    if (c == '<') {
      escaped += "&lt;";
    } else if (c == '|' || c == '*' || c == '_' || c == '`' || c == '\\' || c == '[') {
      escaped += std::string("\\") + c;
    } else {
      escaped += c;
    }
  }
  return escaped;
}

// Replaces line breaks, which would end a cell, too.
std::string Escaped(const std::string& text) {
  std::string escaped;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    escaped += EscapedLine(text.substr(begin, end - begin)) + "<br>";
    begin = end + 1;
  }
  return escaped + EscapedLine(text.substr(begin));
}

std::string CellText(const Cell& cell) {
  const std::string text = Escaped(cell.text);
  return cell.tone == Tone::kBad ? "**" + text + "**" : text;
}

std::string TableText(const Table& table) {
  std::string text = "|", line = "|";
  for (const std::string& column : table.columns) {
    text += " " + Escaped(column) + " |";
    line += "---|";
  }
  text += "\n" + line + "\n";
  std::string details;
  for (const auto& row : table.rows) {
    text += "|";
    for (size_t i = 0; i < row.size(); ++i) {
      text += " " + CellText(row[i]) + " |";
      if (row[i].tone != Tone::kBad && row[i].tone != Tone::kWarning) continue;
      for (const std::string& detail : row[i].details) details += "- " + Escaped(detail) + "\n";
    }
    text += "\n";
  }
  return text + "\n" + (details.empty() ? "" : details + "\n");
}

}  // namespace

std::string WriteMarkdown(const Report& report) {
  std::string text = fmt::format("# {}\n\n{}\n\n", report.title, report.summary);
  for (const Section& section : report.sections) {
    text += fmt::format("## {}\n\n", section.title);
    if (!section.text.empty()) text += section.text + "\n\n";
    if (!section.verdict.text.empty()) text += CellText(section.verdict) + "\n\n";
    for (const Table& table : section.tables) {
      if (section.tables.size() > 1 || table.folded) text += fmt::format("### {}\n\n", Escaped(table.title));
      text += TableText(table);
    }
  }
  return text;
}

}  // namespace lutra::reports

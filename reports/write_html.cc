// SPDX-License-Identifier: Apache-2.0
// Writes the report as one page of HTML, which contains its scripts and data.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "host/markup.h"
#include "host/sha256.h"
#include "reports/chart_js.h"
#include "reports/page_html.h"
#include "reports/writers.h"

namespace lutra::reports {
namespace {

using PageJson = nlohmann::ordered_json;

const char* ClassOf(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kWarning:
      return "warning";
    case Tone::kBad:
      return "bad";
    case Tone::kQuiet:
      return "quiet";
    default:
      return "plain";
  }
}

// Returns the lines of a cell or of a heading.
std::string Lines(const std::string& text) {
  std::string html;
  size_t begin = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    html += host::Markup(text.substr(begin, end - begin)) + "<br>";
    begin = end + 1;
  }
  return html + host::Markup(text.substr(begin));
}

// Returns a name that a narrow column may break at underscores and dots.
std::string Breakable(const std::string& name) {
  std::string html;
  for (const char c : Lines(name)) {
    html += c;
    if (c == '_' || c == '.') html += "<wbr>";
  }
  return html;
}

std::string CellHtml(const Cell& cell, bool names_row, bool number) {
  const char* const tag = names_row ? "th" : "td";
  std::string html = fmt::format("<{} class=\"{}{}\"", tag, ClassOf(cell.tone), number ? " number" : "");
  if (names_row) html += " scope=\"row\"";
  if (!cell.exact.empty()) {
    html += fmt::format(" data-exact=\"{0}\" title=\"{0}{1}{2}\"", host::Markup(cell.exact),
                        cell.unit.empty() ? "" : " ", host::Markup(cell.unit));
  }
  html += ">";
  std::string text = names_row ? Breakable(cell.text) : Lines(cell.text);
  if (cell.code) text = "<code>" + text + "</code>";
  if (cell.details.empty()) {
    html += text;
  } else {
    html += "<details><summary>" + text + "</summary><ul>";
    for (const std::string& line : cell.details) html += "<li>" + host::Markup(line) + "</li>";
    html += "</ul></details>";
  }
  return html + fmt::format("</{}>", tag);
}

std::string TableHtml(const Table& table, const std::string& section) {
  std::string html = "<table>\n<thead><tr>";
  std::vector<bool> numbers;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    numbers.push_back(std::any_of(table.rows.begin(), table.rows.end(), [i](const auto& row) {
      return i < row.size() && (!row[i].exact.empty() || row[i].text.ends_with(" %"));
    }));
    html += fmt::format("<th scope=\"col\"{}>{}</th>", numbers[i] ? " class=\"number\"" : "",
                        Breakable(table.columns[i]));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    html += "<tr>";
    for (size_t i = 0; i < row.size(); ++i) html += CellHtml(row[i], i == 0, numbers[i]);
    html += "</tr>\n";
  }
  html += "</tbody></table>";
  // A wide table scrolls by itself, with the keyboard too.
  html = fmt::format(
      "<p class=\"hint\">Wider than the page: scroll sideways for more columns.</p>\n"
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">{}</div>\n",
      host::Markup(table.title), html);
  if (!table.folded && table.title == section) return html;
  if (!table.folded) return fmt::format("<h3>{}</h3>\n{}", host::Markup(table.title), html);
  return fmt::format("<details class=\"folded\"><summary>{}</summary>\n{}</details>\n",
                     host::Markup(table.title), html);
}

std::string FigureHtml(const Chart& chart, size_t number) {
  return fmt::format(
      "<figure class=\"chart\"><figcaption>{}, {}</figcaption><div><canvas "
      "data-chart=\"{}\" role=\"img\" "
      "aria-label=\"{}\"></canvas></div></figure>\n",
      host::Markup(chart.title), host::Markup(chart.unit), number, host::Markup(chart.title));
}

PageJson ChartJson(const Chart& chart) {
  PageJson series = PageJson::array();
  for (const Series& s : chart.series) {
    PageJson values = PageJson::array();
    for (const auto& value : s.values) values.push_back(value ? PageJson(*value) : PageJson(nullptr));
    series.push_back({{"name", s.name}, {"values", values}});
  }
  return {{"title", chart.title},
          {"unit", chart.unit},
          {"labels", chart.labels},
          {"stacked", chart.stacked},
          {"logarithmic", chart.logarithmic},
          {"series", series}};
}

// Returns JSON for a script element. "</script" would end the element, and after "<!--<script" nothing would:
// so every "<", which occurs in strings alone, is escaped.
std::string ScriptText(const PageJson& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', false, PageJson::error_handler_t::replace)) {
    text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return text;
}

// Returns the source by which a Content-Security-Policy allows an element of this text.
std::string HashSource(const std::string& text) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex = host::Sha256(text.data(), text.size()) + "00";  // 258 bits are 43 digits.
  std::string base64;
  for (size_t i = 0; i + 3 <= hex.size(); i += 3) {
    const unsigned long bits = std::stoul(hex.substr(i, 3), nullptr, 16);
    base64 += {kDigits[bits >> 6], kDigits[bits & 63]};
  }
  base64.resize(43);
  return "'sha256-" + base64 + "='";
}

// Returns the text of the page's own element, which is the last of its kind.
std::string ElementText(const std::string& tag) {
  const std::string page = kPageHtml, open = "<" + tag + ">";
  const size_t begin = page.rfind(open) + open.size();
  return page.substr(begin, page.find("</" + tag + ">", begin) - begin);
}

// Allows the page's own parts and nothing else: anything that a result file smuggled into the page could not
// run, load or send.
std::string ContentSecurityPolicy() {
  return fmt::format(
      "default-src 'none'; script-src {} {}; style-src {}; img-src data:; base-uri 'none'; form-action "
      "'none'",
      HashSource(kChartJs), HashSource(ElementText("script")), HashSource(ElementText("style")));
}

// Returns `page` with {{name}} replaced by the value of the name; values are not searched.
std::string Fill(const std::string& page, const std::map<std::string, std::string>& values) {
  std::string text;
  size_t begin = 0;
  for (size_t at = page.find("{{"); at != std::string::npos; at = page.find("{{", begin)) {
    const size_t end = page.find("}}", at);
    text += page.substr(begin, at - begin) + values.at(page.substr(at + 2, end - at - 2));
    begin = end + 2;
  }
  return text + page.substr(begin);
}

}  // namespace

std::string WriteHtml(const Report& report) {
  const bool has_charts = std::string_view(kChartJs).size() > 0;
  PageJson charts = PageJson::array();
  std::string contents, body;
  for (const Section& section : report.sections) {
    contents += fmt::format("<a href=\"#{}\">{}</a>\n", section.id, host::Markup(section.title));
    body += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", section.id, host::Markup(section.title));
    if (!section.text.empty()) body += fmt::format("<p>{}</p>\n", host::Markup(section.text));
    if (!section.verdict.text.empty()) {
      body += fmt::format("<p class=\"line {}\">{}</p>\n", ClassOf(section.verdict.tone),
                          host::Markup(section.verdict.text));
    }
    std::string figures, folded;
    for (const Chart& chart : section.charts) {
      if (!has_charts) break;
      (chart.folded ? folded : figures) += FigureHtml(chart, charts.size());
      charts.push_back(ChartJson(chart));
    }
    if (!figures.empty()) body += "<div class=\"charts\">\n" + figures + "</div>\n";
    if (!folded.empty()) {
      body += fmt::format(
          "<details class=\"folded\"><summary>{}</summary>\n<div "
          "class=\"charts\">\n{}</div></details>\n",
          figures.empty() ? "Charts" : "Charts of the other models", folded);
    }
    for (const Picture& picture : section.pictures) {
      const std::string title = host::Markup(picture.title);
      body += picture.folded
                  ? fmt::format("<details class=\"folded picture\"><summary>{}</summary>\n{}</details>\n",
                                title, picture.svg)
                  : fmt::format("<figure class=\"picture\"><figcaption>{}</figcaption>{}</figure>\n", title,
                                picture.svg);
    }
    for (const Table& table : section.tables) body += TableHtml(table, section.title);
    body += "</section>\n";
  }
  if (report.sections.empty()) body = "<p>Nothing changed.</p>\n";
  contents += "<a href=\"#reading\">How to read this page</a>\n";
  return Fill(kPageHtml,
              {{"title", host::Markup(report.title)},
               {"policy", ContentSecurityPolicy()},
               {"summary", host::Markup(report.summary)},
               {"contents", contents},
               {"body", body},
               {"charts", ScriptText(charts)},
               {"no_charts", has_charts ? ""
                                        : "<p class=\"note\">Without charts: chart.js was not there when "
                                          "make_report was built. The tables hold every figure.</p>"},
               {"chart_js", kChartJs}});
}

}  // namespace lutra::reports

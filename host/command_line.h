// SPDX-License-Identifier: Apache-2.0
// Parses and runs a command line: errors of CLI11 become one line each, and the documented exit codes.

#pragma once

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "host/failures.h"
#include "host/wrap.h"

namespace lutra::host {

// CLI11's help in lines of kColumns.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return Wrapped(CLI::Formatter::make_option(option, is_positional), column_width_);
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    return Wrapped(CLI::Formatter::make_subcommand(verb), column_width_);
  }
  std::string make_description(const CLI::App* app) const override {
    return Wrapped(CLI::Formatter::make_description(app));
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return Wrapped(CLI::Formatter::make_usage(app, std::move(name)), 2);
  }
  std::string make_footer(const CLI::App* app) const override {
    return Wrapped(Paragraphs(CLI::Formatter::make_footer(app)));
  }

 private:
  // Lines of a paragraph joined: not those of a table or an example, which are indented or have gaps.
  static std::string Paragraphs(std::string text) {
    const auto is_text = [](const std::string& line) {
      return !line.empty() && line[0] != ' ' && line.back() != ':' && line.find("  ") == std::string::npos;
    };
    std::string before;
    for (size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string line = text.substr(begin, end - begin);
      if (is_text(before) && is_text(line)) text[begin - 1] = ' ';
      before = line;
    }
    return text;
  }
};

// Makes the help of `app` and its verbs as wide as a terminal, and refuses values that CLI11 takes although
// they are mistakes: an empty value, which comes of an empty shell variable, unless the option's help says
// what "" stands for; "nan" and numbers out of range; a minus sign before a number that has no sign.
inline void CheckValues(CLI::App& app) {
  app.formatter(std::make_shared<HelpFormatter>());
  for (CLI::Option* const option : app.get_options()) {
    if (option->get_items_expected_max() == 0 || option->get_type_size_max() == 0) continue;  // A flag.
    const std::string type = option->get_type_name();
    const bool takes_empty = option->get_description().find("\"\"") != std::string::npos;
    const auto check = [type, takes_empty](const std::string& value) -> std::string {
      if (value.empty())
        return takes_empty ? "" : "found an empty value; leave the option out or give it one";
      if (type.starts_with("UINT") && value[0] == '-') return "found " + value + ", required: no sign";
      errno = 0;
      if (type.starts_with("UINT") && (std::strtoull(value.c_str(), nullptr, 0), errno == ERANGE)) {
        return "found " + value + ", required: at most 18446744073709551615";
      }
      // "nan" and "1e999" are no numbers that a user means.
      const bool is_number = value.find_first_of("0123456789") != std::string::npos &&
                             std::isfinite(std::strtod(value.c_str(), nullptr));
      if (type.starts_with("FLOAT") && !is_number) return "found " + value + ", required: a number";
      return "";
    };
    option->check(CLI::Validator(check, ""));
  }
  for (CLI::App* const verb : app.get_subcommands({})) CheckValues(*verb);
}

// Describes in one line what is wrong with a command line. CLI11 asks for what is missing before it looks at
// options that do not exist, and takes the value of such an option for another argument: so those are named
// first.
inline std::string DescribeMisuse(const CLI::App& app, const CLI::ParseError& error) {
  // CLI11 gives an ExtrasError the name of the verb.
  if (dynamic_cast<const CLI::RequiredError*>(&error) || dynamic_cast<const CLI::ExtrasError*>(&error) ||
      dynamic_cast<const CLI::ExcludesError*>(&error)) {
    const std::vector<std::string> unknown = app.remaining(true);
    for (const std::string& word : unknown) {
      if (word.size() > 1 && word[0] == '-' && word != "--")
        return word.substr(0, word.find('=')) + ": there is no such option";
    }
    if (!unknown.empty() && app.get_require_subcommand_min() > 0 && app.get_subcommands().empty())
      return unknown.front() + ": there is no such verb";
  }
  return error.what();
}

// Parses the line, which runs the callbacks of its verbs, then calls `run`, which returns the exit code.
// Throws BadUsage for misuse, which either may throw as a CLI::ParseError; --help and --version end with 0.
template <typename Run>
int ParseAndRun(CLI::App& app, int argc, char** argv, const Run& run) {
  try {
    CheckValues(app);
    app.parse(argc, argv);
    return run();
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    throw BadUsage(DescribeMisuse(app, error));
  }
}

}  // namespace lutra::host

// The formatters and linters that Helve knows: for which languages, how they are called, how installed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::checkers {

enum class Purpose { kFormat, kLint };

// How to read what a program prints.
enum class Reader { kText, kPylint, kFlake8, kEslint, kClangTidy, kCppcheck, kShellcheck };

// A file beside the checked one or in a directory above it; with words, one of them has to be in the file.
struct Sign {
  std::string_view files = {};  // names with spaces between them; empty: always there
  std::string_view words = {};  // with spaces between them; empty: the file's being there is enough
};

// One row of the table. Lists are words with a space between them.
struct CheckerSpec {
  std::string_view name = {};
  Purpose purpose = Purpose::kFormat;
  std::string_view languages = {};  // ids of workspace/language.h
  std::string_view programs = {};   // names to look for, the best first
  // {path} is the file's absolute path; {language}, {edition} and {database} see command.cc.
  std::string_view arguments = {};
  bool takes_input = true;  // reads the text from stdin; otherwise the file itself
  Reader reader = Reader::kText;
  // That the project means this one, when there are several for a language.
  std::span<const Sign> configuration = {};
  // That it would run code of the project: a configuration that is a program, or that names plugins.
  std::span<const Sign> code = {};
  // Where it starts: the nearest directory with one of these, else the workspace; empty: the file's
  // directory.
  std::string_view start_markers = {};
  std::string_view install = {};
};

// In the order in which they are taken when nothing speaks for one of them.
[[nodiscard]] std::span<const CheckerSpec> checker_table();

// Those for a language; all of a purpose when it is empty.
[[nodiscard]] std::vector<const CheckerSpec*> checkers_for(Purpose purpose, std::string_view language);

// "formatter", "linter"
[[nodiscard]] std::string_view noun_of(Purpose purpose);

// The words of a list.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view list);

// What is there for a list of programs: found in PATH or not, and how to install it.
struct CheckerStatus {
  const CheckerSpec* spec = nullptr;
  std::string program = {};  // absolute; empty when it is not in PATH
};
[[nodiscard]] std::vector<CheckerStatus> checker_status();

}  // namespace helve::checkers

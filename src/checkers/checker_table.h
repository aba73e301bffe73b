// The table of supported formatters and linters: languages, command lines, installation.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve::checkers {

enum class Purpose { kFormat, kLint };

// The format of a program's output.
enum class Reader {
  kText,
  kDiff,
  kPylint,
  kFlake8,
  kEslint,
  kClangTidy,
  kCppcheck,
  kShellcheck,
  kRuff,
  kBiome,
  kOxlint,
  kDenoLint,
  kRubocop,
  kGolangciLint,
  kKtlint,
};

// A file in the directory of the checked file or above it. If there are words, the file must contain one.
struct Sign {
  std::string_view files = {};  // names separated by spaces; empty: always present
  std::string_view words = {};  // separated by spaces; empty: the file only has to exist
};

// One row of the table. Lists are separated by spaces.
struct CheckerSpec {
  std::string_view name = {};
  Purpose purpose = Purpose::kFormat;
  std::string_view languages = {};  // ids of text/language.h
  std::string_view programs = {};   // names to search for, best first
  // {path} is the file's absolute path, {extension} its extension; for {language}, {edition} and {database}
  // see make_command().
  std::string_view arguments = {};
  bool takes_input = true;  // reads the text from stdin; otherwise from the file
  Reader reader = Reader::kText;
  // Shows that the project uses this program.
  std::span<const Sign> configuration = {};
  // Shows that it would run project code: a configuration that is a program or names plugins.
  std::span<const Sign> code = {};
  // Its working directory is the nearest one with one of these files, else the workspace. Empty: the file's
  // directory.
  std::string_view start_markers = {};
  std::string_view install = {};
  // Not used for a project that does not configure it, unless the caller names it.
  bool needs_configuration = false;
  // Shows that it works better here than the others, if nothing is configured.
  std::span<const Sign> preference = {};
  // An exit code besides 0 that comes with a formatted text.
  int accepted_exit_code = 0;
};

// In order of preference.
[[nodiscard]] std::span<const CheckerSpec> checker_table();

// The checkers for a language; all checkers of the purpose if `language` is empty.
[[nodiscard]] std::vector<const CheckerSpec*> checkers_for(Purpose purpose, std::string_view language);

// "formatter", "linter"
[[nodiscard]] std::string_view noun_of(Purpose purpose);

// Splits a list at spaces.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view list);

struct CheckerStatus {
  const CheckerSpec* spec = nullptr;
  std::string program = {};  // absolute; empty when it is not in PATH
};
[[nodiscard]] std::vector<CheckerStatus> checker_status();

}  // namespace helve::checkers

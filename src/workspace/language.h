// Which programming or markup language a file is in, by its name and, where that does not tell, by its first
// lines.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace helve {

struct Language {
  std::string_view id;    // as in the Language Server Protocol, where that has one: "cpp", "shellscript"
  std::string_view name;  // for people: "C++", "Shell script"

  bool operator==(const Language&) const = default;
};

// `beginning` is the start of the content as UTF-8, a kilobyte is plenty; it may be empty. Nothing for plain
// text and for what is not known.
[[nodiscard]] std::optional<Language> language_of(std::string_view path, std::string_view beginning = {});

// One row of the table. The lists are words with a space between them.
struct LanguageRow {
  Language language;
  std::string_view extensions;    // without the dot, lower case
  std::string_view file_names;    // whole names, lower case
  std::string_view interpreters;  // in a `#!` line, without version numbers
};

[[nodiscard]] std::span<const LanguageRow> language_table();

}  // namespace helve

// Detects the programming or markup language of a file by its name or first lines.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace helve::text {

struct Language {
  std::string_view id;    // from the Language Server Protocol, if it has one: "cpp", "shellscript"
  std::string_view name;  // for display: "C++", "Shell script"

  bool operator==(const Language&) const = default;
};

// `beginning` is the start of the content as UTF-8; one kilobyte is enough, and it may be empty. nullopt for
// plain text and unknown languages.
[[nodiscard]] std::optional<Language> language_of(std::string_view path, std::string_view beginning = {});

// One row of the table. The lists are separated by spaces.
struct LanguageRow {
  Language language;
  std::string_view extensions;    // without the dot, lower case
  std::string_view file_names;    // whole names, lower case
  std::string_view interpreters;  // in a `#!` line, without version numbers
};

[[nodiscard]] std::span<const LanguageRow> language_table();

}  // namespace helve::text

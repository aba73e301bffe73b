// The grammars that are compiled in, with the queries for their languages; written by cmake/Grammars.cmake.
#pragma once

#include <tree_sitter/api.h>

#include <span>
#include <string_view>

namespace helve::code {

struct GrammarRow {
  std::string_view languages;  // ids as in workspace/language.h, with commas between them
  const TSLanguage* (*function)();
  std::string_view query;
};

[[nodiscard]] std::span<const GrammarRow> grammar_table();

}  // namespace helve::code

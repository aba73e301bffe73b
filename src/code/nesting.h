// Turns query results into symbols: names them, nests them and drops local ones.
#pragma once

#include <string_view>
#include <vector>

#include "code/query_run.h"
#include "code/symbol.h"

namespace helve::code {

// A symbol with its syntax nodes, which add_details() needs.
struct Definition {
  FoundDefinition found;
  Symbol symbol;
  TSNode function = {};  // the function_declarator, in C and C++
  TSNode body = {};
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t name_begin = 0;
  std::string_view pointers = {};  // of a return type in C
};

// In text order, parents before their members. symbol.parent is an index into the result.
[[nodiscard]] std::vector<Definition> nest_definitions(const Findings& findings, std::string_view text);

}  // namespace helve::code

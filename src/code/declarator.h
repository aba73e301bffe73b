// Finds the name in a declaration as C and C++ write it: around the name instead of before it.
#pragma once

#include <string_view>

#include "code/syntax.h"

namespace helve::code {

struct DeclaredName {
  TSNode name = {};                // null when there is none
  TSNode function = {};            // the function_declarator around it, if it declares a function
  std::string_view scope = {};     // Foo in Foo::bar
  std::string_view pointers = {};  // the stars and ampersands before the name
};

[[nodiscard]] DeclaredName find_declared_name(TSNode declarator, std::string_view text);

}  // namespace helve::code

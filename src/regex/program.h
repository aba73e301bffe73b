// What a pattern is compiled to.
#pragma once

#include "regex/hir.h"
#include "regex/nfa.h"

namespace helve::regex {

// Owned by all Regex and Finder objects of the pattern together; never changes.
struct Program {
  Hir hir;
  Nfa forward;   // finds where matches end
  Nfa backward;  // finds where they begin
};

}  // namespace helve::regex

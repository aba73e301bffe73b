// A compiled pattern: its automata, and the literals to look for before running them.
#pragma once

#include <optional>
#include <string>

#include "helve/error.h"
#include "regex/regex.h"
#include "search/needle_scan.h"
#include "search/needles.h"

namespace helve::search {

// Immutable; shared by all threads of a search.
struct Pattern {
  regex::Regex regex;
  std::optional<NeedleScan> scan;   // nullopt: the automaton must read every byte
  bool scan_finds_matches = false;  // every line that `scan` finds matches, so the automaton need not run
  std::string whole_pattern;        // the literal text of the pattern; empty if it is not a literal
  bool across_lines = false;
  bool crlf = false;
  std::size_t states = 0;  // number of automaton states: a bound for the cost of a step
};

[[nodiscard]] Expected<Pattern> compile_pattern(const std::string& pattern,
                                                const regex::SyntaxOptions& syntax);

// Whether ^ and $ treat \r\n as a line ending: yes, unless the pattern contains \r.
[[nodiscard]] bool wants_crlf(const std::string& pattern, const regex::SyntaxOptions& syntax);

}  // namespace helve::search

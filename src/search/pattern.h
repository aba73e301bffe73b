// A pattern made ready for searching: its automata, and what to look for before they are asked.
#pragma once

#include <optional>
#include <string>

#include "helve/error.h"
#include "regex/regex.h"
#include "search/needle_scan.h"
#include "search/needles.h"

namespace helve::search {

// Never changes; shared by all threads of a search.
struct Pattern {
  regex::Regex regex;
  std::optional<NeedleScan> scan;   // nothing: every byte has to be matched
  bool scan_finds_matches = false;  // so that the automaton need not be asked whether a line matches
  std::string whole_pattern;        // the text that the pattern is, if it is no more than that
  bool across_lines = false;
  bool crlf = false;
  std::size_t states = 0;  // of the automaton: how slow a step can get
};

[[nodiscard]] Expected<Pattern> compile_pattern(const std::string& pattern,
                                                const regex::SyntaxOptions& syntax);

// Whether ^ and $ shall take \r\n as the end of a line: yes, unless the pattern speaks of \r itself.
[[nodiscard]] bool wants_crlf(const std::string& pattern, const regex::SyntaxOptions& syntax);

}  // namespace helve::search

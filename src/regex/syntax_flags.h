// The switches that (?i) and its like turn, as they stand at a place in a pattern.
#pragma once

namespace helve::regex {

struct Flags {
  bool ignore_case = false;             // i
  bool multi_line = true;               // m: ^ and $ match at lines
  bool dot_matches_line_break = false;  // s
  bool swap_greed = false;              // U
  bool unicode = true;                  // u
  bool crlf = false;                    // R
  bool ignore_space = false;            // x
};

}  // namespace helve::regex

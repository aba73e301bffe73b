// A search of file contents: what is asked, what is answered, and who can answer it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "helve/error.h"
#include "regex/syntax.h"
#include "search/walker.h"

namespace helve::search {

// The last line of an answer, from where the next one goes on.
struct GrepPosition {
  std::string path;
  std::size_t line = 0;

  bool operator==(const GrepPosition&) const = default;
};

struct GrepQuery {
  // Lines with their text, how many there are in each file, or how many in all.
  enum class Wanted { kMatches, kCounts, kTotals };

  std::string pattern;
  regex::SyntaxOptions syntax = {};
  std::string path = {};  // a file or directory as the caller named it; empty: the workspace
  // A file must match one of those, if there are any, and none that begins with `!`.
  std::vector<std::string> file_globs = {};
  bool hidden = false;
  bool ignored = false;
  Wanted wanted = Wanted::kMatches;
  std::size_t context_lines = 0;
  std::size_t most_matches = 100;  // lines with matches, or files when their counts are wanted
  std::optional<GrepPosition> after = {};
  std::size_t longest_line = 400;  // bytes of a line that are shown
};

// Where on a line something matched, in bytes, counting from 0.
struct Submatch {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Submatch&) const = default;
};

struct FoundLine {
  std::size_t number = 0;
  std::string text = {};        // without its ending; cut around the first match when it is long
  std::size_t text_begin = 0;   // bytes of the line that were left out before the text
  std::size_t bytes = 0;        // of the whole line
  std::size_t last_number = 0;  // where it ends; the same number, unless a match goes over lines
  // Of a line with a match, in order, the first ones; empty for a line of context. With patterns that go over
  // lines, positions count from the start of the first line.
  std::vector<Submatch> matches = {};

  [[nodiscard]] bool is_match() const { return !matches.empty(); }
  bool operator==(const FoundLine&) const = default;
};

struct FoundFile {
  std::string path;
  std::size_t matches = 0;  // lines with a match
  std::vector<FoundLine> lines = {};

  bool operator==(const FoundFile&) const = default;
};

struct GrepAnswer {
  std::vector<FoundFile> files = {};  // in walking order
  std::size_t matches = 0;            // lines with a match
  std::size_t files_with_matches = 0;
  bool more = false;                              // the limit was reached and there is more
  bool stopped = false;                           // the time was up, or the caller wants no more
  std::optional<std::size_t> files_searched = 0;  // nothing: the engine did not say
  std::size_t unreadable_files = 0;
  std::size_t files_too_large = 0;  // for a pattern that goes over lines
  std::size_t binary_files = 0;     // with a match, but left out
  std::string reached = {};         // everything up to this file was searched
  WalkReport walk = {};
  std::string engine = {};
};

using ShouldStop = std::function<bool()>;

}  // namespace helve::search

// Searches file contents: the query, the answer, and the two engines.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "helve/error.h"
#include "helve/log.h"
#include "regex/syntax.h"
#include "search/file_types.h"
#include "search/search_scope.h"
#include "search/walker.h"
#include "workspace/root.h"

namespace helve::search {

// The last line of an answer. The next page starts after it.
struct GrepPosition {
  std::string path;
  std::size_t line = 0;

  bool operator==(const GrepPosition&) const = default;
};

struct GrepQuery {
  // kMatches: lines with their text. kCounts: matching lines per file. kTotals: one total. kFilesWithout:
  // files without a match.
  enum class Wanted { kMatches, kCounts, kTotals, kFilesWithout };

  std::string pattern;
  regex::SyntaxOptions syntax = {};
  std::string path = {};  // a file or directory as the caller wrote it; empty: the workspace
  // If not empty, a file must match one of these and none that begins with `!`.
  std::vector<std::string> file_globs = {};
  std::vector<std::string> rule_globs = {};  // exclusions by permission rules, which begin with `!`
  // Whether rules hide a path from the caller; called for files behind links, from all threads. May be empty.
  std::function<bool(const std::string& path)> hides = {};
  FileTypes types = {};
  bool hidden = false;
  bool ignored = false;
  bool follow = false;  // symlinks within the workspace
  bool newest_first = false;
  bool invert = false;  // lines without a match
  Wanted wanted = Wanted::kMatches;
  std::size_t lines_before = 0;  // context
  std::size_t lines_after = 0;
  std::size_t most_matches = 100;  // limit on matching lines, or on files unless lines are wanted
  std::size_t most_per_file = std::numeric_limits<std::size_t>::max();  // matching lines
  std::optional<GrepPosition> after = {};
  std::size_t longest_line = 400;  // longer lines are shortened to this many bytes
  // Called by one thread at a time, now and then, with the number of files that were searched so far.
  std::function<void(std::size_t files)> on_progress = {};
};

// Byte offsets of a match on its line, counted from 0.
struct Submatch {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool operator==(const Submatch&) const = default;
};

struct FoundLine {
  std::size_t number = 0;
  std::string text = {};        // without line ending; a long line is shortened around its first match
  std::size_t text_begin = 0;   // bytes of the line that were omitted before `text`
  std::size_t bytes = 0;        // of the whole line
  std::size_t last_number = 0;  // number of the last line; differs from `number` if a match spans lines
  // The first matches on the line, in order; empty for a context line. If matches span lines, offsets count
  // from the start of the first line. A line that is found because it has no match has one empty match.
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
  std::vector<FoundFile> files = {};              // in walking order
  std::size_t matches = 0;                        // lines with a match
  std::size_t files_found = 0;                    // with a match, or without one if those are wanted
  bool more = false;                              // the limit was reached and more matches exist
  bool stopped = false;                           // timed out or cancelled
  std::optional<std::size_t> files_searched = 0;  // nullopt: unknown
  std::size_t unreadable_files = 0;
  std::size_t files_too_large = 0;  // too large for a multi-line pattern
  std::size_t binary_files = 0;     // binary files that match but were omitted
  std::string reached = {};         // all files up to this path were searched
  WalkReport walk = {};
  std::string engine = {};
};

// The files that the query's globs and types choose, in a search that starts at `directory`.
[[nodiscard]] Expected<FileChoice> choice_for(const GrepQuery& query, std::string_view directory);

using ShouldStop = std::function<bool()>;

enum class Engine { kAuto, kRipgrep, kBuiltin };

struct EngineChoice {
  Engine engine = Engine::kAuto;
  std::string ripgrep = "rg";  // a program name to look up in PATH, or an absolute path
};

// Searches with the engine of `choice`. Both engines give the same answer. If ripgrep is missing, fails or is
// killed, logs a warning and uses the built-in engine.
[[nodiscard]] Expected<GrepAnswer> grep(const workspace::Root& root, const GrepQuery& query,
                                        const EngineChoice& choice, Logger& logger,
                                        const ShouldStop& should_stop);

// The built-in engine. Thread-safe. All threads of the search call `should_stop` often.
[[nodiscard]] Expected<GrepAnswer> grep_builtin(const workspace::Root& root, const GrepQuery& query,
                                                const ShouldStop& should_stop);

// The ripgrep engine. Returns UNAVAILABLE if ripgrep failed, was killed, or does not support the query; fall
// back to grep_builtin(). Other errors are caused by the query.
[[nodiscard]] Expected<GrepAnswer> grep_ripgrep(const workspace::Root& root, const GrepQuery& query,
                                                const std::string& program, const ShouldStop& should_stop);

}  // namespace helve::search

// Finds files by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "helve/error.h"
#include "search/grep.h"
#include "search/walker.h"
#include "workspace/root.h"

namespace helve::search {

struct FindQuery {
  enum class Order { kPath, kNewest };
  enum class Types { kFiles, kDirectories, kLinks, kAny };

  std::vector<std::string> globs;            // one must match; those that begin with `!` exclude
  std::vector<std::string> rule_globs = {};  // exclusions by permission rules, which begin with `!`
  bool ignore_case = false;                  // of the globs
  std::string path = {};                     // a directory as the caller wrote it; empty: the workspace
  Order order = Order::kPath;
  Types types = Types::kFiles;
  bool hidden = false;
  bool ignored = false;
  std::size_t most_results = 200;
  // Called by one thread at a time, now and then, with the number of entries that were seen so far.
  std::function<void(std::size_t entries)> on_progress = {};
  bool details = true;  // report size and time, at one system call per entry; required for kNewest
};

struct FoundEntry {
  std::string path;
  EntryType type = EntryType::kFile;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970

  bool operator==(const FoundEntry&) const = default;
};

struct FindAnswer {
  std::vector<FoundEntry> entries = {};
  std::size_t total = 0;  // all matches, including those over the limit
  bool stopped = false;   // timed out or cancelled
  WalkReport walk = {};
};

// Thread-safe. All threads of the search call `should_stop`.
[[nodiscard]] Expected<FindAnswer> find_files(const workspace::Root& root, const FindQuery& query,
                                              const ShouldStop& should_stop);

}  // namespace helve::search

// The search for files by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "helve/error.h"
#include "search/grep.h"
#include "search/walker.h"
#include "workspace/root.h"

namespace helve::search {

struct FindQuery {
  enum class Order { kPath, kNewest };
  enum class Types { kFiles, kDirectories, kAny };

  std::vector<std::string> globs;  // one of them must match; those with `!` in front exclude
  std::string path = {};           // a directory as the caller named it; empty: the workspace
  Order order = Order::kPath;
  Types types = Types::kFiles;
  bool hidden = false;
  bool ignored = false;
  std::size_t most_results = 200;
  bool details =
      true;  // size and time, which cost a system call for each entry; needed for the order by time
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
  std::size_t total = 0;  // that match, also those over the limit
  bool stopped = false;   // the time was up before everything was seen
  WalkReport walk = {};
};

// Safe from all threads at once. `should_stop` is asked from all threads of the search.
[[nodiscard]] Expected<FindAnswer> find_files(const Root& root, const FindQuery& query,
                                              const ShouldStop& should_stop);

}  // namespace helve::search

// Walks a directory tree with several threads and delivers its entries in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "search/glob_rules.h"
#include "search/ignore_rules.h"
#include "workspace/root.h"

namespace helve::search {

enum class EntryType : std::uint8_t { kFile, kDirectory, kLink };

// Default limit on finished batches that wait for an earlier one.
inline constexpr std::size_t kMostBatchesAhead = 512;

struct WalkOptions {
  std::string start = {};  // a directory, relative to the root; empty: the root itself
  bool hidden = false;     // include names that begin with a dot; `.git` directories are never entered
  bool ignored = false;    // include entries that ignore files exclude
  const FileGlobs* globs = nullptr;  // must outlive the walk
  const FileGlobs* shown = nullptr;  // hidden files that are included nevertheless; must outlive the walk
  bool deliver_directories = false;  // deliver each directory just before its entries
  bool deliver_links = false;        // deliver symlinks; they are never followed
  unsigned threads = 0;              // 0: one per processor; small trees use only the caller's thread
  std::size_t max_depth =
      std::numeric_limits<std::size_t>::max();  // 1: only the entries of the start directory
  std::size_t most_batches_ahead = kMostBatchesAhead;
  std::string after = {};                  // resume: skip everything at or before this path in walking order
  std::function<bool()> should_stop = {};  // called once per batch and directory, from all threads
  std::optional<IgnoreEnvironment> environment = {};  // nullopt: that of the process
};

struct FileEntry {
  std::string_view name;  // raw bytes, followed by a NUL
  EntryType type = EntryType::kFile;

  // For openat() with the batch's directory.
  [[nodiscard]] const char* c_str() const { return name.data(); }
};

// Up to kMostFilesInBatch entries of one directory, in name order.
inline constexpr std::size_t kMostFilesInBatch = 32;
struct FileBatch {
  int directory_fd = -1;            // for openat() in visit(); -1 in commit() or if the directory was removed
  std::string_view directory_path;  // relative to the root: "" or "a/b/"
  std::span<const FileEntry> files;
};

// Reports a count at every few thousand. Used by commit(), which runs on one thread at a time.
class SteppedCount {
 public:
  void add(std::size_t more, const std::function<void(std::size_t)>& report) {
    constexpr std::size_t kStep = 2048;
    const std::size_t before = count_;
    count_ += more;
    if (report && count_ / kStep != before / kStep) report(count_);
  }

 private:
  std::size_t count_ = 0;
};

// Processes the files of a walk. Owned by the caller of walk().
class Visitor {
 public:
  struct Findings {
    virtual ~Findings() = default;
  };

  virtual ~Visitor() = default;
  // Called concurrently from up to `threads` threads. `worker` is the number of the thread; the caller's is
  // 0.
  virtual std::unique_ptr<Findings> visit(unsigned worker, const FileBatch& batch) = 0;
  // Called for every batch in walk order, by one thread at a time. Returning false ends the walk.
  virtual bool commit(std::unique_ptr<Findings> findings, const FileBatch& batch) = 0;
};

struct WalkReport {
  std::size_t files = 0;        // entries handed to commit()
  std::size_t directories = 0;  // directories read
  std::size_t ignored = 0;      // entries excluded by ignore files; a directory counts once
  std::size_t hidden = 0;       // entries excluded because their name begins with a dot
  std::size_t not_chosen = 0;   // entries excluded by globs
  std::size_t links = 0;        // symlinks skipped
  std::size_t special = 0;      // FIFOs, sockets and devices skipped
  std::size_t unreadable = 0;   // directories that could not be read
  struct Unreadable {
    std::string path;
    std::string reason;
  };
  std::vector<Unreadable> first_unreadable = {};  // the first few, in order
  bool stopped = false;                           // by commit() or should_stop()
};

// Upper limit, regardless of the number of processors.
inline constexpr unsigned kMostWalkThreads = 64;
// Resolves WalkOptions::threads to a number of threads.
[[nodiscard]] unsigned walk_threads(unsigned wanted);

// Walk order: depth first; the entries of a directory by the bytes of their names, files and directories
// mixed.
[[nodiscard]] Expected<WalkReport> walk(const workspace::Root& root, const WalkOptions& options,
                                        Visitor& visitor);

// Compares paths by walk order: `a/b` comes before `a.c`, because `a` comes before `a.c`.
[[nodiscard]] inline bool walks_before(std::string_view left, std::string_view right) {
  for (std::size_t i = 0;; ++i) {
    if (i == left.size() || i == right.size()) return left.size() < right.size();
    if (left[i] == right[i]) continue;
    if (left[i] == '/' || right[i] == '/') return left[i] == '/';
    return static_cast<unsigned char>(left[i]) < static_cast<unsigned char>(right[i]);
  }
}

}  // namespace helve::search

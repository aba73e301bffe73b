// Goes through a directory tree with several threads and yet hands everything over in order.
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
#include "search/file_globs.h"
#include "search/ignore_rules.h"
#include "workspace/root.h"

namespace helve::search {

enum class EntryType : std::uint8_t { kFile, kDirectory, kLink };

// Finished batches that may wait for an earlier one, at most.
inline constexpr std::size_t kMostBatchesAhead = 512;

struct WalkOptions {
  std::string start = {};            // a directory, relative to the root; empty: the root itself
  bool hidden = false;               // also names that begin with a dot; `.git` directories are never entered
  bool ignored = false;              // take no notice of ignore files
  const FileGlobs* globs = nullptr;  // must outlive the walk
  bool deliver_directories = false;  // each one just before what it holds
  bool deliver_links = false;        // symbolic links, which are never followed
  unsigned threads = 0;              // 0: as many as there are processors; small trees need only the caller's
  std::size_t max_depth = std::numeric_limits<std::size_t>::max();  // 1: only what the start itself holds
  std::size_t most_batches_ahead = kMostBatchesAhead;
  std::string after = {};                  // resume: skip everything at or before this path in walking order
  std::function<bool()> should_stop = {};  // asked once per batch and directory, from all threads
  std::optional<IgnoreEnvironment> environment = {};  // nothing: that of the process
};

struct FileEntry {
  std::string_view name;  // bytes, followed by a NUL
  EntryType type = EntryType::kFile;

  // For openat() beneath the batch's directory.
  [[nodiscard]] const char* c_str() const { return name.data(); }
};

// Entries of one directory in name order, at most kMostFilesInBatch of them: a piece of the walk.
inline constexpr std::size_t kMostFilesInBatch = 32;
struct FileBatch {
  int directory_fd = -1;            // for openat() in visit(); -1 in commit(), and if the directory is gone
  std::string_view directory_path;  // relative to the root: "" or "a/b/"
  std::span<const FileEntry> files;
};

// What is done with the files. Owned by the caller of walk().
class Visitor {
 public:
  struct Findings {
    virtual ~Findings() = default;
  };

  virtual ~Visitor() = default;
  // Called from up to `threads` threads at once, each with its own number `worker` below that, 0 the
  // caller's.
  virtual std::unique_ptr<Findings> visit(unsigned worker, const FileBatch& batch) = 0;
  // Called for every batch in walking order, by one thread at a time. False ends the walk.
  virtual bool commit(std::unique_ptr<Findings> findings, const FileBatch& batch) = 0;
};

struct WalkReport {
  std::size_t files = 0;        // entries handed to commit()
  std::size_t directories = 0;  // that were read
  std::size_t ignored = 0;      // entries left out by ignore files; directories count once
  std::size_t hidden = 0;       // entries left out because of their dot
  std::size_t not_chosen = 0;   // entries left out by globs
  std::size_t links = 0;        // symbolic links left out
  std::size_t special = 0;      // FIFOs, sockets and devices left out
  std::size_t unreadable = 0;   // directories that could not be read
  struct Unreadable {
    std::string path;
    std::string reason;
  };
  std::vector<Unreadable> first_unreadable = {};  // some of them, in order
  bool stopped = false;                           // by commit() or should_stop()
};

// However many processors there are.
inline constexpr unsigned kMostWalkThreads = 64;
// How many threads `threads` of WalkOptions stands for.
[[nodiscard]] unsigned walk_threads(unsigned wanted);

// Order: depth first, the entries of a directory by the bytes of their names, files and directories mixed.
[[nodiscard]] Expected<WalkReport> walk(const Root& root, const WalkOptions& options, Visitor& visitor);

}  // namespace helve::search

// The state of a file when it was read, so that a later write can detect changes.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "helve/error.h"

namespace helve::workspace {

// Changes with every write, replacement and change of mode. Equal identities suggest an unchanged file but do
// not prove it: on coarse clocks, two quick writes look alike.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

[[nodiscard]] FileIdentity identity_of(const struct stat& status);
[[nodiscard]] bool is_same_inode(const struct stat& one, const struct stat& other);
// True if `name` in the directory is the open file itself, not a symlink to it.
[[nodiscard]] bool is_named(int directory, const std::string& name, int fd);

// The state that a caller has read and relies on. Only the content counts: a file that was touched or saved
// again with the same bytes has not changed.
class ExpectedState {
 public:
  // There is no such file.
  [[nodiscard]] static ExpectedState absent() { return ExpectedState(false, {}, {}); }
  // It has these bytes, which must outlive the state.
  [[nodiscard]] static ExpectedState of_content(const FileIdentity& identity, std::string_view bytes) {
    return ExpectedState(true, identity, bytes);
  }

  [[nodiscard]] bool is_absent() const { return !is_there_; }
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }

  // Compares all bytes of an open file, from its start. Read failures are errors, not differences.
  [[nodiscard]] Expected<bool> matches_file(int fd) const;
  // Compares content given in pieces.
  [[nodiscard]] bool matches_pieces(std::span<const std::string_view> pieces) const;

 private:
  ExpectedState(bool is_there, const FileIdentity& identity, std::string_view bytes)
      : is_there_(is_there), identity_(identity), bytes_(bytes) {}

  bool is_there_;
  FileIdentity identity_;
  std::string_view bytes_;
};

// The latest content of each file that a session has read or written. Bounded: the oldest is dropped first.
// Thread-safe.
class ReadLog {
 public:
  struct Limits {
    std::size_t bytes = std::size_t{32} << 20;
    std::size_t file_bytes = std::size_t{4} << 20;  // larger files are not remembered
  };

  ReadLog() : ReadLog(Limits()) {}
  explicit ReadLog(Limits limits) : limits_(limits) {}

  void remember(const std::string& path, const FileIdentity& identity, std::string_view content);
  void forget(const std::string& path);

  struct Seen {
    FileIdentity identity;
    std::string content;
  };
  [[nodiscard]] std::optional<Seen> last_seen(const std::string& path) const;
  // Adds everything in the other log.
  void take_over(const ReadLog& other);

 private:
  struct Entry {
    Seen seen;
    std::list<std::string>::iterator age;
  };
  void forget_locked(const std::string& path);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;
  std::list<std::string> by_age_;  // oldest first
  std::size_t bytes_ = 0;
};

}  // namespace helve::workspace

// What a session has seen of which file, so that a later write can tell what changed since.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "workspace/file_state.h"

namespace helve {

// Keeps the newest content that was read or written, bounded; the oldest is forgotten first. From all
// threads.
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
  // All that the other one knows.
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

}  // namespace helve

// A small structured logger: one line per entry on stderr, for people or as JSON.
#pragma once

#include <atomic>
#include <mutex>
#include <string_view>

#include "helve/json.h"

namespace helve {

enum class LogLevel { kError, kWarning, kInfo, kDebug };

[[nodiscard]] std::string_view to_string(LogLevel level);

// May be used from all threads. Entries are written whole, never interleaved.
class Logger {
 public:
  enum class Format { kPlain, kJson };

  explicit Logger(LogLevel most_detailed = LogLevel::kWarning, Format format = Format::kPlain, int fd = 2)
      : most_detailed_(most_detailed), format_(format), fd_(fd) {}

  // Fields are facts for programs; they must never hold secrets or file contents.
  void log(LogLevel level, std::string_view message, const JsonObject& fields = {});

  void error(std::string_view message, const JsonObject& fields = {}) {
    log(LogLevel::kError, message, fields);
  }
  void warning(std::string_view message, const JsonObject& fields = {}) {
    log(LogLevel::kWarning, message, fields);
  }
  void info(std::string_view message, const JsonObject& fields = {}) {
    log(LogLevel::kInfo, message, fields);
  }
  void debug(std::string_view message, const JsonObject& fields = {}) {
    log(LogLevel::kDebug, message, fields);
  }

  [[nodiscard]] bool writes(LogLevel level) const { return level <= most_detailed_; }

 private:
  LogLevel most_detailed_;
  Format format_;
  int fd_;
  std::mutex mutex_;
};

}  // namespace helve

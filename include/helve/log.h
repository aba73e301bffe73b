// A small structured logger: one line per entry, as plain text or as JSON.
//
//   #include <helve/log.h>
//   void example() {
//     helve::Logger log(helve::LogLevel::kInfo, helve::Logger::Format::kJson);
//     log.info("Index updated", {{"files", 120}, {"milliseconds", 35}});
//   }
#pragma once

#include <atomic>
#include <mutex>
#include <string_view>

#include "helve/api.h"
#include "helve/json.h"

namespace HELVE_API helve {

// From the most important to the most detailed.
enum class LogLevel { kError, kWarning, kInfo, kDebug };

// "error", "warning", "info" or "debug". The text is static.
[[nodiscard]] std::string_view to_string(LogLevel level);

// Writes log entries to a file descriptor. All functions may be used from all threads; every entry is written
// as a whole line. A failed write is ignored: logging never fails a call.
class Logger {
 public:
  enum class Format { kPlain, kJson };

  // Writes entries up to `most_detailed` to `fd`, which must stay open while the logger lives. The logger
  // does not close it. The default is stderr.
  explicit Logger(LogLevel most_detailed = LogLevel::kWarning, Format format = Format::kPlain, int fd = 2)
      : most_detailed_(most_detailed), format_(format), fd_(fd) {}

  // Writes one entry if its level is enabled. `fields` are facts for programs; never put secrets or file
  // contents there.
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

  // Whether entries of this level are written. Check it before you compute expensive fields.
  [[nodiscard]] bool writes(LogLevel level) const { return level <= most_detailed_; }

 private:
  LogLevel most_detailed_;
  Format format_;
  int fd_;
  std::mutex mutex_;
};

}  // namespace helve

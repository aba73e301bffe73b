// Forwards log entries to a second reader, such as the clients of a server.
#pragma once

#include <functional>
#include <string_view>

#include "helve/log.h"

namespace helve {

// Only the newest relay receives entries. Entries logged by its own callback are not forwarded.
class LogRelay {
 public:
  using Read = std::function<void(LogLevel level, std::string_view message, const JsonObject& fields)>;

  explicit LogRelay(Read read);
  // Waits for running callbacks.
  ~LogRelay();
  LogRelay(const LogRelay&) = delete;
  LogRelay& operator=(const LogRelay&) = delete;

  // Called by loggers after they have written the entry.
  static void pass(LogLevel level, std::string_view message, const JsonObject& fields);

 private:
  const Read read_;
};

}  // namespace helve

// A second reader of everything that this process logs, such as the clients of a server.
#pragma once

#include <functional>
#include <string_view>

#include "helve/log.h"

namespace helve {

// There is one at a time; the newest reads. What its function logs itself is not passed to it.
class LogRelay {
 public:
  using Read = std::function<void(LogLevel level, std::string_view message, const JsonObject& fields)>;

  explicit LogRelay(Read read);
  // Waits for the readings that are under way.
  ~LogRelay();
  LogRelay(const LogRelay&) = delete;
  LogRelay& operator=(const LogRelay&) = delete;

  // By loggers, after they have written.
  static void pass(LogLevel level, std::string_view message, const JsonObject& fields);

 private:
  const Read read_;
};

}  // namespace helve

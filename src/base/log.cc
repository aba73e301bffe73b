#include "helve/log.h"

#include "base/clock.h"
#include "base/file_io.h"
#include "base/log_relay.h"
#include "base/strings.h"

namespace helve {

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kError: return "error";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kInfo: return "info";
    case LogLevel::kDebug: return "debug";
  }
  return "error";
}

void Logger::log(LogLevel level, std::string_view message, const JsonObject& fields) {
  if (!writes(level)) return;
  std::string line;
  if (format_ == Format::kJson) {
    JsonObject entry{{"time", utc_timestamp()}, {"level", to_string(level)}, {"message", message}};
    for (const auto& [key, value] : fields) entry.append(key, value);
    line = to_text(entry);
  } else {
    line = concat("helve: ", to_string(level), ": ", message);
    for (const auto& [key, value] : fields) line += concat(" ", key, "=", to_text(value));
  }
  line += '\n';
  {
    const std::lock_guard lock(mutex_);
    // A log that cannot be written is not worth failing a call for.
    [[maybe_unused]] const auto written = write_all(fd_, line);
  }
  LogRelay::pass(level, message, fields);
}

}  // namespace helve

#include "helve/log.h"

#include <mutex>
#include <shared_mutex>
#include <utility>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/log_relay.h"
#include "base/strings.h"

namespace helve {
namespace {

constinit std::shared_mutex relay_mutex;
constinit const LogRelay* current_relay = nullptr;
constinit thread_local bool is_relaying = false;

}  // namespace

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
    // A call must not fail because its log line cannot be written.
    [[maybe_unused]] const auto written = write_all(fd_, line);
  }
  LogRelay::pass(level, message, fields);
}

LogRelay::LogRelay(Read read) : read_(std::move(read)) {
  const std::unique_lock lock(relay_mutex);
  current_relay = this;
}

LogRelay::~LogRelay() {
  const std::unique_lock lock(relay_mutex);
  if (current_relay == this) current_relay = nullptr;
}

void LogRelay::pass(LogLevel level, std::string_view message, const JsonObject& fields) {
  if (is_relaying) return;
  const std::shared_lock lock(relay_mutex);
  if (current_relay == nullptr) return;
  is_relaying = true;
  current_relay->read_(level, message, fields);
  is_relaying = false;
}

}  // namespace helve

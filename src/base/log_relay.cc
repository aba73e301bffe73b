#include "base/log_relay.h"

#include <shared_mutex>
#include <utility>

namespace helve {
namespace {

constinit std::shared_mutex current_mutex;
constinit const LogRelay* current = nullptr;
constinit thread_local bool is_reading = false;

}  // namespace

LogRelay::LogRelay(Read read) : read_(std::move(read)) {
  const std::unique_lock lock(current_mutex);
  current = this;
}

LogRelay::~LogRelay() {
  const std::unique_lock lock(current_mutex);
  if (current == this) current = nullptr;
}

void LogRelay::pass(LogLevel level, std::string_view message, const JsonObject& fields) {
  if (is_reading) return;
  const std::shared_lock lock(current_mutex);
  if (current == nullptr) return;
  is_reading = true;
  current->read_(level, message, fields);
  is_reading = false;
}

}  // namespace helve

// Settings for Helve's own log: the member `log` of Settings (helve/settings.h).
#pragma once

#include <array>
#include <string_view>

#include "helve/api.h"
#include "helve/log.h"
#include "helve/params.h"

namespace HELVE_API helve {

constexpr auto enum_names(LogLevel) {
  return std::to_array<std::string_view>({"error", "warning", "info", "debug"});
}
constexpr auto enum_names(Logger::Format) { return std::to_array<std::string_view>({"plain", "json"}); }

// Helve's own log.
struct LogSettings {
  LogLevel level = LogLevel::kWarning;
  Logger::Format format = Logger::Format::kPlain;

  void describe(ParamSpec& p) {
    p.optional("level", level, "Lowest level to write to stderr.");
    p.optional("format", format, "plain text or JSON.");
  }
};

}  // namespace helve

// A call in one line: what it is about, how it does, how it ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "helve/events.h"
#include "terminal/line.h"

namespace helve::cli {

// "src/add.py", "npm test", "\"add\" in src": what of the arguments a person wants to see.
[[nodiscard]] std::string call_subject(std::string_view tool, std::string_view params);

// "0.3 s", "12 s", "3:05"
[[nodiscard]] std::string duration_text(std::chrono::milliseconds time);

// While it runs.
[[nodiscard]] terminal::Line running_line(std::string_view spinner, std::string_view tool,
                                          std::string_view subject, std::chrono::milliseconds time,
                                          std::size_t columns);
// At its end; `event` is of kind end or error.
[[nodiscard]] terminal::Line ended_line(const ToolEvent& event, std::string_view subject,
                                        std::size_t columns);

}  // namespace helve::cli

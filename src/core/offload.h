// Stores long results in a session file and gives the model a short stub with the path.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "helve/log.h"
#include "helve/result.h"
#include "helve/session.h"
#include "helve/settings/results.h"

namespace helve::core {

// The advice of a stub to a model; helve at the shell has other words for it.
inline constexpr std::string_view kOffloadAdvice =
    "Use read with offset and limit, or grep, on that path to see more.";

// May be used from all threads.
class Offload {
 public:
  Offload(const ResultSettings& settings, std::string sessions_directory, Logger& logger)
      : settings_(settings), sessions_directory_(std::move(sessions_directory)), logger_(logger) {}

  // The character limit for results of this tool.
  [[nodiscard]] std::size_t limit_for(std::string_view tool, std::optional<std::size_t> tool_limit) const;

  // Replaces content over the limit by a stub, and stores all of it in a session file.
  void bound(Output& output, std::string_view tool, std::size_t limit, const Session& session);

 private:
  Expected<std::string> keep(const std::string& content, std::string_view tool, const Session& session);

  const ResultSettings settings_;
  const std::string sessions_directory_;
  Logger& logger_;
  std::atomic<std::int64_t> next_clean_up_ = 0;  // seconds of the steady clock
  std::atomic<std::uint64_t> kept_since_ = 0;    // bytes
};

}  // namespace helve::core

// Starting threads where the machine may give no more of them (RLIMIT_NPROC, the cgroup's limit).
#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/strings.h"
#include "helve/error.h"

namespace helve {

// Makes `thread`, a std::thread or std::jthread, run `work`. False when there is no thread to be had; then
// nothing runs.
template <class Thread, class Work>
[[nodiscard]] bool try_start_thread(Thread& thread, Work&& work) {
  try {
    thread = Thread(std::forward<Work>(work));
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

// UNAVAILABLE, transient. `what` ends the sentence: "so the call was not made".
[[nodiscard]] inline Error no_thread_error(std::string_view what) {
  return {ErrorCode::kUnavailable,
          concat("The machine gives no more threads, ", what, "."),
          "Try again when less is running, or raise the limit of processes (ulimit -u).",
          {},
          true};
}

}  // namespace helve

#include "base/path_watch.h"

#include <chrono>
#include <filesystem>
#include <utility>

#include "base/threads.h"

namespace helve {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr auto kSettlingPaths = milliseconds(150);  // programs write a file in several steps
constexpr auto kPathPollInterval = milliseconds(2'000);

// The path itself, or the first part of it that is missing.
std::string first_missing(const std::string& whole) {
  std::error_code ignored;
  fs::path path(whole);
  while (path.has_relative_path() && !fs::is_directory(path.parent_path(), ignored))
    path = path.parent_path();
  return path.string();
}

}  // namespace

PathWatch::PathWatch(Parts parts) : parts_(std::move(parts)) {
  // Without the thread, changes need a restart.
  static_cast<void>(try_start_thread(thread_, [this](const std::stop_token& stop) { run(stop); }));
}

PathWatch::~PathWatch() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void PathWatch::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const bool all_watched = watch_all();
    {
      std::unique_lock lock(mutex_);
      const auto changed = [&] { return has_changed_; };
      if (all_watched)
        changed_.wait(lock, stop, changed);
      else
        changed_.wait_for(lock, stop, kPathPollInterval, changed);
      changed_.wait_for(lock, stop, kSettlingPaths, [] { return false; });
      has_changed_ = false;
    }
    if (stop.stop_requested()) return;
    parts_.on_change();
  }
}

// False if something cannot be watched, so that polling is needed.
bool PathWatch::watch_all() {
  const std::vector<FileWatcher::Handle> before =
      std::exchange(handles_, {});  // kept until the new ones exist
  const auto notify = [this] {
    const std::lock_guard lock(mutex_);
    has_changed_ = true;
    changed_.notify_all();
  };
  bool good = true;
  const auto keep = [&](Expected<FileWatcher::Handle> handle) {
    good = good && handle.has_value();
    if (handle) handles_.push_back(*std::move(handle));
  };
  for (const std::string& path : parts_.paths()) {
    std::error_code ignored;
    keep(watcher_.watch(first_missing(path), notify));
    if (fs::is_directory(path, ignored)) keep(watcher_.watch_directory(path, notify));
  }
  return good;
}

}  // namespace helve

#include "plugins/plugin_watch.h"

#include <filesystem>

#include "base/strings.h"

namespace helve::plugins {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr auto kSettling = milliseconds(150);  // a plugin is several files, which come one after the other
constexpr auto kLookAgain = milliseconds(2'000);

}  // namespace

PluginWatch::PluginWatch(Registry& registry, PluginHost::Options options, Report report)
    : folders_(options.folders), report_(std::move(report)), host_(registry, std::move(options)) {
  static_cast<void>(watch_all());  // before the first look, so that nothing falls between the two
  refresh();
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

PluginWatch::~PluginWatch() {
  thread_.request_stop();
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void PluginWatch::run(const std::stop_token& stop) {
  bool all_watched = watch_all();
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      const auto news = [&] { return has_changed_; };
      if (all_watched)
        changed_.wait(lock, stop, news);
      else
        changed_.wait_for(lock, stop, kLookAgain, news);
      if (stop.stop_requested()) return;
      changed_.wait_for(lock, stop, kSettling, [] { return false; });
      has_changed_ = false;
    }
    if (stop.stop_requested()) return;
    all_watched = watch_all();
    refresh();
  }
}

void PluginWatch::refresh() {
  std::vector<PluginProblem> problems = host_.refresh();
  std::set<std::string> messages;
  for (const PluginProblem& problem : problems) messages.insert(problem.error.message);
  std::erase_if(problems,
                [&](const PluginProblem& problem) { return told_.contains(problem.error.message); });
  told_ = std::move(messages);
  if (!problems.empty()) report_(problems);
}

bool PluginWatch::watch_all() {
  std::vector<FileWatcher::Handle> before = std::move(handles_);  // gone when the new ones are there
  handles_.clear();
  bool good = true;
  for (const std::string* folder : {&folders_.user, &folders_.project})
    if (!folder->empty()) good = watch_folder(*folder) && good;
  return good;
}

// The folder and those of its plugins; when it is not there, the place where it would be made.
bool PluginWatch::watch_folder(const std::string& folder) {
  const auto tell = [this] {
    const std::lock_guard lock(mutex_);
    has_changed_ = true;
    changed_.notify_all();
  };
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    fs::path missing(folder);
    while (missing.has_relative_path() && !fs::is_directory(missing.parent_path(), ignored))
      missing = missing.parent_path();
    return add(watcher_.watch(missing.string(), tell));
  }
  bool good = add(watcher_.watch_directory(folder, tell));
  // It may itself be taken away, or replaced by another.
  good = add(watcher_.watch(folder, tell)) && good;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (std::error_code unknown; entry.is_directory(unknown))
      good = add(watcher_.watch_directory(entry.path().string(), tell)) && good;
  return good;
}

bool PluginWatch::add(Expected<FileWatcher::Handle> handle) {
  if (!handle) return false;
  handles_.push_back(*std::move(handle));
  return true;
}

}  // namespace helve::plugins

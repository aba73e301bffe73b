#include "base/file_watcher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/strings.h"
#include "base/threads.h"

namespace helve {

FileWatcher::~FileWatcher() {
  thread_.request_stop();
  if (wake_) {
    const std::uint64_t one = 1;
    static_cast<void>(write_all(wake_.get(), {reinterpret_cast<const char*>(&one), sizeof one}));
  }
}

Expected<void> FileWatcher::start() {
  if (thread_.joinable()) return {};
  inotify_ = UniqueFd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  wake_ = UniqueFd(::eventfd(0, EFD_CLOEXEC));
  if (!inotify_ || !wake_) return fail(system_error("Cannot watch files", errno));
  if (!try_start_thread(thread_, [this](const std::stop_token& stop) { run(stop); }))
    return fail(no_thread_error("so files cannot be watched"));
  return {};
}

Expected<FileWatcher::Handle> FileWatcher::watch(const std::string& path, std::function<void()> callback) {
  const std::size_t slash = path.rfind('/');
  return add(slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1), std::move(callback));
}

Expected<FileWatcher::Handle> FileWatcher::watch_directory(const std::string& directory,
                                                           std::function<void()> callback) {
  return add(directory, {}, std::move(callback));
}

Expected<FileWatcher::Handle> FileWatcher::add(const std::string& directory, std::string name,
                                               std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  if (auto started = start(); !started) return fail(started.error());
  forget_unwatched();
  const int descriptor = ::inotify_add_watch(inotify_.get(), directory.c_str(),
                                             IN_CLOSE_WRITE | IN_MODIFY | IN_CREATE | IN_DELETE |
                                                 IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR);
  if (descriptor < 0)
    return fail(system_error(concat("Cannot watch ", directory, name.empty() ? "" : "/", name), errno));
  auto made = std::make_shared<Watch>(Watch{std::move(name), std::move(callback)});
  directories_[descriptor].watches.push_back(made);
  return made;
}

// Directories without events are not visited by notify(), so their expired watches are removed here.
void FileWatcher::forget_unwatched() {
  for (auto entry = directories_.begin(); entry != directories_.end();) {
    auto& watches = entry->second.watches;
    std::erase_if(watches, [](const auto& watch) { return watch.expired(); });
    if (watches.empty()) ::inotify_rm_watch(inotify_.get(), entry->first);
    entry = watches.empty() ? directories_.erase(entry) : std::next(entry);
  }
}

void FileWatcher::notify(int directory, std::string_view name) {
  std::vector<std::shared_ptr<Watch>> notified;
  {
    const std::lock_guard lock(mutex_);
    const auto found = directories_.find(directory);
    if (found == directories_.end()) return;
    auto& watches = found->second.watches;
    std::erase_if(watches, [](const auto& watch) { return watch.expired(); });
    for (const auto& watch : watches)
      if (auto shared = watch.lock(); shared && (shared->name.empty() || shared->name == name))
        notified.push_back(std::move(shared));
    if (watches.empty()) {
      ::inotify_rm_watch(inotify_.get(), directory);
      directories_.erase(found);
    }
  }
  for (const auto& watch : notified) watch->callback();
}

void FileWatcher::notify_all() {
  std::vector<std::shared_ptr<Watch>> notified;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, directory] : directories_)
      for (const auto& watch : directory.watches)
        if (auto shared = watch.lock()) notified.push_back(std::move(shared));
  }
  for (const auto& watch : notified) watch->callback();
}

void FileWatcher::run(const std::stop_token& stop) {
  alignas(inotify_event) std::array<char, std::size_t{16} * 1024> buffer;
  while (!stop.stop_requested()) {
    std::array<pollfd, 2> ready{{{inotify_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) return;
    const ssize_t size = ::read(inotify_.get(), buffer.data(), buffer.size());
    // One write causes several events; they are reported once.
    int last_directory = -1;
    std::string last_name;
    for (ssize_t at = 0; at + static_cast<ssize_t>(sizeof(inotify_event)) <= size;) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      const char* name = buffer.data() + at + sizeof event;
      const std::string_view changed(name, event.len > 0 ? ::strnlen(name, event.len) : 0);
      if ((event.mask & IN_Q_OVERFLOW) != 0)
        notify_all();  // events were lost, so any file may have changed
      else if (event.wd != last_directory || changed != last_name)
        notify(event.wd, changed);
      last_directory = event.wd;
      last_name = changed;
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

}  // namespace helve

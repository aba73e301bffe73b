#include "sandbox/cgroup.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "sandbox/parts.h"

namespace helve::sandbox {
namespace {

constexpr std::string_view kPrefix = "helve-";
constexpr int kMostRemovals = 100;  // of two milliseconds each; a killed process takes a moment to leave

int write_text(const std::string& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file) return errno;
  return ::write(file.get(), text.data(), text.size()) < 0 ? errno : 0;
}

std::string read_text(const std::string& path) { return read_file(path).value_or(std::string()); }

bool has_controllers(const std::string& list, const Limits& limits) {
  const auto words = split(trim(list), ' ');
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  return (limits.memory_bytes == 0 || has("memory")) && (limits.processes == 0 || has("pids"));
}

// When a process was started, in ticks since the machine's start; empty when it is gone.
std::string start_of(std::string_view process) {
  const std::string text = read_text(concat("/proc/", process, "/stat"));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  const auto fields = split(std::string_view(text).substr(name_end + 1), ' ');
  return fields.size() > 20 ? std::string(fields[20]) : std::string();
}

std::string pid_namespace() {
  struct stat status;
  return ::stat("/proc/self/ns/pid", &status) == 0 ? concat(status.st_ino) : std::string("0");
}

// Tells a later Helve whether the owner still lives: process ids mean something in one namespace only.
std::string new_name() {
  return concat(kPrefix, pid_namespace(), "-", ::getpid(), "-", start_of("self"), "-", random_id("c"));
}

bool is_stale(std::string_view name, std::string_view own_namespace) {
  if (!name.starts_with(kPrefix)) return false;
  const auto pieces = split(name.substr(kPrefix.size()), '-');
  return pieces.size() == 4 && pieces[0] == own_namespace && start_of(pieces[1]) != pieces[2];
}

void kill_in(const std::string& directory) {
  if (write_text(concat(directory, "/cgroup.kill"), "1") == 0) return;
  const std::string processes = read_text(concat(directory, "/cgroup.procs"));
  for (const std::string_view line : split(processes, '\n')) {
    pid_t process = 0;
    std::from_chars(line.data(), line.data() + line.size(), process);
    if (process > 0) ::kill(process, SIGKILL);
  }
}

bool remove_directory(const std::string& directory) {
  for (int attempt = 0; attempt < kMostRemovals; ++attempt) {
    if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) return true;
    if (errno != EBUSY) return false;
    kill_in(directory);
    ::usleep(2000);
  }
  return false;
}

CgroupSeat own_seat() {
  return find_cgroup_seat(read_text("/proc/self/mountinfo"), read_text("/proc/self/cgroup"));
}

// Our own group or one above it, in which a group with these controllers can be made and be moved to. A group
// that holds processes cannot hand out controllers, so it is mostly the one above (a systemd slice).
std::optional<std::string> find_unified_parent(const CgroupSeat& seat, const Limits& limits) {
  for (std::string directory = seat.unified; !directory.empty();) {
    if (::access(concat(directory, "/cgroup.procs").c_str(), W_OK) != 0 ||
        ::access(directory.c_str(), W_OK) != 0)
      return std::nullopt;
    if (has_controllers(read_text(concat(directory, "/cgroup.subtree_control")), limits)) return directory;
    if (directory == seat.unified_top) return std::nullopt;
    directory.erase(directory.rfind('/'));
  }
  return std::nullopt;
}

std::vector<std::string> parents() {
  const CgroupSeat seat = own_seat();
  std::vector<std::string> all;
  for (std::string directory = seat.unified; !directory.empty();) {
    all.push_back(directory);
    if (directory == seat.unified_top) break;
    directory.erase(directory.rfind('/'));
  }
  for (const std::string& directory : {seat.memory, seat.pids})
    if (!directory.empty()) all.push_back(directory);
  return all;
}

Error cgroup_error(std::string_view what, int error_number) {
  return part_error(Part::kCgroup, what, error_number,
                    "An ordinary user needs a delegated one (systemd-run --user --scope), root a mounted "
                    "/sys/fs/cgroup.");
}

}  // namespace

Expected<Cgroup> Cgroup::create(const Limits& limits) {
  Cgroup group;
  const CgroupSeat seat = own_seat();
  const std::string name = new_name();
  struct Setting {
    std::string directory;
    const char* file;
    std::string value;
    bool needed;
  };
  std::vector<Setting> settings;
  const std::string memory = concat(limits.memory_bytes);
  const std::string processes = concat(limits.processes);
  if (const std::optional<std::string> parent = find_unified_parent(seat, limits)) {
    const std::string directory = concat(*parent, "/", name);
    if (limits.memory_bytes > 0) {
      settings.push_back({directory, "memory.max", memory, true});
      settings.push_back({directory, "memory.swap.max", "0", false});
      settings.push_back({directory, "memory.oom.group", "1", false});
    }
    if (limits.processes > 0) settings.push_back({directory, "pids.max", processes, true});
    if (settings.empty()) settings.push_back({directory, "cgroup.procs", "", false});
  } else {
    if (limits.memory_bytes > 0) {
      if (seat.memory.empty()) return fail(cgroup_error("find one for memory", ENOENT));
      settings.push_back({concat(seat.memory, "/", name), "memory.limit_in_bytes", memory, true});
      settings.push_back({concat(seat.memory, "/", name), "memory.memsw.limit_in_bytes", memory, false});
    }
    if (limits.processes > 0) {
      if (seat.pids.empty()) return fail(cgroup_error("find one for processes", ENOENT));
      settings.push_back({concat(seat.pids, "/", name), "pids.max", processes, true});
    }
    if (settings.empty()) return fail(cgroup_error("make one", ENOENT));
  }
  for (const Setting& setting : settings) {
    if (std::ranges::find(group.directories_, setting.directory) == group.directories_.end()) {
      if (::mkdir(setting.directory.c_str(), 0755) != 0)
        return fail(cgroup_error(concat("make ", setting.directory), errno));
      group.directories_.push_back(setting.directory);
    }
    const int error = write_text(concat(setting.directory, "/", setting.file), setting.value);
    if (error != 0 && setting.needed) return fail(cgroup_error(concat("set its ", setting.file), error));
  }
  return group;
}

Cgroup::~Cgroup() {
  for (const std::string& directory : directories_) static_cast<void>(remove_directory(directory));
}

Expected<void> Cgroup::add(pid_t process) const {
  for (const std::string& directory : directories_)
    if (const int error = write_text(concat(directory, "/cgroup.procs"), concat(process)); error != 0)
      return fail(cgroup_error(concat("add process ", process, " to it"), error));
  return {};
}

void Cgroup::kill_all() const {
  for (const std::string& directory : directories_) kill_in(directory);
}

std::size_t Cgroup::sweep() {
  std::size_t removed = 0;
  const std::string own_namespace = pid_namespace();
  for (const std::string& parent : parents()) {
    std::error_code ignored;
    std::vector<std::string> stale;
    for (const auto& entry : std::filesystem::directory_iterator(parent, ignored))
      if (is_stale(entry.path().filename().string(), own_namespace)) stale.push_back(entry.path().string());
    for (const std::string& directory : stale)
      if (remove_directory(directory)) ++removed;
  }
  return removed;
}

}  // namespace helve::sandbox

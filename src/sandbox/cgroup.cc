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
#include "base/to_number.h"
#include "sandbox/mount_calls.h"
#include "sandbox/parts.h"

namespace helve::sandbox {
namespace {

struct Tree {
  std::string root;  // the mounted part of the tree
  std::string mount_point;
};

// The directory for a path in the tree; empty when the mount does not show it.
std::string directory_in(const Tree& tree, std::string_view path) {
  if (tree.mount_point.empty() || !is_within(path, tree.root)) return {};
  std::string_view rest = tree.root == "/" ? path : path.substr(tree.root.size());
  if (rest == "/") rest = {};
  return concat(tree.mount_point, rest);
}

bool has_word(std::string_view list, std::string_view word) {
  const std::vector<std::string_view> words = split(list, ',');
  return std::ranges::find(words, word) != words.end();
}

constexpr std::string_view kPrefix = "helve-";
constexpr int kMostRemovals = 100;  // two milliseconds apart; a killed process takes a moment to exit

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

// The start time of a process in ticks since boot; empty when it has ended.
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

// Lets a later Helve detect whether the owner has ended. Process ids are only valid in their PID namespace.
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

CgroupMembership own_membership() {
  return find_cgroup_membership(read_text("/proc/self/mountinfo"), read_text("/proc/self/cgroup"));
}

// The innermost cgroup around this process in which a child with these controllers can be created and joined.
// A cgroup with processes cannot delegate controllers, so this is usually the parent (a systemd slice).
std::optional<std::string> find_unified_parent(const CgroupMembership& membership, const Limits& limits) {
  for (std::string directory = membership.unified; !directory.empty();) {
    if (::access(concat(directory, "/cgroup.procs").c_str(), W_OK) != 0 ||
        ::access(directory.c_str(), W_OK) != 0)
      return std::nullopt;
    if (has_controllers(read_text(concat(directory, "/cgroup.subtree_control")), limits)) return directory;
    if (directory == membership.unified_top) return std::nullopt;
    directory.erase(directory.rfind('/'));
  }
  return std::nullopt;
}

std::vector<std::string> parents() {
  const CgroupMembership membership = own_membership();
  std::vector<std::string> all;
  for (std::string directory = membership.unified; !directory.empty();) {
    all.push_back(directory);
    if (directory == membership.unified_top) break;
    directory.erase(directory.rfind('/'));
  }
  for (const std::string& directory : {membership.memory, membership.pids})
    if (!directory.empty()) all.push_back(directory);
  return all;
}

Error cgroup_error(std::string_view what, int error_number) {
  return part_error(Part::kCgroup, what, error_number,
                    "An ordinary user needs a delegated cgroup (systemd-run --user --scope), root a mounted "
                    "/sys/fs/cgroup.");
}

}  // namespace

CgroupMembership find_cgroup_membership(std::string_view mounts, std::string_view membership) {
  Tree unified;
  Tree memory;
  Tree pids;
  for (const std::string_view line : split(mounts, '\n')) {
    // 36 35 98:0 /root /mount/point options… - type source super-options
    const std::vector<std::string_view> words = split(line, ' ');
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 10 || words.end() - dash < 4) continue;
    const Tree tree{std::string(words[3]), std::string(words[4])};
    if (dash[1] == "cgroup2") unified = tree;
    if (dash[1] != "cgroup") continue;
    if (has_word(dash[3], "memory")) memory = tree;
    if (has_word(dash[3], "pids")) pids = tree;
  }
  CgroupMembership found;
  for (const std::string_view line : split(membership, '\n')) {
    // 4:memory:/path, or 0::/path for version 2
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    if (controllers.empty()) {
      found.unified = directory_in(unified, path);
      found.unified_top = unified.mount_point;
    }
    if (has_word(controllers, "memory")) found.memory = directory_in(memory, path);
    if (has_word(controllers, "pids")) found.pids = directory_in(pids, path);
  }
  return found;
}

Expected<Cgroup> Cgroup::create(const Limits& limits) {
  Cgroup group;
  const CgroupMembership membership = own_membership();
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
  if (const std::optional<std::string> parent = find_unified_parent(membership, limits)) {
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
      if (membership.memory.empty()) return fail(cgroup_error("find one for memory", ENOENT));
      settings.push_back({concat(membership.memory, "/", name), "memory.limit_in_bytes", memory, true});
      settings.push_back(
          {concat(membership.memory, "/", name), "memory.memsw.limit_in_bytes", memory, false});
    }
    if (limits.processes > 0) {
      if (membership.pids.empty()) return fail(cgroup_error("find one for processes", ENOENT));
      settings.push_back({concat(membership.pids, "/", name), "pids.max", processes, true});
    }
    if (settings.empty()) return fail(cgroup_error("create one", ENOENT));
  }
  for (const Setting& setting : settings) {
    if (std::ranges::find(group.directories_, setting.directory) == group.directories_.end()) {
      if (::mkdir(setting.directory.c_str(), 0755) != 0)
        return fail(cgroup_error(concat("create ", setting.directory), errno));
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

std::uint64_t memory_kills_in(std::string_view text) {
  constexpr std::string_view kName = "oom_kill ";
  for (const std::string_view line : split(text, '\n'))
    if (line.starts_with(kName)) return to_number<std::uint64_t>(trim(line.substr(kName.size()))).value_or(0);
  return 0;
}

std::uint64_t Cgroup::memory_kills() const {
  std::uint64_t kills = 0;
  for (const std::string& directory : directories_)
    for (const char* name : {"/memory.events", "/memory.oom_control"})
      if (const auto text = read_file(directory + name)) kills += memory_kills_in(*text);
  return kills;
}

}  // namespace helve::sandbox

#include "process/proc_stat.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "base/directory_stream.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "base/to_number.h"

namespace helve::process {
namespace {

constexpr std::size_t kMostDescendants = 100'000;

// The entries of a directory whose names are numbers.
std::vector<pid_t> numbers_in(const std::string& path) {
  std::vector<pid_t> numbers;
  const DirectoryStream directory(::opendir(path.c_str()));
  while (const dirent* entry = directory ? ::readdir(directory.get()) : nullptr) {
    if (const auto number = to_number<pid_t>(entry->d_name)) numbers.push_back(*number);
  }
  return numbers;
}

std::optional<ProcStat> parse_stat(pid_t pid, std::string_view text) {
  // The name stands in parentheses and may itself contain some.
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  ProcStat stat;
  stat.pid = pid;
  stat.name = text.substr(open + 1, close - open - 1);
  if (close + 2 >= text.size()) return {};
  const std::vector<std::string_view> fields = split(trim(text.substr(close + 2)), ' ');
  // Field 3 of proc(5) is fields[0] here.
  constexpr std::size_t kState = 0, kParent = 1, kUser = 11, kSystem = 12, kStart = 19, kResident = 21;
  if (fields.size() <= kResident || fields[kState].empty()) return {};
  const auto number = [&](std::size_t field) { return to_number<std::uint64_t>(fields[field]).value_or(0); };
  stat.state = fields[kState][0];
  stat.parent = static_cast<pid_t>(number(kParent));
  stat.cpu_ticks = number(kUser) + number(kSystem);
  stat.start_ticks = number(kStart);
  stat.memory_bytes = number(kResident) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return stat;
}

// Adds to `found` what the kernel lists as children of any thread of `pid`. False when it keeps no such
// lists.
bool add_children(pid_t pid, std::vector<ProcStat>& found) {
  const std::string tasks = concat("/proc/", pid, "/task");
  for (const pid_t thread : numbers_in(tasks)) {
    const std::string path = concat(tasks, "/", thread, "/children");
    const std::string text = read_proc_file(path);
    if (text.empty() && ::access(path.c_str(), F_OK) != 0 && ::access(tasks.c_str(), F_OK) == 0) {
      if (read_proc_stat(thread)) return false;
    }
    for (const std::string_view word : split(text, ' ')) {
      const auto child = to_number<pid_t>(trim(word));
      if (auto stat = child ? read_proc_stat(*child) : std::nullopt) found.push_back(std::move(*stat));
    }
  }
  return true;
}

std::vector<ProcStat> thorough_descendants(pid_t ancestor) {
  std::vector<ProcStat> all = read_all_processes();
  std::unordered_map<pid_t, std::vector<std::size_t>> children;
  for (std::size_t i = 0; i < all.size(); ++i) children[all[i].parent].push_back(i);
  std::vector<ProcStat> found;
  std::vector<pid_t> waiting = {ancestor};
  for (std::size_t next = 0; next < waiting.size(); ++next) {
    const auto entry = children.find(waiting[next]);
    if (entry == children.end()) continue;
    for (const std::size_t i : entry->second) {
      if (all[i].pid == ancestor) continue;
      waiting.push_back(all[i].pid);
      found.push_back(std::move(all[i]));
    }
    children.erase(entry);  // no loop, whatever a reused pid makes of the tree
  }
  return found;
}

}  // namespace

std::string read_proc_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!fd) return text;
  for (;;) {
    constexpr std::size_t kStep = 4096;
    const std::size_t had = text.size();
    text.resize(had + kStep);
    const ssize_t got = ::read(fd.get(), text.data() + had, kStep);
    text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
  }
}

std::optional<ProcStat> read_proc_stat(pid_t pid) {
  return parse_stat(pid, read_proc_file(concat("/proc/", pid, "/stat")));
}

std::vector<ProcStat> read_all_processes() {
  std::vector<ProcStat> all;
  for (const pid_t pid : numbers_in("/proc"))
    if (auto stat = read_proc_stat(pid)) all.push_back(std::move(*stat));
  return all;
}

std::vector<ProcStat> find_descendants(pid_t ancestor, Search search) {
  if (search == Search::kThorough) return thorough_descendants(ancestor);
  std::vector<ProcStat> found;
  if (!add_children(ancestor, found)) return thorough_descendants(ancestor);
  for (std::size_t next = 0; next < found.size() && found.size() < kMostDescendants; ++next)
    static_cast<void>(add_children(found[next].pid, found));
  return found;
}

}  // namespace helve::process

#include "workspace/near_paths.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <span>

#include "base/file_io.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kMost = 3;
constexpr std::size_t kMostDepth = 8;
constexpr std::string_view kSkipped[] = {".git",        ".hg",   ".svn",  "node_modules",
                                         "__pycache__", ".venv", ".cache"};

using Components = std::vector<std::string>;

struct Entry {
  std::string name;
  bool is_directory;
};

// Reads at most `budget` entries and subtracts their number from it.
std::vector<Entry> list_entries(int directory, std::size_t& budget) {
  const int fd = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return {};
  const DirectoryStream stream(::fdopendir(fd));
  std::vector<Entry> entries;
  while (stream && budget > 0) {
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) break;
    std::string name = entry->d_name;
    // JSON cannot represent other names, so a model cannot request them.
    if (name == "." || name == ".." || !is_valid_utf8(name)) continue;
    --budget;
    bool is_directory = entry->d_type == DT_DIR;
    struct stat status;
    if (entry->d_type == DT_UNKNOWN && ::fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0)
      is_directory = S_ISDIR(status.st_mode);
    entries.push_back({std::move(name), is_directory});
  }
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

// How many components the two paths share at their ends.
std::size_t common_ending(std::span<const std::string> one, std::span<const std::string> other) {
  std::size_t count = 0;
  while (count < one.size() && count < other.size() &&
         to_lower(one[one.size() - 1 - count]) == to_lower(other[other.size() - 1 - count]))
    ++count;
  return count;
}

// Paths below `start` whose last component is `wanted`, in any case.
void collect_same_name(const BaseDirectory& base, const Components& start, const std::string& wanted,
                       std::size_t& budget, std::vector<Components>& found) {
  const std::string wanted_lower = to_lower(wanted);
  std::deque<Components> queue{start};
  while (!queue.empty() && budget > 0) {
    const Components at = std::move(queue.front());
    queue.pop_front();
    const UniqueFd directory(open_plain(base.fd.get(), join_path(at), O_PATH | O_DIRECTORY));
    if (!directory) continue;
    for (Entry& entry : list_entries(directory.get(), budget)) {
      Components path = at;
      path.push_back(entry.name);
      if (to_lower(entry.name) == wanted_lower && std::ranges::find(found, path) == found.end())
        found.push_back(path);
      const bool skipped = std::ranges::find(kSkipped, entry.name) != std::end(kSkipped);
      if (entry.is_directory && !skipped && path.size() < kMostDepth) queue.push_back(std::move(path));
    }
  }
}

// Similar names in the directory where the walk stopped, followed by the rest of the path.
std::vector<Components> near_in_directory(const Place& place, std::size_t& budget) {
  std::vector<std::string> names;
  for (Entry& entry : list_entries(place.directory.get(), budget)) names.push_back(std::move(entry.name));
  std::vector<Components> found;
  for (const std::string& name : nearest(place.name, names, kMost)) {
    Components tail{name};
    tail.insert(tail.end(), place.beyond.begin(), place.beyond.end());
    struct stat status;
    const bool whole =
        ::fstatat(place.directory.get(), join_path(tail).c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
    Components path = place.components;
    if (whole) {
      path.insert(path.end(), tail.begin(), tail.end());
    } else {
      path.push_back(name);
    }
    found.push_back(std::move(path));
  }
  return found;
}

}  // namespace

std::vector<std::string> near_paths(const BaseDirectory& base, const Place& place, std::size_t most_entries) {
  const Components wanted = place.all_components();
  if (wanted.empty()) return {};
  std::size_t budget = most_entries / 2;
  std::vector<Components> found = near_in_directory(place, budget);
  std::vector<Components> elsewhere;
  collect_same_name(base, place.components, wanted.back(), budget, elsewhere);
  budget += most_entries / 2;
  if (!place.components.empty()) collect_same_name(base, {}, wanted.back(), budget, elsewhere);
  std::ranges::stable_sort(elsewhere, std::greater{},
                           [&](const Components& path) { return common_ending(path, wanted); });
  // If a directory is missing, the same file name elsewhere is a better suggestion than a similar directory.
  const auto where = place.beyond.empty() ? found.end() : found.begin();
  found.insert(where, elsewhere.begin(), elsewhere.end());

  std::vector<std::string> paths;
  for (const Components& path : found) {
    std::string text = join_path(path);
    if (paths.size() < kMost && std::ranges::find(paths, text) == paths.end())
      paths.push_back(std::move(text));
  }
  return paths;
}

}  // namespace helve::workspace

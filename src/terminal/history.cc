#include "terminal/history.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::terminal {
namespace {

constexpr std::size_t kLongestEntry = std::size_t{64} << 10;

constexpr std::size_t kLongestFile = std::size_t{16} << 20;

struct Kept {
  std::string text;
  bool is_cut = false;  // only the end was read, from its first complete line
};

std::optional<Kept> read_end(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const auto size = static_cast<std::size_t>(status.st_size);
  Kept kept{.is_cut = size > kLongestFile};
  if (kept.is_cut && ::lseek(file.get(), static_cast<off_t>(size - kLongestFile / 2), SEEK_SET) < 0)
    return {};
  auto text = read_all(file.get(), 2 * kLongestFile);
  if (!text) return {};
  kept.text = *std::move(text);
  if (kept.is_cut) kept.text.erase(0, kept.text.find('\n') + 1);
  return kept;
}

std::vector<std::string> entries_in(std::string_view text) {
  std::vector<std::string> entries;
  for (const std::string_view line : split(text, '\n')) {
    const auto entry = parse_json(line);
    if (!entry || !entry->is_string()) continue;
    if (entries.empty() || entries.back() != entry->as_string()) entries.push_back(entry->as_string());
  }
  return entries;
}

}  // namespace

History::History(std::string path, std::size_t most) : path_(std::move(path)), most_(most) {}

std::vector<std::string> History::load() const {
  const auto kept = read_end(path_);
  if (!kept) return {};
  std::vector<std::string> entries = entries_in(kept->text);
  if (entries.size() > most_)
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(most_));
  // Shortened rarely, because a line that another process adds at that moment may be lost.
  if (kept->is_cut || split(kept->text, '\n').size() > 2 * most_ + 1) {
    std::string shorter;
    for (const std::string& entry : entries) shorter += concat(helve::to_text(Json(entry)), "\n");
    [[maybe_unused]] const auto replaced = replace_private_file(path_, shorter);
  }
  return entries;
}

Expected<void> History::add(const std::string& text) const {
  if (trim(text).empty() || text.starts_with(' ') || text.size() > kLongestEntry) return {};
  if (auto made = make_private_directories(std::filesystem::path(path_).parent_path().string()); !made)
    return made;
  const UniqueFd file(
      ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file) return fail(system_error(concat("Cannot open ", path_), errno));
  ::fchmod(file.get(), 0600);  // the file may have been created with other permissions
  return write_all(file.get(), concat(helve::to_text(Json(text)), "\n"));
}

}  // namespace helve::terminal

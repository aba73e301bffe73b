#include "terminal/history.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/file_io.h"
#include "base/json_parse.h"
#include "base/strings.h"

namespace helve::terminal {
namespace {

constexpr std::size_t kLongestEntry = std::size_t{64} << 10;

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
  const auto text = read_file(path_);
  if (!text) return {};
  std::vector<std::string> entries = entries_in(*text);
  if (entries.size() > most_)
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(most_));
  // Shortened only now and then; a line that another program adds at that very moment may be lost.
  if (split(*text, '\n').size() > 2 * most_ + 1) {
    std::string kept;
    for (const std::string& entry : entries) kept += concat(helve::to_text(Json(entry)), "\n");
    [[maybe_unused]] const auto replaced = replace_private_file(path_, kept);
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
  ::fchmod(file.get(), 0600);  // also when somebody else has made it
  return write_all(file.get(), concat(helve::to_text(Json(text)), "\n"));
}

}  // namespace helve::terminal

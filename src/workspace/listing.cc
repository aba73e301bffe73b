#include "workspace/listing.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <memory>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/strings.h"
#include "workspace/temporary_file.h"

namespace helve::workspace {
namespace {

using Type = ListedEntry::Type;

Type type_of(mode_t mode) {
  if (S_ISREG(mode)) return Type::kFile;
  if (S_ISDIR(mode)) return Type::kDirectory;
  return S_ISLNK(mode) ? Type::kLink : Type::kOther;
}

ListedEntry entry_of(std::string_view name, const struct stat& status) {
  return {std::string(name), type_of(status.st_mode), static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec};
}

std::string read_link(int directory, const char* name) {
  std::array<char, 4096> target;
  const ssize_t length = ::readlinkat(directory, name, target.data(), target.size());
  return length > 0 ? std::string(target.data(), static_cast<std::size_t>(length)) : std::string();
}

// Lists directory by directory. Symlinks are listed but not followed.
class Lister {
 public:
  explicit Lister(const ListingOptions& options) : options_(options) {}

  Listing take() { return std::move(listing_); }

  void list(UniqueFd directory, const std::string& path, int depth, std::vector<ListedEntry>& entries) {
    const DirectoryStream stream(::fdopendir(directory.get()));
    if (!stream) {
      listing_.unreadable.push_back(path);
      return;
    }
    const int fd = directory.release();
    while (const dirent* found = ::readdir(stream.get())) {
      const std::string_view name = found->d_name;
      if (name == "." || name == ".." || is_temporary_name(name)) continue;
      if (listing_.total >= options_.max_entries || options_.should_stop()) {
        ++listing_.left_out;
        continue;
      }
      struct stat status{};
      if (::fstatat(fd, found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;  // removed meanwhile
      ListedEntry entry = entry_of(name, status);
      if (entry.type == Type::kLink) entry.link_target = read_link(fd, found->d_name);
      entries.push_back(std::move(entry));
      ++listing_.total;
    }
    std::ranges::sort(entries, {}, [](const ListedEntry& entry) {
      return std::pair(entry.type != Type::kDirectory, std::string_view(entry.name));
    });
    if (depth > 1) enter(fd, path, depth - 1, entries);
  }

 private:
  void enter(int directory, const std::string& path, int depth, std::vector<ListedEntry>& entries) {
    for (ListedEntry& entry : entries) {
      if (entry.type != Type::kDirectory) continue;
      const std::string inner_path = path == "." ? entry.name : concat(path, "/", entry.name);
      // `.git` contains thousands of object files of no interest.
      entry.not_entered =
          entry.name == ".git" || listing_.total >= options_.max_entries || options_.stays_out(inner_path);
      if (entry.not_entered) continue;
      UniqueFd inner(::openat(directory, entry.name.c_str(),
                              O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
      if (inner)
        list(std::move(inner), inner_path, depth, entry.inner);
      else
        listing_.unreadable.push_back(inner_path);
    }
  }

  const ListingOptions& options_;
  Listing listing_;
};

std::string local_minute(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  ::localtime_r(&time, &parts);
  std::array<char, 32> text;
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts);
  return text.data();
}

// Escapes line breaks in file names.
std::string one_line(std::string_view name) {
  return replace_all(replace_all(name, "\n", "\\n"), "\r", "\\r");
}

void append_lines(std::string& out, const std::vector<ListedEntry>& entries, std::size_t indent) {
  for (const ListedEntry& entry : entries) {
    out.append(indent, ' ');
    out += one_line(entry.name);
    switch (entry.type) {
      case Type::kDirectory: out += entry.not_entered ? "/ …" : "/"; break;
      case Type::kLink: out += concat(" -> ", one_line(entry.link_target)); break;
      case Type::kFile:
        out += concat("  ", readable_size(entry.size), "  ", local_minute(entry.modified));
        break;
      case Type::kOther: out += "  (neither file nor directory)"; break;
    }
    out += '\n';
    append_lines(out, entry.inner, indent + 2);
  }
}

JsonArray entries_json(const std::vector<ListedEntry>& entries) {
  static constexpr std::array<std::string_view, 4> kNames{"file", "directory", "link", "other"};
  JsonArray list;
  for (const ListedEntry& entry : entries) {
    const auto modified = std::chrono::system_clock::from_time_t(entry.modified);
    JsonObject json{{"name", entry.name},
                    {"type", kNames[static_cast<std::size_t>(entry.type)]},
                    {"size", entry.size},
                    {"modified", utc_timestamp(modified)}};
    if (entry.type == Type::kLink) json.append("target", entry.link_target);
    if (entry.not_entered) json.append("entered", false);
    if (!entry.inner.empty()) json.append("entries", entries_json(entry.inner));
    list.emplace_back(std::move(json));
  }
  return list;
}

}  // namespace

Expected<Listing> list_path(const Root& root, std::string_view path, const ListingOptions& options) {
  const auto found = root.stat(path);
  if (!found || S_ISDIR(found->status.st_mode)) return list_directory(root, path, options);
  return Listing{.path = found->path, .entries = {entry_of(found->path, found->status)}, .total = 1};
}

Expected<Listing> list_directory(const Root& root, std::string_view path, const ListingOptions& options) {
  auto directory = root.open_directory(path);
  if (!directory) return fail(directory.error());
  Lister lister(options);
  std::vector<ListedEntry> entries;
  const std::string resolved = directory->path.empty() ? "." : directory->path;
  lister.list(std::move(directory->fd), resolved, options.depth, entries);
  Listing listing = lister.take();
  listing.path = resolved;
  listing.entries = std::move(entries);
  return listing;
}

std::string to_text(const Listing& listing) {
  std::string out;
  append_lines(out, listing.entries, 0);
  if (listing.left_out > 0)
    out += concat("… ", with_thousands(listing.left_out), " more entries are not shown\n");
  for (const std::string& path : listing.unreadable) out += concat("(", path, " could not be read)\n");
  return out;
}

Json to_json(const Listing& listing) {
  JsonArray unreadable;
  for (const std::string& path : listing.unreadable) unreadable.emplace_back(path);
  return JsonObject{{"path", listing.path},
                    {"entries", entries_json(listing.entries)},
                    {"total", listing.total},
                    {"leftOut", listing.left_out},
                    {"unreadable", std::move(unreadable)}};
}

std::string readable_size(std::uint64_t bytes) {
  if (bytes < 1024) return concat(bytes, " B");
  static constexpr std::array<std::string_view, 5> kUnits{"KB", "MB", "GB", "TB", "PB"};
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (size >= 1024 && unit + 1 < kUnits.size()) {
    size /= 1024;
    ++unit;
  }
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), size < 10 ? "%.1f" : "%.0f", size);
  return concat(text.data(), " ", kUnits[unit]);
}

}  // namespace helve::workspace

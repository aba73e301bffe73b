// Lists a directory down to a depth, with types, sizes and times.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "workspace/root.h"

namespace helve::workspace {

struct ListedEntry {
  enum class Type { kFile, kDirectory, kLink, kOther };

  std::string name;
  Type type = Type::kFile;
  std::uint64_t size = 0;
  std::int64_t modified = 0;     // seconds since 1970
  std::string link_target = {};  // of links
  std::vector<ListedEntry> inner = {};
  bool not_entered = false;  // a directory within the depth whose content is not listed
};

struct Listing {
  std::string path;
  std::vector<ListedEntry> entries;  // directories first, then by name
  std::size_t total = 0;             // listed entries at all depths
  std::size_t left_out = 0;          // found, but over the limit
  std::vector<std::string> unreadable = {};
};

struct ListingOptions {
  int depth = 1;
  std::size_t max_entries = 5000;
  std::function<bool()> should_stop = [] { return false; };
  // True for directories that are listed but not entered, by path. `.git` is never entered.
  std::function<bool(const std::string& path)> stays_out = [](const std::string&) { return false; };
};

[[nodiscard]] Expected<Listing> list_directory(const Root& root, std::string_view path,
                                               const ListingOptions& options);
// Lists a file, too, as a single entry.
[[nodiscard]] Expected<Listing> list_path(const Root& root, std::string_view path,
                                          const ListingOptions& options);

// One entry per line, indented by depth: "src/", "README.md  4.2 KB  2026-11-15 04:10".
[[nodiscard]] std::string to_text(const Listing& listing);
[[nodiscard]] Json to_json(const Listing& listing);

// "17 B", "4.2 KB", "1.0 GB"
[[nodiscard]] std::string readable_size(std::uint64_t bytes);

}  // namespace helve::workspace

#include "cli/doctor_disk.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <set>

#include "base/strings.h"
#include "changes/changes.h"
#include "core/shared_store.h"
#include "helve/settings/agent.h"
#include "helve/settings/audit.h"
#include "helve/settings/caches.h"
#include "helve/settings/history.h"
#include "helve/settings/results.h"
#include "workspace/listing.h"

namespace helve::cli {
namespace {

namespace fs = std::filesystem;

// Helve cleans up at most once an hour, so a part may exceed its limit for that long.
constexpr std::uintmax_t kLeeway = 5;  // a fifth more than the limit is still no reason to worry

struct Usage {
  std::uintmax_t bytes = 0;
  std::size_t files = 0;
};

Usage usage_of(const fs::path& path) {
  Usage usage;
  std::error_code error;
  const auto add = [&](const fs::directory_entry& entry) {
    std::error_code ignored;
    if (!entry.is_regular_file(ignored) || entry.is_symlink(ignored)) return;
    usage.bytes += entry.file_size(ignored);
    ++usage.files;
  };
  const fs::directory_entry itself(path, error);
  if (!itself.is_directory(error)) {
    add(itself);
    return usage;
  }
  for (fs::recursive_directory_iterator entry(path, fs::directory_options::skip_permission_denied, error),
       end;
       !error && entry != end; entry.increment(error))
    add(*entry);
  return usage;
}

// The prefixes of the directory entries that belong to a part.
struct Part {
  std::string_view name;
  std::vector<std::string_view> entries;
  std::string policy;
  std::optional<std::uintmax_t> limit = {};
};

std::string megabytes(int count) { return workspace::readable_size(static_cast<std::uint64_t>(count) << 20); }
std::optional<std::uintmax_t> limit_of(int count) {
  return count > 0 ? std::optional(static_cast<std::uintmax_t>(count) << 20) : std::nullopt;
}

std::vector<Part> state_parts(const settings::Groups& settings) {
  const auto& [audit, history, results, caches] =
      std::tie(settings.audit, settings.history, settings.results, settings.caches);
  return {
      {"audit",
       {"audit.jsonl", "audit-"},
       audit.keep_megabytes == 0 ? "kept forever (audit.keep_megabytes is 0)"
                                 : concat("at most ", megabytes(audit.keep_megabytes),
                                          " (audit.keep_megabytes), then the oldest part is removed"),
       limit_of(audit.keep_megabytes)},
      {"history",
       {"history"},
       concat("for each workspace at most ", megabytes(history.keep_megabytes), " and ",
              count_of(static_cast<std::size_t>(history.keep_days), "day"),
              " (history.keep_megabytes, history.keep_days), then the oldest changes are removed")},
      {"long results",
       {"sessions"},
       concat("at most ", megabytes(results.keep_megabytes), " and ",
              count_of(static_cast<std::size_t>(results.keep_days), "day"),
              " (results.keep_megabytes, results.keep_days), then those of the oldest sessions are removed"),
       limit_of(results.keep_megabytes)},
      {"caches",
       {"code", "mcp/tools"},
       concat("at most ", megabytes(caches.keep_megabytes), " and ",
              count_of(static_cast<std::size_t>(caches.keep_days), "day"),
              " unused (caches.keep_megabytes, caches.keep_days), then those unused for longest are removed"),
       limit_of(caches.keep_megabytes)},
      {"notes on commands", {"unsettled"}, "one per running command; removed after its cleanup"},
      {"logins", {"mcp/tokens"}, "one small file per MCP server with a login"},
      {"prompts", {"agent-history"}, "your last 1,000 messages to the agent", std::uintmax_t{64} << 20},
      {"the rest",
       {"trust.json", "trusted-folders.json", "init.json", "serve-token", "tidied", "audit.head"},
       "trusted projects, setup records and the token of helve serve",
       std::uintmax_t{16} << 20},
  };
}

std::vector<Part> data_parts(const settings::Groups& settings) {
  const int sessions = settings.agent.keep_sessions;
  return {
      {"store",
       {"store/helve.db", "store/helve.lock"},
       concat("snippets until you delete them; ",
              sessions == 0 ? std::string("all agent sessions (agent.keep_sessions is 0)")
                            : concat(with_thousands(static_cast<std::size_t>(sessions)),
                                     " agent sessions (agent.keep_sessions), then the oldest are removed"))},
      {"backups",
       {"store/backups", "store/helve.db.damaged-", "store/helve.db.replaced-"},
       "of the store; until you delete them"},
      {"plugins", {"plugins"}, "yours"},
  };
}

// The full paths of the part's files.
std::vector<fs::path> entries_of(const std::string& directory, const Part& part) {
  std::set<fs::path> found;
  for (const std::string_view wanted : part.entries) {
    const fs::path prefix = fs::path(directory) / wanted;
    std::error_code error;
    for (fs::directory_iterator entry(prefix.parent_path(), error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().string();
      const std::string_view rest = std::string_view(name).substr(
          name.starts_with(prefix.string()) ? prefix.string().size() : name.size());
      const bool is_whole = name == prefix.string();
      // SQLite keeps files named NAME-wal and NAME-shm beside the database.
      if (is_whole || (!rest.empty() && (wanted.ends_with('-') || rest.starts_with('-'))))
        found.insert(entry->path());
    }
  }
  return {found.begin(), found.end()};
}

// The limit applies to each workspace's history.
Finding check_histories(const std::string& directory, const Part& part, const settings::Groups& settings) {
  Usage all;
  std::size_t workspaces = 0;
  std::uintmax_t largest = 0;
  std::error_code error;
  for (fs::directory_iterator entry(concat(directory, "/history"), error), end; !error && entry != end;
       entry.increment(error)) {
    const Usage usage = usage_of(entry->path());
    ++workspaces;
    all.bytes += usage.bytes;
    largest = std::max(largest, usage.bytes);
  }
  const std::uintmax_t limit = static_cast<std::uintmax_t>(settings.history.keep_megabytes) << 20;
  const bool over = largest > limit + limit / kLeeway;
  return {over ? Finding::State::kWarning : Finding::State::kGood, "disk",
          concat(part.name, ": ", workspace::readable_size(all.bytes), " of ",
                 count_of(workspaces, "workspace"), "; ", part.policy),
          over ? "The next change in that workspace frees space." : ""};
}

std::vector<Finding> check_damage(const std::string& directory) {
  std::vector<Finding> findings;
  std::error_code error;
  for (fs::directory_iterator entry(concat(directory, "/history"), error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string path = entry->path().string();
    const auto damaged = changes::check_history(path);
    const auto add = [&](const std::string& what) {
      findings.push_back({Finding::State::kBad, "history", concat(path, ": ", what),
                          "Undo refuses what it may concern. To drop it, run helve history --action clear in "
                          "that workspace; its files are not changed."});
    };
    if (!damaged) add(damaged.error().message);
    if (damaged)
      for (const std::string& line : *damaged) add(line);
  }
  return findings;
}

Finding check_part(const std::string& directory, const Part& part) {
  Usage all;
  for (const fs::path& path : entries_of(directory, part)) {
    const Usage usage = usage_of(path);
    all.bytes += usage.bytes;
    all.files += usage.files;
  }
  const bool over = part.limit && all.bytes > *part.limit + *part.limit / kLeeway;
  return {over ? Finding::State::kWarning : Finding::State::kGood, "disk",
          concat(part.name, ": ", workspace::readable_size(all.bytes), " in ", count_of(all.files, "file"),
                 "; ", part.policy),
          over ? concat("Helve frees space at most once an hour while it is in use. You can also delete the "
                        "contents of ",
                        directory, " while it is not.")
               : ""};
}

// Files of another Helve version or program: Helve never cleans them up.
void add_strangers(const std::string& directory, const std::vector<Part>& parts,
                   std::vector<Finding>& findings) {
  std::set<fs::path> known;
  for (const Part& part : parts)
    for (const fs::path& path : entries_of(directory, part))
      known.insert(fs::path(directory) / *path.lexically_relative(directory).begin());
  Usage all;
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    if (known.contains(entry->path())) continue;
    const Usage usage = usage_of(entry->path());
    if (usage.files == 0) continue;
    all.bytes += usage.bytes;
    names.push_back(entry->path().filename().string());
  }
  if (names.empty()) return;
  findings.push_back(
      {Finding::State::kWarning, "disk",
       concat("unknown: ", workspace::readable_size(all.bytes), " in ", enumerate(names), " of ", directory),
       "Helve does not use them; remove them if you do not need them."});
}

}  // namespace

std::vector<Finding> check_disk(const core::StatePlaces& places, const settings::Groups& settings) {
  std::vector<Finding> findings;
  const auto check = [&](const std::string& directory, const std::vector<Part>& parts) {
    std::error_code error;
    if (directory.empty() || !fs::is_directory(directory, error)) return;
    for (const Part& part : parts) {
      if (entries_of(directory, part).empty()) continue;
      findings.push_back(part.name == "history" ? check_histories(directory, part, settings)
                                                : check_part(directory, part));
    }
    add_strangers(directory, parts, findings);
  };
  check(places.state_directory, state_parts(settings));
  std::ranges::move(check_damage(places.state_directory), std::back_inserter(findings));
  check(places.data_directory, data_parts(settings));
  return findings;
}

}  // namespace helve::cli

#include "search/find.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "base/strings.h"
#include "search/search_scope.h"
#include "search/walker.h"

namespace helve::search {
namespace {

// Newest first, then by path.
bool is_newer(const FoundEntry& left, const FoundEntry& right) {
  if (left.modified != right.modified) return left.modified > right.modified;
  return walks_before(left.path, right.path);
}

void read_status(int directory, const char* name, FoundEntry& entry) {
  struct stat status{};
  if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  entry.size = static_cast<std::uint64_t>(status.st_size);
  entry.modified = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

class FindVisitor final : public Visitor {
 public:
  FindVisitor(const FindQuery& query, const FileChoice& choice, FindAnswer& answer)
      : query_(query), choice_(choice), answer_(answer) {}

  std::unique_ptr<Findings> visit(unsigned /*worker*/, const FileBatch& batch) override {
    auto found = std::make_unique<Found>();
    std::string path(batch.directory_path);
    const std::size_t prefix = path.size();
    for (const FileEntry& file : batch.files) {
      if (!wants(file.type)) continue;
      path.resize(prefix);
      path += file.name;
      if (!choice_.chooses(path, file.type == EntryType::kDirectory)) continue;
      ++found->total;
      if (full_ && query_.order == FindQuery::Order::kPath) continue;  // from now on entries are only counted
      FoundEntry entry{.path = path, .type = file.type};
      if (query_.details) read_status(batch.directory_fd, file.c_str(), entry);
      found->entries.push_back(std::move(entry));
    }
    if (found->total == 0) return {};
    return found;
  }

  bool commit(std::unique_ptr<Findings> findings, const FileBatch& batch) override {
    seen_.add(batch.files.size(), query_.on_progress);
    if (!findings) return true;
    auto& found = static_cast<Found&>(*findings);
    answer_.total += found.total;
    for (FoundEntry& entry : found.entries) {
      if (query_.order == FindQuery::Order::kNewest)
        keep_if_new(std::move(entry));
      else if (answer_.entries.size() < query_.most_results)
        answer_.entries.push_back(std::move(entry));
    }
    if (answer_.entries.size() >= query_.most_results) full_ = true;
    return true;
  }

 private:
  struct Found final : Findings {
    std::vector<FoundEntry> entries;
    std::size_t total = 0;
  };

  bool wants(EntryType type) const {
    switch (query_.types) {
      case FindQuery::Types::kFiles: return type == EntryType::kFile;
      case FindQuery::Types::kDirectories: return type == EntryType::kDirectory;
      case FindQuery::Types::kLinks: return type == EntryType::kLink;
      case FindQuery::Types::kAny: return true;
    }
    return true;
  }

  // `entries` is a heap with the oldest entry on top, which bounds memory.
  void keep_if_new(FoundEntry entry) {
    auto& kept = answer_.entries;
    if (kept.size() == query_.most_results) {
      if (!is_newer(entry, kept.front())) return;
      std::ranges::pop_heap(kept, is_newer);
      kept.pop_back();
    }
    kept.push_back(std::move(entry));
    std::ranges::push_heap(kept, is_newer);
  }

  const FindQuery& query_;
  const FileChoice& choice_;
  FindAnswer& answer_;
  SteppedCount seen_;
  std::atomic<bool> full_ = false;
};

}  // namespace

Expected<FindAnswer> find_files(const workspace::Root& root, const FindQuery& query,
                                const ShouldStop& should_stop) {
  const auto start = find_start(root, query.path);
  if (!start) return fail(start.error());
  if (start->file)
    return fail(ErrorCode::kInvalidArgument,
                concat(start->file->path, " is a file; find searches directories."),
                "Pass its directory as path, or use read or grep on the file.");
  const auto choice = FileChoice::compile(
      query.globs, start->directory,
      {.globs = {.syntax = GlobOptions::Syntax::kExtended, .ignore_case = query.ignore_case},
       .rules = query.rule_globs});
  if (!choice) return fail(choice.error());
  FindAnswer answer;
  FindVisitor visitor(query, *choice, answer);
  using Types = FindQuery::Types;
  auto report = walk(root,
                     {.start = start->directory,
                      .hidden = query.hidden,
                      .ignored = query.ignored,
                      .globs = choice->exclusions(),
                      .deliver_directories = query.types == Types::kDirectories || query.types == Types::kAny,
                      .deliver_links = query.types == Types::kLinks || query.types == Types::kAny,
                      .should_stop = should_stop},
                     visitor);
  if (!report) return fail(report.error());
  if (query.order == FindQuery::Order::kNewest) std::ranges::sort(answer.entries, is_newer);
  for (FoundEntry& entry : answer.entries) entry.path = start->shown(std::move(entry.path));
  answer.stopped = report->stopped;
  answer.walk = std::move(*report);
  return answer;
}

}  // namespace helve::search

#include "lsp/disk_watch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/strings.h"
#include "search/search_scope.h"
#include "search/walker.h"

namespace helve::lsp {
namespace {

// Installed dependencies are not edited.
constexpr auto kSkippedDirectories =
    std::to_array<std::string_view>({"node_modules/", ".venv/", "venv/", "__pycache__/"});

struct Seen final : search::Visitor::Findings {
  std::vector<std::pair<std::string, workspace::FileIdentity>> files;
};

class IdentityVisitor final : public search::Visitor {
 public:
  IdentityVisitor(const search::FileChoice& choice, std::map<std::string, workspace::FileIdentity>& found)
      : choice_(choice), found_(found) {}

  std::unique_ptr<Findings> visit(unsigned, const search::FileBatch& batch) override {
    auto seen = std::make_unique<Seen>();
    for (const search::FileEntry& entry : batch.files) {
      std::string path = concat(batch.directory_path, entry.name);
      struct stat status{};
      if (choice_.chooses(path) &&
          ::fstatat(batch.directory_fd, entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
        seen->files.emplace_back(std::move(path), workspace::identity_of(status));
    }
    return seen;
  }
  bool commit(std::unique_ptr<Findings> findings, const search::FileBatch&) override {
    constexpr std::size_t kMost = 500'000;
    for (auto& file : static_cast<Seen&>(*findings).files) found_.insert(std::move(file));
    return found_.size() < kMost;
  }

 private:
  const search::FileChoice& choice_;
  std::map<std::string, workspace::FileIdentity>& found_;
};

}  // namespace

DiskWatch::DiskWatch(const workspace::Root& workspace, const std::string& directory,
                     std::vector<std::string> globs)
    : workspace_(workspace),
      start_(directory.size() > workspace.path().size() ? directory.substr(workspace.path().size() + 1) : ""),
      globs_(std::move(globs)) {
  for (const std::string_view name : kSkippedDirectories) globs_.push_back(concat("!", name));
}

Expected<DiskWatch::Snapshot> DiskWatch::take(const WaitLimit& limit) const {
  Snapshot found;
  const auto choice = search::FileChoice::compile(globs_, start_);
  if (!choice) return fail(choice.error());
  IdentityVisitor visitor(*choice, found);
  search::WalkOptions options{.start = start_};
  options.globs = choice->exclusions();
  options.should_stop = [&] { return limit.is_over(); };
  const auto report = search::walk(workspace_, options, visitor);
  if (!report) return fail(report.error());
  if (report->stopped && limit.stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The call was cancelled while checking for changed files.");
  if (report->stopped && limit.is_over())
    return fail(ErrorCode::kTimeout, "The time limit was reached while checking for changed files.");
  return found;
}

Expected<std::vector<DiskChange>> DiskWatch::check(const WaitLimit& limit) {
  auto now = take(limit);
  if (!now) return fail(now.error());
  std::vector<DiskChange> changes;
  const auto note = [&](const std::string& path, DiskChange::Kind kind) {
    if (has_checked_) changes.push_back({concat(workspace_.path(), "/", path), kind});
  };
  for (const auto& [path, identity] : *now) {
    const auto before = last_.find(path);
    if (before == last_.end())
      note(path, DiskChange::Kind::kCreated);
    else if (before->second != identity)
      note(path, DiskChange::Kind::kChanged);
  }
  for (const auto& [path, identity] : last_)
    if (!now->contains(path)) note(path, DiskChange::Kind::kDeleted);
  last_ = *std::move(now);
  has_checked_ = true;
  return changes;
}

}  // namespace helve::lsp

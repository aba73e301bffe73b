#include "lsp/disk_watch.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/strings.h"
#include "search/file_choice.h"
#include "search/walker.h"

namespace helve::lsp {
namespace {

// What others install is not what anybody edits.
constexpr auto kLeftOut =
    std::to_array<std::string_view>({"node_modules/", ".venv/", "venv/", "__pycache__/"});

struct Seen final : search::Visitor::Findings {
  std::vector<std::pair<std::string, FileIdentity>> files;
};

class IdentityVisitor final : public search::Visitor {
 public:
  IdentityVisitor(const search::FileChoice& choice, std::map<std::string, FileIdentity>& found)
      : choice_(choice), found_(found) {}

  std::unique_ptr<Findings> visit(unsigned, const search::FileBatch& batch) override {
    auto seen = std::make_unique<Seen>();
    for (const search::FileEntry& entry : batch.files) {
      std::string path = concat(batch.directory_path, entry.name);
      struct stat status{};
      if (choice_.chooses(path) &&
          ::fstatat(batch.directory_fd, entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
        seen->files.emplace_back(std::move(path), identity_of(status));
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
  std::map<std::string, FileIdentity>& found_;
};

}  // namespace

DiskWatch::DiskWatch(const Root& workspace, const std::string& directory, std::vector<std::string> globs)
    : workspace_(workspace),
      start_(directory.size() > workspace.path().size() ? directory.substr(workspace.path().size() + 1) : ""),
      globs_(std::move(globs)) {
  for (const std::string_view name : kLeftOut) globs_.push_back(concat("!", name));
}

Expected<DiskWatch::Snapshot> DiskWatch::take(const Patience& patience) const {
  Snapshot found;
  const auto choice = search::FileChoice::compile(globs_, start_);
  if (!choice) return fail(choice.error());
  IdentityVisitor visitor(*choice, found);
  search::WalkOptions options{.start = start_};
  options.globs = choice->exclusions();
  options.should_stop = [&] { return patience.is_over(); };
  const auto report = search::walk(workspace_, options, visitor);
  if (!report) return fail(report.error());
  if (report->stopped && patience.stop.stop_requested())
    return fail(ErrorCode::kCancelled, "The question was cancelled before all files had been looked at.");
  if (report->stopped && patience.is_over())
    return fail(ErrorCode::kTimeout, "The time was up before all files had been looked at.");
  return found;
}

Expected<std::vector<DiskChange>> DiskWatch::look(const Patience& patience) {
  auto now = take(patience);
  if (!now) return fail(now.error());
  std::vector<DiskChange> changes;
  const auto note = [&](const std::string& path, DiskChange::Kind kind) {
    if (looked_) changes.push_back({concat(workspace_.path(), "/", path), kind});
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
  looked_ = true;
  return changes;
}

}  // namespace helve::lsp

#include "search/follow_links.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/strings.h"

namespace helve::search {
namespace {

using Use = std::function<bool(LinkedFile)>;

// A chain of links longer than this leads nowhere.
constexpr std::size_t kMostLinks = 40;

// Names the entries of a directory, which a walk delivers under the name of the link's target.
class NameCollector final : public Visitor {
 public:
  struct Entry {
    std::string path;
    EntryType type;
  };

  std::unique_ptr<Findings> visit(unsigned /*worker*/, const FileBatch& /*batch*/) override { return {}; }
  bool commit(std::unique_ptr<Findings> /*findings*/, const FileBatch& batch) override {
    for (const FileEntry& file : batch.files)
      entries.push_back({concat(batch.directory_path, file.name), file.type});
    return true;
  }

  std::vector<Entry> entries = {};
};

class Follower {
 public:
  Follower(const workspace::Root& root, const WalkOptions& options, const Use& use)
      : root_(root), options_(options), use_(use) {}

  // `shown` is the path through the links. Returns false when the caller wants no more.
  bool follow(const std::string& path, const std::string& shown) {
    const auto found = root_.stat(path);
    if (!found) return true;
    if (!S_ISDIR(found->status.st_mode)) return S_ISREG(found->status.st_mode) ? deliver(path, shown) : true;
    const std::string target = found->path == "." ? "" : found->path;
    if (is_loop(target, path) || open_.size() >= kMostLinks) return true;
    open_.push_back(target);
    const bool go_on = enter(target, shown);
    open_.pop_back();
    return go_on;
  }

 private:
  bool deliver(const std::string& path, const std::string& shown) {
    auto file = root_.open_read(path);
    return !file || use_({.file = std::move(*file), .path = shown});
  }

  // Whether the directory contains the link itself or a directory that is being followed.
  bool is_loop(const std::string& target, const std::string& link) const {
    const auto contains = [&](std::string_view path) {
      return target.empty() || path == target || path.starts_with(concat(target, "/"));
    };
    return contains(link) || std::ranges::any_of(open_, contains);
  }

  bool enter(const std::string& target, const std::string& shown) {
    WalkOptions options = options_;
    options.start = target;
    options.threads = 1;
    options.after.clear();
    options.deliver_directories = false;
    options.deliver_links = true;
    NameCollector names;
    if (!walk(root_, options, names)) return true;
    const std::size_t prefix = target.empty() ? 0 : target.size() + 1;
    for (const auto& [path, type] : names.entries) {
      const std::string seen = concat(shown, "/", std::string_view(path).substr(prefix));
      const bool go_on = type == EntryType::kLink ? follow(path, seen) : deliver(path, seen);
      if (!go_on || (options_.should_stop && options_.should_stop())) return false;
    }
    return true;
  }

  const workspace::Root& root_;
  const WalkOptions& options_;
  const Use& use_;
  std::vector<std::string> open_;  // the directories that are being followed
};

}  // namespace

void follow_link(const workspace::Root& root, const std::string& path, const WalkOptions& options,
                 const Use& use) {
  Follower(root, options, use).follow(path, path);
}

}  // namespace helve::search

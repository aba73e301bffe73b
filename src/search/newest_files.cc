#include "search/newest_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "base/strings.h"
#include "search/follow_links.h"

namespace helve::search {
namespace {

std::int64_t modified_at(const struct stat& status) {
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

class TimeCollector final : public Visitor {
 public:
  TimeCollector(const workspace::Root& root, const WalkOptions& options, const FileChoice& choice)
      : root_(root), options_(options), choice_(choice) {}

  std::unique_ptr<Findings> visit(unsigned /*worker*/, const FileBatch& batch) override {
    auto found = std::make_unique<Found>();
    for (const FileEntry& entry : batch.files) {
      const std::string path = concat(batch.directory_path, entry.name);
      if (entry.type == EntryType::kLink) {
        follow_link(root_, path, options_, [&](const LinkedFile& linked) {
          if (choice_.chooses(linked.path))
            found->files.push_back({linked.path, modified_at(linked.file.status)});
          return true;
        });
        continue;
      }
      struct stat status{};
      if (choice_.chooses(path) &&
          ::fstatat(batch.directory_fd, entry.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
        found->files.push_back({path, modified_at(status)});
    }
    return found;
  }

  bool commit(std::unique_ptr<Findings> findings, const FileBatch& /*batch*/) override {
    std::ranges::move(static_cast<Found&>(*findings).files, std::back_inserter(files));
    return true;
  }

  std::vector<NewestFiles::File> files = {};

 private:
  struct Found final : Findings {
    std::vector<NewestFiles::File> files;
  };

  const workspace::Root& root_;
  const WalkOptions& options_;
  const FileChoice& choice_;
};

}  // namespace

Expected<NewestFiles> list_newest_files(const workspace::Root& root, const WalkOptions& options,
                                        const FileChoice& choice) {
  TimeCollector collector(root, options, choice);
  auto report = walk(root, options, collector);
  if (!report) return fail(report.error());
  NewestFiles list{.files = std::move(collector.files), .walk = std::move(*report)};
  std::ranges::sort(list.files, [](const NewestFiles::File& left, const NewestFiles::File& right) {
    if (left.modified != right.modified) return left.modified > right.modified;
    return walks_before(left.path, right.path);
  });
  return list;
}

}  // namespace helve::search

#include "policy/matching_files.h"

#include "base/strings.h"
#include "search/find.h"
#include "workspace/root.h"

namespace helve::policy {

bool MatchingFiles::hold(const struct stat& status) {
  constexpr auto kFresh = std::chrono::seconds(1);
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (listed_ == std::chrono::steady_clock::time_point() || now - listed_ >= kFresh) {
    list();
    listed_ = std::chrono::steady_clock::now();
  }
  return files_.contains({status.st_dev, status.st_ino});
}

void MatchingFiles::list() {
  files_.clear();
  const auto root = workspace::Root::open(workspace_);
  if (!root) return;
  constexpr std::size_t kMost = 100'000;
  search::FindQuery query{.globs = {glob_, concat(glob_, "/**")}, .ignore_case = true};
  query.hidden = true;
  query.ignored = true;
  query.most_results = kMost;
  query.details = false;
  const auto found = search::find_files(*root, query, [] { return false; });
  if (!found) return;
  for (const search::FoundEntry& entry : found->entries) {
    struct stat status{};
    if (::stat(concat(workspace_, "/", entry.path).c_str(), &status) == 0)
      files_.emplace(status.st_dev, status.st_ino);
  }
}

}  // namespace helve::policy

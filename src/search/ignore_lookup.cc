#include "search/ignore_lookup.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/strings.h"

namespace helve::search {
namespace {

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace

IgnoreLookup::IgnoreLookup(const Root& root, IgnoreEnvironment environment)
    : root_(root), environment_(std::move(environment)) {}

const IgnoreLevelPtr& IgnoreLookup::rules_inside(std::string_view directory) {
  if (const auto known = levels_.find(directory); known != levels_.end()) return known->second;
  const IgnoreLevelPtr outer = directory.empty()
                                   ? ignore_rules_above(root_.path(), root_.path(), environment_)
                                   : rules_inside(parent_of(directory));
  IgnoreLevelPtr inside = outer;
  if (const auto opened = root_.open_directory(directory.empty() ? "." : directory)) {
    IgnoreFilesSeen seen;
    for (const char* name : {".rgignore", ".ignore", ".gitignore", ".git", ".jj"}) {
      if (::faccessat(opened->fd.get(), name, F_OK, AT_SYMLINK_NOFOLLOW) == 0) seen.see(name);
    }
    const std::string path = directory.empty() ? root_.path() : concat(root_.path(), "/", directory);
    inside = ignore_rules_inside(outer, opened->fd.get(), path, seen);
  }
  return levels_.emplace(directory, std::move(inside)).first->second;
}

bool IgnoreLookup::leaves_out(std::string_view path, bool is_directory) {
  const std::string absolute = concat(root_.path(), "/", path);
  const Candidate candidate(absolute, is_directory);
  if (candidate.name == ".git") return true;
  const Verdict verdict = judge(rules_inside(parent_of(path)).get(), candidate);
  if (verdict == Verdict::kNone) return candidate.name.starts_with('.');
  return verdict == Verdict::kSkip;
}

}  // namespace helve::search

// Decides which entries of a directory belong to a walk.
#pragma once

#include <string>
#include <string_view>

#include "search/directory_reader.h"
#include "search/ignore_rules.h"
#include "search/walker.h"

namespace helve::search {

// One per worker; judges the entries of one directory at a time.
class WalkFilter {
 public:
  // `root_prefix` comes before paths that are relative to the root to make them absolute.
  WalkFilter(const WalkOptions& options, std::string_view root_prefix)
      : options_(options), root_bytes_(root_prefix.size()), path_(root_prefix) {}

  // `directory` is relative to the root, "" or "a/b/".
  void enter(std::string_view directory, const IgnoreLevel* ignore);
  // Whether the entry belongs to the walk; counts it in `report` when it does not.
  [[nodiscard]] bool accepts(std::string_view name, bool is_directory, WalkReport& report);

  // Absolute, without `/` at its end; of the directory that was entered.
  [[nodiscard]] std::string_view directory() const {
    return std::string_view(path_).substr(0, directory_bytes_ - 1);
  }

 private:
  const WalkOptions& options_;
  std::size_t root_bytes_;
  std::string path_;  // absolute, of the entry looked at last
  std::size_t directory_bytes_ = 0;
  const IgnoreLevel* ignore_ = nullptr;
  bool asks_ = false;  // there are globs or rules
};

// Where a walk goes on after a path. `after` is what remains of the path in this directory; empty:
// everything.
enum class Resume {
  kSkip,     // before it
  kInside,   // the directory itself is before it, but not all it holds
  kDeliver,  // behind it
};
[[nodiscard]] Resume resume_at(std::string_view name, bool is_directory, std::string_view after);
// What remains of `after` inside the directory that its first component names.
[[nodiscard]] std::string_view resume_inside(std::string_view after);

}  // namespace helve::search

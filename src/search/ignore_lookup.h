// Whether single entries would be left out by a walk, for those who list directories in their own way.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "search/ignore_rules.h"
#include "workspace/root.h"

namespace helve::search {

// Reads the ignore files of the directories that it is asked about, each once. One thread at a time; the root
// must outlive it.
class IgnoreLookup {
 public:
  explicit IgnoreLookup(const Root& root, IgnoreEnvironment environment = IgnoreEnvironment::of_process());

  // Hidden, ignored, or `.git`. `path` is relative to the root.
  [[nodiscard]] bool leaves_out(std::string_view path, bool is_directory);

 private:
  const IgnoreLevelPtr& rules_inside(std::string_view directory);

  const Root& root_;
  const IgnoreEnvironment environment_;
  std::map<std::string, IgnoreLevelPtr, std::less<>> levels_;  // by directory; the root is empty
};

}  // namespace helve::search

// Which files a caller wants, by the globs of a call.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "search/file_globs.h"

namespace helve::search {

// A file is chosen when it matches one of the globs, if there are any, and none of those with `!` in front.
// Unlike ripgrep's -g, no glob brings back what ignore files leave out: `*` means what is there, not
// node_modules. Globs with a path may start at the workspace or where the search starts. A value; may be used
// from all threads.
class FileChoice {
 public:
  [[nodiscard]] static Expected<FileChoice> compile(std::span<const std::string> globs,
                                                    std::string_view start);

  // Of an entry that the exclusions left in. `path` is relative to the workspace.
  [[nodiscard]] bool chooses(std::string_view path, bool is_directory = false) const {
    return wanted_.empty() || wanted_.judge(path, is_directory) == Verdict::kTake;
  }
  // For the walker, which need not enter what is excluded; null when nothing is.
  [[nodiscard]] const FileGlobs* exclusions() const { return unwanted_.empty() ? nullptr : &unwanted_; }

 private:
  FileGlobs wanted_;
  FileGlobs unwanted_;
};

}  // namespace helve::search

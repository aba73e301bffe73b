// The globs by which a tool's caller chooses files: several, some of them exclusions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "helve/error.h"
#include "search/rule_list.h"

namespace helve::search {

// Each glob is read like a line of an ignore file with the meaning turned round: `*.cc` takes files, `!*.h`
// leaves them out, the last glob that matches decides. One without `/` matches at any depth, others from the
// workspace root on; `dir/` speaks of directories only. As soon as one glob takes, files that none matches
// are left out, while directories are still entered. A glob that takes a file or directory by its own match
// overrides ignore files and the hiding of dot files. A value; may be used from all threads.
class FileGlobs {
 public:
  FileGlobs() = default;  // no opinion on anything
  [[nodiscard]] static Expected<FileGlobs> compile(std::span<const std::string> globs,
                                                   bool ignore_case = false);

  [[nodiscard]] bool empty() const { return rules_.empty(); }
  // `path` is relative to the workspace root.
  [[nodiscard]] Verdict judge(const Candidate& candidate) const;
  [[nodiscard]] Verdict judge(std::string_view path, bool is_directory) const {
    return judge(Candidate(path, is_directory));
  }

 private:
  RuleList rules_;
  bool takes_ = false;  // at least one glob is no exclusion
};

}  // namespace helve::search

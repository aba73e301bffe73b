#include "search/file_globs.h"

namespace helve::search {

Expected<FileGlobs> FileGlobs::compile(std::span<const std::string> globs, bool ignore_case) {
  FileGlobs result;
  const GlobOptions options{.ignore_case = ignore_case};
  for (const std::string& glob : globs) {
    const std::size_t before = result.rules_.size();
    if (auto added = result.rules_.add_line(glob, options, RuleList::Comments::kNone); !added)
      return fail(added.error());
    if (result.rules_.size() > before) result.takes_ = result.takes_ || !result.rules_.is_negated(before);
  }
  result.rules_.finish();
  return result;
}

Verdict FileGlobs::judge(const Candidate& candidate) const {
  if (rules_.empty()) return Verdict::kNone;
  switch (rules_.judge(candidate)) {
    case Verdict::kSkip: return Verdict::kTake;
    case Verdict::kTake: return Verdict::kSkip;
    case Verdict::kNone: break;
  }
  return takes_ && !candidate.is_directory ? Verdict::kSkip : Verdict::kNone;
}

}  // namespace helve::search

#include "search/walk_filter.h"

namespace helve::search {

void WalkFilter::enter(std::string_view directory, const IgnoreLevel* ignore) {
  path_.resize(root_bytes_);
  path_ += directory;
  directory_bytes_ = path_.size();
  ignore_ = ignore;
  asks_ = (options_.globs != nullptr && !options_.globs->empty()) || has_rules(ignore);
}

bool WalkFilter::accepts(std::string_view name, bool is_directory, WalkReport& report) {
  if (asks_) {
    path_.resize(directory_bytes_);
    path_ += name;
    const Candidate candidate(path_, directory_bytes_, is_directory);
    const Verdict chosen = options_.globs == nullptr
                               ? Verdict::kNone
                               : options_.globs->judge(candidate.without_prefix(root_bytes_));
    if (chosen == Verdict::kSkip) ++report.not_chosen;
    if (chosen != Verdict::kNone) return chosen == Verdict::kTake;
    const Verdict ruled = judge(ignore_, candidate);
    if (ruled == Verdict::kSkip) ++report.ignored;
    if (ruled != Verdict::kNone) return ruled == Verdict::kTake;
  }
  if (options_.hidden || !name.starts_with('.')) return true;
  ++report.hidden;
  return false;
}

Resume resume_at(std::string_view name, bool is_directory, std::string_view after) {
  if (after.empty()) return Resume::kDeliver;
  const std::string_view component = after.substr(0, after.find('/'));
  if (name != component) return name < component ? Resume::kSkip : Resume::kDeliver;
  return is_directory ? Resume::kInside : Resume::kSkip;
}

std::string_view resume_inside(std::string_view after) {
  const std::size_t slash = after.find('/');
  return slash == std::string_view::npos ? std::string_view() : after.substr(slash + 1);
}

}  // namespace helve::search

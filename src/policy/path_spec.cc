#include "policy/path_spec.h"

#include <sys/stat.h>

#include <algorithm>
#include <span>

#include "base/strings.h"
#include "policy/pattern_meet.h"
#include "workspace/path_check.h"

namespace helve::policy {
namespace {

// A name that no spec contains literally: a spec that covers it covers everything in its directory.
constexpr std::string_view kAnyName = "\x01";

bool has_wildcard(std::string_view text) { return text.find_first_of("*?[{\\") != std::string_view::npos; }

struct Beginning {
  std::string directory;
  std::string_view rest;
  bool floats = false;
};

Expected<Beginning> find_beginning(std::string_view spec, const Surroundings& surroundings) {
  if (spec.starts_with("//")) return Beginning{"/", spec.substr(2)};
  if (spec == "~" || spec.starts_with("~/")) {
    if (surroundings.home.empty())
      return fail(ErrorCode::kInvalidArgument, concat("the home directory for ", spec, " is unknown"),
                  "Write an absolute path with two slashes: //home/name/…");
    return Beginning{surroundings.home, spec.substr(1)};
  }
  if (spec.starts_with('~') || spec.starts_with('!'))
    return fail(ErrorCode::kInvalidArgument, concat("the path cannot begin with ", spec.front()),
                spec.front() == '~' ? "Use ~/… for the home directory."
                                    : "Write a separate rule for the excluded files.");
  const bool anchored = spec.substr(0, spec.size() - 1).find('/') != std::string_view::npos;
  const bool floats =
      spec.starts_with("**/") || (!anchored && !workspace::split_path(spec).components.empty());
  return Beginning{surroundings.workspace, spec, floats};
}

}  // namespace

Expected<PathSpec> PathSpec::compile(std::string_view spec, const Surroundings& surroundings,
                                     Purpose purpose) {
  if (spec.empty())
    return fail(ErrorCode::kInvalidArgument, "the path is empty",
                "Remove the parentheses to match every path.");
  const auto beginning = find_beginning(spec, surroundings);
  if (!beginning) return fail(beginning.error());
  PathSpec made;
  made.purpose_ = purpose;
  made.workspace_ = surroundings.workspace;
  made.floats_ = beginning->floats;
  const bool restricts = purpose == Purpose::kRestrict;
  const search::GlobOptions options{.ignore_case = restricts, .lenient_classes = true};
  const workspace::PathText text = workspace::split_path(beginning->rest);
  std::span<const std::string> components = text.components;
  std::string anchor = beginning->directory;
  if (!made.floats_) {
    const auto wild = std::ranges::find_if(components, has_wildcard);
    const auto literal = components.first(static_cast<std::size_t>(wild - components.begin()));
    anchor =
        literal.empty() ? anchor : concat(anchor == "/" ? "" : anchor, "/", workspace::join_path(literal));
    components = components.subspan(literal.size());
  }
  if (!components.empty()) {
    made.text_ = workspace::join_path(components);
    const bool deep = made.floats_ && !made.text_.starts_with("**");
    auto glob = search::Glob::compile(deep ? concat("**/", made.text_) : made.text_, options);
    if (!glob) return fail(glob.error());
    made.glob_ = std::move(*glob);
  }
  const Location location = locate(anchor, "/");
  made.spelled_ = {location.given};
  if (location.real != location.given) made.spelled_.push_back(location.real);
  if (restricts && made.glob_)
    if (auto glob = made.workspace_glob())
      made.files_ = std::make_shared<MatchingFiles>(made.workspace_, *std::move(glob));
  for (const std::string& each : made.spelled_) made.anchors_.push_back(restricts ? to_lower(each) : each);
  return made;
}

bool PathSpec::covers_beneath(std::string_view rest) const {
  if (!glob_) return true;
  if (rest.empty()) return false;
  // A directory that matches covers everything in it.
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/', slash + 1))
    if (glob_->matches(rest.substr(0, slash))) return true;
  return glob_->matches(rest);
}

bool PathSpec::covers_path(std::string_view path) const {
  const bool restricts = purpose_ == Purpose::kRestrict;
  const std::string folded = restricts ? to_lower(path) : std::string(path);
  for (const std::string& anchor : anchors_) {
    if (!is_within(folded, anchor)) continue;
    std::string_view rest = std::string_view(folded).substr(anchor == "/" ? 0 : anchor.size());
    if (rest.starts_with('/')) rest.remove_prefix(1);
    if (covers_beneath(rest)) return true;
  }
  // A floating spec restricts paths anywhere, but grants only inside the workspace.
  return floats_ && restricts && covers_beneath(std::string_view(folded).substr(1));
}

bool PathSpec::is_same_file(const std::string& real) const {
  struct stat theirs{};
  if (::stat(real.c_str(), &theirs) != 0 || !S_ISREG(theirs.st_mode) || theirs.st_nlink < 2) return false;
  if (files_) return files_->hold(theirs);
  if (glob_) return false;
  struct stat ours{};
  return ::stat(spelled_.front().c_str(), &ours) == 0 && ours.st_dev == theirs.st_dev &&
         ours.st_ino == theirs.st_ino;
}

bool PathSpec::covers(const Location& location, Extent extent) const {
  const auto covered = [&](const std::string& path) {
    return covers_path(path) || (extent == Extent::kContents && covers_path(concat(path, "/", kAnyName)));
  };
  if (purpose_ == Purpose::kGrant) return covered(location.given) && covered(location.real);
  return covered(location.given) || covered(location.real) || is_same_file(location.real);
}

bool PathSpec::begins_beneath(const Location& directory) const {
  if (floats_) return false;
  return std::ranges::any_of(spelled_, [&](const std::string& anchor) {
    return is_within(anchor, directory.given) || is_within(anchor, directory.real);
  });
}

Match PathSpec::covers_pattern(std::string_view pattern) const {
  if (floats_) {
    const std::string_view glob = std::string_view(text_).substr(text_.rfind('/') + 1);
    const std::string_view name = pattern.substr(pattern.rfind('/') + 1);
    return glob.starts_with("**") || can_expand_to(name, glob) ? Match::kMaybe : Match::kNo;
  }
  const workspace::PathText text = workspace::split_path(pattern);
  for (const std::string& anchor : spelled_) {
    const workspace::PathText wanted = workspace::split_path(anchor);
    bool possible = text.components.size() >= wanted.components.size();
    for (std::size_t i = 0; possible && i < wanted.components.size(); ++i) {
      const std::string& component = text.components[i];
      if (component == "..") return Match::kMaybe;
      const auto glob = search::Glob::compile(component, {.ignore_case = true, .lenient_classes = true});
      possible = !glob || glob->matches(wanted.components[i]);
    }
    if (possible) return Match::kMaybe;
  }
  // A symlink in the literal part of the pattern could still lead to a covered path, so it is followed.
  const std::size_t wild = pattern.find_first_of("*?[{");
  const std::string_view literal = pattern.substr(0, pattern.substr(0, wild).rfind('/'));
  const Location location = locate(literal.empty() ? "/" : literal, "/");
  return location.real != location.given && covers_path(concat(location.real, "/", kAnyName)) ? Match::kMaybe
                                                                                              : Match::kNo;
}

bool PathSpec::is_as_wide_as(const PathSpec& other) const {
  if (floats_ != other.floats_) return floats_ && (text_ == "*" || text_ == "**");
  if (to_lower(text_) == to_lower(other.text_) &&
      to_lower(spelled_.front()) == to_lower(other.spelled_.front()))
    return true;
  if (floats_) return text_ == "*" || text_ == "**";
  return covers_path(other.glob_ ? concat(other.spelled_.front(), "/", kAnyName) : other.spelled_.front());
}

std::optional<std::string> PathSpec::workspace_glob() const {
  if (floats_) return text_;
  for (const std::string& anchor : spelled_) {
    if (!is_within(anchor, workspace_)) continue;
    std::string glob = anchor.substr(workspace_ == "/" ? 0 : workspace_.size());
    if (glob_) glob += concat("/", text_);
    return glob.empty() ? "/**" : glob;
  }
  return std::nullopt;
}

}  // namespace helve::policy

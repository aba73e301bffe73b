#include "workspace/root_walk.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "base/strings.h"

namespace helve::workspace {
namespace {

constexpr int kMostLinks = 40;     // as in the kernel
constexpr int kMostRestarts = 16;  // for a directory that is swapped repeatedly

// One remaining step. `..` is allowed more in symlinks than in the request.
struct Step {
  std::string name;
  bool from_link = false;
};

// One walk from the base down. Used by one thread for one call.
class Walker {
 public:
  Walker(const BaseDirectory& base, std::string_view shown, Symlinks symlinks, FinalLink final_link)
      : base_(base), shown_(shown), symlinks_(symlinks), final_link_(final_link) {}

  Expected<Place> walk(const PathText& path);

  // True after an error caused by a concurrent rename.
  [[nodiscard]] bool was_disturbed() const { return disturbed_; }

 private:
  Expected<void> enter(const std::vector<std::string>& components);
  Expected<void> climb(bool from_link);
  Expected<bool> descend_from_above(const std::string& name);
  Expected<void> follow(const std::string& name, int link);
  Place finish(std::string name, std::optional<struct stat> status);
  std::unexpected<Error> escape() const;

  const BaseDirectory& base_;
  std::string_view shown_;
  Symlinks symlinks_;
  FinalLink final_link_;

  UniqueFd current_;
  std::vector<std::string> components_;  // of current_
  std::vector<Step> pending_;            // last one first
  // Levels above the base that a symlink has reached; there only names are compared.
  std::size_t above_ = 0;
  bool names_directory_ = false;
  int links_ = 0;
  std::string last_link_;
  bool disturbed_ = false;
};

void push_steps(std::vector<Step>& pending, const std::vector<std::string>& components, bool from_link) {
  for (auto it = components.rbegin(); it != components.rend(); ++it) pending.push_back({*it, from_link});
}

std::unexpected<Error> Walker::escape() const {
  return fail(path_error(ErrorKind::kSymlinkNotAllowed, shown_,
                         concat(printable_path(shown_), " leads out of the workspace through the symlink ",
                                printable_path(last_link_), "."),
                         "Name a file inside the workspace, or ask the user to open the other directory."));
}

Expected<void> Walker::enter(const std::vector<std::string>& components) {
  current_.reset(open_plain(base_.fd.get(), join_path(components), O_PATH | O_DIRECTORY));
  if (current_) return {};
  disturbed_ = true;
  return fail(open_error(shown_, errno));
}

Expected<void> Walker::climb(bool from_link) {
  if (above_ > 0) {
    above_ = std::min(above_ + 1, base_.real.size());
    return {};
  }
  if (components_.empty()) {
    if (!from_link)
      return fail(path_error(ErrorKind::kPathTraversal, shown_,
                             concat(printable_path(shown_), " leads out of the workspace with `..`."),
                             "Name a path inside the workspace."));
    above_ = std::min<std::size_t>(1, base_.real.size());
    return {};
  }
  // Reopen by name instead of `..`: a directory that was moved has another parent.
  components_.pop_back();
  return enter(components_);
}

// A symlink that leads above the base may only come back down along the base's own path.
Expected<bool> Walker::descend_from_above(const std::string& name) {
  if (above_ == 0) return false;
  if (name != base_.real[base_.real.size() - above_]) return escape();
  --above_;
  return true;
}

Expected<void> Walker::follow(const std::string& name, int link) {
  components_.push_back(name);
  last_link_ = join_path(components_);
  components_.pop_back();
  if (symlinks_ == Symlinks::kDeny)
    return fail(path_error(
        ErrorKind::kSymlinkNotAllowed, shown_,
        concat(printable_path(last_link_), " is a symlink, and symlinks are not followed."),
        "Use the path of the file itself. The setting symlinks controls whether symlinks are followed."));
  if (++links_ > kMostLinks)
    return fail(path_error(ErrorKind::kSymlinkNotAllowed, shown_,
                           concat(printable_path(shown_), " goes through more than ", kMostLinks,
                                  " symlinks, the last of them ", printable_path(last_link_), "."),
                           "The links probably point at each other. Use the path of the file itself."));
  std::array<char, PATH_MAX> buffer;
  const ssize_t length = ::readlinkat(link, "", buffer.data(), buffer.size());
  if (length <= 0) return fail(open_error(shown_, length < 0 ? errno : ENOENT));
  const PathText target = split_path(std::string_view(buffer.data(), static_cast<std::size_t>(length)));
  if (pending_.empty()) names_directory_ = names_directory_ || target.names_directory;
  if (!target.absolute) {
    push_steps(pending_, target.components, true);
    return {};
  }
  components_.clear();
  if (auto at_base = enter(components_); !at_base) return at_base;
  if (const auto inside = beneath(target.components, base_.given)) {
    push_steps(pending_, *inside, true);
  } else {
    above_ = base_.real.size();
    push_steps(pending_, target.components, true);
  }
  return {};
}

Place Walker::finish(std::string name, std::optional<struct stat> status) {
  Place place{std::move(current_), std::move(components_), std::move(name), status};
  for (auto it = pending_.rbegin(); it != pending_.rend(); ++it) place.beyond.push_back(std::move(it->name));
  return place;
}

Expected<Place> Walker::walk(const PathText& path) {
  names_directory_ = path.names_directory;
  push_steps(pending_, path.components, false);
  if (auto at_base = enter(components_); !at_base) return fail(at_base.error());
  while (!pending_.empty()) {
    const Step step = std::move(pending_.back());
    pending_.pop_back();
    if (step.name == "..") {
      if (auto climbed = climb(step.from_link); !climbed) return fail(climbed.error());
      continue;
    }
    const auto came_down = descend_from_above(step.name);
    if (!came_down) return fail(came_down.error());
    if (*came_down) continue;

    UniqueFd next(open_plain(current_.get(), step.name, O_PATH | O_NOFOLLOW));
    if (!next && errno == ENOENT) return finish(step.name, std::nullopt);
    struct stat status;
    if (!next || ::fstat(next.get(), &status) != 0) return fail(open_error(shown_, errno));
    const bool last = pending_.empty();
    if (S_ISLNK(status.st_mode) && !(last && final_link_ == FinalLink::kKeep && !names_directory_)) {
      if (auto followed = follow(step.name, next.get()); !followed) return fail(followed.error());
      continue;
    }
    if (!S_ISDIR(status.st_mode) && (!last || names_directory_)) {
      components_.push_back(step.name);
      return fail(ErrorCode::kNotFound,
                  concat(printable_path(join_path(components_)),
                         " is a file, not a directory, so there is no ", printable_path(shown_), "."),
                  "Check the path with ls.", JsonObject{{"path", printable_path(shown_)}});
    }
    if (last) return finish(step.name, status);
    components_.push_back(step.name);
    current_ = std::move(next);
  }
  if (above_ > 0) return escape();
  struct stat status;
  if (::fstat(current_.get(), &status) != 0) return fail(open_error(shown_, errno));
  return finish({}, status);
}

}  // namespace

int open_plain(int directory, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS;
  long fd = -1;
  for (int attempt = 0; attempt < 100; ++attempt) {
    fd = ::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how);
    // EAGAIN: a rename during the walk made the result uncertain.
    if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) break;
  }
  // EPERM: older containers forbid the call.
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) return open_plain_stepwise(directory, path, flags);
  return static_cast<int>(fd);
}

int open_plain_stepwise(int directory, const std::string& path, int flags) {
  const std::vector<std::string> components = split_path(path).components;
  if (components.empty()) return ::openat(directory, ".", flags | O_CLOEXEC);
  UniqueFd current;
  for (std::size_t i = 0; i < components.size(); ++i) {
    const int from = current ? current.get() : directory;
    const bool last = i + 1 == components.size();
    if (last && (flags & O_PATH) == 0)
      return ::openat(from, components[i].c_str(), flags | O_NOFOLLOW | O_CLOEXEC);
    UniqueFd next(::openat(from, components[i].c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    if (!next || ::fstat(next.get(), &status) != 0) return -1;
    const bool keeps_link = last && (flags & O_NOFOLLOW) != 0;
    const bool needs_directory = !last || (flags & O_DIRECTORY) != 0;
    errno = S_ISLNK(status.st_mode) ? ELOOP : ENOTDIR;
    if (S_ISLNK(status.st_mode) ? !keeps_link : needs_directory && !S_ISDIR(status.st_mode)) return -1;
    current = std::move(next);
  }
  return current.release();
}

std::vector<std::string> Place::all_components() const {
  std::vector<std::string> all = components;
  if (!name.empty()) all.push_back(name);
  all.insert(all.end(), beyond.begin(), beyond.end());
  return all;
}

Expected<Place> walk_beneath(const BaseDirectory& base, const PathText& path, std::string_view shown,
                             Symlinks symlinks, FinalLink final_link) {
  for (int attempt = 0;; ++attempt) {
    Walker walker(base, shown, symlinks, final_link);
    auto place = walker.walk(path);
    if (place || !walker.was_disturbed() || attempt == kMostRestarts) return place;
  }
}

Error open_error(std::string_view shown, int error_number) {
  const std::string path = printable_path(shown);
  const JsonObject details{{"path", path}, {"errno", error_number}};
  switch (error_number) {
    case EACCES:
    case EPERM:
      return {ErrorCode::kPermissionDenied,
              concat("The operating system denies access to ", path, " (", errno_text(error_number), ")."),
              concat("Helve runs as user ", ::geteuid(), ". Ask the user to change the owner or mode."),
              details};
    case ENOENT:
      return {ErrorCode::kNotFound, concat("There is no ", path, "."), "Use find or ls to look for it.",
              details};
    case ENOTDIR:
      return {ErrorCode::kNotFound,
              concat("There is no ", path, ": a part of it is a file, not a directory."),
              "Check the path with ls.", details};
    case ELOOP:
    case EXDEV:
      return path_error(ErrorKind::kSymlinkNotAllowed, shown,
                        concat(path, " was replaced by a symlink meanwhile."),
                        "Check it with ls and try again.");
    case ENAMETOOLONG:
      return path_error(ErrorKind::kInvalidPath, shown, concat("The path ", path, " is too long."),
                        "Use a shorter path.");
    case ENXIO:
    case ENODEV:
      return {ErrorCode::kInvalidArgument, concat(path, " is a socket or device, not a regular file."),
              "File tools only accept regular files. Use exec with a timeout instead.", details};
    case EMFILE:
    case ENFILE:
      return {ErrorCode::kUnavailable, concat("Cannot open ", path, ": too many files are open."),
              "Try again when other calls are done, or raise the limit (ulimit -n).", details, true};
    default: {
      Error error = system_error(concat("Cannot open ", path), error_number);
      error.details = details;
      return error;
    }
  }
}

}  // namespace helve::workspace

#include "changes/changes_plan.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <utility>

#include "base/strings.h"
#include "changes/locked_file.h"
#include "changes/write_access.h"
#include "workspace/file_write.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

std::unexpected<Error> refuse(std::string_view path, std::string_view what, std::string_view hint) {
  return fail(ErrorCode::kInvalidArgument, concat(workspace::printable_path(path), what), std::string(hint),
              JsonObject{{"path", workspace::printable_path(path)}});
}

Expected<void> refuse_link(const workspace::Root& root, std::string_view path, std::string_view action) {
  const auto found = root.stat(path, workspace::FinalLink::kKeep);
  if (!found || !S_ISLNK(found->status.st_mode)) return {};
  return refuse(path, concat(" is a symlink; it cannot be ", action, " as a file."),
                "Pass the path of its target, or change the link with exec.");
}

// Opens the file to be changed and compares it with what the caller has read.
Expected<void> read_old(const workspace::WriteTarget& target, const FileChange& change,
                        PlannedFile& planned) {
  workspace::OpenFile file;
  file.path = target.path;
  file.fd.reset(::openat(target.directory.get(), target.name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.fd && errno == ENOENT) return fail(conflict_error(Conflict::kDeleted, target.path));
  if (!file.fd && errno == ELOOP) return fail(conflict_error(Conflict::kChanged, target.path));
  if (!file.fd || ::fstat(file.fd.get(), &file.status) != 0)
    return fail(workspace::write_error("read the current content of", target.path, errno));
  if (auto regular = workspace::require_regular_file(target.path, file.status.st_mode); !regular)
    return regular;
  const workspace::FileIdentity identity = workspace::identity_of(file.status);
  planned.status = file.status;
  if (change.old_content) {
    planned.old_content = *change.old_content;
    planned.expected = workspace::ExpectedState::of_content(identity, planned.old_content);
    if (identity == change.expected.identity()) return {};
    const auto same = planned.expected.matches_file(file.fd.get());
    if (!same) return fail(same.error());
    if (!*same) return fail(conflict_error(Conflict::kChanged, target.path));
    return {};
  }
  auto content = workspace::read_content(file);
  if (!content) return fail(content.error());
  planned.read = std::make_unique<const std::string>(std::move(*content));
  planned.old_content = *planned.read;
  if (!change.expected.matches_pieces(std::span(&planned.old_content, 1)))
    return fail(conflict_error(Conflict::kChanged, target.path));
  planned.expected = workspace::ExpectedState::of_content(identity, planned.old_content);
  return {};
}

// Resolves the existing part of a path and appends the rest.
Expected<ResolvedPlace> resolve_missing(const workspace::Root& root, std::string_view path,
                                        const Error& missing) {
  const workspace::PathText text = workspace::split_path(path);
  if (text.names_directory)
    return refuse(path, " is a directory path, not a file path.", "Pass the path of a file.");
  const std::span<const std::string> components(text.components);
  for (std::size_t known = components.size(); known-- > 0;) {
    if (components[known] == "..") break;
    const std::string prefix = workspace::join_path(components.first(known));
    const auto directory = root.open_directory(text.absolute ? concat("/", prefix) : prefix);
    if (!directory && directory.error().code == ErrorCode::kNotFound) continue;
    if (!directory) return fail(directory.error());
    ResolvedPlace place;
    std::vector<std::string> resolved = workspace::split_path(directory->path).components;
    for (const std::string& component : components.subspan(known)) {
      resolved.push_back(component);
      place.missing_directories.push_back(workspace::join_path(resolved));
    }
    place.missing_directories.pop_back();
    place.path = workspace::join_path(resolved);
    return place;
  }
  return fail(missing);
}

}  // namespace

Expected<ResolvedPlace> resolve_place(const workspace::Root& root, std::string_view path) {
  const auto target = root.open_parent(path);
  if (target) return ResolvedPlace{target->path, {}};
  if (target.error().code != ErrorCode::kNotFound) return fail(target.error());
  return resolve_missing(root, path, target.error());
}

Expected<ChangeFilter> resolve_filter(const workspace::Root& root, const ChangeFilter& filter) {
  ChangeFilter resolved = filter;
  if (filter.path) {
    auto place = resolve_place(root, *filter.path);
    if (!place) return fail(place.error());
    resolved.path = std::move(place->path);
  }
  return resolved;
}

Expected<std::vector<ChangePlaces>> resolve_places(const workspace::Root& root,
                                                   std::span<const FileChange> changes) {
  std::vector<ChangePlaces> all;
  std::set<std::string> seen;
  const auto resolve = [&](std::string_view path) -> Expected<ResolvedPlace> {
    auto place = resolve_place(root, path);
    if (place && !seen.insert(place->path).second)
      return refuse(place->path, " occurs more than once in one change.",
                    "Combine all changes to a file into one.");
    return place;
  };
  for (const FileChange& change : changes) {
    if (change.kind != FileChange::Kind::kWrite) {
      const std::string_view action = change.kind == FileChange::Kind::kMove ? "renamed" : "removed";
      if (auto plain = refuse_link(root, change.path, action); !plain) return fail(plain.error());
    }
    auto from = resolve(change.path);
    if (!from) return fail(from.error());
    ChangePlaces places{std::move(*from)};
    if (change.kind == FileChange::Kind::kMove) {
      if (auto plain = refuse_link(root, change.new_path, "replaced"); !plain) return fail(plain.error());
      auto to = resolve(change.new_path);
      if (!to) return fail(to.error());
      places.to = std::move(*to);
    }
    all.push_back(std::move(places));
  }
  return all;
}

Expected<workspace::WriteTarget> open_place(const workspace::Root& root, const std::string& resolved_path) {
  auto target = root.open_parent(resolved_path);
  if (target && target->path != resolved_path)
    return fail(ErrorKind::kFileConflict, ErrorCode::kConflict,
                concat(workspace::printable_path(resolved_path), " now resolves to ",
                       workspace::printable_path(target->path),
                       ": a symlink was added to its path. Nothing was written."),
                "Check with ls and try again.",
                JsonObject{{"path", workspace::printable_path(resolved_path)}});
  return target;
}

Expected<PlannedFile> plan_file(const workspace::Root& root, const FileChange& change, ChangePlaces places,
                                NewFileMode new_file_mode) {
  PlannedFile planned;
  planned.kind = change.kind;
  planned.places = std::move(places);
  planned.hard_links = change.hard_links;
  planned.new_file_mode = new_file_mode;
  const ResolvedPlace& from = planned.places.from;
  std::optional<workspace::WriteTarget> target;
  if (from.missing_directories.empty()) {
    auto opened = open_place(root, from.path);
    if (!opened) return fail(opened.error());
    target = std::move(*opened);
  }
  const bool exists = target && target->status;
  if (change.kind != FileChange::Kind::kWrite && !exists && change.expected.is_absent())
    return fail(root.not_found(change.path));
  if (exists && change.expected.is_absent()) return fail(conflict_error(Conflict::kCreated, from.path));
  if (!exists && !change.expected.is_absent()) return fail(conflict_error(Conflict::kDeleted, from.path));
  if (!exists && !change.content)
    return refuse(from.path, " does not exist, so content is required.", "Pass the content.");
  if (exists) {
    if (auto read = read_old(*target, change, planned); !read) return fail(read.error());
  }
  if (planned.places.to && planned.places.to->missing_directories.empty()) {
    const auto destination = open_place(root, planned.places.to->path);
    if (!destination) return fail(destination.error());
    if (destination->status) return fail(conflict_error(Conflict::kCreated, destination->path));
  }
  if (change.kind != FileChange::Kind::kRemove)
    planned.content = change.content ? *change.content : std::vector{planned.old_content};
  planned.splice = patch::find_splice(planned.old_content, planned.content);
  if (change.mode && (!exists || (*change.mode & 07777) != (planned.status->st_mode & 07777)))
    planned.mode = *change.mode & 07777;
  const bool removes = change.kind == FileChange::Kind::kRemove;
  if (exists && (removes || !planned.splice.parts.empty())) {
    // A change that also makes it writable was meant for a read-only file.
    const bool makes_writable = planned.mode && (*planned.mode & S_IWUSR) != 0;
    if (!makes_writable)
      if (auto writable = check_writable(*target, *planned.status); !writable) return fail(writable.error());
    planned.only_in_place = !removes && !why_in_place(*target, *planned.status).empty();
  }
  if (planned.in_place()) {
    // A crash may leave a mixture. Recognizing and repairing it requires both contents whole.
    std::uint64_t size = 0;
    for (const std::string_view piece : planned.content) size += piece.size();
    planned.splice = {{{0, planned.old_content.size(), size}}, 0};
  }
  return planned;
}

}  // namespace helve::changes

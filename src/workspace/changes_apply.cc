#include "workspace/changes_apply.h"

#include <set>

#include "base/strings.h"
#include "workspace/atomic_write.h"
#include "workspace/file_move.h"
#include "workspace/write_error.h"

namespace helve {
namespace {

using Kind = FileChange::Kind;

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

Expected<WriteTarget> open_target(const Root& root, const ResolvedPlace& place, Durability durability,
                                  std::vector<std::string>& created_directories) {
  if (!place.missing_directories.empty()) {
    auto created = root.make_directories(parent_of(place.path), durability);
    if (!created) return fail(created.error());
    created_directories.insert(created_directories.end(), created->begin(), created->end());
  }
  return open_place(root, place.path);
}

WriteOptions write_options(const PlannedFile& planned, std::string_view temporary,
                           const ApplyOptions& options) {
  WriteOptions write;
  write.durability = options.durability;
  write.hard_links = planned.hard_links;
  write.lock_wait = options.lock_wait;
  write.temporary_name = temporary;
  if (planned.status || planned.new_file_mode == NewFileMode::kExactly) {
    write.mode = planned.mode;
  } else if (planned.mode) {
    write.new_file_mode = *planned.mode;
  }
  return write;
}

ChangedFile changed_file(const PlannedFile& planned, FileAction action, WriteOutcome outcome) {
  ChangedFile file;
  file.action = action;
  file.path = planned.places.to ? planned.places.to->path : planned.places.from.path;
  if (planned.places.to) file.old_path = planned.places.from.path;
  file.identity = outcome.identity;
  file.in_place = outcome.in_place;
  file.not_kept = std::move(outcome.not_kept);
  if (!outcome.left_over.empty())
    file.not_kept.push_back(
        concat("the temporary file ", outcome.left_over, " beside it could not be removed"));
  return file;
}

}  // namespace

Expected<ChangedFile> apply_file(const Root& root, const PlannedFile& planned, std::string_view temporary,
                                 const ApplyOptions& options, std::vector<std::string>& created_directories) {
  if (planned.changes_nothing())
    return changed_file(planned, FileAction::kUnchanged, {.identity = identity_of(*planned.status)});
  const auto from = open_target(root, planned.places.from, options.durability, created_directories);
  if (!from) return fail(from.error());
  const MoveOptions move{options.durability, options.lock_wait, temporary};
  if (planned.kind == Kind::kRemove) {
    if (auto removed = remove_file(*from, planned.expected, move); !removed) return fail(removed.error());
    return changed_file(planned, FileAction::kRemoved, {});
  }
  const WriteOptions write = write_options(planned, temporary, options);
  if (planned.kind == Kind::kWrite) {
    auto written = atomic_write(*from, planned.content, planned.expected, write);
    if (!written) return fail(written.error());
    return changed_file(planned, planned.status ? FileAction::kChanged : FileAction::kCreated,
                        std::move(*written));
  }
  const auto to = open_target(root, *planned.places.to, options.durability, created_directories);
  if (!to) return fail(to.error());
  const auto renamed = rename_file(*from, *to, planned.expected, move);
  if (!renamed) return fail(renamed.error());
  if (planned.splice.parts.empty() && !planned.mode)
    return changed_file(planned, FileAction::kMoved, {.identity = *renamed});
  auto written =
      atomic_write(*to, planned.content, ExpectedState::of_content(*renamed, planned.old_content), write);
  if (!written) return fail(written.error());
  return changed_file(planned, FileAction::kMoved, std::move(*written));
}

Expected<void> sync_directories_of(const Root& root, std::span<const PlannedFile> files) {
  std::set<std::string> directories;
  for (const PlannedFile& file : files) {
    if (file.changes_nothing()) continue;
    directories.insert(parent_of(file.places.from.path));
    if (file.places.to) directories.insert(parent_of(file.places.to->path));
  }
  for (const std::string& path : directories) {
    const auto directory = root.open_directory(path);
    if (!directory) return fail(directory.error());
    if (const int error = sync_directory(directory->fd.get()); error != 0)
      return fail(write_error("write the directory", path, error));
  }
  return {};
}

}  // namespace helve

#include "changes/journal_inspect.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/strings.h"
#include "workspace/file_write.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

// Reads a file in the target's directory, if it is a regular file.
Expected<void> read_into(const workspace::WriteTarget& target, const std::string& name, PathState& seen) {
  workspace::OpenFile file;
  file.path = target.path;
  file.fd.reset(::openat(target.directory.get(), name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.fd && errno == ENOENT) return {};
  if (!file.fd && (errno == ELOOP || errno == ENXIO)) {
    seen.is_other = true;
    return {};
  }
  if (!file.fd || ::fstat(file.fd.get(), &file.status) != 0)
    return fail(workspace::write_error("read the current content of", target.path, errno));
  seen.status = file.status;
  if (!S_ISREG(file.status.st_mode)) {
    seen.is_other = true;
    return {};
  }
  auto content = workspace::read_content(file);
  if (!content) return fail(content.error());
  seen.content = std::move(*content);
  return {};
}

// Inspects one file.
class Inspector {
 public:
  Inspector(const FileRecord& file, const FingerprintKey& key, const FetchBytes& fetch, Inspection& result)
      : file_(file), key_(key), fetch_(fetch), result_(result) {}

  Expected<void> written();
  Expected<void> removed();
  Expected<void> moved();

 private:
  [[nodiscard]] bool is(const PathState& seen, patch::SpliceSide side) const {
    if (!seen.content) return false;
    const std::string_view content = *seen.content;
    return is_content(file_, side, std::span(&content, 1), key_);
  }
  // If old and new content are the same, only the mode distinguishes them.
  [[nodiscard]] bool is_before_mode_change(const PathState& seen) const {
    return file_.splice.parts.empty() && file_.new_mode && file_.old_mode != file_.new_mode &&
           (seen.status.st_mode & 07777) != *file_.new_mode;
  }
  [[nodiscard]] bool is_mixture(const PathState& seen) const;
  Expected<PathState> temporary(const PathState& place) const {
    PathState seen;
    if (!place.target || file_.temporary.empty()) return seen;
    if (auto read = read_into(*place.target, file_.temporary, seen); !read) return fail(read.error());
    return seen;
  }
  void drop_temporary(const PathState& place) {
    if (::unlinkat(place.target->directory.get(), file_.temporary.c_str(), 0) != 0 && errno != ENOENT)
      result_.notes.push_back(concat("Cannot remove the temporary file ", file_.temporary, " next to ",
                                     workspace::printable_path(place.target->path), ": ", errno_text(errno),
                                     "."));
  }
  void note_kept_temporary(const PathState& place) {
    result_.notes.push_back(concat(file_.temporary, " next to ",
                                   workspace::printable_path(place.target->path),
                                   " holds content of another program. It was not removed."));
  }
  int rename_temporary(const PathState& place, unsigned flags) const {
    const int directory = place.target->directory.get();
    return ::renameat2(directory, file_.temporary.c_str(), directory, place.target->name.c_str(), flags);
  }
  Expected<void> tidy_after_write(const PathState& place, patch::SpliceSide* reached);

  const FileRecord& file_;
  const FingerprintKey& key_;
  const FetchBytes& fetch_;
  Inspection& result_;
};

// True if the file was written in place and every byte is the old or the new one at its position.
bool Inspector::is_mixture(const PathState& seen) const {
  if (!file_.in_place || !seen.content) return false;
  const auto old_content = fetch_(file_.old_bytes);
  const auto new_content = fetch_(file_.new_bytes);
  if (!old_content || !new_content) return false;
  const std::string& now = *seen.content;
  const auto [least, most] = std::minmax({old_content->size(), new_content->size()});
  if (now.size() < least || now.size() > most) return false;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const bool is_old = i < old_content->size() && now[i] == (*old_content)[i];
    const bool is_new = i < new_content->size() && now[i] == (*new_content)[i];
    if (!is_old && !is_new) return false;
  }
  return true;
}

// After atomic_write the temporary file may be:
//   - the new file, before the swap of names;
//   - the old file, after it;
//   - a part of the new file, on a file system without O_TMPFILE;
//   - the file of another program that replaced ours in the last moment.
Expected<void> Inspector::tidy_after_write(const PathState& place, patch::SpliceSide* reached) {
  const auto found = temporary(place);
  if (!found) return fail(found.error());
  if (found->is_absent()) return {};
  const bool is_part = reached != nullptr && *reached == patch::SpliceSide::kOld;
  bool is_ours = file_.creates() || is(*found, patch::SpliceSide::kOld) ||
                 is(*found, patch::SpliceSide::kNew) || is_part;
  if (!is_ours && reached != nullptr && rename_temporary(place, RENAME_EXCHANGE) == 0) {
    is_ours = true;
    result_.progress = JournalProgress::kForeign;
  }
  if (is_ours) {
    drop_temporary(place);
  } else {
    note_kept_temporary(place);
  }
  return {};
}

Expected<void> Inspector::written() {
  const PathState& place = result_.from;
  if (is(place, patch::SpliceSide::kNew) && !is_before_mode_change(place)) {
    result_.progress = JournalProgress::kNew;
  } else if (file_.creates() ? place.is_absent() : is(place, patch::SpliceSide::kOld)) {
    result_.progress = JournalProgress::kOld;
  } else {
    result_.progress = is_mixture(place) ? JournalProgress::kPartial : JournalProgress::kForeign;
  }
  patch::SpliceSide side =
      result_.progress == JournalProgress::kNew ? patch::SpliceSide::kNew : patch::SpliceSide::kOld;
  return tidy_after_write(place, result_.progress == JournalProgress::kForeign ? nullptr : &side);
}

// remove_file first renames the file to the temporary name.
Expected<void> Inspector::removed() {
  const PathState& place = result_.from;
  const auto found = temporary(place);
  if (!found) return fail(found.error());
  if (is(place, patch::SpliceSide::kOld)) {
    result_.progress = JournalProgress::kOld;
  } else {
    result_.progress = place.is_absent() ? JournalProgress::kNew : JournalProgress::kForeign;
  }
  if (found->is_absent()) return {};
  const bool is_ours = is(*found, patch::SpliceSide::kOld);
  if (place.is_absent() && rename_temporary(place, RENAME_NOREPLACE) == 0) {
    result_.progress = is_ours ? JournalProgress::kOld : JournalProgress::kForeign;
  } else if (is_ours && !place.is_absent()) {
    drop_temporary(place);
  } else {
    note_kept_temporary(place);
  }
  return {};
}

Expected<void> Inspector::moved() {
  const PathState& from = result_.from;
  const PathState& to = result_.to;
  // Without RENAME_NOREPLACE, a move is a second hard link for a moment.
  const bool is_linked = from.content && to.content && workspace::is_same_inode(from.status, to.status);
  if (is_linked && is(from, patch::SpliceSide::kOld)) {
    if (::unlinkat(to.target->directory.get(), to.target->name.c_str(), 0) == 0)
      result_.progress = JournalProgress::kOld;
    return {};
  }
  patch::SpliceSide side = patch::SpliceSide::kOld;
  bool is_known = true;
  if (from.is_absent() && is(to, patch::SpliceSide::kNew) && !is_before_mode_change(to)) {
    result_.progress = JournalProgress::kNew;
    side = patch::SpliceSide::kNew;
  } else if (from.is_absent() && is(to, patch::SpliceSide::kOld)) {
    result_.progress = JournalProgress::kPartial;
  } else if (is(from, patch::SpliceSide::kOld) && to.is_absent()) {
    result_.progress = JournalProgress::kOld;
  } else {
    result_.progress = JournalProgress::kForeign;
    is_known = false;
  }
  return tidy_after_write(to, is_known ? &side : nullptr);
}

}  // namespace

Expected<PathState> read_path_state(const workspace::Root& root, const std::string& resolved_path) {
  PathState seen;
  auto target = root.open_parent(resolved_path, workspace::FinalLink::kKeep);
  if (!target) {
    if (target.error().code == ErrorCode::kNotFound) return seen;
    // A directory replaced the file, or a file replaced its directory.
    if (target.error().code != ErrorCode::kInvalidArgument) return fail(target.error());
    seen.is_other = true;
    return seen;
  }
  if (target->path != resolved_path) {
    seen.is_other = true;
    return seen;
  }
  if (auto read = read_into(*target, target->name, seen); !read) return fail(read.error());
  seen.target = std::move(*target);
  return seen;
}

Expected<Inspection> inspect_file(const workspace::Root& root, const FileRecord& file,
                                  const FingerprintKey& key, const FetchBytes& fetch) {
  Inspection result;
  auto from = read_path_state(root, file.path);
  if (!from) return fail(from.error());
  result.from = std::move(*from);
  Inspector inspector(file, key, fetch, result);
  Expected<void> done;
  switch (file.kind) {
    case FileChange::Kind::kWrite: done = inspector.written(); break;
    case FileChange::Kind::kRemove: done = inspector.removed(); break;
    case FileChange::Kind::kMove: {
      auto to = read_path_state(root, file.new_path);
      if (!to) return fail(to.error());
      result.to = std::move(*to);
      done = inspector.moved();
      break;
    }
  }
  if (!done) return fail(done.error());
  return result;
}

}  // namespace helve::changes

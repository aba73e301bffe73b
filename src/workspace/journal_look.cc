#include "workspace/journal_look.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "base/strings.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"
#include "workspace/write_error.h"

namespace helve {
namespace {

// A file in a directory, if it is a regular one.
Expected<void> read_into(const WriteTarget& target, const std::string& name, Seen& seen) {
  OpenFile file;
  file.path = target.path;
  file.fd.reset(::openat(target.directory.get(), name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.fd && errno == ENOENT) return {};
  if (!file.fd && (errno == ELOOP || errno == ENXIO)) {
    seen.is_other = true;
    return {};
  }
  if (!file.fd || ::fstat(file.fd.get(), &file.status) != 0)
    return fail(write_error("read the current content of", target.path, errno));
  seen.status = file.status;
  if (!S_ISREG(file.status.st_mode)) {
    seen.is_other = true;
    return {};
  }
  auto content = read_content(file);
  if (!content) return fail(content.error());
  seen.content = std::move(*content);
  return {};
}

// One file's look, with what all steps need.
class Look {
 public:
  Look(const FileRecord& file, const FingerprintKey& key, const FetchBytes& fetch, LookedAt& result)
      : file_(file), key_(key), fetch_(fetch), result_(result) {}

  Expected<void> written();
  Expected<void> removed();
  Expected<void> moved();

 private:
  [[nodiscard]] bool is(const Seen& seen, SpliceSide side) const {
    if (!seen.content) return false;
    const std::string_view content = *seen.content;
    return is_content(file_, side, std::span(&content, 1), key_);
  }
  // Where old and new content are the same, the mode tells them apart.
  [[nodiscard]] bool is_before_mode_change(const Seen& seen) const {
    return file_.splice.parts.empty() && file_.new_mode && file_.old_mode != file_.new_mode &&
           (seen.status.st_mode & 07777) != *file_.new_mode;
  }
  [[nodiscard]] bool is_mixture(const Seen& seen) const;
  Expected<Seen> temporary(const Seen& place) const {
    Seen seen;
    if (!place.target || file_.temporary.empty()) return seen;
    if (auto read = read_into(*place.target, file_.temporary, seen); !read) return fail(read.error());
    return seen;
  }
  void drop_temporary(const Seen& place) {
    if (::unlinkat(place.target->directory.get(), file_.temporary.c_str(), 0) != 0 && errno != ENOENT)
      result_.notes.push_back(concat("The temporary file ", file_.temporary, " beside ",
                                     printable_path(place.target->path),
                                     " could not be removed: ", errno_text(errno), "."));
  }
  void keep_temporary(const Seen& place) {
    result_.notes.push_back(concat(file_.temporary, " beside ", printable_path(place.target->path),
                                   " holds what another program wrote; it was left there."));
  }
  int rename_temporary(const Seen& place, unsigned flags) const {
    const int directory = place.target->directory.get();
    return ::renameat2(directory, file_.temporary.c_str(), directory, place.target->name.c_str(), flags);
  }
  Expected<void> tidy_after_write(const Seen& place, SpliceSide* reached);

  const FileRecord& file_;
  const FingerprintKey& key_;
  const FetchBytes& fetch_;
  LookedAt& result_;
};

// Written in place, there and perhaps half-way back: every byte is the old or the new one of its position.
bool Look::is_mixture(const Seen& seen) const {
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

// After atomic_write: the temporary name may hold the new file before the two swap names, the old one after,
// a part of the new one where it cannot be written without a name, or what another program put in the
// file's place in the last instant.
Expected<void> Look::tidy_after_write(const Seen& place, SpliceSide* reached) {
  const auto found = temporary(place);
  if (!found) return fail(found.error());
  if (found->is_absent()) return {};
  const bool is_part = reached != nullptr && *reached == SpliceSide::kOld;
  bool is_ours = file_.creates() || is(*found, SpliceSide::kOld) || is(*found, SpliceSide::kNew) || is_part;
  if (!is_ours && reached != nullptr && rename_temporary(place, RENAME_EXCHANGE) == 0) {
    is_ours = true;
    result_.progress = JournalProgress::kForeign;
  }
  if (is_ours) {
    drop_temporary(place);
  } else {
    keep_temporary(place);
  }
  return {};
}

Expected<void> Look::written() {
  const Seen& place = result_.from;
  if (is(place, SpliceSide::kNew) && !is_before_mode_change(place)) {
    result_.progress = JournalProgress::kNew;
  } else if (file_.creates() ? place.is_absent() : is(place, SpliceSide::kOld)) {
    result_.progress = JournalProgress::kOld;
  } else {
    result_.progress = is_mixture(place) ? JournalProgress::kBetween : JournalProgress::kForeign;
  }
  SpliceSide side = result_.progress == JournalProgress::kNew ? SpliceSide::kNew : SpliceSide::kOld;
  return tidy_after_write(place, result_.progress == JournalProgress::kForeign ? nullptr : &side);
}

// remove_file takes the file away under the temporary name first.
Expected<void> Look::removed() {
  const Seen& place = result_.from;
  const auto found = temporary(place);
  if (!found) return fail(found.error());
  if (is(place, SpliceSide::kOld)) {
    result_.progress = JournalProgress::kOld;
  } else {
    result_.progress = place.is_absent() ? JournalProgress::kNew : JournalProgress::kForeign;
  }
  if (found->is_absent()) return {};
  const bool is_ours = is(*found, SpliceSide::kOld);
  if (place.is_absent() && rename_temporary(place, RENAME_NOREPLACE) == 0) {
    result_.progress = is_ours ? JournalProgress::kOld : JournalProgress::kForeign;
  } else if (is_ours && !place.is_absent()) {
    drop_temporary(place);
  } else {
    keep_temporary(place);
  }
  return {};
}

Expected<void> Look::moved() {
  const Seen& from = result_.from;
  const Seen& to = result_.to;
  // Where the kernel has no rename that refuses taken names, a move is a second link for an instant.
  const bool is_linked = from.content && to.content && is_same_inode(from.status, to.status);
  if (is_linked && is(from, SpliceSide::kOld)) {
    if (::unlinkat(to.target->directory.get(), to.target->name.c_str(), 0) == 0)
      result_.progress = JournalProgress::kOld;
    return {};
  }
  SpliceSide side = SpliceSide::kOld;
  bool is_known = true;
  if (from.is_absent() && is(to, SpliceSide::kNew) && !is_before_mode_change(to)) {
    result_.progress = JournalProgress::kNew;
    side = SpliceSide::kNew;
  } else if (from.is_absent() && is(to, SpliceSide::kOld)) {
    result_.progress = JournalProgress::kBetween;
  } else if (is(from, SpliceSide::kOld) && to.is_absent()) {
    result_.progress = JournalProgress::kOld;
  } else {
    result_.progress = JournalProgress::kForeign;
    is_known = false;
  }
  return tidy_after_write(to, is_known ? &side : nullptr);
}

}  // namespace

Expected<Seen> see_path(const Root& root, const std::string& resolved_path) {
  Seen seen;
  auto target = root.open_parent(resolved_path, FinalLink::kKeep);
  if (!target) {
    if (target.error().code == ErrorCode::kNotFound) return seen;
    // A directory where the file was, or a file where its directory was.
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

Expected<LookedAt> look_at_file(const Root& root, const FileRecord& file, const FingerprintKey& key,
                                const FetchBytes& fetch) {
  LookedAt result;
  auto from = see_path(root, file.path);
  if (!from) return fail(from.error());
  result.from = std::move(*from);
  Look look(file, key, fetch, result);
  Expected<void> done;
  switch (file.kind) {
    case FileChange::Kind::kWrite: done = look.written(); break;
    case FileChange::Kind::kRemove: done = look.removed(); break;
    case FileChange::Kind::kMove: {
      auto to = see_path(root, file.new_path);
      if (!to) return fail(to.error());
      result.to = std::move(*to);
      done = look.moved();
      break;
    }
  }
  if (!done) return fail(done.error());
  return result;
}

}  // namespace helve

#include "changes/locked_file.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>

#include "base/file_lock.h"
#include "base/strings.h"
#include "workspace/file_write.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"

namespace helve::changes {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kWriterWait{100};  // for a program that is saving the file

struct ConflictWords {
  std::string_view reason;
  std::string_view message;
  std::string_view hint;
};

ConflictWords words_for(Conflict conflict) {
  switch (conflict) {
    case Conflict::kChanged:
      return {"changed", " was changed by someone else since it was read",
              "Read it again and redo the change."};
    case Conflict::kDeleted:
      return {"deleted", " was removed by someone else since it was read",
              "Check with ls. Write it again if it is still needed."};
    case Conflict::kCreated:
      return {"created", " was created by someone else meanwhile", "Read it first, then edit it."};
    case Conflict::kOpenForWriting:
      return {"open_for_writing", " is open for writing in another program, whose output would be lost",
              "Stop that program first (see fuser or lsof), or change the file through it."};
    case Conflict::kLocked:
      return {"locked", " is locked by another program (flock)", "Try again when that program is done."};
  }
  return {};
}

// The kernel grants a read lease only while no handle for writing exists. Where it grants none at all (not
// our file, not a local disk), the answer is false.
bool is_open_for_writing(int fd) {
  // If a program opens the file now, the signal must not be SIGIO, which kills; SIGURG is ignored.
  ::fcntl(fd, F_SETSIG, SIGURG);
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}

}  // namespace

Error conflict_error(Conflict conflict, std::string_view path) {
  const ConflictWords words = words_for(conflict);
  const std::string shown = workspace::printable_path(path);
  return {.code = ErrorCode::kConflict,
          .message = concat(shown, words.message, ". Nothing was written."),
          .hint = std::string(words.hint),
          .details = JsonObject{{"path", shown}, {"reason", words.reason}},
          .transient = conflict == Conflict::kLocked,
          .kind = conflict == Conflict::kChanged ? ErrorKind::kFileChanged : ErrorKind::kFileConflict};
}

bool says_nothing_was_written(const Error& error) {
  return error.kind == ErrorKind::kFileChanged || error.kind == ErrorKind::kFileConflict ||
         error.kind == ErrorKind::kHardLinked;
}

Expected<LockedFile> lock_file(const workspace::WriteTarget& target, milliseconds wait) {
  Backoff backoff(wait);
  while (true) {
    LockedFile file;
    file.fd.reset(::openat(target.directory.get(), target.name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file.fd && errno == ENOENT) return fail(conflict_error(Conflict::kDeleted, target.path));
    if (!file.fd && errno == ELOOP) return fail(conflict_error(Conflict::kChanged, target.path));
    if (!file.fd) return fail(workspace::write_error("read the current content of", target.path, errno));
    if (::fstat(file.fd.get(), &file.status) != 0)
      return fail(workspace::write_error("stat", target.path, errno));
    if (auto regular = workspace::require_regular_file(target.path, file.status.st_mode); !regular)
      return fail(regular.error());
    // A file system without locks is used without them.
    if (!try_exclusive_lock(file.fd.get()) && errno == EWOULDBLOCK) {
      if (!backoff.wait()) return fail(conflict_error(Conflict::kLocked, target.path));
      continue;
    }
    // The previous holder may have replaced the file; then this lock is on the old one.
    struct stat named;
    if (::fstatat(target.directory.get(), target.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0)
      return fail(errno == ENOENT ? conflict_error(Conflict::kDeleted, target.path)
                                  : workspace::write_error("stat", target.path, errno));
    if (workspace::is_same_inode(named, file.status)) {
      if (::fstat(file.fd.get(), &file.status) != 0)
        return fail(workspace::write_error("stat", target.path, errno));
      return file;
    }
  }
}

Expected<void> check_state(const LockedFile& file, const workspace::ExpectedState& expected,
                           std::string_view path) {
  if (expected.is_absent()) return fail(conflict_error(Conflict::kCreated, path));
  if (workspace::identity_of(file.status) == expected.identity()) return {};
  return check_content(file, expected, path);
}

Expected<void> check_content(const LockedFile& file, const workspace::ExpectedState& expected,
                             std::string_view path) {
  const auto same = expected.matches_file(file.fd.get());
  if (!same) return fail(same.error());
  if (!*same) return fail(conflict_error(Conflict::kChanged, path));
  return {};
}

Expected<void> check_withdrawn(const LockedFile& file, const workspace::ExpectedState& expected,
                               std::string_view path) {
  Backoff backoff(kWriterWait);
  bool busy = is_open_for_writing(file.fd.get());
  while (busy && backoff.wait()) busy = is_open_for_writing(file.fd.get());
  if (auto same = check_content(file, expected, path); !same) return same;
  if (busy) return fail(conflict_error(Conflict::kOpenForWriting, path));
  return {};
}

}  // namespace helve::changes

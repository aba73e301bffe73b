#include "workspace/locked_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <thread>

#include "base/strings.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"
#include "workspace/write_error.h"

namespace helve {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kWriterPatience{100};  // for a program that is just saving the file

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
              "Look with ls; write it anew if it is still wanted."};
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

// Growing pauses until a deadline. False when it has passed.
class Patience {
 public:
  explicit Patience(milliseconds most) : deadline_(steady_clock::now() + most) {}
  bool wait() {
    if (steady_clock::now() >= deadline_) return false;
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(pause_ * 2, microseconds(5000));
    return true;
  }

 private:
  steady_clock::time_point deadline_;
  microseconds pause_{100};
};

// The kernel grants a read lease only while no handle for writing exists; where it grants none at all (not
// our file, no local disk), there is no telling and the answer is no.
bool is_open_for_writing(int fd) {
  // Should someone open it in this instant, the notice must not be SIGIO, which kills; SIGURG is ignored.
  ::fcntl(fd, F_SETSIG, SIGURG);
  if (::fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return errno == EAGAIN;
  ::fcntl(fd, F_SETLEASE, F_UNLCK);
  return false;
}

}  // namespace

Error conflict_error(Conflict conflict, std::string_view path) {
  const ConflictWords words = words_for(conflict);
  const std::string shown = printable_path(path);
  return {ErrorCode::kConflict, concat(shown, words.message, ". Nothing was written."),
          std::string(words.hint), JsonObject{{"path", shown}, {"reason", words.reason}},
          conflict == Conflict::kLocked};
}

Expected<LockedFile> lock_file(const WriteTarget& target, milliseconds wait) {
  Patience patience(wait);
  while (true) {
    LockedFile file;
    file.fd.reset(::openat(target.directory.get(), target.name.c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file.fd && errno == ENOENT) return fail(conflict_error(Conflict::kDeleted, target.path));
    if (!file.fd && errno == ELOOP) return fail(conflict_error(Conflict::kChanged, target.path));
    if (!file.fd) return fail(write_error("read the current content of", target.path, errno));
    if (::fstat(file.fd.get(), &file.status) != 0) return fail(write_error("look at", target.path, errno));
    if (auto regular = require_regular_file(target.path, file.status.st_mode); !regular)
      return fail(regular.error());
    const bool busy = ::flock(file.fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (busy) {
      if (!patience.wait()) return fail(conflict_error(Conflict::kLocked, target.path));
      continue;
    }
    // Whoever held the lock before may have replaced the file: then ours is the lock on an old one.
    struct stat named;
    if (::fstatat(target.directory.get(), target.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0)
      return fail(errno == ENOENT ? conflict_error(Conflict::kDeleted, target.path)
                                  : write_error("look at", target.path, errno));
    if (is_same_inode(named, file.status)) {
      if (::fstat(file.fd.get(), &file.status) != 0) return fail(write_error("look at", target.path, errno));
      return file;
    }
  }
}

Expected<void> check_state(const LockedFile& file, const ExpectedState& expected, std::string_view path) {
  if (expected.is_absent()) return fail(conflict_error(Conflict::kCreated, path));
  if (identity_of(file.status) == expected.identity()) return {};
  return check_content(file, expected, path);
}

Expected<void> check_content(const LockedFile& file, const ExpectedState& expected, std::string_view path) {
  const auto same = expected.matches_file(file.fd.get());
  if (!same) return fail(same.error());
  if (!*same) return fail(conflict_error(Conflict::kChanged, path));
  return {};
}

Expected<void> check_withdrawn(const LockedFile& file, const ExpectedState& expected, std::string_view path) {
  Patience patience(kWriterPatience);
  bool busy = is_open_for_writing(file.fd.get());
  while (busy && patience.wait()) busy = is_open_for_writing(file.fd.get());
  if (auto same = check_content(file, expected, path); !same) return same;
  if (busy) return fail(conflict_error(Conflict::kOpenForWriting, path));
  return {};
}

}  // namespace helve

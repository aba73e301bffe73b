#include "workspace/atomic_write.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/strings.h"
#include "workspace/atomic_write_in_place.h"
#include "workspace/file_metadata.h"
#include "workspace/locked_file.h"
#include "workspace/path_check.h"
#include "workspace/temporary_file.h"
#include "workspace/write_error.h"
#include "workspace/write_pieces.h"

namespace helve {
namespace {

using Pieces = std::span<const std::string_view>;

Error still_intact(Error error) {
  if (!error.message.ends_with("Nothing was written.")) error.message += " The old content is intact.";
  return error;
}

std::unexpected<Error> write_failure(const WriteTarget& target, int error_number) {
  return fail(still_intact(write_error("write", target.path, error_number)));
}

WriteOutcome finished(int fd, WriteOutcome outcome) {
  struct stat status;
  // Without an identity the next writer compares the content.
  if (::fstat(fd, &status) == 0) outcome.identity = identity_of(status);
  return outcome;
}

bool bears_name(const WriteTarget& target, const std::string& name, int fd) {
  struct stat named;
  struct stat held;
  return ::fstatat(target.directory.get(), name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(fd, &held) == 0 && is_same_inode(named, held);
}

// Two names in the directory trade what they name. Returns 0 or the error number.
int exchange(const WriteTarget& target, const std::string& other) {
  const int directory = target.directory.get();
  return ::renameat2(directory, other.c_str(), directory, target.name.c_str(), RENAME_EXCHANGE) == 0 ? 0
                                                                                                     : errno;
}

// Puts the file that was swapped out back under its name and makes `error` say how that went.
Error take_back(const WriteTarget& target, TemporaryFile& temporary, Durability durability, Error error) {
  const int failure = exchange(target, temporary.name());
  if (failure == 0) {
    // Somebody replaced our content in between: theirs is the newest and goes back to the name.
    if (!bears_name(target, temporary.name(), temporary.fd()))
      static_cast<void>(exchange(target, temporary.name()));
    // As well as it can be done: a power loss must not bring the new content up again.
    if (durability == Durability::kFull) static_cast<void>(sync_directory(target.directory.get()));
    return still_intact(std::move(error));
  }
  // Somebody removed our content in between; then nothing is to be put back.
  if (failure == ENOENT) return error;
  const std::string kept = temporary.name();
  temporary.forget_name();
  return {ErrorCode::kOutcomeUnknown,
          concat(error.message, " Going back failed too (", errno_text(failure),
                 "): ", printable_path(target.path), " holds the new content and ", kept,
                 " beside it what was there before."),
          "Compare the two files and keep the right one.", std::move(error.details)};
}

bool changes_mode(const LockedFile& file, const WriteOptions& options) {
  return options.mode && (*options.mode & 07777) != (file.status.st_mode & 07777);
}

// Returns 0 or the error number.
int set_mode(int fd, const WriteOptions& options) {
  if (!options.mode || ::fchmod(fd, *options.mode & 07777) == 0) return 0;
  return errno;
}

Expected<WriteOutcome> create_file(const WriteTarget& target, Pieces content, const WriteOptions& options) {
  struct stat present;
  if (::fstatat(target.directory.get(), target.name.c_str(), &present, AT_SYMLINK_NOFOLLOW) == 0)
    return fail(conflict_error(Conflict::kCreated, target.path));
  const auto failure = [&](int error_number) {
    return fail(write_error("write", target.path, error_number));
  };
  auto temporary = TemporaryFile::create(target.directory.get(), target.path, options.new_file_mode,
                                         options.temporary_name);
  if (!temporary) return fail(temporary.error());
  if (const int error = write_pieces(temporary->fd(), content); error != 0) return failure(error);
  if (const int error = set_mode(temporary->fd(), options); error != 0) return failure(error);
  if (options.durability != Durability::kNone) {
    if (const int error = sync_file(temporary->fd()); error != 0) return failure(error);
  }
  if (const int error = temporary->give_name(target.name); error != 0)
    return error == EEXIST ? fail(conflict_error(Conflict::kCreated, target.path)) : failure(error);
  if (options.durability == Durability::kFull) {
    if (const int error = sync_directory(target.directory.get()); error != 0) {
      if (bears_name(target, target.name, temporary->fd()))
        ::unlinkat(target.directory.get(), target.name.c_str(), 0);
      return failure(error);
    }
  }
  return finished(temporary->fd(), {.created = true, .changed = true});
}

// For file systems that cannot swap names: the moment between compare and rename remains.
Expected<std::string> replace_plainly(const WriteTarget& target, TemporaryFile& temporary,
                                      const LockedFile& file, const ExpectedState& expected,
                                      const WriteOptions& options) {
  if (auto same = check_content(file, expected, target.path); !same) return fail(still_intact(same.error()));
  if (!bears_name(target, target.name, file.fd.get()))
    return fail(conflict_error(Conflict::kChanged, target.path));
  const int directory = target.directory.get();
  if (::renameat(directory, temporary.name().c_str(), directory, target.name.c_str()) != 0)
    return write_failure(target, errno);
  temporary.forget_name();
  const int error = options.durability == Durability::kFull ? sync_directory(directory) : 0;
  if (error == 0) return std::string();
  const Error failure = write_error("write", target.path, error);
  return fail(ErrorCode::kOutcomeUnknown,
              concat(failure.message, " The new content is in place, but the disk did not confirm it."),
              "Read the file again before going on.", failure.details);
}

// Returns the temporary name if it could not be removed again.
Expected<std::string> replace(const WriteTarget& target, TemporaryFile& temporary, const LockedFile& file,
                              const ExpectedState& expected, const WriteOptions& options) {
  if (const int error = temporary.give_random_name(); error != 0) return write_failure(target, error);
  const int error = exchange(target, temporary.name());
  if (error == EINVAL || error == ENOSYS || error == EOPNOTSUPP)
    return replace_plainly(target, temporary, file, expected, options);
  if (error == ENOENT) return fail(conflict_error(Conflict::kDeleted, target.path));
  if (error != 0) return write_failure(target, error);

  // From here on the temporary name holds what was in the file's place.
  if (!bears_name(target, temporary.name(), file.fd.get()))
    return fail(
        take_back(target, temporary, options.durability, conflict_error(Conflict::kChanged, target.path)));
  if (auto same = check_withdrawn(file, expected, target.path); !same)
    return fail(take_back(target, temporary, options.durability, same.error()));
  // The old file goes only after the disk has the new name: until then there is a way back.
  if (options.durability == Durability::kFull) {
    if (const int failure = sync_directory(target.directory.get()); failure != 0)
      return fail(
          take_back(target, temporary, options.durability, write_error("write", target.path, failure)));
  }
  std::string name = temporary.name();
  return temporary.remove_name() == 0 ? std::string() : name;
}

Expected<WriteOutcome> replace_file(const WriteTarget& target, Pieces content, const ExpectedState& expected,
                                    const WriteOptions& options) {
  const auto file = lock_file(target, options.lock_wait);
  if (!file) return fail(file.error());
  if (auto same = check_state(*file, expected, target.path); !same) return fail(same.error());
  if (expected.matches_pieces(content)) {
    if (auto same = check_content(*file, expected, target.path); !same) return fail(same.error());
    if (!changes_mode(*file, options)) return finished(file->fd.get(), {});
    if (const int error = set_mode(file->fd.get(), options); error != 0) return write_failure(target, error);
    return finished(file->fd.get(), {.changed = true});
  }
  if (file->status.st_nlink > 1) {
    if (options.hard_links == HardLinks::kRefuse)
      return fail(
          ErrorCode::kPermissionDenied,
          concat(printable_path(target.path), " has ", file->status.st_nlink,
                 " names (hard links), so writing it changes it under the others too. Nothing was written."),
          "Ask the user whether all of them are to change.",
          JsonObject{{"kind", "HARD_LINKED"},
                     {"path", printable_path(target.path)},
                     {"links", file->status.st_nlink}});
    // What may be refused comes first: afterwards the content is there.
    if (const int error = set_mode(file->fd.get(), options); error != 0)
      return fail(still_intact(write_error("change the mode of", target.path, error)));
    if (auto written = write_in_place(target, *file, content, expected, options.durability); !written)
      return fail(written.error());
    return finished(file->fd.get(), {.changed = true, .in_place = true});
  }
  // Nobody else may look into it before it has the old file's mode.
  auto temporary = TemporaryFile::create(target.directory.get(), target.path, 0600, options.temporary_name);
  if (!temporary) return fail(still_intact(temporary.error()));
  if (const int error = write_pieces(temporary->fd(), content); error != 0)
    return write_failure(target, error);
  auto not_kept = copy_metadata(file->fd.get(), file->status, temporary->fd(), target.path);
  if (!not_kept) return fail(still_intact(not_kept.error()));
  if (const int error = set_mode(temporary->fd(), options); error != 0) return write_failure(target, error);
  if (options.durability != Durability::kNone) {
    if (const int error = sync_file(temporary->fd()); error != 0) return write_failure(target, error);
  }
  auto left_over = replace(target, *temporary, *file, expected, options);
  if (!left_over) return fail(left_over.error());
  return finished(temporary->fd(),
                  {.changed = true, .not_kept = std::move(*not_kept), .left_over = std::move(*left_over)});
}

}  // namespace

Expected<WriteOutcome> atomic_write(const WriteTarget& target, Pieces content, const ExpectedState& expected,
                                    const WriteOptions& options) {
  return expected.is_absent() ? create_file(target, content, options)
                              : replace_file(target, content, expected, options);
}

}  // namespace helve

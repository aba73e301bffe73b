#include "changes/atomic_write.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/strings.h"
#include "changes/file_metadata.h"
#include "changes/locked_file.h"
#include "changes/write_access.h"
#include "workspace/file_write.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"
#include "workspace/temporary_file.h"

namespace helve::changes {
namespace {

using Pieces = std::span<const std::string_view>;

Error with_intact_note(Error error) {
  if (!says_nothing_was_written(error)) error.message += " The old content is intact.";
  return error;
}

std::unexpected<Error> write_failure(const workspace::WriteTarget& target, int error_number) {
  return fail(with_intact_note(workspace::write_error("write", target.path, error_number)));
}

WriteOutcome finished(int fd, WriteOutcome outcome) {
  struct stat status;
  // Without an identity, the next writer compares the content.
  if (::fstat(fd, &status) == 0) outcome.identity = workspace::identity_of(status);
  return outcome;
}

// Swaps two names in the directory atomically. Returns 0 or the error number.
int exchange(const workspace::WriteTarget& target, const std::string& other) {
  const int directory = target.directory.get();
  return ::renameat2(directory, other.c_str(), directory, target.name.c_str(), RENAME_EXCHANGE) == 0 ? 0
                                                                                                     : errno;
}

// Swaps the old file back under its name and adds the result to `error`.
Error roll_back(const workspace::WriteTarget& target, workspace::TemporaryFile& temporary,
                workspace::Durability durability, Error error) {
  const int failure = exchange(target, temporary.name());
  if (failure == 0) {
    // Another program replaced our content in between: its content is the newest and gets the name back.
    if (!workspace::is_named(target.directory.get(), temporary.name(), temporary.fd()))
      static_cast<void>(exchange(target, temporary.name()));
    // Best effort: a power loss must not bring the new content back.
    if (durability == workspace::Durability::kFull)
      static_cast<void>(workspace::sync_directory(target.directory.get()));
    return with_intact_note(std::move(error));
  }
  // Another program removed our content in between, so there is nothing to swap back.
  if (failure == ENOENT) return error;
  const std::string kept = temporary.name();
  temporary.forget_name();
  return {ErrorCode::kOutcomeUnknown,
          concat(error.message, " Restoring the old file also failed (", errno_text(failure),
                 "): ", workspace::printable_path(target.path), " holds the new content, and ", kept,
                 " in the same directory the old content."),
          "Compare the two files and keep the right one.", std::move(error.details)};
}

int overwrite(int fd, std::span<const std::string_view> content, std::size_t size,
              workspace::Durability durability) {
  if (const int error = workspace::write_pieces(fd, content); error != 0) return error;
  if (::ftruncate(fd, static_cast<off_t>(size)) != 0) return errno;
  return durability == workspace::Durability::kNone ? 0 : workspace::sync_file(fd);
}

// Overwrites a file that has several hard links, so that they stay one file, or that cannot be replaced.
//
// Space is reserved before the first byte changes, and a failed write is rolled back. Only a kill or a crash
// of the machine in the middle can leave a mixture. CONFLICT when the file is not as expected.
Expected<void> write_in_place(const workspace::WriteTarget& target, const LockedFile& file,
                              std::span<const std::string_view> content,
                              const workspace::ExpectedState& expected, workspace::Durability durability) {
  workspace::OpenFile open;
  open.path = target.path;
  open.fd.reset(
      ::openat(target.directory.get(), target.name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const int fd = open.fd.get();
  if (!open.fd || ::fstat(fd, &open.status) != 0)
    return fail(workspace::write_error("write", target.path, errno));
  if (!workspace::is_same_inode(open.status, file.status))
    return fail(conflict_error(Conflict::kChanged, target.path));
  const auto same = expected.matches_file(fd);
  if (!same) return fail(same.error());
  if (!*same) return fail(conflict_error(Conflict::kChanged, target.path));
  const auto old_content = workspace::read_content(open, open.size());
  if (!old_content) return fail(old_content.error());

  std::size_t size = 0;
  for (const std::string_view piece : content) size += piece.size();
  if (size > old_content->size() && ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) != 0 &&
      errno != EOPNOTSUPP && errno != ENOSYS)
    return fail(workspace::write_error("write", target.path, errno));
  const int error = overwrite(fd, content, size, durability);
  if (error == 0) return {};
  Error failure = workspace::write_error("write", target.path, error);
  const std::string_view old_bytes = *old_content;
  if (overwrite(fd, std::span(&old_bytes, 1), old_bytes.size(), durability) == 0)
    return fail(std::move(failure));
  return fail(ErrorCode::kOutcomeUnknown,
              concat(failure.message, " Restoring the old content also failed: ",
                     workspace::printable_path(target.path), " may hold a mixture of old and new content."),
              "Restore the old content from Helve's history or version control.", failure.details);
}

bool changes_mode(const LockedFile& file, const WriteOptions& options) {
  return options.mode && (*options.mode & 07777) != (file.status.st_mode & 07777);
}

// Returns 0 or the error number.
int set_mode(int fd, const WriteOptions& options) {
  if (!options.mode || ::fchmod(fd, *options.mode & 07777) == 0) return 0;
  return errno;
}

Expected<WriteOutcome> create_file(const workspace::WriteTarget& target, Pieces content,
                                   const WriteOptions& options) {
  struct stat present;
  if (::fstatat(target.directory.get(), target.name.c_str(), &present, AT_SYMLINK_NOFOLLOW) == 0)
    return fail(conflict_error(Conflict::kCreated, target.path));
  const auto failure = [&](int error_number) {
    return fail(workspace::write_error("write", target.path, error_number));
  };
  auto temporary = workspace::TemporaryFile::create(target.directory.get(), target.path,
                                                    options.new_file_mode, options.temporary_name);
  if (!temporary) return fail(temporary.error());
  if (const int error = workspace::write_pieces(temporary->fd(), content); error != 0) return failure(error);
  if (const int error = set_mode(temporary->fd(), options); error != 0) return failure(error);
  if (options.durability != workspace::Durability::kNone) {
    if (const int error = workspace::sync_file(temporary->fd()); error != 0) return failure(error);
  }
  if (const int error = temporary->give_name(target.name); error != 0)
    return error == EEXIST ? fail(conflict_error(Conflict::kCreated, target.path)) : failure(error);
  if (options.durability == workspace::Durability::kFull) {
    if (const int error = workspace::sync_directory(target.directory.get()); error != 0) {
      if (workspace::is_named(target.directory.get(), target.name, temporary->fd()))
        ::unlinkat(target.directory.get(), target.name.c_str(), 0);
      return failure(error);
    }
  }
  return finished(temporary->fd(), {.created = true, .changed = true});
}

// For file systems without RENAME_EXCHANGE. A change between the comparison and the rename is lost.
Expected<std::string> replace_without_exchange(const workspace::WriteTarget& target,
                                               workspace::TemporaryFile& temporary, const LockedFile& file,
                                               const workspace::ExpectedState& expected,
                                               const WriteOptions& options) {
  if (auto same = check_content(file, expected, target.path); !same)
    return fail(with_intact_note(same.error()));
  if (!workspace::is_named(target.directory.get(), target.name, file.fd.get()))
    return fail(conflict_error(Conflict::kChanged, target.path));
  const int directory = target.directory.get();
  if (::renameat(directory, temporary.name().c_str(), directory, target.name.c_str()) != 0)
    return write_failure(target, errno);
  temporary.forget_name();
  const int error =
      options.durability == workspace::Durability::kFull ? workspace::sync_directory(directory) : 0;
  if (error == 0) return std::string();
  const Error failure = workspace::write_error("write", target.path, error);
  return fail(ErrorCode::kOutcomeUnknown,
              concat(failure.message, " The new content is in place, but the disk did not confirm it."),
              "Read the file again before you continue.", failure.details);
}

// Returns the temporary name if it could not be removed.
Expected<std::string> replace(const workspace::WriteTarget& target, workspace::TemporaryFile& temporary,
                              const LockedFile& file, const workspace::ExpectedState& expected,
                              const WriteOptions& options) {
  if (const int error = temporary.give_random_name(); error != 0) return write_failure(target, error);
  const int error = exchange(target, temporary.name());
  if (error == EINVAL || error == ENOSYS || error == EOPNOTSUPP)
    return replace_without_exchange(target, temporary, file, expected, options);
  if (error == ENOENT) return fail(conflict_error(Conflict::kDeleted, target.path));
  if (error != 0) return write_failure(target, error);

  // From here on the temporary name refers to the old file.
  if (!workspace::is_named(target.directory.get(), temporary.name(), file.fd.get()))
    return fail(
        roll_back(target, temporary, options.durability, conflict_error(Conflict::kChanged, target.path)));
  if (auto same = check_withdrawn(file, expected, target.path); !same)
    return fail(roll_back(target, temporary, options.durability, same.error()));
  // Keep the old file until the new name is on disk, so that a failure can be rolled back.
  if (options.durability == workspace::Durability::kFull) {
    if (const int failure = workspace::sync_directory(target.directory.get()); failure != 0)
      return fail(roll_back(target, temporary, options.durability,
                            workspace::write_error("write", target.path, failure)));
  }
  std::string name = temporary.name();
  return temporary.remove_name() == 0 ? std::string() : name;
}

Expected<WriteOutcome> replace_file(const workspace::WriteTarget& target, Pieces content,
                                    const workspace::ExpectedState& expected, const WriteOptions& options) {
  const auto file = lock_file(target, options.lock_wait);
  if (!file) return fail(file.error());
  if (auto same = check_state(*file, expected, target.path); !same) return fail(same.error());
  if (expected.matches_pieces(content)) {
    if (auto same = check_content(*file, expected, target.path); !same) return fail(same.error());
    if (!changes_mode(*file, options)) return finished(file->fd.get(), {});
    if (const int error = set_mode(file->fd.get(), options); error != 0) return write_failure(target, error);
    return finished(file->fd.get(), {.changed = true});
  }
  if (const std::string reason = why_in_place(target, file->status); !reason.empty()) {
    if (options.hard_links == HardLinks::kRefuse)
      return fail(
          ErrorKind::kHardLinked, ErrorCode::kPermissionDenied,
          concat(workspace::printable_path(target.path), " ", reason, ". Nothing was written."),
          file->status.st_nlink > 1 ? "Ask the user whether to change all of them."
                                    : "Ask the user whether to write it in place.",
          JsonObject{{"path", workspace::printable_path(target.path)}, {"links", file->status.st_nlink}});
    // First the step that may be refused: the content must not change before it.
    if (const int error = set_mode(file->fd.get(), options); error != 0)
      return fail(with_intact_note(workspace::write_error("change the mode of", target.path, error)));
    if (auto written = write_in_place(target, *file, content, expected, options.durability); !written)
      return fail(written.error());
    return finished(file->fd.get(), {.changed = true, .in_place = true});
  }
  // Private until it has the old file's mode.
  auto temporary =
      workspace::TemporaryFile::create(target.directory.get(), target.path, 0600, options.temporary_name);
  if (!temporary) return fail(with_intact_note(temporary.error()));
  if (const int error = workspace::write_pieces(temporary->fd(), content); error != 0)
    return write_failure(target, error);
  auto not_kept = copy_metadata(file->fd.get(), file->status, temporary->fd(), target.path);
  if (!not_kept) return fail(with_intact_note(not_kept.error()));
  if (const int error = set_mode(temporary->fd(), options); error != 0) return write_failure(target, error);
  if (options.durability != workspace::Durability::kNone) {
    if (const int error = workspace::sync_file(temporary->fd()); error != 0)
      return write_failure(target, error);
  }
  auto left_over = replace(target, *temporary, *file, expected, options);
  if (!left_over) return fail(left_over.error());
  return finished(temporary->fd(),
                  {.changed = true, .not_kept = std::move(*not_kept), .left_over = std::move(*left_over)});
}

}  // namespace

Expected<WriteOutcome> atomic_write(const workspace::WriteTarget& target, Pieces content,
                                    const workspace::ExpectedState& expected, const WriteOptions& options) {
  return expected.is_absent() ? create_file(target, content, options)
                              : replace_file(target, content, expected, options);
}

}  // namespace helve::changes

#include "changes/file_move.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "base/file_io.h"
#include "base/strings.h"
#include "changes/locked_file.h"
#include "workspace/file_write.h"
#include "workspace/path_check.h"
#include "workspace/temporary_file.h"

namespace helve::changes {
namespace {

struct Name {
  int directory;
  std::string name;
};

// Never replaces an existing file. Returns 0 or the error number.
int move_name(const Name& from, const Name& to) {
  if (::renameat2(from.directory, from.name.c_str(), to.directory, to.name.c_str(), RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // Without RENAME_NOREPLACE: creating a hard link also fails if the name is taken.
  if (::linkat(from.directory, from.name.c_str(), to.directory, to.name.c_str(), 0) != 0) return errno;
  return ::unlinkat(from.directory, from.name.c_str(), 0) == 0 ? 0 : errno;
}

int sync_both(const Name& one, const Name& other, workspace::Durability durability) {
  if (durability != workspace::Durability::kFull) return 0;
  if (const int error = workspace::sync_directory(one.directory); error != 0) return error;
  return one.directory == other.directory ? 0 : workspace::sync_directory(other.directory);
}

// Moves the file, calls `check` to verify that it was the expected one, then `finish`, which returns 0 or an
// error number. Moves it back if any of these fails.
template <class Check, class Finish>
Expected<void> move_checked(std::string_view action, std::string_view path, const Name& from, const Name& to,
                            const LockedFile& file, workspace::Durability durability, const Check& check,
                            const Finish& finish) {
  if (const int error = move_name(from, to); error != 0) {
    if (error == ENOENT) return fail(conflict_error(Conflict::kDeleted, path));
    if (error == EEXIST) return fail(conflict_error(Conflict::kCreated, to.name));
    return fail(workspace::write_error(action, path, error));
  }
  const auto roll_back = [&](Error reason) {
    const int error = move_name(to, from);
    if (error == 0) return fail(std::move(reason));
    return fail(
        ErrorCode::kOutcomeUnknown,
        concat(reason.message, " Restoring it also failed (", errno_text(error), "): the old content of ",
               workspace::printable_path(path), " is now in ", to.name, "."),
        "Compare the files and keep the right one.", std::move(reason.details));
  };
  if (!workspace::is_named(to.directory, to.name, file.fd.get()))
    return roll_back(conflict_error(Conflict::kChanged, path));
  if (Expected<void> same = check(); !same) return roll_back(same.error());
  int error = sync_both(from, to, durability);
  if (error == 0) error = finish();
  if (error != 0) return roll_back(workspace::write_error(action, path, error));
  return {};
}

}  // namespace

Expected<void> remove_file(const workspace::WriteTarget& target, const workspace::ExpectedState& expected,
                           const MoveOptions& options) {
  const auto file = lock_file(target, options.lock_wait);
  if (!file) return fail(file.error());
  if (auto same = check_state(*file, expected, target.path); !same) return fail(same.error());
  const Name from{target.directory.get(), target.name};
  const Name away{target.directory.get(), options.temporary_name.empty()
                                              ? workspace::random_temporary_name()
                                              : std::string(options.temporary_name)};
  return move_checked(
      "remove", target.path, from, away, *file, options.durability,
      [&] { return check_withdrawn(*file, expected, target.path); },
      [&] { return ::unlinkat(away.directory, away.name.c_str(), 0) == 0 ? 0 : errno; });
}

Expected<workspace::FileIdentity> rename_file(const workspace::WriteTarget& from,
                                              const workspace::WriteTarget& to,
                                              const workspace::ExpectedState& expected,
                                              const MoveOptions& options) {
  const auto file = lock_file(from, options.lock_wait);
  if (!file) return fail(file.error());
  if (auto same = check_state(*file, expected, from.path); !same) return fail(same.error());
  const Name source{from.directory.get(), from.name};
  const Name destination{to.directory.get(), to.name};
  struct stat present;
  if (::fstatat(destination.directory, destination.name.c_str(), &present, AT_SYMLINK_NOFOLLOW) == 0)
    return fail(conflict_error(Conflict::kCreated, to.path));
  // A program that has it open for writing continues to write to the same file, so nothing is lost.
  auto moved = move_checked(
      "rename", from.path, source, destination, *file, options.durability,
      [&] { return check_content(*file, expected, from.path); }, [] { return 0; });
  if (!moved) return fail(moved.error());
  if (::fstat(file->fd.get(), &present) != 0) return fail(workspace::write_error("stat", to.path, errno));
  return workspace::identity_of(present);
}

}  // namespace helve::changes

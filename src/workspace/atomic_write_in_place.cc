#include "workspace/atomic_write_in_place.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/strings.h"
#include "workspace/open_file.h"
#include "workspace/path_check.h"
#include "workspace/write_error.h"
#include "workspace/write_pieces.h"

namespace helve {
namespace {

int overwrite(int fd, std::span<const std::string_view> content, std::size_t size, Durability durability) {
  if (const int error = write_pieces(fd, content); error != 0) return error;
  if (::ftruncate(fd, static_cast<off_t>(size)) != 0) return errno;
  return durability == Durability::kNone ? 0 : sync_file(fd);
}

}  // namespace

Expected<void> write_in_place(const WriteTarget& target, const LockedFile& file,
                              std::span<const std::string_view> content, const ExpectedState& expected,
                              Durability durability) {
  OpenFile open;
  open.path = target.path;
  open.fd.reset(
      ::openat(target.directory.get(), target.name.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const int fd = open.fd.get();
  if (!open.fd || ::fstat(fd, &open.status) != 0) return fail(write_error("write", target.path, errno));
  if (!is_same_inode(open.status, file.status)) return fail(conflict_error(Conflict::kChanged, target.path));
  const auto same = expected.matches_file(fd);
  if (!same) return fail(same.error());
  if (!*same) return fail(conflict_error(Conflict::kChanged, target.path));
  const auto old_content = read_content(open, open.size());
  if (!old_content) return fail(old_content.error());

  std::size_t size = 0;
  for (const std::string_view piece : content) size += piece.size();
  if (size > old_content->size() && ::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) != 0 &&
      errno != EOPNOTSUPP && errno != ENOSYS)
    return fail(write_error("write", target.path, errno));
  const int error = overwrite(fd, content, size, durability);
  if (error == 0) return {};
  Error failure = write_error("write", target.path, error);
  const std::string_view old_bytes = *old_content;
  if (overwrite(fd, std::span(&old_bytes, 1), old_bytes.size(), durability) == 0)
    return fail(std::move(failure));
  return fail(ErrorCode::kOutcomeUnknown,
              concat(failure.message, " Putting the old content back failed too: ",
                     printable_path(target.path), " may hold a mixture."),
              "Take the old content from Helve's history or from version control.", failure.details);
}

}  // namespace helve

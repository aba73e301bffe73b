#include "workspace/open_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/strings.h"
#include "workspace/path_check.h"

namespace helve::workspace {
namespace {

constexpr std::size_t kFirstChunk = std::size_t{16} * 1024;  // for files that do not report a size

Error read_error(const OpenFile& file, int error_number) {
  const std::string path = printable_path(file.path);
  if (error_number == EAGAIN)
    return {ErrorCode::kUnavailable, concat(path, " has nothing to read at the moment and would block."),
            "The kernel fills this file. Read it with exec and a timeout."};
  if (error_number == EIO)
    return {ErrorCode::kExecutionFailed,
            concat("The disk reported an input/output error while reading ", path, "."),
            "The device or the file system may be damaged. Check the kernel log (dmesg).",
            JsonObject{{"errno", error_number}}};
  return system_error(concat("Cannot read ", path), error_number);
}

// Reads until `bytes` holds `wanted` bytes or the file ends.
Expected<void> fill(const OpenFile& file, std::string& bytes, std::size_t wanted, std::size_t offset) {
  int error_number = 0;
  bytes.resize_and_overwrite(wanted, [&](char* data, std::size_t size) {
    std::size_t have = 0;
    while (have < size) {
      const ssize_t count =
          ::pread(file.fd.get(), data + have, size - have, static_cast<off_t>(offset + have));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) error_number = errno;
      if (count <= 0) break;
      have += static_cast<std::size_t>(count);
      // The read was short and the size is reached, so this is the end: save another system call.
      if (have < size && file.size() > 0 && offset + have == file.size()) break;
    }
    return have;
  });
  if (error_number != 0) return fail(read_error(file, error_number));
  return {};
}

}  // namespace

std::string_view file_type_name(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG: return "regular file";
    case S_IFDIR: return "directory";
    case S_IFLNK: return "symbolic link";
    case S_IFIFO: return "FIFO (named pipe)";
    case S_IFSOCK: return "socket";
    case S_IFCHR: return "character device";
    case S_IFBLK: return "block device";
    default: return "special file";
  }
}

Expected<void> require_regular_file(std::string_view path, mode_t mode) {
  if (S_ISREG(mode)) return {};
  const std::string shown = printable_path(path);
  const JsonObject details{{"path", shown}, {"type", file_type_name(mode)}};
  if (S_ISDIR(mode))
    return fail(ErrorCode::kInvalidArgument, concat(shown, " is a directory, not a file."),
                "Use ls to list it, or pass the path of a file in it.", details);
  return fail(ErrorCode::kInvalidArgument,
              concat(shown, " is a ", file_type_name(mode), ", not a regular file."),
              "File tools only accept regular files, because others may block or never end. "
              "Use exec with a timeout instead.",
              details);
}

Expected<std::string> read_content(const OpenFile& file, std::size_t max_bytes) {
  const auto too_large = [&](std::string_view size) {
    return fail(ErrorCode::kInvalidArgument,
                concat(printable_path(file.path), " has ", size, " bytes; at most ",
                       with_thousands(max_bytes), " are read at once."),
                "Read a range of its lines, or search it with grep.",
                JsonObject{{"path", printable_path(file.path)}, {"size", file.size()}, {"limit", max_bytes}});
  };
  if (file.size() > max_bytes) return too_large(with_thousands(file.size()));
  std::string bytes;
  // One byte more than the size, to detect both a file that grew and the end.
  std::size_t wanted = (file.size() > 0 ? file.size() : std::min(kFirstChunk, max_bytes)) + 1;
  while (true) {
    if (auto read = fill(file, bytes, wanted, 0); !read) return fail(read.error());
    if (bytes.size() > max_bytes) return too_large(concat("more than ", with_thousands(max_bytes)));
    if (bytes.size() < wanted) return bytes;
    wanted = std::min(wanted * 4, max_bytes + 1);
  }
}

Expected<std::string> read_part(const OpenFile& file, std::size_t offset, std::size_t max_bytes) {
  std::string bytes;
  const std::size_t known = file.size() > offset ? file.size() - offset : std::size_t{0};
  const std::size_t wanted = known > 0 ? std::min(max_bytes, known) : max_bytes;
  if (auto read = fill(file, bytes, wanted, offset); !read) return fail(read.error());
  return bytes;
}

}  // namespace helve::workspace

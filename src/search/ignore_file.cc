#include "search/ignore_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file_io.h"

namespace helve::search {
namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 20;  // nobody writes such a file by hand
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

RuleList parse_ignore_file(std::string_view text) {
  constexpr GlobOptions kOptions{.braces = false, .lenient_classes = true};
  RuleList rules;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    (void)rules.add_line(line, kOptions);
  }
  rules.finish();
  return rules;
}

std::optional<std::string> read_small_file(int directory_fd, const std::string& path) {
  // The file may be a FIFO that someone made, or a link out of the workspace, which git does not follow
  // either.
  const int flags =
      O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (directory_fd == AT_FDCWD ? 0 : O_NOFOLLOW);
  const UniqueFd fd(::openat(directory_fd, path.c_str(), flags));
  if (!fd) return std::nullopt;
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > kLargestFile) return std::nullopt;
  std::string content(size, '\0');
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t count = ::read(fd.get(), content.data() + filled, size - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  content.resize(filled);
  return content;
}

RuleList read_ignore_file(int directory_fd, const std::string& path) {
  const auto content = read_small_file(directory_fd, path);
  return content ? parse_ignore_file(*content) : RuleList();
}

}  // namespace helve::search

#include "workspace/write_pieces.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <vector>

namespace helve {

int write_pieces(int fd, std::span<const std::string_view> pieces) {
  off_t offset = 0;
  std::size_t next = 0;     // the first piece that is not written whole
  std::size_t written = 0;  // how much of it is
  std::vector<iovec> batch;
  while (next < pieces.size()) {
    batch.clear();
    for (std::size_t i = next; i < pieces.size() && batch.size() < IOV_MAX; ++i) {
      const std::string_view rest = i == next ? pieces[i].substr(written) : pieces[i];
      // writev only reads; its interface is older than const.
      batch.push_back({const_cast<char*>(rest.data()), rest.size()});
    }
    const ssize_t count = ::pwritev(fd, batch.data(), static_cast<int>(batch.size()), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    offset += count;
    std::size_t done = static_cast<std::size_t>(count);
    while (next < pieces.size() && done >= pieces[next].size() - written) {
      done -= pieces[next].size() - written;
      written = 0;
      ++next;
    }
    written += done;
  }
  return 0;
}

}  // namespace helve

// Reads whole directories with few system calls and no allocation per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace helve::search {

// An entry as the kernel lists it. `name` points into the reader's buffer, is followed by a NUL, and is valid
// until the next read.
struct RawEntry {
  std::uint64_t order;  // the first eight bytes of the name as a number: decides most comparisons
  std::string_view name;
  unsigned char type;  // DT_REG, …
};

// The order of entries within a directory in a walk: by the bytes of their names.
[[nodiscard]] inline bool comes_before(const RawEntry& left, const RawEntry& right) {
  return left.order != right.order ? left.order < right.order : left.name < right.name;
}

// Owned by one thread.
class DirectoryReader {
 public:
  // Reads all entries except `.` and `..` into entries(), unsorted. Returns 0 or an errno value. Calls stat
  // for entries whose type the file system does not report.
  [[nodiscard]] int read(int directory_fd);
  [[nodiscard]] std::vector<RawEntry>& entries() { return entries_; }

 private:
  void resize_buffer(std::size_t bytes, std::size_t kept);

  std::unique_ptr<char[]> buffer_;
  std::size_t buffer_bytes_ = 0;
  std::vector<RawEntry> entries_;
};

}  // namespace helve::search

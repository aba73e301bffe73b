// Reads whole directories with few system calls and no allocation per entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace helve::search {

// An entry as the kernel lists it. The name lies in the reader's buffer, followed by a NUL, and is good until
// the next read.
struct RawEntry {
  std::uint64_t order;  // the first eight bytes of the name as a number, which settles most comparisons
  std::string_view name;
  unsigned char type;  // DT_REG, …
};

// The order of a walk within a directory: by bytes.
[[nodiscard]] inline bool comes_before(const RawEntry& left, const RawEntry& right) {
  return left.order != right.order ? left.order < right.order : left.name < right.name;
}

// Owned by one thread.
class DirectoryReader {
 public:
  // All entries but `.` and `..`, in no order, into entries(). Returns 0 or an error number. What the file
  // system does not tell the type of is asked for.
  [[nodiscard]] int read(int directory_fd);
  [[nodiscard]] std::vector<RawEntry>& entries() { return entries_; }

 private:
  void resize_buffer(std::size_t bytes, std::size_t kept);

  std::unique_ptr<char[]> buffer_;
  std::size_t buffer_bytes_ = 0;
  std::vector<RawEntry> entries_;
};

}  // namespace helve::search

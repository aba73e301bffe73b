// What a file was when it was read, so that a later write can tell whether it still is.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "helve/error.h"

namespace helve {

// Changes with every write, replacement and change of mode. Equal identities are a strong sign of an
// unchanged file, no proof: coarse clocks let two quick writes look alike.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileIdentity&) const = default;
};

[[nodiscard]] FileIdentity identity_of(const struct stat& status);
[[nodiscard]] bool is_same_inode(const struct stat& one, const struct stat& other);

// The state that a caller has seen and builds on. What counts is the content: a file that was touched, or
// saved again with the same bytes, has not changed.
class ExpectedState {
 public:
  // There is no such file.
  [[nodiscard]] static ExpectedState absent() { return ExpectedState(false, {}, {}); }
  // It has these bytes, which must outlive the state.
  [[nodiscard]] static ExpectedState of_content(const FileIdentity& identity, std::string_view bytes) {
    return ExpectedState(true, identity, bytes);
  }

  [[nodiscard]] bool is_absent() const { return !is_there_; }
  [[nodiscard]] const FileIdentity& identity() const { return identity_; }

  // Compares all bytes of an open file, from its start. EIO and the like are errors, not differences.
  [[nodiscard]] Expected<bool> matches_file(int fd) const;
  // Compares bytes that lie in several pieces.
  [[nodiscard]] bool matches_pieces(std::span<const std::string_view> pieces) const;

 private:
  ExpectedState(bool is_there, const FileIdentity& identity, std::string_view bytes)
      : is_there_(is_there), identity_(identity), bytes_(bytes) {}

  bool is_there_;
  FileIdentity identity_;
  std::string_view bytes_;
};

}  // namespace helve

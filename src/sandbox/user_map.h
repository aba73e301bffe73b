// The user map of a new user namespace: all users if root creates it, otherwise only the user.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::sandbox {

// Prepared before unshare(CLONE_NEWUSER) and applied after it, in the same single-threaded process. Root gets
// an identity map of all ids, so that files keep their owners. Such a map can only be written from the parent
// namespace, so a child process waits there to write it.
class UserMap {
 public:
  [[nodiscard]] static Expected<UserMap> prepare();
  UserMap(UserMap&& other) noexcept;
  UserMap& operator=(UserMap&&) = delete;
  ~UserMap();

  [[nodiscard]] Expected<void> apply();

 private:
  UserMap() = default;
  [[nodiscard]] Expected<void> map_self() const;
  int finish_writer();

  uid_t user_ = 0;
  gid_t group_ = 0;
  pid_t writer_ = -1;
  UniqueFd go_ahead_;
};

// A user namespace that does not map this process's own user to itself, for map_owner_to_nobody(). Created by
// a temporary child process. Invalid with errno set on failure.
[[nodiscard]] UniqueFd make_namespace_without_self();

// Maps every id of `map` (in the format of /proc/self/uid_map) to itself.
[[nodiscard]] std::string identity_map(std::string_view map);

}  // namespace helve::sandbox

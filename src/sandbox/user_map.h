// Whom a new user namespace knows: everybody when root makes it, otherwise the user alone.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::sandbox {

// Made before unshare(CLONE_NEWUSER), applied after it, in the same single-threaded process. Root gets an
// identity map of all ids, so that files of other owners keep their owners; such a map can only be written
// from the namespace that was left, which is why a child waits there.
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

// A user namespace in which this process's own user does not occur, for give_to_nobody(). By a child process,
// which is gone afterwards. Invalid with errno set where there is none to be had.
[[nodiscard]] UniqueFd make_namespace_of_strangers();

// The map in which every id that `map` (as in /proc/self/uid_map) knows stands for itself.
[[nodiscard]] std::string identity_map(std::string_view map);

}  // namespace helve::sandbox

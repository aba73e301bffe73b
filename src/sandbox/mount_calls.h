// Mount system calls on file descriptors: a path is opened once, without following symlinks, and never looked
// up again.
#pragma once

#include <sys/mount.h>
#include <sys/stat.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::sandbox {

// True when `path` is `directory` or below it.
[[nodiscard]] bool is_within(std::string_view path, std::string_view directory);

// An O_PATH handle to an absolute path without symlinks; invalid with errno set otherwise.
[[nodiscard]] UniqueFd open_real(const std::string& path);

// A detached copy of the mount tree at `place`, including everything mounted below.
[[nodiscard]] UniqueFd clone_tree(int place);
// Mounts a tree over the place. Returns 0, or -1 with errno set, like the functions below.
[[nodiscard]] int attach(int tree, int place);
[[nodiscard]] int attach_at(int tree, int directory, const char* name);
// Sets MOUNT_ATTR_… on a tree and all below it.
[[nodiscard]] int add_attributes(int tree, std::uint64_t attributes, std::uint64_t propagation = 0);

// Maps the owner of all files on a detached mount to a user unknown in this namespace, so that even its root
// has only the access that the mode grants to others. `other_users` is a user namespace without the owner.
[[nodiscard]] int map_owner_to_nobody(int tree, int other_users);

// Makes one mount read-only, but not the mounts below it.
[[nodiscard]] int make_read_only(int tree);

// A new detached file system ("tmpfs", "proc", "devpts") with options.
using Option = std::pair<const char*, const char*>;
[[nodiscard]] UniqueFd make_file_system(const char* type, std::span<const Option> options,
                                        std::uint64_t attributes);

// Bind-mounts a place over itself, so that it cannot be moved away.
[[nodiscard]] int bind_on_itself(int place, bool read_only);

// "The sandbox lacks its mount namespace: cannot bind /x: …"
[[nodiscard]] Error mount_error(std::string_view what, std::string_view path, int error_number);

struct PathWalk {
  std::vector<UniqueFd> links = {};  // handles to the symlinks on the way; changing one changes the path
  UniqueFd last = {};                // the deepest existing entry
  std::string last_path = {};        // its path without symlinks
  struct stat status = {};           // of `last`
  std::string missing = {};  // the missing name in `last`, if it is a directory and the path continues
  bool goes_on = false;      // more names follow `missing` (or follow a file)
};

// Walks a path that may contain symlinks and may not exist, for protecting it. Follows symlinks component by
// component and opens each handle without following.
[[nodiscard]] Expected<PathWalk> walk_path(std::string_view path);

}  // namespace helve::sandbox

// The kernel's mount calls by handle: a place is opened once, without following links, and never looked up
// again.
#pragma once

#include <sys/mount.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_io.h"
#include "helve/error.h"

namespace helve::sandbox {

// True when `path` is `directory` or lies in it.
[[nodiscard]] bool is_within(std::string_view path, std::string_view directory);

// A handle (O_PATH) to an absolute path none of whose components is a link; invalid with errno set otherwise.
[[nodiscard]] UniqueFd open_real(const std::string& path);

// A copy of what is seen at the place, with everything mounted below, not attached anywhere yet.
[[nodiscard]] UniqueFd clone_tree(int place);
// Puts a tree over the place. 0 or -1 with errno set, as the rest here.
[[nodiscard]] int attach(int tree, int place);
[[nodiscard]] int attach_at(int tree, int directory, const char* name);
// Sets MOUNT_ATTR_… on a tree and all below it.
[[nodiscard]] int add_attributes(int tree, std::uint64_t attributes, std::uint64_t propagation = 0);

// Makes everything on a mount that is not attached yet belong to nobody whom this namespace knows, so that
// not even its root may do more there than the mode allows others. `strangers` is a user namespace without
// the owner in it.
[[nodiscard]] int give_to_nobody(int tree, int strangers);

// Makes one mount read-only, and not what is mounted in it.
[[nodiscard]] int close_for_writing(int tree);

// A new file system ("tmpfs", "proc", "devpts") with options, not attached anywhere yet.
using Option = std::pair<const char*, const char*>;
[[nodiscard]] UniqueFd make_file_system(const char* type, std::span<const Option> options,
                                        std::uint64_t attributes);

// Puts over a place what is there already, so that it cannot be moved away; read-only if `read_only`.
[[nodiscard]] int bind_on_itself(int place, bool read_only);

// "The sandbox lacks its mount namespace: cannot bind /x: …"
[[nodiscard]] Error mount_error(std::string_view what, std::string_view path, int error_number);

}  // namespace helve::sandbox

// Git repositories that are not called `.git`: bare ones, recognised as git does, by what lies in a
// directory.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "workspace/protected_paths.h"

namespace helve {

// Whether the HEAD in this open directory is one that git accepts: a link, a reference or a hash.
[[nodiscard]] bool has_git_head(int directory_fd);

// Why a path beneath the open directory `base` may not be written, given by its resolved components: it is
// among the hooks and settings of a bare repository, or it would be the last part of one whose hooks and
// settings are there already. The history in one is no more than data. Asks the disk only about names that
// matter to git.
[[nodiscard]] std::optional<ProtectedRule> find_git_protection(int base,
                                                               std::span<const std::string> components);

}  // namespace helve

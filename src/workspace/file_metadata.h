// Gives a new file the owner, mode, access list and extended attributes of the one it replaces.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve {

// Both are open; `status` is that of `from`. Returns what could not be kept, in words ("owner 0"), which is
// news for the user. An access control list that cannot be kept is an error: losing it opens the file to
// others. File capabilities are dropped, and set-user-ID bits of other users too, as by any write.
[[nodiscard]] Expected<std::vector<std::string>> copy_metadata(int from, const struct stat& status, int to,
                                                               std::string_view path);

}  // namespace helve

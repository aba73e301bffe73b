// Copies owner, mode, access control list and extended attributes to a replacement file.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"

namespace helve::changes {

// `status` is that of `from`. Returns what could not be kept as display text ("owner 0"), to be reported to
// the user. An access control list that cannot be kept is an error, because losing it would open the file to
// others. File capabilities and set-user-ID bits of other users are dropped, as by any write.
[[nodiscard]] Expected<std::vector<std::string>> copy_metadata(int from, const struct stat& status, int to,
                                                               std::string_view path);

}  // namespace helve::changes

// Opens directories that their owner may have locked himself out of.
#pragma once

#include "base/file_io.h"

namespace helve::repository {

// For reading, through no link. One of the user's own that he cannot read is made readable for him first,
// because it could hide something. errno tells why there is none.
[[nodiscard]] UniqueFd open_own_directory(int at, const char* name);

}  // namespace helve::repository

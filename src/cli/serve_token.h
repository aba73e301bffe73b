// The secret that clients of `helve serve` have to show.
#pragma once

#include <string>

#include "helve/error.h"

namespace helve::cli {

struct ServeToken {
  std::string text = {};
  std::string path = {};
  bool is_new = false;
};

// The one that is kept in the state directory; made when there is none.
[[nodiscard]] Expected<ServeToken> serve_token();

}  // namespace helve::cli

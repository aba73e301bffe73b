// One replacement in a text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/strings.h"

namespace helve::cli {

struct Splice {
  std::size_t at = 0;
  std::string removed;
  std::string inserted;

  [[nodiscard]] bool fits(std::string_view text) const {
    return at <= text.size() && text.substr(at).starts_with(removed);
  }
  // `text` must fit.
  [[nodiscard]] std::string apply(std::string_view text) const {
    return concat(text.substr(0, at), inserted, text.substr(at + removed.size()));
  }
  [[nodiscard]] Splice inverse() const { return {at, inserted, removed}; }
};

}  // namespace helve::cli

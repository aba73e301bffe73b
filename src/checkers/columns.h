// Places as linters count them, turned into lines and columns of characters.
#pragma once

#include <string_view>

#include "checkers/finding.h"
#include "lsp/position.h"

namespace helve::checkers {

// The text must outlive it. A value for one thread.
class Columns {
 public:
  explicit Columns(std::string_view text) : lines_(text) {}

  // From columns of another unit, counting from 1; what is beyond a line's end stays as it is.
  [[nodiscard]] Extent characters(Extent extent, lsp::ColumnUnit unit) const;
  // From offsets in UTF-16 units of the whole text.
  [[nodiscard]] Extent of_offsets(std::size_t begin, std::size_t end) const;

 private:
  [[nodiscard]] std::size_t column(std::size_t line, std::size_t column, lsp::ColumnUnit unit) const;
  [[nodiscard]] lsp::Position at_offset(std::size_t offset) const;

  lsp::LineTable lines_;
};

}  // namespace helve::checkers

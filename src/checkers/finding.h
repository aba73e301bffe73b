// Findings of all linters in one format, with positions in lines and characters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "lsp/position.h"

namespace helve::checkers {

enum class Severity { kError, kWarning, kInformation, kHint };
[[nodiscard]] std::string_view to_string(Severity severity);

// Lines and columns (in characters) count from 1; an end is after the last character. 0: unknown.
struct Extent {
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t end_line = 0;
  std::size_t end_column = 0;

  bool operator==(const Extent&) const = default;
};

// Replaces the extent by the text.
struct FixEdit {
  Extent extent = {};
  std::string new_text = {};
};

struct Finding {
  std::string path = {};  // relative to the workspace; as reported by the linter when outside
  Extent extent = {};
  Severity severity = Severity::kWarning;
  std::string code = {};    // of the rule; may be empty
  std::string source = {};  // the linter
  std::string message = {};
  std::vector<FixEdit> fix = {};  // empty: no fix
};
// {path, line, column, endLine, endColumn, severity, code, source, message, fix}; null for unknown values.
[[nodiscard]] Json to_json(const Finding& finding);

struct ProgramOutput {
  int exit_code = 0;
  std::string output = {};
  std::string errors = {};
};

// Converts positions of linters to lines and columns of characters. The text must outlive it.
class Columns {
 public:
  explicit Columns(std::string_view text) : lines_(text) {}

  // Converts columns of another unit, counted from 1; columns after the end of a line stay unchanged.
  [[nodiscard]] Extent characters(Extent extent, lsp::ColumnUnit unit) const;
  // Converts offsets in the text, in UTF-16 units.
  [[nodiscard]] Extent of_offsets(std::size_t begin, std::size_t end) const;

 private:
  [[nodiscard]] std::size_t column(std::size_t line, std::size_t column, lsp::ColumnUnit unit) const;
  [[nodiscard]] lsp::Position at_offset(std::size_t offset) const;

  lsp::LineTable lines_;
};

}  // namespace helve::checkers

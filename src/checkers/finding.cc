#include "checkers/finding.h"

#include "base/utf8.h"

namespace helve::checkers {
namespace {

Json number_or_null(std::size_t number) { return number == 0 ? Json() : Json(number); }

void append_extent(JsonObject& json, const Extent& extent) {
  json.append("line", number_or_null(extent.line));
  json.append("column", number_or_null(extent.column));
  json.append("endLine", number_or_null(extent.end_line));
  json.append("endColumn", number_or_null(extent.end_column));
}

}  // namespace

std::string_view to_string(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "information", "hint"};
  return kNames[static_cast<std::size_t>(severity)];
}

Json to_json(const Finding& finding) {
  JsonObject json{{"path", to_valid_utf8(finding.path)}};
  append_extent(json, finding.extent);
  json.append("severity", to_string(finding.severity));
  json.append("code", finding.code.empty() ? Json() : Json(finding.code));
  json.append("source", finding.source);
  json.append("message", to_valid_utf8(finding.message));
  if (finding.fix.empty()) {
    json.append("fix", Json());
    return json;
  }
  JsonArray edits;
  for (const FixEdit& edit : finding.fix) {
    JsonObject one;
    append_extent(one, edit.extent);
    one.append("newText", to_valid_utf8(edit.new_text));
    edits.emplace_back(std::move(one));
  }
  json.append("fix", JsonObject{{"edits", std::move(edits)}});
  return json;
}

using lsp::ColumnUnit;

std::size_t Columns::column(std::size_t line, std::size_t column, ColumnUnit unit) const {
  if (line == 0 || column == 0) return column;
  const std::string_view text = lines_.line(line - 1);
  // Keep a column after the end of the line: a linter may count a tab as several columns.
  if (column - 1 > text.size()) return column;
  const std::size_t byte = lsp::byte_of_column(text, column - 1, unit);
  return lsp::column_of_byte(text, byte, ColumnUnit::kUtf32) + 1;
}

Extent Columns::characters(Extent extent, ColumnUnit unit) const {
  extent.column = column(extent.line, extent.column, unit);
  extent.end_column = column(extent.end_line, extent.end_column, unit);
  return extent;
}

lsp::Position Columns::at_offset(std::size_t offset) const {
  std::size_t line = 0;
  for (; line + 1 < lines_.size(); ++line) {
    const std::size_t begin = lines_.offset_of({line, 0}, ColumnUnit::kUtf8);
    const std::size_t next = lines_.offset_of({line + 1, 0}, ColumnUnit::kUtf8);
    const std::string_view text = lines_.line(line);
    const std::size_t units =
        lsp::column_of_byte(text, text.size(), ColumnUnit::kUtf16) + (next - begin - text.size());
    if (offset < units) break;
    offset -= units;
  }
  const std::string_view text = lines_.line(line);
  const std::size_t byte = lsp::byte_of_column(text, offset, ColumnUnit::kUtf16);
  return {line, lsp::column_of_byte(text, byte, ColumnUnit::kUtf32)};
}

Extent Columns::of_offsets(std::size_t begin, std::size_t end) const {
  const lsp::Position from = at_offset(begin);
  const lsp::Position to = at_offset(end);
  return {from.line + 1, from.character + 1, to.line + 1, to.character + 1};
}

}  // namespace helve::checkers

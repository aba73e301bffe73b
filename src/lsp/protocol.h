// Parses language server replies; each of the allowed forms becomes one type.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_read.h"
#include "helve/error.h"
#include "helve/json.h"
#include "lsp/position.h"

namespace helve::lsp {

[[nodiscard]] Json to_json(const Position& position);
[[nodiscard]] Position read_position(const Json& json);
// The parameters of a question about a position: {textDocument: {uri}, position}.
[[nodiscard]] Json position_params(std::string_view path, const Position& position);
[[nodiscard]] Range read_range(const Json& json);

struct Location {
  std::string path;  // absolute
  Range range;       // of the name if the server reports it, otherwise of the whole symbol
  bool operator==(const Location&) const = default;
};

// Accepts Location, Location[] or LocationLink[]. Locations outside of files are dropped.
[[nodiscard]] std::vector<Location> read_locations(const Json& json);

// Accepts a string, MarkupContent, MarkedString or a list of them.
[[nodiscard]] std::string read_hover(const Json& json);

struct Diagnostic {
  enum class Severity { kError = 1, kWarning, kInformation, kHint };
  Range range;
  Severity severity = Severity::kError;
  std::string code = {};
  std::string source = {};
  std::string message;
  bool operator==(const Diagnostic&) const = default;
};
[[nodiscard]] std::string_view to_string(Diagnostic::Severity severity);
[[nodiscard]] std::vector<Diagnostic> read_diagnostics(const Json& json);

struct SymbolEntry {
  std::string name;
  std::string kind;            // "function", "class", …
  std::string container = {};  // names of the enclosing symbols, separated by /
  std::string detail = {};
  std::string path = {};  // absolute; empty for the symbols of one document
  Range range;            // the whole symbol
  Range selection;        // its name
};
// Accepts DocumentSymbol[] or SymbolInformation[]; returns a flat list in the server's order.
[[nodiscard]] std::vector<SymbolEntry> read_symbols(const Json& json);
[[nodiscard]] std::string_view symbol_kind_name(int kind);

struct TextEdit {
  Range range;
  std::string new_text;
};
[[nodiscard]] std::vector<TextEdit> read_text_edits(const Json& json);

struct FileEdits {
  std::string path;  // absolute
  std::vector<TextEdit> edits;
};
// Accepts `changes` or `documentChanges`. Fails if files are to be created, renamed or deleted, because this
// client does not announce support for that.
[[nodiscard]] Expected<std::vector<FileEdits>> read_workspace_edit(const Json& json);

// The text after the edits. Fails with CONFLICT if they overlap or are outside the text.
[[nodiscard]] Expected<std::string> apply_edits(std::string_view text, std::vector<TextEdit> edits,
                                                ColumnUnit unit);

}  // namespace helve::lsp

// The answers of language servers in one shape each, whichever of the allowed forms a server chooses.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"
#include "lsp/position.h"

namespace helve::lsp {

[[nodiscard]] Json to_json(const Position& position);
[[nodiscard]] Position read_position(const Json& json);
[[nodiscard]] Range read_range(const Json& json);

struct Location {
  std::string path;  // absolute
  Range range;       // of the name, where the server tells it apart from the whole
  bool operator==(const Location&) const = default;
};

// Location, Location[] or LocationLink[]; what is not in a file is left out.
[[nodiscard]] std::vector<Location> read_locations(const Json& json);

// A string, MarkupContent, MarkedString or a list of those; empty when there is nothing to say.
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
  std::string container = {};  // names of what it is in, with / between them
  std::string detail = {};
  std::string path = {};  // absolute; empty in the symbols of one document
  Range range;            // all of it
  Range selection;        // its name
};
// DocumentSymbol[] or SymbolInformation[], flat, in the server's order.
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
// `changes` or `documentChanges`. Creating, renaming and removing files is refused, since no client that said
// what we say gets that.
[[nodiscard]] Expected<std::vector<FileEdits>> read_workspace_edit(const Json& json);

// The text after the edits. CONFLICT when they overlap or lie outside of it.
[[nodiscard]] Expected<std::string> apply_edits(std::string_view text, std::vector<TextEdit> edits,
                                                ColumnUnit unit);

// A member that is a text; empty otherwise.
[[nodiscard]] std::string text_member(const Json& json, std::string_view key);

}  // namespace helve::lsp

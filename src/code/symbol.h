// The analysis of one source file: its definitions and their nesting.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace helve::code {

// In order of precedence, for names that two patterns classify differently.
enum class SymbolKind : std::uint8_t {
  kMethod,
  kFunction,
  kClass,
  kStruct,
  kUnion,
  kInterface,
  kTrait,
  kEnum,
  kNamespace,  // and modules
  kImpl,       // a block that adds to a type and has the type's name; not a definition
  kMacro,
  kType,  // alias, typedef, concept, delegate
  kEnumerator,
  kConstant,
  kField,
  kVariable,
};

// "function", "class", "field", …
[[nodiscard]] std::string_view to_string(SymbolKind kind);

// The groups by which callers filter.
enum class SymbolGroup : std::uint8_t { kFunctions, kClasses, kVariables };
[[nodiscard]] SymbolGroup group_of(SymbolKind kind);
[[nodiscard]] constexpr bool is_function(SymbolKind kind) {
  return kind == SymbolKind::kFunction || kind == SymbolKind::kMethod;
}
// Whether definitions inside it are its members.
[[nodiscard]] bool has_members(SymbolKind kind);

inline constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();

struct Symbol {
  SymbolKind kind = SymbolKind::kVariable;
  bool declaration = false;  // its body is elsewhere
  bool is_async = false;
  std::string name = {};
  std::string container = {};  // as written in the definition: Foo in `void Foo::bar()`
  std::uint32_t parent = kNoParent;
  std::uint32_t line = 0;  // of the definition, starting at 1
  std::uint32_t end_line = 0;
  std::uint32_t name_line = 0;
  std::uint32_t column = 0;           // of the name, in characters, starting at 1
  std::uint32_t signature_begin = 0;  // in bytes of the text
  std::uint32_t signature_end = 0;

  // Only with Depth::kDetails.
  std::uint32_t complexity = 0;              // cyclomatic; 0 if it is not a function
  std::vector<std::string> parameters = {};  // as in the source, with types and defaults
  std::string return_type = {};
  std::vector<std::string> bases = {};
  std::vector<std::string> decorators = {};
  std::string doc = {};
};

struct FileAnalysis {
  std::string language = {};         // display name; empty if there is no grammar
  std::string skipped = {};          // why the file was not parsed; otherwise empty
  std::vector<Symbol> symbols = {};  // in text order, parents before their members
  std::vector<std::string> imports = {};
  std::string doc = {};  // of the file itself
  std::uint32_t lines = 0;
  std::uint32_t complexity = 0;                 // of the whole file
  std::uint32_t error_regions = 0;              // number of syntax errors
  std::vector<std::uint32_t> error_lines = {};  // of the first few errors
  bool incomplete = false;                      // a limit was reached before the end of the file
};

// The definition's head on one line: `def f(a, b=1) -> int`. At most `max_bytes`; "…" marks a
// cut.
[[nodiscard]] std::string signature_of(std::string_view text, std::uint32_t begin, std::uint32_t end,
                                       std::size_t max_bytes = 200);

// Collapses and trims white space, and cuts at `max_bytes` with "…".
[[nodiscard]] std::string on_one_line(std::string_view text, std::size_t max_bytes = 200);

// The enclosing symbols as `Outer.Inner`, from the parents and symbol.container; empty at the top level.
[[nodiscard]] std::string container_of(const std::vector<Symbol>& symbols, const Symbol& symbol);

}  // namespace helve::code

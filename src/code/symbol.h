// What is known about one source file: its definitions and how they lie in each other.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace helve::code {

// The order is that of precedence, where two queries take the same name for different things.
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
  kImpl,       // a block that adds to a type; has the type's name and is no definition of its own
  kMacro,
  kType,  // alias, typedef, concept, delegate
  kEnumerator,
  kConstant,
  kField,
  kVariable,
};

// "function", "class", "field", …
[[nodiscard]] std::string_view to_string(SymbolKind kind);

// The three groups by which callers choose.
enum class SymbolGroup : std::uint8_t { kFunctions, kClasses, kVariables };
[[nodiscard]] SymbolGroup group_of(SymbolKind kind);
[[nodiscard]] constexpr bool is_function(SymbolKind kind) {
  return kind == SymbolKind::kFunction || kind == SymbolKind::kMethod;
}
// Whether definitions in it are its members.
[[nodiscard]] bool has_members(SymbolKind kind);

inline constexpr std::uint32_t kNoParent = std::numeric_limits<std::uint32_t>::max();

struct Symbol {
  SymbolKind kind = SymbolKind::kVariable;
  bool declaration = false;  // says that it exists, and its body is elsewhere
  bool is_async = false;
  std::string name = {};
  std::string container = {};  // as written at the definition itself: Foo in `void Foo::bar()`
  std::uint32_t parent = kNoParent;
  std::uint32_t line = 0;  // of the definition, counting from 1
  std::uint32_t end_line = 0;
  std::uint32_t name_line = 0;
  std::uint32_t column = 0;           // of the name, in characters, counting from 1
  std::uint32_t signature_begin = 0;  // in bytes of the text
  std::uint32_t signature_end = 0;

  // Only when details were asked for.
  std::uint32_t complexity = 0;              // cyclomatic; 0 for what is no function
  std::vector<std::string> parameters = {};  // as the language writes them, with types and defaults
  std::string return_type = {};
  std::vector<std::string> bases = {};
  std::vector<std::string> decorators = {};
  std::string doc = {};
};

struct FileAnalysis {
  std::string language = {};         // for people; empty when no grammar fits
  std::string skipped = {};          // why the file was not parsed; empty when it was
  std::vector<Symbol> symbols = {};  // in the order of the text, parents before their members
  std::vector<std::string> imports = {};
  std::string doc = {};  // of the file itself
  std::uint32_t lines = 0;
  std::uint32_t complexity = 0;                 // of all functions and of what is outside of them
  std::uint32_t error_regions = 0;              // that did not follow the grammar
  std::vector<std::uint32_t> error_lines = {};  // where the first of them begin
  bool incomplete = false;                      // a limit was reached before all of the file was seen
};

// The definition's head on one line: `def f(a, b=1) -> int`. At most `max_bytes`, with a mark where it was
// cut.
[[nodiscard]] std::string signature_of(std::string_view text, std::uint32_t begin, std::uint32_t end,
                                       std::size_t max_bytes = 200);

// Runs of white space as one space, none at the ends, cut at `max_bytes` with a mark.
[[nodiscard]] std::string on_one_line(std::string_view text, std::size_t max_bytes = 200);

// `Outer.Inner` of what the symbol lies in, by the parents and by what it says itself; empty at the top.
[[nodiscard]] std::string container_of(const std::vector<Symbol>& symbols, const Symbol& symbol);

}  // namespace helve::code

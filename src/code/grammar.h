// The tree-sitter grammars by language, with their compiled queries.
#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbol.h"

namespace helve::code {

// The meaning of a query capture.
enum class Role : std::uint8_t {
  kDefinition,
  kName,
  kDeclarator,
  kContainer,
  kBases,
  kBase,       // an embedded type: a base of the enclosing type
  kScope,      // variables in it are local
  kEntry,      // a function in an object; local if inside a function
  kAttribute,  // a field that a method assigns to its object
  kImport,
  kDecorator,
  kBranch,
  kNone,  // for predicates only
};

struct Capture {
  Role role = Role::kNone;
  SymbolKind kind = SymbolKind::kVariable;  // of a definition
};

// `(#eq? @capture "text")` and `(#any-of? @capture "a" "b")`
struct Predicate {
  std::uint32_t capture = 0;
  std::vector<std::string> texts = {};
};

// A compiled query. Immutable.
struct Query {
  struct Delete {
    void operator()(TSQuery* query) const { ts_query_delete(query); }
  };
  std::unique_ptr<TSQuery, Delete> compiled;
  std::vector<Capture> captures = {};                   // by id
  std::vector<std::vector<Predicate>> predicates = {};  // by pattern
};

// Lives as long as the program. Thread-safe.
class Grammar {
 public:
  // `language` is an id of text/language.h. Null if there is no grammar.
  [[nodiscard]] static const Grammar* find(std::string_view language);
  [[nodiscard]] static std::vector<std::string_view> languages();

  [[nodiscard]] const TSLanguage* language() const { return language_; }
  // Only definitions, or also imports, decorators and branches. Compiled on first use.
  [[nodiscard]] const Query& definitions() const;
  [[nodiscard]] const Query& everything() const;

 private:
  struct Slots;
  static Slots& slots();

  const TSLanguage* language_ = nullptr;
  std::size_t row_ = 0;
};

// The patterns of a query file: those of definitions, or all of them.
enum class Patterns { kDefinitions, kAll };
[[nodiscard]] std::string select_patterns(std::string_view text, Patterns patterns);
// Returns nothing and sets `problem` if the query does not fit the language.
[[nodiscard]] std::optional<Query> compile_query(const TSLanguage* language, std::string_view text,
                                                 std::string& problem);

}  // namespace helve::code

// Grammars by language, each with its queries ready to run.
#pragma once

#include <tree_sitter/api.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/symbol.h"

namespace helve::code {

// What a capture of a query stands for.
enum class Role : std::uint8_t {
  kDefinition,
  kName,
  kDeclarator,
  kContainer,
  kBases,
  kBase,       // an embedded type: a base of what it lies in
  kScope,      // variables in it are local
  kEntry,      // a function in an object; one that lies in a function is local
  kAttribute,  // a field that a method gives to its object
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

// Compiled; const from all threads.
struct Query {
  struct Delete {
    void operator()(TSQuery* query) const { ts_query_delete(query); }
  };
  std::unique_ptr<TSQuery, Delete> compiled;
  std::vector<Capture> captures = {};                   // by id
  std::vector<std::vector<Predicate>> predicates = {};  // by pattern
};

// Lives as long as the program; may be used from all threads.
class Grammar {
 public:
  // For a language as workspace/language.h names it; null when there is none.
  [[nodiscard]] static const Grammar* find(std::string_view language);
  // The languages that there are grammars for.
  [[nodiscard]] static std::vector<std::string_view> languages();

  [[nodiscard]] const TSLanguage* language() const { return language_; }
  // Definitions alone, or with imports, decorators and branches. Compiled when first asked for.
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
// Nothing when the query does not fit the language; `problem` then says where.
[[nodiscard]] std::optional<Query> compile_query(const TSLanguage* language, std::string_view text,
                                                 std::string& problem);

}  // namespace helve::code

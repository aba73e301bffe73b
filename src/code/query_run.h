// Runs a query over a tree and sorts what it captured by what it stands for.
#pragma once

#include <string_view>
#include <vector>

#include "code/grammar.h"
#include "code/syntax.h"

namespace helve::code {

// A definition as a query found it, before names and nesting are worked out. Nodes may be null.
struct FoundDefinition {
  SymbolKind kind = SymbolKind::kVariable;
  bool is_entry = false;
  bool is_attribute = false;
  bool is_other_branch = false;  // of a condition, so that what is around it may not be
  TSNode node = {};
  TSNode name = {};
  TSNode declarator = {};
  TSNode container = {};
  std::vector<TSNode> bases = {};
};

struct ByteRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct Findings {
  std::vector<FoundDefinition> definitions = {};
  std::vector<ByteRange> scopes = {};
  std::vector<ByteRange> imports = {};
  std::vector<ByteRange> decorators = {};
  std::vector<ByteRange> embedded = {};      // embedded types
  std::vector<std::uint32_t> branches = {};  // where they begin
  bool incomplete = false;
};

[[nodiscard]] Findings run_query(const Query& query, const TSTree* tree, std::string_view text,
                                 const ParseLimits& limits);

}  // namespace helve::code

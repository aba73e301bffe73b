#include "code/nesting.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::code {
namespace {

// The declared name of a C or C++ declaration, which may surround its name.
struct DeclaredName {
  TSNode name = {};                // null if there is none
  TSNode function = {};            // the function_declarator around it, if it declares a function
  std::string_view scope = {};     // Foo in Foo::bar
  std::string_view pointers = {};  // the stars and ampersands before the name
};

// The next inner node on the way to the name; null at the end.
TSNode next_inwards(TSNode node) {
  for (const std::string_view field : {"declarator", "name"})
    if (const TSNode child = field_of(node, field); !ts_node_is_null(child)) return child;
  const std::string_view type = type_of(node);
  if (type == "parenthesized_declarator" || type == "reference_declarator" ||
      type == "attributed_declarator" || type == "init_declarator" || type == "variadic_declarator" ||
      type == "abstract_function_declarator")
    for (const TSNode child : children_of(node, 16))
      if (ts_node_is_named(child) && type_of(child) != "ms_call_modifier" && type_of(child) != "comment")
        return child;
  return {};
}

DeclaredName find_declared_name(TSNode declarator, std::string_view text) {
  DeclaredName found;
  bool in_parentheses = false;  // int (*name)(int): a variable, not a function
  TSNode node = declarator;
  std::uint32_t scope_begin = 0;
  for (int depth = 0; depth < 32 && !ts_node_is_null(node); ++depth) {
    const std::string_view type = type_of(node);
    if (type == "function_declarator") found.function = node;
    if (type == "parenthesized_declarator" && !ts_node_is_null(found.function)) in_parentheses = true;
    if (type == "pointer_declarator" || type == "reference_declarator") {
      const TSNode inner = next_inwards(node);
      if (!ts_node_is_null(inner) && found.pointers.empty())
        found.pointers =
            text.substr(ts_node_start_byte(node), ts_node_start_byte(inner) - ts_node_start_byte(node));
    }
    if (type == "qualified_identifier") {
      const TSNode name = field_of(node, "name");
      if (ts_node_is_null(name)) break;
      if (scope_begin == 0 && found.scope.empty()) scope_begin = ts_node_start_byte(node);
      found.scope = text.substr(scope_begin, ts_node_start_byte(name) - scope_begin);
      if (found.scope.ends_with("::")) found.scope.remove_suffix(2);
    }
    const TSNode inner = type == "operator_cast" || type == "destructor_name" ? TSNode{} : next_inwards(node);
    if (ts_node_is_null(inner)) {
      if (ts_node_is_named(node)) found.name = node;
      break;
    }
    node = inner;
  }
  if (in_parentheses) found.function = {};
  const std::string_view type = type_of(found.name);
  if (type.ends_with("_declarator") || type == "structured_binding_declarator") found.name = {};
  return found;
}

constexpr std::size_t kLongestName = 300;

// Whether it can contain other definitions. A declaration of two variables surrounds both but contains
// neither.
bool holds_definitions(SymbolKind kind) {
  return is_function(kind) || has_members(kind) || kind == SymbolKind::kNamespace;
}

// `Server` for `*Server[T]`, `Foo` for `Foo.prototype`; empty for `exports`, `this` and other non-types.
std::string_view container_name(std::string_view text) {
  text = text.substr(0, text.find_first_of("[<"));
  while (!text.empty() && (text.front() == '*' || text.front() == '&' || text.front() == ' '))
    text.remove_prefix(1);
  if (text.ends_with(".prototype")) text.remove_suffix(10);
  if (text == "exports" || text == "module.exports" || text == "this" || text.size() > kLongestName)
    return {};
  return trim(text);
}

std::string_view name_text(std::string_view text) {
  if (text.starts_with(':')) text.remove_prefix(1);  // a Ruby symbol
  if (text.size() > 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return trim(text);
}

// typedef struct { … } Name: the struct gets the name of the type.
SymbolKind kind_of_typedef(const FoundDefinition& found) {
  if (type_of(found.node) != "type_definition") return found.kind;
  const TSNode type = field_of(found.node, "type");
  if (!ts_node_is_null(field_of(type, "name")) || ts_node_is_null(field_of(type, "body"))) return found.kind;
  if (type_of(type) == "struct_specifier") return SymbolKind::kStruct;
  if (type_of(type) == "union_specifier") return SymbolKind::kUnion;
  return type_of(type) == "enum_specifier" ? SymbolKind::kEnum : found.kind;
}

TSNode body_of(TSNode node) {
  for (const std::string_view field : {"body", "value"})
    if (const TSNode found = field_of(node, field); !ts_node_is_null(found))
      return field == "body" ? found : field_of(found, "body");
  // exports.f = function () {}
  return field_of(field_of(node, "right"), "body");
}

// Keywords that the parser takes for function names when macros confuse it.
bool is_keyword(std::string_view word) {
  for (const std::string_view keyword :
       {"if", "else", "while", "for", "do", "switch", "case", "default", "return", "try", "catch",
        "namespace", "template", "class", "struct", "sizeof", "static_assert"})
    if (word == keyword) return true;
  return false;
}

// Determines the name; returns false if there is none.
bool name(Definition& definition, std::string_view text) {
  FoundDefinition& found = definition.found;
  Symbol& symbol = definition.symbol;
  TSNode declarator = found.declarator;
  if (ts_node_is_null(declarator) && ts_node_is_null(found.name))
    declarator = field_of(found.node, "declarator");
  if (!ts_node_is_null(declarator)) {
    const DeclaredName declared = find_declared_name(declarator, text);
    found.name = declared.name;
    definition.function = declared.function;
    definition.pointers = declared.pointers;
    symbol.container = container_name(declared.scope);
    if (!ts_node_is_null(declared.function) && type_of(found.node) != "type_definition") {
      symbol.kind = type_of(found.node) == "field_declaration" ? SymbolKind::kMethod : SymbolKind::kFunction;
      symbol.declaration = type_of(found.node) != "function_definition";
    }
  }
  if (ts_node_is_null(found.name)) found.name = field_of(found.node, "name");
  if (ts_node_is_null(found.name) || ts_node_is_missing(found.name)) return false;
  std::string_view word = text_of(text, found.name);
  if (type_of(found.name) == "operator_cast") {  // operator bool() const
    word = word.substr(0, word.find('('));
    symbol.kind = SymbolKind::kMethod;
    symbol.declaration = type_of(found.node) != "function_definition";
  }
  if (symbol.kind == SymbolKind::kImpl || symbol.kind == SymbolKind::kStruct ||
      symbol.kind == SymbolKind::kClass)
    word = word.substr(0, word.find('<'));  // a specialisation
  word = name_text(word);
  if (word.empty() || word.size() > kLongestName || word.find('\n') != std::string_view::npos) return false;
  if (!ts_node_is_null(definition.function) && is_keyword(word)) return false;
  // class Outer::Inner
  if (const std::size_t colons = word.rfind("::");
      colons != std::string_view::npos && has_members(symbol.kind) && symbol.kind != SymbolKind::kImpl) {
    symbol.container = word.substr(0, colons);
    word.remove_prefix(colons + 2);
    if (word.empty()) return false;
  }
  symbol.name = word;
  if (!ts_node_is_null(found.container)) symbol.container = container_name(text_of(text, found.container));
  return true;
}

std::uint32_t first_break(std::string_view text, std::uint32_t from, std::uint32_t end) {
  const std::size_t place = text.substr(0, end).find('\n', from);
  return place == std::string_view::npos ? end : static_cast<std::uint32_t>(place);
}

// Where the definition's head begins: at the start of the line if only words such as `export` precede it.
std::uint32_t head_begin(std::string_view text, std::uint32_t begin) {
  std::uint32_t start = begin;
  while (start > 0 && text[start - 1] != '\n' && begin - start < 200) --start;
  while (start < begin && (text[start] == ' ' || text[start] == '\t')) ++start;
  const std::string_view before = text.substr(start, begin - start);
  const bool plain = before.find_first_of(";{}()=#\"'/*@") == std::string_view::npos;
  return plain ? start : begin;
}

bool is_decorator(TSNode node) {
  const std::string_view type = type_of(node);
  return type == "decorator" || type == "attribute_list" || type == "attribute_declaration" ||
         type == "annotation" || type == "marker_annotation";
}

// The start of the definition after its decorators and annotations.
std::uint32_t without_decorators(TSNode node, std::string_view text) {
  std::uint32_t begin = ts_node_start_byte(node);
  std::vector<TSNode> parts = children_of(node, 8);
  if (!parts.empty() && type_of(parts.front()) == "modifiers") parts = children_of(parts.front(), 8);
  for (const TSNode part : parts) {
    if (!is_decorator(part)) break;
    begin = ts_node_end_byte(part);
  }
  while (begin < ts_node_end_byte(node) &&
         (text[begin] == ' ' || text[begin] == '\n' || text[begin] == '\t' || text[begin] == '\r'))
    ++begin;
  return begin;
}

void find_head(Definition& definition, std::string_view text) {
  const FoundDefinition& found = definition.found;
  Symbol& symbol = definition.symbol;
  const std::uint32_t begin = without_decorators(found.node, text);
  symbol.signature_begin = begin == definition.begin ? head_begin(text, begin) : begin;
  if (symbol.kind != SymbolKind::kType && type_of(found.node) == "type_definition") {
    symbol.signature_begin = definition.name_begin;
    symbol.signature_end = ts_node_end_byte(found.name);
    return;
  }
  symbol.signature_end = definition.end;
  if (is_function(symbol.kind) || has_members(symbol.kind) || symbol.kind == SymbolKind::kNamespace ||
      symbol.kind == SymbolKind::kMacro) {
    definition.body = body_of(found.node);
    std::uint32_t heard = ts_node_end_byte(found.name);
    for (const std::string_view field : {"parameters", "return_type", "result", "superclass"})
      if (const TSNode part = field_of(found.node, field); !ts_node_is_null(part))
        heard = std::max(heard, ts_node_end_byte(part));
    if (!ts_node_is_null(definition.function)) heard = std::max(heard, ts_node_end_byte(definition.function));
    const std::uint32_t body = ts_node_is_null(definition.body) ? 0 : ts_node_start_byte(definition.body);
    if (symbol.kind == SymbolKind::kMacro)
      symbol.signature_end = heard;
    else if (body > symbol.signature_begin && body >= heard)
      symbol.signature_end = body;
    else if (has_members(symbol.kind) && symbol.kind != SymbolKind::kType)
      symbol.signature_end =
          std::min(first_break(text, heard, definition.end),
                   static_cast<std::uint32_t>(std::min<std::size_t>(text.find('{', heard), definition.end)));
    else
      symbol.signature_end = first_break(text, heard, definition.end);
    return;
  }
  symbol.signature_end = first_break(text, ts_node_end_byte(found.name), definition.end);
}

std::uint32_t last_line(std::string_view text, TSNode node) {
  const TSPoint start = ts_node_start_point(node);
  const TSPoint end = ts_node_end_point(node);
  const std::uint32_t byte = ts_node_end_byte(node);
  const bool at_break = end.row > start.row && byte > 0 && text[byte - 1] == '\n';
  return end.row + (at_break ? 0 : 1);
}

void place(Definition& definition, std::string_view text) {
  const FoundDefinition& found = definition.found;
  Symbol& symbol = definition.symbol;
  definition.begin = ts_node_start_byte(found.node);
  definition.end = ts_node_end_byte(found.node);
  definition.name_begin = ts_node_start_byte(found.name);
  symbol.line = ts_node_start_point(found.node).row + 1;
  symbol.end_line = last_line(text, found.node);
  const TSPoint point = ts_node_start_point(found.name);
  symbol.name_line = point.row + 1;
  const std::string_view before =
      text.substr(definition.name_begin - point.column, std::min<std::uint32_t>(point.column, 10'000));
  symbol.column = static_cast<std::uint32_t>(std::ranges::count_if(
                      before, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; })) +
                  1;
  find_head(definition, text);
  const std::string_view type = type_of(found.node);
  if (is_function(symbol.kind) && ts_node_is_null(definition.body) &&
      (type.find("signature") != std::string_view::npos || type == "method_elem" ||
       (definition.end > 0 && text[definition.end - 1] == ';' && type.ends_with("_declaration"))))
    symbol.declaration = true;
}

// Two patterns may find the same name; the more specific one is kept.
std::vector<Definition> without_doubles(std::vector<Definition> definitions) {
  std::unordered_map<std::uint32_t, std::size_t> by_name;
  std::vector<Definition> kept;
  for (Definition& definition : definitions) {
    const auto [place, is_new] = by_name.try_emplace(definition.name_begin, kept.size());
    if (is_new) {
      kept.push_back(std::move(definition));
      continue;
    }
    Definition& other = kept[place->second];
    const bool better = definition.symbol.kind < other.symbol.kind ||
                        (definition.symbol.kind == other.symbol.kind &&
                         definition.found.bases.size() > other.found.bases.size());
    if (better) std::swap(other, definition);
    if (other.symbol.kind == definition.symbol.kind && other.found.bases.empty())
      other.found.bases = std::move(definition.found.bases);
  }
  return kept;
}

// One open region of the text while going through it.
struct Region {
  std::uint32_t end = 0;
  std::uint32_t index = kNoParent;  // of the definition; kNoParent for a plain scope
  bool is_local = false;            // variables in it are local
};

// Adjusts a definition to its context; returns false if it must be dropped.
bool settle(Definition& definition, const std::vector<Definition>& kept, const std::vector<Region>& open) {
  Symbol& symbol = definition.symbol;
  bool local = !open.empty() && open.back().is_local;
  std::uint32_t parent = kNoParent;
  for (auto region = open.rbegin(); region != open.rend() && parent == kNoParent; ++region)
    parent = region->index;
  if (definition.found.is_other_branch && group_of(symbol.kind) != SymbolGroup::kVariables) {
    // A function that begins in the first branch also spans the other one.
    while (parent != kNoParent && is_function(kept[parent].symbol.kind)) parent = kept[parent].symbol.parent;
    local = false;
  }
  if (definition.found.is_attribute) {
    // The attribute belongs to the class around the method.
    while (parent != kNoParent && !has_members(kept[parent].symbol.kind)) parent = kept[parent].symbol.parent;
    if (parent == kNoParent) return false;
    symbol.parent = parent;
    return true;
  }
  switch (symbol.kind) {
    case SymbolKind::kVariable:
    case SymbolKind::kConstant:
    case SymbolKind::kField:
      if (local) return false;
      break;
    default:
      if (local && symbol.declaration) return false;
      // In an unnamed function it may be the module's only export.
      if (local && definition.found.is_entry && parent != kNoParent) return false;
      // C and C++ have no nested functions, so this is a macro call.
      if (local && !ts_node_is_null(definition.function)) return false;
  }
  // typedef struct node { … } node_t: neither contains the other.
  if (parent != kNoParent && kept[parent].symbol.kind == SymbolKind::kType &&
      group_of(symbol.kind) == SymbolGroup::kClasses)
    parent = kept[parent].symbol.parent;
  const bool in_class = parent != kNoParent && has_members(kept[parent].symbol.kind) && !local;
  if (in_class && symbol.kind == SymbolKind::kVariable) symbol.kind = SymbolKind::kField;
  if (in_class && symbol.kind == SymbolKind::kFunction) symbol.kind = SymbolKind::kMethod;
  if (!in_class && symbol.kind == SymbolKind::kMethod && symbol.container.empty())
    symbol.kind = SymbolKind::kFunction;
  if (symbol.kind == SymbolKind::kFunction && !symbol.container.empty()) symbol.kind = SymbolKind::kMethod;
  symbol.parent = parent;
  return true;
}

}  // namespace

std::vector<Definition> nest_definitions(const Findings& findings, std::string_view text) {
  std::vector<Definition> named;
  for (const FoundDefinition& found : findings.definitions) {
    Definition definition{.found = found};
    definition.symbol.kind = kind_of_typedef(found);
    if (!name(definition, text)) continue;
    place(definition, text);
    named.push_back(std::move(definition));
  }
  std::ranges::stable_sort(named, {}, [](const Definition& d) { return std::pair(d.begin, ~d.end); });
  named = without_doubles(std::move(named));
  std::ranges::stable_sort(named, {},
                           [](const Definition& d) { return std::tuple(d.begin, ~d.end, d.name_begin); });
  std::vector<ByteRange> scopes = findings.scopes;
  std::ranges::stable_sort(scopes, {},
                           [](const ByteRange& scope) { return std::pair(scope.begin, ~scope.end); });

  std::vector<Definition> kept;
  std::vector<Region> open;
  std::unordered_set<std::string> attributes;  // by class and name
  std::size_t next_scope = 0;
  const auto close_until = [&](std::uint32_t begin) {
    while (!open.empty() && open.back().end <= begin) open.pop_back();
  };
  for (Definition& definition : named) {
    for (; next_scope < scopes.size() &&
           (scopes[next_scope].begin < definition.begin ||
            (scopes[next_scope].begin == definition.begin && scopes[next_scope].end > definition.end));
         ++next_scope) {
      close_until(scopes[next_scope].begin);
      open.push_back({.end = scopes[next_scope].end, .is_local = true});
    }
    close_until(definition.begin);
    if (!settle(definition, kept, open)) continue;
    const Symbol& symbol = definition.symbol;
    // Attributes and variables, such as in shell scripts, are listed once even if they are set several times.
    if (definition.found.is_attribute || symbol.kind == SymbolKind::kVariable ||
        symbol.kind == SymbolKind::kField)
      if (!attributes.insert(concat(symbol.parent, ".", symbol.name)).second) continue;
    const auto index = static_cast<std::uint32_t>(kept.size());
    if (holds_definitions(symbol.kind) && !definition.found.is_attribute)
      open.push_back({.end = definition.end, .index = index, .is_local = is_function(symbol.kind)});
    kept.push_back(std::move(definition));
  }
  return kept;
}

}  // namespace helve::code

#include "code/details.h"

#include <algorithm>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::code {
namespace {

constexpr std::size_t kMostImports = 500;

// The node with the parameters: the definition itself or the function that is its value.
TSNode function_node(const Definition& definition) {
  if (!ts_node_is_null(definition.function)) return definition.function;
  for (const std::string_view field : {"value", "right"}) {
    const TSNode value = field_of(definition.found.node, field);
    if (!ts_node_is_null(value) && !ts_node_is_null(field_of(value, "body"))) return value;
  }
  return definition.found.node;
}

std::vector<std::string> parameters_of(const Definition& definition, std::string_view text) {
  std::vector<std::string> parameters;
  const TSNode function = function_node(definition);
  const TSNode list = field_of(function, "parameters");
  if (ts_node_is_null(list)) {
    const TSNode only = field_of(function, "parameter");  // x => x
    if (!ts_node_is_null(only)) parameters.push_back(on_one_line(text_of(text, only)));
    return parameters;
  }
  // Split at commas, because not every grammar has a node for each parameter.
  std::uint32_t begin = 0;
  const auto finish = [&](std::uint32_t end) {
    if (begin != 0 && end > begin) parameters.push_back(on_one_line(text.substr(begin, end - begin)));
    begin = 0;
  };
  const std::vector<TSNode> children = children_of(list);
  for (const TSNode child : children) {
    const std::string_view type = type_of(child);
    if (type.ends_with("comment") || type.starts_with("attribute_")) continue;
    if (type == "," || type == ")" || type == ";")
      finish(ts_node_start_byte(child));
    else if (type != "(" && begin == 0)
      begin = ts_node_start_byte(child);
  }
  if (!children.empty()) finish(ts_node_end_byte(children.back()));
  if (parameters == std::vector<std::string>{"void"}) parameters.clear();
  return parameters;
}

std::string return_type_of(const Definition& definition, std::string_view text) {
  const TSNode node = definition.found.node;
  const TSNode function = function_node(definition);
  if (!ts_node_is_null(definition.function)) {
    for (const TSNode child : children_of(function, 32))
      if (type_of(child) == "trailing_return_type") return on_one_line(trim(text_of(text, child).substr(2)));
    const TSNode type = field_of(node, "type");
    if (ts_node_is_null(type)) return {};  // a constructor
    return on_one_line(concat(text_of(text, type), definition.pointers));
  }
  for (const std::string_view field : {"return_type", "result", "returns", "type"}) {
    const TSNode type = field_of(function, field);
    if (ts_node_is_null(type)) continue;
    std::string_view words = text_of(text, type);
    for (const std::string_view mark : {":", "->"})
      if (words.starts_with(mark)) words.remove_prefix(mark.size());
    return on_one_line(words);
  }
  return {};
}

bool is_async(const Definition& definition, std::string_view text) {
  const std::uint32_t head = definition.symbol.signature_begin;
  const std::string_view line = text.substr(head, definition.symbol.signature_end - head);
  for (std::size_t at = line.find("async"); at != std::string_view::npos; at = line.find("async", at + 1)) {
    const auto is_word = [&](std::size_t i) {
      return i < line.size() && (is_word_character(line[i]) || line[i] == '$');
    };
    // Only `async` before the parameter list counts.
    const std::size_t open = line.find('(');
    if ((at == 0 || !is_word(at - 1)) && !is_word(at + 5) && (open == std::string_view::npos || at < open))
      return true;
  }
  return false;
}

// The parts of `(Base, metaclass=Meta)`, `: public A, B<C, D>`, `extends A implements B, C`.
std::vector<std::string> split_bases(std::string_view words) {
  words = trim(words);
  if (words.starts_with('(') && words.ends_with(')')) words = words.substr(1, words.size() - 2);
  if (words.starts_with(':') && !words.starts_with("::")) words.remove_prefix(1);
  std::vector<std::string> bases;
  int depth = 0;
  std::size_t start = 0;
  const auto take = [&](std::size_t end) {
    std::string_view base = trim(words.substr(start, end - start));
    for (bool more = true; more;) {
      more = false;
      for (const std::string_view keyword :
           {"extends ", "implements ", "public ", "private ", "protected ", "virtual "})
        if (base.starts_with(keyword)) {
          base = trim(base.substr(keyword.size()));
          more = true;
        }
    }
    // extends A implements B
    for (std::size_t at = base.find(" implements "); at != std::string_view::npos;
         at = std::string_view::npos) {
      bases.push_back(on_one_line(base.substr(0, at)));
      base = trim(base.substr(at + 12));
    }
    if (!base.empty()) bases.push_back(on_one_line(base));
    start = end + 1;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char c = words[i];
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if ((c == ')' || c == ']' || c == '}' || c == '>') && depth > 0 &&
        !(c == '>' && i > 0 && words[i - 1] == '-'))
      --depth;
    if ((c == ',' || c == '+') && depth == 0) take(i);
  }
  take(words.size());
  return bases;
}

std::string doc_of(const Definition& definition, std::string_view text, std::string_view language,
                   CommentStyle style) {
  if (language != "python") {
    // A comment above a line belongs to the first definition on it.
    const std::uint32_t begin = std::min(definition.symbol.signature_begin, definition.begin);
    const std::size_t line = text.substr(0, begin).rfind('\n') + 1;
    return trim(text.substr(line, begin - line)).empty() ? comment_before(text, begin, style) : std::string();
  }
  const TSNode body = definition.body;
  if (ts_node_is_null(body)) return {};
  TSNode first = ts_node_named_child(body, 0);
  if (type_of(first) == "expression_statement") first = ts_node_named_child(first, 0);
  return type_of(first) == "string" ? docstring_text(text_of(text, first)) : std::string();
}

// A decorator belongs to the definition whose head contains it, or to the next definition.
void add_decorators(std::vector<Definition>& definitions, const Findings& findings, std::string_view text) {
  std::vector<std::size_t> by_name(definitions.size());
  for (std::size_t i = 0; i < by_name.size(); ++i) by_name[i] = i;
  std::ranges::stable_sort(by_name, {}, [&](std::size_t i) { return definitions[i].name_begin; });
  for (const ByteRange& decorator : findings.decorators) {
    const auto next = std::ranges::lower_bound(by_name, decorator.end, {},
                                               [&](std::size_t i) { return definitions[i].name_begin; });
    if (next == by_name.end()) continue;
    Definition& definition = definitions[*next];
    // Before the head, only other decorators and white space may be in between.
    if (definition.begin > decorator.begin) {
      const std::string_view between =
          text.substr(decorator.end, definition.begin - std::min(definition.begin, decorator.end));
      if (between.size() > 2000 || between.find_first_of(";{}") != std::string_view::npos) continue;
    }
    if (definition.symbol.decorators.size() < 32)
      definition.symbol.decorators.push_back(
          on_one_line(text.substr(decorator.begin, decorator.end - decorator.begin)));
  }
}

// Branches count for the innermost function around them.
void add_complexity(std::vector<Definition>& definitions, const Findings& findings, FileAnalysis& analysis) {
  std::vector<std::uint32_t> branches = findings.branches;
  std::ranges::sort(branches);
  std::vector<std::size_t> open;
  std::size_t next = 0;
  for (Definition& definition : definitions)
    if (is_function(definition.symbol.kind) && !definition.symbol.declaration) {
      definition.symbol.complexity = 1;
      ++analysis.complexity;
    }
  analysis.complexity += static_cast<std::uint32_t>(branches.size());
  for (const std::uint32_t branch : branches) {
    for (; next < definitions.size() && definitions[next].begin <= branch; ++next) {
      while (!open.empty() && definitions[open.back()].end <= definitions[next].begin) open.pop_back();
      if (definitions[next].symbol.complexity > 0) open.push_back(next);
    }
    while (!open.empty() && definitions[open.back()].end <= branch) open.pop_back();
    if (!open.empty()) ++definitions[open.back()].symbol.complexity;
  }
  if (analysis.complexity == 0 && !analysis.symbols.empty()) analysis.complexity = 1;
}

std::string import_text(std::string_view words) {
  std::string line = on_one_line(words);
  if (line.starts_with("#include")) line = std::string(trim(std::string_view(line).substr(8)));
  while (line.ends_with(';') || line.ends_with(' ')) line.pop_back();
  return line;
}

}  // namespace

void add_details(std::vector<Definition>& definitions, const Findings& findings, std::string_view text,
                 std::string_view language, FileAnalysis& analysis) {
  const CommentStyle style = language == "python" || language == "ruby" || language == "shellscript"
                                 ? CommentStyle::kHash
                                 : CommentStyle::kSlashes;
  for (Definition& definition : definitions) {
    Symbol& symbol = definition.symbol;
    symbol.doc = doc_of(definition, text, language, style);
    for (const TSNode bases : definition.found.bases)
      for (std::string& base : split_bases(text_of(text, bases))) symbol.bases.push_back(std::move(base));
    if (symbol.kind == SymbolKind::kMacro) symbol.parameters = parameters_of(definition, text);
    if (!is_function(symbol.kind)) continue;
    symbol.parameters = parameters_of(definition, text);
    symbol.return_type = return_type_of(definition, text);
    symbol.is_async = is_async(definition, text);
  }
  for (const ByteRange& embedded : findings.embedded) {
    // Find the innermost enclosing definition, starting from the last one that begins before it.
    auto after = std::ranges::upper_bound(definitions, embedded.begin, {}, &Definition::begin);
    while (after != definitions.begin()) {
      Definition& around = *--after;
      if (around.end < embedded.end || !has_members(around.symbol.kind)) continue;
      around.symbol.bases.push_back(on_one_line(text.substr(embedded.begin, embedded.end - embedded.begin)));
      break;
    }
  }
  add_decorators(definitions, findings, text);
  add_complexity(definitions, findings, analysis);
  for (const ByteRange& import : findings.imports) {
    if (analysis.imports.size() == kMostImports) break;
    analysis.imports.push_back(import_text(text.substr(import.begin, import.end - import.begin)));
  }
  if (language != "python") analysis.doc = comment_at_start(text, style);
}

namespace {

constexpr std::size_t kMostLines = 60;
constexpr std::size_t kLongestDoc = 2000;

// The comment line without its comment markers.
std::string_view without_marks(std::string_view line, CommentStyle style) {
  line = trim(line);
  if (style == CommentStyle::kHash) {
    while (line.starts_with('#')) line.remove_prefix(1);
    return trim(line);
  }
  for (const std::string_view mark : {"/**<", "/**", "/*!", "/*", "///<", "///", "//!<", "//!", "//"})
    if (line.starts_with(mark)) {
      line.remove_prefix(mark.size());
      break;
    }
  if (line.ends_with("*/")) line.remove_suffix(2);
  line = trim(line);
  while (line.starts_with('*')) line.remove_prefix(1);
  line = trim(line);
  if (line.starts_with("<summary>")) line.remove_prefix(9);
  if (line.ends_with("</summary>")) line.remove_suffix(10);
  return trim(line);
}

std::string joined(const std::vector<std::string_view>& lines, CommentStyle style) {
  std::string doc;
  for (const std::string_view line : lines) {
    const std::string_view words = without_marks(line, style);
    // Ruler lines of dashes, stars and the like are dropped.
    const bool ruler = words.size() > 3 && words.find_first_not_of("-=*#/~_+ ") == std::string_view::npos;
    if (!ruler) doc += concat(words, "\n");
    if (doc.size() > kLongestDoc) break;
  }
  return shortened(trim(doc), kLongestDoc);
}

bool is_attribute(std::string_view line, CommentStyle style) {
  if (style == CommentStyle::kHash) return line.starts_with('@');
  return line.starts_with("#[") || line.starts_with('@') || (line.starts_with('[') && line.ends_with(']')) ||
         (line.starts_with("template") && line.ends_with('>'));
}

}  // namespace

std::string comment_before(std::string_view text, std::uint32_t begin, CommentStyle style) {
  std::size_t end = text.substr(0, begin).rfind('\n');
  std::vector<std::string_view> lines;
  bool in_block = false;
  while (end != std::string_view::npos && lines.size() < kMostLines) {
    const std::size_t before = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = trim(text.substr(start, end - start));
    if (style == CommentStyle::kSlashes && !in_block && line.ends_with("*/")) {
      const std::size_t open = line.find("/*");
      if (open != 0 && open != std::string_view::npos) break;  // after code
      in_block = open == std::string_view::npos;
      lines.push_back(line);
    } else if (in_block) {
      lines.push_back(line);
      if (line.starts_with("/*")) in_block = false;
      if (line.find("/*") != std::string_view::npos && in_block) return {};
    } else if (line.starts_with(style == CommentStyle::kHash ? "#" : "//") && !line.starts_with("#!")) {
      lines.push_back(line);
    } else if (!lines.empty() || !is_attribute(line, style)) {
      break;
    }
    end = before;
  }
  if (in_block) return {};
  std::ranges::reverse(lines);
  return joined(lines, style);
}

std::string comment_at_start(std::string_view text, CommentStyle style) {
  std::vector<std::string_view> lines;
  bool in_block = false;
  for (const std::string_view raw : split(text.substr(0, 8192), '\n')) {
    const std::string_view line = trim(raw);
    if (line.empty() && lines.empty()) continue;
    if (lines.empty() && (line.starts_with("#!") || line.starts_with("<?php"))) continue;
    const bool opens = style == CommentStyle::kSlashes && line.starts_with("/*");
    if (in_block || opens) {
      lines.push_back(line);
      in_block = line.find("*/") == std::string_view::npos;
      continue;
    }
    if (!line.starts_with(style == CommentStyle::kHash ? "#" : "//")) break;
    lines.push_back(line);
    if (lines.size() > kMostLines) break;
  }
  std::string doc = joined(lines, style);
  const std::string lower = to_lower(doc.substr(0, 600));
  for (const std::string_view word : {"copyright", "licen", "spdx", "eslint", "-*-"})
    if (lower.find(word) != std::string::npos) return {};
  return doc;
}

std::string docstring_text(std::string_view literal) {
  const std::size_t open = literal.find_first_of("\"'");
  if (open == std::string_view::npos) return {};
  literal.remove_prefix(open);
  const char quote = literal.front();
  const std::size_t marks = literal.starts_with(std::string(3, quote)) ? 3 : 1;
  if (literal.size() < 2 * marks) return {};
  literal = literal.substr(marks, literal.size() - 2 * marks);
  std::string doc;
  for (const std::string_view line : split(literal, '\n')) {
    doc += concat(trim(line), "\n");
    if (doc.size() > kLongestDoc) break;
  }
  return shortened(trim(doc), kLongestDoc);
}

}  // namespace helve::code

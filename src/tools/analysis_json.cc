#include "tools/analysis_json.h"

#include <map>
#include <optional>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::tools {
namespace {

using code::FileAnalysis;
using code::has_members;
using code::is_function;
using code::kNoParent;
using code::signature_of;
using code::Symbol;
using code::SymbolKind;

bool is_callable(SymbolKind kind) { return is_function(kind) || kind == SymbolKind::kMacro; }
bool is_class(SymbolKind kind) { return has_members(kind) && kind != SymbolKind::kType; }

// An ellipsis marks the omitted parts of a docstring.
std::string shown_doc(std::string_view doc, Verbosity wordiness) {
  const std::string valid = to_valid_utf8(doc);
  if (wordiness == Verbosity::kWhole) return shortened(valid, 600);
  const std::string_view first = trim(std::string_view(valid).substr(0, valid.find('\n')));
  return concat(shortened(first, 120), first.size() < trim(valid).size() && first.size() <= 120 ? " …" : "");
}

// The parts that are omitted because the answer would be too long.
std::string left_out_by(Verbosity wordiness) {
  switch (wordiness) {
    case Verbosity::kWhole: return {};
    case Verbosity::kShortDocs: return "docstrings after their first line";
    case Verbosity::kNoDocs: return "docstrings, text of globals";
    case Verbosity::kBare: return "docstrings, decorators, text of globals and fields";
  }
  return {};
}

class Builder {
 public:
  Builder(const code::FileAnalysis& analysis, std::string_view source, Verbosity wordiness)
      : symbols_(analysis.symbols), source_(source), wordiness_(wordiness), members_(symbols_.size()) {
    // Members of an impl block are listed with the type if it is in this file.
    std::map<std::string_view, std::uint32_t> types;
    for (std::uint32_t i = 0; i < symbols_.size(); ++i)
      if (is_class(symbols_[i].kind) && symbols_[i].kind != SymbolKind::kImpl)
        types.try_emplace(symbols_[i].name, i);
    home_.resize(symbols_.size(), kNoParent);
    for (std::uint32_t i = 0; i < symbols_.size(); ++i) {
      const Symbol& symbol = symbols_[i];
      std::uint32_t parent = symbol.parent;
      std::string_view outside = symbol.kind == SymbolKind::kImpl ? symbol.name : symbol.container;
      if (const std::size_t colon = outside.rfind(':'); colon != std::string_view::npos)
        outside.remove_prefix(colon + 1);
      const auto type = outside.empty() ? types.end() : types.find(outside);
      if (type != types.end() && type->second != i) parent = type->second;
      if (symbol.kind == SymbolKind::kImpl && type != types.end()) {
        home_[i] = type->second;  // its members belong to the type
        for (const std::string& base : symbol.bases) added_bases_[type->second].push_back(base);
        continue;
      }
      if (parent != kNoParent && home_[parent] != kNoParent) parent = home_[parent];
      // Namespaces are not a nesting level; `in` names them.
      while (parent != kNoParent && symbols_[parent].kind == SymbolKind::kNamespace)
        parent = symbols_[parent].parent;
      if (symbol.kind == SymbolKind::kNamespace) continue;
      if (parent == kNoParent)
        top_.push_back(i);
      else
        members_[parent].push_back(i);
    }
    // A namespace around everything is reported once.
    if (!top_.empty()) common_place_ = namespace_of(symbols_[top_.front()]);
    for (const std::uint32_t i : top_)
      if (namespace_of(symbols_[i]) != common_place_) common_place_.clear();
  }

  void write(Json& out) const {
    Lists lists;
    for (const std::uint32_t i : top_) sort_in(i, lists, true);
    if (!common_place_.empty()) out["namespace"] = common_place_;
    out["functions"] = std::move(lists.functions);
    out["classes"] = std::move(lists.classes);
    if (!lists.types.empty()) out["types"] = std::move(lists.types);
    out["globals"] = std::move(lists.variables);
  }

 private:
  struct Lists {
    JsonArray functions, classes, types, variables;
    std::vector<std::string> names;  // of enumerators
  };

  static Json lines_of(const Symbol& symbol) { return JsonArray{symbol.line, symbol.end_line}; }

  void add_texts(JsonObject& out, std::string_view key, const std::vector<std::string>& texts) const {
    if (texts.empty()) return;
    JsonArray array;
    for (const std::string& text : texts) array.emplace_back(to_valid_utf8(text));
    out.append(std::string(key), std::move(array));
  }
  void add_doc(JsonObject& out, const Symbol& symbol) const {
    if (symbol.doc.empty() || wordiness_ >= Verbosity::kNoDocs) return;
    out.append("docstring", shown_doc(symbol.doc, wordiness_));
  }
  std::string signature(const Symbol& symbol) const {
    return to_valid_utf8(signature_of(source_, symbol.signature_begin, symbol.signature_end, 100));
  }

  std::string namespace_of(const Symbol& symbol) const {
    std::string place;
    for (std::uint32_t at = symbol.parent; at != kNoParent; at = symbols_[at].parent)
      place = concat(symbols_[at].name, place.empty() ? "" : ".", place);
    return place;
  }
  // The enclosing namespaces and types that are not in this file.
  std::string place_of(const Symbol& symbol) const {
    const std::string around = common_place_.empty() ? namespace_of(symbol) : std::string();
    return concat(around, around.empty() || symbol.container.empty() ? "" : ".", symbol.container);
  }

  Json function(std::uint32_t i, bool at_top) const {
    const Symbol& symbol = symbols_[i];
    JsonObject out{{"name", symbol.name}, {"lines", lines_of(symbol)}};
    if (symbol.kind == SymbolKind::kMacro) out.append("kind", "macro");
    if (at_top)
      if (std::string place = place_of(symbol); !place.empty()) out.append("in", std::move(place));
    if (symbol.is_async) out.append("async", true);
    add_texts(out, "parameters", symbol.parameters);
    if (!symbol.return_type.empty()) out.append("returns", to_valid_utf8(symbol.return_type));
    if (wordiness_ < Verbosity::kBare) add_texts(out, "decorators", symbol.decorators);
    if (symbol.declaration) out.append("declaration", true);
    if (symbol.complexity > 0) out.append("complexity", symbol.complexity);
    add_doc(out, symbol);
    Lists inner;
    for (const std::uint32_t member : members_[i]) sort_in(member, inner, false);
    if (!inner.functions.empty()) out.append("functions", std::move(inner.functions));
    if (!inner.classes.empty()) out.append("classes", std::move(inner.classes));
    return out;
  }

  Json class_of(std::uint32_t i, bool at_top) const {
    const Symbol& symbol = symbols_[i];
    JsonObject out{{"name", symbol.name}, {"lines", lines_of(symbol)}};
    if (symbol.kind != SymbolKind::kClass) out.append("kind", to_string(symbol.kind));
    if (at_top)
      if (std::string place = place_of(symbol); !place.empty()) out.append("in", std::move(place));
    std::vector<std::string> bases = symbol.bases;
    if (const auto added = added_bases_.find(i); added != added_bases_.end())
      bases.insert(bases.end(), added->second.begin(), added->second.end());
    add_texts(out, "bases", bases);
    if (wordiness_ < Verbosity::kBare) add_texts(out, "decorators", symbol.decorators);
    add_doc(out, symbol);
    Lists inner;
    for (const std::uint32_t member : members_[i]) sort_in(member, inner, false);
    add_texts(out, "values", inner.names);
    if (!inner.variables.empty()) out.append("fields", std::move(inner.variables));
    if (!inner.functions.empty()) out.append("methods", std::move(inner.functions));
    if (!inner.classes.empty()) out.append("classes", std::move(inner.classes));
    if (!inner.types.empty()) out.append("types", std::move(inner.types));
    return out;
  }

  // Fields are quoted from the source: that is the shortest form of name, type and default.
  Json variable(const Symbol& symbol, bool at_top) const {
    if (!at_top) return wordiness_ < Verbosity::kBare ? Json(signature(symbol)) : Json(symbol.name);
    JsonObject out{{"name", symbol.name}, {"line", symbol.name_line}};
    if (wordiness_ < Verbosity::kNoDocs) out.append("text", signature(symbol));
    return out;
  }

  void sort_in(std::uint32_t i, Lists& lists, bool at_top) const {
    const Symbol& symbol = symbols_[i];
    if (is_callable(symbol.kind)) {
      lists.functions.push_back(function(i, at_top));
    } else if (is_class(symbol.kind)) {
      lists.classes.push_back(class_of(i, at_top));
    } else if (symbol.kind == SymbolKind::kEnumerator) {
      lists.names.push_back(symbol.name);
    } else if (symbol.kind == SymbolKind::kType) {
      lists.types.push_back(variable(symbol, at_top));
    } else {
      Json text = variable(symbol, at_top);
      // `int a, b` is one declaration and listed once.
      if (at_top || lists.variables.empty() || !(lists.variables.back() == text))
        lists.variables.push_back(std::move(text));
    }
  }

  const std::vector<Symbol>& symbols_;
  std::string_view source_;
  Verbosity wordiness_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<std::uint32_t> top_;
  std::string common_place_;
  std::vector<std::uint32_t> home_;  // for an impl whose type is in the file: that type
  std::map<std::uint32_t, std::vector<std::string>> added_bases_;
};

}  // namespace

Json analysis_json(const std::string& path, const code::FileAnalysis& analysis, std::string_view source,
                   Verbosity wordiness) {
  Json out = JsonObject{{"path", to_valid_utf8(path)},
                        {"language", analysis.language},
                        {"totalLines", analysis.lines},
                        {"complexity", analysis.complexity}};
  if (analysis.error_regions > 0) {
    JsonArray lines;
    for (const std::uint32_t line : analysis.error_lines) lines.emplace_back(line);
    out["notParsed"] = JsonObject{{"regions", analysis.error_regions}, {"firstLines", std::move(lines)}};
  }
  if (analysis.incomplete) out["incomplete"] = true;
  if (std::string left_out = left_out_by(wordiness); !left_out.empty()) out["leftOut"] = std::move(left_out);
  if (!analysis.doc.empty() && wordiness < Verbosity::kNoDocs)
    out["docstring"] = shown_doc(analysis.doc, wordiness);
  JsonArray imports;
  for (const std::string& import : analysis.imports) imports.emplace_back(to_valid_utf8(import));
  out["imports"] = std::move(imports);
  Builder(analysis, source, wordiness).write(out);
  return out;
}

Json analysis_json_within(const std::string& path, const code::FileAnalysis& analysis,
                          std::string_view source, std::size_t max_bytes) {
  Json out;
  for (const Verbosity wordiness :
       {Verbosity::kWhole, Verbosity::kShortDocs, Verbosity::kNoDocs, Verbosity::kBare}) {
    out = analysis_json(path, analysis, source, wordiness);
    if (to_text(out).size() < max_bytes) break;
  }
  return out;
}

}  // namespace helve::tools

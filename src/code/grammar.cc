#include "code/grammar.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/strings.h"
#include "code/grammar_table.h"

namespace helve::code {
namespace {

constexpr std::pair<std::string_view, Capture> kCaptures[] = {
    {"attribute", {Role::kAttribute, SymbolKind::kField}},
    {"base", {Role::kBase}},
    {"bases", {Role::kBases}},
    {"branch", {Role::kBranch}},
    {"class", {Role::kDefinition, SymbolKind::kClass}},
    {"constant", {Role::kDefinition, SymbolKind::kConstant}},
    {"container", {Role::kContainer}},
    {"declarator", {Role::kDeclarator}},
    {"decorator", {Role::kDecorator}},
    {"entry", {Role::kEntry, SymbolKind::kMethod}},
    {"enum", {Role::kDefinition, SymbolKind::kEnum}},
    {"enumerator", {Role::kDefinition, SymbolKind::kEnumerator}},
    {"field", {Role::kDefinition, SymbolKind::kField}},
    {"function", {Role::kDefinition, SymbolKind::kFunction}},
    {"impl", {Role::kDefinition, SymbolKind::kImpl}},
    {"import", {Role::kImport}},
    {"interface", {Role::kDefinition, SymbolKind::kInterface}},
    {"macro", {Role::kDefinition, SymbolKind::kMacro}},
    {"method", {Role::kDefinition, SymbolKind::kMethod}},
    {"name", {Role::kName}},
    {"namespace", {Role::kDefinition, SymbolKind::kNamespace}},
    {"scope", {Role::kScope}},
    {"struct", {Role::kDefinition, SymbolKind::kStruct}},
    {"trait", {Role::kDefinition, SymbolKind::kTrait}},
    {"type", {Role::kDefinition, SymbolKind::kType}},
    {"union", {Role::kDefinition, SymbolKind::kUnion}},
    {"variable", {Role::kDefinition, SymbolKind::kVariable}},
};

// Returns false for an unknown capture name, most likely a typo in a query file.
bool read_capture(std::string_view name, Capture& capture) {
  if (name.starts_with('_')) return true;
  const auto* found = std::ranges::find(kCaptures, name, &std::pair<std::string_view, Capture>::first);
  if (found == std::end(kCaptures)) return false;
  capture = found->second;
  return true;
}

std::vector<Predicate> predicates_of(const TSQuery* query, std::uint32_t pattern) {
  std::vector<Predicate> predicates;
  std::uint32_t count = 0;
  const TSQueryPredicateStep* steps = ts_query_predicates_for_pattern(query, pattern, &count);
  const auto text_of = [&](const TSQueryPredicateStep& step) {
    std::uint32_t length = 0;
    const char* text = ts_query_string_value_for_id(query, step.value_id, &length);
    return std::string(text, length);
  };
  // Each predicate consists of a name, a capture, strings and an end marker.
  for (std::uint32_t at = 0; at + 1 < count; ++at) {
    Predicate predicate{.capture = steps[++at].value_id};
    for (++at; at < count && steps[at].type == TSQueryPredicateStepTypeString; ++at)
      predicate.texts.push_back(text_of(steps[at]));
    predicates.push_back(std::move(predicate));
  }
  return predicates;
}

}  // namespace

std::string select_patterns(std::string_view text, Patterns patterns) {
  if (patterns == Patterns::kAll) return std::string(text);
  std::string selected;
  bool wanted = true;
  for (const std::string_view line : split(text, '\n')) {
    if (line == ";; definitions") wanted = true;
    if (line == ";; details") wanted = false;
    if (wanted) selected += concat(line, "\n");
  }
  return selected;
}

std::optional<Query> compile_query(const TSLanguage* language, std::string_view text, std::string& problem) {
  std::uint32_t offset = 0;
  TSQueryError error = TSQueryErrorNone;
  Query query;
  query.compiled.reset(
      ts_query_new(language, text.data(), static_cast<std::uint32_t>(text.size()), &offset, &error));
  if (!query.compiled) {
    problem = concat("error ", static_cast<int>(error), " at: ", text.substr(offset, 60));
    return std::nullopt;
  }
  query.captures.resize(ts_query_capture_count(query.compiled.get()));
  for (std::uint32_t id = 0; id < query.captures.size(); ++id) {
    std::uint32_t length = 0;
    const char* name = ts_query_capture_name_for_id(query.compiled.get(), id, &length);
    if (read_capture({name, length}, query.captures[id])) continue;
    problem = concat("unknown capture: @", std::string_view(name, length));
    return std::nullopt;
  }
  for (std::uint32_t pattern = 0; pattern < ts_query_pattern_count(query.compiled.get()); ++pattern)
    query.predicates.push_back(predicates_of(query.compiled.get(), pattern));
  return query;
}

// One per row of the table.
struct Grammar::Slots {
  struct Slot {
    Grammar grammar;
    std::once_flag definitions_once, everything_once;
    Query definitions, everything;
  };
  Slots() : slots(grammar_table().size()) {
    for (std::size_t row = 0; row < slots.size(); ++row) {
      slots[row].grammar.language_ = grammar_table()[row].function();
      slots[row].grammar.row_ = row;
    }
  }
  std::vector<Slot> slots;
};

Grammar::Slots& Grammar::slots() {
  static Slots slots;
  return slots;
}

const Grammar* Grammar::find(std::string_view language) {
  const auto rows = grammar_table();
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (const std::string_view id : split(rows[row].languages, ','))
      if (id == language) return &slots().slots[row].grammar;
  return nullptr;
}

std::vector<std::string_view> Grammar::languages() {
  std::vector<std::string_view> found;
  for (const GrammarRow& row : grammar_table())
    for (const std::string_view id : split(row.languages, ',')) found.push_back(id);
  return found;
}

const Query& Grammar::definitions() const {
  Slots::Slot& slot = slots().slots[row_];
  std::call_once(slot.definitions_once, [&] {
    std::string problem;
    const std::string text = select_patterns(grammar_table()[row_].query, Patterns::kDefinitions);
    // The tests check that all queries compile; a broken one finds nothing.
    if (auto query = compile_query(language_, text, problem)) slot.definitions = std::move(*query);
  });
  return slot.definitions;
}

const Query& Grammar::everything() const {
  Slots::Slot& slot = slots().slots[row_];
  std::call_once(slot.everything_once, [&] {
    std::string problem;
    const std::string text = select_patterns(grammar_table()[row_].query, Patterns::kAll);
    if (auto query = compile_query(language_, text, problem)) slot.everything = std::move(*query);
  });
  return slot.everything;
}

}  // namespace helve::code

#include "code/extract.h"

#include <utility>

#include "base/strings.h"
#include "code/details.h"
#include "code/doc_comment.h"
#include "code/grammar.h"
#include "code/macro_noise.h"
#include "code/query_run.h"
#include "code/syntax.h"
#include "workspace/language.h"

namespace helve::code {
namespace {

// A tree, and what did not fit into it.
struct Parsed {
  Tree tree;
  ErrorRegions errors;
  // Of C with one branch of each condition: the tree with all of them, and the text without the others.
  Tree all_branches = {};
  std::string one_branch = {};
};

Parsed parse_once(const Grammar& grammar, std::string_view text, const ParseLimits& limits) {
  Parsed parsed{.tree = parse(grammar.language(), text, limits), .errors = {}};
  if (parsed.tree) parsed.errors = find_errors(parsed.tree.get());
  return parsed;
}

bool is_better(const Parsed& candidate, const Parsed& than) {
  return candidate.tree && (!than.tree || std::pair(candidate.errors.bytes, candidate.errors.count) <
                                              std::pair(than.errors.bytes, than.errors.count));
}

// C and C++ before the preprocessor has run: of what can be made of it, that with the least in errors: a
// single one may be around everything.
Parsed parse_c(const Grammar& grammar, std::string_view text, const ParseLimits& limits) {
  const std::string blanked = without_macro_noise(text);
  const std::string_view first = blanked.empty() ? text : std::string_view(blanked);
  Parsed best = parse_once(grammar, first, limits);
  if (!best.tree || best.errors.count == 0) return best;
  if (std::string one_branch = with_first_branches(first); !one_branch.empty())
    if (Parsed other = parse_once(grammar, one_branch, limits); is_better(other, best)) {
      other.all_branches = std::move(best.tree);
      other.one_branch = std::move(one_branch);
      best = std::move(other);
    }
  if (!blanked.empty() && best.errors.count > 0)
    if (Parsed other = parse_once(grammar, text, limits); is_better(other, best)) best = std::move(other);
  return best;
}

// What the other branches define, as far as the tree with all of them has it.
void add_other_branches(const Query& query, const Parsed& parsed, std::string_view text,
                        const ParseLimits& limits, Findings& findings) {
  Findings others = run_query(query, parsed.all_branches.get(), text, limits);
  const auto is_dropped = [&](std::uint32_t begin) {
    return begin < text.size() && parsed.one_branch[begin] == ' ' && text[begin] != ' ';
  };
  for (FoundDefinition& definition : others.definitions)
    if (is_dropped(ts_node_start_byte(definition.node)))
      findings.definitions.push_back(std::move(definition));
  for (const ByteRange& scope : others.scopes)
    if (is_dropped(scope.begin)) findings.scopes.push_back(scope);
}

std::uint32_t count_lines(std::string_view text) {
  std::uint32_t lines = 0;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  return lines + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

std::string_view name_of(std::string_view language) {
  for (const LanguageRow& row : language_table())
    if (row.language.id == language) return row.language.name;
  return language;
}

}  // namespace

bool has_grammar(std::string_view language) { return Grammar::find(language) != nullptr; }

FileAnalysis extract(std::string_view text, std::string_view language, Depth depth,
                     const ParseLimits& limits) {
  FileAnalysis analysis;
  analysis.lines = count_lines(text);
  const Grammar* grammar = Grammar::find(language);
  if (grammar == nullptr) {
    analysis.skipped =
        language.empty() ? "its language is not known" : concat("there is no parser for ", name_of(language));
    return analysis;
  }
  analysis.language = name_of(language);
  const bool is_c = language == "c" || language == "cpp" || language == "cuda-cpp";
  const Parsed parsed = is_c ? parse_c(*grammar, text, limits) : parse_once(*grammar, text, limits);
  if (!parsed.tree) {
    analysis.skipped = "parsing it took too long";
    return analysis;
  }
  analysis.error_regions = parsed.errors.count;
  analysis.error_lines = parsed.errors.lines;
  const Query& query = depth == Depth::kDetails ? grammar->everything() : grammar->definitions();
  // The nodes of a blanked text lie where those of the text itself would.
  Findings findings = run_query(query, parsed.tree.get(), text, limits);
  if (parsed.all_branches) add_other_branches(query, parsed, text, limits, findings);
  analysis.incomplete = findings.incomplete;
  std::vector<Definition> definitions = nest_definitions(findings, text);
  if (depth == Depth::kDetails) {
    add_details(definitions, findings, text, language, analysis);
    if (language == "python") {
      TSNode first = ts_node_named_child(ts_tree_root_node(parsed.tree.get()), 0);
      if (type_of(first) == "expression_statement") first = ts_node_named_child(first, 0);
      if (type_of(first) == "string") analysis.doc = docstring_text(text_of(text, first));
    }
  }
  analysis.symbols.reserve(definitions.size());
  for (Definition& definition : definitions) analysis.symbols.push_back(std::move(definition.symbol));
  return analysis;
}

}  // namespace helve::code

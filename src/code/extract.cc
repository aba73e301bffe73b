#include "code/extract.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "code/details.h"
#include "code/grammar.h"
#include "code/macro_noise.h"
#include "code/query_run.h"
#include "text/language.h"

namespace helve::code {
namespace {

constexpr std::uint32_t kSmallError = 20;  // bytes

// A tree and its syntax errors.
struct Parsed {
  Tree tree;
  ErrorRegions errors;
  // For C: the text with only the first branch of each condition, and the tree of the last branches.
  std::string first_branches = {};
  Tree last_branches = {};
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

// A syntax error may swallow everything after it. Blanking the line where it begins recovers most of that.
// The reported errors stay those of the original text.
Parsed parse_around_errors(const Grammar& grammar, std::string_view text, const ParseLimits& limits) {
  Parsed best = parse_once(grammar, text, limits);
  const ErrorRegions errors = best.errors;
  std::string patched;
  for (int round = 0; round < 3 && best.tree && best.errors.bytes > kSmallError; ++round) {
    if (patched.empty()) patched = text;
    std::size_t begin = 0;
    for (std::uint32_t line = 1; line < best.errors.lines.front(); ++line)
      begin = patched.find('\n', begin) + 1;
    const std::size_t end = std::min(patched.find('\n', begin), patched.size());
    std::fill(patched.begin() + static_cast<std::ptrdiff_t>(begin),
              patched.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    Parsed other = parse_once(grammar, patched, limits);
    if (!other.tree || other.errors.bytes >= best.errors.bytes) break;
    best = std::move(other);
  }
  best.errors = errors;
  return best;
}

// Parses C and C++ without the preprocessor in several variants and takes the one with the fewest bytes in
// errors, because a single error may span everything.
Parsed parse_c(const Grammar& grammar, std::string_view text, const ParseLimits& limits) {
  const std::string blanked = without_macro_noise(text);
  const std::string_view first = blanked.empty() ? text : std::string_view(blanked);
  Parsed best = parse_once(grammar, first, limits);
  if (!best.tree || best.errors.count == 0) return best;
  if (std::string first_branches = with_one_branch(first, Branch::kFirst); !first_branches.empty())
    if (Parsed other = parse_once(grammar, first_branches, limits); is_better(other, best)) {
      best = std::move(other);
      best.first_branches = std::move(first_branches);
      best.last_branches = parse(grammar.language(), with_one_branch(first, Branch::kLast), limits);
    }
  if (!blanked.empty() && best.errors.count > 0)
    if (Parsed other = parse_once(grammar, text, limits); is_better(other, best)) best = std::move(other);
  return best;
}

// Adds definitions that only the last branches of conditions contain.
void add_other_branches(const Query& query, const Parsed& parsed, std::string_view text,
                        const ParseLimits& limits, Findings& findings) {
  Findings others = run_query(query, parsed.last_branches.get(), text, limits);
  const auto is_dropped = [&](std::uint32_t begin) {
    return begin < text.size() && parsed.first_branches[begin] == ' ' && text[begin] != ' ';
  };
  for (FoundDefinition& definition : others.definitions) {
    if (!is_dropped(ts_node_start_byte(definition.node))) continue;
    definition.is_other_branch = true;
    findings.definitions.push_back(std::move(definition));
  }
  for (const ByteRange& scope : others.scopes)
    if (is_dropped(scope.begin)) findings.scopes.push_back(scope);
}

std::uint32_t count_lines(std::string_view text) {
  std::uint32_t lines = 0;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  return lines + (!text.empty() && text.back() != '\n' ? 1 : 0);
}

std::string_view name_of(std::string_view language) {
  for (const text::LanguageRow& row : text::language_table())
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
  const Parsed parsed = is_c ? parse_c(*grammar, text, limits) : parse_around_errors(*grammar, text, limits);
  if (!parsed.tree) {
    analysis.skipped = kTookTooLong;
    return analysis;
  }
  analysis.error_regions = parsed.errors.count;
  analysis.error_lines = parsed.errors.lines;
  const Query& query = depth == Depth::kDetails ? grammar->everything() : grammar->definitions();
  // Blanking keeps all positions, so the nodes match the original text.
  Findings findings = run_query(query, parsed.tree.get(), text, limits);
  if (parsed.last_branches) add_other_branches(query, parsed, text, limits, findings);
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

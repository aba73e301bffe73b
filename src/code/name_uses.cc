#include "code/name_uses.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "code/query_run.h"

namespace helve::code {
namespace {

enum class Place { kCode, kProse, kOtherWord, kMacroBody };

bool is_part_of_word(char c) { return is_word_character(c) || static_cast<unsigned char>(c) >= 0x80; }

std::vector<std::size_t> find_words(std::string_view text, std::string_view name) {
  std::vector<std::size_t> found;
  if (name.empty()) return found;
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_part_of_word(name.front()) || !is_part_of_word(text[at - 1]);
    const bool ends = end == text.size() || !is_part_of_word(name.back()) || !is_part_of_word(text[end]);
    if (begins && ends) found.push_back(at);
  }
  return found;
}

// By the names that grammars give to nodes: line_comment, string_fragment, rune_literal, jsx_text.
bool is_prose(std::string_view type) {
  constexpr auto kParts = std::to_array<std::string_view>(
      {"comment", "string", "char_literal", "character", "rune", "heredoc", "nowdoc", "regex", "chars"});
  return type == "text" || type == "jsx_text" || type == "hash_bang_line" ||
         std::ranges::any_of(kParts, [&](std::string_view part) { return type.contains(part); });
}

Place place_of(TSNode root, std::string_view text, std::size_t begin, std::size_t end) {
  const TSNode node = ts_node_descendant_for_byte_range(root, static_cast<std::uint32_t>(begin),
                                                        static_cast<std::uint32_t>(end));
  const std::string_view type = type_of(node);
  if (type == "preproc_arg") return Place::kMacroBody;
  if (is_prose(type)) return Place::kProse;
  const std::size_t from = ts_node_start_byte(node);
  // `#name` of JavaScript, `@name` and `:name` of Ruby are one node with their mark.
  const bool is_name = ts_node_end_byte(node) == end &&
                       (from == begin || std::ranges::all_of(text.substr(from, begin - from), [](char c) {
                          return std::string_view("#@:").contains(c);
                        }));
  // Text that the parser does not understand may be code.
  return is_name || ts_node_is_error(node) || ts_node_child_count(node) > 0 ? Place::kCode
                                                                            : Place::kOtherWord;
}

}  // namespace

NameUses find_name_uses(std::string_view text, std::string_view language, std::string_view name,
                        const ParseLimits& limits) {
  NameUses uses;
  const std::vector<std::size_t> words = find_words(text, name);
  const Grammar* grammar = Grammar::find(language);
  const Tree tree = words.empty() || grammar == nullptr ? nullptr : parse(grammar->language(), text, limits);
  if (!tree) {
    uses.in_code = words;
    return uses;
  }
  uses.is_parsed = true;
  const TSNode root = ts_tree_root_node(tree.get());
  for (const std::size_t word : words) {
    Place place = place_of(root, text, word, word + name.size());
    if (place == Place::kMacroBody) {
      const TSNode body = ts_node_descendant_for_byte_range(root, static_cast<std::uint32_t>(word),
                                                            static_cast<std::uint32_t>(word + name.size()));
      const std::size_t from = ts_node_start_byte(body);
      // The grammar keeps it as text. A statement of its own parses alike.
      const std::string_view inner = text_of(text, body);
      const Tree inner_tree = parse(grammar->language(), inner, limits);
      place = inner_tree ? place_of(ts_tree_root_node(inner_tree.get()), inner, word - from,
                                    word - from + name.size())
                         : Place::kCode;
    }
    if (place == Place::kCode || place == Place::kMacroBody) uses.in_code.push_back(word);
    if (place == Place::kProse) uses.in_prose.push_back(word);
  }
  return uses;
}

}  // namespace helve::code

#include "regex/syntax_parser.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "regex/hir.h"
#include "regex/syntax_class.h"
#include "regex/syntax_cursor.h"
#include "regex/syntax_error.h"
#include "regex/syntax_escape.h"
#include "regex/syntax_flags.h"
#include "regex/syntax_group.h"
#include "regex/syntax_lines.h"

namespace helve::regex {
namespace {

struct Repetition {
  std::uint32_t min = 0;
  std::uint32_t max = 0;
  bool greedy = true;
};

// Parses {2,5}. Counts may have spaces around them, even without the flag x.
class CountParser {
 public:
  explicit CountParser(Cursor& cursor) : cursor_(cursor), begin_(cursor.position()) {}

  Parsed<Repetition> parse() {
    if (!cursor_.advance_over_space()) return refuse_unclosed();
    const auto min = parse_number();
    if (cursor_.at_end()) return refuse_unclosed();
    if (!min) return refuse_count();
    Repetition repetition{.min = *min, .max = *min};
    if (cursor_.at(',')) {
      if (!cursor_.advance_over_space()) return refuse_unclosed();
      repetition.max = Hir::kUnbounded;
      if (!cursor_.at('}')) {
        const auto max = parse_number();
        if (!max) return refuse_count();
        repetition.max = *max;
      }
    }
    if (!cursor_.at('}')) return refuse_unclosed();
    if (cursor_.advance_over_space() && cursor_.at('?')) {
      repetition.greedy = false;
      cursor_.advance();
    }
    if (repetition.min > repetition.max) {
      return refuse({.begin = begin_,
                     .end = cursor_.position(),
                     .what = "the minimum of the repetition exceeds its maximum.",
                     .advice = "Swap the two counts."});
    }
    return repetition;
  }

 private:
  // Nullopt if there are no digits or the number is too large.
  std::optional<std::uint32_t> parse_number() {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    while (!cursor_.at_end() && is_white_space(cursor_.current())) cursor_.advance();
    std::uint64_t number = 0;
    bool any = false;
    while (!cursor_.at_end() && is_digit(cursor_.current())) {
      number = std::min(number * 10 + (cursor_.current() - '0'), kMost + 1);
      any = true;
      cursor_.advance_over_space();
    }
    while (!cursor_.at_end() && is_white_space(cursor_.current())) cursor_.advance_over_space();
    if (!any || number > kMost) return std::nullopt;
    return static_cast<std::uint32_t>(number);
  }

  [[nodiscard]] std::unexpected<Problem> refuse_unclosed() const {
    return refuse({.begin = begin_,
                   .end = cursor_.position(),
                   .what = "the repetition that \"{\" begins is never closed.",
                   .advice = "Write a{2}, a{2,} or a{2,5}; for the brace itself write \\{.",
                   .escapable = true});
  }
  [[nodiscard]] std::unexpected<Problem> refuse_count() const {
    return refuse({.begin = begin_,
                   .end = cursor_.position(),
                   .what = "\"{\" begins a repetition, but no count follows.",
                   .advice = "Write a{2}, a{2,}, a{2,5} or a{0,5}; for the brace itself write \\{.",
                   .escapable = true});
  }

  Cursor& cursor_;
  const std::size_t begin_;
};

// Parses ?, *, + or {2,5}, each lazy if another ? follows. The cursor is at the operator.
Parsed<Repetition> parse_repetition_operator(Cursor& cursor) {
  Repetition repetition;
  switch (cursor.current()) {
    case '?': repetition = {.min = 0, .max = 1}; break;
    case '*': repetition = {.min = 0, .max = Hir::kUnbounded}; break;
    case '+': repetition = {.min = 1, .max = Hir::kUnbounded}; break;
    default: return CountParser(cursor).parse();
  }
  if (cursor.advance() && cursor.at('?')) {
    repetition.greedy = false;
    cursor.advance();
  }
  return repetition;
}

// ripgrep puts every pattern into a group, which counts as a level.
constexpr std::size_t kDeepest = kNestLimit - 1;

struct Node {
  Hir hir = {};
  std::size_t depth = 0;
  bool repeatable = true;  // false for (?i)
  std::size_t begin = 0;
};

// Parses one pattern. Recurses into groups only. One pass suffices, because flags apply from their position
// on.
class Parser {
 public:
  Parser(std::u32string_view pattern, const SyntaxOptions& options) : cursor_(pattern), lines_(options) {
    flags_ = {.ignore_case = options.ignore_case,
              .dot_matches_line_break = options.dot_matches_line_break && options.across_lines,
              .crlf = options.crlf};
  }

  Parsed<Hir> parse() {
    auto whole = parse_alternatives(0);
    if (!whole) return refuse(std::move(whole.error()));
    if (!cursor_.at_end()) {
      const std::size_t here = cursor_.position();
      return refuse({.begin = here, .end = here + 1, .what = "\")\" was never opened.", .escapable = true});
    }
    return lines_.confine(std::move(whole->hir));
  }

  Parsed<Hir> parse_as_text() {
    std::vector<Hir> characters;
    for (; !cursor_.at_end(); cursor_.advance()) {
      const std::size_t here = cursor_.position();
      auto hir = build({.code = cursor_.current(), .begin = here, .end = here + 1});
      if (!hir) return refuse(std::move(hir.error()));
      characters.push_back(std::move(*hir));
    }
    return lines_.confine(make_concat(std::move(characters)));
  }

 private:
  // Parses up to the end or to a ), and leaves the cursor there.
  Parsed<Node> parse_alternatives(std::size_t nesting) {
    const std::size_t begin = cursor_.position();
    std::vector<Hir> alternatives;
    std::size_t deepest = 0;
    while (true) {
      auto items = parse_sequence(nesting);
      if (!items) return refuse(std::move(items.error()));
      deepest = std::max(deepest, items->depth);
      alternatives.push_back(std::move(items->hir));
      if (!cursor_.at('|')) break;
      cursor_.advance();
    }
    if (alternatives.size() == 1) {
      return limited({.hir = std::move(alternatives.front()), .depth = deepest, .begin = begin});
    }
    return limited({.hir = make_alternate(std::move(alternatives)), .depth = deepest + 1, .begin = begin});
  }

  Parsed<Node> parse_sequence(std::size_t nesting) {
    const std::size_t begin = cursor_.position();
    std::vector<Node> items;
    while (true) {
      cursor_.skip_space();
      if (cursor_.at_end() || cursor_.at('|') || cursor_.at(')')) break;
      auto item = parse_item(nesting, items);
      if (!item) return refuse(std::move(item.error()));
      items.push_back(std::move(*item));
    }
    if (items.empty()) return Node{.begin = begin};
    if (items.size() == 1) return std::move(items.front());
    std::size_t deepest = 0;
    std::vector<Hir> hirs;
    hirs.reserve(items.size());
    for (Node& item : items) {
      deepest = std::max(deepest, item.depth);
      hirs.push_back(std::move(item.hir));
    }
    return limited({.hir = make_concat(std::move(hirs)), .depth = deepest + 1, .begin = begin});
  }

  // Parses the next item. A repetition removes what it repeats from the end of `items`.
  Parsed<Node> parse_item(std::size_t nesting, std::vector<Node>& items) {
    switch (cursor_.current()) {
      case '(': return parse_group(nesting);
      case '[': return parse_bracket();
      case '?':
      case '*':
      case '+':
      case '{': return parse_repetition(items);
      default: return parse_primitive();
    }
  }

  Parsed<Node> parse_group(std::size_t nesting) {
    const std::size_t begin = cursor_.position();
    if (nesting >= kDeepest) return refuse(too_deep(begin, begin + 1));
    auto opening = parse_group_opening(cursor_, flags_, names_);
    if (!opening) return refuse(std::move(opening.error()));
    const Flags outside = flags_;
    set_flags(opening->flags);
    if (opening->only_flags) return Node{.repeatable = false, .begin = begin};
    auto contents = parse_alternatives(nesting + 1);
    if (!contents) return refuse(std::move(contents.error()));
    if (cursor_.at_end()) {
      return refuse({.begin = begin, .end = begin + 1, .what = "\"(\" is never closed.", .escapable = true});
    }
    cursor_.advance();
    set_flags(outside);
    return limited({.hir = std::move(contents->hir), .depth = contents->depth + 1, .begin = begin});
  }

  Parsed<Node> parse_bracket() {
    const std::size_t begin = cursor_.position();
    auto node = parse_class(cursor_, flags_, budget_);
    if (!node) return refuse(std::move(node.error()));
    const std::size_t depth = node->depth;
    auto hir = build({.kind = Primitive::Kind::kSet,
                      .set = std::move(node->set),
                      .begin = begin,
                      .end = cursor_.position()});
    if (!hir) return refuse(std::move(hir.error()));
    return limited({.hir = std::move(*hir), .depth = depth, .begin = begin});
  }

  Parsed<Node> parse_repetition(std::vector<Node>& items) {
    const std::size_t here = cursor_.position();
    const char sign = static_cast<char>(cursor_.current());
    if (items.empty() || !items.back().repeatable) {
      return refuse({.begin = here,
                     .end = here + 1,
                     .what = concat("\"", sign, "\" has nothing to repeat."),
                     .escapable = true});
    }
    const auto repetition = parse_repetition_operator(cursor_);
    if (!repetition) return refuse(repetition.error());
    Node repeated = std::move(items.back());
    items.pop_back();
    repeated.hir = make_repeat(std::move(repeated.hir), repetition->min, repetition->max,
                               repetition->greedy != flags_.swap_greed);
    ++repeated.depth;
    return limited(std::move(repeated));
  }

  Parsed<Node> parse_primitive() {
    const std::size_t begin = cursor_.position();
    const char32_t character = cursor_.current();
    Primitive primitive{.code = character, .begin = begin, .end = begin + 1};
    if (character == '\\') {
      auto escape = parse_escape(cursor_, flags_);
      if (!escape) return refuse(std::move(escape.error()));
      primitive = std::move(*escape);
    } else {
      cursor_.advance();
      if (character == '.') {
        primitive.kind = Primitive::Kind::kSet;
        primitive.set = any_character(flags_);
      } else if (character == '^' || character == '$') {
        primitive.kind = Primitive::Kind::kLook;
        primitive.look = line_look(character == '^');
      }
    }
    auto hir = build(primitive);
    if (!hir) return refuse(std::move(hir.error()));
    return Node{.hir = std::move(*hir), .begin = begin};
  }

  [[nodiscard]] Look line_look(bool start) const {
    if (!flags_.multi_line) return start ? Look::kTextStart : Look::kTextEnd;
    if (flags_.crlf) return start ? Look::kLineStartCrlf : Look::kLineEndCrlf;
    return start ? Look::kLineStart : Look::kLineEnd;
  }

  Parsed<Hir> build(const Primitive& primitive) {
    switch (primitive.kind) {
      case Primitive::Kind::kLook: return make_look(primitive.look);
      case Primitive::Kind::kByte: return make_literal(std::string(1, static_cast<char>(primitive.code)));
      case Primitive::Kind::kSet: return build_class(primitive.set, primitive);
      case Primitive::Kind::kCode: break;
    }
    if (flags_.ignore_case && (flags_.unicode || primitive.code < 0x80)) {
      return build_class(fold(CodeSet::single(primitive.code), flags_), primitive);
    }
    lines_.notice(primitive.code, primitive.begin, primitive.end);
    std::string bytes;
    append_utf8(bytes, primitive.code);
    return make_literal(std::move(bytes));
  }

  Parsed<Hir> build_class(const CodeSet& set, const Primitive& primitive) {
    if (!budget_.spend(set.ranges().size())) return refuse(too_large(primitive.begin, primitive.end));
    lines_.notice(set, primitive.begin, primitive.end);
    return flags_.unicode ? make_class(set) : make_byte_class(set);
  }

  Parsed<Node> limited(Node node) const {
    if (node.depth > kDeepest) return refuse(too_deep(node.begin, cursor_.position()));
    return node;
  }

  void set_flags(const Flags& flags) {
    flags_ = flags;
    cursor_.set_ignore_space(flags.ignore_space);
  }

  Cursor cursor_;
  Flags flags_;
  RangeBudget budget_;
  std::set<std::u32string> names_;
  LineRules lines_;
};

}  // namespace

Parsed<Hir> parse_pattern(std::u32string_view pattern, const SyntaxOptions& options) {
  Parser parser(pattern, options);
  return options.literal ? parser.parse_as_text() : parser.parse();
}

}  // namespace helve::regex

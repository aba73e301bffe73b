#include "regex/syntax_class.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "regex/syntax_escape.h"
#include "regex/syntax_flags.h"

namespace helve::regex {
namespace {

// A sequence of items without operators.
struct Union {
  std::vector<CodeRange> ranges = {};
  std::size_t items = 0;
  std::size_t deepest = 0;

  void add(CodeRange range) {
    ranges.push_back(range);
    ++items;
  }
  void add(const CodeSet& set) {
    ranges.insert(ranges.end(), set.ranges().begin(), set.ranges().end());
    ++items;
  }
  [[nodiscard]] std::size_t depth() const { return items > 1 ? deepest + 1 : deepest; }
};

// Parses one class: unions with operators between them. All operators have the same precedence and associate
// to the left.
class ClassParser {
 public:
  ClassParser(Cursor& cursor, const Flags& flags, RangeBudget& budget, std::size_t nesting)
      : cursor_(cursor), flags_(flags), budget_(budget), nesting_(nesting), begin_(cursor.position()) {}

  Parsed<ClassNode> parse() {
    if (nesting_ >= kNestLimit) return refuse(too_deep(begin_, begin_ + 1));
    if (!open()) return refuse_unclosed();
    while (true) {
      cursor_.skip_space();
      if (cursor_.at_end()) return refuse_unclosed();
      if (cursor_.at(']')) break;
      if (const auto sign = take_operator()) {
        reduce();
        operator_ = *sign;
      } else if (cursor_.at('[')) {
        if (auto problem = parse_nested()) return refuse(std::move(*problem));
      } else if (auto problem = parse_range()) {
        return refuse(std::move(*problem));
      }
      if (union_.depth() >= kNestLimit || depth_ >= kNestLimit) {
        return refuse(too_deep(begin_, cursor_.position()));
      }
    }
    cursor_.advance();
    reduce();
    CodeSet set = fold(*left_, flags_);
    if (negated_) set = negate(set, flags_);
    return ClassNode{.set = std::move(set), .depth = depth_ + 1};
  }

 private:
  // Reads [ and what is special directly after it: ^, then a run of - or one ], which are literal there.
  bool open() {
    if (!cursor_.advance_over_space()) return false;
    if (cursor_.at('^')) {
      negated_ = true;
      if (!cursor_.advance_over_space()) return false;
    }
    while (cursor_.at('-')) {
      union_.add(CodeRange{'-', '-'});
      if (!cursor_.advance_over_space()) return false;
    }
    if (union_.items == 0 && cursor_.at(']')) {
      union_.add(CodeRange{']', ']'});
      if (!cursor_.advance_over_space()) return false;
    }
    return true;
  }

  std::optional<char32_t> take_operator() {
    const char32_t sign = cursor_.current();
    if ((sign != '&' && sign != '-' && sign != '~') || cursor_.peek() != sign) return std::nullopt;
    cursor_.advance();
    cursor_.advance();
    return sign;
  }

  // Applies the pending operator to the union that just ended.
  void reduce() {
    CodeSet right(union_.ranges);
    if (!left_) {
      left_ = std::move(right);
      depth_ = union_.depth();
    } else {
      right = fold(right, flags_);
      const CodeSet left = fold(*left_, flags_);
      left_ = operator_ == '&'   ? left.intersection(right)
              : operator_ == '-' ? left.difference(right)
                                 : left.symmetric_difference(right);
      depth_ = std::max(depth_, union_.depth()) + 1;
    }
    union_ = {};
  }

  // Parses [:alpha:] or a nested class.
  std::optional<Problem> parse_nested() {
    const std::size_t begin = cursor_.position();
    if (auto posix = take_posix_class()) {
      union_.add(*posix);
      return std::nullopt;
    }
    auto nested = parse_class(cursor_, flags_, budget_, nesting_ + 1);
    if (!nested) return std::move(nested.error());
    if (!budget_.spend(nested->set.ranges().size())) return too_large(begin, cursor_.position());
    union_.add(nested->set);
    union_.deepest = std::max(union_.deepest, nested->depth);
    return std::nullopt;
  }

  std::optional<CodeSet> take_posix_class() {
    const std::size_t begin = cursor_.position();
    if (cursor_.take(U"[:")) {
      const bool negated = cursor_.take(U"^");
      const std::size_t name = cursor_.position();
      while (!cursor_.at_end() && !cursor_.at(':')) cursor_.advance();
      const auto set = posix_class(cursor_.between(name, cursor_.position()));
      if (set && cursor_.take(U":]")) {
        const CodeSet folded = fold(*set, flags_);
        return negated ? negate(folded, flags_) : folded;
      }
    }
    cursor_.go_to(begin);
    return std::nullopt;
  }

  Parsed<Primitive> parse_item() {
    if (cursor_.at('\\')) return parse_escape(cursor_, flags_);
    const std::size_t begin = cursor_.position();
    const char32_t code = cursor_.current();
    cursor_.advance();
    return Primitive{.code = code, .begin = begin, .end = cursor_.position()};
  }

  std::optional<Problem> parse_range() {
    auto first = parse_item();
    if (!first) return std::move(first.error());
    cursor_.skip_space();
    if (cursor_.at_end()) return unclosed();
    const auto next = cursor_.peek_over_space();
    if (!cursor_.at('-') || next == ']' || next == '-') return add_item(*first);
    if (!cursor_.advance_over_space()) return unclosed();
    auto last = parse_item();
    if (!last) return std::move(last.error());
    auto problem = check_end_of_range(*first);
    if (!problem) problem = check_end_of_range(*last);
    if (problem) return problem;
    if (first->code > last->code) {
      return Problem{.begin = first->begin,
                     .end = last->end,
                     .what = "the range is reversed.",
                     .advice = "Swap its ends, or write \\- for a literal -."};
    }
    union_.add(CodeRange{first->code, last->code});
    return std::nullopt;
  }

  std::optional<Problem> add_item(const Primitive& item) {
    if (item.kind == Primitive::Kind::kSet) {
      if (!budget_.spend(item.set.ranges().size())) return too_large(item.begin, item.end);
      union_.add(item.set);
      return std::nullopt;
    }
    if (item.kind == Primitive::Kind::kLook) {
      return Problem{.begin = item.begin,
                     .end = item.end,
                     .what = "an anchor or boundary cannot be in a class.",
                     .advice = "Move it out of the brackets; the backspace character is \\x08."};
    }
    if (auto problem = check_available(item)) return problem;
    union_.add(CodeRange{item.code, item.code});
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Problem> check_end_of_range(const Primitive& end) const {
    if (end.kind == Primitive::Kind::kSet || end.kind == Primitive::Kind::kLook) {
      return Problem{.begin = end.begin,
                     .end = end.end,
                     .what = "a range must go from one character to another.",
                     .advice = "Write \\- for a literal -."};
    }
    return check_available(end);
  }

  [[nodiscard]] std::optional<Problem> check_available(const Primitive& item) const {
    if (flags_.unicode || item.kind == Primitive::Kind::kByte || item.code < 0x80) return std::nullopt;
    return Problem{.begin = item.begin,
                   .end = item.end,
                   .what = "a class can contain only bytes where (?-u) turned Unicode off.",
                   .advice = "Write bytes as \\xFF, or remove the (?-u)."};
  }

  [[nodiscard]] Problem unclosed() const {
    return {.begin = begin_, .end = begin_ + 1, .what = "\"[\" is never closed.", .escapable = true};
  }
  [[nodiscard]] std::unexpected<Problem> refuse_unclosed() const { return refuse(unclosed()); }

  Cursor& cursor_;
  const Flags& flags_;
  RangeBudget& budget_;
  const std::size_t nesting_;
  const std::size_t begin_;
  bool negated_ = false;
  Union union_;
  std::optional<CodeSet> left_;  // the left operand of operator_
  char32_t operator_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Parsed<ClassNode> parse_class(Cursor& cursor, const Flags& flags, RangeBudget& budget, std::size_t nesting) {
  return ClassParser(cursor, flags, budget, nesting).parse();
}

Problem too_deep(std::size_t begin, std::size_t end) {
  return {.begin = begin,
          .end = end,
          .what = concat("the pattern nests more than ", kNestLimit, " levels deep.")};
}

Problem too_large(std::size_t begin, std::size_t end) {
  return {.begin = begin,
          .end = end,
          .what = "the pattern has too many large classes such as \\w.",
          .advice = "Write a repetition with a count, use [a-z], or split the pattern."};
}

}  // namespace helve::regex

#include "search/glob_parse.h"

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::search {
namespace {

using Kind = GlobToken::Kind;
using Tokens = std::vector<GlobToken>;

constexpr std::size_t kMostNesting = 32;

// Recursive descent, one level per brace or group.
class GlobParser {
 public:
  GlobParser(std::string_view pattern, const GlobOptions& options) : pattern_(pattern), options_(options) {}

  Expected<Tokens> parse() {
    if (pattern_.size() > kLongestGlob)
      return fail(ErrorCode::kInvalidArgument,
                  concat("The glob is ", with_thousands(pattern_.size()), " bytes long; at most ",
                         with_thousands(kLongestGlob), " are allowed."),
                  "Use several shorter globs.");
    Tokens tokens;
    if (auto parsed = parse_branch(tokens, 0, Inside::kNothing); !parsed) return fail(parsed.error());
    return tokens;
  }

 private:
  enum class Inside { kNothing, kBraces, kGroup };

  [[nodiscard]] bool is_extended() const { return options_.syntax == GlobOptions::Syntax::kExtended; }
  [[nodiscard]] bool at_end() const { return place_ == pattern_.size(); }
  [[nodiscard]] bool next_is(char wanted) const { return !at_end() && pattern_[place_] == wanted; }
  // At a character that ends the branch, or at the end.
  [[nodiscard]] bool at_branch_end(Inside inside) const {
    if (at_end()) return true;
    const char next = pattern_[place_];
    return (inside == Inside::kBraces && (next == ',' || next == '}')) ||
           (inside == Inside::kGroup && (next == '|' || next == ')'));
  }

  std::unexpected<Error> refuse(std::size_t place, std::string_view reason, std::string_view hint) const {
    return fail(ErrorCode::kInvalidArgument,
                concat("The glob `", to_valid_utf8(pattern_), "` is wrong at position ", place + 1, ": ",
                       reason, "."),
                std::string(hint), JsonObject{{"glob", to_valid_utf8(pattern_)}, {"position", place + 1}});
  }

  Expected<void> parse_branch(Tokens& tokens, std::size_t depth, Inside inside) {
    while (!at_branch_end(inside)) {
      const std::size_t here = place_;
      const char character = pattern_[place_++];
      if (is_extended() && next_is('(') && std::string_view("?*+@!").contains(character) &&
          group_closes(place_)) {
        if (auto parsed = parse_group(tokens, here, depth + 1); !parsed) return parsed;
      } else if (character == '?') {
        tokens.push_back({Kind::kCharacter});
      } else if (character == '*') {
        parse_star(tokens, inside);
      } else if (character == '[' && !classes_are_literal_) {
        if (auto parsed = parse_class(tokens, here); !parsed) return parsed;
      } else if (character == '{') {
        if (auto parsed = parse_alternatives(tokens, here, depth + 1); !parsed) return parsed;
      } else if (character == '}' && inside != Inside::kGroup) {
        return refuse(here, "this `}` has no matching `{`", "Write `\\}` for the character itself.");
      } else if (character == '\\') {
        if (at_end())
          return refuse(here, "there is nothing after the backslash", "Write `\\\\` for a backslash.");
        push_byte(tokens, pattern_[place_++]);
      } else {
        push_byte(tokens, character);
      }
    }
    return {};
  }

  static void push_byte(Tokens& tokens, char byte) {
    tokens.push_back({Kind::kByte, static_cast<std::uint8_t>(byte)});
  }

  static void push_star(Tokens& tokens) {
    if (tokens.empty() || tokens.back().kind != Kind::kStar) tokens.push_back({Kind::kStar});
  }

  // Called after the first `*`. `**` is special only as a whole component.
  void parse_star(Tokens& tokens, Inside inside) {
    const bool starts_component = tokens.empty() || (place_ >= 2 && pattern_[place_ - 2] == '/');
    const bool before_group =
        is_extended() && pattern_.substr(place_).starts_with("*(") && group_closes(place_ + 1);
    if (!next_is('*') || before_group) return push_star(tokens);
    ++place_;
    const bool at_front = tokens.empty();
    const bool before_slash = next_is('/');
    const bool ends_component = before_slash || (at_front ? at_end() : at_branch_end(inside));
    if (!starts_component || !ends_component) return push_star(tokens);
    if (before_slash) ++place_;
    if (at_front) {
      tokens.push_back({Kind::kAnyPrefix});
      return;
    }
    // Merges with the slash or `**` before it.
    const Kind before = tokens.back().kind;
    if (before == Kind::kAnyPrefix || before == Kind::kAnySuffix) return;
    tokens.back() = {before_slash ? Kind::kAnyMiddle : Kind::kAnySuffix};
  }

  // `]` is a member if it comes first.
  Expected<void> parse_class(Tokens& tokens, std::size_t open) {
    GlobToken token{Kind::kClass};
    token.negated = next_is('!') || next_is('^');
    if (token.negated) ++place_;
    bool in_range = false;
    for (bool first = true;; first = false) {
      if (at_end()) {
        if (!options_.lenient_classes)
          return refuse(open, "this `[` is never closed", "Write `\\[` for the character itself.");
        classes_are_literal_ = true;
        place_ = open + 1;
        push_byte(tokens, '[');
        return {};
      }
      if (is_extended() && !in_range && parse_named_class(token)) continue;
      const std::size_t here = place_;
      const bool escaped = is_extended() && next_is('\\') && place_ + 1 < pattern_.size();
      if (escaped) ++place_;
      const GlobCharacter member = glob_character_at(pattern_, place_);
      place_ += member.length;
      if (member.value == ']' && !first && !escaped) break;
      if (member.value == '-' && !first && !in_range && !escaped) {
        in_range = true;
        continue;
      }
      if (in_range) {
        token.ranges.back().second = member.value;
        if (member.value < token.ranges.back().first)
          return refuse(here, "this range goes backwards",
                        "Write the smaller character first, as in `[a-z]`.");
      } else {
        token.ranges.emplace_back(member.value, member.value);
      }
      in_range = false;
    }
    if (in_range) token.ranges.emplace_back('-', '-');
    tokens.push_back(std::move(token));
    return {};
  }

  // `[:alpha:]` within a class.
  bool parse_named_class(GlobToken& token) {
    if (!pattern_.substr(place_).starts_with("[:")) return false;
    const std::size_t close = pattern_.find(":]", place_ + 2);
    if (close == std::string_view::npos) return false;
    const auto members = named_class(pattern_.substr(place_ + 2, close - place_ - 2));
    if (!members) return false;
    for (char32_t byte = 0; byte < members->size(); ++byte)
      if (members->test(byte)) token.ranges.emplace_back(byte, byte);
    place_ = close + 2;
    return true;
  }

  // Whether the parenthesis at `begin` is closed; otherwise it is an ordinary character.
  [[nodiscard]] bool group_closes(std::size_t begin) const {
    std::size_t open = 0;
    for (std::size_t i = begin; i < pattern_.size(); ++i) {
      if (pattern_[i] == '\\')
        ++i;
      else if (pattern_[i] == '(')
        ++open;
      else if (pattern_[i] == ')' && --open == 0)
        return true;
    }
    return false;
  }

  // `@(a|b)`; `here` is the place of the sign before the parenthesis.
  Expected<void> parse_group(Tokens& tokens, std::size_t here, std::size_t depth) {
    if (depth > kMostNesting)
      return refuse(here, "groups are nested too deeply", "Use several simpler globs.");
    const char sign = pattern_[here];
    GlobToken token{.kind = sign == '!' ? Kind::kExcept : Kind::kAlternatives, .repeat = sign};
    ++place_;
    for (bool closed = false; !closed; closed = pattern_[place_++] == ')') {
      Tokens branch;
      if (auto parsed = parse_branch(branch, depth, Inside::kGroup); !parsed) return parsed;
      token.alternatives.push_back(std::move(branch));
      if (at_end())
        return refuse(here, "this group is never closed", "Write `\\(` for the character itself.");
    }
    tokens.push_back(std::move(token));
    return {};
  }

  Expected<void> parse_alternatives(Tokens& tokens, std::size_t open, std::size_t depth) {
    if (depth > kMostNesting)
      return refuse(open, "braces are nested too deeply", "Use several simpler globs.");
    GlobToken token{Kind::kAlternatives};
    while (true) {
      Tokens branch;
      if (auto parsed = parse_branch(branch, depth, Inside::kBraces); !parsed) return parsed;
      token.alternatives.push_back(std::move(branch));
      if (at_end()) return refuse(open, "this `{` is never closed", "Write `\\{` for the character itself.");
      if (pattern_[place_++] == '}') break;
    }
    tokens.push_back(std::move(token));
    return {};
  }

  std::string_view pattern_;
  const GlobOptions& options_;
  std::size_t place_ = 0;
  bool classes_are_literal_ = false;  // set after an unclosed `[`: no later one can be closed
};

}  // namespace

Expected<std::vector<GlobToken>> parse_glob(std::string_view pattern, const GlobOptions& options) {
  return GlobParser(pattern, options).parse();
}

GlobCharacter glob_character_at(std::string_view text, std::size_t place) {
  const auto lead = static_cast<unsigned char>(text[place]);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = utf8_character_length(text.substr(place));
  if (length == 0) return {char32_t{0x110000} + lead, 1};
  return {utf8_code_point(text.substr(place, length)), length};
}

}  // namespace helve::search

#include "search/glob_parse.h"

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::search {
namespace {

using Kind = GlobToken::Kind;
using Tokens = std::vector<GlobToken>;

constexpr std::size_t kLongestGlob = 4096;  // no path is longer
constexpr std::size_t kMostNesting = 32;

// Recursive descent, one level per brace.
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
    if (auto parsed = parse_branch(tokens, 0); !parsed) return fail(parsed.error());
    return tokens;
  }

 private:
  [[nodiscard]] bool at_end() const { return place_ == pattern_.size(); }
  [[nodiscard]] bool next_is(char wanted) const { return !at_end() && pattern_[place_] == wanted; }
  // At a `,` or `}` that ends the branch, or at the end.
  [[nodiscard]] bool at_branch_end(std::size_t depth) const {
    return at_end() || (depth > 0 && (pattern_[place_] == ',' || pattern_[place_] == '}'));
  }

  std::unexpected<Error> refuse(std::size_t place, std::string_view reason, std::string_view hint) const {
    return fail(ErrorCode::kInvalidArgument,
                concat("The glob `", to_valid_utf8(pattern_), "` is wrong at position ", place + 1, ": ",
                       reason, "."),
                std::string(hint), JsonObject{{"glob", to_valid_utf8(pattern_)}, {"position", place + 1}});
  }

  Expected<void> parse_branch(Tokens& tokens, std::size_t depth) {
    while (!at_branch_end(depth)) {
      const std::size_t here = place_;
      const char character = pattern_[place_++];
      if (character == '?') {
        tokens.push_back({Kind::kCharacter});
      } else if (character == '*') {
        parse_star(tokens, depth);
      } else if (character == '[' && !classes_are_literal_) {
        if (auto parsed = parse_class(tokens, here); !parsed) return parsed;
      } else if (character == '{' && options_.braces) {
        if (auto parsed = parse_alternatives(tokens, here, depth + 1); !parsed) return parsed;
      } else if (character == '}' && options_.braces) {
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
  void parse_star(Tokens& tokens, std::size_t depth) {
    const bool starts_component = tokens.empty() || (place_ >= 2 && pattern_[place_ - 2] == '/');
    if (!next_is('*')) return push_star(tokens);
    ++place_;
    const bool at_front = tokens.empty();
    const bool before_slash = next_is('/');
    const bool ends_component = before_slash || (at_front ? at_end() : at_branch_end(depth));
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

  // A class has no escapes: `]` is a member if it comes first.
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
      const std::size_t here = place_;
      const GlobCharacter member = glob_character_at(pattern_, place_);
      place_ += member.length;
      if (member.value == ']' && !first) break;
      if (member.value == '-' && !first && !in_range) {
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

  Expected<void> parse_alternatives(Tokens& tokens, std::size_t open, std::size_t depth) {
    if (depth > kMostNesting)
      return refuse(open, "braces are nested too deeply", "Use several simpler globs.");
    GlobToken token{Kind::kAlternatives};
    while (true) {
      Tokens branch;
      if (auto parsed = parse_branch(branch, depth); !parsed) return parsed;
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

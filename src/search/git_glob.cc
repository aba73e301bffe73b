#include "search/git_glob.h"

#include <utility>

#include "search/glob_class.h"

namespace helve::search {
namespace {

using Kind = GlobToken::Kind;
using Tokens = std::vector<GlobToken>;

class GitGlobParser {
 public:
  GitGlobParser(std::string_view pattern, const GlobOptions& options)
      : pattern_(pattern),
        whole_path_(options.syntax == GlobOptions::Syntax::kGitPath),
        ignore_case_(options.ignore_case) {}

  std::optional<Tokens> parse() {
    if (pattern_.size() > kLongestGlob) return std::nullopt;
    while (place_ < pattern_.size()) {
      const char character = pattern_[place_++];
      if (character == '*') {
        parse_stars();
      } else if (character == '?') {
        ByteSet all_bytes;
        push_set(all_bytes.set());
      } else if (character == '[') {
        const auto members = parse_git_class(pattern_, place_, ignore_case_);
        if (!members) return std::nullopt;
        push_set(*members);
      } else if (character == '\\') {
        if (place_ == pattern_.size()) return std::nullopt;
        // Git does not convert an escaped character to lower case, unlike the text.
        if (const char escaped = pattern_[place_++]; ignore_case_ && escaped >= 'A' && escaped <= 'Z')
          push_set({});
        else
          push_byte(escaped);
        only_literals_ = false;
      } else {
        push_byte(character);
      }
    }
    // `**/` without more: no path is empty or ends with a slash.
    const bool only_directories = tokens_.size() == 1 && tokens_.front().kind == Kind::kAnyPrefix;
    if (only_directories && pattern_.ends_with('/')) return std::nullopt;
    return std::move(tokens_);
  }

 private:
  void push_byte(char byte) { tokens_.push_back({Kind::kByte, static_cast<std::uint8_t>(byte)}); }

  void push_set(ByteSet bytes) {
    bytes.reset('/');
    tokens_.push_back({.kind = Kind::kByteSet, .bytes = bytes});
    only_literals_ = false;
  }

  // Called after the first star. Two or more are special only between slashes and the ends of the pattern.
  void parse_stars() {
    const std::size_t begin = place_ - 1;
    while (place_ < pattern_.size() && pattern_[place_] == '*') ++place_;
    // Git compares the literal text at the front first, so that for it the pattern begins after that text.
    const bool starts = begin == 0 || pattern_[begin - 1] == '/' || only_literals_;
    const bool after_text = begin > 0 && pattern_[begin - 1] != '/';
    only_literals_ = false;
    const std::string_view rest = pattern_.substr(place_);
    const bool ends = rest.empty() || rest.front() == '/' || rest.starts_with("\\/");
    if (!whole_path_ || place_ - begin < 2 || !starts || !ends) {
      if (tokens_.empty() || tokens_.back().kind != Kind::kStar) tokens_.push_back({Kind::kStar});
      return;
    }
    const bool before_slash = rest.starts_with('/');
    if (before_slash) ++place_;
    if (after_text || rest.starts_with('\\'))
      push_any_bytes(before_slash);
    else if (tokens_.empty())
      tokens_.push_back({Kind::kAnyPrefix});
    else
      merge_with_slash(before_slash);
  }

  // Matches anything; with `or_nothing`, either nothing or anything that ends with a slash.
  void push_any_bytes(bool or_nothing) {
    if (!or_nothing) return tokens_.push_back({Kind::kAnyBytes});
    GlobToken token{Kind::kAlternatives};
    token.alternatives = {{}, {{Kind::kAnyBytes}, {Kind::kByte, '/'}}};
    tokens_.push_back(std::move(token));
  }

  // The token before is the slash, or stars that include it, perhaps those of push_any_bytes().
  void merge_with_slash(bool before_slash) {
    const Kind before = tokens_.back().kind;
    if (before == Kind::kAnyPrefix || (before == Kind::kAlternatives && before_slash)) return;
    if (before == Kind::kAlternatives) {
      tokens_.back() = {Kind::kAnyBytes};
      return;
    }
    tokens_.back() = {before_slash ? Kind::kAnyMiddle : Kind::kAnySuffix};
  }

  std::string_view pattern_;
  const bool whole_path_;
  const bool ignore_case_;
  std::size_t place_ = 0;
  bool only_literals_ = true;  // no wildcard or escape so far
  Tokens tokens_;
};

}  // namespace

std::optional<std::vector<GlobToken>> parse_git_glob(std::string_view pattern, const GlobOptions& options) {
  return GitGlobParser(pattern, options).parse();
}

}  // namespace helve::search

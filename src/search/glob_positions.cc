#include "search/glob_positions.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace helve::search {
namespace {

using Kind = GlobToken::Kind;

// A set of offsets in the text.
class Places {
 public:
  explicit Places(std::size_t count) : words_((count + 63) / 64) {}
  [[nodiscard]] bool has(std::size_t place) const { return ((words_[place / 64] >> (place % 64)) & 1) != 0; }
  void add(std::size_t place) { words_[place / 64] |= std::uint64_t{1} << (place % 64); }
  void add(const Places& others) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
  }

 private:
  std::vector<std::uint64_t> words_;
};

class PositionMatcher {
 public:
  PositionMatcher(std::string_view text, bool ignore_case) : text_(text), ignore_case_(ignore_case) {}

  bool matches(std::span<const GlobToken> tokens) { return after(tokens, 0).has(text_.size()); }

 private:
  [[nodiscard]] Places none() const { return Places(text_.size() + 1); }
  [[nodiscard]] std::size_t component_end(std::size_t place) const {
    return std::min(text_.find('/', place), text_.size());
  }

  // Where a match of all tokens that begins at `begin` may end.
  Places after(std::span<const GlobToken> tokens, std::size_t begin) {
    Places places = none();
    places.add(begin);
    for (const GlobToken& token : tokens) {
      Places next = none();
      for (std::size_t i = begin; i <= text_.size(); ++i)
        if (places.has(i)) step(token, i, next);
      places = std::move(next);
    }
    return places;
  }

  void step(const GlobToken& token, std::size_t at, Places& next) {
    const bool at_slash = at < text_.size() && text_[at] == '/';
    switch (token.kind) {
      case Kind::kByte:
        if (at < text_.size() && static_cast<std::uint8_t>(text_[at]) == token.byte) next.add(at + 1);
        break;
      case Kind::kByteSet:
        if (at < text_.size() && token.bytes[static_cast<std::uint8_t>(text_[at])]) next.add(at + 1);
        break;
      case Kind::kCharacter:
        if (at < text_.size() && !at_slash) next.add(at + glob_character_at(text_, at).length);
        break;
      case Kind::kClass:
        if (at < text_.size()) {
          const GlobCharacter character = glob_character_at(text_, at);
          if (class_contains(token.ranges, token.negated, character.value, ignore_case_))
            next.add(at + character.length);
        }
        break;
      case Kind::kStar:
        for (std::size_t i = at; i <= component_end(at); ++i) next.add(i);
        break;
      case Kind::kAnyBytes: add_rest(at, next); break;
      case Kind::kAnyPrefix: add_directories(at, next); break;
      case Kind::kAnyMiddle:
        if (at_slash) add_directories(at + 1, next);
        break;
      case Kind::kAnySuffix:
        if (at_slash) add_rest(at + 1, next);
        break;
      case Kind::kAlternatives:
      case Kind::kExcept: next.add(ends_of(token, at)); break;
    }
  }

  void add_rest(std::size_t at, Places& next) const {
    for (std::size_t i = at; i <= text_.size(); ++i) next.add(i);
  }
  void add_directories(std::size_t at, Places& next) const {
    next.add(at);
    for (std::size_t i = at; i < text_.size(); ++i)
      if (text_[i] == '/') next.add(i + 1);
  }

  const Places& ends_of(const GlobToken& token, std::size_t at) {
    const std::pair key(&token, at);
    if (const auto known = ends_.find(key); known != ends_.end()) return known->second;
    Places ends = none();
    if (token.kind == Kind::kExcept) {
      const Places refused = once(token, at);
      for (std::size_t i = at; i <= component_end(at); ++i)
        if (!refused.has(i)) ends.add(i);
    } else if (token.repeat == '*' || token.repeat == '+') {
      ends = repeated(token, at);
    } else {
      ends = once(token, at);
      if (token.repeat == '?') ends.add(at);
    }
    return ends_.emplace(key, std::move(ends)).first->second;
  }

  Places once(const GlobToken& token, std::size_t at) {
    Places ends = none();
    for (const auto& alternative : token.alternatives) ends.add(after(alternative, at));
    return ends;
  }

  Places repeated(const GlobToken& token, std::size_t at) {
    Places ends = none();
    Places begun = none();
    std::vector<std::size_t> waiting{at};
    begun.add(at);
    if (token.repeat == '*') ends.add(at);
    while (!waiting.empty()) {
      const std::size_t begin = waiting.back();
      waiting.pop_back();
      const Places more = once(token, begin);
      ends.add(more);
      for (std::size_t i = begin; i <= text_.size(); ++i) {
        if (!more.has(i) || begun.has(i)) continue;
        begun.add(i);
        waiting.push_back(i);
      }
    }
    return ends;
  }

  std::string_view text_;
  const bool ignore_case_;
  std::map<std::pair<const GlobToken*, std::size_t>, Places> ends_;
};

}  // namespace

bool matches_by_positions(std::span<const GlobToken> tokens, std::string_view text, bool ignore_case) {
  return PositionMatcher(text, ignore_case).matches(tokens);
}

bool has_exception(std::span<const GlobToken> tokens) {
  return std::ranges::any_of(tokens, [](const GlobToken& token) {
    return token.kind == Kind::kExcept || std::ranges::any_of(token.alternatives, has_exception);
  });
}

bool class_contains(std::span<const std::pair<char32_t, char32_t>> ranges, bool negated, char32_t character,
                    bool ignore_case) {
  const auto is_member = [&](char32_t wanted) {
    return std::ranges::any_of(
        ranges, [&](const auto& range) { return range.first <= wanted && wanted <= range.second; });
  };
  bool found = is_member(character);
  if (!found && ignore_case && character >= 'a' && character <= 'z')
    found = is_member(character - ('a' - 'A'));
  return found != negated;
}

}  // namespace helve::search

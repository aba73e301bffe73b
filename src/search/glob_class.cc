#include "search/glob_class.h"

#include <cctype>

namespace helve::search {
namespace {

std::size_t byte_at(std::string_view text, std::size_t place) {
  return static_cast<unsigned char>(text[place]);
}

template <class Test>
ByteSet ascii_bytes(const Test& test) {
  ByteSet bytes;
  for (int byte = 0; byte < 0x80; ++byte) bytes[static_cast<std::size_t>(byte)] = test(byte) != 0;
  return bytes;
}

}  // namespace

std::optional<ByteSet> named_class(std::string_view name) {
  const auto is_space = [](int byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; };
  if (name == "alnum") return ascii_bytes([](int byte) { return std::isalnum(byte); });
  if (name == "alpha") return ascii_bytes([](int byte) { return std::isalpha(byte); });
  if (name == "blank") return ascii_bytes([](int byte) { return std::isblank(byte); });
  if (name == "cntrl") return ascii_bytes([](int byte) { return std::iscntrl(byte); });
  if (name == "digit") return ascii_bytes([](int byte) { return std::isdigit(byte); });
  if (name == "graph") return ascii_bytes([](int byte) { return std::isgraph(byte); });
  if (name == "lower") return ascii_bytes([](int byte) { return std::islower(byte); });
  if (name == "print") return ascii_bytes([](int byte) { return std::isprint(byte); });
  if (name == "punct") return ascii_bytes([](int byte) { return std::ispunct(byte); });
  if (name == "space") return ascii_bytes([&](int byte) { return is_space(byte) ? 1 : 0; });
  if (name == "upper") return ascii_bytes([](int byte) { return std::isupper(byte); });
  if (name == "xdigit") return ascii_bytes([](int byte) { return std::isxdigit(byte); });
  return std::nullopt;
}

std::optional<ByteSet> parse_git_class(std::string_view pattern, std::size_t& place, bool ignore_case) {
  const auto at = [&](std::size_t i) { return i < pattern.size() ? pattern[i] : '\0'; };
  ByteSet members;
  const bool negated = at(place) == '!' || at(place) == '^';
  if (negated) ++place;
  constexpr std::size_t kNoMember = 256;
  std::size_t before = kNoMember;  // the member that a `-` after it makes a range of
  for (bool first = true; first || at(place) != ']'; first = false, ++place) {
    if (place >= pattern.size()) return std::nullopt;
    if (at(place) == '\\') {
      if (++place >= pattern.size()) return std::nullopt;
      members.set(byte_at(pattern, place));
      before = byte_at(pattern, place);
    } else if (at(place) == '-' && before != kNoMember && place + 1 < pattern.size() &&
               at(place + 1) != ']') {
      if (at(++place) == '\\' && ++place >= pattern.size()) return std::nullopt;
      for (std::size_t byte = before; byte <= byte_at(pattern, place); ++byte) {
        members.set(byte);
        if (ignore_case && byte >= 'A' && byte <= 'Z') members.set(byte - 'A' + 'a');
      }
      before = kNoMember;
    } else if (at(place) == '[' && at(place + 1) == ':') {
      const std::size_t close = pattern.find(']', place + 2);
      if (close == std::string_view::npos) return std::nullopt;
      if (close == place + 2 || pattern[close - 1] != ':') {
        members.set('[');  // `[:x]` is a set of these characters
        before = '[';
        continue;
      }
      const auto named = named_class(pattern.substr(place + 2, close - place - 3));
      if (!named) return std::nullopt;
      members |= *named;
      if (ignore_case && (*named)['A']) members |= *named_class("lower");
      place = close;
      before = kNoMember;
    } else {
      members.set(byte_at(pattern, place));
      before = byte_at(pattern, place);
    }
  }
  ++place;
  return negated ? ~members : members;
}

}  // namespace helve::search

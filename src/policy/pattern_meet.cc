#include "policy/pattern_meet.h"

#include <string>
#include <vector>

#include "base/strings.h"

namespace helve::policy {
namespace {

constexpr char kAnyText = '\0';

// Every wildcard as one that matches any text.
std::string simplified(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '*' || c == '?') {
      out += kAnyText;
    } else if (c == '[' || c == '{') {
      const std::size_t close = pattern.find(c == '[' ? ']' : '}', i + 1);
      out += kAnyText;
      i = close == std::string_view::npos ? pattern.size() : close;
    } else {
      out += c;
    }
  }
  return to_lower(out);
}

}  // namespace

bool can_meet(std::string_view one, std::string_view other, char star) {
  std::vector<bool> row(other.size() + 1);
  std::vector<bool> next(other.size() + 1);
  row[other.size()] = true;
  for (std::size_t j = other.size(); j-- > 0;) row[j] = other[j] == star && row[j + 1];
  for (std::size_t i = one.size(); i-- > 0;) {
    for (std::size_t j = other.size() + 1; j-- > 0;) {
      const bool ended = j == other.size();
      if (one[i] == star)
        next[j] = row[j] || (!ended && next[j + 1]);
      else if (!ended && other[j] == star)
        next[j] = next[j + 1] || row[j];
      else
        next[j] = !ended && one[i] == other[j] && row[j + 1];
    }
    std::swap(row, next);
  }
  return row[0];
}

bool can_expand_to(std::string_view shell_pattern, std::string_view glob) {
  const std::string one = simplified(shell_pattern);
  const std::string other = simplified(glob);
  if (one.starts_with(kAnyText) && other.starts_with('.')) return false;
  return can_meet(one, other, kAnyText);
}

}  // namespace helve::policy

#include "store/code_words.h"

#include <unordered_set>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::store {
namespace {

// Non-ASCII bytes count as letters; FTS5 decides about them later.
bool is_word_byte(char c) { return is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80; }

// Longer words are data; only their beginning is indexed.
constexpr std::size_t kLongestWord = 64;

// The end of the part of an identifier that begins at `start`: before a capital that follows a lower-case
// letter or digit (parse|Json), and before the last of several capitals if a lower-case letter follows
// (JSON|Parser).
std::size_t end_of_part(std::string_view name, std::size_t start) {
  for (std::size_t at = start + 1; at < name.size(); ++at) {
    if (!is_upper(name[at])) continue;
    if (!is_upper(name[at - 1])) return at;
    if (at + 1 < name.size() && is_lower(name[at + 1])) return at;
  }
  return name.size();
}

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start < name.size();) {
    const std::size_t end = end_of_part(name, start);
    parts.push_back(to_lower(name.substr(start, end - start)));
    start = end;
  }
  return parts;
}

// Calls `take` with the parts of each identifier, such as {"parse", "json"} for parse_json.
template <class Take>
void each_name(std::string_view text, const Take& take) {
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word_byte(text[at])) {
      ++at;
      continue;
    }
    std::vector<std::string> parts;
    while (at < text.size() && is_word_byte(text[at])) {
      const std::size_t start = at;
      while (at < text.size() && is_word_byte(text[at])) ++at;
      for (std::string& part : parts_of(text.substr(start, at - start))) parts.push_back(std::move(part));
      // Only a single separator joins parts: a-b and a_b, but not a -- b.
      if (at + 1 < text.size() && (text[at] == '_' || text[at] == '-') && is_word_byte(text[at + 1])) ++at;
    }
    take(parts);
  }
}

}  // namespace

std::string code_words(std::string_view text, std::size_t most) {
  std::unordered_set<std::string> seen;
  std::string words;
  const auto add = [&](std::string_view whole) {
    const std::string word(utf8_prefix(whole, kLongestWord));
    if (word.empty() || seen.size() >= most || !seen.insert(word).second) return;
    if (!words.empty()) words += ' ';
    words += word;
  };
  each_name(text, [&](const std::vector<std::string>& parts) {
    for (const std::string& part : parts) add(part);
    if (parts.size() > 1 && parts.size() <= 8) add(join(parts, ""));
  });
  return words;
}

std::vector<std::string> query_words(std::string_view query) {
  std::vector<std::string> words;
  each_name(query, [&](const std::vector<std::string>& parts) {
    for (const std::string& part : parts)
      if (words.size() < 32) words.emplace_back(utf8_prefix(part, kLongestWord));
  });
  return words;
}

}  // namespace helve::store

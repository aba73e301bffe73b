#include "agent/volatile_parts.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace helve::agent {
namespace {

std::size_t count_digits(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

bool step_over(char wanted, std::string_view text, std::size_t& at) {
  const bool found = at < text.size() && text[at] == wanted;
  if (found) ++at;
  return found;
}

// The length of digit groups with these sizes and separator, such as 2026-11-15 or 03:42:07; 0 without a
// match.
std::size_t grouped(std::string_view text, std::initializer_list<std::size_t> sizes, char between) {
  std::size_t at = 0;
  for (const std::size_t size : sizes) {
    if (at > 0 && !step_over(between, text, at)) return 0;
    if (count_digits(text.substr(at)) != size) return 0;
    at += size;
  }
  return at;
}

std::size_t time_length(std::string_view text) {
  std::size_t length = grouped(text, {2, 2, 2}, ':');
  if (length == 0) return grouped(text, {2, 2}, ':');
  if (length < text.size() && (text[length] == '.' || text[length] == ','))
    if (const std::size_t fraction = count_digits(text.substr(length + 1))) length += 1 + fraction;
  if (length < text.size() && text[length] == 'Z') ++length;
  return length;
}

std::size_t date_length(std::string_view text) {
  const std::size_t length = grouped(text, {4, 2, 2}, '-');
  if (length == 0 || length >= text.size() || (text[length] != 'T' && text[length] != ' ')) return length;
  const std::size_t time = time_length(text.substr(length + 1));
  return time == 0 ? length : length + 1 + time;
}

// A number with a unit of time: 12 ms, 0.03s, 5 seconds.
std::size_t duration_length(std::string_view text) {
  static constexpr auto kUnits =
      std::to_array<std::string_view>({"milliseconds", "microseconds", "seconds", "minutes", "second",
                                       "minute", "secs", "sec", "mins", "min", "ms", "µs", "us", "ns", "s"});
  std::size_t length = count_digits(text);
  if (length < text.size() && text[length] == '.')
    if (const std::size_t fraction = count_digits(text.substr(length + 1))) length += 1 + fraction;
  if (length < text.size() && text[length] == ' ') ++length;
  for (const std::string_view unit : kUnits) {
    if (!text.substr(length).starts_with(unit)) continue;
    const std::size_t end = length + unit.size();
    if (end == text.size() || !is_word_character(text[end])) return end;
  }
  return 0;
}

// Whether a word looks like a random id: long and hexadecimal, or a prefix, `_`, and mixed letters and
// digits.
bool looks_random(std::string_view word) {
  constexpr std::size_t kLeast = 8;
  const auto has_digit = [](std::string_view part) { return std::ranges::any_of(part, is_digit); };
  const auto has_letter = [](std::string_view part) { return std::ranges::any_of(part, is_letter); };
  if (word.size() >= kLeast && std::ranges::all_of(word, is_hex_digit) && has_digit(word) && has_letter(word))
    return true;
  const std::size_t line = word.rfind('_');
  if (line == std::string_view::npos) return false;
  const std::string_view tail = word.substr(line + 1);
  return tail.size() >= kLeast && has_digit(tail) && has_letter(tail);
}

std::size_t uuid_length(std::string_view text) {
  std::size_t at = 0;
  for (const std::size_t size : {8, 4, 4, 4, 12}) {
    if (at > 0 && !step_over('-', text, at)) return 0;
    if (text.size() < at + size || !std::ranges::all_of(text.substr(at, size), is_hex_digit)) return 0;
    at += size;
  }
  return at;
}

}  // namespace

std::string without_volatile_parts(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    if (!is_word_character(text.front())) {
      out += text.front();
      text.remove_prefix(1);
      continue;
    }
    std::size_t length = uuid_length(text);
    if (length == 0 && is_digit(text.front())) length = date_length(text);
    if (length == 0 && is_digit(text.front())) length = time_length(text);
    if (length == 0 && is_digit(text.front())) length = duration_length(text);
    const auto word =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_word_character) - text.begin());
    if (length == 0 && looks_random(text.substr(0, word))) length = word;
    if (length > 0)
      out += '#';
    else
      out += text.substr(0, length = word);
    text.remove_prefix(length);
  }
  return out;
}

}  // namespace helve::agent

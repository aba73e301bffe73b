// String helpers: concatenation, splitting, case, escaping and fuzzy name lookup.
#pragma once

#include <charconv>
#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace helve {

namespace detail {
inline void append_piece(std::string& out, std::string_view piece) { out += piece; }
inline void append_piece(std::string& out, char piece) { out += piece; }
template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>)
void append_piece(std::string& out, Number number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}
}  // namespace detail

// concat("line ", 3, ": ", text)
template <class... Pieces>
[[nodiscard]] std::string concat(const Pieces&... pieces) {
  std::string out;
  (detail::append_piece(out, pieces), ...);
  return out;
}

// "1 file", "3 files"
[[nodiscard]] std::string count_of(std::size_t count, std::string_view noun, std::string_view plural = {});

// "1,234,567"
[[nodiscard]] std::string with_thousands(std::size_t number);

// `a, b and c`
[[nodiscard]] std::string enumerate(std::span<const std::string> items,
                                    std::string_view last_joint = " and ");

[[nodiscard]] std::string join(std::span<const std::string> items, std::string_view separator);
// The pieces between separators, including empty ones.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] std::string to_lower(std::string_view text);
[[nodiscard]] std::string to_upper(std::string_view text);
[[nodiscard]] std::string replace_all(std::string_view text, std::string_view from, std::string_view to);
// One word of a POSIX shell, in single quotes.
[[nodiscard]] std::string shell_quoted(std::string_view text);
// For XML text and attributes in double quotes.
[[nodiscard]] std::string escape_xml(std::string_view text);

// ReadFile → read_file, oldText → old_text
[[nodiscard]] std::string to_snake_case(std::string_view name);
// oldText → old-text, max_results → max-results
[[nodiscard]] std::string to_kebab_case(std::string_view name);

// Number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

// The candidates most likely meant by the misspelled `name`, best first; often none.
[[nodiscard]] std::vector<std::string> nearest(std::string_view name, std::span<const std::string> candidates,
                                               std::size_t most = 1);

}  // namespace helve

#include "base/strings.h"

#include <algorithm>
#include <numeric>
#include <ranges>
#include <utility>

#include "base/ascii.h"

namespace helve {
namespace {

std::string separate_words(std::string_view name, char separator) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '_' || c == '-') {
      out += separator;
      continue;
    }
    const bool after_lower = i > 0 && !is_upper(name[i - 1]) && name[i - 1] != '_' && name[i - 1] != '-';
    const bool ends_acronym = i > 0 && is_upper(name[i - 1]) && i + 1 < name.size() && is_lower(name[i + 1]);
    if (is_upper(c) && (after_lower || ends_acronym)) out += separator;
    out += to_lower(c);
  }
  return out;
}

}  // namespace

std::string count_of(std::size_t count, std::string_view noun, std::string_view plural) {
  if (count == 1) return concat("1 ", noun);
  return plural.empty() ? concat(with_thousands(count), " ", noun, "s")
                        : concat(with_thousands(count), " ", plural);
}

std::string with_thousands(std::size_t number) {
  std::string digits = concat(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string enumerate(std::span<const std::string> items, std::string_view last_joint) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += i + 1 == items.size() ? last_joint : std::string_view(", ");
    out += items[i];
  }
  return out;
}

std::string join(std::span<const std::string> items, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += separator;
    out += items[i];
  }
  return out;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t at = text.find(separator);
    pieces.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return pieces;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return to_lower(c); });
  return out;
}

std::string to_upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return to_upper(c); });
  return out;
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  while (true) {
    const std::size_t at = text.find(from);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

std::string shell_quoted(std::string_view text) { return concat("'", replace_all(text, "'", "'\\''"), "'"); }

std::string escape_xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string to_snake_case(std::string_view name) { return separate_words(name, '_'); }
std::string to_kebab_case(std::string_view name) { return separate_words(name, '-'); }

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(to.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= from.size(); ++i) {
    std::vector<std::size_t> row(to.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replace = last[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({replace, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = std::exchange(last, std::move(row));
  }
  return last[to.size()];
}

std::vector<std::string> nearest(std::string_view name, std::span<const std::string> candidates,
                                 std::size_t most) {
  // Very long names are unlikely to be near any candidate, and the comparison is quadratic.
  if (name.empty() || name.size() > 100) return {};
  const std::string wanted = to_snake_case(name);
  struct Scored {
    std::size_t score;
    const std::string* name;
  };
  std::vector<Scored> scored;
  for (const std::string& candidate : candidates) {
    const std::string plain = to_snake_case(candidate);
    std::size_t score = edit_distance(wanted, plain) * 2;
    // A missing or extra word (maxResult for max, read_file for read) is a likely mistake.
    const bool whole_word_inside =
        concat("_", wanted, "_").find(concat("_", plain, "_")) != std::string::npos ||
        concat("_", plain, "_").find(concat("_", wanted, "_")) != std::string::npos;
    if (whole_word_inside) score = std::min<std::size_t>(score, 3);
    const bool starts_alike = wanted.size() >= 3 && (plain.starts_with(wanted) || wanted.starts_with(plain));
    if (starts_alike && !plain.empty()) score = std::min<std::size_t>(score, 4);
    if (score <= std::max<std::size_t>(2, wanted.size() * 2 / 3)) scored.push_back({score, &candidate});
  }
  std::ranges::stable_sort(scored, {}, &Scored::score);
  std::vector<std::string> names;
  for (const Scored& entry : scored | std::views::take(most)) names.push_back(*entry.name);
  return names;
}

}  // namespace helve

#include "code/name_match.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::code {
namespace {

bool is_separator(char c) { return c == '_' || c == '-' || c == '$' || c == ' '; }

bool same_letters(std::string_view letters, std::string_view name) {
  std::size_t at = 0;
  for (const char c : name) {
    if (is_separator(c)) continue;
    if (at == letters.size() || letters[at] != to_lower(c)) return false;
    ++at;
  }
  return at == letters.size() && at > 0;
}

bool starts_with_lower(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), name.begin(),
                                                    [](char p, char n) { return p == to_lower(n); });
}

std::size_t find_lower(std::string_view name, std::string_view part) {
  if (part.size() > name.size()) return std::string_view::npos;
  for (std::size_t at = 0; at + part.size() <= name.size(); ++at)
    if (starts_with_lower(name.substr(at), part)) return at;
  return std::string_view::npos;
}

// Whether a word of the name begins at i: symbolIndex, SYMBOL_INDEX, HTTPServer.
bool is_hump(std::string_view name, std::size_t i) {
  if (is_separator(name[i])) return false;
  if (i == 0 || is_separator(name[i - 1])) return true;
  if (is_digit(name[i])) return !is_digit(name[i - 1]);
  if (!is_upper(name[i])) return false;
  return !is_upper(name[i - 1]) || (i + 1 < name.size() && !is_upper(name[i + 1]) &&
                                    !is_separator(name[i + 1]) && !is_digit(name[i + 1]));
}

// Whether the letters are beginnings of the name's words, in order: si, symIn → SymbolIndex. Words may be
// skipped, but not the first. Failed states are remembered, which avoids exponential time.
class HumpMatch {
 public:
  static bool fits(std::string_view letters, std::string_view name) {
    name = name.substr(0, kMostPlaces);
    if (letters.size() > kMostLetters) return false;
    for (std::size_t i = 0; i < name.size(); ++i)
      if (is_hump(name, i))
        return to_lower(name[i]) == letters.front() && HumpMatch(letters, name).fits_word(0, i);
    return false;
  }

 private:
  HumpMatch(std::string_view letters, std::string_view name) : letters_(letters), name_(name) {}

  // Whether the letters from `used` on match this word and the following ones.
  bool fits_word(std::size_t used, std::size_t at) {
    if (to_lower(name_[at]) != letters_[used]) return false;
    std::size_t length = 1;
    while (used + length < letters_.size() && at + length < name_.size() &&
           to_lower(name_[at + length]) == letters_[used + length] && !is_hump(name_, at + length))
      ++length;
    for (; length > 0; --length)
      if (fits_rest(used + length, at + length)) return true;
    return false;
  }

  bool fits_rest(std::size_t used, std::size_t from) {
    if (used == letters_.size()) return true;
    if (from >= name_.size()) return false;
    const std::uint64_t bit = std::uint64_t{1} << used;
    if ((failed_[from] & bit) != 0) return false;
    for (std::size_t i = from; i < name_.size(); ++i)
      if (is_hump(name_, i) && fits_word(used, i)) return true;
    failed_[from] |= bit;
    return false;
  }

  static constexpr std::size_t kMostLetters = 64;
  static constexpr std::size_t kMostPlaces = 256;
  const std::string_view letters_;
  const std::string_view name_;
  std::array<std::uint64_t, kMostPlaces> failed_{};  // by place, a bit for each number of used letters
};

// The gaps between the letters found in order; nothing if some are missing.
std::optional<std::size_t> match_loose(std::string_view letters, std::string_view name) {
  std::size_t at = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (to_lower(name[i]) != letters[at]) continue;
    if (at == 0) first = i;
    if (++at == letters.size()) return i + 1 - first - letters.size() + first;
  }
  return std::nullopt;
}

// The letters that occur, as bits.
std::uint32_t letter_set(std::string_view name) {
  std::uint32_t set = 0;
  for (const char c : name) set |= std::uint32_t{1} << (static_cast<unsigned char>(to_lower(c)) & 31U);
  return set;
}

int shorter_is_better(std::string_view name, std::size_t typed) {
  return -static_cast<int>(std::min<std::size_t>(name.size() > typed ? name.size() - typed : 0, 60));
}

}  // namespace

std::string_view to_string(NameFit fit) {
  static constexpr auto kNames =
      std::to_array<std::string_view>({"exact", "same letters", "prefix", "humps", "part", "loose", "typo"});
  return kNames[static_cast<std::size_t>(fit)];
}

NameQuery NameQuery::of_file(std::string_view text) {
  NameQuery query("");
  query.set_name(std::string(trim(text)));
  return query;
}

void NameQuery::set_name(std::string name) {
  name_ = std::move(name);
  lower_ = to_lower(name_);
  letter_set_ = letter_set(lower_);
  for (const char c : lower_)
    if (!is_separator(c)) letters_ += c;
}

NameQuery::NameQuery(std::string_view text) {
  std::string whole(trim(text));
  if (whole.ends_with("()")) whole.resize(whole.size() - 2);
  for (const std::string_view separator : {"::", "->", "/", "#", "\\"})
    whole = replace_all(whole, separator, ".");
  const std::size_t dot = whole.rfind('.');
  if (dot != std::string::npos && dot > 0 && dot + 1 < whole.size()) {
    container_ = to_lower(std::string_view(whole).substr(0, dot));
    whole.erase(0, dot + 1);
  }
  set_name(std::move(whole));
}

std::optional<NameScore> NameQuery::match(std::string_view name, std::string_view container,
                                          Typos slips) const {
  if (letters_.empty() || name.empty()) return std::nullopt;
  if (!container_.empty()) {
    // The query's container must match the last parts: Store matches db.Store and db::Store.
    const std::string whole = replace_all(to_lower(container), "::", ".");
    if (!whole.ends_with(container_)) return std::nullopt;
    if (whole.size() > container_.size() && whole[whole.size() - container_.size() - 1] != '.')
      return std::nullopt;
  }
  if (name == name_) return NameScore{NameFit::kExact, 1000};
  // Every match without typos has all the letters in order.
  const auto gaps = match_loose(letters_, name);
  if (gaps) {
    if (same_letters(letters_, name))
      return NameScore{NameFit::kSameLetters, name.size() == name_.size() ? 960 : 940};
    if (starts_with_lower(name, lower_))
      return NameScore{NameFit::kPrefix,
                       (name.starts_with(name_) ? 860 : 840) + shorter_is_better(name, lower_.size())};
    if (letters_.size() >= 2 && HumpMatch::fits(letters_, name))
      return NameScore{NameFit::kHumps, 700 + shorter_is_better(name, letters_.size())};
    if (letters_.size() >= 3)
      if (const std::size_t at = find_lower(name, lower_); at != std::string_view::npos)
        return NameScore{NameFit::kPart,
                         (is_hump(name, at) ? 600 : 500) + shorter_is_better(name, lower_.size())};
    if (letters_.size() >= 4)
      if (*gaps <= letters_.size())
        return NameScore{NameFit::kLoose,
                         300 - 5 * static_cast<int>(*gaps) + shorter_is_better(name, letters_.size())};
  }
  if (slips == Typos::kIgnore) return std::nullopt;
  // One letter in short names, two in long ones.
  const std::size_t most = letters_.size() >= 8 ? 2 : 1;
  const std::size_t difference =
      name.size() > lower_.size() ? name.size() - lower_.size() : lower_.size() - name.size();
  if (letters_.size() < 4 || difference > most || to_lower(name.front()) != lower_.front())
    return std::nullopt;
  // Each typo adds at most one letter and removes at most one.
  if (static_cast<std::size_t>(std::popcount(letter_set_ ^ letter_set(name))) > 2 * most) return std::nullopt;
  const std::size_t distance = edit_distance(lower_, to_lower(name));
  if (distance <= most) return NameScore{NameFit::kTypo, 420 - 40 * static_cast<int>(distance)};
  return std::nullopt;
}

}  // namespace helve::code

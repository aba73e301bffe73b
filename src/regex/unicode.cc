#include "regex/unicode.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/strings.h"
#include "regex/unicode_tables.h"

namespace helve::regex {
namespace {

// Reads a number from the tables: base 32, low digits first; 32 is added to a digit if another follows.
char32_t take_number(std::string_view& text) {
  char32_t value = 0;
  for (unsigned shift = 0; !text.empty(); shift += 5) {
    const auto digit = static_cast<char32_t>(text.front() - '0');
    text.remove_prefix(1);
    value |= (digit & 31) << shift;
    if (digit < 32) break;
  }
  return value;
}

CodeSet unpack(std::string_view text) {
  std::vector<CodeRange> ranges;
  char32_t next = 0;
  while (!text.empty()) {
    const char32_t first = next + take_number(text);
    const char32_t last = first + take_number(text);
    ranges.push_back({first, last});
    next = last + 1;
  }
  return CodeSet(ranges);
}

// Normalises as Rust's regex crate does: ignores case, spaces, -, _ and a leading `is`. "isc" is a separate
// name.
std::string normalised(std::string_view name) {
  const bool starts_with_is =
      name.size() >= 2 && (name[0] == 'i' || name[0] == 'I') && (name[1] == 's' || name[1] == 'S');
  if (starts_with_is) name.remove_prefix(2);
  std::string plain;
  for (const char c : name) {
    if (c == ' ' || c == '_' || c == '-' || static_cast<unsigned char>(c) >= 0x80) continue;
    plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (starts_with_is && plain == "c") return "isc";
  return plain;
}

// Compares the names in place, without copies: a pattern may use many properties, and each lookup reads all
// names.
bool has_name(const UnicodeProperty& property, std::string_view normalised_name) {
  std::size_t matched = 0;
  bool equal = true;
  for (const char c : property.names) {
    if (c == '|') {
      if (equal && matched == normalised_name.size()) return true;
      matched = 0;
      equal = true;
    } else if (c != '_' && equal) {
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      equal = matched < normalised_name.size() && normalised_name[matched] == lower;
      ++matched;
    }
  }
  return equal && matched == normalised_name.size();
}

const UnicodeProperty* find_row(std::string_view key, std::string_view normalised_name) {
  for (const UnicodeProperty& property : unicode_properties()) {
    if (property.key == key && has_name(property, normalised_name)) return &property;
  }
  return nullptr;
}

// The table key of a property that has values; empty if it has none.
std::string_view key_of(std::string_view normalised_name) {
  struct Key {
    std::string_view key;
    std::string_view long_name;
  };
  static constexpr Key kKeys[] = {
      {"gc", "generalcategory"},       {"sc", "script"},    {"scx", "scriptextensions"}, {"age", "age"},
      {"gcb", "graphemeclusterbreak"}, {"wb", "wordbreak"}, {"sb", "sentencebreak"},
  };
  for (const auto& [key, long_name] : kKeys) {
    if (normalised_name == key || normalised_name == long_name) return key;
  }
  return {};
}

std::optional<CodeSet> find_category(std::string_view name) {
  if (name == "any") return CodeSet::everything();
  if (name == "ascii") return CodeSet({{{0, 0x7F}}});
  if (name == "assigned") return unpack(find_row("gc", "cn")->ranges).complement();
  if (const UnicodeProperty* row = find_row("gc", name)) return unpack(row->ranges);
  return std::nullopt;
}

// All code points of a version of Unicode, including those of older versions.
std::optional<CodeSet> find_age(std::string_view version) {
  CodeSet so_far;
  for (const UnicodeProperty& property : unicode_properties()) {
    if (property.key != "age") continue;
    so_far.add(unpack(property.ranges));
    if (has_name(property, version)) return so_far;
  }
  return std::nullopt;
}

struct OtherCase {
  char32_t code;
  char32_t next;
};

const std::vector<OtherCase>& case_orbits() {
  static const std::vector<OtherCase> orbits = [] {
    std::vector<OtherCase> unpacked;
    std::string_view text = unicode_case_orbits();
    char32_t expected = 0;
    while (!text.empty()) {
      const char32_t code = expected + take_number(text);
      const char32_t distance = take_number(text);
      unpacked.push_back({code, distance % 2 == 0 ? code + distance / 2 : code - distance / 2});
      expected = code + 1;
    }
    return unpacked;
  }();
  return orbits;
}

// One bit per code point in pages of 256. A page that equals the one before it is shared.
class WordBitmap {
 public:
  WordBitmap() {
    const auto ranges = word_characters().ranges();
    auto range = ranges.begin();
    for (char32_t page = 0; page < kPages; ++page) {
      const char32_t first = page * 256;
      const char32_t last = first + 255;
      Page bits{};
      while (range != ranges.end() && range->first <= last) {
        fill(bits, std::max(range->first, first), std::min(range->last, last));
        if (range->last > last) break;
        ++range;
      }
      if (pages_.empty() || bits != pages_.back()) pages_.push_back(bits);
      page_of_[page] = static_cast<std::uint16_t>(pages_.size() - 1);
    }
  }

  [[nodiscard]] bool contains(char32_t code) const {
    if (code > kLastCodePoint) return false;
    return (pages_[page_of_[code / 256]][code / 64 % 4] >> (code % 64) & 1) != 0;
  }

 private:
  static constexpr std::size_t kPages = 0x1100;
  using Page = std::array<std::uint64_t, 4>;

  static void fill(Page& bits, char32_t first, char32_t last) {
    for (char32_t code = first; code <= last;) {
      const char32_t stop = std::min<char32_t>(last, code | 63);  // up to the next multiple of 64
      bits[code / 64 % 4] |= ~std::uint64_t{0} >> (63 - (stop - code)) << (code % 64);
      code = stop + 1;
    }
  }

  std::array<std::uint16_t, kPages> page_of_{};
  std::vector<Page> pages_;
};

}  // namespace

std::optional<CodeSet> find_property(std::string_view name) {
  const std::string wanted = normalised(name);
  // These three also name properties with values, but alone they mean categories.
  if (wanted != "cf" && wanted != "sc" && wanted != "lc") {
    if (const UnicodeProperty* row = find_row("", wanted)) return unpack(row->ranges);
  }
  if (auto category = find_category(wanted)) return category;
  if (const UnicodeProperty* row = find_row("sc", wanted)) return unpack(row->ranges);
  return std::nullopt;
}

std::optional<CodeSet> find_property(std::string_view name, std::string_view value) {
  const std::string_view key = key_of(normalised(name));
  const std::string wanted = normalised(value);
  if (key.empty()) return std::nullopt;
  if (key == "gc") return find_category(wanted);
  if (key == "age") return find_age(wanted);
  const UnicodeProperty* row = find_row(key, wanted);
  if (row == nullptr && key == "scx") row = find_row("sc", wanted);
  if (row == nullptr) return std::nullopt;
  return unpack(row->ranges);
}

bool has_property_values(std::string_view name) { return !key_of(normalised(name)).empty(); }

namespace {
// Adds the longest name of each property, which is the most descriptive.
void append_long_names(std::vector<std::string>& names, std::string_view key) {
  for (const UnicodeProperty& property : unicode_properties()) {
    if (property.key == key) {
      names.emplace_back(std::ranges::max(split(property.names, '|'), {}, &std::string_view::size));
    }
  }
}
}  // namespace

std::vector<std::string> property_names() {
  std::vector<std::string> names = {"Any", "Assigned", "ASCII"};
  for (const std::string_view key : {"", "gc", "sc"}) append_long_names(names, key);
  return names;
}

std::vector<std::string> property_values(std::string_view name) {
  const std::string_view key = key_of(normalised(name));
  std::vector<std::string> names;
  if (!key.empty()) append_long_names(names, key == "scx" ? "sc" : key);
  return names;
}

const CodeSet& word_characters() {
  static const CodeSet set = unpack(unicode_word_ranges());
  return set;
}

const CodeSet& decimal_digits() {
  static const CodeSet set = unpack(find_row("gc", "nd")->ranges);
  return set;
}

const CodeSet& white_space() {
  static const CodeSet set = unpack(find_row("", "whitespace")->ranges);
  return set;
}

bool detail::is_word_character_beyond_ascii(char32_t code) {
  static const WordBitmap bitmap;
  return bitmap.contains(code);
}

CodeSet with_other_cases(const CodeSet& set) {
  const std::vector<OtherCase>& orbits = case_orbits();
  const auto at_or_after = [&](char32_t code) {
    return std::ranges::lower_bound(orbits, code, {}, &OtherCase::code);
  };
  std::vector<CodeRange> ranges(set.ranges().begin(), set.ranges().end());
  for (const CodeRange& range : set.ranges()) {
    for (auto member = at_or_after(range.first); member != orbits.end() && member->code <= range.last;
         ++member) {
      for (char32_t other = member->next; other != member->code; other = at_or_after(other)->next) {
        ranges.push_back({other, other});
      }
    }
  }
  return CodeSet(ranges);
}

}  // namespace helve::regex

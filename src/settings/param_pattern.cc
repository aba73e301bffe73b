#include "settings/param_pattern.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/ascii.h"
#include "base/strings.h"

namespace helve::settings {
namespace {

constexpr std::string_view kDigits = "0-9";
constexpr std::string_view kWordCharacters = "0-9A-Za-z_";
constexpr std::string_view kWhiteSpace =
    R"(\t\n\x0B\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF})";

// Rewrites what ECMAScript and Helve's engine spell differently; everything else is the same in both.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : pattern_(pattern) {}

  std::string translate() {
    // ^ and $ are the ends of the text, not of a line.
    out_ = "(?-m)";
    while (at_ < pattern_.size()) {
      const char c = pattern_[at_++];
      if (c == '\\' && at_ < pattern_.size())
        escape(pattern_[at_++]);
      else if (in_class_)
        class_character(c);
      else
        open_class_or_copy(c);
    }
    return std::move(out_);
  }

 private:
  void open_class_or_copy(char c) {
    out_ += c;
    if (c != '[') return;
    in_class_ = true;
    if (at_ < pattern_.size() && pattern_[at_] == '^') out_ += pattern_[at_++];
  }

  // In a class the engine also knows nested classes and set operations, which ECMAScript does not have.
  void class_character(char c) {
    if (c == ']') in_class_ = false;
    if (c == '[' || c == '&' || c == '~') out_ += '\\';
    out_ += c;
  }

  void escape(char c) {
    switch (c) {
      case 'd': return set(kDigits, "");
      case 'D': return set(kDigits, "^");
      case 'w': return set(kWordCharacters, "");
      case 'W': return set(kWordCharacters, "^");
      case 's': return set(kWhiteSpace, "");
      case 'S': return set(kWhiteSpace, "^");
      case 'u': return code_point();
      case 'c': return control_code();
      case '0': out_ += "\\x00"; return;
      case 'b': out_ += in_class_ ? "\\x08" : "\\b"; return;
      case '/':
      case '<':
      case '>':
      case '_':
      case '\'':
      case '"': out_ += c; return;
      default: out_ += '\\'; out_ += c;
    }
  }

  void set(std::string_view ranges, std::string_view negation) {
    if (in_class_ && negation.empty())
      out_ += ranges;
    else
      out_ += concat("[", negation, ranges, "]");
  }

  // \cJ is a line break.
  void control_code() {
    constexpr unsigned kControlBits = 0x1F;
    if (at_ >= pattern_.size() || !is_letter(pattern_[at_])) {
      out_ += "\\\\c";
      return;
    }
    const unsigned code = static_cast<unsigned char>(pattern_[at_++]) & kControlBits;
    out_ += concat("\\x", code >> 4U, std::string_view("0123456789ABCDEF").substr(code & 0xFU, 1));
  }

  // \uXXXX, two of them for characters beyond U+FFFF, or \u{XXXX}
  void code_point() {
    if (at_ < pattern_.size() && pattern_[at_] == '{') {
      out_ += "\\x";
      return;
    }
    constexpr std::size_t kDigitCount = 4;
    const auto unit_at = [this](std::size_t at) {
      unsigned unit = 0;
      const std::string_view digits = at <= pattern_.size() ? pattern_.substr(at, kDigitCount) : "";
      const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
      return end.ptr == digits.data() + kDigitCount ? unit : 0;
    };
    const unsigned first = unit_at(at_);
    const bool pair_follows =
        pattern_.substr(std::min(at_ + kDigitCount, pattern_.size())).starts_with("\\u");
    const unsigned second = pair_follows ? unit_at(at_ + kDigitCount + 2) : 0;
    std::string digits(pattern_.substr(at_, kDigitCount));
    at_ += digits.size();
    if (first >= 0xD800 && first < 0xDC00 && second >= 0xDC00 && second < 0xE000) {
      char text[8];
      const unsigned code = 0x10000 + ((first - 0xD800) << 10U) + (second - 0xDC00);
      digits.assign(text, std::to_chars(text, text + sizeof text, code, 16).ptr);
      at_ += 2 + kDigitCount;
    }
    out_ += concat("\\x{", digits, "}");
  }

  const std::string_view pattern_;
  std::size_t at_ = 0;
  bool in_class_ = false;
  std::string out_;
};

}  // namespace

Expected<regex::Regex> compile_param_pattern(std::string_view pattern) {
  return regex::Regex::compile(Translator(pattern).translate(), {.across_lines = true});
}

bool matches_param_pattern(std::string_view pattern, std::string_view text) {
  const auto compiled = compile_param_pattern(pattern);
  return !compiled || regex::Finder(*compiled).matches(text);
}

}  // namespace helve::settings

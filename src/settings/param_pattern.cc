#include "settings/param_pattern.h"

#include <string>

#include "base/strings.h"

namespace helve::settings {
namespace {

constexpr std::string_view kDigits = "0-9";
constexpr std::string_view kWordCharacters = "0-9A-Za-z_";

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
      case 'u': return code_point();
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

  // \uXXXX or \u{XXXX}
  void code_point() {
    constexpr std::size_t kDigitCount = 4;
    if (at_ < pattern_.size() && pattern_[at_] == '{') {
      out_ += "\\x";
      return;
    }
    out_ += concat("\\x{", pattern_.substr(at_, kDigitCount), "}");
    at_ += std::min(kDigitCount, pattern_.size() - at_);
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

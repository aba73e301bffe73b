#include "skills/yaml_flow.h"

#include <vector>

#include "base/ascii.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "skills/yaml_scalars.h"

namespace helve::skills {
namespace {

using Kind = YamlNode::Kind;
using FlowParsed = std::expected<YamlNode, FlowFailure>;

bool is_space(char character) {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

class FlowParser {
 public:
  FlowParser(std::string_view text, int line, YamlBudget& budget)
      : text_(text), line_(line), budget_(budget) {}

  FlowParsed parse(int depth) {
    FlowParsed node = parse_value(depth);
    if (!node) return node;
    skip_space();
    if (at_ < text_.size())
      return refuse(concat("there is text after the closing bracket: ", shortened(text_.substr(at_), 40)));
    return node;
  }

 private:
  [[nodiscard]] std::unexpected<FlowFailure> refuse(std::string why, bool is_refused = false) const {
    return std::unexpected(FlowFailure{{line_, true, std::move(why)}, is_refused});
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '#' && (at_ == 0 || is_space(text_[at_ - 1]))) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (is_space(text_[at_])) {
        ++at_;
      } else {
        return;
      }
    }
  }

  FlowParsed parse_value(int depth) {
    skip_space();
    if (depth > YamlBudget::kMostDepth) return refuse("it is nested too deeply");
    if (--budget_.nodes < 0) return refuse("there are too many values");
    switch (peek()) {
      case '[': return parse_list(depth);
      case '{': return parse_map(depth);
      case '"':
      case '\'': return parse_quoted();
      default: return parse_plain();
    }
  }

  FlowParsed parse_list(int depth) {
    const std::size_t start = at_++;
    YamlNode list{.kind = Kind::kList, .line = line_};
    for (skip_space(); peek() != ']'; skip_space()) {
      if (at_ >= text_.size()) return refuse("a [ is never closed");
      if (peek() == ',') return refuse("a value is missing before a comma");
      FlowParsed item = parse_value(depth + 1);
      if (!item) return item;
      list.items.push_back(*std::move(item));
      skip_space();
      if (peek() == ',')
        ++at_;
      else if (peek() != ']')
        return refuse("a , or ] is missing in a list");
    }
    ++at_;
    list.text = text_.substr(start, at_ - start);
    return list;
  }

  FlowParsed parse_map(int depth) {
    const std::size_t start = at_++;
    YamlNode map{.kind = Kind::kMap, .line = line_};
    for (skip_space(); peek() != '}'; skip_space()) {
      if (at_ >= text_.size()) return refuse("a { is never closed");
      if (--budget_.nodes < 0) return refuse("there are too many values");
      const int key_line = line_;
      FlowParsed key = peek() == '"' || peek() == '\'' ? parse_quoted() : parse_plain();
      if (!key) return key;
      YamlNode value{.line = key_line};
      skip_space();
      if (peek() == ':') {
        ++at_;
        skip_space();
        if (peek() != ',' && peek() != '}') {
          FlowParsed parsed = parse_value(depth + 1);
          if (!parsed) return parsed;
          value = *std::move(parsed);
        }
      }
      value.key = std::move(key->text);
      value.line = key_line;
      if (map.find(value.key) == nullptr) map.items.push_back(std::move(value));
      skip_space();
      if (peek() == ',')
        ++at_;
      else if (peek() != '}')
        return refuse("a , or } is missing in a map");
    }
    ++at_;
    map.text = text_.substr(start, at_ - start);
    return map;
  }

  FlowParsed parse_quoted() {
    const std::string_view rest = text_.substr(at_);
    auto quoted = read_quoted(rest.substr(0, rest.find('\n')), {});
    if (!quoted) {
      const std::vector<YamlLine> lines = split_yaml_lines(rest, line_);
      quoted = read_quoted(lines.front().whole, std::span(lines).subspan(1));
    }
    if (!quoted) return refuse("a quote is never closed");
    const int line = line_;
    line_ += static_cast<int>(quoted->lines) - 1;
    // `rest` is a part of the text, so its position shows where the scalar ends.
    at_ = static_cast<std::size_t>(quoted->rest.data() - text_.data());
    return YamlNode{.kind = Kind::kText, .line = line, .text = quoted->text};
  }

  FlowParsed parse_plain() {
    const std::size_t start = at_;
    const int line = line_;
    while (at_ < text_.size()) {
      const char here = text_[at_];
      if (here == ',' || here == '[' || here == ']' || here == '{' || here == '}' || here == '\n') break;
      const char next = at_ + 1 < text_.size() ? text_[at_ + 1] : ' ';
      if (here == ':' && (is_space(next) || next == ',' || next == ']' || next == '}')) break;
      if (here == '#' && at_ > start && is_space(text_[at_ - 1])) break;
      ++at_;
    }
    const std::string_view text = trim(text_.substr(start, at_ - start));
    if (text.empty()) return refuse("a value is missing");
    if (std::string why = refused_indicator(text); !why.empty()) return refuse(std::move(why), true);
    return YamlNode{.kind = Kind::kPlain, .line = line, .text = std::string(text)};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_;
  YamlBudget& budget_;
};

}  // namespace

FlowParsed parse_flow(std::string_view text, int line, int depth, YamlBudget& budget) {
  return FlowParser(text, line, budget).parse(depth);
}

void FlowBalance::add(std::string_view text) {
  for (const char here : text) {
    if (closed_) return;
    if (escaped_) {
      escaped_ = false;
    } else if (quote_ != '\0') {
      escaped_ = quote_ == '"' && here == '\\';
      if (here == quote_) quote_ = '\0';
    } else {
      // Inside a plain scalar, as in `don't`, a quote is an ordinary character.
      const bool starts_value = is_space(before_) || std::string_view("[]{},:").find(before_) != kNone;
      if ((here == '"' || here == '\'') && starts_value) quote_ = here;
      if (here == '[' || here == '{') ++open_;
      if (here == ']' || here == '}') closed_ = --open_ <= 0;
    }
    before_ = here;
  }
}

std::string refused_indicator(std::string_view text) {
  if (text.starts_with('!'))
    return "it starts with a tag (!), and tags are not supported; put the value in quotes";
  if (!text.starts_with('*') && !text.starts_with('&')) return {};
  std::size_t end = 1;
  while (end < text.size() && (is_letter_or_digit(text[end]) || text[end] == '_' || text[end] == '-')) ++end;
  const bool is_alias = text.front() == '*' && end > 1 && end == text.size();
  const bool is_anchor = text.front() == '&' && end > 1 && (end == text.size() || text[end] == ' ');
  if (is_alias) return "it is an alias (*), and aliases are not supported; put the value in quotes";
  if (is_anchor)
    return "it starts with an anchor (&), and anchors are not supported; put the value in quotes";
  return {};
}

}  // namespace helve::skills

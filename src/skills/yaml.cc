#include "skills/yaml.h"

#include <algorithm>
#include <expected>
#include <optional>
#include <span>

#include "base/strings.h"
#include "base/utf8.h"
#include "skills/yaml_flow.h"
#include "skills/yaml_scalars.h"

namespace helve::skills {
namespace {

using Kind = YamlNode::Kind;
using Parsed = std::expected<YamlNode, YamlNote>;

// Each invalid entry can require a scan of the remaining text, so their number is limited.
constexpr std::size_t kMostNotes = 40;

bool starts_item(std::string_view content) { return content == "-" || content.starts_with("- "); }

class BlockParser {
 public:
  BlockParser(std::string_view text, int first_line) : lines_(split_yaml_lines(text, first_line)) {}

  YamlDocument parse() {
    skip_blank();
    document_.map = {.kind = Kind::kMap, .line = at_ < lines_.size() ? lines_[at_].number : 0};
    const std::size_t indent = at_ < lines_.size() ? lines_[at_].indent : 0;
    for (; at_ < lines_.size() && document_.notes.size() < kMostNotes; skip_blank()) {
      const std::size_t start = at_;
      if (auto entry = parse_entry(indent, 0)) {
        keep(document_.map, *std::move(entry));
        continue;
      } else {
        document_.notes.push_back(std::move(entry.error()));
      }
      at_ = start + 1;
      while (at_ < lines_.size() && !may_start_entry(lines_[at_], indent)) ++at_;
    }
    if (document_.notes.size() >= kMostNotes)
      document_.notes.push_back({at_ < lines_.size() ? lines_[at_].number : 0, true,
                                 "there are too many problems; the rest is ignored"});
    return std::move(document_);
  }

 private:
  static bool may_start_entry(const YamlLine& line, std::size_t indent) {
    return !line.is_blank() && !line.tab_indented && line.indent == indent &&
           find_key_end(line.content) != kNone;
  }

  [[nodiscard]] std::unexpected<YamlNote> refuse(int line, std::string why) const {
    return std::unexpected(YamlNote{line, true, std::move(why)});
  }
  void note(int line, std::string text) { document_.notes.push_back({line, false, std::move(text)}); }

  void skip_blank() {
    while (at_ < lines_.size() && (lines_[at_].is_blank() || lines_[at_].is_comment())) ++at_;
  }

  // The next line that is not blank or a comment; null at the end.
  const YamlLine* next_line() {
    skip_blank();
    return at_ < lines_.size() ? &lines_[at_] : nullptr;
  }

  void keep(YamlNode& map, YamlNode entry) {
    if (map.find(entry.key) != nullptr)
      return note(entry.line, concat(shortened(entry.key, 40), " is defined twice; the first one is used"));
    map.items.push_back(std::move(entry));
  }

  Parsed parse_entry(std::size_t indent, int depth) {
    const YamlLine line = lines_[at_];
    if (line.tab_indented) return refuse(line.number, "it is indented with a tab; use spaces");
    if (line.indent != indent)
      return refuse(line.number, "its indentation does not match the lines around it");
    if (starts_item(line.content)) return refuse(line.number, "expected a key, found a list item");
    std::size_t colon = find_key_end(line.content);
    if (colon == kNone && depth == 0) {
      // `name:value` is text in YAML.
      const std::size_t end = line.content.find_first_not_of("abcdefghijklmnopqrstuvwxyz-");
      if (end != kNone && end > 0 && line.content[end] == ':') {
        colon = end;
        note(line.number, "add a space after the colon");
      }
    }
    if (colon == kNone)
      return refuse(line.number, concat("it is not a `key: value`: ", shortened(line.content, 40)));
    std::string key = key_text(line.content.substr(0, colon));
    if (key.starts_with("? ")) return refuse(line.number, "keys with ? are not supported");
    Parsed value = parse_value(trim(line.content.substr(colon + 1)), indent, depth, true);
    if (!value)
      return refuse(value.error().line, concat(shortened(key, 40), " cannot be read: ", value.error().text));
    value->key = std::move(key);
    value->line = line.number;
    return value;
  }

  static std::string key_text(std::string_view key) {
    key = trim(key);
    if (!key.starts_with('"') && !key.starts_with('\'')) return std::string(key);
    const auto quoted = read_quoted(key, {});
    return quoted ? quoted->text : std::string(key);
  }

  // Parses a value that starts on the current line with `text`, and moves to the line after it. `in_map`: it
  // belongs to a key, so a list below it need not be indented further.
  Parsed parse_value(std::string_view text, std::size_t indent, int depth, bool in_map) {
    const int line = lines_[at_].number;
    if (--budget_.nodes < 0) return refuse(line, "there are too many values");
    if (depth >= YamlBudget::kMostDepth) return refuse(line, "it is nested too deeply");
    if (without_comment(text).empty()) return parse_below(line, indent, depth, in_map);
    if (std::string why = refused_indicator(without_comment(text)); !why.empty())
      return refuse(line, std::move(why));
    switch (text.front()) {
      case '|':
      case '>':
        if (const auto header = read_block_header(text)) {
          const BlockScalar block = read_block(*header, indent, std::span(lines_).subspan(at_ + 1));
          at_ += 1 + block.lines;
          return YamlNode{.kind = Kind::kText, .line = line, .text = block.text};
        }
        return parse_plain(text, indent);
      case '"':
      case '\'': return parse_quoted(text, indent);
      case '[':
      case '{': return parse_brackets(text, indent, depth);
      default: return parse_plain(text, indent);
    }
  }

  Parsed parse_below(int line, std::size_t indent, int depth, bool in_map) {
    ++at_;
    const YamlLine* next = next_line();
    const bool is_list = next != nullptr && starts_item(next->content);
    const bool is_inner =
        next != nullptr && (next->indent > indent || (in_map && is_list && next->indent == indent));
    if (next != nullptr && next->tab_indented)
      return refuse(next->number, "it is indented with a tab; use spaces");
    if (!is_inner) return YamlNode{.kind = Kind::kPlain, .line = line};
    return parse_block(depth + 1);
  }

  // Parses the list, map or text that starts on the current line.
  Parsed parse_block(int depth) {
    const YamlLine& first = lines_[at_];
    if (depth >= YamlBudget::kMostDepth) return refuse(first.number, "it is nested too deeply");
    if (starts_item(first.content)) return parse_list(first.indent, depth);
    if (find_key_end(first.content) == kNone)
      return parse_value(first.content, first.indent == 0 ? 0 : first.indent - 1, depth, false);
    YamlNode map{.kind = Kind::kMap, .line = first.number};
    const std::size_t indent = first.indent;
    for (const YamlLine* line = next_line();
         line != nullptr && (line->indent >= indent || line->tab_indented); line = next_line()) {
      auto entry = parse_entry(indent, depth);
      if (!entry) return entry;
      keep(map, *std::move(entry));
    }
    return map;
  }

  Parsed parse_list(std::size_t indent, int depth) {
    YamlNode list{.kind = Kind::kList, .line = lines_[at_].number};
    for (const YamlLine* line = next_line();
         line != nullptr && line->indent == indent && starts_item(line->content); line = next_line()) {
      Parsed item = parse_item(indent, depth);
      if (!item) return item;
      list.items.push_back(*std::move(item));
    }
    const YamlLine* next = next_line();
    if (next != nullptr && next->indent > indent)
      return refuse(next->number, "its indentation does not match the lines around it");
    return list;
  }

  Parsed parse_item(std::size_t indent, int depth) {
    YamlLine& line = lines_[at_];
    std::size_t gap = 1;
    while (gap < line.content.size() && line.content[gap] == ' ') ++gap;
    const std::string_view rest = line.content.substr(gap);
    if (!starts_item(rest) && find_key_end(rest) == kNone) return parse_value(rest, indent, depth + 1, false);
    // A map or list that starts after the dash continues below with the same indentation.
    line.indent += gap;
    line.content = rest;
    if (--budget_.nodes < 0) return refuse(line.number, "there are too many values");
    return parse_block(depth + 1);
  }

  Parsed parse_quoted(std::string_view text, std::size_t indent) {
    const int line = lines_[at_].number;
    auto quoted = read_quoted(text, std::span(lines_).subspan(at_ + 1));
    if (!quoted) return refuse(line, "the quote is never closed");
    if (!without_comment(quoted->rest).empty()) {
      if (quoted->lines > 1) return refuse(line, "there is text after the closing quote");
      note(line, "there is text after the closing quote, so the quotes were read as text");
      return parse_plain(text, indent, false);
    }
    if (!quoted->odd_escape.empty())
      note(line, concat("\"", quoted->odd_escape, "\" is not a YAML escape; it was kept as written"));
    at_ += quoted->lines;
    return YamlNode{.kind = Kind::kText, .line = line, .text = std::move(quoted->text)};
  }

  Parsed parse_brackets(std::string_view text, std::size_t indent, int depth) {
    const int line = lines_[at_].number;
    std::string all(text);
    FlowBalance balance;
    balance.add(text);
    std::size_t end = at_ + 1;
    for (bool closes = false; !closes && !balance.is_closed() && end < lines_.size(); ++end) {
      const YamlLine& more = lines_[end];
      if (!more.is_blank() && !more.tab_indented && more.indent <= indent) {
        // The closing bracket is often aligned with the key.
        closes = more.content.starts_with(']') || more.content.starts_with('}');
        if (!closes) break;
      }
      const std::string piece = concat("\n", more.content);
      balance.add(piece);
      all += piece;
    }
    auto node = parse_flow(all, line, depth, budget_);
    if (node) {
      at_ = end;
      return *std::move(node);
    }
    // Argument hints are often written as `[file] [line]`.
    const FlowFailure& failure = node.error();
    if (end > at_ + 1 || failure.is_refused) return std::unexpected(failure.note);
    note(line, concat("it was read as text because ", failure.note.text, "; put it in quotes"));
    return parse_plain(text, indent, false);
  }

  // Unquoted text, which continues in lines that are indented further.
  Parsed parse_plain(std::string_view text, std::size_t indent, bool tell = true) {
    YamlNode node{
        .kind = Kind::kPlain, .line = lines_[at_].number, .text = std::string(without_comment(text))};
    const bool odd_start = std::string_view("@`%|>*&").find(node.text.front()) != kNone;
    if (tell && odd_start)
      note(node.line, concat("a value that starts with ", node.text.substr(0, 1), " should be in quotes"));
    bool has_colon = find_key_end(node.text) != kNone;
    std::size_t blank_lines = 0;
    std::size_t end = at_ + 1;
    for (std::size_t i = at_ + 1; i < lines_.size(); ++i) {
      const YamlLine& line = lines_[i];
      if (line.is_blank()) {
        ++blank_lines;
        continue;
      }
      if (line.tab_indented) return refuse(line.number, "it is indented with a tab; use spaces");
      if (line.indent <= indent || line.is_comment()) break;
      const std::string_view more = without_comment(line.content);
      has_colon = has_colon || find_key_end(more) != kNone;
      node.text += blank_lines > 0 ? std::string(blank_lines, '\n') : std::string(" ");
      node.text += more;
      blank_lines = 0;
      end = i + 1;
    }
    if (tell && has_colon) note(node.line, "a value with a colon in it should be in quotes");
    if (end > at_ + 1 || !tell || odd_start || has_colon) node.kind = Kind::kText;
    at_ = end;
    return node;
  }

  std::vector<YamlLine> lines_;
  std::size_t at_ = 0;
  YamlBudget budget_;
  YamlDocument document_;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view wanted) const {
  const auto found = std::ranges::find(items, wanted, &YamlNode::key);
  return found == items.end() ? nullptr : &*found;
}

YamlDocument parse_yaml(std::string_view text, int first_line) {
  return BlockParser(text, first_line).parse();
}

Json to_json(const YamlNode& node) {
  switch (node.kind) {
    case Kind::kPlain:
    case Kind::kText: return node.text;
    case Kind::kList: {
      JsonArray list;
      for (const YamlNode& item : node.items) list.push_back(to_json(item));
      return list;
    }
    case Kind::kMap: {
      JsonObject object;
      for (const YamlNode& item : node.items) object.append(item.key, to_json(item));
      return object;
    }
  }
  return {};
}

}  // namespace helve::skills

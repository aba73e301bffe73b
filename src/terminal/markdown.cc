#include "terminal/markdown.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/strings.h"
#include "terminal/highlight.h"

namespace helve::terminal {
namespace {

bool is_in_word(char c) { return is_letter_or_digit(c) || static_cast<unsigned char>(c) >= 0x80; }
bool is_blank(char c) { return c == ' ' || c == '\t'; }

class Inline {
 public:
  Inline(Line& line, std::string_view text, Style style) : line_(line), text_(text), style_(style) {}

  void run(int depth) {
    while (at_ < text_.size()) {
      const bool special = escape() || code() || (depth < kDeepest && (emphasis(depth) || link(depth)));
      if (!special) plain_ += text_[at_++];
    }
    flush();
  }

 private:
  static constexpr int kDeepest = 8;

  void flush() {
    line_.add(plain_, style_);
    plain_.clear();
  }

  bool escape() {
    if (text_[at_] != '\\' || at_ + 1 >= text_.size() ||
        std::string_view("\\`*_{}[]()#+-.!|<>~").find(text_[at_ + 1]) == std::string_view::npos)
      return false;
    plain_ += text_[at_ + 1];
    at_ += 2;
    return true;
  }

  bool code() {
    std::size_t ticks = 0;
    while (at_ + ticks < text_.size() && text_[at_ + ticks] == '`') ++ticks;
    if (ticks == 0) return false;
    const std::string fence(ticks, '`');
    std::size_t end = text_.find(fence, at_ + ticks);
    // The closing run must have the same length.
    while (end != std::string_view::npos && end + ticks < text_.size() && text_[end + ticks] == '`') {
      while (end < text_.size() && text_[end] == '`') ++end;
      end = text_.find(fence, end);
    }
    if (end == std::string_view::npos) {
      plain_ += fence;
      at_ += ticks;
      return true;
    }
    flush();
    std::string_view inside = text_.substr(at_ + ticks, end - at_ - ticks);
    if (inside.size() > 2 && inside.front() == ' ' && inside.back() == ' ')
      inside = inside.substr(1, inside.size() - 2);
    Style style = style_;
    style.colour = Colour::kCyan;
    line_.add(inside, style);
    at_ = end + ticks;
    return true;
  }

  bool emphasis(int depth) {
    const char mark = text_[at_];
    if (mark != '*' && mark != '_') return false;
    std::size_t length = 1;
    while (length < 3 && at_ + length < text_.size() && text_[at_ + length] == mark) ++length;
    const std::size_t begin = at_ + length;
    // Emphasis opens before a word. An underscore inside a word (snake_case) is not emphasis.
    if (begin >= text_.size() || is_blank(text_[begin])) return false;
    if (mark == '_' && at_ > 0 && is_in_word(text_[at_ - 1])) return false;
    const std::string fence(length, mark);
    for (std::size_t end = text_.find(fence, begin); end != std::string_view::npos;
         end = text_.find(fence, end + 1)) {
      const std::size_t after = end + length;
      if (end == begin || is_blank(text_[end - 1])) continue;
      if (after < text_.size() && text_[after] == mark) continue;
      if (mark == '_' && after < text_.size() && is_in_word(text_[after])) continue;
      flush();
      Style style = style_;
      if (length >= 2) style.bold = true;
      if (length != 2) style.italic = true;
      Inline(line_, text_.substr(begin, end - begin), style).run(depth + 1);
      at_ = after;
      return true;
    }
    return false;
  }

  bool link(int depth) {
    if (text_[at_] != '[') return false;
    const std::size_t close = text_.find("](", at_);
    if (close == std::string_view::npos) return false;
    const std::size_t end = text_.find(')', close);
    const std::string_view words = text_.substr(at_ + 1, close - at_ - 1);
    if (end == std::string_view::npos || words.empty() || words.contains('[')) return false;
    flush();
    const std::string_view target = text_.substr(close + 2, end - close - 2);
    Style style = style_;
    style.underline = true;
    Inline(line_, words, style).run(depth + 1);
    // The address is always shown, because the link text may be misleading.
    if (target != words) line_.add(concat(" (", target, ")"), {Colour::kDim});
    at_ = end + 1;
    return true;
  }

  Line& line_;
  std::string_view text_;
  Style style_;
  std::size_t at_ = 0;
  std::string plain_;
};

// Appends text with inline Markdown (emphasis, code, links) to the line; its marks become styles.
void add_inline(Line& line, std::string_view text, const Style& style = {}) {
  // Longer lines are not parsed, because the search for closing marks is quadratic.
  constexpr std::size_t kMaxParsedBytes = std::size_t{4} << 10;
  if (text.size() > kMaxParsedBytes)
    line.add(text, style);
  else
    Inline(line, text, style).run(0);
}

constexpr std::string_view kCodeIndent = "  ";
constexpr std::size_t kMostCode = std::size_t{64} << 10;  // highlighted again for each line

// Common language names after a fence → the ids of highlight().
constexpr auto kAliases =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"py", "python"},
                                                                  {"python3", "python"},
                                                                  {"js", "javascript"},
                                                                  {"jsx", "javascriptreact"},
                                                                  {"mjs", "javascript"},
                                                                  {"ts", "typescript"},
                                                                  {"tsx", "typescriptreact"},
                                                                  {"sh", "shellscript"},
                                                                  {"bash", "shellscript"},
                                                                  {"shell", "shellscript"},
                                                                  {"zsh", "shellscript"},
                                                                  {"console", "shellscript"},
                                                                  {"c++", "cpp"},
                                                                  {"cc", "cpp"},
                                                                  {"h", "cpp"},
                                                                  {"hpp", "cpp"},
                                                                  {"cs", "csharp"},
                                                                  {"c#", "csharp"},
                                                                  {"rs", "rust"},
                                                                  {"rb", "ruby"},
                                                                  {"kt", "kotlin"},
                                                                  {"golang", "go"},
                                                                  {"yml", "yaml"},
                                                                  {"docker", "dockerfile"},
                                                                  {"make", "makefile"},
                                                                  {"ps1", "powershell"},
                                                                  {"tex", "latex"}});

std::string language_of(std::string_view info) {
  const std::string word = to_lower(trim(info.substr(0, info.find_first_of(" {,"))));
  const auto found =
      std::ranges::find(kAliases, std::string_view(word), [](const auto& alias) { return alias.first; });
  return found == kAliases.end() ? word : std::string(found->second);
}

std::size_t indent_of(std::string_view text) { return std::min(text.find_first_not_of(' '), text.size()); }

// The width of a list marker such as "- " or "12. "; 0 if there is none.
std::size_t marker_width(std::string_view text) {
  if (text.size() >= 2 && std::string_view("-*+").contains(text[0]) && text[1] == ' ') return 2;
  std::size_t digits = 0;
  while (digits < text.size() && digits < 9 && is_digit(text[digits])) ++digits;
  if (digits == 0 || digits + 1 >= text.size()) return 0;
  return (text[digits] == '.' || text[digits] == ')') && text[digits + 1] == ' ' ? digits + 2 : 0;
}

bool is_rule(std::string_view text) {
  if (text.size() < 3 || !std::string_view("-*_").contains(text[0])) return false;
  return std::ranges::all_of(text, [&](char c) { return c == text[0] || c == ' '; }) &&
         std::ranges::count(text, text[0]) >= 3;
}

std::vector<std::string> cells_of(std::string_view row) {
  row = trim(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  if (row.ends_with('|')) row.remove_suffix(1);
  std::vector<std::string> cells(1);
  for (std::size_t at = 0; at < row.size(); ++at) {
    if (row[at] == '\\' && at + 1 < row.size() && row[at + 1] == '|') {
      cells.back() += row[++at];
    } else if (row[at] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += row[at];
    }
  }
  for (std::string& cell : cells) cell = std::string(trim(cell));
  return cells;
}

bool is_separator(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells, [](const std::string& cell) {
    return !cell.empty() && cell.find_first_not_of("-: ") == std::string::npos;
  });
}

}  // namespace

std::vector<Line> MarkdownStream::feed(std::string_view text) {
  std::vector<Line> lines;
  unfinished_ += text;
  std::size_t at = 0;
  for (std::size_t end = unfinished_.find('\n'); end != std::string::npos; end = unfinished_.find('\n', at)) {
    std::string_view source = std::string_view(unfinished_).substr(at, end - at);
    if (source.ends_with('\r')) source.remove_suffix(1);
    take(source, lines);
    at = end + 1;
  }
  unfinished_.erase(0, at);
  return lines;
}

std::vector<Line> MarkdownStream::finish() {
  std::vector<Line> lines;
  if (!unfinished_.empty()) take(std::exchange(unfinished_, {}), lines);
  end_table(lines);
  *this = MarkdownStream(look_);
  return lines;
}

std::vector<Line> MarkdownStream::pending() const {
  std::vector<Line> lines;
  for (const std::string& row : table_) lines.emplace_back(row);
  if (unfinished_.empty()) return lines;
  // An incomplete fence or a list marker without text would flicker.
  const std::string_view source = trim(unfinished_);
  if (source.find_first_not_of("`~#-*|") == std::string_view::npos) return lines;
  if (!fence_.empty())
    lines.push_back(code_line(unfinished_));
  else if (!source.starts_with("```") && !source.starts_with("~~~"))
    lines.push_back(source.starts_with('|') ? Line(source) : text_line(unfinished_));
  return lines;
}

void MarkdownStream::take(std::string_view source, std::vector<Line>& lines) {
  if (take_fence(source, lines)) return;
  if (!fence_.empty()) {
    lines.push_back(code_line(source));
    code_ += concat(source, "\n");
    if (code_.size() > kMostCode) code_.clear();
    return;
  }
  if (trim(source).starts_with('|') && table_.size() < 1000) {
    table_.emplace_back(source);
    return;
  }
  end_table(lines);
  take_text(source, lines);
}

bool MarkdownStream::take_fence(std::string_view source, std::vector<Line>& lines) {
  const std::string_view text = trim(source);
  if (!fence_.empty()) {
    const bool ends = text.starts_with(fence_) && text.find_first_not_of(fence_[0]) == std::string_view::npos;
    if (ends) fence_.clear();
    return ends;
  }
  for (const std::string_view mark : {"```", "~~~"}) {
    if (!text.starts_with(mark)) continue;
    const std::size_t length = std::min(text.find_first_not_of(mark[0]), text.size());
    if (mark[0] == '`' && text.substr(length).contains('`')) return false;  // inline code
    end_table(lines);
    fence_ = std::string(text.substr(0, length));
    language_ = language_of(text.substr(length));
    code_.clear();
    began_ = true;
    blank_ = false;
    return true;
  }
  return false;
}

void MarkdownStream::take_text(std::string_view source, std::vector<Line>& lines) {
  if (trim(source).empty()) {
    if (began_ && !blank_) lines.emplace_back();
    blank_ = true;
    return;
  }
  began_ = true;
  blank_ = false;
  lines.push_back(text_line(source));
}

Line MarkdownStream::code_line(std::string_view source) const {
  Line line(kCodeIndent);
  line.hang = kCodeIndent.size();
  line.add(highlighted_lines(concat(code_, source), language_).back());
  return line;
}

Line MarkdownStream::text_line(std::string_view source) const {
  const std::size_t indent = indent_of(source);
  const std::string_view text = source.substr(indent);
  Line line;
  const auto add = [&](std::string_view words, const Style& style = {}) {
    if (look_.styles)
      add_inline(line, words, style);
    else
      line.add(words);
  };
  const std::size_t level = std::min(text.find_first_not_of('#'), text.size());
  if (level >= 1 && level <= 6 && level < text.size() && text[level] == ' ') {
    if (!look_.styles) line.add(text.substr(0, level + 1));
    std::string_view words = trim(text.substr(level));
    while (words.ends_with('#')) words.remove_suffix(1);
    add(trim(words), {.bold = true, .underline = level == 1});
    return line;
  }
  if (is_rule(text)) return Line("────────", {Colour::kDim});
  if (text.starts_with('>')) {
    line.add("│ ", {Colour::kDim});
    line.hang = 2;
    add(trim(text.substr(1)), {Colour::kDim});
    return line;
  }
  const std::size_t marker = marker_width(text);
  line.add(source.substr(0, indent));
  line.hang = indent + marker;
  if (marker == 2 && !is_digit(text[0]))
    line.add("• ");
  else
    line.add(text.substr(0, marker));
  add(text.substr(marker));
  return line;
}

void MarkdownStream::end_table(std::vector<Line>& lines) {
  if (table_.empty()) return;
  began_ = true;
  blank_ = false;
  for (Line& line : table_lines()) lines.push_back(std::move(line));
  table_.clear();
}

std::vector<Line> MarkdownStream::table_lines() const {
  std::vector<std::vector<Line>> rows;
  std::vector<std::size_t> widths;
  std::size_t separator = 0;
  for (const std::string& source : table_) {
    const auto cells = cells_of(source);
    if (is_separator(cells) && separator == 0) {
      separator = rows.size();
      continue;
    }
    std::vector<Line>& row = rows.emplace_back();
    for (const std::string& cell : cells) {
      Line& made = row.emplace_back();
      if (look_.styles)
        add_inline(made, cell, {.bold = separator == 0 && rows.size() == 1});
      else
        made.add(cell);
      if (widths.size() < row.size()) widths.push_back(0);
      widths[row.size() - 1] = std::max(widths[row.size() - 1], made.width());
    }
  }
  std::size_t total = widths.empty() ? 0 : 3 * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  std::vector<Line> lines;
  if (separator == 0 || total > look_.columns) {
    for (const std::string& source : table_) lines.emplace_back(source);
    return lines;
  }
  for (std::size_t at = 0; at < rows.size(); ++at) {
    Line& line = lines.emplace_back();
    for (std::size_t column = 0; column < rows[at].size(); ++column) {
      if (column > 0) line.add(" │ ", {Colour::kDim});
      line.add(rows[at][column]);
      if (column + 1 < rows[at].size()) line.add(std::string(widths[column] - rows[at][column].width(), ' '));
    }
    if (at + 1 != separator) continue;
    Line& rule = lines.emplace_back();
    for (std::size_t column = 0; column < widths.size(); ++column) {
      std::string dashes;
      for (std::size_t i = 0; i < widths[column]; ++i) dashes += "─";
      rule.add(concat(column > 0 ? "─┼─" : "", dashes), {Colour::kDim});
    }
  }
  return lines;
}

}  // namespace helve::terminal

#include "terminal/line_editor.h"

#include <algorithm>

#include "base/strings.h"
#include "terminal/safe_text.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

using Kind = Key::Kind;
constexpr std::size_t kLongest = std::size_t{4} << 20;

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n'; }
std::string common_start(const std::vector<std::string>& texts) {
  std::string start = texts.front();
  for (const std::string& text : texts)
    start.resize(static_cast<std::size_t>(std::ranges::mismatch(start, text).in1 - start.begin()));
  return start;
}

}  // namespace

void LineEditor::set_text(std::string text) {
  text_ = std::move(text);
  cursor_ = text_.size();
}

std::string LineEditor::take() {
  std::string said = std::move(text_);
  text_.clear();
  draft_.clear();
  cursor_ = 0;
  place_ = history_.size();
  return said;
}

void LineEditor::set_history(std::vector<std::string> history) {
  history_ = std::move(history);
  place_ = history_.size();
}

void LineEditor::remember(const std::string& text) {
  if (history_.empty() || history_.back() != text) history_.push_back(text);
  place_ = history_.size();
}

LineEditor::Outcome LineEditor::press(const Key& key) {
  if (searching_) return search(key);
  switch (key.kind) {
    case Kind::kEnter:
      // A trailing backslash continues on the next line.
      if (cursor_ == text_.size() && text_.ends_with('\\')) {
        text_.pop_back();
        --cursor_;
        return insert("\n");
      }
      return Outcome::kSubmitted;
    case Kind::kInterrupt:
      if (text_.empty()) return Outcome::kInterrupt;
      set_text({});
      place_ = history_.size();
      return Outcome::kChanged;
    case Kind::kEndOfInput:
      if (text_.empty()) return Outcome::kLeave;
      return erase(cursor_, next_character(text_, cursor_), false);
    case Kind::kSearch:
      searching_ = true;
      sought_.clear();
      draft_ = text_;
      place_ = history_.size();
      return Outcome::kChanged;
    default: return edit(key);
  }
}

LineEditor::Outcome LineEditor::edit(const Key& key) {
  switch (key.kind) {
    case Kind::kText:
    case Kind::kPaste: return insert(key.text);
    case Kind::kNewLine: return insert("\n");
    case Kind::kTab: return complete();
    case Kind::kBackspace: return erase(previous_character(text_, cursor_), cursor_, false);
    case Kind::kDelete: return erase(cursor_, next_character(text_, cursor_), false);
    case Kind::kLeft: return move_to(previous_character(text_, cursor_));
    case Kind::kRight: return move_to(next_character(text_, cursor_));
    case Kind::kUp: return move_row(true);
    case Kind::kDown: return move_row(false);
    case Kind::kHome: return move_to(line_start());
    case Kind::kEnd: return move_to(line_end());
    case Kind::kWordLeft: return move_to(word_left());
    case Kind::kWordRight: return move_to(word_right());
    case Kind::kEraseWord: {
      std::size_t begin = cursor_;
      while (begin > 0 && is_space(text_[begin - 1])) --begin;
      while (begin > 0 && !is_space(text_[begin - 1])) --begin;
      return erase(begin, cursor_, true);
    }
    case Kind::kEraseWordForward: return erase(cursor_, word_right(), true);
    case Kind::kEraseToStart: return erase(line_start(), cursor_, true);
    case Kind::kEraseToEnd: return erase(cursor_, line_end(), true);
    case Kind::kPutBack: return insert(erased_);
    default: return Outcome::kNothing;
  }
}

LineEditor::Outcome LineEditor::insert(std::string_view text) {
  if (text_.size() + text.size() > kLongest) return Outcome::kNothing;
  text_.insert(cursor_, text);
  cursor_ += text.size();
  return Outcome::kChanged;
}

LineEditor::Outcome LineEditor::erase(std::size_t begin, std::size_t end, bool keep) {
  if (begin >= end) return Outcome::kNothing;
  if (keep) erased_ = text_.substr(begin, end - begin);
  text_.erase(begin, end - begin);
  cursor_ = begin;
  return Outcome::kChanged;
}

LineEditor::Outcome LineEditor::move_to(std::size_t at) {
  if (at == cursor_) return Outcome::kNothing;
  cursor_ = at;
  return Outcome::kChanged;
}

std::size_t LineEditor::line_start() const {
  const std::size_t found = cursor_ == 0 ? std::string::npos : text_.rfind('\n', cursor_ - 1);
  return found == std::string::npos ? 0 : found + 1;
}

std::size_t LineEditor::line_end() const { return std::min(text_.find('\n', cursor_), text_.size()); }

std::size_t LineEditor::word_left() const {
  std::size_t at = cursor_;
  while (at > 0 && !is_word_byte(text_[at - 1])) --at;
  while (at > 0 && is_word_byte(text_[at - 1])) --at;
  return at;
}

std::size_t LineEditor::word_right() const {
  std::size_t at = cursor_;
  while (at < text_.size() && !is_word_byte(text_[at])) ++at;
  while (at < text_.size() && is_word_byte(text_[at])) ++at;
  return at;
}

// Moves between the lines of the text first, then in the history.
LineEditor::Outcome LineEditor::move_row(bool up) {
  const std::size_t start = line_start();
  const std::size_t end = line_end();
  if (up ? start == 0 : end == text_.size()) return recall(up);
  const std::size_t column = display_width(std::string_view(text_).substr(start, cursor_ - start));
  std::size_t at = end + 1;
  if (up) {
    cursor_ = start - 1;
    at = line_start();
  }
  const std::size_t stop = std::min(text_.find('\n', at), text_.size());
  std::size_t passed = 0;
  while (at < stop) {
    const std::size_t next = next_character(text_, at);
    passed += display_width(std::string_view(text_).substr(at, next - at));
    if (passed > column) break;
    at = next;
  }
  cursor_ = at;
  return Outcome::kChanged;
}

LineEditor::Outcome LineEditor::recall(bool older) {
  if (older ? place_ == 0 : place_ >= history_.size()) return Outcome::kNothing;
  if (place_ == history_.size()) draft_ = text_;
  place_ = older ? place_ - 1 : place_ + 1;
  set_text(place_ == history_.size() ? draft_ : history_[place_]);
  return Outcome::kChanged;
}

LineEditor::Outcome LineEditor::complete() {
  if (!completer_) return Outcome::kNothing;
  const auto candidates = completer_(std::string_view(text_).substr(0, cursor_));
  if (candidates.empty()) return Outcome::kNothing;
  std::string made = common_start(candidates);
  if (candidates.size() == 1) made += ' ';
  if (made.size() <= cursor_) return Outcome::kNothing;
  text_.replace(0, cursor_, made);
  cursor_ = made.size();
  return Outcome::kChanged;
}

void LineEditor::find_older(std::size_t before) {
  for (std::size_t at = std::min(before, history_.size()); at > 0; --at) {
    if (!history_[at - 1].contains(sought_)) continue;
    place_ = at - 1;
    set_text(history_[place_]);
    return;
  }
}

// Searches backwards in the history. Any other key accepts the match.
LineEditor::Outcome LineEditor::search(const Key& key) {
  switch (key.kind) {
    case Kind::kText:
      sought_ += key.text;
      find_older(place_ + 1);
      return Outcome::kChanged;
    case Kind::kBackspace:
      sought_.resize(previous_character(sought_, sought_.size()));
      place_ = history_.size();
      if (sought_.empty())
        set_text(draft_);
      else
        find_older(place_);
      return Outcome::kChanged;
    case Kind::kSearch: find_older(place_); return Outcome::kChanged;
    case Kind::kInterrupt:
      searching_ = false;
      place_ = history_.size();
      set_text(draft_);
      return Outcome::kChanged;
    case Kind::kEscape: searching_ = false; return Outcome::kChanged;
    default: {
      searching_ = false;
      const Outcome outcome = press(key);
      return outcome == Outcome::kNothing ? Outcome::kChanged : outcome;
    }
  }
}

LineEditor::View LineEditor::view(const Line& prompt, std::size_t columns, std::size_t most_rows) const {
  columns = std::max<std::size_t>(columns, 4);
  most_rows = std::max<std::size_t>(most_rows, 1);
  const Line first = searching_ ? Line(concat("search ", sought_, ": "), {Colour::kDim}) : prompt;
  // The prompt is omitted if it leaves no space for the text.
  const std::size_t indent = first.width() + 4 < columns ? first.width() : 0;
  View view;
  Line row;
  if (indent > 0) row.add(first);
  std::size_t column = indent;
  std::string piece;  // text that is not in the row yet
  const auto end_row = [&] {
    row.add(piece);
    piece.clear();
    view.rows.push_back(std::move(row));
    row = Line(std::string(indent, ' '));
    column = indent;
  };
  for (std::size_t at = 0;;) {
    if (at == cursor_) {
      view.cursor_row = view.rows.size();
      view.cursor_column = column;
    }
    if (at >= text_.size()) break;
    const std::size_t next = next_character(text_, at);
    if (text_[at] == '\n') {
      end_row();
      at = next;
      continue;
    }
    const std::string shown = Span(std::string_view(text_).substr(at, next - at)).text();
    const std::size_t width = display_width(shown);
    if (column + width >= columns) {
      end_row();
      if (at == cursor_) {
        view.cursor_row = view.rows.size();
        view.cursor_column = column;
      }
    }
    piece += shown;
    column += width;
    at = next;
  }
  row.add(piece);
  view.rows.push_back(std::move(row));
  if (view.rows.size() > most_rows) {
    std::size_t begin = view.cursor_row + 1 > most_rows ? view.cursor_row + 1 - most_rows : 0;
    begin = std::min(begin, view.rows.size() - most_rows);
    view.rows.erase(view.rows.begin() + static_cast<std::ptrdiff_t>(begin + most_rows), view.rows.end());
    view.rows.erase(view.rows.begin(), view.rows.begin() + static_cast<std::ptrdiff_t>(begin));
    view.cursor_row -= begin;
  }
  return view;
}

}  // namespace helve::terminal

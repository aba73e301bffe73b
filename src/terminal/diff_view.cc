#include "terminal/diff_view.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "base/strings.h"
#include "terminal/width.h"

namespace helve::terminal {
namespace {

constexpr std::size_t kMostWords = 300;  // in a line whose words are compared

// Splits into words, runs of spaces and single other characters.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (is_word_byte(text[at]))
      while (end < text.size() && is_word_byte(text[end])) ++end;
    else if (text[at] == ' ')
      while (end < text.size() && text[end] == ' ') ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

struct Marked {
  std::vector<std::string_view> words;
  std::vector<bool> changed;
};

// The words of two lines without a counterpart in the other line. Empty if the lines have too little in
// common.
std::pair<Marked, Marked> compare(std::string_view before, std::string_view after) {
  Marked a{words_of(before), {}};
  Marked b{words_of(after), {}};
  const std::size_t n = a.words.size();
  const std::size_t m = b.words.size();
  a.changed.assign(n, false);
  b.changed.assign(m, false);
  if (n > kMostWords || m > kMostWords) return {a, b};
  std::vector<std::vector<std::size_t>> common(
      n + 1, std::vector<std::size_t>(m + 1, 0));  // common bytes from here on
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      common[i][j] = a.words[i] == b.words[j] ? common[i + 1][j + 1] + a.words[i].size()
                                              : std::max(common[i + 1][j], common[i][j + 1]);
  if (common[0][0] * 3 < std::max(before.size(), after.size())) return {a, b};
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < n || j < m) {
    if (i < n && j < m && a.words[i] == b.words[j]) {
      ++i;
      ++j;
    } else if (j >= m || (i < n && common[i + 1][j] >= common[i][j + 1])) {
      a.changed[i++] = true;
    } else {
      b.changed[j++] = true;
    }
  }
  return {a, b};
}

class DiffReader {
 public:
  std::vector<Line> run(std::string_view diff) {
    auto rows = split(diff, '\n');
    if (!rows.empty() && rows.back().empty()) rows.pop_back();
    for (std::size_t at = 0; at < rows.size(); ++at) {
      std::string_view row = rows[at];
      if (row.ends_with('\r')) row.remove_suffix(1);
      const bool header = row.starts_with("--- ") && at + 1 < rows.size() && rows[at + 1].starts_with("+++ ");
      if (header && old_left_ == 0 && new_left_ == 0) {
        end_change();
        add_names(row.substr(4), rows[++at].substr(4));
      } else if (row.starts_with("@@ ")) {
        end_change();
        begin_hunk(row);
      } else if (row.starts_with('-') && old_left_ > 0) {
        if (!added_.empty()) end_change();
        removed_.push_back(row.substr(1));
        --old_left_;
      } else if (row.starts_with('+') && new_left_ > 0) {
        added_.push_back(row.substr(1));
        --new_left_;
      } else {
        end_change();
        add_other(row);
      }
    }
    end_change();
    return std::move(lines_);
  }

 private:
  void add_names(std::string_view before, std::string_view after) {
    const auto name = [](std::string_view text) {
      text = text.substr(0, text.find('\t'));
      if (text.starts_with("a/") || text.starts_with("b/")) text.remove_prefix(2);
      return text;
    };
    const bool created = name(before) == "/dev/null";
    const bool deleted = name(after) == "/dev/null";
    Line line;
    line.add(deleted ? name(before) : name(after), {Colour::kBold});
    if (created) line.add(" (new)", {Colour::kDim});
    if (deleted) line.add(" (deleted)", {Colour::kDim});
    if (!created && !deleted && name(before) != name(after))
      line.add(concat(" (was ", name(before), ")"), {Colour::kDim});
    lines_.push_back(std::move(line));
    hunks_ = 0;
  }

  // @@ -12,3 +14,5 @@
  void begin_hunk(std::string_view row) {
    const auto number_after = [&](char mark, std::size_t& first, std::size_t& count) {
      const std::size_t at = row.find(mark);
      first = 0;
      count = 1;
      if (at == std::string_view::npos) return;
      const char* const end = row.data() + row.size();
      const auto parsed = std::from_chars(row.data() + at + 1, end, first);
      if (parsed.ptr < end && *parsed.ptr == ',') std::from_chars(parsed.ptr + 1, end, count);
    };
    number_after('-', old_line_, old_left_);
    number_after('+', new_line_, new_left_);
    if (hunks_++ > 0) lines_.emplace_back("     ⋮", Style{Colour::kDim});
  }

  void add_other(std::string_view row) {
    if ((row.starts_with(' ') || row.empty()) && old_left_ > 0 && new_left_ > 0) {
      Line line = gutter(new_line_);
      line.add("  ");
      line.add(row.empty() ? row : row.substr(1));
      lines_.push_back(std::move(line));
      ++old_line_;
      ++new_line_;
      --old_left_;
      --new_left_;
      return;
    }
    lines_.emplace_back(row, Style{Colour::kDim});
  }

  static Line gutter(std::size_t number) {
    const std::string digits = std::to_string(number);
    Line line(concat(std::string(digits.size() < 4 ? 4 - digits.size() : 0, ' '), digits, " "),
              {Colour::kDim});
    line.hang = 7;
    return line;
  }

  void add_side(std::size_t number, std::string_view mark, Colour colour, const Marked& text) {
    Line line = gutter(number);
    line.add(concat(mark, " "), {colour});
    for (std::size_t at = 0; at < text.words.size();) {
      const bool changed = text.changed[at];
      std::string piece;
      while (at < text.words.size() && text.changed[at] == changed) piece += text.words[at++];
      line.add(piece, {.colour = colour, .reverse = changed});
    }
    lines_.push_back(std::move(line));
  }

  // Compares removed lines with the added lines that replace them, pair by pair.
  void end_change() {
    std::vector<Marked> before;
    std::vector<Marked> after;
    const auto unmarked = [](std::string_view text) { return Marked{{text}, {false}}; };
    const bool paired = removed_.size() == added_.size();
    for (std::size_t at = 0; at < std::max(removed_.size(), added_.size()); ++at) {
      if (paired) {
        auto [a, b] = compare(removed_[at], added_[at]);
        before.push_back(std::move(a));
        after.push_back(std::move(b));
        continue;
      }
      if (at < removed_.size()) before.push_back(unmarked(removed_[at]));
      if (at < added_.size()) after.push_back(unmarked(added_[at]));
    }
    for (const Marked& text : before) add_side(old_line_++, "-", Colour::kRed, text);
    for (const Marked& text : after) add_side(new_line_++, "+", Colour::kGreen, text);
    removed_.clear();
    added_.clear();
  }

  std::vector<Line> lines_;
  std::size_t hunks_ = 0;  // of this file
  std::size_t old_line_ = 0;
  std::size_t new_line_ = 0;
  std::size_t old_left_ = 0;  // remaining lines of the hunk
  std::size_t new_left_ = 0;
  std::vector<std::string_view> removed_;
  std::vector<std::string_view> added_;
};

}  // namespace

std::vector<Line> diff_view(std::string_view diff, std::size_t most) {
  std::vector<Line> lines = DiffReader().run(diff);
  if (lines.size() <= most) return lines;
  const std::size_t left_out = lines.size() - most;
  lines.resize(most);
  lines.emplace_back(concat("     … ", count_of(left_out, "more line")), Style{Colour::kDim});
  return lines;
}

}  // namespace helve::terminal

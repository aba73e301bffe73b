#include "policy/word_expansion.h"

#include <fnmatch.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "base/strings.h"
#include "policy/command_words.h"

namespace helve::policy {
namespace {

using shell::SimpleCommand;

constexpr std::size_t kMostStates = 64;
constexpr std::size_t kMostWords = 128;
constexpr int kDeepestExpansion = 4;
constexpr std::size_t kFailed = std::string::npos;

// The position after a quoted part, an escaped character or a plain one.
std::size_t skip_part(std::string_view text, std::size_t at) {
  if (text[at] == '\\') return std::min(at + 2, text.size());
  if (text[at] != '\'' && text[at] != '"') return at + 1;
  const char quote = text[at];
  for (++at; at < text.size() && text[at] != quote; ++at)
    if (quote == '"' && text[at] == '\\') ++at;
  return std::min(at + 1, text.size());
}

// The position of the bracket that closes the one at `open`.
std::size_t find_close(std::string_view text, std::size_t open, char opening, char closing) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < text.size(); i = skip_part(text, i)) {
    if (text[i] == opening) ++depth;
    if (text[i] == closing && --depth == 0) return i;
  }
  return kFailed;
}

struct BracePair {
  std::size_t open = kFailed;
  std::size_t close = kFailed;
  std::vector<std::size_t> commas = {};
};

BracePair find_braces(std::string_view word) {
  for (std::size_t i = 0; i < word.size(); i = skip_part(word, i)) {
    if (word[i] == '$' && i + 1 < word.size() && (word[i + 1] == '{' || word[i + 1] == '(')) {
      const std::size_t end = find_close(word, i + 1, word[i + 1], word[i + 1] == '{' ? '}' : ')');
      if (end == kFailed) return {};
      i = end;
      continue;
    }
    if (word[i] != '{') continue;
    BracePair pair{.open = i, .close = find_close(word, i, '{', '}')};
    if (pair.close == kFailed) return {};
    std::size_t depth = 0;
    for (std::size_t k = i + 1; k < pair.close; k = skip_part(word, k)) {
      if (word[k] == '{') ++depth;
      if (word[k] == '}') --depth;
      if (word[k] == ',' && depth == 0) pair.commas.push_back(k);
    }
    if (!pair.commas.empty() || word.substr(i, pair.close - i).contains("..")) return pair;
  }
  return {};
}

std::vector<std::string> members(std::string_view word, const BracePair& pair) {
  std::vector<std::string> found;
  const std::string_view inside = word.substr(pair.open + 1, pair.close - pair.open - 1);
  if (pair.commas.empty()) {  // a range
    const std::string_view first = inside.substr(0, inside.find(".."));
    const std::string_view last = inside.substr(inside.find("..") + 2);
    if (first.size() == 1 && last.size() == 1)
      for (char c = first[0]; c <= last[0] && found.size() < 30; ++c) found.emplace_back(1, c);
    if (found.empty()) found.emplace_back(first);
    return found;
  }
  std::size_t begin = pair.open + 1;
  for (const std::size_t comma : pair.commas) {
    found.emplace_back(word.substr(begin, comma - begin));
    begin = comma + 1;
  }
  found.emplace_back(word.substr(begin, pair.close - begin));
  return found;
}

std::string trimmed(const std::string& value, std::string_view how, const std::string& pattern) {
  const bool longest = how.size() == 2;
  const bool suffix = how[0] == '%';
  std::optional<std::string> found;
  for (std::size_t length = 0; length <= value.size(); ++length) {
    const std::string part = suffix ? value.substr(value.size() - length) : value.substr(0, length);
    if (::fnmatch(pattern.c_str(), part.c_str(), 0) != 0) continue;
    found = suffix ? value.substr(0, value.size() - length) : value.substr(length);
    if (!longest) break;
  }
  return found.value_or(value);
}

// ${x/a/b}, ${x//a/b} without wildcards
std::string replaced(const std::string& value, std::string_view change) {
  const bool all = change.starts_with('/');
  if (all) change.remove_prefix(1);
  const std::size_t slash = change.find('/');
  const std::string_view from = change.substr(0, slash);
  const std::string_view to = slash == change.npos ? std::string_view() : change.substr(slash + 1);
  if (from.empty()) return value;
  if (all) return replace_all(value, from, to);
  const std::size_t at = value.find(from);
  return at == value.npos ? value : concat(value.substr(0, at), to, value.substr(at + from.size()));
}

// ${x:1:2}
std::string part_of(const std::string& value, std::string_view range) {
  std::size_t from = 0;
  std::size_t length = std::string::npos;
  const char* end = std::from_chars(range.data(), range.data() + range.size(), from).ptr;
  if (end < range.data() + range.size()) std::from_chars(end + 1, range.data() + range.size(), length);
  return from <= value.size() ? value.substr(from, length) : std::string();
}

}  // namespace

std::vector<std::string> expand_braces(const std::string& word) {
  std::vector<std::string> done;
  std::vector<std::string> left{word};
  while (!left.empty() && done.size() + left.size() < kMostWords) {
    const std::string each = std::move(left.back());
    left.pop_back();
    const BracePair pair = find_braces(each);
    if (pair.open == kFailed) {
      done.push_back(each);
      continue;
    }
    for (const std::string& member : members(each, pair))
      left.push_back(concat(each.substr(0, pair.open), member, each.substr(pair.close + 1)));
  }
  std::ranges::reverse(done);
  return done;
}

Fields WordExpansion::fields(const std::string& word) {
  Fields found;
  for (const std::string& each : expand_braces(word)) {
    splits_ = true;
    states_.assign(1, {});
    if (!read(each)) return {};
    for (State& state : states_) {
      if (state.open) state.done.push_back(std::move(state.current));
      for (std::string& field : state.done)
        if (found.size() < kMostWords) found.push_back(std::move(field));
    }
  }
  return found;
}

Fields WordExpansion::whole(const std::string& word) {
  splits_ = false;
  states_.assign(1, {});
  Fields found;
  if (!read(word)) return found;
  for (State& state : states_) found.push_back(std::move(state.current));
  return found;
}

void WordExpansion::append(std::string_view text) {
  for (State& state : states_) {
    state.current += text;
    state.open = true;
  }
}

void WordExpansion::append_split(State& state, const Value& value) const {
  for (const char c : value.text) {
    if (c == ' ' || c == '\t' || c == '\n') {
      if (state.open) state.done.push_back(std::exchange(state.current, {}));
      state.open = false;
      continue;
    }
    if (c == '\\') state.current += c;
    state.current += c;
    state.open = true;
  }
}

void WordExpansion::append_values(const std::vector<Value>& values, bool quoted) {
  std::vector<State> next;
  for (const State& state : states_) {
    for (const Value& value : values) {
      if (next.size() >= kMostStates) break;
      next.push_back(state);
      if (!value.pattern && !quoted && splits_) {
        append_split(next.back(), value);
      } else {
        next.back().current += value.pattern ? value.text : escape_pattern(value.text);
        next.back().open = true;
      }
    }
  }
  states_ = std::move(next);
}

// Each field is a value of its own, but in quotes or an assignment they are one.
void WordExpansion::append_output(const Fields& output, bool quoted) {
  std::vector<Value> values;
  if (quoted || !splits_)
    values.push_back({join(output, " "), true});
  else
    for (const std::string& field : output) values.push_back({field, true});
  append_values(values, quoted);
}

std::optional<std::vector<WordExpansion::Value>> WordExpansion::values_of(std::string_view name) const {
  const auto values = values_.values_of(name);
  if (!values) return std::nullopt;
  std::vector<Value> found;
  for (const std::string& value : *values) {
    const bool pattern = value.starts_with('\x02');
    found.push_back({.text = pattern ? value.substr(1) : value, .pattern = pattern});
  }
  return found;
}

std::size_t WordExpansion::read_tilde(std::string_view word) {
  const std::size_t end = std::min(word.find('/'), word.size());
  const std::string_view user = word.substr(1, end - 1);
  const std::string& home = values_.surroundings_->home;
  if (user.find_first_of("\"'$`\\*?[") != std::string_view::npos) return 0;
  if (user.empty()) {
    if (home.empty()) return kFailed;
    append(escape_pattern(home));
  } else if (user == "+") {
    if (values_.directory_.empty()) return kFailed;
    append(escape_pattern(values_.directory_));
  } else if (user == "root") {
    append("/root");
  } else if (is_letter(user[0])) {
    append(concat("/home/", user));
  } else {
    return kFailed;
  }
  return end;
}

bool WordExpansion::read(std::string_view word) {
  std::size_t i = word.starts_with('~') ? read_tilde(word) : 0;
  bool quoted = false;
  while (i < word.size()) {
    const char c = word[i];
    if (c == '\'' && !quoted) {
      const std::size_t close = std::min(word.find('\'', i + 1), word.size());
      append(escape_pattern(word.substr(i + 1, close - i - 1)));
      i = close + 1;
    } else if (c == '"') {
      quoted = !quoted;
      append("");
      ++i;
    } else if (c == '\\' && i + 1 < word.size()) {
      const bool kept = quoted && !std::string_view("$`\"\\\n").contains(word[i + 1]);
      append(escape_pattern(word.substr(kept ? i : i + 1, kept ? 2 : 1)));
      i += 2;
    } else if (c == '$') {
      i = read_dollar(word, i, quoted);
    } else if (c == '`') {
      const std::size_t close = word.find('`', i + 1);
      const auto output = close == kFailed ? std::nullopt : evaluate(word.substr(i + 1, close - i - 1));
      if (!output) return false;
      append_output(*output, quoted);
      i = close + 1;
    } else {
      const bool active = splits_ && !quoted && std::string_view("*?[]").contains(c);
      append(active ? std::string(1, c) : escape_pattern(word.substr(i, 1)));
      ++i;
    }
    if (i == kFailed || states_.empty()) return false;
  }
  return i != kFailed;
}

std::size_t WordExpansion::read_dollar(std::string_view word, std::size_t at, bool quoted) {
  const char next = at + 1 < word.size() ? word[at + 1] : '\0';
  if (next == '(') {
    const std::size_t close = find_close(word, at + 1, '(', ')');
    if (close == kFailed || word.substr(at).starts_with("$((")) return kFailed;
    const auto output = evaluate(word.substr(at + 2, close - at - 2));
    if (!output) return kFailed;
    append_output(*output, quoted);
    return close + 1;
  }
  if (next == '{') return read_braces(word, at, quoted);
  if (next == '\'' && !quoted) {
    const std::size_t close = word.find('\'', at + 2);
    if (close == kFailed || word.substr(at, close - at).contains('\\')) return kFailed;
    append(escape_pattern(word.substr(at + 2, close - at - 2)));
    return close + 1;
  }
  if (next == '"' && !quoted) return at + 1;
  std::size_t end = at + 1;
  if (next == '@' || next == '*' || is_digit(next))
    ++end;
  else
    while (end < word.size() && is_word_character(word[end])) ++end;
  if (end == at + 1) {
    if (std::string_view("#?$!-").contains(next) && next != '\0') return kFailed;
    append("$");
    return end;
  }
  const auto values = values_of(word.substr(at + 1, end - at - 1));
  if (!values) return kFailed;
  append_values(*values, quoted);
  return end;
}

std::size_t WordExpansion::read_braces(std::string_view word, std::size_t at, bool quoted) {
  const std::size_t close = find_close(word, at + 1, '{', '}');
  if (close == kFailed || !read_expression(word.substr(at + 2, close - at - 2), quoted)) return kFailed;
  return close + 1;
}

bool WordExpansion::read_expression(std::string_view inside, bool quoted) {
  if (inside.starts_with('!') && inside.size() > 1 &&
      std::ranges::all_of(inside.substr(1), is_word_character)) {
    // ${!y}: the value of the variable that y names
    const auto names = values_of(inside.substr(1));
    bool known = false;
    for (const Value& name : names.value_or(std::vector<Value>()))
      if (!name.text.empty() && std::ranges::all_of(name.text, is_word_character))
        if (const auto values = values_of(name.text); values && !known) {
          append_values(*values, quoted);
          known = true;
        }
    return known;
  }
  std::size_t end = 0;
  while (end < inside.size() && is_word_character(inside[end])) ++end;
  if (end == 0 && (inside.starts_with('@') || inside.starts_with('*'))) end = 1;
  if (end == 0) return false;
  auto values = values_of(inside.substr(0, end));
  std::string_view rest = inside.substr(end);
  if (rest.starts_with('[')) rest.remove_prefix(std::min(rest.find(']') + 1, rest.size()));
  if (rest.empty()) {
    if (values) append_values(*values, quoted);
    return values.has_value();
  }
  const std::string_view bare = rest.starts_with(':') ? rest.substr(1) : rest;
  const char operation = bare.empty() ? '\0' : bare[0];
  if (operation == '-' || operation == '=' || operation == '+') {
    const auto is_empty = [](const Value& value) { return value.text.empty(); };
    if (values && std::ranges::all_of(*values, is_empty)) values.reset();
    if (depth_ > kDeepestExpansion || (operation == '+' && !values)) return false;
    if (!values || operation == '+') {
      values.emplace();
      for (std::string& each : WordExpansion(values_, depth_ + 1).whole(std::string(bare.substr(1))))
        values->push_back({std::move(each), true});
    }
    append_values(*values, quoted);
    return !values->empty();
  }
  if (!values) return false;
  const std::string_view how = rest.substr(0, rest.starts_with("%%") || rest.starts_with("##") ? 2 : 1);
  for (Value& value : *values) {
    if (value.pattern) value = {plain_text(value.text), false};
    if (how[0] == '%' || how[0] == '#')
      value.text = trimmed(value.text, how, std::string(rest.substr(how.size())));
    else if (rest.starts_with(':') && is_digit(operation))
      value.text = part_of(value.text, bare);
    else if (rest.starts_with('/'))
      value.text = replaced(value.text, rest.substr(1));
    else if (rest.starts_with(",,"))
      value.text = to_lower(value.text);
    else if (operation != '?')
      return false;
  }
  append_values(*values, quoted);
  return true;
}

std::optional<std::string> WordExpansion::evaluate_path(const SimpleCommand& command) const {
  const auto& words = command.words;
  const std::string_view program = policy::program_name(words.front().text);
  const std::string& workspace = values_.surroundings_->workspace;
  if (program == "git" && words.size() > 2 && words[1].text == "rev-parse") {
    const std::string& what = words.back().text;
    const bool inside = is_within(values_.directory_, workspace);
    if (inside && what == "--show-toplevel") return workspace;
    if (inside && (what == "--git-dir" || what == "--absolute-git-dir" || what == "--git-common-dir"))
      return concat(workspace, "/.git");
    return std::nullopt;
  }
  const bool resolves = program == "realpath" || program == "readlink";
  if ((!resolves && program != "dirname") || words.size() < 2) return std::nullopt;
  const Fields operand = values_.expand(words.back());
  const std::string text = operand.size() == 1 ? plain_text(operand.front()) : "";
  if (text.empty() || (values_.directory_.empty() && !text.starts_with('/'))) return std::nullopt;
  if (resolves) return locate(text, values_.directory_).real;
  const std::size_t slash = text.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : text.substr(0, slash);
}

std::optional<Fields> WordExpansion::evaluate(std::string_view command) const {
  if (depth_ > kDeepestExpansion) return std::nullopt;
  const shell::CommandLine line = shell::parse_command_line(command);
  if (line.commands.size() > 1 && command.contains('|') && !command.contains("||") &&
      command.find_first_of(";&\n") == std::string_view::npos) {
    std::optional<std::string> text;
    for (const SimpleCommand& each : line.commands) {
      if (&each == line.commands.data() && !(text = values_.text_of(each, std::nullopt))) {
        const auto fields = values_.output_of(each);
        if (!fields) return std::nullopt;
        std::vector<std::string> plain;
        for (const std::string& field : *fields) plain.push_back(plain_text(field));
        text = join(plain, " ");
      } else if (&each != line.commands.data() && !(text = values_.text_of(each, text))) {
        return std::nullopt;
      }
    }
    return LineValues::fields_of(text.value_or(""));
  }
  if (line.commands.empty() || line.commands.size() > 2) return std::nullopt;
  const SimpleCommand& last = line.commands.back();
  if (line.commands.size() == 2) {
    // cd X && pwd
    if (!changes_directory(line.commands.front()) || last.words.empty() || last.words.front().text != "pwd")
      return std::nullopt;
    const Fields target = values_.expand(line.commands.front().words.back());
    const std::string text = target.size() == 1 ? plain_text(target.front()) : "";
    if (text.empty() || (values_.directory_.empty() && !text.starts_with('/'))) return std::nullopt;
    return Fields{escape_pattern(locate(text, values_.directory_).given)};
  }
  if (!last.words.empty())
    if (const auto path = evaluate_path(last)) return Fields{escape_pattern(*path)};
  return values_.output_of(last);
}

}  // namespace helve::policy

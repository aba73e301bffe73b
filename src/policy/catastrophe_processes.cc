// Recognises lines that start processes without end: fork bombs and endless loops of background commands.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/ascii.h"
#include "base/strings.h"
#include "policy/catastrophe.h"
#include "policy/command_words.h"
#include "shell/options.h"

namespace helve::policy {
namespace {

using shell::lists;

// The text with everything in quotes replaced, so that quoted text defines and calls nothing.
std::string without_quoted(std::string_view text) {
  std::string out;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      out += "__";
      ++i;
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
      out += '_';
    } else if (c == quote && quote != '\0') {
      quote = '\0';
      out += '_';
    } else {
      out += quote != '\0' ? '_' : c;
    }
  }
  return out;
}

struct FunctionBody {
  std::string name;
  std::size_t begin;
  std::size_t end;
};

// Reads `{…}` or `(…)` at the first place that is not blank; npos if there is none.
std::size_t end_of_body(std::string_view text, std::size_t& begin) {
  begin = text.find_first_not_of(" \t\n", begin);
  if (begin == std::string_view::npos || (text[begin] != '{' && text[begin] != '('))
    return std::string_view::npos;
  std::size_t depth = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const bool parameter = text[i] == '{' && i > 0 && text[i - 1] == '$';
    if (parameter) {
      i = std::min(text.find('}', i), text.size());
      continue;
    }
    if (text[i] == '{' || text[i] == '(') ++depth;
    if ((text[i] == '}' || text[i] == ')') && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::vector<FunctionBody> find_functions(std::string_view text) {
  std::vector<FunctionBody> found;
  const auto add = [&](std::string_view name, std::size_t begin) {
    const std::size_t end = end_of_body(text, begin);
    if (!name.empty() && end != std::string_view::npos) found.push_back({std::string(name), begin, end});
  };
  constexpr std::string_view kKeyword = "function ";
  for (std::size_t at = text.find(kKeyword); at != std::string_view::npos; at = text.find(kKeyword, at + 1)) {
    const std::size_t begin = std::min(text.find_first_not_of(' ', at + kKeyword.size()), text.size());
    const std::size_t end = std::min(text.find_first_of(" \t\n({", begin), text.size());
    std::size_t body = std::min(text.find_first_not_of(" \t\n", end), text.size());
    if (text.substr(body).starts_with("(")) body = std::min(text.find(')', body), text.size() - 1) + 1;
    add(text.substr(begin, end - begin), body);
  }
  for (std::size_t at = text.find('('); at != std::string_view::npos; at = text.find('(', at + 1)) {
    const std::size_t close = text.find_first_not_of(" \t", at + 1);
    if (close == std::string_view::npos || text[close] != ')') continue;
    std::size_t end = at;
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
    std::size_t begin = end;
    while (begin > 0 && !std::string_view(" \t\n;&|(){}").contains(text[begin - 1])) --begin;
    add(text.substr(begin, end - begin), close + 1);
  }
  return found;
}

struct CalledName {
  std::string name;
  bool has_arguments = false;
};

// The first word of each command in the text.
std::vector<CalledName> calls_in(std::string_view text) {
  std::vector<CalledName> found;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find_first_of(";|&\n(){}", i), text.size());
    const std::vector<std::string_view> words = split(text.substr(i, end - i), ' ');
    std::vector<std::string_view> filled;
    for (const std::string_view word : words)
      if (!word.empty() && !(filled.empty() && lists("do then else ! time while until if", word)))
        filled.push_back(word);
    if (!filled.empty())
      found.push_back({std::string(filled[0]), filled.size() > 1 && !filled[1].starts_with('>')});
    i = end + 1;
  }
  return found;
}

bool runs_aside(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '&' && text[i] != '|') continue;
    if (i + 1 < text.size() && (text[i + 1] == text[i] || (text[i] == '&' && text[i + 1] == '>'))) {
      ++i;
      continue;
    }
    if (i > 0 && text[i] == '&' && (text[i - 1] == '>' || text[i - 1] == '<')) continue;
    return true;
  }
  return false;
}

bool decides(std::string_view text) {
  constexpr auto kDecisions =
      std::to_array<std::string_view>({"if ", "case ", "[ ", "[[", "((", "return", "&&", "||", "exit"});
  return std::ranges::any_of(kDecisions, [&](std::string_view word) { return text.contains(word); });
}

bool defines_bomb(const std::string& text) {
  const std::vector<FunctionBody> functions = find_functions(text);
  constexpr std::size_t kMostFunctions = 50;
  if (functions.empty() || functions.size() > kMostFunctions) return false;
  std::string outside = text;
  std::map<std::string, std::vector<CalledName>, std::less<>> calls;
  std::map<std::string, std::string, std::less<>> bodies;
  for (const FunctionBody& function : functions) {
    const std::string body = text.substr(function.begin, function.end - function.begin + 1);
    bodies[function.name] = body;
    calls[function.name] = calls_in(body);
    for (std::size_t i = function.begin; i <= function.end; ++i) outside[i] = ';';
  }
  const auto reaches = [&](const std::string& from, const std::string& to) {
    std::set<std::string> seen;
    std::vector<std::string> left{from};
    while (!left.empty()) {
      const std::string name = std::move(left.back());
      left.pop_back();
      if (name == to) return true;
      if (!seen.insert(name).second || !calls.contains(name)) continue;
      for (const CalledName& call : calls[name]) left.push_back(call.name);
    }
    return false;
  };
  const std::vector<CalledName> started = calls_in(outside);
  for (const auto& [name, called] : calls) {
    if (!runs_aside(bodies[name])) continue;
    const auto again = std::ranges::count_if(called, [&](const CalledName& call) {
      return calls.contains(call.name) && reaches(call.name, name) &&
             !(call.has_arguments && decides(bodies[name]));
    });
    const bool runs =
        std::ranges::any_of(started, [&](const CalledName& call) { return reaches(call.name, name); });
    if (again >= 2 && runs) return true;
  }
  return false;
}

// Whether the condition of a loop holds in every round, as far as its text tells.
bool holds_always(std::string_view condition) {
  std::string text(trim(condition));
  while (text.ends_with(';')) text = std::string(trim(std::string_view(text).substr(0, text.size() - 1)));
  if (lists(": true /bin/true /usr/bin/true yes", text)) return true;
  if (text.starts_with("! ")) return lists("false /bin/false /usr/bin/false", trim(text.substr(2)));
  if (text.starts_with("((") && text.ends_with("))")) {
    const std::string_view number = trim(std::string_view(text).substr(2, text.size() - 4));
    return !number.empty() && number != "0" && std::ranges::all_of(number, is_digit);
  }
  for (const std::string_view bracket : {"[[ ", "[ ", "test "}) {
    if (!text.starts_with(bracket)) continue;
    std::vector<std::string_view> words;
    for (const std::string_view word : split(std::string_view(text).substr(bracket.size()), ' '))
      if (!word.empty() && word != "]" && word != "]]") words.push_back(word);
    if (words.size() == 1) return true;
    return words.size() == 3 && words[0] == words[2] && lists("-eq = == -ge -le", words[1]);
  }
  return false;
}

// Whether some statement of the body runs in the background, and none of the others waits.
bool starts_without_waiting(std::string_view body) {
  bool background = false;
  bool waits = false;
  std::size_t depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= body.size(); ++i) {
    const char c = i < body.size() ? body[i] : ';';
    if (c == '(' || c == '{') ++depth;
    if ((c == ')' || c == '}') && depth > 0) --depth;
    const char before = i > 0 ? body[i - 1] : ' ';
    const char after = i + 1 < body.size() ? body[i + 1] : ' ';
    const bool aside =
        c == '&' && before != '&' && before != '>' && before != '<' && after != '&' && after != '>';
    if (depth > 0 || (!aside && c != ';' && c != '\n')) continue;
    const std::string_view statement = body.substr(begin, i - begin);
    begin = i + 1;
    if (aside) {
      background = true;
    } else {
      for (const std::string_view word : {"wait", "sleep", "read", "break"})
        waits = waits || statement.contains(word);
    }
  }
  return background && !waits;
}

// Whether a loop over words has very many rounds: $(seq 100000), {1..100000}.
bool counts_far(std::string_view words) {
  constexpr std::size_t kManyDigits = 5;
  if (!words.contains("seq ") && !words.contains("..")) return false;
  std::size_t digits = 0;
  for (const char c : words) {
    digits = is_digit(c) ? digits + 1 : 0;
    if (digits >= kManyDigits) return true;
  }
  return false;
}

// while true; do COMMAND & done
bool loops_in_background(const std::string& text) {
  for (const std::string_view keyword : {"while", "until", "for"}) {
    for (std::size_t at = text.find(keyword); at != std::string::npos; at = text.find(keyword, at + 1)) {
      if (at > 0 && is_word_character(text[at - 1])) continue;
      const std::size_t condition = at + keyword.size();
      std::size_t begin = text.find("do", condition);
      while (begin != std::string::npos && begin > 0 && is_word_character(text[begin - 1]))
        begin = text.find("do", begin + 1);
      const std::size_t end = text.rfind("done");
      if (begin == std::string::npos || end == std::string::npos || end < begin + 2) continue;
      const std::string_view head = trim(std::string_view(text).substr(condition, begin - condition));
      const bool endless = keyword == "for"     ? head.starts_with("((;;))") || counts_far(head)
                           : keyword == "until" ? lists("false /bin/false", head.substr(0, head.find(';'))) ||
                                                      head.starts_with("! true")
                                                : holds_always(head) || text.substr(0, at).contains("yes");
      if (endless && starts_without_waiting(std::string_view(text).substr(begin + 2, end - begin - 2)))
        return true;
    }
  }
  return false;
}

}  // namespace

bool starts_endless_processes(std::string_view text, const shell::CommandLine& line) {
  const std::string bare = without_quoted(text);
  if (defines_bomb(bare) || loops_in_background(bare)) return true;
  const auto restarts = std::ranges::count_if(line.commands, [](const shell::SimpleCommand& command) {
    if (command.words.empty() || command.words.front().literal) return false;
    const std::string_view name = command.words.front().text;
    return name.ends_with("$0") || name.ends_with("$0\"");
  });
  return restarts >= 2 && runs_aside(text);
}

}  // namespace helve::policy

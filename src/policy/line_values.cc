#include "policy/line_values.h"

#include <algorithm>
#include <cstdlib>

#include "base/ascii.h"
#include "base/strings.h"
#include "policy/command_words.h"
#include "policy/word_expansion.h"
#include "shell/options.h"

namespace helve::policy {
namespace {

using shell::SimpleCommand;
using shell::Word;

constexpr std::size_t kMostValues = 32;
constexpr std::string_view kWildcards = "*?[";

bool is_parameter(std::string_view name) {
  return name == "@" || (!name.empty() && name != "0" && std::ranges::all_of(name, is_digit));
}

bool ends_command(char c) { return std::string_view(";\n&|)").contains(c); }

}  // namespace

std::string escape_pattern(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (kWildcards.contains(c) || c == '\\' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

bool has_active_wildcard(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\')
      ++i;
    else if (kWildcards.contains(pattern[i]))
      return true;
  }
  return false;
}

std::string plain_text(std::string_view pattern) {
  std::string out;
  if (has_active_wildcard(pattern)) return out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    out += pattern[i];
  }
  return out;
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      if (open) words.push_back(std::exchange(word, {}));
      open = false;
      continue;
    }
    open = true;
    word += c;
    if (c == '\\' && quote != '\'' && i + 1 < text.size())
      word += text[++i];
    else if (quote == '\0' && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = '\0';
  }
  if (open) words.push_back(std::move(word));
  return words;
}

LineValues::LineValues(std::string_view text, std::string directory, const Surroundings& surroundings)
    : text_(text), surroundings_(&surroundings), directory_(std::move(directory)) {
  read_functions();
  read_loops();
}

void LineValues::inherit(const LineValues& outer) {
  directory_ = outer.directory_;
  inherits_ = true;
  for (const auto& [name, values] : outer.variables_) variables_.try_emplace(name, values);
  aliases_.insert(outer.aliases_.begin(), outer.aliases_.end());
}

void LineValues::restart(const std::string& directory) {
  directory_ = directory;
  place_ = 0;
  depth_ = 0;
  outside_.clear();
  chdir_.clear();
}

// `for NAME in WORDS`: the parser has no command for it.
void LineValues::read_loops() {
  for (const std::string_view keyword : {"for ", "select "}) {
    for (std::size_t at = text_.find(keyword); at != std::string::npos; at = text_.find(keyword, at + 1)) {
      if (at > 0 && is_word_character(text_[at - 1])) continue;
      const std::string_view rest = std::string_view(text_).substr(at + keyword.size());
      std::size_t end = 0;
      while (end < rest.size() && is_word_character(rest[end])) ++end;
      const std::size_t in = rest.find_first_not_of(" \t\n", end);
      if (end == 0 || in == std::string_view::npos || !rest.substr(in).starts_with("in")) continue;
      std::size_t stop = in + 2;
      while (stop < rest.size() && !ends_command(rest[stop])) ++stop;
      Values& values = variables_[std::string(rest.substr(0, end))];
      for (const std::string& raw : split_words(rest.substr(in + 2, stop - in - 2)))
        for (const std::string& field : expand({.text = raw, .literal = false}))
          if (values.size() < kMostValues)
            values.push_back(concat("\x02", field));  // a pattern, expanded already
    }
  }
}

void LineValues::read_functions() {
  for (std::size_t at = text_.find('('); at != std::string::npos; at = text_.find('(', at + 1)) {
    const std::size_t close = text_.find_first_not_of(" \t", at + 1);
    if (close == std::string::npos || text_[close] != ')') continue;
    std::size_t end = at;
    while (end > 0 && (text_[end - 1] == ' ' || text_[end - 1] == '\t')) --end;
    std::size_t begin = end;
    while (begin > 0 && !std::string_view(" \t\n;&|(){}'\"$").contains(text_[begin - 1])) --begin;
    if (begin < end) functions_.push_back(text_.substr(begin, end - begin));
  }
  constexpr std::string_view kKeyword = "function ";
  for (std::size_t at = text_.find(kKeyword); at != std::string::npos; at = text_.find(kKeyword, at + 1)) {
    const std::size_t begin = at + kKeyword.size();
    const std::size_t end = std::min(text_.find_first_of(" \t\n({", begin), text_.size());
    if (end > begin) functions_.push_back(text_.substr(begin, end - begin));
  }
}

bool LineValues::is_function(std::string_view name) const {
  return std::ranges::find(functions_, name) != functions_.end();
}

LineValues::Values LineValues::plain_values(const Word& word) const {
  Values values;
  if (word.literal) return {word.text};
  for (const std::string& field : WordExpansion(*this).whole(word.text)) values.push_back(plain_text(field));
  return values;
}

void LineValues::assign(const shell::Assignment& assignment) {
  std::string name = assignment.name;
  const bool appends = name.ends_with('+');
  if (appends) name.pop_back();
  Values values;
  const std::string& text = assignment.value.text;
  if (!assignment.value.literal && text.starts_with('(') && text.ends_with(')')) {
    for (const std::string& raw : split_words(std::string_view(text).substr(1, text.size() - 2)))
      for (const std::string& field : expand({.text = raw, .literal = false}))
        values.push_back(plain_text(field));
  } else {
    values = plain_values(assignment.value);
  }
  Values& known = variables_[name];
  if (values.empty()) {
    variables_.erase(name);
  } else if (appends) {
    for (std::string& value : known) value += values.front();
    known.insert(known.end(), values.begin(), values.end());
  } else {
    known.insert(known.end(), values.begin(), values.end());
  }
  if (values.size() > kMostValues) variables_.erase(name);
}

void LineValues::set_parameters(const SimpleCommand& command, std::size_t first, std::size_t number) {
  for (std::size_t i = first; i < command.words.size(); ++i)
    for (const std::string& field : expand(command.words[i]))
      for (const std::string& name : {std::to_string(i - first + number), std::string("@")})
        if (variables_[name].size() < kMostValues) variables_[name].push_back(concat("\x02", field));
}

void LineValues::follow(const SimpleCommand& command) {
  const bool declares = !command.words.empty() &&
                        (command.words.front().text == "export" || command.words.front().text == "declare" ||
                         command.words.front().text == "local" || command.words.front().text == "readonly" ||
                         command.words.front().text == "typeset");
  // Also those for a shell: `x=/ sh -c 'rm -rf $x'`.
  const bool for_shell = !command.words.empty() && program_name(command.words.front().text).ends_with("sh");
  if (command.words.empty() || declares || for_shell)
    for (const shell::Assignment& assignment : command.assignments) assign(assignment);
  if (command.words.empty()) return;
  leave_subshells(command);
  const std::string_view program = program_name(command.words.front().text);
  const std::vector<Word>& words = command.words;
  for (const Word& word : words) assign_defaults(word);
  if (program == "printf" && words.size() > 3 && words[1] == Word{.text = "-v"}) {
    SimpleCommand printed{.words = {words.begin() + 2, words.end()}};
    printed.words.front() = words.front();
    if (const auto text = text_of(printed, std::nullopt)) variables_[words[2].text].push_back(*text);
  }
  if (program == "set" && words.size() > 1) {
    std::size_t first = 1;
    while (first < words.size() && words[first].text.starts_with('-') && words[first].text != "--") ++first;
    set_parameters(command, first < words.size() && words[first].text == "--" ? first + 1 : first);
  } else if (is_function(program)) {
    set_parameters(command, 1);
  } else if (program == "alias") {
    for (std::size_t i = 1; i < words.size(); ++i)
      if (const std::size_t equals = words[i].text.find('='); words[i].literal && equals != std::string::npos)
        aliases_[words[i].text.substr(0, equals)] = words[i].text.substr(equals + 1);
  } else if (program == "read" || program == "mapfile" || program == "readarray") {
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i].literal && !words[i].text.starts_with('-')) readers_.push_back(words[i].text);
  } else if (changes_directory(command)) {
    change_directory(command);
  } else if (program.ends_with("sh")) {
    // sh -c TEXT NAME PARAMETERS
    const auto option = std::ranges::find_if(words, [](const Word& word) {
      return word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c');
    });
    if (option != words.end())
      set_parameters(command, static_cast<std::size_t>(option - words.begin()) + 2, 0);
  }
  if (program == "env" || program == "sudo") {
    const std::size_t depth = command.wrappers.size();
    chdir_.erase(depth);
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string_view text = words[i].text;
      const std::string_view letter = program == "env" ? "-C" : "-D";
      std::string target;
      if ((text == letter || text == "--chdir") && i + 1 < words.size())
        target = words[i + 1].text;
      else if (text.starts_with("--chdir="))
        target = text.substr(8);
      if (!target.empty()) chdir_[depth] = locate(target, directory_).given;
    }
  }
}

// ${x:=value}
void LineValues::assign_defaults(const Word& word) {
  if (word.literal) return;
  const std::string_view text = word.text;
  for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 1)) {
    std::size_t end = at + 2;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::size_t mark = text.substr(end).starts_with(":=")  ? 2
                             : text.substr(end).starts_with("=") ? 1
                                                                 : 0;
    const std::size_t close = text.find('}', end);
    const std::string name(text.substr(at + 2, end - at - 2));
    if (mark == 0 || close == std::string_view::npos || variables_.contains(name)) continue;
    const std::string value(text.substr(end + mark, close - end - mark));
    for (const std::string& field : WordExpansion(*this).whole(value))
      variables_[name].push_back(plain_text(field));
  }
}

void LineValues::feed_readers(const Fields& values) {
  for (const std::string& name : readers_)
    for (const std::string& value : values)
      if (variables_[name].size() < kMostValues) variables_[name].push_back(concat("\x02", value));
}

// A directory that was changed in parentheses is left at the closing one.
void LineValues::leave_subshells(const SimpleCommand& command) {
  const std::size_t found = command.text.empty() ? std::string::npos : text_.find(command.text, place_);
  if (found == std::string::npos) return;
  std::size_t least = depth_;
  for (; place_ < found; ++place_) {
    if (text_[place_] == '(') ++depth_;
    if (text_[place_] == ')' && depth_ > 0) least = std::min(least, --depth_);
  }
  while (!outside_.empty() && outside_.back().first > least) {
    directory_ = outside_.back().second;
    outside_.pop_back();
  }
}

void LineValues::change_directory(const SimpleCommand& command) {
  if (depth_ > 0 && (outside_.empty() || outside_.back().first < depth_))
    outside_.emplace_back(depth_, directory_);
  std::vector<Word> operands;
  for (std::size_t i = 1; i < command.words.size(); ++i)
    if (const std::string& text = command.words[i].text;
        text != "-P" && text != "-L" && text != "--" && text != "-e")
      operands.push_back(command.words[i]);
  const bool home = operands.empty() && command.words.front().text == "cd";
  const Fields fields = operands.size() == 1 ? expand(operands.front()) : Fields();
  const std::string target = home                 ? surroundings_->home
                             : fields.size() == 1 ? plain_text(fields.front())
                                                  : "";
  const bool relative = !target.starts_with('/');
  if (target.empty() || target.starts_with('-') || (relative && directory_.empty()))
    directory_.clear();
  else
    directory_ = locate(target, directory_).given;
}

std::string LineValues::directory_of(const SimpleCommand& command) const {
  std::string found = directory_;
  for (std::size_t depth = 0; depth < command.wrappers.size(); ++depth)
    if (const auto place = chdir_.find(depth); place != chdir_.end()) found = place->second;
  return found;
}

std::optional<LineValues::Values> LineValues::values_of(std::string_view name) const {
  if (name == "*") name = "@";
  if (const auto found = variables_.find(name); found != variables_.end()) return found->second;
  if (name == "HOME" && !surroundings_->home.empty()) return Values{surroundings_->home};
  if (name == "PWD" && !directory_.empty()) return Values{directory_};
  if (name == "IFS") return Values{" "};
  if (is_unset(name) || (is_parameter(name) && !may_have_parameters())) return Values{""};
  return std::nullopt;
}

// A line that is not in a function or a script has none, unless it sets them.
bool LineValues::may_have_parameters() const {
  return inherits_ || has_functions() || text_.contains("set ") || variables_.contains("1") ||
         variables_.contains("@");
}

// Nothing in the line or in the environment gives it a value.
bool LineValues::is_unset(std::string_view name) const {
  constexpr std::string_view kOfTheShell =
      "RANDOM SECONDS LINENO UID EUID PPID HOSTNAME HOSTTYPE MACHTYPE OSTYPE SHLVL OLDPWD PWD HOME TMPDIR "
      "SHELL "
      "USER LOGNAME PATH TERM EDITOR VISUAL PAGER CI _ OPTARG OPTIND REPLY COLUMNS LINES EPOCHSECONDS "
      "SRANDOM "
      "BASHPID FUNCNAME PIPESTATUS GROUPS DIRSTACK MAPFILE COPROC argv path";
  const bool plain = !name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, is_word_character);
  if (!plain || shell::lists(kOfTheShell, name) || name.starts_with("BASH") || name.starts_with("ZSH"))
    return false;
  if (inherits_ || ::getenv(std::string(name).c_str()) != nullptr ||
      std::ranges::find(surroundings_->variables, name) != surroundings_->variables.end())
    return false;
  for (const std::string_view source : {"source ", ". ", "eval ", "export $", "set -a", "declare -n"})
    if (text_.contains(source)) return false;
  // Everything but its uses: `x=`, `read x`, `for x in`, `printf -v x`.
  for (std::size_t at = text_.find(name); at != std::string::npos; at = text_.find(name, at + 1)) {
    const bool whole = (at == 0 || !is_word_character(text_[at - 1])) &&
                       (at + name.size() >= text_.size() || !is_word_character(text_[at + name.size()]));
    const bool used =
        at > 0 && (text_[at - 1] == '$' || (text_[at - 1] == '{' && at > 1 && text_[at - 2] == '$'));
    if (whole && !used && !std::string_view(text_).substr(0, at).ends_with("unset ")) return false;
  }
  return true;
}

Fields LineValues::expand(const Word& word) const {
  if (word.literal) return {escape_pattern(word.text)};
  return WordExpansion(*this).fields(word.text);
}

Fields LineValues::expand_command(const SimpleCommand& command) const {
  Fields fields;
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const Word& word = command.words[i];
    if (i == 0 && word.literal) {
      if (const auto alias = aliases_.find(word.text); alias != aliases_.end()) {
        for (const std::string& raw : split_words(alias->second))
          for (std::string& field : expand({.text = raw, .literal = false}))
            fields.push_back(std::move(field));
        continue;
      }
    }
    Fields each = expand(word);
    if (each.empty()) each.emplace_back(kUnknownField);
    fields.insert(fields.end(), std::make_move_iterator(each.begin()), std::make_move_iterator(each.end()));
  }
  return fields;
}

}  // namespace helve::policy

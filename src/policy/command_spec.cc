#include "policy/command_spec.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/strings.h"
#include "policy/pattern_meet.h"

namespace helve::policy {
namespace {

using shell::Word;

constexpr auto kSystemDirectories =
    std::to_array<std::string_view>({"/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"});

// A spec with its quotes removed.
struct Scanned {
  std::vector<std::string> pieces = {""};  // around and between the unquoted stars
  std::string contradiction = {};
};

std::string operator_at(std::string_view text, std::size_t at) {
  const char c = text[at];
  const char before = at > 0 ? text[at - 1] : '\0';
  const char after = at + 1 < text.size() ? text[at + 1] : '\0';
  if (c == '&' && (before == '>' || before == '<' || after == '>')) return {};  // part of a redirection
  if (c == ';' || c == '|' || c == '&' || c == '\n' || c == '`') return std::string(1, c);
  if (c == '$' && after == '(') return "$(";
  return {};
}

Scanned scan(std::string_view text) {
  Scanned scanned;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote && quote != '\0') {
      quote = '\0';
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      scanned.pieces.back() += text[++i];
    } else if (c == '*' && quote == '\0') {
      scanned.pieces.emplace_back();
    } else {
      if (quote == '\0' && scanned.contradiction.empty())
        if (const std::string found = operator_at(text, i); !found.empty())
          scanned.contradiction = concat("each command of a line is checked separately, and none contains ",
                                         found == "\n" ? "a line break" : found);
      scanned.pieces.back() += c;
    }
  }
  return scanned;
}

// Parses the spec as a simple command; splits it at spaces when it is not one.
shell::SimpleCommand parse_words(std::string_view text) {
  const shell::CommandLine line = shell::parse_command_line(text);
  const bool one = !line.commands.empty() && line.commands.front().wrappers.empty() &&
                   std::all_of(line.commands.begin() + 1, line.commands.end(),
                               [](const shell::SimpleCommand& command) { return !command.wrappers.empty(); });
  if (one && !line.commands.front().words.empty() &&
      std::ranges::all_of(line.commands.front().words, &Word::literal))
    return line.commands.front();
  shell::SimpleCommand plain;
  for (const std::string_view word : split(text, ' '))
    if (!word.empty()) plain.words.push_back({.text = std::string(word)});
  return plain;
}

// Combined single-letter options, such as `-rf`.
bool is_cluster(std::string_view word) {
  return word.size() >= 2 && word.size() <= 4 && word[0] == '-' &&
         std::all_of(word.begin() + 1, word.end(), is_letter_or_digit);
}

bool has_letter(const Word& word, char letter) {
  const std::string_view text = word.text;
  if (letter == 'f' && text == "--force") return true;
  if ((letter == 'r' || letter == 'R') && text == "--recursive") return true;
  if (text.size() < 2 || text[0] != '-' || text[1] == '-') return false;
  return text.find(letter) != std::string_view::npos ||
         (letter == 'r' && text.find('R') != std::string_view::npos);
}

Match finds_option(const Words& words, std::size_t begin, std::string_view option) {
  Match found = Match::kNo;
  for (std::size_t i = begin; i < words.size(); ++i) {
    if (!words[i].literal)
      found = Match::kMaybe;
    else if (words[i].text == option || words[i].text.starts_with(concat(option, "=")))
      return Match::kYes;
  }
  if (!is_cluster(option)) return found;
  const bool all = std::all_of(option.begin() + 1, option.end(), [&](char letter) {
    return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end(),
                       [&](const Word& word) { return word.literal && has_letter(word, letter); });
  });
  return all ? Match::kYes : found;
}

// The words that may be options of a program after which `--` has only operands: not those of programs that
// pass them on, such as `npm run x -- --force`.
Words before_operands(const Words& words) {
  constexpr std::string_view kEndedByDashes[] = {
      "cat", "chgrp", "chmod", "chown", "cp",   "grep", "head",  "ln",       "ls",     "mkdir",
      "mv",  "rm",    "rmdir", "shred", "tail", "tee",  "touch", "truncate", "unlink", "wc"};
  if (std::ranges::find(kEndedByDashes, words.front().text) == std::end(kEndedByDashes)) return words;
  return {words.begin(),
          std::ranges::find_if(words, [](const Word& word) { return word.literal && word.text == "--"; })};
}

bool mentions(std::string_view text, std::string_view word) {
  const auto joins = [&](std::size_t at) {
    return at < text.size() &&
           (is_letter_or_digit(text[at]) || text[at] == '_' || text[at] == '-' || text[at] == '.');
  };
  // The value of a short option can be attached: -Orm, -zIrm.
  const auto is_attached = [&](std::size_t at) {
    return text.starts_with('-') && text[1] != '-' &&
           (at == 2 || (at > 2 && at < 6 && is_upper(text[at - 1])));
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !joins(at - 1) || is_attached(at)) && !joins(at + word.size())) return true;
  return false;
}

bool matches_pieces(const std::vector<std::string>& pieces, std::string_view text) {
  if (!text.starts_with(pieces.front())) return false;
  text.remove_prefix(pieces.front().size());
  for (std::size_t i = 1; i + 1 < pieces.size(); ++i) {
    const std::size_t found = text.find(pieces[i]);
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + pieces[i].size());
  }
  return text.ends_with(pieces.back());
}

std::string joined(const Words& words) {
  std::vector<std::string> texts;
  for (const Word& word : words) texts.push_back(word.text);
  return join(texts, " ");
}

}  // namespace

Expected<CommandSpec> CommandSpec::compile(std::string_view spec) {
  CommandSpec made;
  std::string_view text = trim(spec);
  if (text.empty())
    return fail(ErrorCode::kInvalidArgument, "the command is empty",
                "Remove the parentheses to match every command.");
  if (text == "*" || text == ":*") {
    made.form_ = Form::kEverything;
    return made;
  }
  if (text.ends_with(":*") || text.ends_with(" *")) {
    made.form_ = Form::kPrefix;
    text = trim(text.substr(0, text.size() - 2));
  }
  const Scanned scanned = scan(text);
  made.contradiction_ = scanned.contradiction;
  if (scanned.pieces.size() > 1) {
    const bool open_end = made.form_ == Form::kPrefix;
    made.form_ = Form::kPattern;
    made.pieces_ = scanned.pieces;
    if (open_end) {
      // `git * main:*`: the command ends here, or continues after a space.
      made.pieces_.back() += ' ';
      made.pieces_.emplace_back();
    }
    return made;
  }
  const shell::SimpleCommand command = parse_words(text);
  for (const Word& word : command.words) made.words_.push_back(word.text);
  made.assignments_ = command.assignments;
  made.redirections_ = command.redirections;
  if (made.contradiction_.empty() && made.form_ == Form::kPrefix && !made.redirections_.empty())
    made.contradiction_ = "redirections are not part of a command's words";
  return made;
}

bool CommandSpec::grants(const shell::SimpleCommand& command) const {
  if (form_ == Form::kEverything) return true;
  if (command.words.empty() || !command.words.front().literal) return false;
  Words words = command.words;
  for (const std::string_view directory : kSystemDirectories) {
    std::string& program = words.front().text;
    if (program.starts_with(directory) && program.find('/', directory.size()) == std::string::npos &&
        (words_.empty() || words_.front().find('/') == std::string::npos)) {
      program.erase(0, directory.size());
      break;
    }
  }
  if (!assignments_.empty() && assignments_ != command.assignments) return false;
  if (form_ == Form::kPattern) {
    // A pattern with an open end has a closing space, which a command without further words lacks.
    return matches_pieces(pieces_, pieces_.back().empty() ? joined(words) + " " : joined(words));
  }
  if (words.size() < words_.size() || (form_ == Form::kExact && words.size() != words_.size())) return false;
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (!words[i].literal || words[i].text != words_[i]) return false;
  return form_ == Form::kPrefix || !command.open_ended;
}

bool CommandSpec::spells_out(const shell::SimpleCommand& command) const {
  return form_ == Form::kExact && grants(command) && assignments_ == command.assignments &&
         redirections_ == command.redirections;
}

Match CommandSpec::restricts(const std::vector<Words>& readings, bool open_ended) const {
  if (form_ == Form::kEverything) return Match::kYes;
  Match match = Match::kNo;
  for (const Words& words : readings)
    match = either(match, form_ == Form::kPattern ? restricts_pattern(words, open_ended)
                                                  : restricts_words(words, open_ended));
  return match;
}

bool CommandSpec::is_mentioned_in(const Words& words) const {
  if (words_.empty()) return false;
  return std::ranges::all_of(words_, [&](const std::string& wanted) {
    return wanted.starts_with('-') || std::any_of(words.begin() + 1, words.end(), [&](const Word& word) {
             return mentions(word.text, program_name(wanted));
           });
  });
}

Match CommandSpec::restricts_words(const Words& words, bool open_ended) const {
  if (words_.empty() || words.empty()) return Match::kNo;
  if (!words.front().literal) return Match::kMaybe;
  if (words.front().text != program_name(words_.front())) return Match::kNo;
  const std::string& program = words.front().text;
  const Words may_be_options = before_operands(words);
  Match match = Match::kYes;
  // Positions where the search for the next word may start. There can be several, because an unknown option
  // may or may not take the next word as its value.
  std::vector<bool> reached(words.size() + 2);
  reached[1] = true;
  for (std::size_t rule = 1; rule < words_.size(); ++rule) {
    if (words_[rule].starts_with('-')) {
      match = both(match, finds_option(may_be_options, 1, words_[rule]));
      continue;
    }
    std::vector<bool> next(words.size() + 2);
    bool found = false;
    bool unsure = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (!reached[i]) continue;
      const std::string& text = words[i].text;
      unsure = unsure || !words[i].literal;
      if (words[i].literal && text == words_[rule]) {
        next[i + 1] = true;
        found = true;
      } else if (words[i].literal && text.starts_with('-')) {
        const OptionValue value = value_of_option(program, text);
        if (value != OptionValue::kNext) reached[i + 1] = true;
        if (value != OptionValue::kNone) reached[i + 2] = true;
      }
    }
    const bool ran_out = reached[words.size()] || reached[words.size() + 1];
    if (!found) return unsure || (open_ended && ran_out) ? Match::kMaybe : Match::kNo;
    reached = std::move(next);
  }
  if (form_ == Form::kPrefix || match == Match::kNo) return match;
  // An exact rule matches only if nothing follows but words that it names itself.
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (!reached[i]) continue;
    const bool only_named =
        std::all_of(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(),
                    [&](const Word& word) { return std::ranges::find(words_, word.text) != words_.end(); });
    if (only_named) return match;
    if (std::any_of(words.begin() + static_cast<std::ptrdiff_t>(i), words.end(),
                    [](const Word& word) { return !word.literal; }))
      return Match::kMaybe;
  }
  if (!reached[words.size()]) return Match::kNo;
  return open_ended ? both(match, Match::kMaybe) : match;
}

Match CommandSpec::restricts_pattern(const Words& words, bool open_ended) const {
  constexpr char kStar = '\0';  // never occurs in a command
  std::string pattern;
  for (const std::string& piece : pieces_)
    pattern += (&piece == pieces_.data() ? "" : std::string(1, kStar)) + piece;
  std::string text;
  bool literal = !open_ended;
  for (const Word& word : words) {
    if (&word != words.data()) text += ' ';
    text += word.literal ? word.text : std::string(1, kStar);
    literal = literal && word.literal;
  }
  if (open_ended) text += kStar;
  if (pieces_.back().empty() && literal) text += ' ';
  if (!can_meet(pattern, text, kStar)) return Match::kNo;
  return literal ? Match::kYes : Match::kMaybe;
}

std::size_t CommandSpec::named_words() const {
  if (form_ != Form::kPattern) return words_.size();
  // `npm run *` names npm and run; of `npm ru*` only npm is whole.
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ranges::count(pieces_.front(), ' ')));
}

bool CommandSpec::leaves_program_open() const {
  return form_ == Form::kPattern && pieces_.front().find(' ') == std::string::npos && pieces_.front().empty();
}

bool CommandSpec::is_as_wide_as(const CommandSpec& other) const {
  if (form_ == Form::kEverything) return true;
  if (form_ == Form::kPattern) return other.form_ == Form::kPattern && pieces_ == other.pieces_;
  if (other.form_ != Form::kExact && other.form_ != Form::kPrefix) return false;
  if (form_ == Form::kExact && other.form_ == Form::kPrefix) return false;
  if (words_.size() > other.words_.size()) return false;
  if (form_ == Form::kExact && words_.size() != other.words_.size()) return false;
  return std::equal(words_.begin(), words_.end(), other.words_.begin());
}

}  // namespace helve::policy

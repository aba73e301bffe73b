// Finds the command that a wrapper runs, and reads the text of shells that a command starts.
#include <algorithm>

#include "base/strings.h"
#include "shell/analysis.h"
#include "shell/names.h"
#include "shell/options.h"

namespace helve::shell {
namespace {

struct ShellRow {
  std::string_view name;
  Dialect dialect;
};
constexpr ShellRow kShells[] = {
    {"ash", Dialect::kPosix},  {"bash", Dialect::kBash},   {"dash", Dialect::kPosix},
    {"ksh", Dialect::kPosix},  {"ksh93", Dialect::kPosix}, {"mksh", Dialect::kPosix},
    {"rbash", Dialect::kBash}, {"sh", Dialect::kPosix},    {"yash", Dialect::kPosix},
    {"zsh", Dialect::kZsh},
};

// Reads the letters of one word; each -o takes its value from a following word.
bool read_letters(const Wrapper& wrapper, std::size_t& next, bool& has_text, bool& from_input) {
  const auto& words = wrapper.command.words;
  const std::string& letters = words[next++].text;
  const bool on = letters.front() == '-';
  for (const char letter : letters.substr(1)) {
    if (letter == 'c' && on)
      has_text = true;
    else if (letter == 's' && on)
      from_input = true;
    else if (letter == 'l' && on)
      continue;  // reads the user's start-up files, like the user's own shell
    else if (letter == 'o') {
      if (next >= words.size() || !words[next].literal || (on && !is_safe_shell_option(words[next].text)))
        return false;
      ++next;
    } else if (on && !is_safe_shell_letter(letter))
      return false;
  }
  return true;
}

}  // namespace

Frame Wrapper::inner_frame() const {
  Frame inner = frame;
  ++inner.depth;
  inner.wrappers.emplace_back(name);
  inner.assignments = command.assignments;
  return inner;
}

void Wrapper::runs_words(std::size_t from) const {
  runs(std::span(command.words).subspan(std::min(from, command.words.size())));
}

void Wrapper::runs(std::span<const Word> words) const {
  if (words.empty()) {
    if (command.open_ended) doubt(concat("the command that ", name, " runs is unknown"));
    return;
  }
  Frame inner = inner_frame();
  inner.in_text = frame.in_text && (name == "time" || name == "coproc");
  if (analysis.is_too_deep(inner)) return;
  analysis.add(
      {.words = {words.begin(), words.end()}, .text = quoted_line(words), .open_ended = command.open_ended},
      inner);
}

void Wrapper::runs_text(const Word& text, Dialect dialect) const {
  if (!text.literal) return doubt(concat("the command that ", name, " runs is not literal"));
  Frame inner = inner_frame();
  inner.dialect = dialect;
  inner.in_text = true;
  analysis.read_text(text.text, inner);
}

void Wrapper::doubt_options() const { misread(concat("the options of ", name, " cannot be parsed")); }

void unwrap(Analysis& analysis, const SimpleCommand& command, const Frame& frame) {
  const Wrapper wrapper{analysis, command, frame, program_name(command.words.front().text)};
  // A name with a directory is not a builtin.
  if (wrapper.name.size() == command.words.front().text.size() && unwrap_builtin(wrapper)) return;
  (void)(unwrap_program(wrapper) || unwrap_by_table(wrapper));
}

bool is_unwrapped(std::string_view program) {
  return is_in_wrapper_table(program) || is_wrapping_program(program) || is_builtin(program);
}

// `sh -c text` is parsed as a command line; `sh script` is an ordinary command.
bool unwrap_shell(const Wrapper& wrapper) {
  const auto* shell = std::ranges::find(kShells, wrapper.name, &ShellRow::name);
  if (shell == std::end(kShells)) return false;
  const auto& words = wrapper.command.words;
  bool has_text = false;
  bool from_input = false;
  std::size_t next = 1;
  while (next < words.size()) {
    const std::string& text = words[next].text;
    const bool literal = words[next].literal;
    if (literal && !text.starts_with('-') && !text.starts_with('+')) break;
    if (!literal && (has_text || !may_be_option(words[next]))) break;
    if (literal && (text == "--" || text == "-")) {
      ++next;
      break;
    }
    if (literal && (text == "--version" || text == "--help")) return true;
    if (literal && lists("--login --norc --noprofile --posix --verbose --restricted --noediting", text)) {
      ++next;
    } else if (!literal || text.starts_with("--") || !read_letters(wrapper, next, has_text, from_input)) {
      wrapper.doubt_options();
      return true;
    }
  }
  if (has_text && next < words.size()) {
    wrapper.runs_text(words[next], shell->dialect);
  } else if (has_text) {
    wrapper.doubt(concat("the command that ", wrapper.name, " -c runs is unknown"));
  } else if (from_input || next >= words.size()) {
    wrapper.doubt(concat(wrapper.name, " runs what it reads from its standard input"));
  }
  return true;
}

}  // namespace helve::shell

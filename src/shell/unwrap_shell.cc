// Shells that are started by a command: `sh -c text` is read again, `sh script` is a command like any other.
#include <algorithm>

#include "base/strings.h"
#include "shell/names.h"
#include "shell/options.h"
#include "shell/shell_options.h"
#include "shell/unwrap.h"

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

// The letters of one word; each -o takes its value from the words after it.
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
      continue;  // reads the person's own start-up files, as the person's shell did
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
    wrapper.doubt(concat("what ", wrapper.name, " -c runs comes from elsewhere"));
  } else if (from_input || next >= words.size()) {
    wrapper.doubt(concat(wrapper.name, " runs what it reads from its standard input"));
  }
  return true;
}

}  // namespace helve::shell

#include "shell/unwrap.h"

#include "base/strings.h"
#include "shell/names.h"
#include "shell/options.h"

namespace helve::shell {

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
    if (command.open_ended) doubt(concat("what ", name, " runs comes from elsewhere"));
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
  if (!text.literal) return doubt(concat("what ", name, " runs is not written out"));
  Frame inner = inner_frame();
  inner.dialect = dialect;
  inner.in_text = true;
  analysis.read_text(text.text, inner);
}

void Wrapper::doubt_options() const { doubt(concat("the options of ", name, " cannot be read")); }

void unwrap(Analysis& analysis, const SimpleCommand& command, const Frame& frame) {
  const Wrapper wrapper{analysis, command, frame, program_name(command.words.front().text)};
  // A builtin has no directory.
  if (wrapper.name.size() == command.words.front().text.size() && unwrap_builtin(wrapper)) return;
  (void)(unwrap_program(wrapper) || unwrap_by_table(wrapper));
}

}  // namespace helve::shell

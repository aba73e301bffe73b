#include "policy/command_paths.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace helve::policy {
namespace {

using Access = CommandPath::Access;
using shell::Word;

// The meaning of a program's arguments, apart from options.
enum class Shape {
  kText,           // text only: echo
  kReads,          // all are read
  kTextThenReads,  // the first is a pattern or a script, unless an option supplies it
  kReadsTree,      // all are read recursively; none: the current directory
  kTextThenTree,
  kStartsOfFind,  // those before the first option are listed
  kWrites,
  kCopies,    // the last is written, the others are read
  kMoves,     // all are written, the others are read too
  kAssigned,  // dd: if=, of=
};

struct Program {
  std::string_view name;
  Shape shape;
};

constexpr auto kPrograms = std::to_array<Program>({
    {"echo", Shape::kText},
    {"printf", Shape::kText},
    {"true", Shape::kText},
    {"false", Shape::kText},
    {":", Shape::kText},
    {"cd", Shape::kText},
    {"pwd", Shape::kText},
    {"mkdir", Shape::kWrites},
    {"basename", Shape::kText},
    {"dirname", Shape::kText},
    {"man", Shape::kText},
    {"which", Shape::kText},
    {"type", Shape::kText},
    {"kill", Shape::kText},
    {"sleep", Shape::kText},
    {"cat", Shape::kReads},
    {"head", Shape::kReads},
    {"tail", Shape::kReads},
    {"less", Shape::kReads},
    {"more", Shape::kReads},
    {"nl", Shape::kReads},
    {"tac", Shape::kReads},
    {"rev", Shape::kReads},
    {"wc", Shape::kReads},
    {"sort", Shape::kReads},
    {"uniq", Shape::kReads},
    {"cut", Shape::kReads},
    {"paste", Shape::kReads},
    {"join", Shape::kReads},
    {"comm", Shape::kReads},
    {"diff", Shape::kReadsTree},
    {"cmp", Shape::kReads},
    {"xxd", Shape::kReads},
    {"od", Shape::kReads},
    {"hexdump", Shape::kReads},
    {"strings", Shape::kReads},
    {"base64", Shape::kReads},
    {"base32", Shape::kReads},
    {"md5sum", Shape::kReads},
    {"sha1sum", Shape::kReads},
    {"sha256sum", Shape::kReads},
    {"cksum", Shape::kReads},
    {"file", Shape::kReads},
    {"bat", Shape::kReads},
    {"fold", Shape::kReads},
    {"fmt", Shape::kReads},
    {"expand", Shape::kReads},
    {"tr", Shape::kText},
    {"zcat", Shape::kReads},
    {"gzip", Shape::kReads},
    {"bzip2", Shape::kReads},
    {"xz", Shape::kReads},
    {"split", Shape::kReads},
    {"source", Shape::kReads},
    {".", Shape::kReads},
    {"vim", Shape::kReads},
    {"vi", Shape::kReads},
    {"nano", Shape::kReads},
    {"ls", Shape::kReads},
    {"tree", Shape::kReads},
    {"du", Shape::kReads},
    {"grep", Shape::kTextThenReads},
    {"egrep", Shape::kTextThenReads},
    {"fgrep", Shape::kTextThenReads},
    {"zgrep", Shape::kTextThenReads},
    {"rg", Shape::kTextThenTree},
    {"ag", Shape::kTextThenTree},
    {"ack", Shape::kTextThenTree},
    {"sed", Shape::kTextThenReads},
    {"awk", Shape::kTextThenReads},
    {"gawk", Shape::kTextThenReads},
    {"mawk", Shape::kTextThenReads},
    {"jq", Shape::kTextThenReads},
    {"find", Shape::kStartsOfFind},
    {"tee", Shape::kWrites},
    {"touch", Shape::kWrites},
    {"rm", Shape::kWrites},
    {"rmdir", Shape::kWrites},
    {"unlink", Shape::kWrites},
    {"shred", Shape::kWrites},
    {"truncate", Shape::kWrites},
    {"chmod", Shape::kWrites},
    {"chown", Shape::kWrites},
    {"cp", Shape::kCopies},
    {"install", Shape::kCopies},
    {"ln", Shape::kCopies},
    {"rsync", Shape::kCopies},
    {"scp", Shape::kCopies},
    {"mv", Shape::kMoves},
    {"dd", Shape::kAssigned},
});

bool is_option(const Word& word) { return word.text.size() > 1 && word.text.starts_with('-'); }

bool has_short_option(const Words& words, char letter) {
  return std::ranges::any_of(words, [&](const Word& word) {
    return is_option(word) && !word.text.starts_with("--") && word.text.find(letter) != std::string::npos;
  });
}

// A path may follow = or @: --file=x, if=x, -d @x.
void add_inner_path(const Word& word, Access access, std::vector<CommandPath>& found) {
  const std::size_t joint = word.text.find_first_of("=@");
  if (joint == std::string::npos || joint + 1 >= word.text.size()) return;
  std::string_view rest = std::string_view(word.text).substr(joint + 1);
  if (rest.starts_with('@')) rest.remove_prefix(1);
  if (!rest.empty()) found.push_back({{std::string(rest), word.literal}, access});
}

Access access_at(Shape shape, bool last) {
  switch (shape) {
    case Shape::kReadsTree:
    case Shape::kTextThenTree: return Access::kReadsTree;
    case Shape::kWrites: return Access::kWrites;
    case Shape::kCopies: return last ? Access::kWrites : Access::kReadsTree;
    case Shape::kMoves: return Access::kWrites;
    default: return Access::kReads;
  }
}

// Whether the first argument is a pattern or a script instead of a file.
bool begins_with_text(Shape shape, const Words& words) {
  if (shape != Shape::kTextThenReads && shape != Shape::kTextThenTree) return false;
  const bool given = has_short_option(words, 'e') || has_short_option(words, 'f') ||
                     std::ranges::any_of(words, [](const Word& word) {
                       return word.text.starts_with("--regexp") || word.text.starts_with("--file") ||
                              word.text.starts_with("--expression") || word.text == "--files";
                     });
  return !given;
}

Shape shape_of(const Words& words, bool& known) {
  const auto* program = std::ranges::find(kPrograms, words.front().text, &Program::name);
  known = program != kPrograms.end();
  if (!known) return Shape::kReads;
  const std::string_view name = program->name;
  const bool recursive =
      has_short_option(words, 'r') || has_short_option(words, 'R') ||
      std::ranges::any_of(words, [](const Word& word) { return word.text.ends_with("recursive"); });
  if (program->shape == Shape::kTextThenReads && name.ends_with("grep") && recursive)
    return Shape::kTextThenTree;
  if (name == "diff" && !recursive) return Shape::kReads;
  if (name == "sed" && (has_short_option(words, 'i') || std::ranges::any_of(words, [](const Word& word) {
                          return word.text.starts_with("--in-place");
                        })))
    return Shape::kMoves;
  return program->shape;
}

}  // namespace

std::vector<CommandPath> paths_of_command(const Words& reading) {
  std::vector<CommandPath> found;
  if (reading.empty() || !reading.front().literal) return found;
  bool known = false;
  const Shape shape = shape_of(reading, known);
  if (shape == Shape::kText) return found;
  Words arguments;
  bool options = true;
  for (std::size_t i = 1; i < reading.size(); ++i) {
    const Word& word = reading[i];
    if (options && word.text == "--") {
      options = false;
    } else if (options && is_option(word)) {
      if (shape == Shape::kStartsOfFind && word.literal && word.text != "-L" && word.text != "-P" &&
          word.text != "-H")
        break;
      add_inner_path(word, known ? Access::kReads : Access::kPerhaps, found);
    } else {
      arguments.push_back(word);
    }
  }
  if (shape == Shape::kAssigned) {
    for (const Word& word : arguments)
      add_inner_path(word, word.text.starts_with("of=") ? Access::kWrites : Access::kReads, found);
    return found;
  }
  if (begins_with_text(shape, reading) && !arguments.empty()) arguments.erase(arguments.begin());
  const bool tree = access_at(shape, false) == Access::kReadsTree && shape != Shape::kCopies;
  if (tree && arguments.empty()) arguments.push_back({.text = "."});
  for (const Word& word : arguments) {
    const bool last = &word == &arguments.back();
    found.push_back({word, known ? access_at(shape, last) : Access::kPerhaps});
    if (shape == Shape::kMoves && !last) found.push_back({word, Access::kReads});
    if (!known) add_inner_path(word, Access::kPerhaps, found);
  }
  return found;
}

}  // namespace helve::policy

#include "shell/command_line.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"
#include "shell/analysis.h"
#include "shell/screen.h"
#include "shell/statement_reader.h"
#include "shell/syntax_tree.h"

namespace helve::shell {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 10;
constexpr std::size_t kMostCommands = 1000;
constexpr std::size_t kMostReasons = 20;
constexpr int kDeepest = 50;
constexpr std::chrono::milliseconds kMostTime{250};

}  // namespace

void Analysis::read_text(std::string_view text, const Frame& frame) {
  if (is_too_deep(frame)) return;
  bytes_ += text.size();
  if (bytes_ > kMostBytes) return doubt(concat("it is longer than ", kMostBytes >> 10, " KiB"));
  if (const auto odd = find_odd_character(text)) return doubt(*odd);
  const auto tree = SyntaxTree::parse(text, deadline_);
  if (!tree) return doubt("it takes too long to read");
  StatementReader(text, *tree, frame, *this).read();
}

void Analysis::add(SimpleCommand command, const Frame& frame) {
  if (line_.commands.size() >= kMostCommands)
    return doubt(concat("it has more than ", kMostCommands, " commands"));
  command.wrappers = frame.wrappers;
  command.assignments.insert(command.assignments.begin(), frame.assignments.begin(), frame.assignments.end());
  line_.commands.push_back(command);
  if (command.words.empty()) return;
  const Word& program = command.words.front();
  if (!program.literal)
    return doubt(concat("the program's name is not written out: ", shortened(program.text, 80)));
  if (program.text.empty()) return doubt("the program's name is empty");
  unwrap(*this, command, frame);
}

void Analysis::doubt(std::string reason) {
  auto& reasons = line_.unknown;
  if (reasons.size() < kMostReasons && std::ranges::find(reasons, reason) == reasons.end())
    reasons.push_back(std::move(reason));
}

bool Analysis::is_too_deep(const Frame& frame) {
  if (frame.depth < kDeepest) return is_out_of_time();
  doubt("commands are nested too deeply");
  return true;
}

bool Analysis::is_out_of_time() {
  if (std::chrono::steady_clock::now() < deadline_) return false;
  doubt("it takes too long to read");
  return true;
}

CommandLine parse_command_line(std::string_view text, Dialect dialect) {
  if (dialect == Dialect::kPowerShell || dialect == Dialect::kCmd)
    return {.unknown = {concat("the language of ", dialect == Dialect::kCmd ? "cmd" : "PowerShell",
                               " is not taken apart")}};
  Analysis analysis(std::chrono::steady_clock::now() + kMostTime);
  analysis.read_text(text, {.dialect = dialect});
  return analysis.take();
}

}  // namespace helve::shell

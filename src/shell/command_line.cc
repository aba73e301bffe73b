#include "shell/command_line.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/strings.h"
#include "base/utf8.h"
#include "shell/analysis.h"
#include "shell/grammar.h"
#include "shell/statement_reader.h"
#include "shell/syntax_tree.h"

namespace helve::shell {
namespace {

struct OddRange {
  std::uint32_t first;
  std::uint32_t last;
  std::string_view what;
};

constexpr std::string_view kControl = "a control character";
constexpr std::string_view kSpace = "white space that a shell does not split at";
constexpr std::string_view kInvisible = "an invisible character";
constexpr std::string_view kDirection = "a character that changes the direction of writing";

constexpr OddRange kOddRanges[] = {
    {0x00, 0x08, kControl},
    {0x0B, 0x1F, kControl},
    {0x7F, 0x9F, kControl},
    {0xA0, 0xA0, kSpace},
    {0xAD, 0xAD, kInvisible},
    {0x034F, 0x034F, kInvisible},
    {0x061C, 0x061C, kDirection},
    {0x115F, 0x1160, kInvisible},
    {0x1680, 0x1680, kSpace},
    {0x17B4, 0x17B5, kInvisible},
    {0x180B, 0x180F, kInvisible},
    {0x2000, 0x200A, kSpace},
    {0x200B, 0x200D, kInvisible},
    {0x200E, 0x200F, kDirection},
    {0x2028, 0x2029, "a line separator"},
    {0x202A, 0x202E, kDirection},
    {0x202F, 0x202F, kSpace},
    {0x205F, 0x205F, kSpace},
    {0x2060, 0x2065, kInvisible},
    {0x2066, 0x2069, kDirection},
    {0x206A, 0x206F, kInvisible},
    {0x2800, 0x2800, kSpace},
    {0x3000, 0x3000, kSpace},
    {0x3164, 0x3164, kInvisible},
    {0xFEFF, 0xFEFF, kInvisible},
    {0xFFA0, 0xFFA0, kInvisible},
    {0xFFF0, 0xFFFB, kInvisible},
    {0xFFFE, 0xFFFF, kInvisible},
    {0x1BCA0, 0x1BCA3, kInvisible},
    {0x1D173, 0x1D17A, kInvisible},
    {0xE0000, 0xE0FFF, "a tag character"},
};

std::string code_point_name(std::uint32_t character) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string digits;
  for (int shift = 20; shift >= 0; shift -= 4)
    if (character >> shift != 0 || shift < 16) digits += kDigits[(character >> shift) & 0xF];
  return "U+" + digits;
}

constexpr std::size_t kMostBytes = std::size_t{64} << 10;
constexpr std::size_t kMostCommands = 1000;
constexpr std::size_t kMostReasons = 20;
constexpr int kDeepest = 50;
constexpr std::chrono::milliseconds kMostTime{250};

// Rejects characters that make a line look different from what it runs: control characters, unusual white
// space, invisible and reordering characters, invalid UTF-8.
std::optional<std::string> find_odd_character(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const char first = text[i];
    if ((first >= ' ' && first < 0x7F) || first == '\n' || first == '\t') {
      ++i;
      continue;
    }
    const std::size_t length = utf8_character_length(text.substr(i));
    if (length == 0) return concat("it has a byte that is not UTF-8, at offset ", i);
    const std::uint32_t character = utf8_code_point(text.substr(i, length));
    for (const OddRange& range : kOddRanges)
      if (range.first <= character && character <= range.last)
        return concat("it has ", range.what, ", ", code_point_name(character), ", at offset ", i);
    i += length;
  }
  return std::nullopt;
}

}  // namespace

void Analysis::read_text(std::string_view text, const Frame& frame) {
  if (is_too_deep(frame)) return;
  bytes_ += text.size();
  if (bytes_ > kMostBytes) return doubt(concat("it is longer than ", kMostBytes >> 10, " KiB"));
  if (const auto odd = find_odd_character(text)) return doubt(*odd);
  const auto tree = SyntaxTree::parse(text, deadline_);
  if (!tree) return doubt("it takes too long to parse");
  if (!Grammar(text).accepts()) misread("its syntax cannot be parsed");
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
    return doubt(concat("the program's name is not literal: ", shortened(program.text, 80)));
  if (program.text.empty()) return doubt("the program's name is empty");
  unwrap(*this, command, frame);
}

void Analysis::misread(std::string reason) {
  note_misread();
  doubt(std::move(reason));
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
  doubt("it takes too long to parse");
  return true;
}

CommandLine parse_command_line(std::string_view text, Dialect dialect) {
  if (dialect == Dialect::kPowerShell || dialect == Dialect::kCmd)
    return {
        .unknown = {concat(dialect == Dialect::kCmd ? "cmd" : "PowerShell", " commands cannot be parsed")},
        .is_misread = true};
  Analysis analysis(std::chrono::steady_clock::now() + kMostTime);
  analysis.read_text(text, {.dialect = dialect});
  return analysis.take();
}

}  // namespace helve::shell

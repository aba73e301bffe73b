#include "cli/agent_commands.h"

#include <algorithm>

#include "base/strings.h"
#include "base/utf8.h"

namespace helve::cli {
namespace {

constexpr SlashCommandInfo kCommands[] = {
    {SlashCommand::kPs, "/ps", "", "commands that run in the background"},
    {SlashCommand::kTail, "/tail", "[ID] [LINES]", "the last lines of one's output"},
    {SlashCommand::kStop, "/stop", "[ID]", "end one"},
    {SlashCommand::kDiff, "/diff", "[PATH]", "the last change, of the session or of a file"},
    {SlashCommand::kUndo, "/undo", "[STEPS]", "take back the session's last change"},
    {SlashCommand::kRedo, "/redo", "", "make again what was taken back last"},
    {SlashCommand::kTools, "/tools", "", "the tools that the model has"},
    {SlashCommand::kCost, "/cost", "", "tokens and money so far"},
    {SlashCommand::kMode, "/mode", "[NAME]",
     "what is asked before it happens: ask, accept-edits, plan, auto, full"},
    {SlashCommand::kModel, "/model", "[NAME]", "the model, or another one from now on"},
    {SlashCommand::kResume, "/resume", "[ID]", "finish what was cut off, or go on with another session"},
    {SlashCommand::kHelp, "/help", "", "this list"},
    {SlashCommand::kQuit, "/quit", "", "leave"},
};

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == ':';
  });
}

}  // namespace

std::span<const SlashCommandInfo> slash_commands() { return kCommands; }

std::optional<SlashLine> parse_slash(std::string_view text, std::span<const std::string> skills) {
  text = trim(text);
  if (!text.starts_with('/')) return {};
  const std::string one_line = replace_all(text, "\n", " ");
  std::vector<std::string> words;
  for (const std::string_view word : split(one_line, ' '))
    if (!word.empty()) words.emplace_back(word);
  const std::string name = words.front();
  if (!is_name(std::string_view(name).substr(1))) return {};
  SlashLine line;
  line.words.assign(words.begin() + 1, words.end());
  std::vector<std::string> known;
  for (const SlashCommandInfo& info : kCommands) {
    known.emplace_back(info.name);
    if (info.name == to_lower(name)) line.command = info.command;
  }
  if (name == "/exit") line.command = SlashCommand::kQuit;
  if (line.command) return line;
  for (const std::string& skill : skills) {
    if (name == concat("/", skill)) return {};
    known.push_back(concat("/", skill));
  }
  const auto near = nearest(name, known);
  line.complaint =
      concat("There is no command ", name, ".",
             near.empty() ? "" : concat(" Did you mean ", near.front(), "?"), " /help lists them.");
  return line;
}

std::vector<std::string> complete_slash(std::string_view text, std::span<const std::string> skills) {
  std::vector<std::string> fitting;
  if (!text.starts_with('/')) return fitting;
  for (const SlashCommandInfo& info : kCommands)
    if (info.name.starts_with(text)) fitting.emplace_back(info.name);
  for (const std::string& skill : skills)
    if (concat("/", skill).starts_with(text)) fitting.push_back(concat("/", skill));
  return fitting;
}

}  // namespace helve::cli

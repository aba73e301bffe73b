#include "agent/resume_note.h"

#include <algorithm>
#include <vector>

#include "base/json_parse.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::agent {
namespace {

struct RunningCommand {
  std::string id;
  std::string text;  // id and command line
};

std::string command_text(const CallState& call) {
  const auto arguments = parse_json(call.planned.requested.arguments);
  const Json* line = arguments ? arguments->find("command") : nullptr;
  if (line == nullptr || !line->is_string()) return call.result->command.id;
  return concat(call.result->command.id, " (", on_one_line(line->as_string(), 60), ")");
}

bool was_cut_off(const Transcript& transcript) {
  if (!transcript.is_unfinished()) return false;
  const auto* last = std::get_if<UserEntry>(&transcript.items().back());
  if (last != nullptr && last->from_helve) return false;  // already reported
  return transcript.ending() == "cancelled" || transcript.ending().empty();
}

}  // namespace

std::vector<std::string> commands_left_running(const Transcript& transcript) {
  constexpr std::size_t kMostWithLine = 5;
  std::vector<RunningCommand> running;
  for (const Transcript::Item& item : transcript.items()) {
    if (const auto* user = std::get_if<UserEntry>(&item); user != nullptr && user->from_helve)
      std::erase_if(running, [&](const RunningCommand& each) { return user->text.contains(each.id); });
    const auto* round = std::get_if<Round>(&item);
    if (round == nullptr) continue;
    for (const CallState& call : round->calls) {
      if (!call.result || call.result->command.id.empty()) continue;
      const CommandStatus& news = call.result->command;
      const auto known = std::ranges::find(running, news.id, &RunningCommand::id);
      if (news.running && known == running.end()) running.push_back({news.id, command_text(call)});
      if (!news.running && known != running.end()) running.erase(known);
    }
  }
  std::vector<std::string> texts;
  for (RunningCommand& each : running)
    texts.push_back(texts.size() < kMostWithLine ? std::move(each.text) : std::move(each.id));
  return texts;
}

std::string resume_note(const Transcript& transcript, const std::vector<std::string>& ended_commands,
                        Next next) {
  std::vector<std::string> parts;
  if (was_cut_off(transcript))
    parts.emplace_back(next == Next::kContinue ? "Your turn was interrupted; continue it."
                                               : "Your last turn was interrupted before it finished.");
  if (!ended_commands.empty())
    parts.push_back(concat("The session was closed in the meantime, which ended these background commands: ",
                           join(ended_commands, ", "), "."));
  return parts.empty() ? std::string() : concat("Note from Helve: ", join(parts, " "));
}

}  // namespace helve::agent

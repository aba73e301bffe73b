#include "chat/background_commands.h"

#include <algorithm>

#include "base/json_read.h"
#include "base/strings.h"
#include "base/utf8.h"

namespace helve::chat {

std::vector<BackgroundCommand> commands_in(const Json& list) {
  std::vector<BackgroundCommand> commands;
  const Json* sessions = list.find("sessions");
  if (sessions == nullptr || !sessions->is_array()) return commands;
  for (const Json& session : sessions->as_array()) {
    if (string_in(session, "sessionId").empty()) continue;
    commands.push_back({.id = text_in(session, "sessionId"),
                        .line = text_in(session, "command"),
                        .running = flag_in(session, "running")});
  }
  return commands;
}

std::vector<BackgroundCommand> running_of(std::span<const BackgroundCommand> commands) {
  std::vector<BackgroundCommand> running;
  std::ranges::copy_if(commands, std::back_inserter(running), &BackgroundCommand::running);
  return running;
}

std::vector<BackgroundCommand> running_commands(Runtime& runtime, const std::shared_ptr<Session>& session) {
  const Answer list = runtime.call(session, {.tool = "process", .arguments = JsonObject{{"action", "list"}}});
  return list.ok() ? running_of(commands_in(list.result->data)) : std::vector<BackgroundCommand>();
}

std::string count_text(std::span<const BackgroundCommand> commands) {
  return count_of(commands.size(), "background command");
}

std::string names_of(std::span<const BackgroundCommand> commands) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> names;
  for (const BackgroundCommand& command : commands.first(std::min(kMost, commands.size())))
    names.push_back(concat(command.id, " (", on_one_line(command.line, 40), ")"));
  return concat(join(names, ", "),
                commands.size() > kMost ? concat(" and ", commands.size() - kMost, " more") : "");
}

std::string ended_text(std::span<const BackgroundCommand> commands) {
  return concat(count_text(commands), commands.size() == 1 ? " was" : " were",
                " ended: ", names_of(commands));
}

Expected<BackgroundCommand> choose_command(std::span<const BackgroundCommand> commands, std::string_view id,
                                           std::string_view slash) {
  if (commands.empty()) return fail(ErrorCode::kNotFound, "There are no background commands.");
  if (id.empty()) {
    if (commands.size() == 1) return commands.front();
    const auto running = running_of(commands);
    if (running.size() == 1) return running.front();
    const auto& candidates = running.empty() ? std::vector(commands.begin(), commands.end()) : running;
    return fail(ErrorCode::kInvalidArgument, concat("Several commands match. Name one: ", slash, " ID"),
                names_of(candidates));
  }
  const auto found = std::ranges::find(commands, id, &BackgroundCommand::id);
  if (found != commands.end()) return *found;
  return fail(ErrorCode::kNotFound, concat("There is no background command ", shortened(id, 60), "."),
              concat("Background commands: ", names_of(commands), "."));
}

}  // namespace helve::chat

#include "policy/approval_memory.h"

#include <algorithm>
#include <span>

#include "base/json_read.h"
#include "base/strings.h"
#include "policy/call_paths.h"
#include "policy/program_identity.h"

namespace helve::policy {
namespace {

// Members that say how a call is waited for, not what it does.
constexpr std::string_view kBystanders[] = {"timeoutMs", "yieldMs", "background", "explanation", "dryRun"};
constexpr std::size_t kMostNamed = 3;  // files

Json sorted(const Json& arguments, std::span<const std::string_view> left_out) {
  if (!arguments.is_object()) return arguments;
  const JsonObject& object = arguments.as_object();
  std::vector<JsonObject::Member> members(object.begin(), object.end());
  std::erase_if(members, [&](const JsonObject::Member& member) {
    return std::ranges::find(left_out, member.first) != left_out.end();
  });
  std::ranges::sort(members, {}, &JsonObject::Member::first);
  JsonObject out;
  for (JsonObject::Member& member : members) out.append(std::move(member.first), std::move(member.second));
  return out;
}

Json texts(const std::vector<std::string>& list) {
  JsonArray out;
  for (const std::string& text : list) out.emplace_back(text);
  return out;
}

// Forgetting a file's history is something else than taking a change of it back.
bool is_about_history(const Call& call) { return call.tool == "history" || call.tool == "undo"; }

// What all input for one background command has in common; empty for other calls.
std::string conversation(const Call& call) {
  if (kind_of_tool(call.tool) != ToolKind::kProcess || text_in(call.arguments, "action") != "write")
    return {};
  return to_text(JsonObject{{"tool", call.tool}, {"inputFor", text_in(call.arguments, "sessionId")}});
}

}  // namespace

std::string covered_in_session(const Call& call, Input input) {
  switch (kind_of_tool(call.tool)) {
    case ToolKind::kCommand:
      return concat("this very command again, in the same directory",
                    text_in(call.arguments, "stdin").empty() ? "" : " and with the same input");
    case ToolKind::kChangesFiles: {
      const CallPaths called = paths_of_call(call.tool, call.arguments);
      if (is_about_history(call) || !called.complete || called.paths.empty()) break;
      const bool many = called.paths.size() > kMostNamed;
      return concat("every ", call.tool, " of ",
                    many ? concat("these ", called.paths.size(), " files") : enumerate(called.paths));
    }
    case ToolKind::kProcess:
      if (input == Input::kAsAWhole && !conversation(call).empty()) return "any input for this command";
      break;
    case ToolKind::kMcp:
    case ToolKind::kOther:
    case ToolKind::kReadsFiles: break;
  }
  return "this call again, with the same arguments";
}

std::string fingerprint(const Call& call, const Surroundings& surroundings) {
  JsonObject parts{{"tool", call.tool}};
  switch (kind_of_tool(call.tool)) {
    case ToolKind::kCommand: {
      const std::string command = text_in(call.arguments, "command");
      const std::string directory = locate(text_in(call.arguments, "cwd"), surroundings.workspace).real;
      JsonObject environment;
      for (const auto& [name, value] : call.environment) environment.append(name, value);
      parts.append("command", command);
      parts.append("directory", directory);
      parts.append("stdin", text_in(call.arguments, "stdin"));
      parts.append("environment", std::move(environment));
      parts.append("programs", texts(identities_of(shell::parse_command_line(command, surroundings.dialect),
                                                   directory, surroundings.search_path)));
      break;
    }
    case ToolKind::kChangesFiles: {
      const CallPaths called = paths_of_call(call.tool, call.arguments);
      if (is_about_history(call) || !called.complete) {
        parts.append("arguments", sorted(call.arguments, {}));
        break;
      }
      std::vector<std::string> real;
      for (const std::string& path : called.paths) real.push_back(locate(path, surroundings.workspace).real);
      std::ranges::sort(real);
      parts.append("files", texts(real));
      break;
    }
    case ToolKind::kMcp:
    case ToolKind::kOther:  // what their parameters mean is their own affair
      parts.append("arguments", sorted(call.arguments, {}));
      break;
    case ToolKind::kReadsFiles:
    case ToolKind::kProcess: parts.append("arguments", sorted(call.arguments, kBystanders)); break;
  }
  return to_text(parts);
}

void ApprovalMemory::grant_for_session(const Call& call, const Surroundings& surroundings) {
  std::string print = fingerprint(call, surroundings);
  const std::lock_guard lock(mutex_);
  granted_.insert(std::move(print));
  if (std::string talk = conversation(call); !talk.empty()) granted_.insert(std::move(talk));
}

bool ApprovalMemory::has(const Call& call, const Surroundings& surroundings) {
  const std::string print = fingerprint(call, surroundings);
  const std::lock_guard lock(mutex_);
  return granted_.contains(print);
}

bool ApprovalMemory::has_conversation(const Call& call) {
  const std::string talk = conversation(call);
  const std::lock_guard lock(mutex_);
  return !talk.empty() && granted_.contains(talk);
}

}  // namespace helve::policy

#include "policy/approval_memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "base/json_read.h"
#include "base/strings.h"
#include "policy/decide.h"
#include "policy/suggest_rule.h"

namespace helve::policy {
namespace {

std::string identity(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  // Includes the change time, because a program that replaces the content cannot set it back.
  return concat(path, " ", status.st_dev, ":", status.st_ino, " ", status.st_size, " ", status.st_mtim.tv_sec,
                ".", status.st_mtim.tv_nsec, " ", status.st_ctim.tv_sec, ".", status.st_ctim.tv_nsec);
}

std::string identify_file(std::string_view path, std::string_view directory) {
  return identity(locate(path, directory).real);
}

// Identifies the file that would run: path, device, inode, size and times. Empty for a builtin or a missing
// program.
std::string identify_program(std::string_view name, std::string_view directory,
                             std::string_view search_path) {
  if (name.empty()) return {};
  if (name.find('/') != std::string_view::npos) return identify_file(name, directory);
  for (const std::string_view place : split(search_path, ':')) {
    const std::string path = concat(place.empty() ? directory : place, "/", name);
    if (::access(path.c_str(), X_OK) != 0) continue;
    if (std::string found = identify_file(path, directory); !found.empty()) return found;
  }
  return {};
}

// Identifies everything that a command line starts: its programs, and the files given to interpreters.
std::vector<std::string> identities_of(const shell::CommandLine& line, std::string_view directory,
                                       std::string_view search_path) {
  std::vector<std::string> found;
  for (const shell::SimpleCommand& command : line.commands) {
    if (command.words.empty() || !command.words.front().literal) continue;
    found.push_back(identify_program(command.words.front().text, directory, search_path));
    // The script of an interpreter counts as a program. Its other file arguments are included for simplicity.
    for (std::size_t i = 1; i < command.words.size(); ++i)
      if (command.words[i].literal && is_interpreter(program_name(command.words.front().text)))
        found.push_back(identify_file(command.words[i].text, directory));
  }
  std::erase(found, "");
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

// Arguments that do not change the effect of a call.
constexpr std::string_view kIgnoredArguments[] = {"timeoutMs", "yieldMs", "background", "explanation",
                                                  "dryRun"};
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

// The actions of these tools differ in effect: clearing a file's history is not the same as undoing a change.
bool is_about_history(const RequestedCall& call) { return call.tool == "history" || call.tool == "undo"; }

// A key shared by all input to one background command; empty for other calls.
std::string input_key(const RequestedCall& call) {
  if (kind_of_tool(call.tool) != ToolKind::kProcess || text_in(call.arguments, "action") != "write")
    return {};
  return to_text(JsonObject{{"tool", call.tool}, {"inputFor", text_in(call.arguments, "sessionId")}});
}

}  // namespace

std::string covered_in_session(const RequestedCall& call, InputApproval input) {
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
      if (input == InputApproval::kWholeJob && !input_key(call).empty()) return "any input for this command";
      break;
    case ToolKind::kMcp:
    case ToolKind::kOther:
    case ToolKind::kReadsFiles: break;
  }
  return "this call again, with the same arguments";
}

std::string fingerprint(const RequestedCall& call, const Surroundings& surroundings) {
  JsonObject parts{{"tool", call.tool}};
  switch (kind_of_tool(call.tool)) {
    case ToolKind::kCommand: {
      const std::string command = text_in(call.arguments, "command");
      const std::string directory = locate(text_in(call.arguments, "cwd"), surroundings.workspace).real;
      parts.append("command", command);
      parts.append("directory", directory);
      parts.append("stdin", text_in(call.arguments, "stdin"));
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
    case ToolKind::kOther:  // the meaning of their arguments is unknown
      parts.append("arguments", sorted(call.arguments, {}));
      break;
    case ToolKind::kReadsFiles:
    case ToolKind::kProcess: parts.append("arguments", sorted(call.arguments, kIgnoredArguments)); break;
  }
  return to_text(parts);
}

void ApprovalMemory::grant_for_session(const RequestedCall& call, const Surroundings& surroundings) {
  std::string print = fingerprint(call, surroundings);
  const std::lock_guard lock(mutex_);
  granted_.insert(std::move(print));
  if (std::string input = input_key(call); !input.empty()) granted_.insert(std::move(input));
}

bool ApprovalMemory::has(const RequestedCall& call, const Surroundings& surroundings) {
  const std::string print = fingerprint(call, surroundings);
  const std::lock_guard lock(mutex_);
  return granted_.contains(print);
}

bool ApprovalMemory::has_input_to_job(const RequestedCall& call) {
  const std::string input = input_key(call);
  const std::lock_guard lock(mutex_);
  return !input.empty() && granted_.contains(input);
}

}  // namespace helve::policy

// Helve for a C++ program: create a Runtime, add tools, call them, follow the events.
//
//   #include <helve/runtime.h>
//   #include <iostream>
//   int main() {
//     auto runtime = helve::Runtime::create({.workspace = "."});
//     if (!runtime) {
//       std::cerr << runtime.error().message << "\n";
//       return 1;
//     }
//     const helve::Answer answer =
//         (*runtime)->call({.tool = "read", .arguments = helve::JsonObject{{"path", "README.md"}}});
//     std::cout << (answer.ok() ? answer.result->content : answer.result.error().message);
//   }
//
// docs/embedding.md has a larger program.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/runtime_class.h"
#include "helve/sandbox_status.h"
#include "helve/settings.h"

namespace HELVE_API helve {

// How to create a Runtime. Configuration files are not read: the settings are exactly those given here.
struct RuntimeOptions {
  std::string workspace = ".";  // the directory that tools work in; it must exist
  Settings settings = {};
  std::string state_directory = {};  // history, audit, outputs, caches; default: $XDG_STATE_HOME/helve
  std::string data_directory = {};   // snippets and agent sessions; default: $XDG_DATA_HOME/helve
  // The user has reviewed the workspace's own .claude/settings*.json. Without it, their allow rules do not
  // count, even with permissions.claude_settings.
  bool project_trusted = false;
  // Files of the workspace that the caller runs without a sandbox, besides those that the settings name
  // (hooks, MCP servers, language servers): read-only for all tools and commands. Absolute paths.
  std::vector<std::string> trusted_programs = {};
  // SHA-256 in hex of files that the user reviewed, by path relative to the workspace. A hook that uses one
  // of them does not run with another content.
  std::map<std::string, std::string> reviewed_files = {};
  bool built_in_tools = true;               // false: only the tools that you add
  std::string session_id = {};              // of the default session; see SessionOptions::id
  std::shared_ptr<Approver> approver = {};  // of the default session, like the next two
  std::shared_ptr<Asker> asker = {};
  std::shared_ptr<Sampler> sampler = {};
  // The program that starts commands in the sandbox. Set it to "/proc/self/exe" if main() begins with
  // launch_if_asked() (helve/launcher.h). The default is helve, if it is in PATH.
  std::string launcher = {};
  // Saves the rules of an approval with ApprovalScope::kAlways. Without it, they last as long as the runtime.
  std::function<Expected<void>(const std::vector<std::string>& allow_rules)> keep_rules = {};
};

}  // namespace helve

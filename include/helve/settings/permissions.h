// Permission rules as settings: the member `permissions` of Settings (helve/settings.h).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "helve/api.h"
#include "helve/params.h"

namespace HELVE_API helve {

// Permission rules. Deny wins over ask, and ask over allow.
struct PermissionSettings {
  std::vector<std::string> deny;
  std::vector<std::string> ask;
  std::vector<std::string> allow;
  std::map<std::string, std::vector<std::string>> examples;
  std::map<std::string, std::vector<std::string>> counter_examples;
  bool claude_settings = false;
  bool allow_catastrophes = false;
  int wait_seconds = 30;
  // Where each rule was written, by list and rule ("deny exec(rm:*)"). Only explanations use it; it is not
  // a setting.
  struct Origin {
    std::string source;      // a file, "--set", …
    std::size_t number = 0;  // the rule's position in that list, from 1
  };
  std::map<std::string, Origin> origins;

  void describe(ParamSpec& p) {
    p.optional("deny", deny, "Rules for calls that never run: exec(git push:*), read(./secrets/**).");
    p.optional("ask", ask, "Rules for calls that always need approval.");
    p.optional("allow", allow, "Rules for calls that run without approval.");
    p.optional("examples", examples, "By rule: calls that it must match; checked at start.");
    p.optional("counter_examples", counter_examples, "By rule: calls that it must not match.");
    p.optional("claude_settings", claude_settings,
               "Also read the permission lists of .claude/settings.json, of the user and the workspace.");
    p.optional("allow_catastrophes", allow_catastrophes,
               "Let rules and modes decide about commands like rm -rf / and dd of=/dev/sda, too.");
    p.optional("wait_seconds", wait_seconds,
               "How long a call over MCP waits for an answer in helve approvals when its client cannot ask.",
               {.min = 0, .max = 86'400});
  }
};

}  // namespace helve

// Decides about a call by mode and rules alone: deny, then ask, then allow, and the strictest wins.
#pragma once

#include <map>
#include <string>

#include "policy/rule_set.h"
#include "policy/ruling.h"

namespace helve::policy {

// A call that wants to happen, in the terms of the rules.
struct Call {
  std::string tool = {};    // canonical; mcp__server__tool for those of a server
  std::string server = {};  // of an MCP server's tool whose name does not say so
  Effect effect = Effect::kRead;
  Json arguments = {};
  std::map<std::string, std::string> environment = {};  // changes to it that the caller asks for
};

[[nodiscard]] Call to_call(const PermissionRequest& request);

// Modes:
//   ask           reads run; the rest needs an allow rule or a person
//   accept-edits  file changes run too, also by redirections of allowed commands
//   plan          reads only, whatever is allowed
//   auto          nobody is asked: what would be asked is refused
//   full          everything runs but what a deny rule fits, or may fit for all that the text tells; ask
//   rules have
//                 nobody to ask and let run
// Helve's own configuration and state are written in no mode. Looks at the disk (links), changes nothing; may
// be used from all threads at once.
[[nodiscard]] Ruling decide(const Call& call, Mode mode, const RuleSet& rules,
                            const Surroundings& surroundings);

}  // namespace helve::policy

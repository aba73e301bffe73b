// Decides whether a call may run, from the mode and the rules alone, and explains the decision.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "helve/json.h"
#include "helve/permissions.h"
#include "policy/path_spec.h"
#include "policy/rule.h"
#include "policy/rule_set.h"

namespace helve::policy {

// The severity of a finding, weakest first. The heaviest finding decides.
enum class Weight {
  kGranted,            // a rule or the mode allows this part
  kDoubt,              // nothing allows it, or its effect is unknown
  kQuestion,           // an ask rule matches, or may match
  kPossiblyForbidden,  // a deny rule may match; the text alone does not say
  kForbidden,          // a deny rule matches, or the path belongs to Helve
};

struct Finding {
  Weight weight = Weight::kGranted;
  std::string subject = {};  // the simple command, path or tool, safe to display
  std::string reason = {};   // a clause: "no rule allows it"
  std::string rule = {};     // the text of the rule behind it; may be empty
  Origin origin = {};        // of that rule
};

struct Ruling {
  Verdict verdict = Verdict::kAsk;
  std::string reason = {};
  std::string rule = {};  // the deciding rule; empty when the mode or a doubt decided
  Origin origin = {};
  std::vector<Finding> findings = {};  // everything that was checked, in order
  bool by_mode = false;                // another mode would decide otherwise

  [[nodiscard]] Decision to_decision() const { return {verdict, reason, by_mode}; }
  [[nodiscard]] Json to_json() const;
  [[nodiscard]] std::string to_text() const;  // for display
};

// Collects findings while a call is checked. Used by one thread.
class Findings {
 public:
  void add(Weight weight, std::string subject, std::string reason, const Rule* rule = nullptr);
  // For an ask or deny rule. kNo adds nothing.
  void add_restriction(const Rule& rule, Match match, std::string subject, std::string_view what);

  [[nodiscard]] const std::vector<Finding>& all() const { return all_; }
  // The first of the heaviest findings; null when there are none.
  [[nodiscard]] const Finding* heaviest() const;
  [[nodiscard]] std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

// Makes a piece of a command or path safe to display: escapes control characters and characters that hide or
// reorder text, and shortens long texts.
[[nodiscard]] std::string shown(std::string_view text);

// The files that a call of a file tool names.
struct CallPaths {
  std::vector<std::string> paths = {};  // as written, relative to the workspace or absolute
  PathSpec::Extent extent = PathSpec::Extent::kItself;
  bool complete = true;  // false: the call may touch files that its arguments do not name
};

[[nodiscard]] CallPaths paths_of_call(std::string_view tool, const Json& arguments);

// A request with the name that rules use for its tool. Refers to the request, which must outlive it.
struct RequestedCall {
  RequestedCall(const PermissionRequest& request);

  std::string tool;  // canonical; mcp__server__tool for the tools of a server
  Effect effect;
  const Json& arguments;
  const std::vector<std::string>& files;  // declared by the tool
};

// The strictest matching rule wins: deny, then ask, then allow. Modes:
//   ask           reads run; everything else needs an allow rule or the user's approval
//   accept-edits  like ask, but file changes run too, including redirections of allowed commands
//   plan          only reads run, even when a rule allows more
//   auto          never asks: a call that would be asked about is denied
//   full          everything runs unless a deny rule matches or may match; ask rules are ignored
// No mode allows writing Helve's own configuration and state. Reads the disk (symlinks) and changes nothing.
// May be called from all threads at once.
[[nodiscard]] Ruling decide(const RequestedCall& call, Mode mode, const RuleSet& rules,
                            const Surroundings& surroundings);

}  // namespace helve::policy

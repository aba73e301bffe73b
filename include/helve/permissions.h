// Permissions: what a call can do (effect), what runs without asking (mode), and how the user is asked.
//
// Two interfaces divide the work. Permissions decides from modes and rules, without a user. Approver asks the
// user when the decision is "ask":
//
//   #include <helve/permissions.h>
//   #include <iostream>
//   class Prompt final : public helve::Approver {
//    public:
//     helve::Approval ask(const helve::PermissionRequest& request, const std::stop_token&) override {
//       std::cout << request.tool << ": " << request.reason << "\n" << request.diff << "Allow? [y/n] ";
//       std::string answer;
//       std::getline(std::cin, answer);
//       return {.granted = answer == "y"};
//     }
//   };
#pragma once

#include <array>
#include <atomic>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "helve/api.h"
#include "helve/error.h"
#include "helve/json.h"

namespace HELVE_API helve {

// The most that a tool can do. Modes and rules decide by it.
enum class Effect {
  kRead,     // reads; changes nothing
  kWrite,    // changes files of the workspace
  kExecute,  // runs programs
  kNetwork,  // talks to other machines
  kAsk       // asks the user; changes nothing
};
constexpr auto enum_names(Effect) {
  return std::to_array<std::string_view>({"read", "write", "execute", "network", "ask"});
}

// Decides which calls run without approval. Rules come first: a deny rule refuses in every mode.
enum class Mode {
  kAsk,          // reads run; everything else asks
  kAcceptEdits,  // reads and file changes run; everything else asks
  kPlan,         // reads run; everything else is refused
  kAuto,         // never asks: runs what rules allow and refuses the rest
  kFull,         // everything runs
};
constexpr auto enum_names(Mode) {
  return std::to_array<std::string_view>({"ask", "accept-edits", "plan", "auto", "full"});
}

// The name of an enumerator that has enum_names(), as in settings and JSON: name_of(Mode::kPlan) is "plan".
template <class Named>
[[nodiscard]] constexpr std::string_view name_of(Named value) {
  return enum_names(value)[static_cast<std::size_t>(value)];
}

// A call that waits for a decision. The members from `reason` on are filled only when the user is asked.
struct PermissionRequest {
  std::string call_id = {};
  std::string tool = {};
  std::string server = {};  // the MCP server that the tool comes from; empty for Helve's own
  Effect effect = Effect::kRead;
  Json arguments = {};
  // The files that the tool declares for this call (Tool::resources). Rules for paths apply to them, and to
  // arguments that are paths.
  std::vector<std::string> files = {};
  std::string explanation = {};         // why the model makes the call; may be empty
  std::string reason = {};              // which mode, rule or hook asks
  std::string subject = {};             // what the call would do, in words; empty when the tool does not say
  std::string diff = {};                // what it would change; empty when that is not known
  std::vector<std::string> notes = {};  // warnings about that change
  bool diff_is_whole = false;           // when false, show the arguments as well
  // The allow rules that "always" would add; empty when no rule would help.
  std::vector<std::string> rules = {};
  std::string session_covers = {};  // what else "yes for this session" would allow, in words
  std::string workspace = {};       // the working directory of commands that name none
  // Its place among the questions of its batch: 1 of 3.
  std::size_t batch_index = 1;
  std::size_t batch_count = 1;
};

struct Decision {
  enum class Verdict { kAllow, kAsk, kDeny };
  Verdict verdict = Verdict::kAllow;
  std::string reason = {};  // the mode or rule that decided, for the user and the audit
  bool by_mode = false;     // the mode decided, so another mode would decide otherwise
};

// How long an approval lasts.
enum class ApprovalScope {
  kOnce,     // this call
  kSession,  // until the session ends
  kAlways    // from now on, as an allow rule
};

// Decides about calls without asking the user. Sessions share ownership of it. All functions may be called
// from several threads at once. An exception from an override refuses the call with EXECUTION_FAILED.
class Permissions {
 public:
  virtual ~Permissions() = default;

  // The decision about one call. It is made before the call runs, and again for each call.
  [[nodiscard]] virtual Decision decide(const PermissionRequest& request) const = 0;

  // The decision with its grounds, for `helve explain`: {"verdict", "reason", …}. Changes nothing.
  [[nodiscard]] virtual Json explain(const PermissionRequest& request) const;

  // The allow rules that "always" would add for this call. None by default.
  [[nodiscard]] virtual std::vector<std::string> suggest(const PermissionRequest& request) const;

  // The calls that "yes for this session" would allow, in words. Empty when remember() would not store it.
  [[nodiscard]] virtual std::string session_covers(const PermissionRequest& request) const;

  // Called after the user approved. Stores the approval if its scope is more than kOnce. After an error the
  // approval holds for this call only, and Helve logs a warning. Does nothing by default.
  [[nodiscard]] virtual Expected<void> remember(const PermissionRequest& request, ApprovalScope scope);

  // Changes the mode from the next decision on. Does nothing by default.
  virtual void use_mode(Mode mode);
};

// Decides by the mode alone, without rules. May be used from all threads.
class ModePermissions final : public Permissions {
 public:
  explicit ModePermissions(Mode mode) : mode_(mode) {}
  [[nodiscard]] Decision decide(const PermissionRequest& request) const override;
  void use_mode(Mode mode) override { mode_ = mode; }

 private:
  std::atomic<Mode> mode_;
};

// The answer of an Approver.
struct Approval {
  bool granted = false;
  // When refused: the user's words, which the model receives. When `asked` is false: why the user could not
  // be asked, as a clause that can follow "and".
  std::string reason = {};
  ApprovalScope scope = ApprovalScope::kOnce;
  bool asked = true;    // false when it turned out that the user cannot be asked
  std::string by = {};  // where the user answered if not at the client, for the audit: "helve approvals"
};

// Asks the user. Implement it in the program that embeds Helve, and pass it in RuntimeOptions or
// SessionOptions, which share ownership of it. All functions may be called from several threads at once: show
// one question at a time, or show them together. Without an Approver, calls that need approval are refused.
class Approver {
 public:
  virtual ~Approver() = default;

  // Return false when it is known in advance that the user cannot be asked. The call is then refused with
  // PERMISSION_DENIED, and the hint names the mode or rule that would allow it.
  [[nodiscard]] virtual bool can_ask(const PermissionRequest& /*request*/) { return true; }

  // Shows the request and waits for the answer. Return {.granted = false} soon after `stop` is requested: the
  // caller has cancelled. `request` is valid until this returns. Its texts come from a model: escape them for
  // your terminal or page.
  [[nodiscard]] virtual Approval ask(const PermissionRequest& request, const std::stop_token& stop) = 0;

  // Whether the questions of a batch are asked at once, each on its own thread, so that the user can answer
  // them in any order. By default they are asked one after the other. Before the first ask(), the event
  // stream has all of them. `stop` is also requested when another answer covers the call; return
  // {.asked = false} then, because a refusal with `asked` counts as the user's.
  [[nodiscard]] virtual bool asks_together() const { return false; }
};

}  // namespace helve

// Who may do what: effects, modes, and the two questions "is it allowed?" and "does the person agree?".
#pragma once

#include <array>
#include <atomic>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "helve/error.h"
#include "helve/json.h"

namespace helve {

// What a tool can do to the world.
enum class Effect { kRead, kWrite, kExecute, kNetwork, kAsk };
constexpr auto enum_names(Effect) {
  return std::to_array<std::string_view>({"read", "write", "execute", "network", "ask"});
}

// How much happens without a question.
enum class Mode {
  kAsk,          // reads run, the rest asks
  kAcceptEdits,  // reads and file changes run, the rest asks
  kPlan,         // reads run, the rest is refused
  kAuto,         // only what rules allow; what would ask is refused
  kFull,         // everything runs
};
constexpr auto enum_names(Mode) {
  return std::to_array<std::string_view>({"ask", "accept-edits", "plan", "auto", "full"});
}

template <class Named>
[[nodiscard]] constexpr std::string_view name_of(Named value) {
  return enum_names(value)[static_cast<std::size_t>(value)];
}

// A call that wants to happen.
struct PermissionRequest {
  std::string call_id = {};
  std::string tool = {};
  std::string server = {};  // the MCP server a tool comes from; empty for our own
  Effect effect = Effect::kRead;
  Json arguments = {};
  std::string explanation = {};         // why the model makes the call; may be empty
  std::string reason = {};              // why it is asked about
  std::string subject = {};             // what it would do, in words; empty when only the arguments say it
  std::string diff = {};                // what it would change, for the person; empty when that is not known
  std::vector<std::string> notes = {};  // what else to know of that change
  bool diff_is_whole = false;           // otherwise a person has to see the arguments as well
  // What "always" would add to the allow list; empty when no rule would help.
  std::vector<std::string> rules = {};
  std::string session_covers = {};  // what else yes for the session would allow, in words
  std::string workspace = {};       // where commands run that name no directory
};

struct Decision {
  enum class Verdict { kAllow, kAsk, kDeny };
  Verdict verdict = Verdict::kAllow;
  std::string reason = {};  // which mode or rule decided, for people
};

// How long a person's yes is good for.
enum class ApprovalScope { kOnce, kSession, kAlways };

// Decides without asking anyone. Used from many threads at once.
class Permissions {
 public:
  virtual ~Permissions() = default;
  [[nodiscard]] virtual Decision decide(const PermissionRequest& request) const = 0;
  // What would happen and why, for people: {verdict, reason, …}.
  [[nodiscard]] virtual Json explain(const PermissionRequest& request) const;
  // The rules that "always" would write.
  [[nodiscard]] virtual std::vector<std::string> suggest(const PermissionRequest& request) const;
  // What yes for the session would allow, in words; empty when it would be forgotten.
  [[nodiscard]] virtual std::string session_covers(const PermissionRequest& request) const;
  // A person said yes for more than this one call.
  [[nodiscard]] virtual Expected<void> remember(const PermissionRequest& request, ApprovalScope scope);
  // Another mode, from the next decision on; nothing for who decides without one.
  virtual void use_mode(Mode mode);
};

// Decides by the mode alone.
class ModePermissions final : public Permissions {
 public:
  explicit ModePermissions(Mode mode) : mode_(mode) {}
  [[nodiscard]] Decision decide(const PermissionRequest& request) const override;
  void use_mode(Mode mode) override { mode_ = mode; }

 private:
  std::atomic<Mode> mode_;
};

struct Approval {
  bool granted = false;
  // The person's words, given back to the model on refusal; or why nobody could be asked, as it
  // can follow an "and".
  std::string reason = {};
  ApprovalScope scope = ApprovalScope::kOnce;
  bool asked = true;  // false: there turned out to be nobody who could be asked
};

// Brings a question to a person and waits for the answer. Used from many threads at once.
class Approver {
 public:
  virtual ~Approver() = default;
  // False when it is clear before that nobody can be asked.
  [[nodiscard]] virtual bool can_ask(const PermissionRequest& /*request*/) { return true; }
  [[nodiscard]] virtual Approval ask(const PermissionRequest& request, const std::stop_token& stop) = 0;
};

}  // namespace helve

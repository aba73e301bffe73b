// Decides whether something may happen: by rules and mode, then by the user's hooks, then by asking the user.
// This is the only place that asks an approver; scripts/check enforces it.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "core/engines.h"
#include "helve/context.h"
#include "helve/events.h"
#include "helve/permissions.h"
#include "helve/session.h"

namespace helve::core {

// One request on its way to a decision: decide(), and if the user must be asked, announce() and ask().
// Owned by the code that makes the call. Only ask() and covered() may run at the same time as those of other
// questions; an override of the session's permissions or approver may throw through all of them.
class PermissionQuestion {
 public:
  struct Parts {
    PermissionRequest& request;  // outlives the question; gets the reason, the rules and the diff
    std::stop_token stop = {};
    // Asks the user even if rules and mode allow the request, for this reason. Mode full still does not ask.
    std::string must_ask = {};
    // Adds to the request what the user will be shown, such as the diff. After an error the user is not
    // asked.
    std::function<Expected<void>(PermissionRequest& request)> look_ahead = {};
    // Publishes that the user is asked, and the answer.
    std::function<void(ToolEvent::Kind kind, ToolEvent event)> publish = {};
  };
  // Engines and session must outlive it.
  PermissionQuestion(Engines& engines, Session& session, Parts parts)
      : engines_(engines), session_(session), parts_(std::move(parts)) {}

  // Why it may happen; nothing when the user must be asked; PERMISSION_DENIED, or what the look-ahead found,
  // when it may not happen.
  [[nodiscard]] Expected<std::optional<std::string>> decide();
  // Publishes that the user is asked, as one of a batch's questions.
  void announce(std::size_t index, std::size_t count);
  // Whether it can be asked at the same time as others; known after decide().
  [[nodiscard]] bool asked_together() const { return asked_together_; }
  // Why it may happen; PERMISSION_DENIED or CANCELLED when it may not. After a stop of `withdrawn`, an
  // approval of another call may be the answer.
  [[nodiscard]] Expected<std::string> ask(const std::stop_token& withdrawn = {});
  // Why it may happen because of an approval that was given since decide(); nothing otherwise.
  [[nodiscard]] std::optional<std::string> covered() const;
  // The same as an answer, with its event.
  [[nodiscard]] std::optional<std::string> take_cover();
  // Whether the answer covers more than this request.
  [[nodiscard]] bool covers_others() const { return covers_others_; }

 private:
  [[nodiscard]] Error nobody(std::string_view obstacle = {}) const;

  Engines& engines_;
  Session& session_;
  const Parts parts_;
  Decision decision_ = {};
  bool allowed_by_rules_ = false;
  bool hook_asks_ = false;
  bool asked_together_ = false;
  bool covers_others_ = false;
};

// A question that comes up while a tool runs, as part of its call: with events, hooks and records like the
// question before the call. `must_ask` is as above.
[[nodiscard]] Expected<std::string> settle_within_call(const Context& context, PermissionRequest request,
                                                       std::string must_ask = {});

// The question that exec would ask for this command, as part of another tool's call.
[[nodiscard]] Expected<std::string> may_execute(const Context& context, const std::string& command,
                                                const std::string& directory, const std::string& why);

}  // namespace helve::core

// One turn of an agent: from what the person said to the model's last word on it.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "agent/context_keeper.h"
#include "agent/guards.h"
#include "agent/journal.h"
#include "agent/turn_stop.h"
#include "helve/runtime.h"
#include "model/model.h"

namespace helve::agent {

// The loop: the model produces calls → the batch is checked as a whole → whoever must be asked is asked, and
// the turn waits → the calls run → the next round, or the end. Everything that happens is in the session's
// events, and in the journal before it counts, so that a turn can go on wherever it was cut off.
// Owned by the agent for as long as it runs; used from one thread.
class Turn {
 public:
  struct Parts {
    Runtime& runtime;
    std::shared_ptr<Session> session;
    model::Model& model;
    Journal& journal;
    const Settings::Agent& settings;
    Settings::Prices prices;  // of the model
    std::stop_token stop;     // the person's
    std::string note = {};    // for the model, before it speaks
  };

  explicit Turn(Parts parts);

  // Goes on from where the journal is.
  [[nodiscard]] Ending run();
  // Whether the note is in the journal; so it is when there was none.
  [[nodiscard]] bool has_told_note() const { return parts_.note.empty(); }

 private:
  using End = std::optional<Ending>;

  // The two halves of a round. Each returns why the turn is over, or nothing when it goes on.
  [[nodiscard]] End make_calls();
  [[nodiscard]] End let_model_speak();

  [[nodiscard]] End report_unknown_outcomes(const Round& round);
  [[nodiscard]] End refuse_calls(const Round& round, const Error& why);
  [[nodiscard]] std::vector<Call> batch_of(const Round& round);
  [[nodiscard]] End judge_progress();

  [[nodiscard]] model::Conversation conversation() const;
  [[nodiscard]] Expected<model::Reply> hear_reply(model::Conversation& conversation);
  [[nodiscard]] Expected<model::Reply> hear_once(const model::Conversation& conversation, bool& heard);
  [[nodiscard]] ReplyEntry entry_of(model::Reply reply, std::int64_t estimate) const;
  [[nodiscard]] End go_on_after_pause();
  [[nodiscard]] End go_on_after_cut(const Round& round);

  [[nodiscard]] bool is_stopped() const { return stop_.token().stop_requested(); }
  [[nodiscard]] Ending stopped_ending() const;
  [[nodiscard]] static Ending failed(Error error) { return {"error", std::move(error)}; }
  void publish(EventBody body) { parts_.session->events().publish(std::move(body)); }

  Parts parts_;
  Guards guards_;
  TurnStop stop_;
  ContextKeeper context_;
};

}  // namespace helve::agent

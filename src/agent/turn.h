// One turn of an agent: from the user's message to the model's final reply.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "agent/journal.h"
#include "agent/turn_limits.h"
#include "base/threads.h"
#include "helve/runtime_class.h"
#include "model/model.h"

namespace helve::agent {

// Requests a stop when the user does or when the deadline passes.
// Owned by the turn. Its token may be used from any thread.
class TurnStop {
 public:
  TurnStop(const std::stop_token& user, std::chrono::steady_clock::time_point deadline)
      : forward_(user, Forward{source_}) {
    if (deadline == std::chrono::steady_clock::time_point::max()) return;
    watches_ = try_start_thread(watch_, [this, deadline](const std::stop_token& over) {
      std::mutex mutex;
      std::unique_lock lock(mutex);
      std::condition_variable_any never;
      never.wait_until(lock, over, deadline, [] { return false; });
      if (!over.stop_requested()) source_.request_stop();
    });
  }
  TurnStop(const TurnStop&) = delete;
  TurnStop& operator=(const TurnStop&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
  // False when nothing would end the turn at the deadline, because the machine gives no more threads.
  [[nodiscard]] bool keeps_deadline() const { return watches_; }

 private:
  struct Forward {
    std::stop_source source;
    void operator()() { source.request_stop(); }
  };

  std::stop_source source_;
  std::stop_callback<Forward> forward_;
  bool watches_ = true;
  std::jthread watch_;  // declared last: it uses source_, so it must be destroyed first
};

// The loop: the model requests calls → the whole batch is checked → the user is asked for approvals → the
// calls run → next round, or the end. Every step is published as an event and recorded in the journal before
// it takes effect, so a turn can continue from wherever it was cut off. Owned by the agent while it runs;
// used from one thread.
class Turn {
 public:
  struct Parts {
    Runtime& runtime;
    std::shared_ptr<Session> session;
    model::Model& model;
    Journal& journal;
    const AgentSettings& settings;
    ModelPrices prices;     // of the model
    std::stop_token stop;   // the user's
    std::string note = {};  // added to the conversation before the model replies
  };

  explicit Turn(Parts parts);

  // Continues from the journal's state.
  [[nodiscard]] Ending run();
  // Whether the note is in the journal; also true without a note.
  [[nodiscard]] bool note_delivered() const { return parts_.note.empty(); }

 private:
  using End = std::optional<Ending>;

  // The two halves of a round. Each returns why the turn ended, or nothing when it continues.
  [[nodiscard]] End run_calls();
  [[nodiscard]] End ask_model();

  [[nodiscard]] End report_unknown_outcomes(const Round& round);
  [[nodiscard]] End refuse_calls(const Round& round, const Error& why);
  [[nodiscard]] std::vector<Call> batch_of(const Round& round);
  [[nodiscard]] End check_progress();

  [[nodiscard]] model::Conversation conversation() const;
  [[nodiscard]] Expected<model::Reply> request_reply(model::Conversation& conversation);
  [[nodiscard]] Expected<model::Reply> request_once(const model::Conversation& conversation,
                                                    bool& got_output);
  [[nodiscard]] ReplyEntry entry_of(model::Reply reply, std::int64_t estimate) const;
  [[nodiscard]] End continue_after_pause();
  [[nodiscard]] End continue_after_cut(const Round& round);

  [[nodiscard]] bool is_stopped() const { return stop_.token().stop_requested(); }
  [[nodiscard]] Ending stopped_ending() const;
  [[nodiscard]] static Ending failed(Error error) { return {"error", std::move(error)}; }
  [[nodiscard]] std::string server_of(const CallState& call) const;  // empty for Helve's own tools
  void publish_failure(const CallState& call, const Error& error);
  void publish(EventBody body) { parts_.session->events().publish(std::move(body)); }

  Parts parts_;
  TurnLimits turn_limits_;
  TurnStop stop_;
  ContextWindow context_;
};

}  // namespace helve::agent

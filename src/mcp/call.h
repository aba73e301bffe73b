// One request while it is worked on. It can say things before the answer, ask the client, and outlive the
// request: in the modern era it waits for the client to come back with an answer, or goes on as a task.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "helve/context.h"
#include "helve/error.h"
#include "mcp/client.h"
#include "mcp/offer.h"
#include "mcp/responder.h"

namespace helve::mcp {

class Parking;
class TaskTable;
struct Task;

// A question to the client: elicitation/create, sampling/createMessage or roots/list.
struct Inquiry {
  std::string key = {};  // names it in the modern era's answers
  std::string method = {};
  Json params = JsonObject();
};

// Until when an answer is of use. The call's own stop counts always.
struct Patience {
  Client::Deadline deadline = {};
  std::stop_token stop = {};
};

// Shared by the thread that works on it, the transport, and the tables of what waits.
class Call : public std::enable_shared_from_this<Call> {
 public:
  struct Parts {
    Parking& parking;
    TaskTable& tasks;
    std::shared_ptr<Client> client;
    std::shared_ptr<const ClientInfo> info;
    rpc::Request request;
    std::shared_ptr<Responder> responder;
    std::stop_source stop;
  };

  explicit Call(Parts parts);

  [[nodiscard]] const rpc::Request& request() const { return parts_.request; }
  [[nodiscard]] const ClientInfo& info() const { return *parts_.info; }
  [[nodiscard]] Client& client() const { return *parts_.client; }
  [[nodiscard]] const std::shared_ptr<Client>& shared_client() const { return parts_.client; }
  [[nodiscard]] std::stop_token stop() const { return parts_.stop.get_token(); }
  void cancel() { parts_.stop.request_stop(); }
  // A member of the parameters; null when there is none.
  [[nodiscard]] const Json* param(std::string_view name) const { return parts_.request.params.find(name); }
  [[nodiscard]] const Json* meta(std::string_view name) const;

  // Sent only when the client asked to be told.
  void progress(const Progress& progress);
  void log(LogSeverity severity, const std::string& logger, const Json& data);
  void notify(std::string method, Json params);
  void close_stream();

  // Answers in the order of the inquiries, each an object. UNAVAILABLE when the client cannot be asked such
  // things, CANCELLED, TIMEOUT when it did not come back.
  [[nodiscard]] Expected<std::vector<Json>> ask(const std::vector<Inquiry>& inquiries,
                                                const Patience& patience = {});
  // Whether the client knows what to do with a task.
  [[nodiscard]] bool may_become_task() const;
  // From here on it is a task, if it may be: the request is answered with that, the result is to be asked
  // for.
  void become_task();

  // The modern era's way back: the same request again, with answers. False when it no longer waits. Until it
  // is answered, who came back can cancel the call by the new id.
  enum class Resumed { kYes, kHasEnded, kIdInUse };
  [[nodiscard]] Resumed resume(const std::shared_ptr<Client>& client, rpc::Request request,
                               std::shared_ptr<Responder> responder);
  // Answers that came for a task.
  void take_answers(const Json& answers);
  // What is still to be answered: {key: {method, params}}.
  [[nodiscard]] Json open_inquiries() const;

  void finish(Outcome outcome);

 private:
  [[nodiscard]] Expected<std::vector<Json>> ask_at_once(const std::vector<Inquiry>& inquiries,
                                                        const Patience& patience);
  [[nodiscard]] Expected<std::vector<Json>> ask_by_return(const std::vector<Inquiry>& inquiries,
                                                          const Patience& patience);
  [[nodiscard]] bool all_answered(const std::vector<Inquiry>& inquiries) const;
  // Who waits for the answer; taken by the one who gives it.
  struct Asker {
    std::shared_ptr<Responder> responder = {};  // null once the request is answered
    Json id = {};

    void answer(Outcome outcome) const;
  };
  // By which request, and of whom, the call can be cancelled; also when it was answered with a task.
  struct UnderWay {
    std::shared_ptr<Client> client = {};
    Json id = {};

    void end() const {
      if (client) client->end(id);
    }
  };
  void take_given(const Json* answers);

  const Parts parts_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  Asker asker_;
  UnderWay under_way_;
  Json given_ = JsonObject();
  std::vector<Inquiry> open_;
  std::shared_ptr<Task> task_;
  std::chrono::steady_clock::time_point last_progress_{};
  double last_done_ = -1;
};

}  // namespace helve::mcp

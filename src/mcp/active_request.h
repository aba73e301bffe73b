// A request that the server is working on, and the table of requests that wait for input from their client.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/message_key.h"
#include "helve/context.h"
#include "helve/error.h"
#include "mcp/client.h"
#include "mcp/offer.h"

namespace helve::mcp {

class SuspendedRequests;
class TaskTable;
struct Task;

// A question to the client: elicitation/create, sampling/createMessage or roots/list.
struct Inquiry {
  std::string key = {};  // identifies the answer in inputResponses (stateless protocol)
  std::string method = {};
  Json params = JsonObject();
};

// When to stop waiting for an answer. Cancelling the request always stops the wait, too.
struct AskLimits {
  Client::Deadline deadline = {};
  std::stop_token stop = {};
};

// Shared by the thread that works on it, the transport, and the tables of suspended requests and tasks.
class ActiveRequest : public std::enable_shared_from_this<ActiveRequest> {
 public:
  struct Parts {
    SuspendedRequests& suspended;
    TaskTable& tasks;
    std::shared_ptr<Client> client;
    std::shared_ptr<const ClientInfo> info;
    rpc::Request request;
    std::shared_ptr<Responder> responder;
    std::stop_source stop;
    std::optional<OfferedTool> checked_tool = {};
  };

  explicit ActiveRequest(Parts parts);

  [[nodiscard]] const rpc::Request& request() const { return parts_.request; }
  [[nodiscard]] const ClientInfo& info() const { return *parts_.info; }
  [[nodiscard]] Client& client() const { return *parts_.client; }
  [[nodiscard]] const std::shared_ptr<Client>& shared_client() const { return parts_.client; }
  // The tool that the transport has looked up and checked the request for, if it did.
  [[nodiscard]] const std::optional<OfferedTool>& checked_tool() const { return parts_.checked_tool; }
  [[nodiscard]] std::stop_token stop() const { return parts_.stop.get_token(); }
  void cancel() { parts_.stop.request_stop(); }
  // A member of `params` or of `params._meta`; null if it is missing.
  [[nodiscard]] const Json* param(std::string_view name) const { return parts_.request.params.find(name); }
  [[nodiscard]] const Json* meta(std::string_view name) const;

  // Progress and log messages are sent only if the client asked for them.
  void progress(const Progress& progress);
  void log(LogSeverity severity, const std::string& logger, const Json& data);
  void notify(std::string method, Json params);
  void close_stream();

  // Returns one object per inquiry, in the same order. Fails with UNAVAILABLE if the client lacks the
  // capability, CANCELLED after a stop, and TIMEOUT if no answer arrived in time.
  [[nodiscard]] Expected<std::vector<Json>> ask(const std::vector<Inquiry>& inquiries,
                                                const AskLimits& limits = {});
  // Whether the client supports tasks (and, in the session-based protocol, asked for one).
  [[nodiscard]] bool may_become_task() const;
  // Answers the request with a task, if it may become one. The client polls the task for the result.
  void become_task();

  // Stateless protocol: the client repeats the request with answers. Until that request is answered, the
  // client can cancel the work by the new id.
  enum class Resumed { kYes, kHasEnded, kIdInUse };
  [[nodiscard]] Resumed resume(const std::shared_ptr<Client>& client, rpc::Request request,
                               std::shared_ptr<Responder> responder);
  // Answers that the client sent for a task.
  void take_answers(const Json& answers);
  // The unanswered inquiries: {key: {method, params}}.
  [[nodiscard]] Json open_inquiries() const;

  void finish(Outcome outcome);

 private:
  [[nodiscard]] Expected<std::vector<Json>> ask_directly(const std::vector<Inquiry>& inquiries,
                                                         const AskLimits& limits);
  [[nodiscard]] Expected<std::vector<Json>> ask_by_retry(const std::vector<Inquiry>& inquiries,
                                                         const AskLimits& limits);
  [[nodiscard]] bool all_answered(const std::vector<Inquiry>& inquiries) const;
  // The request that still needs an answer. The thread that answers takes it first, so that there is only
  // one answer.
  struct PendingAnswer {
    std::shared_ptr<Responder> responder = {};  // null once the request is answered
    Json id = {};

    void answer(Outcome outcome) const;
  };
  // The client and request id by which the work can be cancelled. It outlives PendingAnswer when the request
  // was answered with a task.
  struct Cancellable {
    std::shared_ptr<Client> client = {};
    Json id = {};

    void end() const {
      if (client) client->end(id);
    }
  };
  [[nodiscard]] std::shared_ptr<Responder> responder() const;
  void send_held_progress();
  void record_answers(const Json* answers);

  const Parts parts_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  PendingAnswer pending_;
  Cancellable cancellable_;
  Json answers_by_key_ = JsonObject();
  std::vector<Inquiry> open_;
  std::shared_ptr<Task> task_;
  std::chrono::steady_clock::time_point last_progress_{};
  double last_done_ = -1;
  std::optional<Progress> held_progress_;  // not sent yet
  Json progress_token_;                    // of the request that is answered next
};

// Requests of the stateless protocol that wait until their client repeats them with answers. Owned by the
// server. May be used from all threads.
class SuspendedRequests {
 public:
  explicit SuspendedRequests(std::chrono::milliseconds timeout, std::size_t most = 128)
      : timeout_(timeout), most_(most) {}

  [[nodiscard]] std::chrono::milliseconds timeout() const { return timeout_; }
  // Returns the requestState for the client. It is bound to the request and can be claimed once.
  [[nodiscard]] Expected<std::string> add(const std::shared_ptr<ActiveRequest>& request);
  // The suspended request that a repeated request of `client` belongs to.
  [[nodiscard]] std::expected<std::shared_ptr<ActiveRequest>, rpc::Failure> claim(
      const std::string& state, const rpc::Request& repeated, const Client& client);
  // Cancels all suspended requests and refuses new ones.
  void close();

 private:
  const std::chrono::milliseconds timeout_;
  const std::size_t most_;
  const MessageKey key_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<ActiveRequest>, std::less<>> requests_;
  bool closed_ = false;
};

}  // namespace helve::mcp

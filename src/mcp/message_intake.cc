#include "mcp/message_intake.h"

#include <mutex>

#include "base/strings.h"

namespace helve::mcp {
namespace {

// Collects the answers of a batch and sends them together.
class BatchAnswers {
 public:
  BatchAnswers(std::size_t expected, std::function<void(JsonArray)> send)
      : expected_(expected), send_(std::move(send)) {}

  void add(Json answer) {
    JsonArray all;
    {
      const std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answer));
      if (answers_.size() < expected_) return;
      all.swap(answers_);
    }
    send_(std::move(all));
  }

 private:
  std::mutex mutex_;
  const std::size_t expected_;
  JsonArray answers_;
  const std::function<void(JsonArray)> send_;
};

class BatchResponder final : public Responder {
 public:
  BatchResponder(std::shared_ptr<Responder> whole, std::shared_ptr<BatchAnswers> answers)
      : whole_(std::move(whole)), answers_(std::move(answers)) {}
  void send(const Json& message) override { whole_->send(message); }
  void answer(rpc::Response response) override { answers_->add(to_json(std::move(response))); }

 private:
  const std::shared_ptr<Responder> whole_;
  const std::shared_ptr<BatchAnswers> answers_;
};

rpc::Response refusal(int code, std::string message, Json id = {}) {
  return {.id = std::move(id), .failure = rpc::Failure{code, std::move(message)}};
}

void take_other(Server& server, const std::shared_ptr<Client>& client, rpc::Message message) {
  if (auto* response = std::get_if<rpc::Response>(&message)) client->take_response(std::move(*response));
  if (const auto* notification = std::get_if<rpc::Notification>(&message))
    server.handle(client, *notification);
}

Intake take_batch(Server& server, const std::shared_ptr<Client>& client, JsonArray messages,
                  const std::shared_ptr<Responder>& responder,
                  const std::function<void(JsonArray)>& answer_batch) {
  constexpr std::size_t kMost = 1'000;
  const std::string revision = client->info()->revision;
  if (revision != "2025-03-26" || messages.empty() || messages.size() > kMost) {
    responder->answer(
        refusal(rpc::kInvalidRequest,
                revision != "2025-03-26"
                    ? concat("Protocol version ", revision, " has no batches. Send one message at a time.")
                    : "A batch must have 1 to 1000 messages."));
    return {};
  }
  std::vector<std::expected<rpc::Message, rpc::Malformed>> read;
  std::size_t answers = 0;
  for (Json& message : messages) {
    read.push_back(rpc::read_message(std::move(message)));
    if (!read.back() || std::holds_alternative<rpc::Request>(*read.back())) ++answers;
  }
  const auto together = std::make_shared<BatchAnswers>(answers, answer_batch);
  Intake intake;
  for (auto& message : read) {
    if (!message)
      together->add(to_json(rpc::Response{.id = message.error().id, .failure = message.error().failure}));
    else if (auto* request = std::get_if<rpc::Request>(&*message))
      intake.requests.push_back({std::move(*request), std::make_shared<BatchResponder>(responder, together)});
    else
      take_other(server, client, *std::move(message));
  }
  return intake;
}

}  // namespace

rpc::Response not_json(const Error& problem, std::string_view text) {
  return refusal(rpc::kParseError, concat("Not JSON: ", problem.message), rpc::id_in_malformed(text));
}

Intake take_in(Server& server, const std::shared_ptr<Client>& client, Json message,
               const std::shared_ptr<Responder>& responder,
               const std::function<void(JsonArray)>& answer_batch) {
  if (message.is_array())
    return take_batch(server, client, std::move(message.as_array()), responder, answer_batch);
  auto read = rpc::read_message(std::move(message));
  if (!read) {
    responder->answer({.id = std::move(read.error().id), .failure = std::move(read.error().failure)});
    return {};
  }
  Intake intake;
  if (auto* request = std::get_if<rpc::Request>(&*read))
    intake.requests.push_back({std::move(*request), responder});
  else
    take_other(server, client, *std::move(read));
  return intake;
}

}  // namespace helve::mcp

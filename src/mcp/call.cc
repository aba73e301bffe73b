#include "mcp/call.h"

#include <algorithm>
#include <utility>

#include "base/either_stop.h"
#include "base/strings.h"
#include "mcp/parking.h"
#include "mcp/tasks.h"

namespace helve::mcp {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenProgress = std::chrono::milliseconds(20);

// What a client must have declared to be asked this.
bool may_be_asked(const ClientInfo& client, const Inquiry& inquiry) {
  if (inquiry.method == "roots/list") return client.offers({"roots"});
  if (inquiry.method == "sampling/createMessage") return client.offers({"sampling"});
  if (inquiry.method != "elicitation/create" || !client.offers({"elicitation"})) return false;
  const Json* mode = inquiry.params.find("mode");
  return mode == nullptr || *mode != Json("url") || client.offers({"elicitation", "url"});
}

Error cannot_be_asked(const Inquiry& inquiry) {
  const std::string capability = inquiry.method.substr(0, inquiry.method.find('/'));
  return {.code = ErrorCode::kUnavailable,
          .message = concat("The client did not say that it can be asked (", inquiry.method, ")."),
          .hint = concat("It has to declare the capability ", capability, "."),
          .details = JsonObject{{"requiredCapabilities", JsonObject{{capability, JsonObject()}}}}};
}

}  // namespace

Call::Call(Parts parts)
    : parts_(std::move(parts)),
      asker_{parts_.responder, parts_.request.id},
      under_way_{parts_.client, parts_.request.id} {
  if (parts_.info->is_modern()) take_given(param("inputResponses"));
}

const Json* Call::meta(std::string_view name) const {
  const Json* meta = param("_meta");
  return meta != nullptr ? meta->find(name) : nullptr;
}

void Call::notify(std::string method, Json params) {
  std::shared_ptr<Responder> responder;
  {
    const std::lock_guard lock(mutex_);
    responder = asker_.responder;
  }
  if (responder) responder->send(to_json(rpc::Notification{std::move(method), std::move(params)}));
}

void Call::progress(const Progress& progress) {
  const Json* token = meta(rpc::kProgressToken);
  if (token == nullptr || (!token->is_string() && !token->is_number())) return;
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const bool is_last = progress.total && progress.done >= *progress.total;
    if (progress.done <= last_done_ || (!is_last && now - last_progress_ < kBetweenProgress)) return;
    last_progress_ = now;
    last_done_ = progress.done;
  }
  Json params = JsonObject{{"progressToken", *token}, {"progress", progress.done}};
  if (progress.total) params["total"] = *progress.total;
  if (!progress.message.empty() && parts_.info->revision >= "2025-03-26")
    params["message"] = progress.message;
  notify("notifications/progress", std::move(params));
}

void Call::log(LogSeverity severity, const std::string& logger, const Json& data) {
  LogSeverity level = parts_.client->log_level();
  if (parts_.info->is_modern()) {  // there every request says for itself what it wants to hear
    const Json* wanted = meta(rpc::kMetaLogLevel);
    const auto named =
        wanted != nullptr && wanted->is_string() ? log_severity(wanted->as_string()) : std::nullopt;
    if (!named) return;
    level = *named;
  }
  if (severity < level) return;
  notify("notifications/message",
         JsonObject{{"level", to_string(severity)}, {"logger", logger}, {"data", data}});
}

void Call::close_stream() {
  std::shared_ptr<Responder> responder;
  {
    const std::lock_guard lock(mutex_);
    responder = asker_.responder;
  }
  if (responder) responder->close_stream();
}

Expected<std::vector<Json>> Call::ask(const std::vector<Inquiry>& inquiries, const Patience& patience) {
  for (const Inquiry& inquiry : inquiries)
    if (!may_be_asked(*parts_.info, inquiry)) return fail(cannot_be_asked(inquiry));
  const EitherStop stop(this->stop(), patience.stop);
  const Patience both{.deadline = patience.deadline, .stop = stop.token()};
  auto answers = parts_.info->is_modern() ? ask_by_return(inquiries, both) : ask_at_once(inquiries, both);
  if (this->stop().stop_requested()) return fail(ErrorCode::kCancelled, "The call was cancelled.");
  return answers;
}

Expected<std::vector<Json>> Call::ask_at_once(const std::vector<Inquiry>& inquiries,
                                              const Patience& patience) {
  std::shared_ptr<Responder> responder;
  {
    const std::lock_guard lock(mutex_);
    responder = asker_.responder;
  }
  std::vector<Json> answers;
  for (const Inquiry& inquiry : inquiries) {
    // A task has no request of its own left to send along with.
    struct Outlet final : Responder {
      explicit Outlet(Client& client) : client_(client) {}
      void send(const Json& message) override { client_.send(message); }
      void answer(rpc::Response) override {}
      Client& client_;
    } outlet(*parts_.client);
    Responder& via = responder ? *responder : static_cast<Responder&>(outlet);
    auto answer =
        parts_.client->request(via, inquiry.method, inquiry.params, patience.stop, patience.deadline);
    if (!answer) return fail(answer.error());
    if (!answer->is_object())
      return fail(ErrorCode::kUnavailable,
                  concat("The client's answer to ", inquiry.method, " is no object."));
    answers.push_back(*std::move(answer));
  }
  return answers;
}

void Call::take_given(const Json* answers) {
  if (answers == nullptr || !answers->is_object()) return;
  for (const auto& [key, value] : answers->as_object())
    if (value.is_object()) given_[key] = value;
}

bool Call::all_answered(const std::vector<Inquiry>& inquiries) const {
  return std::ranges::all_of(inquiries,
                             [this](const Inquiry& inquiry) { return given_.find(inquiry.key) != nullptr; });
}

Json Call::open_inquiries() const {
  const std::lock_guard lock(mutex_);
  Json open = JsonObject();
  for (const Inquiry& inquiry : open_)
    if (given_.find(inquiry.key) == nullptr)
      open[inquiry.key] = JsonObject{{"method", inquiry.method}, {"params", inquiry.params}};
  return open;
}

Expected<std::vector<Json>> Call::ask_by_return(const std::vector<Inquiry>& inquiries,
                                                const Patience& patience) {
  std::unique_lock lock(mutex_);
  open_ = inquiries;
  const auto until = patience.deadline.value_or(Clock::now() + parts_.parking.patience());
  const std::stop_callback no_return(parts_.client->closed(), [this] { cancel(); });
  while (!all_answered(inquiries)) {
    if (patience.stop.stop_requested()) return fail(ErrorCode::kCancelled, "The request was cancelled.");
    if (asker_.responder && !task_) {  // the client has to come back for it
      Asker asker = std::exchange(asker_, {});
      UnderWay under_way = std::exchange(under_way_, {});
      lock.unlock();
      auto state = parts_.parking.park(shared_from_this());
      const Json open = open_inquiries();
      if (!state) {
        lock.lock();
        asker_ = std::move(asker);  // the outcome has to reach it
        under_way_ = std::move(under_way);
        return fail(state.error());
      }
      under_way.end();  // before the answer, after which the id may be used again
      asker.answer(Json(JsonObject{{"resultType", rpc::kInputRequired},
                                   {"inputRequests", open},
                                   {"requestState", *std::move(state)}}));
      lock.lock();
      continue;
    }
    if (task_) parts_.tasks.touch(*task_);
    const bool changed = changed_.wait_until(
        lock, patience.stop, until, [&] { return all_answered(inquiries) || (asker_.responder && !task_); });
    if (!changed && !patience.stop.stop_requested())
      return fail(ErrorCode::kTimeout, "The client did not come back with an answer in time.");
  }
  std::vector<Json> answers;
  answers.reserve(inquiries.size());
  for (const Inquiry& inquiry : inquiries) answers.push_back(*given_.find(inquiry.key));
  open_.clear();
  if (task_) parts_.tasks.touch(*task_);
  return answers;
}

Call::Resumed Call::resume(const std::shared_ptr<Client>& client, rpc::Request request,
                           std::shared_ptr<Responder> responder) {
  if (!client->begin(request.id, parts_.stop)) return Resumed::kIdInUse;
  const std::lock_guard lock(mutex_);
  if (asker_.responder || task_ || stop().stop_requested()) {
    client->end(request.id);
    return Resumed::kHasEnded;
  }
  take_given(request.params.find("inputResponses"));
  asker_ = {std::move(responder), request.id};
  under_way_ = {client, std::move(request.id)};
  changed_.notify_all();
  return Resumed::kYes;
}

void Call::take_answers(const Json& answers) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, value] : answers.as_object())
    if (value.is_object() &&
        std::ranges::any_of(open_, [&](const Inquiry& inquiry) { return inquiry.key == key; }))
      given_[key] = value;
  changed_.notify_all();
}

bool Call::may_become_task() const {
  return parts_.info->is_modern() ? parts_.info->offers({"extensions", rpc::kTasksExtension})
                                  : param("task") != nullptr;
}

void Call::become_task() {
  if (!may_become_task()) return;
  Asker asker;
  Json created;
  {
    // In one step: a call that ends meanwhile is answered either with the task or with its outcome.
    const std::lock_guard lock(mutex_);
    if (task_ || !asker_.responder) return;
    TaskTable::Added added = parts_.tasks.add(shared_from_this());
    task_ = std::move(added.task);
    created = std::move(added.created);
    asker = std::exchange(asker_, {});
  }
  asker.answer(std::move(created));
}

void Call::Asker::answer(Outcome outcome) const {
  if (!responder) return;
  if (outcome)
    responder->answer({.id = id, .result = *std::move(outcome)});
  else
    responder->answer({.id = id, .failure = std::move(outcome.error())});
}

void Call::finish(Outcome outcome) {
  Asker asker;
  UnderWay under_way;
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    asker = std::exchange(asker_, {});
    under_way = std::exchange(under_way_, {});
    task = task_;
  }
  under_way.end();
  if (task)
    parts_.tasks.finish(*task, std::move(outcome));
  else
    asker.answer(std::move(outcome));
}

}  // namespace helve::mcp

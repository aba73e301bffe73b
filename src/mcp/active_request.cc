#include "mcp/active_request.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/either_stop.h"
#include "base/strings.h"
#include "mcp/tasks.h"

namespace helve::mcp {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLongestQuestion = std::chrono::hours(1);
constexpr auto kBetweenProgress = std::chrono::milliseconds(20);

// Whether the client declared the capability that the inquiry needs.
bool supports(const ClientInfo& client, const Inquiry& inquiry) {
  if (inquiry.method == "roots/list") return client.offers({"roots"});
  if (inquiry.method == "sampling/createMessage") return client.offers({"sampling"});
  if (inquiry.method != "elicitation/create" || !client.offers({"elicitation"})) return false;
  const Json* mode = inquiry.params.find("mode");
  return mode == nullptr || *mode != Json("url") || client.offers({"elicitation", "url"});
}

Error missing_capability_for(const Inquiry& inquiry) {
  const std::string capability = inquiry.method.substr(0, inquiry.method.find('/'));
  return {.code = ErrorCode::kUnavailable,
          .message = concat("The client does not support ", inquiry.method, "."),
          .hint = concat("The client must declare the capability ", capability, "."),
          .details = JsonObject{{"requiredCapabilities", JsonObject{{capability, JsonObject()}}}}};
}

}  // namespace

ActiveRequest::ActiveRequest(Parts parts)
    : parts_(std::move(parts)),
      pending_{parts_.responder, parts_.request.id},
      cancellable_{parts_.client, parts_.request.id} {
  if (parts_.info->is_stateless()) record_answers(param("inputResponses"));
  if (const Json* token = meta(rpc::kProgressToken)) progress_token_ = *token;
}

const Json* ActiveRequest::meta(std::string_view name) const {
  const Json* meta = param("_meta");
  return meta != nullptr ? meta->find(name) : nullptr;
}

std::shared_ptr<Responder> ActiveRequest::responder() const {
  const std::lock_guard lock(mutex_);
  return pending_.responder;
}

void ActiveRequest::notify(std::string method, Json params) {
  if (const auto responder = this->responder())
    responder->send(to_json(rpc::Notification{std::move(method), std::move(params)}));
}

void ActiveRequest::progress(const Progress& progress) {
  {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    const bool is_last = progress.total && progress.done >= *progress.total;
    if (progress.done <= last_done_) return;
    held_progress_ = progress;
    if (!is_last && now - last_progress_ < kBetweenProgress) return;
    last_progress_ = now;
  }
  send_held_progress();
}

// Sends the newest progress, if it was not sent yet: the last of a call must not be lost.
void ActiveRequest::send_held_progress() {
  Json token;
  Progress progress;
  {
    const std::lock_guard lock(mutex_);
    // While the client is asked, there is no request to report on.
    if (!held_progress_ || !pending_.responder) return;
    token = progress_token_;
    progress = *std::exchange(held_progress_, std::nullopt);
    last_done_ = progress.done;
  }
  if (!token.is_string() && !token.is_number()) return;
  Json params = JsonObject{{"progressToken", std::move(token)}, {"progress", progress.done}};
  if (progress.total) params["total"] = *progress.total;
  if (!progress.message.empty() && parts_.info->revision >= "2025-03-26")
    params["message"] = progress.message;
  notify("notifications/progress", std::move(params));
}

void ActiveRequest::log(LogSeverity severity, const std::string& logger, const Json& data) {
  LogSeverity level = parts_.client->log_level();
  if (parts_.info->is_stateless()) {  // each request names its own log level
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

void ActiveRequest::close_stream() {
  if (const auto responder = this->responder()) responder->close_stream();
}

Expected<std::vector<Json>> ActiveRequest::ask(const std::vector<Inquiry>& inquiries,
                                               const AskLimits& limits) {
  for (const Inquiry& inquiry : inquiries)
    if (!supports(*parts_.info, inquiry)) return fail(missing_capability_for(inquiry));
  const EitherStop stop(this->stop(), limits.stop);
  AskLimits both{.deadline = limits.deadline, .stop = stop.token()};
  // A client that shows the question to nobody, or that disconnected unnoticed, must not hold a thread for
  // ever.
  if (!both.deadline && !parts_.info->is_stateless()) both.deadline = Clock::now() + kLongestQuestion;
  auto answers = parts_.info->is_stateless() ? ask_by_retry(inquiries, both) : ask_directly(inquiries, both);
  if (this->stop().stop_requested()) return fail(ErrorCode::kCancelled, "The request was cancelled.");
  return answers;
}

Expected<std::vector<Json>> ActiveRequest::ask_directly(const std::vector<Inquiry>& inquiries,
                                                        const AskLimits& limits) {
  const std::shared_ptr<Responder> responder = this->responder();
  std::vector<Json> answers;
  for (const Inquiry& inquiry : inquiries) {
    // The request of a task is already answered, so a question can only go through the client's outlet.
    struct Outlet final : Responder {
      explicit Outlet(Client& client) : client_(client) {}
      void send(const Json& message) override { client_.send(message); }
      void answer(rpc::Response) override {}
      Client& client_;
    } outlet(*parts_.client);
    Responder& via = responder ? *responder : static_cast<Responder&>(outlet);
    auto answer = parts_.client->request(via, inquiry.method, inquiry.params, limits.stop, limits.deadline);
    if (!answer) return fail(answer.error());
    if (!answer->is_object())
      return fail(ErrorCode::kUnavailable,
                  concat("The client's answer to ", inquiry.method, " is not an object."));
    answers.push_back(*std::move(answer));
  }
  return answers;
}

void ActiveRequest::record_answers(const Json* answers) {
  if (answers == nullptr || !answers->is_object()) return;
  for (const auto& [key, value] : answers->as_object())
    if (value.is_object()) answers_by_key_[key] = value;
}

bool ActiveRequest::all_answered(const std::vector<Inquiry>& inquiries) const {
  return std::ranges::all_of(
      inquiries, [this](const Inquiry& inquiry) { return answers_by_key_.find(inquiry.key) != nullptr; });
}

Json ActiveRequest::open_inquiries() const {
  const std::lock_guard lock(mutex_);
  Json open = JsonObject();
  for (const Inquiry& inquiry : open_)
    if (answers_by_key_.find(inquiry.key) == nullptr)
      open[inquiry.key] = JsonObject{{"method", inquiry.method}, {"params", inquiry.params}};
  return open;
}

Expected<std::vector<Json>> ActiveRequest::ask_by_retry(const std::vector<Inquiry>& inquiries,
                                                        const AskLimits& limits) {
  std::unique_lock lock(mutex_);
  open_ = inquiries;
  const auto until = limits.deadline.value_or(Clock::now() + parts_.suspended.timeout());
  const std::stop_callback disconnected(parts_.client->closed(), [this] { cancel(); });
  while (!all_answered(inquiries)) {
    if (limits.stop.stop_requested()) return fail(ErrorCode::kCancelled, "The request was cancelled.");
    if (pending_.responder && !task_) {  // answer it; the client repeats it with the answers
      PendingAnswer pending = std::exchange(pending_, {});
      Cancellable cancellable = std::exchange(cancellable_, {});
      lock.unlock();
      auto state = parts_.suspended.add(shared_from_this());
      const Json open = open_inquiries();
      if (!state) {
        lock.lock();
        pending_ = std::move(pending);  // the failure is the answer
        cancellable_ = std::move(cancellable);
        return fail(state.error());
      }
      cancellable.end();  // before the answer: after it the client may reuse the id
      pending.answer(Json(JsonObject{{"resultType", rpc::kInputRequired},
                                     {"inputRequests", open},
                                     {"requestState", *std::move(state)}}));
      lock.lock();
      continue;
    }
    if (task_) parts_.tasks.touch(*task_);
    const bool changed = changed_.wait_until(
        lock, limits.stop, until, [&] { return all_answered(inquiries) || (pending_.responder && !task_); });
    if (!changed && !limits.stop.stop_requested())
      return fail(ErrorCode::kTimeout, "The client did not send an answer in time.");
  }
  std::vector<Json> answers;
  answers.reserve(inquiries.size());
  for (const Inquiry& inquiry : inquiries) answers.push_back(*answers_by_key_.find(inquiry.key));
  open_.clear();
  if (task_) parts_.tasks.touch(*task_);
  return answers;
}

ActiveRequest::Resumed ActiveRequest::resume(const std::shared_ptr<Client>& client, rpc::Request request,
                                             std::shared_ptr<Responder> responder) {
  if (!client->begin(request.id, parts_.stop)) return Resumed::kIdInUse;
  const std::lock_guard lock(mutex_);
  if (pending_.responder || task_ || stop().stop_requested()) {
    client->end(request.id);
    return Resumed::kHasEnded;
  }
  record_answers(request.params.find("inputResponses"));
  // The new request has its own token, or none.
  const Json* meta = request.params.find("_meta");
  const Json* token = meta == nullptr ? nullptr : meta->find(rpc::kProgressToken);
  progress_token_ = token == nullptr ? Json() : *token;
  pending_ = {std::move(responder), request.id};
  cancellable_ = {client, std::move(request.id)};
  changed_.notify_all();
  return Resumed::kYes;
}

void ActiveRequest::take_answers(const Json& answers) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, value] : answers.as_object())
    if (value.is_object() &&
        std::ranges::any_of(open_, [&](const Inquiry& inquiry) { return inquiry.key == key; }))
      answers_by_key_[key] = value;
  changed_.notify_all();
}

bool ActiveRequest::may_become_task() const {
  return parts_.info->is_stateless() ? parts_.info->offers({"extensions", rpc::kTasksExtension})
                                     : param("task") != nullptr;
}

void ActiveRequest::become_task() {
  if (!may_become_task()) return;
  PendingAnswer pending;
  Json created;
  {
    // Under one lock, so that a call that ends meanwhile is answered once: with the task or with its outcome.
    const std::lock_guard lock(mutex_);
    if (task_ || !pending_.responder) return;
    TaskTable::Added added = parts_.tasks.add(shared_from_this());
    task_ = std::move(added.task);
    created = std::move(added.created);
    pending = std::exchange(pending_, {});
  }
  pending.answer(std::move(created));
}

void ActiveRequest::PendingAnswer::answer(Outcome outcome) const {
  if (!responder) return;
  if (outcome)
    responder->answer({.id = id, .result = *std::move(outcome)});
  else
    responder->answer({.id = id, .failure = std::move(outcome.error())});
}

void ActiveRequest::finish(Outcome outcome) {
  send_held_progress();
  PendingAnswer pending;
  Cancellable cancellable;
  std::shared_ptr<Task> task;
  {
    const std::lock_guard lock(mutex_);
    pending = std::exchange(pending_, {});
    cancellable = std::exchange(cancellable_, {});
    task = task_;
  }
  cancellable.end();
  if (task)
    parts_.tasks.finish(*task, std::move(outcome));
  else
    pending.answer(std::move(outcome));
}

namespace {

// The parts of a request that must not change when the client repeats it.
std::string binding(std::string_view id, const rpc::Request& request, const Client& client) {
  Json params = request.params;
  if (params.is_object())
    for (const std::string_view changing : {"_meta", "inputResponses", "requestState"})
      params.as_object().erase(changing);
  return concat(id, "\n", client.credential(), "\n", request.method, "\n", to_text(params));
}

}  // namespace

Expected<std::string> SuspendedRequests::add(const std::shared_ptr<ActiveRequest>& request) {
  std::string id = random_id("wait", 32);
  std::string state = concat(id, ".", key_.tag(binding(id, request->request(), request->client())));
  const std::lock_guard lock(mutex_);
  if (closed_) return fail(ErrorCode::kCancelled, "The server is stopping and cannot ask the client.");
  std::erase_if(requests_, [](const auto& entry) { return entry.second.expired(); });
  if (requests_.size() >= most_)
    return fail(ErrorCode::kUnavailable, "Too many requests are waiting for input.",
                "Answer or cancel some of them first.");
  requests_.emplace(std::move(id), request);
  return state;
}

std::expected<std::shared_ptr<ActiveRequest>, rpc::Failure> SuspendedRequests::claim(
    const std::string& state, const rpc::Request& repeated, const Client& client) {
  const std::size_t dot = state.find('.');
  const std::string id = state.substr(0, dot);
  if (dot == std::string::npos ||
      !key_.is_tag(std::string_view(state).substr(dot + 1), binding(id, repeated, client)))
    return failure(rpc::kInvalidParams,
                   "requestState does not belong to this request. Send it back unchanged.");
  std::shared_ptr<ActiveRequest> request;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = requests_.find(id); found != requests_.end()) {
      request = found->second.lock();
      requests_.erase(found);
    }
  }
  if (!request)
    return failure(rpc::kInvalidParams,
                   "requestState was already used or has expired. Send the request again without it.");
  return request;
}

void SuspendedRequests::close() {
  decltype(requests_) closing;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    closing.swap(requests_);
  }
  for (const auto& [id, waiting] : closing)
    if (const auto request = waiting.lock()) request->cancel();
}

}  // namespace helve::mcp

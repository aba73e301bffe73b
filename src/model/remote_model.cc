#include "model/remote_model.h"

#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/json_parse.h"
#include "base/strings.h"
#include "base/threads.h"
#include "http/client.h"
#include "http/sse.h"
#include "model/dialect.h"
#include "model/retries.h"
#include "model/server_error.h"

namespace helve::model {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLongestEvent = std::size_t{32} << 20;
constexpr std::size_t kLongestReply = std::size_t{256} << 20;
constexpr std::size_t kLongestReport = std::size_t{1} << 20;

// Some servers keep the connection open after the last event. Waiting this long for the end of the answer
// allows the connection to be reused.
constexpr std::chrono::milliseconds kLingerAfterDone{250};

bool is_success(int status) { return status >= 200 && status < 300; }

// One request and its answer. Used from one thread.
class Attempt {
 public:
  Attempt(std::unique_ptr<ReplyReader> reader, const Endpoint& endpoint);

  [[nodiscard]] Expected<Reply> run(http::Client& client, const http::ClientRequest& request,
                                    const std::stop_token& stop);
  // The answer's headers; empty before it arrives.
  [[nodiscard]] const http::Headers& headers() const { return head_.headers; }
  // Whether the listener got a piece of the reply. If so, there must be no other attempt.
  [[nodiscard]] bool has_output() const { return reader_->has_output(); }

 private:
  enum class Form { kUnknown, kEvents, kWhole };

  void take_head(const http::Response& head);
  // Returns false to end the transfer.
  [[nodiscard]] bool take_body(std::string_view piece);
  [[nodiscard]] bool take_events(std::string_view piece);
  [[nodiscard]] Expected<Reply> conclude(Expected<void> transfer, const std::stop_token& stop);
  [[nodiscard]] Expected<void> read_whole();

  std::unique_ptr<ReplyReader> reader_;
  const Endpoint& endpoint_;
  http::Response head_ = {};
  Form form_ = Form::kUnknown;
  http::SseReader events_;
  std::string body_ = {};  // of an answer that is not a stream
  std::size_t received_ = 0;
  std::optional<Error> problem_ = {};
};

Attempt::Attempt(std::unique_ptr<ReplyReader> reader, const Endpoint& endpoint)
    : reader_(std::move(reader)), endpoint_(endpoint), events_(kLongestEvent) {}

Expected<Reply> Attempt::run(http::Client& client, const http::ClientRequest& request,
                             const std::stop_token& stop) {
  std::stop_source hang_up;
  const std::stop_callback pass_on(stop, [&] { hang_up.request_stop(); });
  std::jthread linger_timer;
  const http::Sink sink{
      .on_head = [this](const http::Response& head) { take_head(head); },
      .on_body =
          [&](std::string_view piece) {
            const bool wanted = take_body(piece);
            if (wanted && reader_->is_done() && !linger_timer.joinable())
              // Without the timer, the server ends the transfer.
              static_cast<void>(try_start_thread(linger_timer, [&](const std::stop_token& ended) {
                if (wait_for(kLingerAfterDone, ended)) hang_up.request_stop();
              }));
            return wanted;
          }};
  auto transfer = client.stream(request, sink, hang_up.get_token());
  return conclude(std::move(transfer), stop);
}

void Attempt::take_head(const http::Response& head) {
  head_ = head;
  const std::string* const type = head.headers.find("content-type");
  const std::string lower = type != nullptr ? to_lower(*type) : "";
  if (!is_success(head.status) || lower.contains("json"))
    form_ = Form::kWhole;
  else if (lower.contains("event-stream"))
    form_ = Form::kEvents;
}

bool Attempt::take_body(std::string_view piece) {
  received_ += piece.size();
  if (!is_success(head_.status)) {
    body_ += piece.substr(0, kLongestReport - body_.size());
    return body_.size() < kLongestReport;
  }
  if (received_ > kLongestReply) {
    problem_ =
        malformed_error(concat("it is longer than ", with_thousands(kLongestReply), " bytes"), "", endpoint_);
    return false;
  }
  if (form_ == Form::kEvents) return take_events(piece);
  body_ += piece;
  if (form_ == Form::kWhole) return true;
  // Without a content type, the first character tells JSON or HTML from events.
  const std::string_view text = trim(body_);
  if (text.empty()) return true;
  form_ = text.front() == '{' || text.front() == '<' ? Form::kWhole : Form::kEvents;
  return form_ == Form::kWhole || take_events(std::exchange(body_, {}));
}

bool Attempt::take_events(std::string_view piece) {
  const bool fits = events_.feed(piece, [this](http::SentEvent&& event) {
    if (problem_ || reader_->is_done()) return;
    if (auto taken = reader_->take(event); !taken) problem_ = std::move(taken.error());
  });
  if (!fits && !problem_)
    problem_ = malformed_error(concat("an event is longer than ", with_thousands(kLongestEvent), " bytes"),
                               "", endpoint_);
  return !problem_;
}

Expected<void> Attempt::read_whole() {
  if (trim(body_).empty()) return fail(cut_error("it is empty", endpoint_));
  const auto answer = parse_json(body_);
  if (!answer)
    return fail(malformed_error(body_.starts_with('<') || trim(body_).starts_with('<')
                                    ? "it is a web page"
                                    : concat("it is not JSON: ", answer.error().message),
                                trim(body_), endpoint_));
  return reader_->take_whole(*answer);
}

Expected<Reply> Attempt::conclude(Expected<void> transfer, const std::stop_token& stop) {
  if (problem_) return fail(std::move(*problem_));
  const bool hung_up = !transfer && transfer.error().code == ErrorCode::kCancelled;
  if (hung_up && (stop.stop_requested() || !reader_->is_done())) return fail(std::move(transfer.error()));
  if (!is_success(head_.status)) return fail(answer_error(head_.status, head_.headers, body_, endpoint_));
  if (transfer && form_ != Form::kEvents)
    if (auto read = read_whole(); !read) return fail(std::move(read.error()));
  // After the stop reason, later transfer errors do not matter.
  if (reader_->has_ended()) return reader_->finish();
  if (!transfer) {
    Error error = without_secrets(std::move(transfer.error()), endpoint_);
    if (received_ == 0) {
      if (!error.hint.empty()) error.hint += ' ';
      error.hint += error.code == ErrorCode::kTimeout
                        ? "To wait longer, raise model.silence_seconds."
                        : "Check model.base_url, model.proxy and model.ca_file.";
      return fail(std::move(error));
    }
    return fail(cut_error(error.message, endpoint_));
  }
  return fail(cut_error("the stream ended before the reply did", endpoint_));
}

double random_fraction() {
  std::random_device device;
  return std::uniform_real_distribution<double>(0, 1)(device);
}

class RemoteModel final : public Model {
 public:
  RemoteModel(std::unique_ptr<Dialect> dialect, RemoteOptions options)
      : dialect_(std::move(dialect)), options_(std::move(options)), client_(options_.client) {
    add_secret(options_.key);
    for (const auto& [name, value] : options_.headers) add_secret(value);
  }

  const std::string& name() const override { return options_.request.model; }
  std::optional<std::int64_t> context_window() const override { return options_.context_window; }

  Expected<Reply> reply(const Conversation& conversation, const Listener& listener,
                        const std::stop_token& stop) override {
    http::ClientRequest request{.method = "POST",
                                .url = options_.url,
                                .headers = dialect_->headers(options_.key),
                                .body = to_text(dialect_->request(conversation, options_.request)),
                                .silence_time = options_.silence_time};
    for (const auto& [name, value] : options_.headers) request.headers.add(name, value);
    for (int tries_made = 1;; ++tries_made) {
      Attempt attempt(dialect_->reader(listener, options_.endpoint), options_.endpoint);
      auto reply = attempt.run(client_, request, stop);
      if (reply) return with_real_stop_reason(*std::move(reply));
      if (drops_usage_request(reply.error())) {
        request.body = to_text(dialect_->request(conversation, options_.request));
        continue;
      }
      const auto pause = pause_before_next(tries_made, attempt, reply.error());
      if (!pause) return reply;
      if (listener.on_retry) listener.on_retry(reply.error(), *pause);
      if (!wait_for(*pause, stop))
        return fail(ErrorCode::kCancelled, concat("The request to ", options_.endpoint.place,
                                                  " was cancelled between two attempts"));
    }
  }

 private:
  // Stops requesting usage numbers from a server that rejects stream_options.
  bool drops_usage_request(const Error& error) {
    const bool is_about_usage =
        error.code == ErrorCode::kInvalidArgument && error.message.contains("stream_options");
    return is_about_usage && std::exchange(options_.request.asks_for_usage, false);
  }

  // Shorter values are not secrets, and redacting them would garble error messages.
  void add_secret(const std::string& text) {
    if (text.size() >= 8) options_.endpoint.secrets.push_back(text);
  }

  // The pause before the next attempt; nothing if there must be none.
  std::optional<milliseconds> pause_before_next(int tries_made, const Attempt& attempt,
                                                const Error& error) const {
    const RetryRules& rules = options_.retries;
    const bool retry = should_retry_header(attempt.headers()).value_or(error.transient);
    if (tries_made > rules.more_tries || attempt.has_output() || !retry ||
        error.code == ErrorCode::kCancelled)
      return std::nullopt;
    const auto asked = retry_after(attempt.headers(), std::chrono::system_clock::now());
    if (!asked) return pause_after(tries_made, rules, random_fraction());
    if (*asked > rules.longest_retry_after) return std::nullopt;
    return asked;
  }

  // Servers often report just "length" when the context window is full.
  Reply with_real_stop_reason(Reply reply) const {
    if (reply.stop == StopReason::kLength && options_.context_window &&
        reply.usage.input_tokens + reply.usage.output_tokens >= *options_.context_window)
      reply.stop = StopReason::kContextFull;
    return reply;
  }

  std::unique_ptr<Dialect> dialect_;
  RemoteOptions options_;
  http::Client client_;
};

}  // namespace

std::unique_ptr<Model> remote_model(std::unique_ptr<Dialect> dialect, RemoteOptions options) {
  return std::make_unique<RemoteModel>(std::move(dialect), std::move(options));
}

}  // namespace helve::model

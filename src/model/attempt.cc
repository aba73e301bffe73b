#include "model/attempt.h"

#include <chrono>
#include <thread>
#include <utility>

#include "base/json_parse.h"
#include "base/strings.h"
#include "model/retries.h"

namespace helve::model {
namespace {

constexpr std::size_t kLongestEvent = std::size_t{32} << 20;
constexpr std::size_t kLongestReply = std::size_t{256} << 20;
constexpr std::size_t kLongestReport = std::size_t{1} << 20;

// Some servers leave the connection open after the last event. Others end the answer at once, and then the
// connection can be used again: worth this long a look.
constexpr std::chrono::milliseconds kPatienceAfterDone{250};

bool is_success(int status) { return status >= 200 && status < 300; }

}  // namespace

Attempt::Attempt(std::unique_ptr<ReplyReader> reader, const Addressee& addressee)
    : reader_(std::move(reader)), addressee_(addressee), events_(kLongestEvent) {}

Expected<Reply> Attempt::run(http::Client& client, const http::ClientRequest& request,
                             const std::stop_token& stop) {
  std::stop_source hang_up;
  const std::stop_callback pass_on(stop, [&] { hang_up.request_stop(); });
  std::jthread impatience;
  const http::Sink sink{.on_head = [this](const http::Response& head) { take_head(head); },
                        .on_body =
                            [&](std::string_view piece) {
                              const bool wanted = take_body(piece);
                              if (wanted && reader_->is_done() && !impatience.joinable())
                                impatience = std::jthread([&](const std::stop_token& ended) {
                                  if (wait_for(kPatienceAfterDone, ended)) hang_up.request_stop();
                                });
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
    problem_ = malformed_error(concat("it is longer than ", with_thousands(kLongestReply), " bytes"), "",
                               addressee_);
    return false;
  }
  if (form_ == Form::kEvents) return take_events(piece);
  body_ += piece;
  if (form_ == Form::kWhole) return true;
  // The server does not say what it sends, but the first character does.
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
                               "", addressee_);
  return !problem_;
}

Expected<void> Attempt::read_whole() {
  if (trim(body_).empty()) return fail(cut_error("it is empty", addressee_));
  const auto answer = parse_json(body_);
  if (!answer)
    return fail(malformed_error(body_.starts_with('<') || trim(body_).starts_with('<')
                                    ? "it is a web page"
                                    : concat("it is no JSON: ", answer.error().message),
                                trim(body_), addressee_));
  return reader_->take_whole(*answer);
}

Expected<Reply> Attempt::conclude(Expected<void> transfer, const std::stop_token& stop) {
  if (problem_) return fail(std::move(*problem_));
  const bool hung_up = !transfer && transfer.error().code == ErrorCode::kCancelled;
  if (hung_up && (stop.stop_requested() || !reader_->is_done())) return fail(std::move(transfer.error()));
  if (!is_success(head_.status)) return fail(answer_error(head_.status, head_.headers, body_, addressee_));
  if (transfer && form_ != Form::kEvents)
    if (auto read = read_whole(); !read) return fail(std::move(read.error()));
  // Once the server said how the reply ends, what breaks afterwards does not matter.
  if (reader_->has_ended()) return reader_->finish();
  if (!transfer) {
    Error error = without_secrets(std::move(transfer.error()), addressee_);
    if (received_ == 0) {
      if (!error.hint.empty()) error.hint += ' ';
      error.hint += error.code == ErrorCode::kTimeout
                        ? "The setting model.silence_seconds says how much."
                        : "The settings are model.base_url, model.proxy and model.ca_file.";
      return fail(std::move(error));
    }
    return fail(cut_error(error.message, addressee_));
  }
  return fail(cut_error("the stream ended before the reply did", addressee_));
}

}  // namespace helve::model

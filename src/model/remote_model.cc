#include "model/remote_model.h"

#include <random>
#include <utility>

#include "base/strings.h"
#include "model/attempt.h"

namespace helve::model {
namespace {

using std::chrono::milliseconds;

double chance() {
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
      Attempt attempt(dialect_->reader(listener, options_.addressee), options_.addressee);
      auto reply = attempt.run(client_, request, stop);
      if (reply) return judged(*std::move(reply));
      if (learns_from(reply.error())) {
        request.body = to_text(dialect_->request(conversation, options_.request));
        continue;
      }
      const auto pause = pause_before_next(tries_made, attempt, reply.error());
      if (!pause) return reply;
      if (listener.on_retry) listener.on_retry(reply.error(), *pause);
      if (!wait_for(*pause, stop))
        return fail(ErrorCode::kCancelled,
                    concat("The request to ", options_.addressee.place, " was cancelled between two tries"));
    }
  }

 private:
  // A server that refuses a request for the part that only asks for usage is not asked for that again.
  bool learns_from(const Error& error) {
    const bool is_about_usage =
        error.code == ErrorCode::kInvalidArgument && error.message.contains("stream_options");
    return is_about_usage && std::exchange(options_.request.asks_for_usage, false);
  }

  // What is shorter is no secret, and taking it out would spoil the words of errors.
  void add_secret(const std::string& text) {
    if (text.size() >= 8) options_.addressee.secrets.push_back(text);
  }

  // Nothing when there must be no other try.
  std::optional<milliseconds> pause_before_next(int tries_made, const Attempt& attempt,
                                                const Error& error) const {
    const RetryRules& rules = options_.retries;
    const bool wished = wishes_retry(attempt.headers()).value_or(error.transient);
    if (tries_made > rules.more_tries || attempt.was_heard() || !wished ||
        error.code == ErrorCode::kCancelled)
      return std::nullopt;
    const auto asked = asked_pause(attempt.headers(), std::chrono::system_clock::now());
    if (!asked) return pause_after(tries_made, rules, chance());
    if (*asked > rules.longest_asked) return std::nullopt;
    return asked;
  }

  // Servers that end in the middle because the window is full often say no more than "length".
  Reply judged(Reply reply) const {
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

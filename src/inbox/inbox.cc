#include "inbox/inbox.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/file_io.h"
#include "base/file_lock.h"
#include "base/file_trust.h"
#include "base/json_read.h"
#include "base/strings.h"
#include "base/to_number.h"
#include "base/utf8.h"
#include "inbox/peer.h"
#include "inbox/request_json.h"

namespace helve::inbox {
namespace {

constexpr std::string_view kSocketSuffix = ".sock";
constexpr std::string_view kMarkSuffix = ".watch";
constexpr std::string_view kQuestions = "/questions";

http::Response json_response(int status, const Json& body) {
  return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = to_text(body)};
}

http::Response problem(int status, std::string_view message) {
  return json_response(status, JsonObject{{"message", message}});
}

Json question_json(const WaitingQuestion& question) {
  using std::chrono::milliseconds;
  return JsonObject{
      {"id", question.id},
      {"hash", question.hash},
      {"sinceMs", std::chrono::duration_cast<milliseconds>(question.since.time_since_epoch()).count()},
      {"request", to_json(question.request)}};
}

Expected<void> make_directory(const std::string& directory) {
  if (auto made = make_private_directories(directory); !made) return made;
  return check_own_directory(directory);
}

}  // namespace

void Inbox::open() {
  const std::lock_guard lock(opening_);
  if (std::exchange(tried_, true)) return;
  auto made = make_directory(directory_);
  auto server = !made ? fail(made.error())
                      : http::Server::start(
                            {.unix_path = concat(directory_, "/", random_id("ask", 12), kSocketSuffix),
                             .limits = {.connections = 32},
                             .admits_process = may_answer},
                            [this](http::Exchange& exchange) { serve(exchange); }, logger_);
  if (server)
    server_ = *std::move(server);
  else
    logger_.warning("Approvals cannot be answered from outside", {{"cause", server.error().message}});
}

bool Inbox::is_watched() const {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, ignored)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(kMarkSuffix)) continue;
    const UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!file) continue;
    if (!try_exclusive_lock(file.get())) return true;
    ::unlink(path.c_str());  // its process was killed
  }
  return false;
}

void Inbox::serve(http::Exchange& exchange) {
  const http::Request& request = exchange.request();
  const std::string_view path = request.path;
  if (request.method == "GET" && path == kQuestions) return list(exchange);
  if (request.method == "POST" && path.starts_with(kQuestions) && path.size() > kQuestions.size() + 1)
    return answer(exchange, path.substr(kQuestions.size() + 1));
  exchange.respond(problem(404, "There is nothing here."));
}

// With ?after=N it answers when the list has changed since the answer with that number, or after a while.
void Inbox::list(http::Exchange& exchange) {
  constexpr std::chrono::seconds kLongest(20);
  constexpr std::string_view kAfter = "after=";
  const std::string_view query = exchange.request().query;
  const auto seen = query.starts_with(kAfter) ? to_number<std::uint64_t>(query.substr(kAfter.size()))
                                              : std::optional<std::uint64_t>(0);
  if (!seen) return exchange.respond(problem(400, "after must be a number."));
  const std::uint64_t changes =
      questions_.wait_for_change(*seen, std::chrono::steady_clock::now() + kLongest, exchange.stop());
  JsonArray questions;
  for (const WaitingQuestion& question : questions_.list()) questions.push_back(question_json(question));
  exchange.respond(json_response(200, JsonObject{{"changes", changes},
                                                 {"pid", ::getpid()},
                                                 {"program", asking_.program},
                                                 {"workspace", asking_.workspace},
                                                 {"questions", std::move(questions)}}));
}

void Inbox::answer(http::Exchange& exchange, std::string_view id) {
  const auto body = parse_json(exchange.request().body);
  const auto names = enum_names(ApprovalChoice{});
  const auto choice = body ? std::ranges::find(names, string_in(*body, "choice")) : names.end();
  if (choice == names.end())
    return exchange.respond(problem(400, "choice must be once, session, always or refuse."));
  switch (questions_.answer(id, string_in(*body, "hash"),
                            approval_of(static_cast<ApprovalChoice>(choice - names.begin()),
                                        text_in(*body, "reason"), text_in(*body, "by")))) {
    case WaitingQuestions::Outcome::kTaken: return exchange.respond(json_response(200, JsonObject{}));
    case WaitingQuestions::Outcome::kTooLate:
      return exchange.respond(problem(409, "It was answered or withdrawn before."));
    case WaitingQuestions::Outcome::kOther:
      return exchange.respond(problem(409, "The answer is to another question."));
    case WaitingQuestions::Outcome::kUnknown: break;
  }
  exchange.respond(problem(404, concat("Nothing waits under the id ", shortened(id, 40), ".")));
}

Expected<WatchMark> WatchMark::set(const std::string& directory) {
  if (auto made = make_directory(directory); !made) return fail(made.error());
  auto mark = create_life_mark(directory, "seen", kMarkSuffix);
  if (!mark) return fail(std::move(mark).error());
  return WatchMark(*std::move(mark));
}

WatchMark::~WatchMark() {
  if (mark_.lock) ::unlink(mark_.path.c_str());
}

}  // namespace helve::inbox

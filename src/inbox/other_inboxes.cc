#include "inbox/other_inboxes.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/file_io.h"
#include "base/file_trust.h"
#include "base/json_read.h"
#include "base/strings.h"

namespace helve::inbox {
namespace {

constexpr std::string_view kHost = "http://localhost/questions";

enum class Listening { kYes, kNo, kUnknown };

Listening state_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return Listening::kUnknown;
  std::memcpy(address.sun_path, path.data(), path.size());
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) return Listening::kUnknown;
  if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return Listening::kYes;
  if (errno == EAGAIN) return Listening::kYes;  // its queue is full
  return errno == ECONNREFUSED ? Listening::kNo : Listening::kUnknown;
}

AskingProcess process_from(const std::string& socket, const Json& json) {
  AskingProcess process{
      .socket = socket,
      .pid = count_in(json, "pid"),
      .asking = {.program = text_in(json, "program"), .workspace = text_in(json, "workspace")},
      .changes = static_cast<std::uint64_t>(count_in(json, "changes"))};
  const JsonArray* questions = array_in(json, "questions");
  if (questions == nullptr) return process;
  for (const Json& each : *questions)
    if (const Json* request = object_in(each, "request"))
      process.questions.push_back({.id = text_in(each, "id"),
                                   .request = request_from(*request),
                                   .hash = text_in(each, "hash"),
                                   .since = std::chrono::system_clock::time_point(
                                       std::chrono::milliseconds(count_in(each, "sinceMs")))});
  return process;
}

Error error_of(const http::Response& response) {
  const auto body = parse_json(response.body);
  std::string message = body ? text_in(*body, "message") : std::string();
  if (message.empty()) message = concat("The other process answered with status ", response.status, ".");
  const ErrorCode code = response.status == 404   ? ErrorCode::kNotFound
                         : response.status == 409 ? ErrorCode::kConflict
                                                  : ErrorCode::kUnavailable;
  return {.code = code, .message = std::move(message), .hint = "List what waits with helve approvals."};
}

}  // namespace

// A process that starts holds this lock from the moment that its socket has a name until it listens.
void OtherInboxes::remove_dead(const std::string& socket) const {
  const auto lock = lock_directory(directory_);
  if (lock && state_of(socket) == Listening::kNo) ::unlink(socket.c_str());
}

std::vector<std::string> OtherInboxes::sockets() const {
  std::vector<std::string> found;
  if (!check_own_directory(directory_)) return found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(directory_, ignored)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".sock") || !entry.is_socket(ignored)) continue;
    const Listening state = state_of(path);
    if (state == Listening::kYes) found.push_back(path);
    if (state == Listening::kNo) remove_dead(path);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<AskingProcess> OtherInboxes::list(const std::stop_token& stop) const {
  std::vector<AskingProcess> processes;
  for (const std::string& socket : sockets())
    if (auto process = next(socket, 0, stop); process && !process->questions.empty())
      processes.push_back(*std::move(process));
  return processes;
}

Expected<AskingProcess> OtherInboxes::next(const std::string& socket, std::uint64_t changes,
                                           const std::stop_token& stop) const {
  const auto response = client_.send({.url = concat(kHost, "?after=", changes),
                                      .unix_socket = socket,
                                      .total_time = std::chrono::seconds(40)},
                                     stop);
  if (!response) return fail(response.error());
  if (response->status != 200) return fail(error_of(*response));
  const auto json = parse_json(response->body);
  if (!json) return fail(json.error());
  return process_from(socket, *json);
}

Expected<void> OtherInboxes::answer(const std::string& socket, const WaitingQuestion& question,
                                    const Approval& approval, const std::stop_token& stop) const {
  const auto response = client_.send({.method = "POST",
                                      .url = concat(kHost, "/", question.id),
                                      .headers = {{"Content-Type", "application/json"}},
                                      .body = to_text(JsonObject{{"choice", name_of(choice_of(approval))},
                                                                 {"hash", question.hash},
                                                                 {"reason", approval.reason},
                                                                 {"by", approval.by}}),
                                      .unix_socket = socket,
                                      .total_time = std::chrono::seconds(10)},
                                     stop);
  if (!response) return fail(response.error());
  if (response->status != 200) return fail(error_of(*response));
  return {};
}

}  // namespace helve::inbox

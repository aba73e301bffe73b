#include "mcp/client_sessions.h"

#include <algorithm>

#include "base/file_io.h"
#include "base/file_uri.h"
#include "base/strings.h"
#include "core/session_state.h"

namespace helve::mcp {
namespace {

constexpr auto kRootsTimeout = std::chrono::seconds(10);  // for the answer to roots/list

// The real path of the client's first root that is a directory on this machine.
Expected<std::string> first_root(ActiveRequest& request) {
  auto answers = request.ask({{.key = "roots", .method = "roots/list"}},
                             {.deadline = std::chrono::steady_clock::now() + kRootsTimeout});
  if (!answers) return fail(answers.error());
  const Json* roots = answers->front().find("roots");
  for (const Json& root : roots != nullptr && roots->is_array() ? roots->as_array() : JsonArray()) {
    const Json* uri = root.find("uri");
    const auto path = uri != nullptr && uri->is_string() ? path_of_uri(uri->as_string()) : std::nullopt;
    auto real = path ? real_path(concat(*path, "/.")) : Expected<std::string>(fail(Error()));
    if (real) return real;
  }
  return fail(ErrorCode::kNotFound, "None of the client's roots is a directory on this machine.");
}

}  // namespace

bool ClientSession::is_busy() const {
  return std::ranges::any_of(session->state().commands.list(),
                             [](const auto& command) { return command->status().running(); });
}

ClientSessions::ClientSessions(std::shared_ptr<Runtime> runtime, Move move, Share share)
    : move_(std::move(move)), share_(std::move(share)) {
  use_runtime(std::move(runtime));
}

std::shared_ptr<Runtime> ClientSessions::runtime() const {
  const std::lock_guard lock(mutex_);
  return runtime_;
}

void ClientSessions::use_runtime(std::shared_ptr<Runtime> runtime) {
  Subscription changes = runtime->tools().on_change([callbacks = callbacks_] { callbacks->call(); });
  const std::lock_guard lock(mutex_);
  changes_.swap(changes);
  runtime_.swap(runtime);
}

void ClientSessions::follow_roots(ActiveRequest& request) {
  if (!move_ || request.info().is_stateless() || !request.info().offers({"roots"})) return;
  const std::lock_guard lock(moving_);
  if (!request.client().take_roots_changed()) return;
  const auto root = first_root(request);
  if (!root && root.error().code == ErrorCode::kCancelled) return request.client().roots_changed();
  if (!root) return request.log(LogSeverity::kWarning, "helve", root.error().message);
  if (*root == runtime()->workspace()) return;
  auto moved = move_(*root);
  if (!moved)
    return request.log(LogSeverity::kError, "helve",
                       concat(*root, " cannot be the workspace: ", moved.error().message));
  use_runtime(*std::move(moved));
  request.client().session_slot().clear();
  callbacks_->call();
}

Expected<std::shared_ptr<ClientSession>> ClientSessions::session_of(ActiveRequest& request) {
  follow_roots(request);
  Error problem;
  const auto make = [&]() -> std::shared_ptr<ClientSession> {
    auto opened = std::make_shared<ClientSession>();
    opened->runtime = runtime();
    opened->user = std::make_shared<ClientUser>();
    std::shared_ptr<Approver> approver = opened->user;
    if (share_) approver = share_(std::move(approver), *opened->runtime);
    auto session = opened->runtime->open_session(
        {.approver = std::move(approver), .asker = opened->user, .sampler = opened->user});
    if (!session) {
      problem = std::move(session.error());
      return nullptr;
    }
    opened->session = *std::move(session);
    opened->session->state().has_audience = false;  // clients get messages only through their requests
    return opened;
  };
  auto session = std::static_pointer_cast<ClientSession>(request.client().session_slot().get(make));
  if (session) return session;
  problem.message = concat("Could not open a session: ", problem.message);
  return fail(std::move(problem));
}

Subscription ClientSessions::on_tools_change(std::function<void()> callback) {
  auto kept = std::make_shared<std::function<void()>>(std::move(callback));
  const std::lock_guard lock(callbacks_->mutex);
  callbacks_->all.push_back(kept);
  return kept;
}

void ClientSessions::Callbacks::call() {
  std::vector<std::shared_ptr<std::function<void()>>> present;
  {
    const std::lock_guard lock(mutex);
    std::erase_if(all, [](const auto& callback) { return callback.expired(); });
    for (const auto& callback : all)
      if (auto kept = callback.lock()) present.push_back(std::move(kept));
  }
  for (const auto& callback : present) (*callback)();
}

}  // namespace helve::mcp
